"""Values of the archive."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from app.core.stores import StoreName
from app.memories.model import Kind, Memory

DueState = Literal["deleted", "expired", "old"]


@dataclass(frozen=True, slots=True)
class ArchivedMemory:
    """A memory in the archive as a list shows it.

    ``was_deleted`` says that it came from the trash.
    """

    id: str
    kind: Kind
    title: str
    preview: str
    store: StoreName
    source: str
    reason: str
    archived_at: datetime
    created_at: datetime
    updated_at: datetime
    was_deleted: bool


@dataclass(frozen=True, slots=True)
class Archived:
    """A memory in the archive, as it was when it was put there."""

    memory: Memory
    archived_at: datetime
    reason: str


@dataclass(frozen=True, slots=True)
class ArchiveFilter:
    """A filter for archived memories.

    Empty fields do not filter; every word of ``text`` must stand in the memory.
    """

    text: str = ""
    kinds: tuple[Kind, ...] = ()


@dataclass(frozen=True, slots=True)
class MovedMemories:
    """Memories moved into the archive, and the run that undoes it.

    ``skipped`` counts those that were gone, unseen or there already.
    """

    run_id: str
    ids: tuple[str, ...]
    skipped: int = 0
