"""Three-way merge of texts by lines (diff3), over ``difflib``.

Libraries were tried: ``merge3`` is GPL, and ``diff-match-patch`` patches by resemblance and may put a text in a wrong
place. No conflict marker is ever written: where both sides changed the same lines, the later side's stand in the text,
and the earlier side's whole text is kept.
"""

import difflib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

_MOST_COMPARED: Final = 2_000
"""Lines that are compared one by one; a longer part that differs is one change."""


@dataclass(frozen=True, slots=True)
class MergedText:
    """Text with the changes of two sides.

    Args:
        text: All that both sides changed, without what overlaps in the earlier side.
        kept: The earlier side's whole text where the sides overlap, ``None`` where they do not.
    """

    text: str
    kept: str | None = None


@dataclass(frozen=True, slots=True)
class _Hunk:
    """Lines ``start`` to ``stop`` of the base, replaced by one side."""

    start: int
    stop: int
    is_later: bool
    lines: tuple[str, ...]

    @property
    def is_insertion(self) -> bool:
        return self.start == self.stop


def merge_lines(base: str, earlier: str, later: str) -> MergedText:
    """Return a text with the changes that two sides made to a base.

    Lines that both sides insert at one place stand one after the other, the earlier side's first.

    Args:
        base: What both sides began with.
        earlier: What the canonically earlier side made of it.
        later: What the other side made of it.
    """
    if later in (earlier, base):
        return MergedText(earlier)
    if earlier == base:
        return MergedText(later)
    lines = base.split("\n")
    hunks = [*_hunks(lines, earlier.split("\n"), is_later=False), *_hunks(lines, later.split("\n"), is_later=True)]
    hunks.sort(key=lambda hunk: (hunk.start, hunk.stop, hunk.is_later))
    merged: list[str] = []
    done, is_overlap = 0, False
    for group in _groups(hunks):
        start, stop = group[0].start, max(hunk.stop for hunk in group)
        merged += lines[done:start]
        first, second = (_side(lines, start, stop, group, is_later=is_later) for is_later in (False, True))
        if first is None or first == second:
            merged += second or []
        elif second is None:
            merged += first
        elif group[0].is_insertion:
            merged += _both(first, second)
        else:
            merged += second
            is_overlap = True
        done = stop
    merged += lines[done:]
    return MergedText("\n".join(merged), earlier if is_overlap else None)


def _hunks(base: list[str], side: list[str], *, is_later: bool) -> Iterator[_Hunk]:
    """Yield the changes from a base to a side, in order."""
    start = _common(base, side)
    end = _common(base[start:][::-1], side[start:][::-1])
    old, new = base[start : len(base) - end], side[start : len(side) - end]
    if max(len(old), len(new)) > _MOST_COMPARED:
        yield _Hunk(start, start + len(old), is_later, tuple(new))
        return
    for what, a, b, c, d in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if what != "equal":
            yield _Hunk(start + a, start + b, is_later, tuple(new[c:d]))


def _groups(hunks: Sequence[_Hunk]) -> Iterator[list[_Hunk]]:
    """Yield sorted changes in groups, each of those that reach into one another."""
    group: list[_Hunk] = []
    stop = 0
    for hunk in hunks:
        is_same_place = bool(group) and hunk.is_insertion and group[-1].is_insertion and hunk.start == stop
        if group and not (hunk.start < stop or is_same_place):
            yield group
            group = []
        group.append(hunk)
        stop = hunk.stop if len(group) == 1 else max(stop, hunk.stop)
    if group:
        yield group


def _side(base: Sequence[str], start: int, stop: int, group: Sequence[_Hunk], *, is_later: bool) -> list[str] | None:
    """Return a side of some lines of the base, ``None`` where it is the base's."""
    own = [hunk for hunk in group if hunk.is_later is is_later]
    if not own:
        return None
    lines: list[str] = []
    done = start
    for hunk in own:
        lines += (*base[done : hunk.start], *hunk.lines)
        done = hunk.stop
    return [*lines, *base[done:stop]]


def _both(first: Sequence[str], second: Sequence[str]) -> list[str]:
    """Return two insertions at one place, common first and last lines once."""
    start = _common(first, second)
    end = _common(first[start:][::-1], second[start:][::-1])
    return [*first[: len(first) - end], *second[start:]]


def _common(first: Sequence[str], second: Sequence[str]) -> int:
    """Return how many items two sequences have in common at their beginnings."""
    return next(
        (i for i, (a, b) in enumerate(zip(first, second, strict=False)) if a != b), min(len(first), len(second))
    )
