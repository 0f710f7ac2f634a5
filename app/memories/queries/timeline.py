"""Timeline of memories and messages around an item or a moment.

It is in the order of time, and an index to fetch details by.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Literal, cast

import apsw

from app.core import message_ids
from app.core.clock import to_datetime, to_ms
from app.core.stores import sees_all
from app.core.text import excerpt
from app.core.text_rules.project_conditions import in_project, is_project
from app.core.text_rules.project_name import project_sql
from app.core.text_rules.spellings import wanted_names
from app.core.text_rules.token_estimate import estimate_tokens
from app.errors import NotFoundError
from app.memories.model import KINDS, Kind
from app.memories.repo import store_condition
from app.memories.said_time import IS_SAID, SAID_MS
from app.sentence import Sentence

TimelineKind = Literal["message", "note", "fact", "observation", "reflection", "digest"]

MAX_ITEMS: Final = 1_000  # on either side
_TEXT = 160
_SHORT = 4 * _TEXT  # characters read to make a line of
_WHEN = "coalesce(m.event_time, m.created_at)"
_IS_SAID = f"m.event_time IS NULL AND {IS_SAID}"
_AT = f"CASE WHEN {_IS_SAID} THEN {SAID_MS} ELSE {_WHEN} END"


@dataclass(frozen=True, slots=True)
class TimelineFilter:
    """Filter for timeline items; empty fields do not filter.

    Args:
        kinds: ``message`` and kinds of memories.
        session: Only messages of this conversation, and what is remembered of it.
        project: Only what belongs to the project of this name, or of this end of a name.
    """

    kinds: tuple[TimelineKind, ...] = ()
    session: str = ""
    project: str = ""


@dataclass(frozen=True, slots=True)
class TimelineItem:
    """One line of a timeline.

    Args:
        id: ``session#seq`` of a message, else the memory's id.
        at: When it was said or happened, or the memory was made.
        tokens: What the whole of it takes.
        is_anchor: Whether it is the item asked about.
    """

    id: str
    kind: TimelineKind
    title: str
    text: str
    at: datetime
    store: str
    tokens: int
    session_id: str | None = None
    role: str = ""
    is_anchor: bool = False


@dataclass(frozen=True, slots=True)
class Timeline:
    """Timeline items around a moment, oldest first.

    ``earlier`` and ``later`` say whether there are more on either side.
    """

    at: datetime
    items: tuple[TimelineItem, ...]
    earlier: bool = False
    later: bool = False


Place = tuple[int, str, int]  # a moment in milliseconds; within it a memory's id, or a conversation and a number


def around(
    connection: apsw.Connection,
    anchor: str | datetime,
    before: int,
    after: int,
    chosen: TimelineFilter,
    stores: Sequence[str],
) -> Timeline:
    """Return the timeline items before and after ``anchor``, and the anchor itself.

    Args:
        connection: A reader.
        anchor: The id of a memory or message, or a moment.
        before: How many before it, at most ``MAX_ITEMS``.
        after: How many after it.
        chosen: Which items; the anchor is there whether or not it is one of them.
        stores: What the caller may see; messages only where these are all.

    Raises:
        NotFoundError: There is no such memory or message that the caller may see.
    """
    middle = [] if isinstance(anchor, datetime) else [_anchor(connection, anchor, stores)]
    place = _place(middle[0]) if middle else (to_ms(cast("datetime", anchor)), "", 0)
    reads = _Side(connection, chosen, stores)
    earlier = reads.items(place, min(before, MAX_ITEMS) + 1, forward=False)
    later = reads.items(place, min(after, MAX_ITEMS) + 1, forward=True)
    earlier_items = earlier[: min(before, MAX_ITEMS)]
    items = (*reversed(earlier_items), *middle, *later[: min(after, MAX_ITEMS)])
    return Timeline(to_datetime(place[0]), items, len(earlier) > len(earlier_items), len(later) > min(after, MAX_ITEMS))


class _Side:
    """Reads items on one side of a place."""

    def __init__(self, connection: apsw.Connection, chosen: TimelineFilter, stores: Sequence[str]) -> None:
        self._connection = connection
        self._chosen = chosen
        self._stores = stores

    def items(self, place: Place, limit: int, *, forward: bool) -> list[TimelineItem]:
        """Return the nearest items, the nearest first."""
        wanted = self._chosen.kinds or ("message", *KINDS)
        items: list[TimelineItem] = []
        if any(kind != "message" for kind in wanted):
            items += self._memories(place, limit, wanted, forward)
        if "message" in wanted and sees_all(self._stores):
            items += self._messages(place, limit, forward)
        items.sort(key=_place, reverse=not forward)
        return items[:limit]

    def _memories(self, place: Place, limit: int, kinds: Sequence[str], forward: bool) -> list[TimelineItem]:
        # No index has the times when facts were said, so these are looked through.
        parts = ((_WHEN, f"NOT ({_IS_SAID})"), (SAID_MS, _IS_SAID))
        return [item for when in parts for item in self._memories_by(when, place, limit, kinds, forward)]

    def _memories_by(
        self, when: tuple[str, str], place: Place, limit: int, kinds: Sequence[str], forward: bool
    ) -> list[TimelineItem]:
        """Return the memories whose time is an expression, under a condition."""
        at, condition = when
        beyond = ">" if forward else "<"
        # Said twice, for only the first finds the place in the index.
        where = [condition, f"{at} {beyond}= ?", f"({at}, m.id, 0) {beyond} (?, ?, ?)"]
        values: list[Any] = [place[0], *place]
        chosen = [kind for kind in KINDS if kind in kinds]
        if len(chosen) < len(KINDS):
            where.append(f"m.kind IN ({', '.join(map(repr, chosen))})")
        if self._chosen.session:
            where.append("m.session_id = ?")
            values.append(self._chosen.session)
        if self._chosen.project:
            is_of = in_project("m", self._stores)
            where.append(is_of)
            values += [wanted_names(self._chosen.project)] * is_of.count("?")
        order = "" if forward else " DESC"
        rows = self._connection.execute(
            f"{_MEMORY} WHERE m.valid_until IS NULL AND {store_condition(self._stores)} AND {' AND '.join(where)}"
            f" ORDER BY {at}{order}, m.id{order} LIMIT ?",
            (*values, limit),
        )
        return [_memory(row, self._stores) for row in rows]

    def _messages(self, place: Place, limit: int, forward: bool) -> list[TimelineItem]:
        """Return the messages on one side of ``place``, those of a conversation in its order."""
        narrowed, values = "", list[Any]()
        if self._chosen.session:
            narrowed, values = "AND t.session_id = ?", [self._chosen.session]
        if self._chosen.project:
            is_of = f"{project_sql('s')} IS NOT NULL AND {is_project(project_sql('s'), self._stores)}"
            narrowed += f" AND t.session_id IN (SELECT s.id FROM sessions s WHERE {is_of})"
            values += [wanted_names(self._chosen.project)] * is_of.count("?")
        beyond, order = (">", "") if forward else ("<", " DESC")
        rows = self._connection.execute(
            f"{_MESSAGES} WHERE t.created_at {beyond}= ?"
            f" AND (t.created_at, t.session_id, t.seq) {beyond} (?, ?, ?) {narrowed}"
            f" ORDER BY t.created_at{order}, t.session_id{order}, t.seq{order} LIMIT ?",
            (place[0], *place, *values, limit),
        )
        return [_message(row) for row in rows]


_MEMORY = (
    f"SELECT m.id, m.kind, m.title, substr(m.content, 1, {_SHORT}), m.facts, {_AT}, m.store, m.tokens, m.session_id"
    " FROM memories m"
)
_MESSAGES = (
    f"SELECT t.session_id || '#' || t.seq, s.title, substr(t.content, 1, {_SHORT}), t.created_at, t.tokens,"
    " t.session_id, t.role FROM messages t CROSS JOIN sessions s ON s.id = t.session_id AND s.forgotten_at IS NULL"
)


def _place(item: TimelineItem) -> Place:
    ref = message_ids.parse(item.id) if item.kind == "message" else None
    return (to_ms(item.at), item.id, 0) if ref is None else (to_ms(item.at), ref.session, ref.seq)


def _anchor(connection: apsw.Connection, anchor: str, stores: Sequence[str]) -> TimelineItem:
    sql = f"{_MEMORY} WHERE m.id = ? AND m.valid_until IS NULL AND {store_condition(stores)}"
    row = connection.execute(sql, (anchor,)).fetchone()
    if row is not None:
        return _memory(row, stores, is_anchor=True)
    ref = message_ids.parse(anchor) if sees_all(stores) else None
    if ref is not None:
        row = connection.execute(f"{_MESSAGES} WHERE t.session_id = ? AND t.seq = ?", (ref.session, ref.seq)).fetchone()
        if row is not None:
            return _message(row, is_anchor=True)
    raise NotFoundError(Sentence("There is no memory or message with the id {anchor}.", anchor=anchor), id=anchor)


def _memory(row: Sequence[Any], stores: Sequence[str], *, is_anchor: bool = False) -> TimelineItem:
    memory_id, kind, title, content, facts, at, store, tokens, session = row
    text = content if content.strip() else facts.strip("[]")
    return TimelineItem(
        id=memory_id,
        kind=cast("Kind", kind),
        title=title,
        text=excerpt(text, _TEXT),
        at=to_datetime(at),
        store=store,
        tokens=tokens or estimate_tokens(facts),
        session_id=session if "private" in stores else None,
        is_anchor=is_anchor,
    )


def _message(row: Sequence[Any], *, is_anchor: bool = False) -> TimelineItem:
    name, title, content, at, tokens, session, role = row
    return TimelineItem(
        id=name,
        kind="message",
        title=title,
        text=excerpt(content, _TEXT),
        at=to_datetime(at),
        store="private",
        tokens=tokens,
        session_id=session,
        role=role,
        is_anchor=is_anchor,
    )
