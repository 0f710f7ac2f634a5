"""Tables that fit a terminal, and lines with tabs for other programs.

``rich`` could write them; loading it takes longer than the call whose answer is shown.
"""

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from app.cli import terminal

Cells = Sequence[str]

_GAP: Final = "  "
_SHORT: Final = 16  # a column as narrow as a time is left whole, or left out
_ELLIPSIS: Final = "…"
_TELLING: Final = ("title", "name", "content", "text", "value")  # without these a row of ids says nothing


@dataclass(frozen=True, slots=True)
class Screen:
    """Screen or pipe that an answer goes to.

    Args:
        width: Columns of the terminal, 0 for a pipe.
        styled: Whether it shows bold.
    """

    width: int = 0
    styled: bool = False

    @property
    def is_terminal(self) -> bool:
        """Return whether a person reads it."""
        return self.width > 0


def table_lines(names: Cells, rows: Sequence[Cells], screen: Screen) -> list[str]:
    """Return a table that fits the terminal, or lines with tabs for a pipe."""
    flat = [[terminal.one_line(cell) for cell in row] for row in rows]
    if not screen.is_terminal:
        return ["\t".join(row) for row in flat]
    columns = [[name, *column] for name, column in zip(names, _columns(flat, len(names)), strict=True)]
    telling = next((names.index(name) for name in _TELLING if name in names), 0)
    widths = fitted(columns, screen, telling)
    head = terminal.bold(_line([name.upper() for name in names], widths), styled=screen.styled)
    return [head, *(_line(row, widths) for row in flat)]


def fitted(columns: Sequence[Cells], screen: Screen, kept: int = 0) -> list[int]:
    """Return the widths of the columns, 0 for one that is left out.

    The widest are cut first, and the last left out where even that is too wide; ``kept`` goes after all others. The
    first one holds the id and is never cut.
    """
    wanted = [max(map(cell_width, column), default=0) for column in columns]
    widths = wanted.copy()
    while shown := [at for at in range(1, len(widths)) if widths[at]]:
        over = sum(widths) + len(_GAP) * len(shown) - screen.width
        longest = [at for at in range(1, len(widths)) if widths[at] > _SHORT]
        if over <= 0:
            break
        if longest:
            widest = max(longest, key=lambda at: widths[at])
            second = sorted(widths[at] for at in longest)[-2] if len(longest) > 1 else _SHORT
            widths[widest] = max(_SHORT, widths[widest] - over, min(second, widths[widest] - 1))
        else:
            wanted[max(shown, key=lambda at: (at != kept, at))] = 0
            widths = wanted.copy()  # the others have its room
    return widths


def cell_width(text: str) -> int:
    """Return how many columns of a terminal a text takes."""
    if text.isascii():
        return len(text)
    return sum(map(_char_width, text))


def cut(text: str, width: int) -> str:
    """Return a text cut to a width, with an ellipsis where something was cut."""
    if cell_width(text) <= width:
        return text
    taken, kept = 0, []
    for char in text:
        taken += _char_width(char)
        if taken > width - 1:
            break
        kept.append(char)
    return "".join(kept) + _ELLIPSIS


def _char_width(char: str) -> int:
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def _line(row: Cells, widths: Sequence[int]) -> str:
    shown = [(cut(cell, width), width) for cell, width in zip(row, widths, strict=True) if width]
    padded = [text + " " * (width - cell_width(text)) for text, width in shown]
    return _GAP.join(padded).rstrip()


def _columns(rows: Sequence[Cells], count: int) -> Iterable[list[str]]:
    return ([row[at] for row in rows] for at in range(count))
