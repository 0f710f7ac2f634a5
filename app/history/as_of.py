"""History entries as of a moment: what changed since, and the states then.

An entry counts from its ``at`` on. One that a spell of writing went on extending counts from the end of the spell: what
stood in between was not kept, so until then the state before the spell is the last one known.
"""

import json
from collections.abc import Collection, Iterator
from typing import Final

import apsw

from app.core.item_batches import batched
from app.history import history_repo
from app.history.history_repo import HistoryRow
from app.history.model import TargetKind
from app.store.lanes import NEWEST_FIRST

MAX_SPELL_MS: Final = 5 * 60_000
"""No entry goes on being extended for longer."""

_BATCH = 500
# When the state of an extended entry was last written.
_END = "state_json(after) ->> 'updated_at'"
_EXTENDED = f"event = 'UPDATE' AND run_id IS NULL AND {_END} > at AND {_END} <= at + {MAX_SPELL_MS}"


def changed_since(connection: apsw.Connection, kind: TargetKind, at_ms: int) -> set[str]:
    """Return the ids of what was changed after ``at_ms``, made and deleted things included."""
    rows = connection.execute(
        "SELECT target FROM memory_history WHERE target_kind = :kind AND at > :at UNION"
        " SELECT target FROM memory_history WHERE target_kind = :kind AND at > :at - :spell AND at <= :at"
        f" AND {_EXTENDED} AND {_END} > :at",
        {"kind": kind, "at": at_ms, "spell": MAX_SPELL_MS},
    )
    return {str(row[0]) for row in rows}


def has_changed(connection: apsw.Connection, kind: TargetKind, at_ms: int, target: str) -> bool:
    """Return whether ``target`` was made, changed or deleted after ``at_ms``."""
    row = connection.execute(
        f"SELECT id FROM memory_history WHERE target = ? AND target_kind = ? ORDER BY {NEWEST_FIRST} LIMIT 1",
        (target, kind),
    ).fetchone()
    latest = None if row is None else row[0]
    entry = next(entries_at(connection, kind, at_ms, (target,)), None)
    return latest is not None and (entry is None or entry.id != latest)


def entries_at(
    connection: apsw.Connection, kind: TargetKind, at_ms: int, targets: Collection[str]
) -> Iterator[HistoryRow]:
    """Yield the last entry that counted at ``at_ms`` of each of ``targets`` that had one."""
    for batch in batched(sorted(targets), _BATCH):
        rows = connection.execute(
            "SELECT (SELECT h.id FROM memory_history h WHERE h.target = wanted.value AND h.at <= ?"
            f" AND h.target_kind = ? ORDER BY {NEWEST_FIRST} LIMIT 1) FROM json_each(?) wanted",
            (at_ms, kind, json.dumps(batch)),
        ).fetchall()
        for (history_id,) in rows:
            row = _counting(connection, kind, at_ms, history_id)
            if row is not None:
                yield row


def first_entries_after(
    connection: apsw.Connection, kind: TargetKind, at_ms: int, having: str | None = None
) -> Iterator[HistoryRow]:
    """Yield the first entry after ``at_ms`` of each target that changed since.

    Its ``before`` is the state of the target until then. With ``having``, only entries count whose ``before`` has that
    field: those of a session's summary have nothing but the summary.
    """
    field = None if having is None else f"$.{having}"
    rows = connection.execute(
        "SELECT min(id) FROM memory_history WHERE target_kind = ?1 AND at > ?2"
        " AND (?3 IS NULL OR json_type(state_json(before), ?3) IS NOT NULL) GROUP BY target",
        (kind, at_ms, field),
    ).fetchall()
    for (history_id,) in rows:
        row = history_repo.entry(connection, int(str(history_id)))
        if row is not None:
            yield row


def _counting(connection: apsw.Connection, kind: TargetKind, at_ms: int, history_id: object) -> HistoryRow | None:
    """Return the entry that counted at ``at_ms``: ``history_id`` or an earlier one.

    An entry of a spell that had not ended does not count; the one before it does.
    """
    entry = None if history_id is None else history_repo.entry(connection, int(str(history_id)))
    while entry is not None and _ends(entry) > at_ms:
        row = connection.execute(
            "SELECT id FROM memory_history WHERE target = ? AND target_kind = ? AND (hlc, lane, n) < (?, ?, ?)"
            f" AND at <= ? ORDER BY {NEWEST_FIRST} LIMIT 1",
            (entry.target, kind, entry.place.hlc, entry.place.lane, entry.place.n, at_ms),
        ).fetchone()
        entry = None if row is None else history_repo.entry(connection, int(str(row[0])))
    return entry


def _ends(entry: HistoryRow) -> int:
    """Return from when on an entry counts."""
    written = (entry.after or {}).get("updated_at")
    single = entry.event == "UPDATE" and entry.run_id is None
    if single and isinstance(written, int) and entry.at_ms < written <= entry.at_ms + MAX_SPELL_MS:
        return written
    return entry.at_ms
