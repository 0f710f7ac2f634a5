"""Changes of a run, item by item, as a person reads them."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, Final

import apsw

from app.core.text import excerpt, storable
from app.errors import InputError
from app.history import undo_chain
from app.history.model import ChangedItem, RunChanges, RunReport
from app.store.store import Store

_TITLE = 120
_ACTIONS: Final = {
    "ADD": "add",
    "UPDATE": "change",
    "DELETE": "set aside",
    "RESTORE": "restore",
    "FORGET": "delete",
    "RENAME": "rename",
    "COMPRESS": "compress",
    "CONFIRM": "confirm",
    "MERGE": "merge",
    "MENTION": "mention",
    "ARCHIVE": "archive",
    "CLEAN": "delete from the archive",
    "ACCEPT": "accept",
    "REJECT": "reject",
}


class RunReader:
    """Reads what runs changed.

    Args:
        store: The vault's database.
        others: Returns a page of what a run changed besides the history, by its id, the place that the page begins
            after (0 is before the first) and the most on it.
    """

    def __init__(self, store: Store, others: Callable[[str, int, int], Awaitable[RunChanges]]) -> None:
        self._store = store
        self._others = others

    async def changes(self, run_id: str, limit: int, cursor: str = "") -> RunReport:
        """Return a page of what a run changed; nothing for an unknown run.

        Raises:
            InputError: The cursor is none that an earlier page gave.
        """
        run, (part, after) = storable(run_id)[0], _place(cursor)
        counts = await self._store.read(partial(_counts, run_id=run))
        items: list[ChangedItem] = []
        following = ""
        if part == "h":
            items = await self._store.read(partial(_items, run_id=run, after=after, limit=limit))
            following = f"h{items[-1].history_id}" if items and len(items) == limit else ""
        other_after = after if part == "o" else 0
        others = await self._others(run, other_after, max(limit - len(items), 1))
        if not following and len(items) < limit:
            items += others.changes
            following = "" if others.next is None else f"o{others.next}"
        elif following and others.counts and len(items) == limit:
            following = following if await self._has_more(run, following) else "o0"
        return RunReport(run, counts | others.counts, tuple(items), following)

    async def _has_more(self, run_id: str, cursor: str) -> bool:
        return bool(await self._store.read(partial(_items, run_id=run_id, after=int(cursor[1:]), limit=1)))


def _place(cursor: str) -> tuple[str, int]:
    if not cursor:
        return "h", 0
    part, place = cursor[:1], cursor[1:]
    if part not in ("h", "o") or not place.isdecimal() or not place.isascii() or len(place) > 18:  # noqa: PLR2004
        raise InputError("The cursor is none that an earlier page gave. Leave it out.", field="cursor")
    return part, int(place)


def _counts(connection: apsw.Connection, run_id: str) -> dict[str, int]:
    counts: dict[str, int] = {}
    rows = connection.execute(
        "SELECT event, count(*) FROM memory_history WHERE run_id = ? AND undone_by IS NULL GROUP BY event", (run_id,)
    )
    for event, count in rows:
        action = _ACTIONS.get(str(event), str(event).lower())
        counts[action] = counts.get(action, 0) + int(str(count))
    return counts


def _items(connection: apsw.Connection, run_id: str, after: int, limit: int) -> list[ChangedItem]:
    rows = connection.execute(
        "SELECT id, target_kind, event, target, coalesce(after ->> 'title', before ->> 'title', ''),"
        " substr(coalesce(before ->> 'content', after ->> 'content', after ->> 'canonical_name', after ->> 'name',"
        " before ->> 'name', ''), 1, 200)"
        " FROM (SELECT id, target_kind, event, target, state_json(before) AS before, state_json(after) AS after"
        " FROM memory_history WHERE run_id = ? AND id > ? ORDER BY id LIMIT ?)",
        (run_id, after, limit),
    ).fetchall()
    return [_item(connection, row) for row in rows]


def _item(connection: apsw.Connection, row: tuple[Any, ...]) -> ChangedItem:
    entry, kind, event, target, title, content = row
    action = _ACTIONS.get(str(event), str(event).lower())
    named = excerpt(str(title) or str(content), _TITLE)
    return ChangedItem(action, str(target), named, "", not undo_chain.stands(connection, int(entry)), int(entry), kind)
