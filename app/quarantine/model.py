"""Values of undoing and hiding what an agent wrote."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from app.history.model import SkippedItem, TargetKind

WorkState = Literal["finished", "cancelled", "preview"]


@dataclass(frozen=True, slots=True)
class AgentRun:
    """Outcome of undoing, hiding or releasing an agent's writes.

    Args:
        agent: The agent's name.
        run_id: The run that undoes this as one, with ``memory.undo``; ``""`` when nothing was done.
        changes: Recorded changes that were made.
        memories: Memories concerned.
        sessions: Conversations concerned.
        entities: People and things concerned.
        schedules: Schedules concerned.
        searches: Saved searches concerned.
        skipped: The first of the items that were left as they are, with the reasons.
        skipped_count: How many were left.
        left: Changes not looked at because it was cancelled; call again to go on.
        state: Whether it came to its end, was cancelled, or only looked.
    """

    agent: str
    run_id: str
    changes: int
    memories: int
    sessions: int
    entities: int
    schedules: int
    searches: int
    skipped: tuple[SkippedItem, ...]
    skipped_count: int
    left: int
    state: WorkState


@dataclass(frozen=True, slots=True)
class QuarantinedItem:
    """An item in quarantine, such as a memory or conversation.

    Args:
        target: Its id.
        target_kind: ``memory``, ``session``, ``entity``, ``schedule`` or ``saved_search``.
        kind: The kind of the memory, the type of an entity, ``target_kind`` of anything else; ``relations`` for an
            entity that is there, of which something that was stated is hidden.
        title: Its title or name, else how its text begins.
        store: The store of a memory.
        at: Since when it is hidden.
    """

    target: str
    target_kind: TargetKind
    kind: str
    title: str
    store: str
    at: datetime
