"""Parts of upkeep: checks and repairs, and backups."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from app.config import diagnosis
from app.config.config import Config
from app.entities.parts import EntityParts
from app.inbox.service import InboxService
from app.index.worker import IndexWorker
from app.runtime import Runtime
from app.upkeep.backup_service import BackupService
from app.upkeep.enrichment import Enrichment, EnrichmentOptions
from app.upkeep.housekeeping import Housekeeping
from app.upkeep.merge_proposals import MergeProposals
from app.upkeep.model import Finding
from app.upkeep.service import UpkeepService
from app.upkeep.upkeep_job import UpkeepJob


@dataclass(frozen=True, slots=True)
class UpkeepParts:
    """Parts of upkeep.

    Args:
        service: Status, check, repair and reindexing of the vault.
        backups: Backups of the vault.
        jobs: Jobs that run at their times.
        merges: Proposes merges of entities.
    """

    service: UpkeepService
    backups: BackupService
    jobs: tuple[UpkeepJob, ...]
    merges: MergeProposals


def build(
    runtime: Runtime,
    worker: IndexWorker,
    failures: Callable[[], Sequence[str]],
    entities: EntityParts,
    inbox: InboxService,
) -> UpkeepParts:
    """Build the parts of upkeep.

    Args:
        runtime: What all parts share.
        worker: The worker of the index.
        failures: Returns a sentence about each part that does not work.
        entities: People, places and organisations.
        inbox: The person's inbox.
    """
    store, clock, config = runtime.store, runtime.clock, runtime.config
    model, settings = partial(config.text, "embedding.model"), partial(_settings_findings, config)
    backups = BackupService(store, clock, config, runtime.publish, runtime.jobs)
    housekeeping = Housekeeping(
        store, backups, partial(config.flag, "housekeeping.enabled"), partial(config.text, "housekeeping.time")
    )
    service = UpkeepService(store, worker, runtime.jobs, model, failures, clock, settings)
    merges = MergeProposals(store, clock, entities.duplicates, entities.service, inbox)
    enrichment = Enrichment(entities.enrichment, merges, partial(_enrichment_options, config))
    return UpkeepParts(service, backups, (housekeeping, enrichment), merges)


def _enrichment_options(config: Config) -> EnrichmentOptions:
    return EnrichmentOptions(
        config.flag("enrichment.enabled"),
        config.text("enrichment.time"),
        config.whole("enrichment.max_entities"),
        config.whole("enrichment.limit"),
    )


def _settings_findings(config: Config) -> list[Finding]:
    return [Finding("settings", item.severity, item.what, item.remedy) for item in diagnosis.findings(config)]
