"""Values of the history: events and entries."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Literal

TargetKind = Literal["memory", "session", "entity", "proposal", "schedule", "saved_search"]
Event = Literal[
    "ADD",
    "UPDATE",
    "DELETE",
    "RESTORE",
    "FORGET",
    "RENAME",
    "COMPRESS",
    "CONFIRM",
    "MERGE",
    "MENTION",
    "ARCHIVE",
    "CLEAN",
    "ACCEPT",
    "REJECT",
]

QUARANTINE: Final = "quarantine:"
"""The prefix of the ids of runs that put what an agent wrote into quarantine."""


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """One recorded change.

    Args:
        target: Id of the memory, session, entity, proposal, schedule or saved search.
        before: The state before, ``None`` for a creation; a memory's fields as stored.
        after: The state after, ``None`` for a deletion.
        run_id: The upkeep run or bulk action it belongs to.
        undone_by: The entry that undid it, ``None`` while it stands.
    """

    id: int
    target_kind: TargetKind
    target: str
    event: Event
    at: datetime
    actor: str
    before: dict[str, Any] | None = None
    after: dict[str, Any] | None = None
    run_id: str | None = None
    undone_by: int | None = None


@dataclass(frozen=True, slots=True)
class SkippedItem:
    """An item that a bulk undo left as it is, with the reason."""

    target_kind: TargetKind
    target: str
    reason: str
