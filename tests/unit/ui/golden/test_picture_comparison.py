"""The comparison forgives other edges of letters, and nothing else."""

from typing import Any

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QColor, QImage, QPainter

from tests.unit.ui.golden.picture_comparison import difference


def _picture(text: str = "Roses in March", left: int = 20, ink: str = "#222222", *, smooth: bool = True) -> QImage:
    image = QImage(320, 120, QImage.Format.Format_RGB32)
    image.fill(QColor("#ffffff"))
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.TextAntialiasing, smooth)
    painter.fillRect(QRect(left, 60, 120, 40), QColor("#206a5a"))
    painter.setPen(QColor(ink))
    painter.drawText(QRect(20, 10, 280, 30), Qt.AlignmentFlag.AlignLeft, text)
    painter.end()
    return image


def test_the_same_picture_and_other_edges_of_letters_pass(qapp: Any) -> None:
    assert difference(_picture(), _picture()).share == 0
    assert difference(_picture(), _picture(smooth=False)).is_small


@pytest.mark.parametrize(
    "other", [{"text": ""}, {"left": 32}, {"ink": "#ffffff"}], ids=["no words", "moved", "invisible words"]
)
def test_what_is_missing_or_moved_fails(qapp: Any, other: dict[str, Any]) -> None:
    assert not difference(_picture(), _picture(**other)).is_small


def test_another_size_fails(qapp: Any) -> None:
    assert not difference(_picture(), _picture().copy(0, 0, 320, 100)).is_small
