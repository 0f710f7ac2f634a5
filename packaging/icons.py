"""Draw the program's icon in every form that installers need: ``python packaging/icons.py FOLDER``."""

import os
import struct
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DRAWING = ROOT / "resources" / "icons" / "keepsake.svg"
SIZES = (16, 24, 32, 48, 64, 128, 256, 512)
WINDOWS_SIZES = (16, 24, 32, 48, 64, 128, 256)
# Types of pictures in an Apple icon file, by their width in pixels.
APPLE_TYPES = {16: b"icp4", 32: b"icp5", 64: b"icp6", 128: b"ic07", 256: b"ic08", 512: b"ic09"}


def draw(folder: Path) -> list[Path]:
    """Write ``keepsake-<size>.png``, ``keepsake.ico`` and ``keepsake.icns`` into a folder.

    Returns:
        The files written.
    """
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from PySide6.QtCore import QBuffer, QIODevice, Qt  # noqa: PLC0415
    from PySide6.QtGui import QGuiApplication, QImage, QPainter  # noqa: PLC0415
    from PySide6.QtSvg import QSvgRenderer  # noqa: PLC0415

    _application = QGuiApplication.instance() or QGuiApplication([])
    renderer = QSvgRenderer(str(DRAWING))
    folder.mkdir(parents=True, exist_ok=True)
    pictures: dict[int, bytes] = {}
    for size in SIZES:
        image = QImage(size, size, QImage.Format.Format_ARGB32)
        image.fill(Qt.GlobalColor.transparent)
        painter = QPainter(image)
        renderer.render(painter)
        painter.end()
        buffer = QBuffer()
        buffer.open(QIODevice.OpenModeFlag.WriteOnly)
        if not image.save(buffer, "PNG"):
            raise OSError(f"{DRAWING} could not be drawn with {size} pixels")
        pictures[size] = bytes(buffer.data().data())
    written = []
    for size, data in pictures.items():
        written.append(folder / f"keepsake-{size}.png")
        written[-1].write_bytes(data)
    for name, data in (("keepsake.ico", windows_icon(pictures)), ("keepsake.icns", apple_icon(pictures))):
        written.append(folder / name)
        written[-1].write_bytes(data)
    return written


def windows_icon(pictures: dict[int, bytes]) -> bytes:
    """Return an icon file of Windows with PNG pictures, by their width in pixels.

    Format: a header of 6 bytes, an entry of 16 bytes for each picture, then the pictures.
    """
    chosen = [(size, pictures[size]) for size in WINDOWS_SIZES]
    offset = 6 + 16 * len(chosen)
    entries, data = [], []
    for size, picture in chosen:
        side = 0 if size == 256 else size  # noqa: PLR2004  (one byte holds the width; 0 stands for 256)
        entries.append(struct.pack("<BBBBHHII", side, side, 0, 0, 1, 32, len(picture), offset))
        data.append(picture)
        offset += len(picture)
    return b"".join([struct.pack("<HHH", 0, 1, len(chosen)), *entries, *data])


def apple_icon(pictures: dict[int, bytes]) -> bytes:
    """Return an icon file of macOS with PNG pictures, by their width in pixels.

    Format: ``icns`` and the length of all, then for each picture its type, length and data.
    """
    parts = [kind + struct.pack(">I", 8 + len(pictures[size])) + pictures[size] for size, kind in APPLE_TYPES.items()]
    body = b"".join(parts)
    return b"icns" + struct.pack(">I", 8 + len(body)) + body


if __name__ == "__main__":
    for file in draw(Path(sys.argv[1])):
        print(file)
