"""Values of the history: events and entries."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, Literal

TargetKind = Literal["memory", "session", "entity", "proposal", "schedule", "saved_search", "inbox_rule"]
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

UNDO: Final = "undo:"
"""Stands before the run that an undo takes back, in the name of its own run."""
QUARANTINE: Final = "quarantine:"
"""The prefix of the ids of runs that put what an agent wrote into quarantine."""


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """One recorded change.

    Args:
        target: Id of the memory, session, entity, proposal, schedule, saved search or inbox rule.
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


@dataclass(frozen=True, slots=True)
class ChangedItem:
    """One change of a run.

    Args:
        action: A verb: ``add``, ``change``, ``set aside``, ``compress``, ``archive``, ``lower`` and the like.
        id: What was changed.
        title: Its title or first words.
        detail: What became of it, in a few words.
        undone: Whether the change was undone.
        history_id: The entry of the history; ``None`` for changes that make none, such as lower confidences.
        target_kind: ``memory``, ``session``, ``entity``, ``proposal``, ``schedule``, ``saved_search`` or
            ``inbox_rule``.
    """

    action: str
    id: str
    title: str
    detail: str = ""
    undone: bool = False
    history_id: int | None = None
    target_kind: TargetKind = "memory"


@dataclass(frozen=True, slots=True)
class RunChanges:
    """Changes of a run that have no entry in the history and still count.

    Args:
        counts: How many of each action.
        changes: One page of them.
        next: Where the next page begins, ``None`` after the last.
    """

    counts: dict[str, int] = field(default_factory=dict)
    changes: tuple[ChangedItem, ...] = ()
    next: int | None = None


@dataclass(frozen=True, slots=True)
class RunReport:
    """A page of the changes of a run.

    Args:
        run_id: The run.
        counts: How many changes of each action the run made that still stand.
        items: One page of the changes, in the order in which they were made.
        cursor: Where the next page begins, ``""`` after the last.
    """

    run_id: str
    counts: dict[str, int]
    items: tuple[ChangedItem, ...]
    cursor: str = ""
