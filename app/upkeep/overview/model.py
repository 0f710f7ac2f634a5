"""Values of the overview: network, agents, backups, checks, jobs and disk."""

from dataclasses import dataclass
from datetime import datetime

from app.agents.model import ConnectedAgent
from app.core.network.network_log import NetworkUse
from app.upkeep.model import BackupInfo


@dataclass(frozen=True, slots=True)
class CheckRecord:
    """Outcome of the last check of a vault.

    Args:
        at: When it ended.
        ok: Whether it found no error.
        errors: How many errors it found.
        warnings: How many warnings.
    """

    at: datetime
    ok: bool
    errors: int = 0
    warnings: int = 0


@dataclass(frozen=True, slots=True)
class VerificationRecord:
    """Outcome of the last verification of a backup.

    Args:
        at: When it ended.
        name: The backup.
        ok: Whether it is whole.
        problem: What is wrong with it, in a sentence.
    """

    at: datetime
    name: str
    ok: bool
    problem: str = ""


@dataclass(frozen=True, slots=True)
class ScheduledWork:
    """A schedule with its last and its next run.

    Args:
        id: The schedule.
        name: Its name.
        is_on: Whether it runs by itself.
        last_at: When it last began.
        last_status: How that ended, ``""`` before the first run.
        summary: What came of it, in a sentence.
        next_at: When it runs next.
    """

    id: str
    name: str
    is_on: bool
    last_at: datetime | None = None
    last_status: str = ""
    summary: str = ""
    next_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class VaultOverview:
    """Overview of a vault's privacy and safety at this moment.

    Args:
        since: Since when requests over a network are counted.
        network: Requests over a network, by host and purpose.
        services: Remote services that the settings let Keepsake use.
        agents: Agents that are connected now.
        waiting: Programs that wait to be let in.
        backups: How many backups there are.
        last_backup: The newest one.
        verified: The last verification of a backup.
        check: The last check of the vault.
        embedder: What makes its vectors.
        chunks: Search entries.
        pending: Those that wait for a vector.
        withheld: Private ones without a vector, because they are not sent to a remote service.
        names: Texts that wait to be read for names.
        has_model: Whether a language model is set up.
        spent: What it cost this month.
        cap: What it may cost a month, 0 for no limit.
        work: Schedules that are on or have run, soonest first.
        paused_until: When a pause of all schedules ends.
        vault: Its folder.
        vault_bytes: Its size on disk.
        free_bytes: Free space of its disk.
        disk_bytes: Size of its disk.
        read_only: Why nothing can be written, in a sentence; empty where all is well.
        notes: Sentences about what does not work at the moment.
    """

    since: datetime
    network: tuple[NetworkUse, ...]
    services: tuple[str, ...]
    agents: tuple[ConnectedAgent, ...]
    waiting: int
    backups: int
    last_backup: BackupInfo | None
    verified: VerificationRecord | None
    check: CheckRecord | None
    embedder: str
    chunks: int
    pending: int
    withheld: int
    names: int
    has_model: bool
    spent: float
    cap: float
    work: tuple[ScheduledWork, ...]
    paused_until: datetime | None
    vault: str
    vault_bytes: int
    free_bytes: int
    disk_bytes: int
    read_only: str = ""
    notes: tuple[str, ...] = ()
