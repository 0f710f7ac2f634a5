"""Erasure of a schedule of the person or an agent, with its runs."""

from typing import Final

from app.erasure.rows_eraser import RowsEraser
from app.schedule.model import BUILT_IN

SCHEDULE_ERASER: Final = RowsEraser(
    kind="schedule",
    own=(
        ("schedule_runs", "schedule_id = :id"),
        ("schedule_notes", "schedule_id = :id"),
        ("schedule_claims", "schedule_id = :id"),
        ("schedule_goals", "schedule_id = :id"),
        ("schedules", f"schedule_id = :id AND user_id <> '{BUILT_IN}'"),
    ),
    said=(
        "SELECT name, goal, channel_id, channel_context_id FROM schedules WHERE schedule_id = :id",
        # Their sentences have the same words; copies of an earlier schema lack those columns.
        "SELECT output_summary, output FROM schedule_runs WHERE schedule_id = :id",
        "SELECT text FROM schedule_notes WHERE schedule_id = :id",
    ),
    hidden=(
        "UPDATE schedules SET deleted_at = strftime('%Y-%m-%dT%H:%M:%SZ', :at / 1000, 'unixepoch')"
        " WHERE schedule_id = :id AND deleted_at IS NULL"
    ),
    states=("name", "goal", "channel_id", "channel_context_id"),
)
