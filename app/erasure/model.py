"""Values of erasure: receipts, targets, remaining references.

None of them contains any of the erased text.
"""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

TargetKind = Literal["memory", "session", "schedule", "saved_search", "entity"]
BackupChoice = Literal["keep", "rewrite", "delete"]
BackupOutcome = Literal["kept", "rewritten", "deleted", "unreadable", "incomplete"]
ErasureMethod = Literal["overwritten in place", "file rewritten", "nothing to look for", "not verified"]


@dataclass(frozen=True, slots=True)
class RemainingReference:
    """A remaining row that contains the same text or refers to the target.

    Args:
        table: Where.
        id: Whose, ``""`` when the row has no id.
        why: ``quotes it``, ``was drawn from it``, ``was superseded by it`` or ``has a name from it``.
    """

    table: str
    id: str
    why: str


@dataclass(frozen=True, slots=True)
class BackupFile:
    """A backup that held what was forgotten, by file name, and what became of it.

    ``incomplete``: it was written anew without it, and something of it was found in the new file all the same.
    """

    name: str
    outcome: BackupOutcome


@dataclass(frozen=True, slots=True)
class ErasureReceipt:
    """Receipt of an erasure.

    Args:
        id: Of this forgetting.
        ids: The memories, schedules and saved searches.
        sessions: The conversations.
        entities: People and things whose names it had, of which all that was recorded until then is forgotten too.
        at: When it was asked.
        finished_at: When it was done, ``None`` while it is pending: the next start of the vault finishes it.
        removed: How many rows went from each table.
        looked_for: Distinct strings of the text that were searched in the raw bytes of the database and its log.
        verified: None of them is there any more, but where somebody else's text says the same, and no name from it
            stays that nothing else mentions; nor is any left in a backup that was written anew.
        how: What it took.
        left: What else quotes or refers to it, and is not touched.
        backups: Backup files that held it.
        choice: What was to become of them.
        notes: Sentences for the person.
    """

    id: str
    ids: tuple[str, ...]
    sessions: tuple[str, ...]
    by: str
    at: datetime
    entities: tuple[str, ...] = ()
    finished_at: datetime | None = None
    removed: dict[str, int] = field(default_factory=dict)
    looked_for: int = 0
    verified: bool = False
    how: ErasureMethod = "not verified"
    left: tuple[RemainingReference, ...] = ()
    backups: tuple[BackupFile, ...] = ()
    choice: BackupChoice = "keep"
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ErasureTarget:
    """Target of an erasure; of an entity that is its history.

    An entity itself is there as long as a text mentions it. What is recorded of it later stays.
    """

    kind: TargetKind
    id: str
