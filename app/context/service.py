"""Context service: builds a context from independent parts, any of which may fail."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Final

import apsw

from app.context import repo as context_repo
from app.context import session_start
from app.context.context_text import assemble, deduplicate, with_scores
from app.context.model import SECTIONS, Context, ContextItem, ContextOptions, SectionName
from app.context.prompt_query import has_content, matching_hits, prompt_query, prompt_terms, prompt_text, relevant_hits
from app.core.access import Access
from app.core.clock import DAY_MS, Clock
from app.core.error_location import error_location
from app.core.process.lazy_module import LazyModule
from app.core.text import storable
from app.core.text_rules.project_name import clean_name
from app.core.text_rules.recall_fence import HEADINGS
from app.errors import KeepsakeError, unexpected
from app.memories.digests.reflections import latest_reflection
from app.retrieval.model import Term
from app.retrieval.request import Request, VectorQuery, VectorsFailedError
from app.retrieval.service import SearchService
from app.store.sqlite_errors import from_sqlite
from app.store.store import Store
from app.trace.trace import Trace

if TYPE_CHECKING:
    from app.context import context_search
else:
    context_search = LazyModule("app.context.context_search")  # loads numpy

_log = logging.getLogger(__name__)

ContextItems = list[ContextItem]
SectionNames = tuple[SectionName, ...]
SectionResults = dict[SectionName, ContextItems | Exception]
"""Items of each section, or the error that prevented them."""

MAX_FOUND: Final = 200
_MOST_QUOTED: Final = 3  # quotations from conversations in a context
_MOST_LATEST: Final = 5  # lines of an index about what is merely new, where a prompt says what is wanted
_SPARE_MESSAGES: Final = 4  # times as many are searched as are shown, since some may not be relevant
_SEARCHED: Final = frozenset({"turns", "facts"})
_OF_MESSAGES: Final = frozenset({"recent", "salient", "sessions", "turns"})
_FAILED: Final = "“{part}” was left out: {reason}"
_NO_MESSAGES: Final = "Messages and session summaries were left out because they need full trust."
_NO_SEARCH_WORDS: Final = "The prompt has no word to search for, so nothing was searched."


@dataclass(frozen=True, slots=True)
class ContextRequest:
    """Request for a context.

    Args:
        text: The prompt without recalled context.
        terms: Its words.
        session: The current conversation.
        agent: Only recent conversations with this agent.
        stores: Stores that the caller may read.
        now_ms: Current time, milliseconds UTC.
        has_floor: Whether nothing is found where nothing bears on the prompt.
        folder: The folder in which a session begins, ``None`` where none begins.
        project: Name of the project that is worked on, ``""`` for none.
    """

    text: str
    terms: tuple[Term, ...]
    session: str
    agent: str
    stores: tuple[str, ...]
    now_ms: int
    has_floor: bool
    folder: str | None
    project: str

    @property
    def sees_messages(self) -> bool:
        """Return whether the caller may read messages and session summaries."""
        return "private" in self.stores

    def read_sections(self, options: ContextOptions) -> SectionNames:
        """Return the sections that are read without a search."""
        is_recent_wanted = self.sees_messages and bool(self.session and options.recent)
        if self.folder is not None:
            return ("recent",) if is_recent_wanted else ()
        wanted: dict[SectionName, bool] = {
            "recent": is_recent_wanted,
            "salient": self.sees_messages and options.salient > 0,
            "sessions": self.sees_messages and options.sessions > 0,
            "reflection": options.has_reflection,
            "index": options.index > 0,
        }
        return tuple(name for name, is_wanted in wanted.items() if is_wanted)

    def searched_sections(self, options: ContextOptions) -> SectionNames:
        """Return the sections that a search fills; that for facts fills the index too."""
        if not self.terms or (self.has_floor and not has_content(self.text, self.terms)):
            return ()
        turns: SectionNames = ("turns",) if self.sees_messages and options.turns else ()
        return (*turns, "facts") if options.facts + options.index else turns


class ContextService:
    """Context builder.

    Args:
        store: The vault's database.
        search: The search.
        trace: Receives the duration and failure of each part.
        clock: Current time.
        options: Returns the current options.
    """

    def __init__(
        self,
        store: Store,
        search: SearchService,
        trace: Trace,
        clock: Clock,
        options: Callable[[], ContextOptions] = ContextOptions,
    ) -> None:
        self._store = store
        self._search = search
        self._trace = trace
        self._clock = clock
        self._options = options

    async def build(
        self,
        access: Access,
        prompt: str,
        *,
        session: str = "",
        agent: str = "",
        max_tokens: int | None = None,
        sections: Sequence[SectionName] = (),
        has_floor: bool = False,
        folder: str | None = None,
        project: str = "",
    ) -> Context:
        """Return the context for ``prompt``; see the operation ``memory.context``."""
        started = time.perf_counter()
        options = self._options().only(sections)
        # A name with characters that cannot be stored matches no session and no agent.
        caller = (storable(session)[0], storable(agent)[0])
        text = prompt_text(prompt)
        terms, stores = prompt_terms(text), tuple(access.stores)
        now_ms = self._clock.now_ms()
        name = clean_name(project)
        context_request = ContextRequest(text, terms, *caller, stores, now_ms, has_floor, folder, name)
        work = self._parts(context_request, options)
        laps: dict[str, float] = {}
        answers = await asyncio.gather(
            *(_timed(names, part, laps) for names, part in work.items()), return_exceptions=True
        )
        parts: dict[SectionName, ContextItems] = {}
        notes = [] if context_request.terms or folder is not None else [_NO_SEARCH_WORDS]
        notes += [] if context_request.sees_messages else [_NO_MESSAGES]
        for names, answer in zip(work, answers, strict=True):
            results = dict.fromkeys(names, answer) if isinstance(answer, BaseException) else answer
            for section, items in results.items():
                if isinstance(items, BaseException):
                    notes.append(self._failure(section, items))
                else:
                    parts.setdefault(section, []).extend(items)
        distinct = deduplicate({**parts, "index": with_scores(parts.get("index", ()))})
        # What bears on the prompt stands before what is merely recent.
        listed = distinct.get("index", [])
        matches = [item for item in listed if item.score is not None]
        latest = [item for item in listed if item.score is None]
        most_latest = _MOST_LATEST if context_request.terms else options.index
        distinct["index"] = [*matches, *latest[:most_latest]][: options.index]
        context = assemble(distinct, options.budgets, options.total if max_tokens is None else max_tokens)
        laps["all"] = (time.perf_counter() - started) * 1000
        self._trace_context(context, context_request, laps)
        self._trace_skipped(context, context_request, frozenset(chain.from_iterable(work)), distinct)
        return replace(context, notes=tuple(notes), milliseconds=laps)

    def _parts(
        self, context_request: ContextRequest, options: ContextOptions
    ) -> dict[SectionNames, Awaitable[SectionResults]]:
        """Return the reads by section, searches last because they add to the index."""
        parts: dict[SectionNames, Awaitable[SectionResults]] = {
            (name,): self._read(name, context_request, options) for name in context_request.read_sections(options)
        }
        searched_sections = context_request.searched_sections(options)
        if context_request.folder is not None:
            parts["facts", "sessions"] = self._at_start(context_request, context_request.folder, options)
        elif searched_sections:
            parts[searched_sections] = self._on_prompt(context_request, options)
        return parts

    async def _at_start(self, context_request: ContextRequest, folder: str, options: ContextOptions) -> SectionResults:
        """Return what is told before the first prompt."""
        work = partial(
            session_start.start_sections,
            folder=folder,
            project=context_request.project,
            stores=context_request.stores,
            session=context_request.session,
            options=options,
        )
        return dict(await self._store.read(work))

    async def _read(
        self, name: SectionName, context_request: ContextRequest, options: ContextOptions
    ) -> SectionResults:
        return {name: await self._store.read(lambda connection: _READERS[name](connection, context_request, options))}

    async def _on_prompt(self, context_request: ContextRequest, options: ContextOptions) -> SectionResults:
        """Return the sections found by search, in one job that embeds the prompt once."""
        work = partial(_search_sections, context_request=context_request, options=options)
        query = prompt_query(context_request.text, context_request.now_ms, context_request.session)
        stores, project = context_request.stores, context_request.project
        return await self._search.run_with_search_inputs(query, options.recipe, stores, work, project)

    def _failure(self, name: SectionName, error: BaseException) -> str:
        """Return a note about a part that failed."""
        if not isinstance(error, Exception):
            raise error
        failure = from_sqlite(error) if isinstance(error, apsw.Error) else error
        known = failure if isinstance(failure, KeepsakeError) else unexpected(error)
        if known is not failure:
            _log.error("a part of a context failed: %s", error_location(error))
        self._trace.event("context.failed", stage=name, error=known.code)
        return _FAILED.format(part=HEADINGS[name], reason=known.message)

    def _trace_context(self, context: Context, context_request: ContextRequest, laps: dict[str, float]) -> None:
        self._trace.event(
            "context",
            terms=len(context_request.terms),
            tokens=context.tokens,
            left_out=context.left_out_count,
            **{f"{section.name}_items": len(section.items) for section in context.sections},
            **{f"{part}_ms": round(ms, 2) for part, ms in laps.items()},
        )

    def _trace_skipped(
        self,
        context: Context,
        request: ContextRequest,
        wanted: Collection[SectionName],
        items: Mapping[SectionName, ContextItems],
    ) -> None:
        """Record why sections are not in a context."""
        shown = {section.name for section in context.sections}
        for name in SECTIONS:
            if name in shown:
                continue  # one that failed has an event of its own
            if name in wanted:
                reason = "no_room" if items.get(name) else "empty"
            elif name in _OF_MESSAGES and not request.sees_messages:
                reason = "trust"
            else:
                reason = "no_words" if name in _SEARCHED and not request.terms else "switched_off"
            self._trace.event("context.skipped", stage=name, reason=reason)


def _recent_index(connection: apsw.Connection, request: ContextRequest, options: ContextOptions) -> ContextItems:
    since_ms = request.now_ms - options.recent_days * DAY_MS
    # Memories shown in full do not count towards the index.
    most = options.index + options.facts
    shown = (most, request.stores, request.session)
    # Of the project that is worked on, however old.
    rows = context_repo.project_index_rows(connection, request.project, *shown) if request.project else []
    rows += context_repo.recent_index_rows(connection, since_ms, *shown)
    return list({row.id: row for row in rows}.values())


def _reflection(connection: apsw.Connection, request: ContextRequest, _options: ContextOptions) -> ContextItems:
    latest = latest_reflection(connection, request.stores)
    return [] if latest is None else [context_repo.reflection_item(latest)]


_READERS: Final[Mapping[SectionName, Callable[[apsw.Connection, ContextRequest, ContextOptions], ContextItems]]] = {
    "recent": lambda connection, request, options: context_repo.recent_messages(
        connection, request.session, options.recent
    ),
    "salient": lambda connection, _request, options: context_repo.salient_messages(
        connection, options.importance, options.salient
    ),
    "sessions": lambda connection, request, options: context_repo.latest_sessions(
        connection, request.agent, request.session, options.sessions, request.project
    ),
    "reflection": _reflection,
    "index": _recent_index,
}
"""Readers of the sections that need no search."""


def _search_sections(
    connection: apsw.Connection,
    request: Request,
    vector_query: VectorQuery | None,
    context_request: ContextRequest,
    options: ContextOptions,
) -> SectionResults:
    """Return the sections found by search; each may fail by itself."""
    searches: dict[SectionName, SectionSearch] = {"turns": _find_messages, "facts": _find_facts}
    sections: SectionResults = {}
    for name in context_request.searched_sections(options):
        try:
            sections |= searches[name](connection, request, vector_query, context_request, options)
        except VectorsFailedError:
            raise  # the whole search is repeated without vectors
        except Exception as error:  # noqa: BLE001  (reported in a note of the context)
            sections[name] = error
    return sections


def _find_messages(
    connection: apsw.Connection,
    request: Request,
    vector_query: VectorQuery | None,
    context_request: ContextRequest,
    options: ContextOptions,
) -> SectionResults:
    least = context_search.floor(context_request.text) if context_request.has_floor else None
    most = options.turns * _SPARE_MESSAGES
    matches = context_search.find(connection, request, vector_query, "messages", most, least)
    hits = relevant_hits(matches, options.similarity)
    return {"turns": context_repo.message_items(connection, hits[: options.turns], context_request.terms)}


def _find_facts(
    connection: apsw.Connection,
    request: Request,
    vector_query: VectorQuery | None,
    context_request: ContextRequest,
    options: ContextOptions,
) -> SectionResults:
    most = options.facts + options.index
    session = context_request.session
    limit = min(most * (2 if session else 1), MAX_FOUND)
    least = context_search.floor(context_request.text) if context_request.has_floor else None
    hits = context_search.find(connection, request, vector_query, "memories", limit, least)
    # An agent need not be told what was stored from the session at hand.
    hits = tuple(hit for hit in hits if not session or hit.session_id != session)[:most]
    facts = relevant_hits(hits, options.similarity)[: options.facts]
    if context_request.sees_messages and options.turns:
        # Beside the messages themselves, more quotations of messages cost more than they tell.
        quoted = [hit.id for hit in facts if hit.author][_MOST_QUOTED:]
        facts = [hit for hit in facts if hit.id not in quoted]
    named = {hit.id for hit in facts}
    since_ms = context_request.now_ms - options.recent_days * DAY_MS
    rest = [hit for hit in matching_hits(hits, options.similarity) if hit.id not in named]
    return {
        "facts": context_repo.memory_items(connection, facts, context_request.terms, context_request.stores),
        "index": context_repo.relevant_index_rows(connection, rest, context_request.stores, since_ms),
    }


SectionSearch = Callable[[apsw.Connection, Request, VectorQuery | None, ContextRequest, ContextOptions], SectionResults]


async def _timed(names: SectionNames, part: Awaitable[SectionResults], laps: dict[str, float]) -> SectionResults:
    started = time.perf_counter()
    try:
        return await part
    finally:
        laps[names[0] if names[0] not in _SEARCHED else "search"] = (time.perf_counter() - started) * 1000
