"""Enrichment service: an accurate search of texts with few names."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Literal

import apsw

from app.core.clock import Clock
from app.core.stores import STORES, StoreName
from app.core.text import excerpt
from app.entities import ner_backlog
from app.entities.enrichment import repo
from app.entities.linking import FoundName, surface
from app.entities.mention_worker import frequent_names, known_names, read_names
from app.entities.model import OwnerKind
from app.entities.ner.provider import NO_NAMES, NameSpan, StoreNames
from app.entities.ner.strategy import AccurateStrategy, fast_strategy
from app.llm.model import Usage
from app.store.store import Store

_TITLE = 80
_BETWEEN = "\n\n"  # what separates a text from its heading when both are searched at once

Outcome = Literal["searched", "unanswered", "withheld", "gone"]


@dataclass(frozen=True, slots=True)
class EnrichedText:
    """Result of the search of one text.

    Args:
        outcome: ``searched``; ``unanswered`` when the language model failed and nothing else could search it;
            ``withheld`` when the settings keep it from the model; ``gone`` when it was changed or deleted meanwhile.
        links: Names linked that the fast rules had not found.
        usage: Tokens and cost of the language model.
        refusal: Why the model did not answer, empty where it did.
        is_withheld: Whether the settings keep the text from the model.
        store: The store of the text.
    """

    outcome: Outcome
    links: int = 0
    usage: Usage = field(default_factory=Usage)
    refusal: str = ""
    is_withheld: bool = False
    store: str = "private"


class EnrichmentService:
    """Searches texts accurately.

    Args:
        store: The vault's database.
        clock: The source of the time.
        strategy: Finds the names.
    """

    def __init__(self, store: Store, clock: Clock, strategy: AccurateStrategy) -> None:
        self._store = store
        self._clock = clock
        self._fast = fast_strategy()
        self.strategy = strategy

    async def candidates(self, most_names: int, limit: int, stores: Sequence[StoreName]) -> list[tuple[OwnerKind, str]]:
        """Return memories, then messages, with few names that were not searched yet, the newest first.

        Args:
            most_names: Entities up to which a text has few.
            limit: How many at most.
            stores: The stores to look in; messages are private.
        """

        def work(connection: apsw.Connection) -> list[tuple[OwnerKind, str]]:
            found: list[tuple[OwnerKind, str]] = [
                ("memory", one) for one in repo.memories(connection, stores, most_names, limit)
            ]
            left = limit - len(found) if "private" in stores else 0
            if left > 0:
                read = ner_backlog.read_up_to(connection)
                found += [("message", one) for one in repo.messages(connection, read, most_names, left)]
            return found

        return await self._store.read(work, is_background=True)

    async def known(self) -> Mapping[str, StoreNames]:
        """Return the names to look for in the texts of each store, for one run."""
        return await self._store.read(
            lambda connection: known_names(connection, frequent_names(connection)), is_background=True
        )

    async def enrich(
        self, kind: OwnerKind, owner: str, known: Mapping[str, StoreNames], run_id: str, *, asks_model: bool = True
    ) -> EnrichedText:
        """Search one text and link what is found.

        Args:
            kind: Whether a message or a memory.
            owner: Its id.
            known: Names to look for, by store.
            run_id: The run that undoes it.
            asks_model: False to leave the language model out.
        """
        reading = await self._store.read(partial(ner_backlog.reading_of, kind=kind, owner=owner))
        if reading is None:
            return EnrichedText("gone")
        stores: tuple[StoreName, ...] = tuple(one for one in STORES if one == reading.owner.store)
        whole = f"{reading.text}{_BETWEEN}{reading.heading}" if reading.heading.strip() else reading.text
        common = known.get(reading.owner.store, NO_NAMES).common  # what is kept is for all readers of the text
        found = await self.strategy.extract(whole, stores, common, asks_model=asks_model)
        outcome: Outcome
        if not found.readers:
            outcome = "withheld" if found.is_withheld else "unanswered"
            return EnrichedText(outcome, 0, found.usage, found.refusal, found.is_withheld, reading.owner.store)
        kept = _kept(reading, found.spans, found.readers)
        plain, enriched = replace(reading, kept=()), replace(reading, kept=kept)
        before, after = await asyncio.to_thread(read_names, self._fast, known, (plain, enriched))
        work = partial(self._record, reading=enriched, names=after, run_id=run_id)
        stored = await self._store.write(work)
        links = len(_surfaces(after) - _surfaces(before)) if stored else 0
        outcome = "searched" if stored else "gone"
        return EnrichedText(outcome, links, found.usage, found.refusal, found.is_withheld, reading.owner.store)

    async def store_of(self, kind: OwnerKind, owner: str) -> str:
        """Return the store of a text; empty where it is gone."""
        if kind == "message":
            return "private"
        sql = "SELECT store FROM memories WHERE id = ?"
        return str(await self._store.read(lambda connection: connection.execute(sql, (owner,)).get) or "")

    async def title(self, kind: OwnerKind, owner: str) -> str:
        """Return the title of a text, or its first words."""
        reading = await self._store.read(partial(ner_backlog.reading_of, kind=kind, owner=owner))
        return "" if reading is None else excerpt(reading.heading.split("\n", 1)[0] or reading.text, _TITLE)

    async def mark_searched(self, kind: OwnerKind, owner: str, run_id: str) -> None:
        """Let a text count as searched although the model gave no usable answer about it."""
        now_ms = self._clock.now_ms()
        await self._store.write(lambda connection: repo.put(connection, (kind, owner), (), run_id, now_ms))

    def undo_run(self, connection: apsw.Connection, run_id: str) -> bool:
        """Take back the links of a run; return whether there were any.

        The texts are read by the fast rules again, and are not searched accurately again before they change.
        """
        owners = repo.forget_run(connection, run_id)
        ner_backlog.read_again(connection, owners)
        return bool(owners)

    def _record(
        self, connection: apsw.Connection, reading: ner_backlog.Reading, names: list[FoundName], run_id: str
    ) -> bool:
        now_ms = self._clock.now_ms()
        if not ner_backlog.record_one(connection, reading, names, now_ms):
            return False
        repo.put(connection, (reading.owner.kind, reading.owner.id), reading.kept, run_id, now_ms)
        return True


def _kept(
    reading: ner_backlog.Reading, spans: Sequence[NameSpan], readers: Sequence[str]
) -> tuple[tuple[bool, NameSpan], ...]:
    """Return the names of accurate providers, placed in text or heading."""
    end, offset = len(reading.text), len(reading.text) + len(_BETWEEN)
    kept = []
    for one in spans:
        if one.provider not in readers:
            continue
        if one.end <= end:
            kept.append((False, one))
        elif one.start >= offset:
            kept.append((True, replace(one, start=one.start - offset, end=one.end - offset)))
    return tuple(kept)


def _surfaces(names: Sequence[FoundName]) -> set[str]:
    return {surface(one.type, one.name) for one in names if one.readers != "narrowed"}
