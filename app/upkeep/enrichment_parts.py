"""Parts of enrichment: the job, and the merges that it proposes."""

from dataclasses import dataclass
from functools import partial

import apsw

from app.changes import Area
from app.config.config import Config
from app.entities.duplicates.joins import Joins
from app.entities.parts import EntityParts
from app.inbox.service import KEEPSAKE, InboxService
from app.runtime import Runtime
from app.store.store import Store
from app.upkeep.enrichment import Enrichment, EnrichmentOptions
from app.upkeep.merge_proposals import MergeProposals


@dataclass(frozen=True, slots=True)
class EnrichmentParts:
    """Parts of enrichment.

    Args:
        job: The job.
        merges: Proposes merges of entities.
        entities: Its links are taken back together with the proposals.
        store: The vault's database.
    """

    job: Enrichment
    merges: MergeProposals
    entities: EntityParts
    store: Store

    async def undo_run(self, run_id: str) -> frozenset[Area]:
        """Take back the links and proposals of a run in one transaction; see ``RunUndoer``."""

        def work(connection: apsw.Connection) -> frozenset[Area]:
            links = self.entities.enrichment.undo_run(connection, run_id)
            proposals = self.merges.undo_run(connection, run_id)
            changed: list[tuple[Area, object]] = [("entities", links), ("inbox", proposals)]
            return frozenset(area for area, count in changed if count)

        return await self.store.write(work)


def build(runtime: Runtime, entities: EntityParts, inbox: InboxService) -> EnrichmentParts:
    """Build the parts of enrichment.

    Args:
        runtime: What all parts share.
        entities: People, places and organisations.
        inbox: The person's inbox.
    """
    merges = MergeProposals(runtime.store, runtime.clock, entities.duplicates, entities.service, inbox)
    joins = Joins(runtime.store, runtime.clock, entities.duplicates, KEEPSAKE)
    job = Enrichment(entities.enrichment, joins, merges, partial(_options, runtime.config))
    return EnrichmentParts(job, merges, entities, runtime.store)


def _options(config: Config) -> EnrichmentOptions:
    return EnrichmentOptions(
        config.flag("enrichment.enabled"),
        config.text("enrichment.time"),
        config.whole("enrichment.max_entities"),
        config.whole("enrichment.limit"),
    )
