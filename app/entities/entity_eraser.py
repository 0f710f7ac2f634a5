"""Erasure of the history of entities; their names go with the texts."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

import apsw

from app.entities import name_eraser
from app.entities.entity_settler import EntitySettler
from app.entities.model import name_key
from app.erasure import erasures
from app.erasure.model import RemainingReference
from app.store import lanes

_BLANK: Final[Mapping[str, Any]] = {
    "summary": "",
    "protected": False,
    "touched": False,
    "attributes": {},
    "claims": [],
    "relations": [],
}
"""The state of an entity about which nobody decided anything."""


class EntityEraser:
    """Removes those changes of an entity whose writers did not know of its erasure."""

    def exists(self, connection: apsw.Connection, target: str) -> bool:
        """Return whether the history has an entry of it that is to go."""
        return bool(_entries(connection, target))

    def texts(self, connection: apsw.Connection, target: str) -> Iterator[str]:
        """Yield the names that the history has for it and no text, for samples."""
        for entry in _entries(connection, target):
            states = connection.execute("SELECT before, after FROM memory_history WHERE id = ?", (entry,)).fetchone()
            for state in (json.loads(str(state)) for state in states or () if state is not None):
                for name in (str(state.get("name", "")), *map(str, state.get("aliases", ()))):
                    if not _is_mentioned(connection, name):
                        yield name

    def hide(self, connection: apsw.Connection, target: str, at_ms: int) -> None:
        """Hide nothing: it stands for what texts mention."""

    def step(self, connection: apsw.Connection, target: str, limit: int) -> dict[str, int]:
        """Remove all that was recorded of it, and what was decided about it by that."""
        if not (entries := _entries(connection, target)):
            return {}
        removed = name_eraser.drop_entries(connection, entries)
        if not _is_recorded(connection, target):  # else it is what later changes say
            if not name_eraser.part(connection, target, _BLANK):
                connection.execute("UPDATE entities SET protected = 0, touched = 0 WHERE id = ?", (target,))
            self._settle_merged(connection, target)
        return {"memory_history": removed}

    @staticmethod
    def _settle_merged(connection: apsw.Connection, target: str) -> None:
        """Let those that stood for it be what their own changes say."""
        rows = connection.execute("SELECT id, updated_at FROM entities WHERE merged_into = ?", (target,)).fetchall()
        for entity, at_ms in rows:
            if _is_recorded(connection, str(entity)):
                EntitySettler().settle(connection, [str(entity)], int(str(at_ms)))

    def left(self, connection: apsw.Connection, target: str) -> Iterator[RemainingReference]:
        """Yield nothing: where texts say its names, they are told of."""
        return iter(())


def _entries(connection: apsw.Connection, target: str) -> list[int]:
    """Return the entries that are to go, all of them in a copy without lanes."""
    is_forgotten = erasures.IS_FORGOTTEN if lanes.are_known(connection) else "TRUE"
    rows = connection.execute(
        f"SELECT id FROM memory_history h WHERE h.target_kind = 'entity' AND h.target = ? AND {is_forgotten}", (target,)
    )
    return [int(str(row[0])) for row in rows]


def _is_recorded(connection: apsw.Connection, entity: str) -> bool:
    cursor = connection.execute(
        "SELECT 1 FROM memory_history WHERE target_kind = 'entity' AND target = ? LIMIT 1", (entity,)
    )
    return cursor.fetchone() is not None


def _is_mentioned(connection: apsw.Connection, name: str) -> bool:
    cursor = connection.execute(
        "SELECT 1 FROM mentions WHERE substr(surface, instr(surface, ':') + 1) = ? LIMIT 1", (name_key(name),)
    )
    return cursor.fetchone() is not None
