"""Decoding of notes' pictures, capped in bytes and pixels.

Only formats that hold nothing but a picture are read.
"""

from pathlib import Path
from typing import Final

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QSize, Qt
from PySide6.QtGui import QImage, QImageReader

from app.attachments.model import MAX_PICTURE_BYTES, MAX_PIXELS
from app.core.regular_files import UnsafeFileError, open_for_reading

MAX_WIDTH: Final = 1400
MAX_HEIGHT: Final = 1800
_FORMATS: Final = frozenset({b"png", b"jpeg", b"gif", b"webp", b"bmp"})


class PictureError(Exception):
    """A picture that cannot be shown; ``kind`` is ``large``, ``broken``, ``outside`` or ``missing``."""

    def __init__(self, kind: str) -> None:
        super().__init__(kind)
        self.kind = kind


def read_picture(path: Path, largest: QSize | None = None) -> QImage:
    """Return the picture in a file; for any thread.

    Args:
        path: The file.
        largest: Its greatest size; a page without it.

    Raises:
        PictureError: It is missing, no regular file, too large, or damaged.
    """
    try:
        with open_for_reading(path) as stream:
            data = stream.read(MAX_PICTURE_BYTES + 1)
    except UnsafeFileError as error:
        raise PictureError("outside") from error
    except OSError as error:
        raise PictureError("missing") from error
    return decode(data, largest)


def decode(data: bytes, largest: QSize | None = None) -> QImage:
    """Return the picture in ``data``; see ``read_picture``."""
    if len(data) > MAX_PICTURE_BYTES:
        raise PictureError("large")
    held = QByteArray(data)
    buffer = QBuffer(held)
    buffer.open(QIODevice.OpenModeFlag.ReadOnly)
    reader = QImageReader(buffer)
    reader.setDecideFormatFromContent(True)
    reader.setAutoTransform(True)
    if bytes(reader.format().data()) not in _FORMATS:
        raise PictureError("broken")
    size = reader.size()
    if not size.isValid() or size.isEmpty():
        raise PictureError("broken")
    if size.width() * size.height() > MAX_PIXELS:
        raise PictureError("large")
    shown = size.scaled(largest or QSize(MAX_WIDTH, MAX_HEIGHT), Qt.AspectRatioMode.KeepAspectRatio)
    if shown.width() < size.width():
        reader.setScaledSize(shown.expandedTo(QSize(1, 1)))
    image = reader.read()
    if image.isNull():
        raise PictureError("broken")
    return image


def encoded(image: QImage) -> bytes:
    """Return a pasted picture as PNG; for any thread.

    Raises:
        PictureError: It has too many pixels, or none.
    """
    if image.isNull():
        raise PictureError("broken")
    if image.width() * image.height() > MAX_PIXELS:
        raise PictureError("large")
    held = QByteArray()
    buffer = QBuffer(held)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    if not image.save(buffer, "PNG"):  # type: ignore[call-overload]
        raise PictureError("broken")
    return bytes(held.data())
