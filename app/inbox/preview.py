"""Preview of a proposal, made of the history entries of its rehearsal."""

import hashlib
import json
from collections.abc import Sequence
from typing import Any, Final

import apsw

from app.history.history_repo import HistoryRow, State
from app.history.state_diff import VOLATILE, differing
from app.inbox.model import ProposalPreview, ProposedChange

_MOST_CHANGES: Final = 20
_MOST_TEXT: Final = 20_000
_SHOWN: Final = (
    "title", "content", "facts", "category", "key", "tags", "store", "pinned", "type", "summary", "name", "aliases",
    "goal", "cadence", "query",
)  # fmt: skip
MADE_BY_ONE: Final = {
    "schedule": "SELECT user_id FROM schedules WHERE schedule_id = ?",
    "saved_search": "SELECT value FROM meta WHERE key = 'saved_search_by:' || ?",
}
"""Authors of things that another agent may change only with the person's consent."""
_STATED_BY: Final = 3  # place of the source in a relation
_RULED_AS: Final = {"saved_search": "settings"}
"""Kinds of targets that the rules of the inbox know under another name."""


def preview_of(entries: Sequence[HistoryRow], why: str, *, is_stale: bool = False) -> ProposalPreview:
    """Return what history entries change, for the person to look at."""
    counted = [entry for entry in entries if entry.event != "MENTION"]
    basis = {entry.target: _digest(entry.before) for entry in reversed(counted) if entry.before is not None}
    return ProposalPreview(tuple(map(_change, counted[:_MOST_CHANGES])), len(counted), why, is_stale, basis)


def kinds_of(entries: Sequence[HistoryRow]) -> set[str]:
    """Return the kinds of what history entries change: those of memories, ``session``, ``entity``."""
    return {_kind(entry) for entry in entries if entry.event != "MENTION"}


def is_protected(connection: apsw.Connection, entry: HistoryRow, agent: str) -> bool:
    """Return whether an entry changes what the person pinned, confirmed, protected or put into quarantine."""
    if entry.event == "MENTION":
        return False
    before = entry.before
    if before is None:
        return entry.target_kind == "memory" and _is_quarantined(connection, entry.target)
    changed = differing(before, entry.after)
    if not changed or (changed == ("relations",) and _is_own_statement(before, entry.after or {}, agent)):
        return False
    if before.get("pinned") or before.get("protected"):
        return True
    is_certain = before.get("kind") == "fact" and before.get("decay_rate") == 0 and before.get("confidence") == 1
    # An agent's own facts may never fade without the person having confirmed them.
    return is_certain and (before.get("source") != agent or _is_confirmed(connection, entry.target))


def _is_own_statement(before: State, after: State, agent: str) -> bool:
    """Return whether an agent changes only relations of an entity that it states itself.

    They take nothing from what is protected, of which the agent may not know.
    """
    edges = [[edge for edge in state.get("relations", ()) if edge[_STATED_BY] != agent] for state in (before, after)]
    return edges[0] == edges[1]


def removes_of_others(connection: apsw.Connection, entry: HistoryRow, agent: str) -> bool:
    """Return whether an entry of a removing operation changes what others wrote.

    Names and relations have no author; what is said of them are memories, which have one.
    """
    before = entry.before
    if before is None or entry.event == "MENTION" or not differing(before, entry.after):
        return False
    if entry.target_kind == "memory":
        return before.get("source") != agent and not _was_made_by(connection, entry.target, agent)
    if entry.target_kind in MADE_BY_ONE:
        row = connection.execute(MADE_BY_ONE[entry.target_kind], (entry.target,)).fetchone()
        return row is None or row[0] != agent
    if entry.target_kind == "session":
        row = connection.execute("SELECT agent FROM sessions WHERE id = ?", (entry.target,)).fetchone()
        return row is not None and row[0] != agent
    return entry.event in ("MERGE", "DELETE") and not (before.get("attributes") or {}).get("graph_made")


def _was_made_by(connection: apsw.Connection, target: str, agent: str) -> bool:
    """Return whether an agent made a memory, under any source."""
    sql = "SELECT actor FROM memory_history WHERE target = ? AND event = 'ADD' ORDER BY id LIMIT 1"
    row = connection.execute(sql, (target,)).fetchone()
    return row is not None and row[0] == agent


def _is_confirmed(connection: apsw.Connection, target: str) -> bool:
    sql = "SELECT 1 FROM memory_history WHERE target = ? AND event = 'CONFIRM' AND undone_by IS NULL LIMIT 1"
    return connection.execute(sql, (target,)).fetchone() is not None


def _is_quarantined(connection: apsw.Connection, target: str) -> bool:
    rows = connection.execute(
        "SELECT id FROM memory_history WHERE target = ? AND run_id >= 'quarantine:' AND run_id < 'quarantine;'",
        (target,),
    ).fetchall()
    # Whether it stands cannot be told here: what is looked at may be its end.
    return bool(rows)


def _kind(entry: HistoryRow) -> str:
    state = entry.after or entry.before or {}
    if entry.target_kind == "memory":
        return str(state.get("kind") or "note")
    return _RULED_AS.get(entry.target_kind, entry.target_kind)


def _change(entry: HistoryRow) -> ProposedChange:
    before, after = entry.before, entry.after
    state = after or before or {}
    if before is not None and after is not None and after.get("deleted_at") and not before.get("deleted_at"):
        after = None  # set aside, which is all that a person wants to know of it
    if before is None or after is None:
        fields: Sequence[str] = [name for name in _SHOWN if state.get(name)]
    else:
        fields = differing(before, after)
    return ProposedChange(
        target_kind=entry.target_kind,
        target=entry.target,
        event=entry.event,
        kind=_kind(entry),
        store=str(state.get("store") or ""),
        title=_short(str(state.get("title") or state.get("name") or "")),
        before=None if before is None else {name: _short(before.get(name)) for name in fields},
        after=None if after is None else {name: _short(after.get(name)) for name in fields},
    )


def _short(value: Any) -> Any:
    return value[:_MOST_TEXT] if isinstance(value, str) else value


def _digest(state: State | None) -> str:
    fields = {name: value for name, value in (state or {}).items() if name not in VOLATILE}
    return hashlib.blake2b(json.dumps(fields, sort_keys=True).encode(), digest_size=12).hexdigest()
