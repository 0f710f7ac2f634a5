"""Pictures of notes: bad files are told apart, good ones are no larger than a page."""

import os
import struct
import zlib
from pathlib import Path

import pytest
from PySide6.QtGui import QImage

from app.attachments.model import MAX_PICTURE_BYTES
from ui.widgets.text.picture_decoder import MAX_WIDTH, PictureError, decode, encoded, read_picture


def png(width: int, height: int, body: bytes = b"") -> bytes:
    """Return a PNG that says it has this size."""
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)

    def part(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    return b"\x89PNG\r\n\x1a\n" + part(b"IHDR", head) + part(b"IDAT", body) + part(b"IEND", b"")


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"", "broken"),
        (b"no picture", "broken"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'><image href='/etc/passwd'/></svg>", "broken"),
        (b"\x89PNG\r\n\x1a\n", "broken"),
        (png(0, 0), "broken"),
        (png(60_000, 60_000, zlib.compress(b"\0" * 1000)), "large"),
        (b"GIF89a" + b"\xff" * 20, "broken"),
    ],
)
def test_bad_pictures_are_told_apart(data: bytes, kind: str) -> None:
    with pytest.raises(PictureError) as caught:
        decode(data)
    assert caught.value.kind == kind


def test_files_that_are_none_are_never_read(tmp_path: Path) -> None:
    good = tmp_path / "good.png"
    QImage(20, 10, QImage.Format.Format_RGB32).save(str(good))
    (tmp_path / "link.png").symlink_to(good)
    os.mkfifo(tmp_path / "pipe.png")
    (tmp_path / "folder.png").mkdir()
    with (tmp_path / "huge.png").open("wb") as huge:
        huge.truncate(MAX_PICTURE_BYTES + 1)
    kinds = {}
    for name in ("link", "pipe", "folder", "huge", "gone"):
        with pytest.raises(PictureError) as caught:
            read_picture(tmp_path / f"{name}.png")
        kinds[name] = caught.value.kind
    assert kinds == {"link": "outside", "pipe": "outside", "folder": "outside", "huge": "large", "gone": "missing"}
    assert read_picture(good).size().toTuple() == (20, 10)


def test_large_pictures_are_made_smaller(tmp_path: Path) -> None:
    image = QImage(4000, 1000, QImage.Format.Format_RGB32)
    image.fill(0)
    shown = decode(encoded(image))
    assert (shown.width(), shown.height()) == (MAX_WIDTH, MAX_WIDTH // 4)


def test_an_empty_picture_cannot_be_pasted() -> None:
    with pytest.raises(PictureError):
        encoded(QImage())
