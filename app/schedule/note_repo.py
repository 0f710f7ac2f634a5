"""SQL of the notes about schedules that the person is to see."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

import apsw

from app.schedule.model import NoteKind, ScheduleNote
from app.schedule.repo import to_text
from app.sentence_codec import sentence_from_json, sentence_to_json

KEPT: Final = 500  # notes that wait at most; older ones tell nothing new


def insert(
    connection: apsw.Connection, schedule_id: str, run_id: str | None, kind: NoteKind, text: str, made_at: datetime
) -> None:
    """Store a note."""
    connection.execute(
        "INSERT INTO schedule_notes (schedule_id, run_id, kind, text, sentence, made_at) VALUES (?, ?, ?, ?, ?, ?)",
        (schedule_id, run_id, kind, str(text), sentence_to_json(text), to_text(made_at)),
    )
    note_id = connection.last_insert_rowid()
    connection.execute(
        "DELETE FROM schedule_notes WHERE id <= ? AND (shown_at IS NOT NULL OR id <= ?)", (note_id - 50, note_id - KEPT)
    )


def waiting(connection: apsw.Connection, limit: int) -> list[ScheduleNote]:
    """Return the notes that wait to be shown, oldest first."""
    rows = connection.execute(
        "SELECT id, schedule_id, run_id, kind, text, sentence, made_at FROM schedule_notes n WHERE shown_at IS NULL"
        " AND NOT EXISTS (SELECT 1 FROM schedules s WHERE s.schedule_id = n.schedule_id AND deleted_at IS NOT NULL)"
        " ORDER BY id LIMIT ?",
        (limit,),
    )
    return [
        ScheduleNote(note_id, schedule, run, kind, sentence_from_json(sentence, text), datetime.fromisoformat(made_at))
        for note_id, schedule, run, kind, text, sentence, made_at in rows
    ]


def mark_shown(connection: apsw.Connection, ids: Sequence[int], at: datetime) -> list[str]:
    """Record that the person was shown notes; return the schedule of each new one."""
    shown_ids = []
    for note_id in ids:
        rows = connection.execute(
            "UPDATE schedule_notes SET shown_at = ? WHERE id = ? AND shown_at IS NULL RETURNING schedule_id, run_id",
            (to_text(at), note_id),
        ).fetchall()
        for schedule_id, run_id in rows:
            shown_ids.append(str(schedule_id))
            connection.execute("UPDATE schedule_runs SET notified = 1 WHERE run_id = ?", (run_id,))
    return shown_ids
