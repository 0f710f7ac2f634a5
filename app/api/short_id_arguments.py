"""Short ids in arguments: each becomes the whole id of one item.

Only what the caller may see counts: a short id of anything else stays as it was given, like one that nothing has.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import apsw

from app.api.caller import Caller
from app.api.session_access import owner_of
from app.core.ids import PREFIXES, seen_entity_id
from app.core.stores import sees_all
from app.core.text_rules.short_ids import ShortId, parse
from app.engine import Engine
from app.entities.queries import visibility
from app.errors import InputError
from app.memories import repo
from app.sentence import Sentence

ID_ARGUMENTS: Final = frozenset(
    {
        "around",
        "centre",
        "id",
        "ids",
        "into",
        "item",
        "memories",
        "messages",
        "new_id",
        "old_id",
        "owner",
        "owners",
        "session",
        "sessions",
        "subject",
        "target",
        "without",
    }
)
"""Names of arguments, and of fields within them, that hold ids."""
_MOST_NAMED: Final = 5
_MAX_DEPTH: Final = 8


@dataclass(frozen=True, slots=True)
class WantedEndings:
    """Endings of ids that are looked for.

    Args:
        kind: The prefix of their kind.
        length: Characters of each.
        endings: They as a JSON list.
    """

    kind: str
    length: int
    endings: str


Finder = Callable[[apsw.Connection, WantedEndings, Caller], Iterable[str]]


async def with_whole_ids(engine: Engine, arguments: Mapping[str, Any], caller: Caller) -> Mapping[str, Any]:
    """Return arguments with whole ids in place of short ones.

    Args:
        engine: The vault that the operation works on.
        arguments: By name, as JSON values or as model objects, which hold whole ids.
        caller: Who calls.

    Raises:
        InputError: More than one item that the caller may see has the ending.
    """
    short_ids = dict.fromkeys(_short_ids(arguments))
    if not short_ids:
        return arguments
    whole = await engine.store.read(partial(_whole_ids, list(short_ids), caller))
    changed: Mapping[str, Any] = _replaced(arguments, whole) if whole else arguments
    return changed


def _short_ids(value: Any, *, is_id: bool = False, depth: int = 0) -> Sequence[ShortId]:
    """Return the short ids in arguments that hold ids."""
    if isinstance(value, str):
        short = parse(value) if is_id else None
        return [] if short is None else [short]
    if depth == _MAX_DEPTH:
        return []
    if isinstance(value, Mapping):
        items = ((item, name in ID_ARGUMENTS) for name, item in value.items())
    elif isinstance(value, list | tuple):
        items = ((item, is_id) for item in value)
    else:
        return []
    return [short for item, is_inner in items for short in _short_ids(item, is_id=is_inner, depth=depth + 1)]


def _replaced(value: Any, whole: Mapping[str, str], *, is_id: bool = False, depth: int = 0) -> Any:
    if isinstance(value, str):
        short = parse(value) if is_id else None
        return value if short is None or short.text not in whole else f"{whole[short.text]}{short.turn}"
    if depth == _MAX_DEPTH:
        return value
    if isinstance(value, Mapping):
        return {
            name: _replaced(item, whole, is_id=name in ID_ARGUMENTS, depth=depth + 1) for name, item in value.items()
        }
    if isinstance(value, list | tuple):
        return [_replaced(item, whole, is_id=is_id, depth=depth + 1) for item in value]
    return value


def _whole_ids(short_ids: Sequence[ShortId], caller: Caller, connection: apsw.Connection) -> dict[str, str]:
    """Return the whole ids of items that a caller may see, by their short ids.

    Raises:
        InputError: A short id has several.
    """
    groups: dict[tuple[str, int], list[ShortId]] = {}
    for short in short_ids:
        groups.setdefault((short.kind, len(short.ending)), []).append(short)
    whole = dict[str, str]()
    for (kind, length), members in groups.items():
        # The ids of a kind are gone through once for all endings of one length.
        endings = json.dumps([short.ending for short in members])
        candidates: dict[str, list[str]] = {}
        for item in _FINDERS.get(kind, _memories)(connection, WantedEndings(kind, length, endings), caller):
            candidates.setdefault(item[-length:], []).append(item)
        for short in members:
            item_id = _only(short, candidates.get(short.ending, []))
            if item_id is not None:
                whole[short.text] = item_id
    return whole


def _only(short: ShortId, candidates: Sequence[str]) -> str | None:
    """Return the one item of a short id, ``None`` where it has none.

    Raises:
        InputError: There are several.
    """
    # What was given may be an id itself, as of a conversation that its program named so.
    if short.text in candidates or not candidates:
        return None
    if len(candidates) > 1:
        raise InputError(
            Sentence(
                "More than one item has an id that ends as {short} does: {candidates}. Give the whole id.",
                short=short.text,
                candidates=", ".join(candidates[:_MOST_NAMED]),
            ),
            field="id",
        )
    return candidates[0]


def _memories(connection: apsw.Connection, wanted: WantedEndings, caller: Caller) -> Iterable[str]:
    sql = f"SELECT m.id FROM memories m WHERE {_ends_so('m.id')} AND {repo.store_condition(caller.stores)}"
    # Archived memories are for those who may read every store.
    if sees_all(caller.stores):
        sql += f" UNION SELECT a.id FROM memory_archive a WHERE {_ends_so('a.id')}"
    return _ids(connection.execute(sql, _bindings(wanted)))


def _sessions(connection: apsw.Connection, wanted: WantedEndings, caller: Caller) -> Iterable[str]:
    sql = (
        "SELECT s.id FROM sessions s WHERE substr(s.id, -?1) IN (SELECT value FROM json_each(?2))"
        " AND s.forgotten_at IS NULL AND (?3 IS NULL OR s.agent = ?3)"
    )
    return _ids(connection.execute(sql, (wanted.length, wanted.endings, owner_of(caller))))


def _entities(connection: apsw.Connection, wanted: WantedEndings, caller: Caller) -> Iterable[str]:
    if sees_all(caller.stores):
        return _ids(connection.execute(f"SELECT e.id FROM entities e WHERE {_ends_so('e.id')}", _bindings(wanted)))
    surfaces = connection.execute(f"SELECT DISTINCT m.surface FROM mentions m WHERE {visibility.within(caller.stores)}")
    return [seen_entity_id(surface) for surface in _ids(surfaces)]


def _ids(rows: Iterable[Sequence[Any]]) -> list[str]:
    return [str(row[0]) for row in rows]


def _ends_so(column: str) -> str:
    return f"{column} >= ?1 AND {column} < ?2 AND substr({column}, -?3) IN (SELECT value FROM json_each(?4))"


def _bindings(wanted: WantedEndings) -> tuple[str, str, int, str]:
    return f"{wanted.kind}-", f"{wanted.kind}.", wanted.length, wanted.endings


_FINDERS: Final[Mapping[str, Finder]] = {PREFIXES["session"]: _sessions, PREFIXES["entity"]: _entities}
"""Finders of what is no memory, by the prefix of the kind."""
