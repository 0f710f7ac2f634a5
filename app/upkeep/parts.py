"""Parts of upkeep: checks and repairs, and backups."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from app.config import diagnosis
from app.config.config import Config
from app.embed.remote.api_keys import ApiKeys
from app.index.generations.service_keys import missing_keys
from app.index.worker import IndexWorker
from app.part import BackgroundTask, Part
from app.runtime import Runtime
from app.sentence import Sentence
from app.upkeep.backups.backup_service import BackupService
from app.upkeep.housekeeping import Housekeeping, Retry
from app.upkeep.model import Finding
from app.upkeep.service import UpkeepService
from app.upkeep.upkeep_job import UpkeepJob


@dataclass(frozen=True, slots=True)
class UpkeepParts(Part):
    """Parts of upkeep.

    Args:
        service: Status, check, repair and reindexing of the vault.
        backups: Backups of the vault.
        jobs: Jobs that run at their times.
        config: The vault's settings.
        read_names_again: Lets everything be read for names again.
    """

    service: UpkeepService
    backups: BackupService
    jobs: tuple[UpkeepJob, ...]
    config: Config
    read_names_again: Retry

    def tasks(self) -> Sequence[BackgroundTask]:
        """Return what a vault needs after it was opened, and the daily backup."""
        return (
            BackgroundTask("care", partial(self.service.begin, self.read_names_again)),
            BackgroundTask("backups", self.backups.run),
        )

    @property
    def failures(self) -> Sequence[str]:
        """Sentences about settings that do not count, and about backups."""
        settings = (Sentence("{why} Another value counts.", why=fault.sentence) for fault in self.config.faults)
        return (*settings, *self.backups.notes())


def build(
    runtime: Runtime,
    worker: IndexWorker,
    failures: Callable[[], Sequence[str]],
    retry_vectors: Retry,
    read_names_again: Retry,
    keys: ApiKeys,
    *other_jobs: UpkeepJob,
) -> UpkeepParts:
    """Build the parts of upkeep.

    Args:
        runtime: What all parts share.
        worker: The worker of the index.
        failures: Returns a sentence about each part that does not work.
        retry_vectors: Lets texts be embedded again for which that failed.
        read_names_again: Lets everything be read for names again.
        keys: Keys of the services that the settings name.
        other_jobs: Jobs that are built elsewhere.
    """
    store, clock, config = runtime.store, runtime.clock, runtime.config
    model, settings = partial(config.text, "embedding.model"), partial(_settings_findings, config, keys)
    backups = BackupService(store, clock, config, runtime.publish, runtime.jobs)
    service = UpkeepService(store, worker, runtime.jobs, model, failures, clock, settings)
    housekeeping = Housekeeping(
        store,
        backups,
        service,
        clock,
        retry_vectors,
        read_names_again,
        partial(config.flag, "housekeeping.enabled"),
        partial(config.text, "housekeeping.time"),
    )
    return UpkeepParts(service, backups, (housekeeping, *other_jobs), config, read_names_again)


def _settings_findings(config: Config, keys: ApiKeys) -> list[Finding]:
    """Return what is wrong with the settings; may ask the keyring."""
    findings = [Finding("settings", item.severity, item.what, item.remedy) for item in diagnosis.findings(config)]
    # What is stored is sound without the key of a service, which may be on another machine of the person.
    missing = [Finding("settings", "warning", item.what, item.remedy) for item in missing_keys(config, keys)]
    return [*findings, *missing]
