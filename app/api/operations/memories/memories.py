"""Operations over all that is remembered: search, tags, history, undo."""

from dataclasses import replace
from datetime import datetime

from app.api.agent_writes.quarantine_guard import refuse_release
from app.api.caller import Caller
from app.api.operations.sessions.summaries import check_range
from app.api.registry import Count, operation
from app.api.session_access import mentioned, owner_of
from app.changes import Changed
from app.core.clock import parse_instant, to_datetime
from app.core.text_rules.project_name import clean_name
from app.core.time_rules.timespans import parse_span
from app.engine import Engine
from app.entities.model import EntityOrder
from app.entities.queries.people import Person
from app.errors import InputError, NotFoundError
from app.history.model import HistoryEntry
from app.memories.decay.decay_settings import decay_rules
from app.memories.decay.forecast import HORIZONS, Forecast
from app.memories.model import MemoryFilter, MemoryOrder, MemoryRow
from app.memories.queries.statistics import MemoryStats, StatisticsPeriod, Step
from app.memories.queries.timeline import Timeline, TimelineFilter, TimelineKind
from app.memories.queries.token_budget import FetchedMemories, with_messages
from app.retrieval.model import Found, Leg, MonthCount, OperatorHelp, Query
from app.sentence import Sentence

_ALL = MemoryFilter()
_MAX_IDS = 1_000


@operation("memory.search", joined="query", searches=True, sentence="Searched your memory")
async def search(
    engine: Engine,
    caller: Caller,
    query: str,
    limit: Count = 20,
    offset: Count = 0,
    recipe: str | None = None,
    legs: list[Leg] | None = None,
    per_session: int | None = None,
    as_of: datetime | None = None,
    vector_weight: float | None = None,
    fts_weight: float | None = None,
    query_embedding: list[float] | None = None,
    project: str = "",
) -> Found:
    """Find messages and durable items, each with the reasons for its place.

    Args:
        query: Words, ``"phrase"``, ``-word``, ``prefix*`` and operators such as ``tag:garden after:"last week"``;
            ``memory.operators`` lists them.
        limit: Hits at most.
        offset: Hits to pass over.
        recipe: How words and meaning are weighed; the setting ``search.recipe`` when left out.
        legs: Only these legs, such as ``["words"]`` for the quickest answer.
        per_session: Hits at most from one conversation.
        as_of: Search the vault as it stood at this time, ISO 8601; by words, whatever recipe and legs say.
        vector_weight: How much meaning counts in this search, of the recipes ``weighted`` (when none is named),
            ``balanced`` and ``boosted``.
        fts_weight: How much words count in it.
        query_embedding: The vector of the query's words, made by the model of the index; compared in place of ours.
        project: Name of the project that is worked on: what belongs to it comes first, unless something else fits much
            better. It counts for the recipe ``learned``; the operator ``project:`` finds nothing else.
    """
    weights = (vector_weight, fts_weight)
    chosen = recipe or (engine.config.text("search.recipe") if weights == (None, None) else "weighted")
    result = await engine.search.service.search(
        caller.access,
        query,
        limit=limit,
        offset=offset,
        recipe=chosen,
        legs=legs,
        per_session=per_session,
        as_of=as_of,
        weights=weights,
        embedding=query_embedding,
        project=project,
    )
    if as_of is None:
        engine.memories.access.count(hit.id for hit in result.hits if hit.target == "memory")
    if "private" in caller.stores:
        return result
    # Conversations are private, also those that a memory comes from.
    return replace(result, hits=tuple(replace(hit, session_id=None) for hit in result.hits))


@operation("memory.get", positional=("ids",), sentence="Read a memory")
async def get(
    engine: Engine,
    caller: Caller,
    id: str = "",
    ids: list[str] = [],  # noqa: B006  (never changed; the registry copies defaults)
    max_tokens: int | None = None,
    as_of: datetime | None = None,
) -> FetchedMemories:
    """Return whole items by their ids, deleted ones included.

    Items beyond the budget are named with their tokens.

    Messages are returned too, by the ids that searches and contexts show; below full trust only the caller's own.
    Ids of which there is nothing are named in ``missing``; only where ``id`` alone is asked for, that is an error.

    Args:
        id: One item, or a message as ``<session>#<number>``.
        ids: Several, in the order wanted.
        max_tokens: Tokens the items may take together; an item is given whole or not at all.
        as_of: As they stood at this time, ISO 8601; a text that was being written then is given as it was before.
    """
    check_range("max_tokens", max_tokens, 0)
    wanted = [*([id] if id else []), *ids]
    if not wanted:
        raise InputError("Name the items: 'id' for one, 'ids' for several.", field="ids")
    if len(wanted) > _MAX_IDS:
        raise InputError(Sentence("At most {most} items at once.", most=_MAX_IDS), field="ids", allowed=_MAX_IDS)
    memories = await engine.memories.queries.fetch(caller.access, wanted, max_tokens=max_tokens, as_of=as_of)
    messages_by_name = (
        await engine.sessions.service.messages_by_name(memories.missing, owner_of(caller)) if memories.missing else {}
    )
    if as_of is not None:
        messages_by_name = {name: message for name, message in messages_by_name.items() if message.created_at <= as_of}
    memories = with_messages(memories, messages_by_name, max_tokens)
    if not ids and memories.missing:
        raise NotFoundError(Sentence("There is no memory or message with the id {id}.", id=id), id=id)
    if as_of is None:
        engine.memories.access.count(memory.id for memory in memories.memories)
    return memories


@operation("memory.list", sentence="Used your memories")
async def list_memories(
    engine: Engine,
    caller: Caller,
    filter: MemoryFilter = _ALL,
    order: MemoryOrder = "recent",
    limit: Count = 50,
    offset: Count = 0,
    as_of: datetime | None = None,
) -> list[MemoryRow]:
    """Return items of every kind as list rows, last changed first by default.

    Args:
        filter: Which ones.
        order: In what order.
        limit: How many at most.
        offset: How many to pass over.
        as_of: As they stood at this time, ISO 8601; a text that was being written then is given as it was before.
    """
    return await engine.memories.queries.listed(caller.access, filter, order, limit=limit, offset=offset, as_of=as_of)


@operation("memory.timeline", positional=("around",), sentence="Looked at the timeline")
async def timeline(
    engine: Engine,
    caller: Caller,
    around: str = "",
    before: Count = 10,
    after: Count = 10,
    kinds: list[TimelineKind] = [],  # noqa: B006
    session: str = "",
    project: str = "",
) -> Timeline:
    """Return the timeline around an item or a moment, oldest first.

    It lists what was said, happened or was stored, with ids to fetch.

    Args:
        around: The id of an item, ``session#number`` of a message, or a time such as ``2026-03-01`` or ``last week``;
            now when empty.
        before: Items before it at most.
        after: Items after it at most.
        kinds: Only these: ``message``, ``note``, ``fact``, ``observation``, ``reflection``, ``digest``.
        session: Only this conversation and what is remembered of it.
        project: Only what belongs to this project, by its name or the end of it.
    """
    session = await mentioned(engine, caller, session) if session else session
    chosen = TimelineFilter(tuple(kinds), session, clean_name(project))
    anchor = _anchor(around, engine.clock.now_ms())
    try:
        return await engine.memories.queries.timeline(caller.access, anchor, before, after, chosen)
    except NotFoundError as error:
        raise NotFoundError(
            Sentence(
                "“{around}” is neither the id of a memory or message nor a time such as 2026-03-01 or ‘last week’.",
                around=around,
            ),
            **error.data,
        ) from error


@operation("memory.people", positional=("text",), sentence="Used your memories")
async def people(
    engine: Engine,
    caller: Caller,
    text: str = "",
    order: EntityOrder = "recent",
    limit: Count = 50,
    offset: Count = 0,
) -> list[Person]:
    """Return the people mentioned, with counts and dates, latest first by default.

    Args:
        text: Only those whose names contain it.
        order: In what order.
        limit: How many at most.
        offset: How many to pass over.
    """
    return await engine.entities.queries.people(caller.access, text, order, limit=limit, offset=offset)


@operation("memory.forecast", sentence="Used your memories")
async def forecast(engine: Engine, caller: Caller, days: list[int] = []) -> Forecast:  # noqa: B006
    """Return the facts that would fade within some days without use; changes nothing.

    A fact's confidence falls to ``confidence * exp(-rate * days)``, counted from when it was last read or changed, and
    counts as faded below the setting ``decay.threshold``. Pinned and confirmed facts never fade. The forecast keeps to
    the loss budget of the settings ``decay.max_share`` and ``decay.max_share_month``, as the nightly runs do.

    Args:
        days: How many days ahead, one or several numbers; 30, 90 and 365 when empty.
    """
    for ahead in days:
        check_range("days", ahead, 0)
    return await engine.memories.forecasts.forecast(caller.access, decay_rules(engine.config), days or HORIZONS)


@operation("memory.parse", sentence="Used your memories")
async def parse(engine: Engine, caller: Caller, query: str) -> Query:
    """Return how a search is understood.

    Args:
        query: What a person typed.
    """
    return engine.search.service.parse(query)


@operation("memory.months", positional=("query",), sentence="Used your memories")
async def months(engine: Engine, caller: Caller, query: str) -> list[MonthCount]:
    """Return the number of texts that match a search by month, oldest first.

    Months without one are left out. A text matches when it has all words of the search, or any of them where no text
    has all. Dates of the search are left out.

    Args:
        query: A search as for memory.search.
    """
    return await engine.search.service.months(caller.access, query)


@operation("memory.operators", trust="public", sentence="Used your memories")
async def operators(engine: Engine, caller: Caller) -> list[OperatorHelp]:
    """Return the operators of the query language with an explanation and example values."""
    return engine.search.service.operators()


@operation("memory.stats", sentence="Used your memories")
async def stats(engine: Engine, caller: Caller, steps: Count = 30, step: Step = "day") -> MemoryStats:
    """Return counts by kind, store and source, with latest dates and growth.

    A caller that may not see everything gets the counts of what it may see.

    Args:
        steps: How many days or weeks up to today ``growth`` has.
        step: Whether ``growth`` counts by ``day`` or by ``week``.
    """
    wanted = StatisticsPeriod(engine.clock.now_ms(), steps, step)
    counted = await engine.memories.queries.growth(caller.access, wanted)
    if not caller.reaches("full"):
        return counted
    vault = await engine.upkeep.service.stats()
    return replace(
        counted,
        chunks=vault.chunks,
        embedded=vault.embedded,
        pending=vault.pending,
        disk_bytes=vault.disk_bytes,
    )


@operation("memory.history", trust="full", positional=("target",), sentence="Used your memories")
async def history(engine: Engine, caller: Caller, target: str | None = None, limit: Count = 50) -> list[HistoryEntry]:
    """Return recorded changes with the state before and after, newest first.

    Args:
        target: The memory or conversation; all when left out.
        limit: How many at most.
    """
    return await engine.undo.entries.history(caller.access, target, limit)


@operation(
    "memory.undo",
    access="write",
    trust="full",
    review="content",
    kind="note",
    positional=("history_ids",),
    undo="history",
    brings_back=True,
    sentence="Used your memories",
)
async def undo(
    engine: Engine,
    caller: Caller,
    history_ids: list[int] = [],  # noqa: B006
    run_id: str = "",
) -> Changed[list[int]]:
    """Undo recorded changes and return the entries of history that undo this.

    Args:
        history_ids: Entries of history, in the order they were written.
        run_id: Instead of entries, all that one run or bulk action did and that still stands.
    """
    if bool(history_ids) == bool(run_id):
        raise InputError("Name what to undo: either 'history_ids' or a 'run_id'.", field="history_ids")
    await refuse_release(engine, caller, history_ids=history_ids, run_id=run_id)
    if not caller.is_owner:
        await engine.undo.entries.require_content(history_ids, run_id)
    if run_id:
        return await engine.undo.runs.undo(caller.access, run_id)
    return await engine.undo.entries.undo(caller.access, history_ids)


def _anchor(around: str, now_ms: int) -> str | datetime:
    """Return the moment that ``around`` means, or the id it must be."""
    if not around.strip():
        return to_datetime(now_ms)
    exact = None if around.isdecimal() else parse_instant(around)
    if exact is not None:
        return to_datetime(exact)
    span = parse_span(around.strip(), now_ms)
    return around if span is None else to_datetime(span[0])
