"""Confidence of facts in the database: what decays, and the changes of each run.

The tables of this module are ``confidence_runs`` and ``confidence_changes``.
"""

from collections.abc import Sequence
from typing import Any

import apsw

from app.core.stores import sees_all
from app.history.acts.model import ActPart
from app.history.acts.reader import SideEffects
from app.history.model import UNDO
from app.memories import repo
from app.memories.decay.decay_rules import DecayingFact

ACTOR = "decay"
# A fact that was brought back counts as used then.
_SINCE = "max(m.updated_at, coalesce(m.last_accessed, 0))"
_COLUMNS = (
    f"SELECT m.rowid, m.id, m.confidence, m.decay_rate, max({_SINCE}, coalesce(m.decayed_at, 0), coalesce((SELECT"
    " max(h.at) FROM memory_history h WHERE h.target = m.id AND h.target_kind = 'memory' AND h.event = 'RESTORE'), 0)),"
    f" m.decayed_at, {_SINCE} FROM memories m"
)
_FADES = (
    "m.kind = 'fact' AND m.valid_until IS NULL AND m.pinned = 0 AND m.decay_rate > 0"
    " AND (m.expires_at IS NULL OR m.expires_at > ?1)"
)
_DECAYING = f"{_COLUMNS} NOT INDEXED WHERE {_FADES} AND {{store_condition}} AND m.rowid > ?2 ORDER BY m.rowid LIMIT ?3"
_RESTORE = (
    "UPDATE memories SET confidence = ?1, decayed_at = ?2 WHERE rowid = ?3 AND confidence = ?4 AND decayed_at = ?5"
    " AND max(updated_at, coalesce(last_accessed, 0)) <= decayed_at"
)
_LOWER_AGAIN = (
    "UPDATE memories SET confidence = ?1, decayed_at = ?2 WHERE rowid = ?3 AND confidence = ?4 AND ?5 >= ?2"
    " AND max(updated_at, coalesce(last_accessed, 0), coalesce(decayed_at, 0)) < ?2"
)
_UNCHANGED = (
    "rowid = ? AND confidence = ? AND decayed_at IS ? AND decay_rate = ?"
    " AND max(updated_at, coalesce(last_accessed, 0)) = ? AND valid_until IS NULL AND pinned = 0"
)


def decaying(
    connection: apsw.Connection, now_ms: int, stores: Sequence[str], after: int = -1, limit: int = -1
) -> list[DecayingFact]:
    """Return the active facts in ``stores`` that decay, by rowid, from after ``after`` on."""
    query = _DECAYING.format(store_condition=repo.store_condition(stores))
    return [DecayingFact(*row) for row in connection.execute(query, (now_ms, after, limit))]


def decaying_fact(connection: apsw.Connection, memory_id: str, now_ms: int) -> DecayingFact | None:
    """Return one active fact that decays, ``None`` where it does not."""
    row = connection.execute(f"{_COLUMNS} WHERE {_FADES} AND m.id = ?2", (now_ms, memory_id)).fetchone()
    return None if row is None else DecayingFact(*row)


def active_facts(connection: apsw.Connection, stores: Sequence[str]) -> int:
    """Return how many facts in ``stores`` are active."""
    seen = repo.store_condition(stores)
    query = f"SELECT count(*) FROM memories m WHERE m.kind = 'fact' AND m.valid_until IS NULL AND {seen}"
    return int(connection.execute(query).get)


def set_aside_at(connection: apsw.Connection, after_ms: int, stores: Sequence[str]) -> list[int]:
    """Return when decay set facts in ``stores`` aside after a time.

    Those brought back by an undo are left out.
    """
    seen = "TRUE"
    if not sees_all(stores):
        seen = f"target IN (SELECT m.id FROM memories m WHERE {repo.store_condition(stores)})"
    rows = connection.execute(
        "SELECT at FROM memory_history WHERE actor = ? AND event = 'DELETE' AND at > ? AND undone_by IS NULL"
        f" AND {seen}",
        (ACTOR, after_ms),
    )
    return [int(str(row[0])) for row in rows]


def used_here(connection: apsw.Connection, after_ms: int, within_ms: int, limit: int) -> list[str]:
    """Return facts that another machine set aside though they were used on this one.

    Those about which anything was recorded since are left out.

    Args:
        connection: Any connection.
        after_ms: They were set aside after that time, milliseconds UTC.
        within_ms: They were used within so many milliseconds before.
        limit: How many at most.
    """
    rows = connection.execute(
        "SELECT m.id FROM memory_history h JOIN lanes l ON l.lane = h.lane AND l.was_own = 0"
        " JOIN memories m ON m.id = h.target WHERE h.actor = ?1 AND h.event = 'DELETE' AND h.target_kind = 'memory'"
        " AND h.at > ?2 AND h.undone_by IS NULL AND m.kind = 'fact' AND m.valid_until IS NOT NULL"
        " AND m.superseded_by IS NULL AND m.last_accessed > h.at - ?3 AND NOT EXISTS (SELECT 1 FROM memory_history n"
        " WHERE n.target = h.target AND n.target_kind = 'memory' AND n.hlc > h.hlc) ORDER BY m.rowid LIMIT ?4",
        (ACTOR, after_ms, within_ms, limit),
    )
    return [str(row[0]) for row in rows]


def is_unchanged(connection: apsw.Connection, fact: DecayingFact) -> bool:
    """Return whether a fact is still as it was read."""
    return connection.execute(f"SELECT 1 FROM memories WHERE {_UNCHANGED}", _as_read(fact)).fetchone() is not None


def begin_run(connection: apsw.Connection, run_id: str, at_ms: int) -> tuple[int, int]:
    """Return the number of a run and the time for which it decays.

    A run that goes on keeps the time with which it began.
    """
    connection.execute("INSERT INTO confidence_runs (run_id, at) VALUES (?, ?) ON CONFLICT DO NOTHING", (run_id, at_ms))
    number, at = connection.execute("SELECT number, at FROM confidence_runs WHERE run_id = ?", (run_id,)).get
    return int(number), int(at)


def lower(connection: apsw.Connection, number: int, at_ms: int, changes: Sequence[tuple[DecayingFact, float]]) -> int:
    """Write new confidences of facts that are still as they were read.

    Returns:
        How many they were.
    """
    changed = []
    for fact, days_left in changes:
        connection.execute(
            f"UPDATE memories SET confidence = ?, decayed_at = ? WHERE {_UNCHANGED}",
            (days_left, at_ms, *_as_read(fact)),
        )
        if connection.changes():
            changed.append((number, fact.rowid, fact.confidence, days_left, fact.decayed_at_ms))
    connection.executemany(
        "INSERT INTO confidence_changes VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET after = excluded.after",
        changed,
    )
    return len(changed)


def standing_name(run_id: str) -> str:
    """Return the name under which the changes of a run are kept now."""
    base = run_id.replace(UNDO, "")
    return f"{UNDO}{base}" if run_id.count(UNDO) % 2 else base


def give_back(connection: apsw.Connection, run_id: str, after: int, limit: int, now_ms: int) -> tuple[int, int | None]:
    """Restore confidences that a run changed and that still stand.

    For the undo of a run it lowers them again. A confidence stands if its fact was neither used, changed nor decayed
    since. What was restored is kept as a change of the undo, so that it can be done again.

    Returns:
        How many were restored, and the rowid after which to go on; ``None`` when none is left.
    """
    run = standing_name(run_id)
    is_redo = run.startswith(UNDO)
    other = standing_name(f"{UNDO}{run}")
    rows = connection.execute(
        "SELECT c.run, c.memory, c.before, c.after, c.decayed_at_before, r.at, m.decayed_at FROM confidence_runs r"
        " JOIN confidence_changes c ON c.run = r.number JOIN memories m ON m.rowid = c.memory"
        " WHERE r.run_id = ? AND c.memory > ? ORDER BY c.memory LIMIT ?",
        (run, after, limit),
    ).fetchall()
    restored: list[tuple[Any, ...]] = []
    moved: list[tuple[Any, ...]] = []
    for number, memory, before, value, decayed_before, at, decayed_at in rows:
        connection.execute(_LOWER_AGAIN if is_redo else _RESTORE, (before, decayed_before, memory, value, at))
        if connection.changes():
            restored.append((number, memory))
            moved.append((memory, value, before, decayed_at))
    if moved:
        target, _ = begin_run(connection, other, now_ms)
        connection.executemany("DELETE FROM confidence_changes WHERE run = ? AND memory = ?", restored)
        connection.executemany(
            "INSERT OR REPLACE INTO confidence_changes VALUES (?, ?, ?, ?, ?)", [(target, *row) for row in moved]
        )
    return len(restored), int(str(rows[-1][1])) if len(rows) == limit else None


def count_of_run(connection: apsw.Connection, run_id: str) -> int:
    """Return how many confidences a run changed that were not given back."""
    return int(
        connection.execute(
            "SELECT count(*) FROM confidence_changes WHERE run = (SELECT number FROM confidence_runs WHERE run_id = ?)",
            (run_id,),
        ).get
    )


def standing_runs(connection: apsw.Connection) -> list[SideEffects]:
    """Return how many confidences each run lowered that were not given back."""
    rows = connection.execute(
        "SELECT r.run_id, r.at, count(*) FROM confidence_runs r JOIN confidence_changes c ON c.run = r.number"
        " GROUP BY r.number"
    )
    return [SideEffects(str(run), int(str(at)), ActPart("lower", "fact", int(str(count)))) for run, at, count in rows]


def of_run(
    connection: apsw.Connection, run_id: str, after: int, limit: int
) -> list[tuple[int, str, str, float, float]]:
    """Return rowid, id, title and both confidences of what a run changed."""
    rows = connection.execute(
        "SELECT c.memory, m.id, CASE WHEN m.title = '' THEN substr(m.content, 1, 100) ELSE m.title END, c.before,"
        " c.after FROM confidence_changes c JOIN memories m ON m.rowid = c.memory"
        " WHERE c.run = (SELECT number FROM confidence_runs WHERE run_id = ?) AND c.memory > ?"
        " ORDER BY c.memory LIMIT ?",
        (run_id, after, limit),
    )
    return [(int(str(row[0])), str(row[1]), str(row[2]), float(str(row[3])), float(str(row[4]))) for row in rows]


def prune(connection: apsw.Connection, before_ms: int, most_rows: int, limit: int) -> bool:
    """Drop some changes of old runs; return whether more may be left to drop.

    The latest run always stays.
    """
    oldest = connection.execute(
        "SELECT number, at FROM confidence_runs WHERE number < (SELECT max(number) FROM confidence_runs)"
        " ORDER BY number LIMIT 1"
    ).fetchone()
    if oldest is None:
        return False
    total = int(connection.execute("SELECT count(*) FROM confidence_changes").get)
    if int(str(oldest[1])) >= before_ms and total <= most_rows:
        return False
    connection.execute(
        "DELETE FROM confidence_changes WHERE run = ?1 AND memory IN"
        " (SELECT memory FROM confidence_changes WHERE run = ?1 LIMIT ?2)",
        (oldest[0], limit),
    )
    if not connection.changes():
        connection.execute("DELETE FROM confidence_runs WHERE number = ?", (oldest[0],))
    return True


def _as_read(fact: DecayingFact) -> tuple[object, ...]:
    return fact.rowid, fact.confidence, fact.decayed_at_ms, fact.rate, fact.used_ms
