"""Parts of the entities: people, places and organisations, and the worker that recognises their names."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from app.changes import ChangeSet
from app.entities.mention_worker import ACTOR, MentionWorker
from app.entities.queries.entity_queries import EntityQueries
from app.entities.service import EntityService
from app.jobs import BackgroundJob, LoopWake
from app.runtime import Runtime

_LISTED_FROM = 200  # texts left to read; fewer are done before a person could look


@dataclass(frozen=True, slots=True)
class EntityParts:
    """Parts of the entities.

    Args:
        service: Entities and the person's decisions about them.
        queries: Lists, profiles and the graph.
        worker: Recognises names in the background.
    """

    service: EntityService
    queries: EntityQueries
    worker: MentionWorker

    def on_change(self, changes: ChangeSet) -> None:
        """Wake the worker after a person's decision about an entity."""
        if "entities" in changes.areas and changes.actor != ACTOR:
            self.worker.wake(decided=True)


def build(runtime: Runtime, index_ready: Callable[[], Awaitable[None]]) -> EntityParts:
    """Build the parts of the entities.

    Args:
        runtime: What all parts share.
        index_ready: Returns once the index, which goes first, is up to date.
    """
    resumed = LoopWake(runtime.loop)
    worker = MentionWorker(
        runtime.store,
        runtime.clock,
        runtime.publish,
        index_ready,
        batch=runtime.config.whole("ner.batch"),
        trace=runtime.trace,
        job=BackgroundJob(runtime.jobs, "names", "Recognising names", "texts", resumed, _LISTED_FROM),
    )
    resumed.connect(worker.wake)
    return EntityParts(EntityService(runtime.store, runtime.clock), EntityQueries(runtime.store), worker)
