"""SQL of schedules, their runs and claims.

Times are ISO 8601 texts in UTC, so that their order is the order of time.
"""

from datetime import UTC, datetime, timedelta
from typing import Any

import apsw
import msgspec

from app.core.text import storable
from app.schedule.model import Cadence, Schedule, ScheduleClaim, ScheduleFilter, ScheduleRun, Status
from app.sentence_codec import sentence_from_json, sentence_to_json

_JOINED = "schedules s LEFT JOIN schedule_goals g ON g.schedule_id = s.schedule_id"
_SCHEDULE = (
    "SELECT s.schedule_id, user_id, coalesce(name, ''), goal, cadence_json, notification_policy, status, created_at,"
    " updated_at, next_run_at, last_run_at, last_run_status, consecutive_failures, channel_id, channel_context_id,"
    " coalesce(g.trust, 'inner'), g.max_turns, g.max_cost"
    f" FROM {_JOINED}"
)
_KEPT = "deleted_at IS NULL"
_RUN = (
    "SELECT run_id, schedule_id, started_at, finished_at, status, coalesce(output_summary, ''), coalesce(output, ''),"
    " turn_count, cost, notified, sentence FROM schedule_runs"
)
_CLAIM = "SELECT schedule_id, run_id, holder, scheduled_for, started_at, expires_at, is_manual FROM schedule_claims"


def to_text(when: datetime) -> str:
    """Return an instant as it is stored."""
    return when.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def insert(connection: apsw.Connection, schedule: Schedule) -> None:
    """Store a new schedule."""
    connection.execute(
        "INSERT INTO schedules (schedule_id, user_id, name, goal, cadence_json, notification_policy, status,"
        " created_at, updated_at, next_run_at, channel_id, channel_context_id)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            schedule.id,
            schedule.user_id,
            schedule.name,
            schedule.goal,
            msgspec.json.encode(schedule.cadence).decode(),
            schedule.notification_policy,
            schedule.status,
            to_text(schedule.created_at),
            to_text(schedule.updated_at),
            _optional_text(schedule.next_run_at),
            schedule.channel_id,
            schedule.channel_context_id,
        ),
    )
    _set_goal(connection, schedule)


def get(connection: apsw.Connection, schedule_id: str) -> Schedule | None:
    """Return a schedule by its id."""
    row = connection.execute(f"{_SCHEDULE} WHERE s.schedule_id = ? AND {_KEPT}", (schedule_id,)).fetchone()
    return None if row is None else _schedule(row)


def is_stored(connection: apsw.Connection, schedule_id: str) -> bool:
    """Return whether there is a schedule of an id, deleted ones included."""
    sql = "SELECT 1 FROM schedules WHERE schedule_id = ?"
    return connection.execute(sql, (schedule_id,)).fetchone() is not None


def of_claim(connection: apsw.Connection, claim: ScheduleClaim) -> Schedule:
    """Return the schedule that a claim is on, which may be deleted."""
    return _schedule(connection.execute(f"{_SCHEDULE} WHERE s.schedule_id = ?", (claim.schedule_id,)).get)


def search(connection: apsw.Connection, wanted: ScheduleFilter, limit: int, offset: int) -> tuple[list[Schedule], int]:
    """Return a page of schedules, soonest first, and how many there are."""
    where, values = _where(wanted)
    total = int(connection.execute(f"SELECT count(*) FROM {_JOINED} WHERE {where}", values).get)
    rows = connection.execute(
        f"{_SCHEDULE} WHERE {where} ORDER BY next_run_at IS NULL, next_run_at, s.schedule_id"
        " LIMIT :limit OFFSET :offset",
        {**values, "limit": limit, "offset": offset},
    )
    return [_schedule(row) for row in rows], total


def count(connection: apsw.Connection, wanted: ScheduleFilter) -> int:
    """Return how many schedules a filter lets through."""
    where, values = _where(wanted)
    return int(connection.execute(f"SELECT count(*) FROM {_JOINED} WHERE {where}", values).get)


def update(connection: apsw.Connection, schedule: Schedule) -> None:
    """Store what a patch changed."""
    connection.execute(
        "UPDATE schedules SET name = ?, goal = ?, cadence_json = ?, notification_policy = ?, status = ?,"
        " updated_at = ?, next_run_at = ?, consecutive_failures = ?, channel_id = ?, channel_context_id = ?"
        " WHERE schedule_id = ?",
        (
            schedule.name,
            schedule.goal,
            msgspec.json.encode(schedule.cadence).decode(),
            schedule.notification_policy,
            schedule.status,
            to_text(schedule.updated_at),
            _optional_text(schedule.next_run_at),
            schedule.consecutive_failures,
            schedule.channel_id,
            schedule.channel_context_id,
            schedule.id,
        ),
    )


def update_goal(connection: apsw.Connection, schedule: Schedule) -> None:
    """Store what a patch changed, the limits of its goal among it."""
    update(connection, schedule)
    _set_goal(connection, schedule)


def set_next_run(connection: apsw.Connection, schedule_id: str, next_run_at: datetime | None) -> None:
    """Store when a schedule runs next."""
    connection.execute(
        "UPDATE schedules SET next_run_at = ? WHERE schedule_id = ?", (_optional_text(next_run_at), schedule_id)
    )


def delete(connection: apsw.Connection, schedule_id: str, at: datetime) -> None:
    """Delete a schedule with its runs, also one that goes on; ``bring_back`` undoes it."""
    connection.execute("UPDATE schedules SET deleted_at = ? WHERE schedule_id = ?", (to_text(at), schedule_id))


def bring_back(connection: apsw.Connection, schedule_id: str) -> None:
    """Bring a deleted schedule back with its runs and its claim."""
    connection.execute("UPDATE schedules SET deleted_at = NULL WHERE schedule_id = ?", (schedule_id,))


def due(connection: apsw.Connection, now: datetime, limit: int) -> list[Schedule]:
    """Return the active schedules that are due and not claimed, the longest waiting first."""
    rows = connection.execute(
        f"{_SCHEDULE} WHERE {_KEPT} AND status = 'active' AND next_run_at <= ? AND NOT EXISTS"
        " (SELECT 1 FROM schedule_claims c WHERE c.schedule_id = s.schedule_id)"
        " ORDER BY next_run_at, s.schedule_id LIMIT ?",
        (to_text(now), limit),
    )
    return [_schedule(row) for row in rows]


def next_due(connection: apsw.Connection, after: datetime | None = None) -> datetime | None:
    """Return the next run of all active schedules, after an instant if given."""
    row = connection.execute(
        f"SELECT min(next_run_at) FROM schedules s WHERE {_KEPT} AND status = 'active' AND next_run_at > ?"
        " AND NOT EXISTS (SELECT 1 FROM schedule_claims c WHERE c.schedule_id = s.schedule_id)",
        (_optional_text(after) or "",),
    ).fetchone()
    return None if row is None or row[0] is None else _instant(row[0])


def claim(connection: apsw.Connection, wanted: ScheduleClaim) -> bool:
    """Store a claim; False when another one stands."""
    connection.execute(
        "INSERT INTO schedule_claims (schedule_id, run_id, holder, scheduled_for, started_at, expires_at, is_manual)"
        " VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (schedule_id) DO NOTHING",
        (
            wanted.schedule_id,
            wanted.run_id,
            wanted.holder,
            to_text(wanted.scheduled_for),
            to_text(wanted.started_at),
            to_text(wanted.expires_at),
            wanted.is_manual,
        ),
    )
    return connection.changes() > 0


def claims(connection: apsw.Connection) -> list[ScheduleClaim]:
    """Return all claims, those of deleted schedules whose runs go on among them."""
    return [_claim(row) for row in connection.execute(f"{_CLAIM} ORDER BY started_at")]


def claim_of_run(connection: apsw.Connection, run_id: str) -> ScheduleClaim | None:
    """Return the claim of a run that goes on."""
    row = connection.execute(f"{_CLAIM} WHERE run_id = ?", (run_id,)).fetchone()
    return None if row is None else _claim(row)


def is_claimed(connection: apsw.Connection, schedule_id: str) -> bool:
    """Return whether a run of a schedule goes on."""
    sql = "SELECT 1 FROM schedule_claims WHERE schedule_id = ?"
    return connection.execute(sql, (schedule_id,)).fetchone() is not None


def extend_claim(connection: apsw.Connection, run_id: str, expires_at: datetime) -> None:
    """Let a claim hold for longer."""
    connection.execute("UPDATE schedule_claims SET expires_at = ? WHERE run_id = ?", (to_text(expires_at), run_id))


def shift_claims(connection: apsw.Connection, by: timedelta, now: datetime) -> None:
    """Move the ends of claims that were made before the clock jumped by some time."""
    for held in claims(connection):
        # Those that were made or extended since then fit the clock already.
        if held.expires_at <= now if by > timedelta() else held.started_at > now:
            extend_claim(connection, held.run_id, held.expires_at + by)


def release(connection: apsw.Connection, run_id: str) -> bool:
    """Remove the claim of a run; False where there is none."""
    connection.execute("DELETE FROM schedule_claims WHERE run_id = ?", (run_id,))
    return connection.changes() > 0


def insert_run(connection: apsw.Connection, run: ScheduleRun) -> None:
    """Store a run."""
    connection.execute(
        "INSERT INTO schedule_runs (run_id, schedule_id, started_at, finished_at, status, output_summary, output,"
        " turn_count, cost, notified, sentence) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            run.run_id,
            run.schedule_id,
            to_text(run.started_at),
            to_text(run.finished_at),
            run.status,
            str(run.output_summary),
            str(run.output),
            run.turn_count,
            run.cost,
            run.notified,
            sentence_to_json(run.output),
        ),
    )


def reschedule(
    connection: apsw.Connection, run: ScheduleRun, next_run_at: datetime | None, status: Status, failures: int
) -> None:
    """Store how the last run ended and when the next one comes."""
    connection.execute(
        "UPDATE schedules SET last_run_at = ?, last_run_status = ?, next_run_at = ?, status = ?,"
        " consecutive_failures = ? WHERE schedule_id = ?",
        (to_text(run.started_at), run.status, _optional_text(next_run_at), status, failures, run.schedule_id),
    )


def runs(connection: apsw.Connection, schedule_id: str | None, limit: int, before: str | None) -> list[ScheduleRun]:
    """Return runs, the latest first.

    Args:
        connection: A reader's connection.
        schedule_id: The schedule, ``None`` for all.
        limit: How many at most.
        before: The id of a run; only earlier ones are returned.
    """
    rows = connection.execute(
        f"{_RUN} WHERE (:schedule IS NULL OR schedule_id = :schedule)"
        f" AND schedule_id IN (SELECT schedule_id FROM schedules WHERE {_KEPT})"
        " AND (:before IS NULL OR (started_at, run_id) <"
        " (SELECT started_at, run_id FROM schedule_runs WHERE run_id = :before))"
        " ORDER BY started_at DESC, run_id DESC LIMIT :limit",
        {"schedule": schedule_id, "before": before, "limit": limit},
    )
    return [_run(row) for row in rows]


def run_by_id(connection: apsw.Connection, run_id: str) -> ScheduleRun | None:
    """Return a run by its id."""
    row = connection.execute(f"{_RUN} WHERE run_id = ?", (run_id,)).fetchone()
    return None if row is None else _run(row)


def prune(connection: apsw.Connection, schedule_id: str, keep: int) -> int:
    """Delete all but the latest runs of a schedule, and return how many went."""
    connection.execute(
        "DELETE FROM schedule_runs WHERE schedule_id = ?1 AND (started_at, run_id) <= (SELECT started_at, run_id"
        " FROM schedule_runs WHERE schedule_id = ?1 ORDER BY started_at DESC, run_id DESC LIMIT 1 OFFSET ?2)",
        (schedule_id, keep),
    )
    return connection.changes()


def _where(wanted: ScheduleFilter) -> tuple[str, dict[str, Any]]:
    # Not LIKE, whose patterns have a limited length.
    where = (
        f"{_KEPT} AND"
        " (:text = '' OR instr(lower(coalesce(name, '')), lower(:text)) OR instr(lower(goal), lower(:text)))"
        " AND (:status IS NULL OR status = :status) AND (:user IS NULL OR user_id = :user)"
        " AND (:trusts IS NULL OR coalesce(g.trust, 'inner') IN (SELECT value FROM json_each(:trusts)))"
    )
    trusts = None if wanted.trusts is None else msgspec.json.encode(wanted.trusts).decode()
    values = {"text": storable(wanted.text)[0], "status": wanted.status, "user": wanted.user_id, "trusts": trusts}
    return where, values


def _set_goal(connection: apsw.Connection, schedule: Schedule) -> None:
    if not schedule.is_built_in:
        connection.execute(
            "INSERT OR REPLACE INTO schedule_goals (schedule_id, trust, max_turns, max_cost) VALUES (?, ?, ?, ?)",
            (schedule.id, schedule.trust, schedule.max_turns, schedule.max_cost),
        )


def _instant(text: str) -> datetime:
    return datetime.fromisoformat(text)


def _optional(text: str | None) -> datetime | None:
    return None if text is None else _instant(text)


def _optional_text(when: datetime | None) -> str | None:
    return None if when is None else to_text(when)


def _schedule(row: tuple[Any, ...]) -> Schedule:
    return Schedule(
        row[0],
        row[1],
        row[2],
        row[3],
        msgspec.json.decode(row[4], type=Cadence),
        row[5],
        row[6],
        _instant(row[7]),
        _instant(row[8]),
        _optional(row[9]),
        _optional(row[10]),
        row[11],
        row[12],
        *row[13:18],
    )


def _run(row: tuple[Any, ...]) -> ScheduleRun:
    started, finished = _instant(row[2]), _instant(row[3])
    output = sentence_from_json(row[10], row[6])
    summary = output if row[5] == output else row[5]
    return ScheduleRun(row[0], row[1], started, finished, row[4], summary, output, row[7], row[8], bool(row[9]))


def _claim(row: tuple[Any, ...]) -> ScheduleClaim:
    return ScheduleClaim(row[0], row[1], row[2], _instant(row[3]), _instant(row[4]), _instant(row[5]), bool(row[6]))
