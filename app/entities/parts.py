"""Parts of the entities: people, places and organisations, and the worker that recognises their names."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from app.changes import Area, ChangeSet
from app.entities.duplicates.service import NearDuplicateService
from app.entities.enrichment.service import EnrichmentService
from app.entities.mention_worker import ACTOR, MentionWorker
from app.entities.ner.language_model_provider import LanguageModelProvider
from app.entities.ner.spacy_provider import SpacyProvider
from app.entities.ner.strategy import AccurateStrategy
from app.entities.queries.entity_queries import EntityQueries
from app.entities.queries.linked_notes import TitleLinks
from app.entities.service import EntityService
from app.jobs import BackgroundJob, LoopWake
from app.llm.chat_model import ChatModel
from app.llm.prompts import load_prompt
from app.part import BackgroundTask, Part
from app.runtime import Runtime

_LISTED_FROM = 200  # texts left to read; fewer are done before a person could look
_READ: Final[frozenset[Area]] = frozenset({"messages", "memories"})


@dataclass(frozen=True, slots=True)
class EntityParts(Part):
    """Parts of the entities.

    Args:
        service: Entities and the person's decisions about them.
        queries: Lists, profiles and the graph.
        worker: Recognises names in the background.
        enrichment: Searches texts with few names again.
        duplicates: Finds entities that may be one.
    """

    service: EntityService
    queries: EntityQueries
    worker: MentionWorker
    enrichment: EnrichmentService
    duplicates: NearDuplicateService

    def tasks(self) -> Sequence[BackgroundTask]:
        """Return the recognition of names."""
        return (BackgroundTask("entities", self.worker.run, is_reading=True),)

    @property
    def failures(self) -> Sequence[str]:
        """Why names are not recognised."""
        return (self.worker.failure,)

    def on_change(self, changes: ChangeSet) -> None:
        """Wake the worker for new texts, and after a person's decision about an entity."""
        is_decided = "entities" in changes.areas and changes.actor != ACTOR
        if is_decided or changes.areas & _READ:
            self.worker.wake(decided=is_decided)


def build(
    runtime: Runtime, index_ready: Callable[[], Awaitable[None]], chat: ChatModel, title_links: TitleLinks
) -> EntityParts:
    """Build the parts of the entities.

    Args:
        runtime: What all parts share.
        index_ready: Returns once the index, which goes first, is up to date.
        chat: The language model.
        title_links: Finds links between notes.
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
    store, config = runtime.store, runtime.config
    spacy = SpacyProvider(partial(config.text, "ner.spacy_pipeline"))
    strategy = AccurateStrategy(spacy, LanguageModelProvider(chat, _instructions), partial(config.flag, "ner.accurate"))
    return EntityParts(
        EntityService(store, runtime.clock),
        EntityQueries(store, title_links),
        worker,
        EnrichmentService(store, runtime.clock, strategy),
        NearDuplicateService(store),
    )


def _instructions() -> str:
    return load_prompt("find-names").text
