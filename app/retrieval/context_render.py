"""From the items of each section to one fenced text within a budget. Pure functions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from app.core.recalled import CLOSE, HEADINGS, MARK, OPEN, PREAMBLE, entry, fenced, harmless
from app.core.tokens import CHARS_PER_TOKEN, estimate_tokens
from app.retrieval.context_model import SECTIONS, Context, ContextItem, ContextSection, LeftOut, SectionName

MAX_LEFT_OUT: Final = 100
_FRAME: Final = f"{OPEN.format(mark=MARK + '0' * 16)}\n{PREAMBLE}\n{CLOSE}\n"
_LEAST_CUT: Final = 24  # tokens: less of a text says nothing


@dataclass(frozen=True, slots=True)
class _Told:
    """What of a section is told, in its order, and what is not."""

    lines: tuple[str, ...]
    items: tuple[ContextItem, ...]
    tokens: int
    left: tuple[LeftOut, ...]


def assembled(
    parts: Mapping[SectionName, Sequence[ContextItem]], budgets: Mapping[SectionName, int], max_tokens: int
) -> Context:
    """Return the context of what each part found.

    An item stands in the first section that has it. Where the whole does not fit, each section gives way in proportion
    to its own budget, and what one does not need goes to the others.

    Args:
        parts: Items by section, the ones to keep first first; ``recent`` is told in order of time.
        budgets: Tokens of each section at most.
        max_tokens: Tokens of the whole.
    """
    distinct = deduplicated(parts)
    wanted = {name: min(budgets[name], _size(name, items)) for name, items in distinct.items()}
    frame = estimate_tokens(_FRAME)
    given = allotted(wanted, budgets, max_tokens - frame)
    told = {name: _told(name, items, given[name]) for name, items in distinct.items()}
    sections = tuple(
        ContextSection(name, HEADINGS[name], part.items, part.tokens, budgets[name])
        for name, part in told.items()
        if part.items
    )
    left = tuple(item for part in told.values() for item in part.left)
    if not sections:
        return Context("", "", 0, max_tokens, (), left[:MAX_LEFT_OUT], len(left))
    blocks = ["\n".join(["", f"## {HEADINGS[name]}", *part.lines]) for name, part in told.items() if part.items]
    text, mark = fenced("\n".join([PREAMBLE, *blocks]))
    return Context(text, mark, estimate_tokens(text), max_tokens, sections, left[:MAX_LEFT_OUT], len(left))


def deduplicated(parts: Mapping[SectionName, Sequence[ContextItem]]) -> dict[SectionName, list[ContextItem]]:
    """Return the items of each section, in the order of ``SECTIONS``, each id once."""
    seen: set[str] = set()
    distinct: dict[SectionName, list[ContextItem]] = {}
    for name in SECTIONS:
        kept = []
        for item in parts.get(name, ()):
            if item.id not in seen:
                seen.add(item.id)
                kept.append(item)
        if kept:
            distinct[name] = kept
    return distinct


def allotted(
    wanted: Mapping[SectionName, int], weights: Mapping[SectionName, int], total: int
) -> dict[SectionName, int]:
    """Share ``total`` among sections by weight; none gets more than it wants, and what it leaves goes to the rest."""
    given = dict.fromkeys(wanted, 0)
    open_to, left = dict(wanted), max(total, 0)
    while open_to and left > 0:
        weight = sum(max(weights[name], 1) for name in open_to)
        shares = {name: left * max(weights[name], 1) // weight for name in open_to}
        content = [name for name in open_to if open_to[name] <= shares[name]]
        if not content:
            given |= shares
            break
        for name in content:
            given[name] = open_to.pop(name)
            left -= given[name]
    return given


def rendered(item: ContextItem) -> str:
    """Return the lines of an item."""
    return entry(item.id, item.about, item.text, whole_lines=item.whole_lines)


def _size(name: SectionName, items: Sequence[ContextItem]) -> int:
    return _heading_size(name) + sum(_tokens(rendered(item)) for item in items)


def _heading_size(name: SectionName) -> int:
    return _tokens(f"\n## {HEADINGS[name]}")


def _tokens(lines: str) -> int:
    return estimate_tokens(f"{lines}\n")


def _told(name: SectionName, items: Sequence[ContextItem], budget: int) -> _Told:
    """Return what of ``items`` fits: each whole, the first that does not cut short, the rest not at all."""
    room = budget - _heading_size(name)
    kept: list[tuple[ContextItem, str]] = []
    left: list[LeftOut] = []
    spent = 0
    for item in items:
        lines = rendered(item)
        cost = _tokens(lines)
        if cost <= room - spent and not left:
            kept.append((replace(item, tokens=cost), lines))
        elif not left and (shorter := _cut(item, room - spent)) is not None:
            lines = rendered(shorter)
            cost = _tokens(lines)
            kept.append((replace(shorter, tokens=cost), lines))
            left.append(LeftOut(item.id, name, _tokens(rendered(item)) - cost))
        else:
            left.append(LeftOut(item.id, name, cost))
            continue
        spent += cost
    if name == "recent":
        kept.reverse()
    tokens = spent + _heading_size(name) if kept else 0
    return _Told(tuple(lines for _, lines in kept), tuple(item for item, _ in kept), tokens, tuple(left))


def _cut(item: ContextItem, room: int) -> ContextItem | None:
    """Return ``item`` with as much of its text as fits into ``room`` tokens, ``None`` where that is next to nothing."""
    spare = room - _tokens(rendered(replace(item, text="")))
    text = harmless(item.text).strip()
    while spare >= _LEAST_CUT and text:
        text = text[: min(spare * CHARS_PER_TOKEN, len(text) * 3 // 4)].rstrip()
        shorter = replace(item, text=f"{text}…", is_cut=True)
        if _tokens(rendered(shorter)) <= room:
            return shorter
    return None
