"""What an agent is told before a turn: one builder, a part for each section, and each part may fail by itself."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

import apsw

from app.core.clock import Clock
from app.core.recalled import HEADINGS
from app.core.whereabouts import whereabouts
from app.errors import KeepsakeError, internal
from app.memories.reflections import ReflectionService
from app.retrieval import context_reads as reads
from app.retrieval.context_model import Context, ContextItem, ContextTerms, SectionName
from app.retrieval.context_prompt import REMEMBERED, on_question, query_of, touching, words_of
from app.retrieval.context_render import assembled, deduplicated
from app.retrieval.model import Hit, Term
from app.retrieval.service import SearchService
from app.sessions.digest import DigestService
from app.store.store import Store
from app.trace.journal import Trace

_log = logging.getLogger(__name__)

Items = list[ContextItem]
MAX_FOUND: Final = 200
_DAY_MS: Final = 86_400_000
_FAILED: Final = "“{part}” was left out: {reason}"
_NO_TURNS: Final = "Turns and summaries of conversations were left out: they are told with full trust only."
_NOTHING_ASKED: Final = "The prompt has no word to search for, so nothing was searched."


@dataclass(frozen=True, slots=True)
class Asked:
    """What a context is for: the prompt's words, the conversation at hand, the agent, and what it may see."""

    terms: tuple[Term, ...]
    session: str
    agent: str
    stores: tuple[str, ...]
    sees_turns: bool


class ContextService:
    """Builds contexts.

    Args:
        store: The vault's database.
        search: Finds what a prompt is about.
        reflections: Gives the latest weekly insight.
        digests: Gives what recent conversations were about.
        trace: Told how long each part took and which failed.
        clock: What "recent" is.
        terms: Returns the settings as they are now.
    """

    def __init__(
        self,
        store: Store,
        search: SearchService,
        reflections: ReflectionService,
        digests: DigestService,
        trace: Trace,
        clock: Clock,
        terms: Callable[[], ContextTerms] = ContextTerms,
    ) -> None:
        self._store = store
        self._search = search
        self._reflections = reflections
        self._digests = digests
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
        asked = Asked(words_of(prompt), session, agent, tuple(stores), "private" in stores)
        work = self._parts(asked, terms)
        laps: dict[str, float] = {}
        answers = await asyncio.gather(
            *(_timed(name, part, laps) for name, part in work.items()), return_exceptions=True
        )
        parts: dict[SectionName, Items] = {}
        notes = [] if asked.terms else [_NOTHING_ASKED]
        notes += [] if asked.sees_turns else [_NO_TURNS]
        for name, answer in zip(work, answers, strict=True):
            if isinstance(answer, BaseException):
                notes.append(self._failure(name, answer))
            else:
                for section, items in answer.items():
                    parts.setdefault(section, []).extend(items)
        distinct = deduplicated(parts)
        distinct["index"] = distinct.get("index", [])[: terms.index]
        made = assembled(distinct, terms.budgets, terms.total if max_tokens is None else max_tokens)
        laps["all"] = (time.perf_counter() - begun) * 1000
        self._tell(made, asked, laps)
        return replace(made, notes=tuple(notes), milliseconds=laps)

    def _parts(self, asked: Asked, terms: ContextTerms) -> dict[SectionName, Awaitable[dict[SectionName, Items]]]:
        """Return what is to be read; the part of the facts comes last, for it adds to the index what is relevant."""
        parts: dict[SectionName, Awaitable[dict[SectionName, Items]]] = {}
        if asked.sees_turns:
            if asked.session and terms.recent:
                parts["recent"] = self._recent(asked, terms)
            if terms.salient:
                parts["salient"] = self._salient(terms)
            if asked.terms and terms.turns:
                parts["turns"] = self._turns(asked, terms)
            if terms.sessions:
                parts["sessions"] = self._sessions(asked, terms)
        if terms.has_reflection:
            parts["reflection"] = self._reflection(asked)
        if terms.index:
            parts["index"] = self._fresh(asked, terms)
        if asked.terms and terms.facts + terms.index:
            parts["facts"] = self._remembered(asked, terms)
        return parts

    async def _recent(self, asked: Asked, terms: ContextTerms) -> dict[SectionName, Items]:
        work = partial(reads.recent_turns, session=asked.session, limit=terms.recent)
        return {"recent": await self._store.read(work)}

    async def _salient(self, terms: ContextTerms) -> dict[SectionName, Items]:
        work = partial(reads.salient_turns, importance=terms.importance, limit=terms.salient)
        return {"salient": await self._store.read(work)}

    async def _turns(self, asked: Asked, terms: ContextTerms) -> dict[SectionName, Items]:
        hits = await self._found(asked, terms, ("message",), terms.turns * 4)
        return {"turns": reads.told_turns(on_question(hits, terms.similarity)[: terms.turns])}

    async def _remembered(self, asked: Asked, terms: ContextTerms) -> dict[SectionName, Items]:
        found = await self._found(asked, terms, REMEMBERED, min(terms.facts + terms.index, MAX_FOUND))
        told = on_question(found, terms.similarity)[: terms.facts]
        rest = [hit for hit in touching(found, terms.similarity) if hit not in told]

        def work(connection: apsw.Connection) -> dict[SectionName, Items]:
            return {
                "facts": reads.told_memories(connection, told, asked.terms, asked.stores),
                "index": reads.relevant_rows(connection, rest, asked.stores),
            }

        return await self._store.read(work)

    async def _fresh(self, asked: Asked, terms: ContextTerms) -> dict[SectionName, Items]:
        since = self._clock.now_ms() - terms.recent_days * _DAY_MS
        work = partial(reads.fresh_rows, since_ms=since, limit=terms.index, stores=asked.stores)
        return {"index": await self._store.read(work)}

    async def _reflection(self, asked: Asked) -> dict[SectionName, Items]:
        latest = await self._reflections.latest(stores=asked.stores)
        return {} if latest is None else {"reflection": [reads.reflection(latest)]}

    async def _sessions(self, asked: Asked, terms: ContextTerms) -> dict[SectionName, Items]:
        digests = await self._digests.recent(asked.agent or None, terms.sessions + 1)
        others = [digest for digest in digests if digest.session_id != asked.session]
        return {"sessions": [reads.session_item(digest) for digest in others[: terms.sessions]]}

    async def _found(self, asked: Asked, terms: ContextTerms, kinds: Sequence[str], limit: int) -> Sequence[Hit]:
        query = query_of(asked.terms, kinds, asked.session)
        found = await self._search.search(query, limit=limit, recipe=terms.recipe, stores=asked.stores, is_aside=True)
        return found.hits

    def _failure(self, name: SectionName, error: BaseException) -> str:
        """Return a sentence about a part that failed; the rest is told without it."""
        if not isinstance(error, Exception):
            raise error
        known = error if isinstance(error, KeepsakeError) else internal(error)
        if known is not error:
            _log.error("a part of a context broke: %s", whereabouts(error))
        self._trace.event("context.failed", stage=name, error=known.code)
        return _FAILED.format(part=HEADINGS[name], reason=known.message)

    def _tell(self, made: Context, asked: Asked, laps: dict[str, float]) -> None:
        self._trace.event(
            "context",
            terms=len(asked.terms),
            tokens=made.tokens,
            left_out=made.left_out_count,
            **{f"{section.name}_items": len(section.items) for section in made.sections},
            **{f"{part}_ms": round(ms, 2) for part, ms in laps.items()},
        )


async def _timed(
    name: str, part: Awaitable[dict[SectionName, Items]], laps: dict[str, float]
) -> dict[SectionName, Items]:
    begun = time.perf_counter()
    try:
        return await part
    finally:
        laps[name] = (time.perf_counter() - begun) * 1000
