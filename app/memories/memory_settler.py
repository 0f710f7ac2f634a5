"""Settling of memories: each becomes what the changes of all machines made of it.

Of facts of one category, key and store the one stated last holds, and the others stay superseded by it for as long as
it is there.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import apsw

from app.core.clock import to_datetime, to_ms
from app.core.stores import STORES
from app.history.state_diff import differing
from app.memories import repo, validation
from app.memories.archive import archive_moves, archive_repo
from app.memories.model import Memory
from app.memories.state_codec import from_state, to_state
from app.memories.writer import MemoryIndex, write_state
from app.sync.folding.fold import FoldedRow
from app.sync.folding.group_folds import fold_facts
from app.sync.folding.row_settler import folded, local

State = dict[str, Any]
_OF_ARCHIVE = ("archived_at", "reason")


class MemorySettler:
    """Settler of memories.

    Args:
        index: Who keeps the search index in step.
    """

    def __init__(self, index: MemoryIndex) -> None:
        self._index = index

    def settle(self, connection: apsw.Connection, targets: Sequence[str], now_ms: int) -> Sequence[str]:
        """Make memories what all their changes say; return those that are another now."""
        rows = {target: folded(connection, "memory", target) for target in targets}
        for target in _of_same_key(connection, rows):
            rows.setdefault(target, folded(connection, "memory", target))
        superseded = fold_facts(rows.values()).superseded
        wanted = {
            target: _superseded(row, rows[superseded[target]]) if target in superseded else row.state
            for target, row in rows.items()
            if row.whole is not None
        }
        # A fact takes the place of another only once that one has left it.
        in_order = sorted(wanted, key=lambda target: _is_active(wanted[target]))
        for target, row in rows.items():
            self._leave_key(connection, row, wanted.get(target), now_ms)
        return [target for target in in_order if self._write(connection, rows[target], wanted[target])]

    def _leave_key(
        self, connection: apsw.Connection, row: FoldedRow, state: Mapping[str, Any] | None, now_ms: int
    ) -> None:
        """Set a fact aside that is to have another key or be forgotten.

        Another fact may have its key already.
        """
        if not row.is_erased and (state is None or state["kind"] != "fact" or not _is_active(state)):
            return
        now = repo.get(connection, row.target, stores=STORES)
        is_fact = now is not None and now.kind == "fact" and now.deleted_at is None
        if now is not None and is_fact and (state is None or _key(state.get) != (now.category, now.key, now.store)):
            write_state(connection, self._index, now, replace(now, deleted_at=to_datetime(now_ms)))

    def _write(self, connection: apsw.Connection, row: FoldedRow, state: Mapping[str, Any] | None) -> bool:
        at_ms = None if state is None else state.get("archived_at")
        whole = local(connection, row, row.whole if state is None or at_ms is not None else state) or {}
        archived = archive_repo.get(connection, row.target, STORES)
        if archived is not None:
            is_same = state is not None and (at_ms, state.get("reason")) == archived[1:]
            if is_same and not _differs(archived[0], _memory(whole)):
                return False
            archive_repo.set_deleted(connection, row.target, archived[1])  # the key of a fact may be another's now
            archive_repo.move_out(connection, row.target)
        now, wanted = repo.get(connection, row.target, stores=STORES), _memory(whole)
        is_changed = archived is not None or now is None or _differs(now, wanted)
        if is_changed:
            version = wanted.version if now is None else now.version + 1
            is_deleted = at_ms is not None and wanted.deleted_at is None  # until it is in the archive
            deleted_at = to_datetime(int(at_ms or 0)) if is_deleted else wanted.deleted_at
            write_state(connection, self._index, now, replace(wanted, version=version, deleted_at=deleted_at))
        if state is not None and at_ms is not None:
            archive_moves.put_in(connection, self._index, row.target, str(state["reason"]), int(at_ms))
            deleted_ms = None if wanted.deleted_at is None else to_ms(wanted.deleted_at)
            archive_repo.set_deleted(connection, row.target, deleted_ms)
        return is_changed or at_ms is not None


def _of_same_key(connection: apsw.Connection, rows: Mapping[str, FoldedRow]) -> Iterable[str]:
    """Return the ids of facts with the key that some have or are to have."""
    keys: set[tuple[str, str, str]] = set()
    for target, row in rows.items():
        now = repo.get(connection, target, stores=STORES)
        if now is not None and now.kind == "fact" and now.key:
            keys.add((now.category, now.key, now.store))
        if row.whole is not None and row.whole.get("kind") == "fact" and row.whole.get("key"):
            keys.add(_key(row.whole.get))
    same_ids: dict[str, None] = {}
    for key in sorted(keys):
        ids = connection.execute(
            "SELECT id FROM memories m WHERE kind = 'fact' AND category = ? AND key = ? AND store = ? AND EXISTS"
            " (SELECT 1 FROM memory_history h WHERE h.target = m.id AND h.target_kind = 'memory') ORDER BY id",
            key,
        )
        same_ids.update((str(row[0]), None) for row in ids)
    return same_ids


def _key(value: Callable[[str], Any]) -> tuple[str, str, str]:
    """Return what of a fact no other one has at the same time."""
    return str(value("category")), str(value("key")), str(value("store"))


def _superseded(row: FoldedRow, holding: FoldedRow) -> Mapping[str, Any]:
    """Return the state of a fact of which another one holds."""
    at_ms = holding.statement.at_ms if holding.statement is not None else (row.state or {}).get("updated_at")
    return {**(row.state or {}), "superseded_by": holding.target, "deleted_at": at_ms}


def _is_active(state: Mapping[str, Any] | None) -> bool:
    return state is not None and state.get("deleted_at") is None


def _memory(state: State) -> Memory:
    """Return the memory that a state says, with what is derived made again."""
    fields = {name: value for name, value in state.items() if name not in _OF_ARCHIVE}
    memory = from_state(fields)
    return replace(memory, tokens=validation.size(memory.content, memory.facts))


def _differs(now: Memory, wanted: Memory) -> bool:
    return bool(differing(to_state(now), to_state(wanted))) or now.updated_at != wanted.updated_at
