"""Context rendering: items as one fenced text within a token budget. Pure functions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from app.context.model import SECTIONS, Context, ContextItem, ContextSection, LeftOut, SectionName
from app.core.text_rules.recall_fence import (
    CLOSE,
    HEADINGS,
    MARK,
    OPEN,
    PREAMBLE,
    entry,
    fence_text,
    neutralise,
    single_line,
)
from app.core.text_rules.token_estimate import CHARS_PER_TOKEN, estimate_served_tokens
from app.index.chunking import is_boundary

MAX_LEFT_OUT: Final = 100
_FRAME: Final = f"{OPEN.format(mark=MARK + '0' * 16)}\n{PREAMBLE}\n{CLOSE}\n"
_LEAST_CUT: Final = 24  # tokens: a shorter text is not useful
_SEARCHED: Final[frozenset[SectionName]] = frozenset({"facts", "turns"})
_WITH_TEXT: Final = _SEARCHED | {"recent", "salient"}  # sections that show texts, not only titles


@dataclass(frozen=True, slots=True)
class _Entry:
    """Item with its rendered lines and their tokens."""

    item: ContextItem
    lines: str
    tokens: int


@dataclass(frozen=True, slots=True)
class _RenderedSection:
    """Rendered section with the items that did not fit."""

    lines: tuple[str, ...]
    items: tuple[ContextItem, ...]
    tokens: int
    left: tuple[LeftOut, ...]


def assemble(
    parts: Mapping[SectionName, Sequence[ContextItem]], budgets: Mapping[SectionName, int], max_tokens: int
) -> Context:
    """Return the context of the items of each section.

    An item appears in the first section that has it. Where the whole does not fit, sections shrink in proportion to
    their budgets, and unused tokens go to the other sections. The index gets what the others leave.

    Args:
        parts: Items by section, the most important first; ``recent`` is rendered in order of time.
        budgets: Tokens of each section at most.
        max_tokens: Tokens of the whole.
    """
    distinct = {name: list(map(_entry, items)) for name, items in deduplicate(parts).items()}
    wanted = {name: min(budgets[name], _size(name, entries)) for name, entries in distinct.items()}
    frame = estimate_served_tokens(_FRAME)
    index = wanted.pop("index", 0)
    shares = allot(wanted, budgets, max_tokens - frame)
    # Titles of what is new must not take room from what answers the prompt.
    shares["index"] = min(index, max(max_tokens - frame - sum(shares.values()), 0))
    rendered = {name: _render_section(name, entries, shares[name]) for name, entries in distinct.items()}
    sections = tuple(
        ContextSection(name, HEADINGS[name], part.items, part.tokens, budgets[name])
        for name, part in rendered.items()
        if part.items
    )
    left_out = tuple(item for part in rendered.values() for item in part.left)
    if not sections:
        return Context("", "", 0, max_tokens, (), left_out[:MAX_LEFT_OUT], len(left_out))
    blocks = ["\n".join(["", f"## {HEADINGS[name]}", *part.lines]) for name, part in rendered.items() if part.items]
    text, mark = fence_text("\n".join([PREAMBLE, *blocks]))
    return Context(
        text, mark, estimate_served_tokens(text), max_tokens, sections, left_out[:MAX_LEFT_OUT], len(left_out)
    )


def deduplicate(parts: Mapping[SectionName, Sequence[ContextItem]]) -> dict[SectionName, list[ContextItem]]:
    """Return the items of each section in the order of ``SECTIONS``, each id once.

    Search results are also left out where an earlier item has the same text, and facts that a message among them says
    word for word.
    """
    seen, seen_texts = set[str](), set[str]()
    turns = [single_line(item.text).casefold() for item in parts.get("turns", ())]
    distinct: dict[SectionName, list[ContextItem]] = {}
    for name in SECTIONS:
        unique = []
        for item in parts.get(name, ()):
            words = single_line(item.text).casefold()
            if item.id in seen or (name in _SEARCHED and words in seen_texts):
                continue
            if name == "facts" and item.kind == "fact" and any(words in turn for turn in turns):
                continue
            seen.add(item.id)
            if words and name in _WITH_TEXT:
                seen_texts.add(words)
            unique.append(item)
        if unique:
            distinct[name] = unique
    return distinct


def with_scores(items: Sequence[ContextItem]) -> list[ContextItem]:
    """Return each item once, preferring its line that has a score."""
    best: dict[str, ContextItem] = {}
    for item in items:
        if item.id not in best or best[item.id].score is None:
            best[item.id] = item
    return list(best.values())


def allot(wanted: Mapping[SectionName, int], weights: Mapping[SectionName, int], total: int) -> dict[SectionName, int]:
    """Share ``total`` tokens among sections by weight; no section gets more than it wants."""
    sizes = dict.fromkeys(wanted, 0)
    open_to, remaining = dict(wanted), max(total, 0)
    while open_to and remaining > 0:
        weight = sum(max(weights[name], 1) for name in open_to)
        shares = {name: remaining * max(weights[name], 1) // weight for name in open_to}
        content = [name for name in open_to if open_to[name] <= shares[name]]
        if not content:
            sizes |= shares
            break
        for name in content:
            sizes[name] = open_to.pop(name)
            remaining -= sizes[name]
    return sizes


def render_item(item: ContextItem) -> str:
    """Return the rendered lines of an item."""
    return entry(item.id, item.about, item.text, whole_lines=item.whole_lines)


def _entry(item: ContextItem) -> _Entry:
    lines = render_item(item)
    return _Entry(item, lines, _tokens(lines))


def _size(name: SectionName, entries: Sequence[_Entry]) -> int:
    return _heading_size(name) + sum(entry.tokens for entry in entries)


def _heading_size(name: SectionName) -> int:
    return _tokens(f"\n## {HEADINGS[name]}")


def _tokens(lines: str) -> int:
    return estimate_served_tokens(f"{lines}\n")


def _render_section(name: SectionName, entries: Sequence[_Entry], budget: int) -> _RenderedSection:
    """Return a section with the items that fit, the last one cut."""
    room = budget - _heading_size(name)
    pieces: list[_Entry] = []
    left_out: list[LeftOut] = []
    for piece in entries:
        if left_out:
            left_out.append(LeftOut(piece.item.id, name, piece.tokens))
        elif piece.tokens <= room:
            pieces.append(piece)
            room -= piece.tokens
        else:
            shorter = _cut(piece.item, room)
            pieces += [] if shorter is None else [shorter]
            left_out.append(LeftOut(piece.item.id, name, piece.tokens - (0 if shorter is None else shorter.tokens)))
    if name == "recent":
        pieces.reverse()
    tokens = _heading_size(name) + sum(rendered.tokens for rendered in pieces) if pieces else 0
    items = tuple(replace(rendered.item, tokens=rendered.tokens) for rendered in pieces)
    return _RenderedSection(tuple(rendered.lines for rendered in pieces), items, tokens, tuple(left_out))


def _cut(item: ContextItem, room: int) -> _Entry | None:
    """Return ``item`` cut to ``room`` tokens, ``None`` where too little would be left."""
    spare = room - _tokens(render_item(replace(item, text="")))
    text = neutralise(item.text).strip()
    while spare >= _LEAST_CUT and text:
        length = min(spare * CHARS_PER_TOKEN, len(text) * 3 // 4)
        shorter = _entry(replace(item, text=shorten(text, length), is_cut=True))
        if shorter.tokens <= room:
            return shorter
        text = text[:length]
    return None


def shorten(text: str, length: int) -> str:
    """Return ``text`` cut at a word after about ``length`` characters, with an ellipsis."""
    if len(text) <= length:
        return text
    end = next((at for at in range(length, length // 2, -1) if text[at].isspace()), 0)
    end = end or next((at for at in range(length, 0, -1) if is_boundary(text, at)), length)
    return f"{text[:end].rstrip()}…"
