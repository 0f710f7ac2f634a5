"""The signs beside the words of a comparison's rows are as large as the words want them."""

from PySide6.QtCore import QRect
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from tests.unit.ui.dialogs.model_comparisons import row
from ui.dialogs.models.hit_column import HitColumn, title_height
from ui.dialogs.models.query_list import QueryList
from ui.style.design_tokens import Space
from ui.theme import Theme

NEAR = 24


def _width_of(widget: QWidget, room: QRect, ink: QColor) -> int:
    """Return how wide what is painted in a colour is, which its thin lines come near to."""
    image = widget.grab(room).toImage()
    found = [x for x in range(image.width()) for y in range(image.height()) if _is_near(image.pixelColor(x, y), ink)]
    return max(found) - min(found) + 1


def _is_near(one: QColor, other: QColor) -> bool:
    pairs = ((one.red(), other.red()), (one.green(), other.green()), (one.blue(), other.blue()))
    return all(abs(first - second) <= NEAR for first, second in pairs)


def test_they_grow_with_the_text(qtbot: QtBot, look: Theme) -> None:
    requested = row("roses", "ab", "ba", "a", origin="made")
    hits, queries = HitColumn("now", "Now"), QueryList()
    hits.show_hits(requested.now.hits[:1], "")
    queries.show_rows([requested])
    widths = {}
    for scale in (1.0, 2.0):
        look.set_scale(scale)
        for widget in (hits, queries):
            qtbot.addWidget(widget)
            widget.resize(400, 200)
            widget.show()
        line = QRect(0, 0, 400, title_height() + Space.M)
        hit = _width_of(hits.viewport(), line.adjusted(0, 0, -200, 0), look.colour("success"))
        query = _width_of(queries.viewport(), line.adjusted(200, 0, 0, 0), look.colour("muted"))
        widths[scale] = (hit, query)
    for larger, smaller in zip(widths[2.0], widths[1.0], strict=True):
        assert 1.7 * smaller <= larger <= 2.3 * smaller
