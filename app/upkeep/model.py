"""Values of upkeep: status, statistics, findings, backups and repairs."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from app.changes import Progress
from app.core.facets import Facet

Severity = Literal["error", "warning"]


@dataclass(frozen=True, slots=True)
class FileSize:
    """The size of one file or folder of the vault, in bytes."""

    name: str
    bytes: int


@dataclass(frozen=True, slots=True)
class VaultStats:
    """Counts of all that a vault holds, and its size on disk.

    Args:
        memories: Active ones; ``kinds`` and ``stores`` count them by kind and by store.
        entities: Names in use; those merged into another one do not count.
        chunks: Search entries.
        embedded: Chunks that have a vector.
        pending: Chunks that wait for a vector.
        disk_bytes: Size of the database and its log.
        files: Size of each file and folder of the vault, the largest first.
    """

    sessions: int
    messages: int
    memories: int
    kinds: tuple[Facet, ...]
    stores: tuple[Facet, ...]
    entities: int
    chunks: int
    embedded: int
    pending: int
    disk_bytes: int
    files: tuple[FileSize, ...] = ()


@dataclass(frozen=True, slots=True)
class VaultStatus:
    """Current status of the vault.

    Args:
        vault: Its folder.
        version: Keepsake's version.
        schema: The number of the vault's schema.
        embedder: What makes its vectors.
        notes: Sentences about what does not work at the moment.
        isolated: Agents whose own vaults are open.
        read_only: Why nothing can be written, in a sentence; empty where all is well.
        pending_names: About how many messages and memories are still to be read for names.
        running: Names of the schedules that run now.
        next_name: The name of the schedule that runs next, ``""`` where none does.
        next_at: When it runs.
        agents: Names of the agents that are connected now.
    """

    vault: str
    version: str
    schema: int
    embedder: str
    sessions: int
    memories: int
    total_chunks: int
    pending_vectors: int
    jobs: tuple[Progress, ...] = ()
    notes: tuple[str, ...] = ()
    isolated: tuple[str, ...] = ()
    read_only: str = ""
    pending_names: int = 0
    running: tuple[str, ...] = ()
    next_name: str = ""
    next_at: datetime | None = None
    agents: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing a check found.

    Args:
        area: Where: ``database``, ``references``, ``words``, ``vectors``, ``names``, ``files``, ``settings``,
            ``backups``.
        what: What is wrong, in a sentence.
        remedy: What to do about it.
        is_mended_by_repair: Whether ``vault.repair`` puts it right.
    """

    area: str
    severity: Severity
    what: str
    remedy: str
    is_mended_by_repair: bool = False


@dataclass(frozen=True, slots=True)
class CheckReport:
    """Report of a check of the vault; ``ok`` when it has no error."""

    ok: bool
    findings: tuple[Finding, ...]
    seconds: float


@dataclass(frozen=True, slots=True)
class RepairReport:
    """Report of a repair.

    Args:
        mended: What it found and put right, a sentence each; only derived data was made anew.
        left: What it could not put right.
        ok: Whether nothing is an error any more.
    """

    ok: bool
    mended: tuple[str, ...]
    left: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class BackupInfo:
    """One backup.

    Args:
        name: Its file name in the vault's ``backups``.
        path: Where it is.
        created_at: When it was made.
        reason: ``daily``, ``manual``, ``before-migration``, ``before-import``, ``before-restore`` or ``unknown``.
        bytes: Its size.
        schema: The number of its schema, 0 when it cannot be read.
        is_damaged_original: Whether it is a folder with the files of a database too damaged to be copied, kept by a
            restore; only ``keepsake salvage`` can do anything with it.
        is_locked: Whether it is encrypted and was listed without the vault's key.
    """

    name: str
    path: str
    created_at: datetime
    reason: str
    bytes: int
    schema: int
    is_damaged_original: bool = False
    is_locked: bool = False


@dataclass(frozen=True, slots=True)
class BackupCheck:
    """Result of the verification of a backup.

    Args:
        name: Its file name, or its path when it lies elsewhere.
        ok: Whether it is whole and can be restored by this program.
        problem: What is wrong with it, in a sentence; empty when nothing is.
        vault_id: The id of the vault it was made of; empty for those without one.
        schema: The number of its schema.
        sessions: Conversations in it, without forgotten ones.
        messages: Their messages.
        memories: Notes, facts and the like, without deleted ones.
        newest_at: When the newest message or memory was written.
    """

    name: str
    ok: bool
    problem: str
    vault_id: str
    schema: int
    sessions: int
    messages: int
    memories: int
    newest_at: datetime | None


@dataclass(frozen=True, slots=True)
class BackupStatus:
    """State of the vault's backups.

    Args:
        folder: Where they are; it may not be there before the first one.
        restore_waits: Whether one is to take the vault's place at the next start.
        failure: Why the last daily backup failed; empty where it did not.
    """

    folder: str
    restore_waits: bool
    failure: str


@dataclass(frozen=True, slots=True)
class ContentDifference:
    """Content that only one of two databases has.

    Args:
        sessions: Conversations that the other one has not.
        messages: Messages that the other one has not, in these and in conversations that both have.
        memories: Notes, facts and the like that the other one has not.
        titles: Titles of the newest of these conversations and memories.
    """

    sessions: int
    messages: int
    memories: int
    titles: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RestorePreview:
    """Changes that the restore of a backup would make.

    Args:
        backup: The verified backup.
        lost: What the vault has and the backup has not.
        regained: What the backup has and the vault has not, or not any more.
        changed: Memories that both have, in different versions.
    """

    backup: BackupCheck
    lost: ContentDifference
    regained: ContentDifference
    changed: int


@dataclass(frozen=True, slots=True)
class RestoredVault:
    """A finished restore.

    Args:
        backup: What the vault holds now.
        kept: Where the database that was there before is now; empty where there was none.
    """

    backup: BackupCheck
    kept: str


@dataclass(frozen=True, slots=True)
class RestorePlan:
    """A staged restore, which takes effect at the next start of Keepsake.

    Until then ``backup.cancel_restore`` cancels it.

    Args:
        backup: What takes the vault's place; what is there now becomes a backup itself.
        remark: What to do next, in a sentence.
    """

    backup: BackupCheck
    remark: str


@dataclass(frozen=True, slots=True)
class UndoneNight:
    """Outcome of an undo of the latest runs.

    Args:
        runs: The runs of which something was undone, the latest first.
        entries: How many changes were undone.
        left: Runs of which all that they changed was changed again since; it stays as it is.
    """

    runs: tuple[str, ...] = ()
    entries: int = 0
    left: tuple[str, ...] = ()
