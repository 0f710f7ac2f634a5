"""What an agent is told before a turn: one builder, a part for each section, and each part may fail by itself."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

import apsw

from app.context import repo as reads
from app.context.context_search import find_memories, find_messages
from app.context.model import Context, ContextItem, ContextOptions, SectionName
from app.context.prompt_query import matching_hits, prompt_query, prompt_terms, prompt_text, relevant_hits
from app.context.render import assemble, deduplicate, with_scores
from app.core.clock import Clock
from app.core.error_location import error_location
from app.core.recall_fence import HEADINGS
from app.core.text import storable
from app.errors import KeepsakeError, internal
from app.memories.reflections import ReflectionService
from app.retrieval.model import Term
from app.retrieval.request import Request, VectorQuery, VectorsFailedError
from app.retrieval.service import SearchService
from app.store.sqlite_errors import from_sqlite
from app.store.store import Store
from app.trace.trace import Trace

_log = logging.getLogger(__name__)

Items = list[ContextItem]
Names = tuple[SectionName, ...]
Told = dict[SectionName, Items | Exception]
"""What a part found for each section, or why it could not."""

MAX_FOUND: Final = 200
_SPARE_TURNS: Final = 4  # times as many are looked at as are told, for the best there are may not bear on the prompt
_SEARCHED: Final = frozenset({"turns", "facts"})
_DAY_MS: Final = 86_400_000
_FAILED: Final = "“{part}” was left out: {reason}"
_NO_TURNS: Final = "Turns and summaries of conversations were left out: they are told with full trust only."
_NOTHING_ASKED: Final = "The prompt has no word to search for, so nothing was searched."


@dataclass(frozen=True, slots=True)
class ContextRequest:
    """What a context is for: what is said and its words, the conversation at hand, the agent, and what it may see."""

    text: str
    terms: tuple[Term, ...]
    session: str
    agent: str
    stores: tuple[str, ...]
    sees_turns: bool

    def sought(self, terms: ContextOptions) -> Names:
        """Return the sections that are searched for; the index is filled from what is found for the facts."""
        if not self.terms:
            return ()
        turns: Names = ("turns",) if self.sees_turns and terms.turns else ()
        return (*turns, "facts") if terms.facts + terms.index else turns


class ContextService:
    """Builds contexts.

    Args:
        store: The vault's database.
        search: Finds what a prompt is about.
        reflections: Gives the latest weekly insight.
        trace: Told how long each part took and which failed.
        clock: What "recent" is.
        terms: Returns the settings as they are now.
    """

    def __init__(
        self,
        store: Store,
        search: SearchService,
        reflections: ReflectionService,
        trace: Trace,
        clock: Clock,
        terms: Callable[[], ContextOptions] = ContextOptions,
    ) -> None:
        self._store = store
        self._search = search
        self._reflections = reflections
        self._trace = trace
        self._clock = clock
        self._terms = terms

    async def build(
        self,
        prompt: str,
        *,
        session: str = "",
        agent: str = "",
        max_tokens: int | None = None,
        stores: Sequence[str],
    ) -> Context:
        """Return what ``prompt`` should be told with; see the operation ``memory.context``."""
        begun = time.perf_counter()
        terms = self._terms()
        # No conversation and no agent has a name that cannot be stored; what is left of such a one names nobody.
        whose = (storable(session)[0], storable(agent)[0])
        text = prompt_text(prompt)
        asked = ContextRequest(text, prompt_terms(text), *whose, tuple(stores), "private" in stores)
        work = self._parts(asked, terms)
        laps: dict[str, float] = {}
        answers = await asyncio.gather(
            *(_timed(names, part, laps) for names, part in work.items()), return_exceptions=True
        )
        parts: dict[SectionName, Items] = {}
        notes = [] if asked.terms else [_NOTHING_ASKED]
        notes += [] if asked.sees_turns else [_NO_TURNS]
        for names, answer in zip(work, answers, strict=True):
            told = dict.fromkeys(names, answer) if isinstance(answer, BaseException) else answer
            for section, items in told.items():
                if isinstance(items, BaseException):
                    notes.append(self._failure(section, items))
                else:
                    parts.setdefault(section, []).extend(items)
        distinct = deduplicate({**parts, "index": with_scores(parts.get("index", ()))})
        distinct["index"] = distinct.get("index", [])[: terms.index]
        made = assemble(distinct, terms.budgets, terms.total if max_tokens is None else max_tokens)
        laps["all"] = (time.perf_counter() - begun) * 1000
        self._tell(made, asked, laps)
        return replace(made, notes=tuple(notes), milliseconds=laps)

    def _parts(self, asked: ContextRequest, terms: ContextOptions) -> dict[Names, Awaitable[Told]]:
        """Return what is to be read; what is searched comes last, for it adds to the index what is relevant."""
        parts: dict[Names, Awaitable[Told]] = {}
        if asked.sees_turns:
            if asked.session and terms.recent:
                parts["recent",] = self._recent(asked, terms)
            if terms.salient:
                parts["salient",] = self._salient(terms)
            if terms.sessions:
                parts["sessions",] = self._sessions(asked, terms)
        if terms.has_reflection:
            parts["reflection",] = self._reflection(asked)
        if terms.index:
            parts["index",] = self._fresh(asked, terms)
        sought = asked.sought(terms)
        if sought:
            parts[sought] = self._on_prompt(asked, terms)
        return parts

    async def _recent(self, asked: ContextRequest, terms: ContextOptions) -> Told:
        work = partial(reads.recent_messages, session=asked.session, limit=terms.recent)
        return {"recent": await self._store.read(work)}

    async def _salient(self, terms: ContextOptions) -> Told:
        work = partial(reads.salient_messages, importance=terms.importance, limit=terms.salient)
        return {"salient": await self._store.read(work)}

    async def _on_prompt(self, asked: ContextRequest, terms: ContextOptions) -> Told:
        """Return what a search finds: all of it in one job, for which the prompt is made a vector once."""
        work = partial(_looked_up, asked=asked, terms=terms)
        query = prompt_query(asked.text, self._clock.now_ms(), asked.session)
        return await self._search.run_with_search_inputs(query, terms.recipe, asked.stores, work)

    async def _fresh(self, asked: ContextRequest, terms: ContextOptions) -> Told:
        since = self._clock.now_ms() - terms.recent_days * _DAY_MS
        # Those that are told in full take no place of the others.
        most = terms.index + terms.facts
        work = partial(reads.recent_index_rows, since_ms=since, limit=most, stores=asked.stores, but=asked.session)
        return {"index": await self._store.read(work)}

    async def _reflection(self, asked: ContextRequest) -> Told:
        latest = await self._reflections.latest(stores=asked.stores)
        return {} if latest is None else {"reflection": [reads.reflection_item(latest)]}

    async def _sessions(self, asked: ContextRequest, terms: ContextOptions) -> Told:
        work = partial(reads.latest_sessions, agent=asked.agent, but=asked.session, limit=terms.sessions)
        return {"sessions": await self._store.read(work)}

    def _failure(self, name: SectionName, error: BaseException) -> str:
        """Return a sentence about a part that failed; the rest is told without it."""
        if not isinstance(error, Exception):
            raise error
        found = from_sqlite(error) if isinstance(error, apsw.Error) else error
        known = found if isinstance(found, KeepsakeError) else internal(error)
        if known is not found:
            _log.error("a part of a context broke: %s", error_location(error))
        self._trace.event("context.failed", stage=name, error=known.code)
        return _FAILED.format(part=HEADINGS[name], reason=known.message)

    def _tell(self, made: Context, asked: ContextRequest, laps: dict[str, float]) -> None:
        self._trace.event(
            "context",
            terms=len(asked.terms),
            tokens=made.tokens,
            left_out=made.left_out_count,
            **{f"{section.name}_items": len(section.items) for section in made.sections},
            **{f"{part}_ms": round(ms, 2) for part, ms in laps.items()},
        )


def _looked_up(
    connection: apsw.Connection,
    request: Request,
    vector_query: VectorQuery | None,
    asked: ContextRequest,
    terms: ContextOptions,
) -> Told:
    """Return what is on the prompt: turns, and memories for their section and the index; either may fail alone."""
    looks: dict[SectionName, Look] = {"turns": _turns, "facts": _remembered}
    told: Told = {}
    for name in asked.sought(terms):
        try:
            told |= looks[name](connection, request, vector_query, asked, terms)
        except VectorsFailedError:
            raise  # all is then looked for by words alone
        except Exception as error:  # noqa: BLE001  (a note of the context says it)
            told[name] = error
    return told


def _turns(
    connection: apsw.Connection,
    request: Request,
    vector_query: VectorQuery | None,
    asked: ContextRequest,
    terms: ContextOptions,
) -> Told:
    hits = relevant_hits(find_messages(connection, request, vector_query, terms.turns * _SPARE_TURNS), terms.similarity)
    return {"turns": reads.message_items(connection, hits[: terms.turns], asked.terms)}


def _remembered(
    connection: apsw.Connection,
    request: Request,
    vector_query: VectorQuery | None,
    asked: ContextRequest,
    terms: ContextOptions,
) -> Told:
    most = terms.facts + terms.index
    found = find_memories(connection, request, vector_query, min(most * (2 if asked.session else 1), MAX_FOUND))
    # What was stored from the conversation at hand is no news in it.
    found = tuple(hit for hit in found if not asked.session or hit.session_id != asked.session)[:most]
    told = relevant_hits(found, terms.similarity)[: terms.facts]
    named = {hit.id for hit in told}
    rest = [hit for hit in matching_hits(found, terms.similarity) if hit.id not in named]
    return {
        "facts": reads.memory_items(connection, told, asked.terms, asked.stores),
        "index": reads.relevant_index_rows(connection, rest, asked.stores),
    }


Look = Callable[[apsw.Connection, Request, VectorQuery | None, ContextRequest, ContextOptions], Told]


async def _timed(names: Names, part: Awaitable[Told], laps: dict[str, float]) -> Told:
    begun = time.perf_counter()
    try:
        return await part
    finally:
        laps[names[0] if names[0] not in _SEARCHED else "search"] = (time.perf_counter() - begun) * 1000
