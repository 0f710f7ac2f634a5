"""The layout of snippets: their height, and their lines with highlights."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import accumulate

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QFont, QFontMetrics, QFontMetricsF, QTextCharFormat, QTextLayout, QTextOption

from app.retrieval.model import Span
from ui import theme
from ui.panes.search.query_text import plain_snippet, without_signs

LINES = 3
GAP = 1
"""Pixels between lines."""
_WIDE = "\u2e80"
"""From here on most scripts have no blanks and are broken between any two characters."""
_KERNED = 0.015
"""Share of its width by which a line may be wider or narrower than its characters one by one."""
_BREAKS = "-/|"
"""Signs beside the blank after which a line may end, but need not."""
_COMMON = "…“”‘’–—"
"""Signs that are drawn in the font of the letters beside them."""


class _Widths(dict[str, float]):
    """Widths of characters, measured when each first appears."""

    def __init__(self, font: QFont) -> None:
        super().__init__()
        self._metrics = QFontMetricsF(font)

    def __missing__(self, character: str) -> float:
        self[character] = width = self._metrics.horizontalAdvance(character)
        return width


class _Heights(dict[str, int]):
    """Line heights by character; fonts of other scripts may be higher."""

    def __init__(self, font: QFont) -> None:
        super().__init__()
        self._font = font

    def __missing__(self, character: str) -> int:
        layout = QTextLayout(character, self._font)
        layout.beginLayout()
        line = layout.createLine()
        layout.endLayout()
        self[character] = height = round(line.height()) if line.isValid() else 0
        return height


class Ruler:
    """Estimates lines and heights of texts, mostly without laying them out.

    To break a thousand texts into lines holds the window up; to add the widths of their characters does not. They are
    added twice: as loosely as letters may be set and with few places to break at, and as closely and with more of them.
    Only a text that fills one line more in the one way than in the other is laid out.

    Args:
        font: What the texts are drawn in.
    """

    def __init__(self, font: QFont) -> None:
        self._font = font
        self._widths = _Widths(font)
        self._heights = _Heights(font)
        self._height = QFontMetrics(font).height()

    def lines(self, text: str, width: int) -> int:
        """Return how many lines ``text`` fills, ``LINES`` at most."""
        ends = list(accumulate(map(self._widths.__getitem__, text)))
        most = _lines(text, ends, width * (1 - _KERNED), "")
        least = _lines(text, ends, width * (1 + _KERNED), _BREAKS)
        if least == most:
            return most
        layout = _bare_layout(text, self._font)
        return _break(layout, width, 0, LINES)

    def pitch(self, text: str) -> int:
        """Return how far the lines of ``text`` are apart."""
        if text.strip(_COMMON).isascii():
            return self._height + GAP
        return max(self._height, *map(self._heights.__getitem__, set(text))) + GAP


def _lines(text: str, ends: Sequence[float], room: float, breaks: str) -> int:
    """Return how many lines a text fills, ``LINES`` at most.

    Args:
        text: The text.
        ends: Where each of its characters ends, were it all in one line.
        room: How wide lines are.
        breaks: Signs beside the blank after which a line may end.
    """
    start, begun = 0, 0.0
    for count in range(1, LINES):
        stop = bisect_right(ends, begun + room, start)
        if stop >= len(text):
            return count
        start = _line_end(text, start, stop, breaks)
        begun = ends[start - 1]
    return LINES if start < len(text) else LINES - 1


def _line_end(text: str, start: int, stop: int, breaks: str) -> int:
    """Return where the next line begins.

    The line begins at ``start``; its characters before ``stop`` fit into it.
    """
    if text[stop] >= _WIDE or text[stop - 1] >= _WIDE:
        return max(stop, start + 1)
    # A blank at the end of a line takes no room.
    last = text.rfind(" ", start, stop + 1)
    for sign in breaks:
        last = max(last, text.rfind(sign, start, stop))
    return last + 1 or max(stop, start + 1)


@lru_cache(maxsize=4)
def _ruler(points: float) -> Ruler:
    del points  # the key: the theme's font has one size at a time
    return Ruler(theme.current().font("body"))


@lru_cache(maxsize=8192)
def _shape(snippet: str, width: int, points: float) -> tuple[int, int]:
    """Return how many lines a snippet fills, and how far they are apart."""
    ruler, text = _ruler(points), without_signs(snippet)
    return ruler.lines(text, width), ruler.pitch(text)


def height(snippet: str, width: int) -> int:
    """Return how high a snippet is that is ``width`` pixels wide."""
    lines, pitch = _shape(snippet, width, theme.current().points)
    return lines * pitch - GAP


def laid_out(snippet: str, highlights: tuple[Span, ...], width: int) -> QTextLayout:
    """Return the layout of a snippet with its highlights marked.

    It has as many lines as ``height`` has room for.
    """
    return _layout(snippet, highlights, width, theme.current().points)


def forget() -> None:
    """Measure and mark anew: fonts or colours are others."""
    for cache in (_ruler, _shape, _layout):
        cache.cache_clear()


@lru_cache(maxsize=512)
def _layout(snippet: str, highlights: tuple[Span, ...], width: int, points: float) -> QTextLayout:
    look = theme.current()
    lines, pitch = _shape(snippet, width, points)
    text, highlights = plain_snippet(snippet, highlights)
    layout = _bare_layout(text, look.font("body"))
    form = QTextCharFormat()
    form.setBackground(look.colour("mark"))
    form.setForeground(look.colour("on_mark"))
    layout.setFormats(_marks(text, highlights, form))
    if _break(layout, width, pitch, lines + 1) > lines:
        # Qt's layout leaves out what does not fit without a sign of it.
        cut = layout.lineAt(lines - 1).textStart()
        rest = text.encode("utf-16-le")[2 * cut :].decode("utf-16-le", "ignore")
        room = QFontMetrics(layout.font()).elidedText(rest, Qt.TextElideMode.ElideRight, width - 1)
        layout.setText(text[: len(text) - len(rest)] + room)
        layout.setFormats(_marks(layout.text(), highlights, form))
        _break(layout, width, pitch, lines)
    return layout


def _bare_layout(text: str, font: QFont) -> QTextLayout:
    layout = QTextLayout(text, font)
    option = QTextOption()
    option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    layout.setTextOption(option)
    return layout


def _marks(text: str, highlights: Iterable[Span], form: QTextCharFormat) -> list[QTextLayout.FormatRange]:
    """Return the places of the asked words as Qt counts them."""
    units: Sequence[int] = range(len(text) + 1) if max(text, default="") <= "\uffff" else _unit_places(text)
    ranges = []
    for span in highlights:
        mark = QTextLayout.FormatRange()
        mark.start = units[min(span.start, len(text))]
        mark.length = units[min(span.end, len(text))] - mark.start
        mark.format = form
        ranges.append(mark)
    return ranges


def _break(layout: QTextLayout, width: int, pitch: int, most: int) -> int:
    """Break a text into ``most`` lines at most, ``pitch`` apart; return how many there are."""
    count = 0
    layout.beginLayout()
    while count < most and (line := layout.createLine()).isValid():
        line.setLineWidth(width)
        line.setPosition(QPointF(0, count * pitch))
        count += 1
    layout.endLayout()
    return count


def _unit_places(text: str) -> list[int]:
    """Return where each code point begins in UTF-16, in which Qt counts."""
    places, at = [], 0
    for sign in text:
        places.append(at)
        at += 2 if ord(sign) > 0xFFFF else 1  # noqa: PLR2004  (beyond it UTF-16 takes two units)
    places.append(at)
    return places
