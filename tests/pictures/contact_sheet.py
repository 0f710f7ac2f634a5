"""Contact sheets: many pictures in one, small, to be looked over at once."""

from pathlib import Path

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QColor, QImage, QPainter

WIDTH, GAP, TITLE = 720, 12, 22
GROUND, INK = QColor("#808080"), QColor("#000000")


def make_contact_sheet(pictures: list[Path], out: Path, columns: int = 3, width: int = WIDTH) -> None:
    """Draw ``pictures`` in ``columns``, each with its name above it, into ``out``."""
    images = [QImage(str(path)) for path in pictures]
    if not images:
        return
    height = max(round(width * image.height() / max(1, image.width())) for image in images)
    cell = QSize(width + GAP, height + TITLE + GAP)
    rows = -(-len(images) // columns)
    sheet = QImage(cell.width() * columns + GAP, cell.height() * rows + GAP, QImage.Format.Format_RGB32)
    sheet.fill(GROUND)
    painter = QPainter(sheet)
    for number, (path, image) in enumerate(zip(pictures, images, strict=True)):
        left, top = GAP + number % columns * cell.width(), GAP + number // columns * cell.height()
        painter.setPen(INK)
        painter.drawText(QRect(left, top, width, TITLE), Qt.AlignmentFlag.AlignLeft, path.stem)
        small = image.scaledToWidth(width, Qt.TransformationMode.SmoothTransformation)
        painter.drawImage(left, top + TITLE, small)
    painter.end()
    sheet.save(str(out))
