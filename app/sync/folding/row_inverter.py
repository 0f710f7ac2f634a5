"""Undo of changes of rows that several machines changed."""

from typing import Any, Final

import apsw

from app.history import history_repo
from app.history.history_repo import HistoryRow
from app.history.shared_rows import TakenBack
from app.sync.folding.fold import FoldedRow, fold_row
from app.sync.folding.inverse import inverse, is_gone
from app.sync.segments import capture, lane_rows, turn_references

State = dict[str, Any]
_OF_OTHER_ROWS: Final = ("superseded_by", "merged_into")
"""Fields that another row may have changed, without a change of this one."""


class RowInverter:
    """Takes changes back of rows that several machines changed."""

    def taken_back(self, connection: apsw.Connection, entry: HistoryRow, now: State | None) -> TakenBack | None:
        """Return a target without an entry; ``None`` where one machine alone made it."""
        kind, target = entry.target_kind, entry.target
        if kind not in capture.KINDS or not lane_rows.has_others(connection):
            return None
        is_shared = capture.is_of_several_lanes(connection, kind, target)
        is_alone = not is_shared and kind != "entity" and not is_gone(now)
        if is_alone or not (changes := capture.changes_of_row(connection, kind, target)):
            return None
        row = fold_row(changes)
        stored = turn_references.to_global(connection, kind, target, now)
        is_shared = is_shared or _is_derived(row, stored)
        if row.whole is None or not is_shared:
            return None
        # Where another row took the place of this one, its own changes still say that it is there.
        said = row.state if is_gone(stored) else stored
        found = inverse(changes, entry.place, said)
        if found is None:
            return None
        if found.later is not None:
            return TakenBack(now, history_repo.entry_at(connection, found.later.place), found.fields)
        state = turn_references.to_local(connection, kind, target, None if found.state is None else dict(found.state))
        # Of a row that is there, what one machine alone knows of it stays as it is.
        return TakenBack(state if state is None or is_gone(now) else {**(now or {}), **state})


def _is_derived(row: FoldedRow, stored: State | None) -> bool:
    state = row.state or {}
    return row.is_live and any(state.get(name) != (stored or {}).get(name) for name in _OF_OTHER_ROWS)
