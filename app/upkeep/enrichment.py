"""Enrichment job: texts with few names are searched again, and merges of near-duplicate entities proposed."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Final

from app.changes import ChangeSet
from app.core.stores import STORES, StoreName
from app.core.text import excerpt
from app.entities.duplicates.joins import Joins
from app.entities.duplicates.model import NearDuplicate
from app.entities.enrichment.service import EnrichedText, EnrichmentService
from app.entities.model import OwnerKind
from app.llm.model import Usage
from app.schedule.model import Cadence, JobResult, Sharing
from app.sentence import Sentence, as_sentence, counted_sentence, joined
from app.upkeep.merge_proposals import MergeProposals
from app.upkeep.upkeep_job import PlannedChange, UpkeepPlan, UpkeepRun, daily

_SHOWN: Final = 50  # changes of a plan
_MOST_FAILURES: Final = 3  # one after the other; then the model is left alone for this run
_TITLE: Final = 120


@dataclass(frozen=True, slots=True)
class EnrichmentOptions:
    """Settings of enrichment.

    Args:
        is_enabled: Whether it runs by itself.
        time: Its time of day, such as ``02:00``.
        most_names: Entities up to which a text has few.
        limit: Texts searched in one run.
    """

    is_enabled: bool = True
    time: str = "02:00"
    most_names: int = 2
    limit: int = 50


@dataclass(slots=True)
class _Progress:
    """Counts of a run so far."""

    searched: int = 0
    links: int = 0
    turns: int = 0
    joined: int = 0
    parted: int = 0
    proposed: int = 0
    usage: Usage = field(default_factory=Usage)
    withheld: set[StoreName] = field(default_factory=set)
    failed: list[tuple[OwnerKind, str]] = field(default_factory=list)
    refusal: str = ""
    refusals: int = 0  # one after the other

    @property
    def asks_model(self) -> bool:
        return self.refusals < _MOST_FAILURES


class Enrichment:
    """The nightly search for names, and for entities that may be one.

    Args:
        service: Searches texts.
        joins: Joins names of one person.
        merges: Proposes merges.
        options: Returns the settings.
    """

    name = "enrichment"
    title = "Search for names"
    goal = "Search texts with few names again, join names of one person, and propose to merge entities that may be one."
    unit = "texts"
    sharing: Sharing = "part"

    def __init__(
        self,
        service: EnrichmentService,
        joins: Joins,
        merges: MergeProposals,
        options: Callable[[], EnrichmentOptions],
    ) -> None:
        self._service = service
        self._joins = joins
        self._merges = merges
        self._options = options

    def cadences(self) -> tuple[Cadence, ...]:
        """Return its time of day; see ``UpkeepJob``."""
        return (daily(self._options().time),)

    def is_enabled(self) -> bool:
        """Return whether the settings let it run by itself."""
        return self._options().is_enabled

    def is_harmless(self) -> bool:
        """Return True: names that both join are joined once."""
        return True

    async def plan(self) -> UpkeepPlan:
        """Return the texts and merges; see ``UpkeepJob``."""
        texts = await self._candidates(STORES)
        doubtful, joins = await self._joins.doubtful(), await self._joins.due()
        joining = {edge.other.id for edge in joins}
        pairs = [pair for pair in await self._merges.due() if pair.other.id not in joining]
        changes = [
            PlannedChange("search", owner, await self._service.title(kind, owner), _few_names(kind))
            for kind, owner in texts[:_SHOWN]
        ]
        changes += [
            PlannedChange(
                action, edge.other.id, excerpt(f"{edge.other.name} → {edge.into.name}", _TITLE), edge.sentence
            )
            for action, some in (("part", doubtful), ("join", joins), ("propose", pairs))
            for edge in some
        ]
        absence = self._service.strategy.absence
        summary = joined(
            (
                counted_sentence(len(texts), "Search 1 text for names.", "Search {count} texts for names."),
                counted_sentence(len(pairs), "Propose 1 merge.", "Propose {count} merges."),
                counted_sentence(
                    len(joins),
                    "Join 1 short name of a person to the full name near it.",
                    "Join {count} short names of people to the full names near them.",
                )
                if joins
                else "",
            )
        )
        total = len(texts) + len(doubtful) + len(joins) + len(pairs)
        return UpkeepPlan(self.name, summary, total, tuple(changes[:_SHOWN]), (absence,) if absence else ())

    async def apply(self, run: UpkeepRun) -> JobResult:
        """Search the texts and propose the merges; see ``UpkeepJob``."""
        progress = _Progress()
        try:
            await self._search(run, progress)
        finally:
            self._service.strategy.spacy.release()
        if run.decides:
            progress.parted = await self._move(run, self._joins.doubtful, self._joins.take_back)
            progress.joined = await self._move(run, self._joins.due, self._joins.join)
        if (progress.joined or not run.decides) and await self._merges.withdraw_answered():
            run.publish(ChangeSet(frozenset({"inbox"}), (), self.name, f"upkeep.{self.name}"))
        if run.decides:
            progress.proposed = await self._move(run, self._merges.due, self._merges.propose)
        counts = {
            "texts": progress.searched,
            "links": progress.links,
            "parted": progress.parted,
            "joins": progress.joined,
            "proposals": progress.proposed,
        }
        return JobResult(self._summary(progress), progress.turns, progress.usage.cost, counts=counts)

    async def _candidates(self, stores: tuple[StoreName, ...]) -> list[tuple[OwnerKind, str]]:
        if not self._service.strategy.is_available:
            return []
        options = self._options()
        return await self._service.candidates(options.most_names, options.limit, stores)

    async def _search(self, run: UpkeepRun, progress: _Progress) -> None:
        seen = set[tuple[OwnerKind, str]]()
        stores: tuple[StoreName, ...] = STORES
        known = await self._service.known()
        while texts := [candidate for candidate in await self._candidates(stores) if candidate not in seen]:
            total = min(self._options().limit, progress.searched + len(texts))
            for kind, owner in texts:
                if (
                    run.job.is_cancelled()
                    or progress.searched >= self._options().limit
                    or not self._can_search(progress)
                ):
                    return
                seen.add((kind, owner))
                if await self._is_withheld(kind, owner, progress):
                    continue
                text = await self._service.enrich(kind, owner, known, run.id, asks_model=progress.asks_model)
                await self._note(run, progress, (kind, owner), text)
                run.job.advance(progress.searched, total)
                await asyncio.sleep(0)
            readable_stores = tuple(store for store in STORES if store not in progress.withheld)
            if readable_stores == stores:  # texts of other stores come in only for those that were withheld
                return
            stores = readable_stores

    def _can_search(self, progress: _Progress) -> bool:
        strategy = self._service.strategy
        return strategy.spacy.is_available or (strategy.model.is_available and progress.asks_model)

    async def _is_withheld(self, kind: OwnerKind, owner: str, progress: _Progress) -> bool:
        """Return whether a text is withheld from the only reader there is."""
        if not progress.withheld or self._service.strategy.spacy.is_available:
            return False
        return await self._service.store_of(kind, owner) in progress.withheld

    async def _note(
        self, run: UpkeepRun, progress: _Progress, text: tuple[OwnerKind, str], enriched: EnrichedText
    ) -> None:
        progress.usage += enriched.usage
        progress.turns += bool(enriched.usage.output_tokens)
        progress.refusal = enriched.refusal or progress.refusal
        if enriched.is_withheld:
            progress.withheld.update(store for store in STORES if store == enriched.store)
        elif enriched.refusal:
            progress.refusals += 1
        if enriched.outcome == "unanswered":
            progress.failed.append(text)
        if enriched.outcome != "searched":
            return
        progress.searched += 1
        progress.links += enriched.links
        if not enriched.refusal:  # the model works: what it had no usable answer to would fail again every night
            for kind, owner in progress.failed:
                await self._service.mark_searched(kind, owner, run.id)
            progress.failed.clear()
            progress.refusals = 0
        if enriched.links:
            run.publish(ChangeSet(frozenset({"entities"}), (), self.name, f"upkeep.{self.name}"))

    async def _move(
        self,
        run: UpkeepRun,
        due: Callable[[], Awaitable[list[NearDuplicate]]],
        change: Callable[[NearDuplicate, str], Awaitable[ChangeSet | None]],
    ) -> int:
        """Change the pairs that are due, until the run is cancelled; return their number."""
        count = 0
        for pair in [] if run.job.is_cancelled() else await due():
            if run.job.is_cancelled():
                break
            changes = await change(pair, run.id)
            if changes is not None:
                count += 1
                run.publish(changes)
            await asyncio.sleep(0)
        return count

    def _summary(self, progress: _Progress) -> str:
        absence = self._service.strategy.absence
        if absence and not progress.searched:
            parts = [Sentence("No text was searched again."), absence]
        else:
            parts = [
                counted_sentence(progress.searched, "Searched 1 text again.", "Searched {count} texts again."),
                counted_sentence(progress.links, "Linked 1 name.", "Linked {count} names."),
            ]
        if progress.withheld:
            parts.append(Sentence("Private texts were left out, for the settings keep them from the language model."))
        elif progress.refusal:
            parts.append(Sentence("The language model was not always there: {why}", why=as_sentence(progress.refusal)))
        if progress.parted:
            parts.append(
                counted_sentence(
                    progress.parted,
                    "Took 1 short name apart again, which may be of somebody else.",
                    "Took {count} short names apart again, which may be of somebody else.",
                )
            )
        if progress.joined:
            parts.append(
                counted_sentence(
                    progress.joined,
                    "Joined 1 short name of a person to the full name near it.",
                    "Joined {count} short names of people to the full names near them.",
                )
            )
        if progress.proposed:
            parts.append(
                counted_sentence(
                    progress.proposed,
                    "Proposed 1 merge of entities that may be one; see the inbox.",
                    "Proposed {count} merges of entities that may be one; see the inbox.",
                )
            )
        return joined(parts)


def _few_names(kind: OwnerKind) -> Sentence:
    return Sentence("message with few names") if kind == "message" else Sentence("memory with few names")
