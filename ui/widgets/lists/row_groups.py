"""Groups of rows of one height, each below a heading: where rows begin, by arithmetic."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence


class RowGroups:
    """Groups of a list; without any, its rows follow each other.

    Args:
        groups: The heading and the number of rows of each, in order; groups without rows are left out.
    """

    def __init__(self, groups: Sequence[tuple[str, int]] = ()) -> None:
        self._starts: list[int] = []
        self._titles: dict[int, str] = {}
        row = 0
        for title, count in groups:
            if count > 0:
                self._starts.append(row)
                self._titles[row] = title
                row += count

    def __bool__(self) -> bool:
        """Return whether there are headings."""
        return bool(self._starts)

    def __eq__(self, other: object) -> bool:
        """Return whether headings and places are the same."""
        return isinstance(other, RowGroups) and other._titles == self._titles

    __hash__ = None  # type: ignore[assignment]

    def title_of(self, row: int) -> str:
        """Return the heading above a row, ``""`` where there is none."""
        return self._titles.get(row, "")

    def top_of(self, row: int, height: int, heading: int) -> int:
        """Return where a row begins, with the heading above it, in pixels from the first.

        Args:
            row: The row; the one after the last gives the height of all.
            height: Height of a row.
            heading: Height of a heading.
        """
        return row * height + bisect_left(self._starts, row) * heading

    def row_at(self, place: int, height: int, heading: int) -> int:
        """Return the row at ``place`` pixels; a heading counts to the row below it.

        Outside of all rows the result is out of range.
        """
        group = bisect_right(self._starts, place, key=lambda start: self.top_of(start, height, heading)) - 1
        if group < 0:
            return place // height
        start = self._starts[group]
        return start + max(0, place - self.top_of(start, height, heading) - heading) // height
