"""Operations on facts."""

from dataclasses import dataclass, field
from functools import partial
from typing import Annotated, Any

from msgspec import Meta

from app.api.agent_writes.default_store import default_store
from app.api.caller import Caller
from app.api.registry import Count, operation
from app.api.session_access import origin
from app.changes import Changed
from app.core.ids import new_id
from app.core.stores import StoreName
from app.core.text_rules.project_name import with_project
from app.engine import Engine
from app.memories.fact_service import draft_of
from app.memories.model import BatchWritten, Belief, Clash, FactConfidence, FactSet, Memory, NewMemory, Source, Written

_change = partial(operation, access="write", trust="inner", review="content", kind="fact", undo="history")

Rate = Annotated[float, Meta(ge=0, le=10)]


@dataclass(frozen=True, slots=True)
class FactDraft:
    """One fact of a batch.

    Args:
        category: With ``key``, names it.
        sources: Messages (``<session>#<seq>``) and memories it was drawn from.
        confidence: How certain it is, 0 to 1.
        decay_rate: Share of its confidence it loses in a day without use.
    """

    content: str
    tags: list[str] = field(default_factory=list)
    category: str = ""
    key: str = ""
    attributes: dict[str, Any] = field(default_factory=dict)
    sources: list[Source] = field(default_factory=list)
    store: StoreName | None = None
    confidence: Annotated[float, Meta(ge=0, le=1)] = 1.0
    decay_rate: Rate | None = None


@_change("fact.remember", checks_facts=True, sentence="Remembered a fact")
async def remember(
    engine: Engine,
    caller: Caller,
    content: str,
    tags: list[str] = [],  # noqa: B006  (never changed; the registry copies defaults)
    category: str = "",
    key: str = "",
    attributes: dict[str, Any] = {},  # noqa: B006
    source: str = "",
    session: str | None = None,
    sources: list[Source] = [],  # noqa: B006
    store: StoreName | None = None,
    decay_rate: Rate | None = None,
    project: str = "",
) -> Changed[Written]:
    """Store a fact, or count one with the same words once more.

    The answer says which (``outcome`` and ``reason``). Only case, spacing and the way accents are written do not count.

    Args:
        content: One sentence.
        tags: At most 16 of at most 64 characters.
        category: With ``key``, names the fact; an active one of that name is superseded.
        key: See ``category``.
        attributes: Metadata, found again by ``fact.by_metadata``.
        source: Where it comes from; the caller's name when empty.
        session: The conversation it comes from.
        sources: Messages (``<session>#<seq>``) and memories it was drawn from.
        store: Who may see it; the most private store that the caller sees when left out.
        decay_rate: Share of its confidence it loses in a day without use; the setting ``memories.decay_rate`` when
            left out, 0 for never.
        project: Name of the project that it belongs to.
    """
    await engine.memories.reflections.require_sources(caller.access, sources)
    draft = draft_of(
        content,
        tags=tuple(tags),
        category=category,
        key=key,
        attributes=with_project(attributes, project),
        source=source or caller.name,
        session_id=await origin(engine, caller, session),
        sources=tuple(sources),
        store=default_store(caller, store),
        decay_rate=_rate(engine, decay_rate),
    )
    return await engine.memories.writing.write(caller.access, draft, judging="text")


@_change("fact.set", checks_facts=True, replaces=True, sentence="Used your facts")
async def set_fact(
    engine: Engine,
    caller: Caller,
    category: str,
    key: str,
    value: str,
    tags: list[str] = [],  # noqa: B006
    attributes: dict[str, Any] = {},  # noqa: B006
    source: str = "",
    store: StoreName | None = None,
    decay_rate: Rate | None = None,
) -> Changed[FactSet]:
    """Set the fact of a category and key; return it with the superseded one.

    Args:
        category: A group, such as ``preferences``.
        key: A name that is unique in its category.
        value: What holds from now on.
        tags: At most 16 of at most 64 characters.
        attributes: Metadata.
        source: Where it comes from; the caller's name when empty.
        store: Who may see it; that of the old value when left out.
        decay_rate: Share of its confidence it loses in a day without use; the setting when left out.
    """
    draft = draft_of(
        value,
        category=category,
        key=key,
        tags=tuple(tags),
        attributes=attributes,
        source=source or caller.name,
        store=default_store(caller, store),
        decay_rate=_rate(engine, decay_rate),
    )
    return await engine.memories.facts.set(caller.access, draft, keeps_store=store is None)


@operation("fact.get", sentence="Used your facts")
async def get(engine: Engine, caller: Caller, category: str, key: str) -> Memory:
    """Return the fact of a category and key.

    Args:
        category: Its category.
        key: Its key.
    """
    return await engine.memories.fact_queries.get(caller.access, category, key)


@operation("fact.list", positional=("category",), sentence="Used your facts")
async def list_facts(
    engine: Engine, caller: Caller, category: str = "", limit: Count = 50, offset: Count = 0
) -> list[Memory]:
    """Return facts, of one category by key, else the last changed first.

    Args:
        category: Only facts of it; all when empty.
        limit: How many at most.
        offset: How many to pass over.
    """
    return await engine.memories.fact_queries.listed(caller.access, category, limit=limit, offset=offset)


@operation("fact.by_metadata", sentence="Used your facts")
async def by_metadata(engine: Engine, caller: Caller, key: str, value: str, limit: Count = 50) -> list[Memory]:
    """Return facts whose metadata has a value, the last changed first.

    Args:
        key: Which attribute.
        value: Its value, exactly; a number, ``true`` and ``false`` as text.
        limit: How many at most.
    """
    return await engine.memories.fact_queries.by_metadata(caller.access, key, value, limit=limit)


@_change("fact.correct", checks_facts=True, proposed=True, replaces=True, sentence="Corrected a fact")
async def correct(engine: Engine, caller: Caller, id: str, content: str) -> Changed[FactSet]:
    """Replace a wrong fact by what is right, and return both; each names the other.

    Args:
        id: The wrong fact.
        content: What is right.
    """
    return await engine.memories.facts.correct(caller.access, id, content)


@_change("fact.confirm", sentence="Used your facts")
async def confirm(engine: Engine, caller: Caller, id: str) -> Changed[Memory]:
    """Make a fact certain for good: full confidence, and it never fades.

    Args:
        id: The fact.
    """
    return await engine.memories.facts.confirm(caller.access, id)


@_change("fact.forget", destructive=True, sentence="Used your facts")
async def forget(engine: Engine, caller: Caller, id: str) -> Changed[Memory]:
    """Delete a fact; it can be restored and the deletion undone.

    Args:
        id: The fact.
    """
    return await engine.memories.facts.forget(caller.access, id)


@_change("fact.batch", sentence="Used your facts")
async def batch(
    engine: Engine, caller: Caller, facts: list[FactDraft], session: str | None = None, run_id: str | None = None
) -> Changed[BatchWritten]:
    """Store several facts as one run and return each result, in order.

    Equal ones among them are stored once. One that shares three quarters of its words with a fact in the vault, and
    says nothing that this does not say, is counted as that; a word replaced by another makes it another fact.

    Args:
        facts: At most 1,000.
        session: The conversation they come from.
        run_id: The run they belong to; a new one when left out.
    """
    session = await origin(engine, caller, session)
    drafts = [_draft(engine, caller, fact, session) for fact in facts]
    for fact in facts:
        await engine.memories.reflections.require_sources(caller.access, fact.sources)
    return await engine.memories.batches.write(caller.access.in_run(run_id or new_id("run")), drafts)


@operation("fact.conflicts", sentence="Used your facts")
async def conflicts(engine: Engine, caller: Caller, content: str, limit: Count = 10) -> list[Memory]:
    """Return facts on the same matter that a sentence may contradict, the nearest first.

    Args:
        content: The sentence.
        limit: How many at most.
    """
    return await engine.memories.fact_queries.conflicts(caller.access, content, limit=limit)


@operation("fact.clashes", sentence="Used your facts")
async def clashes(engine: Engine, caller: Caller, id: str, limit: Count = 3) -> list[Clash]:
    """Return sentences of a note or fact with stored facts that they may contradict.

    They are on the same matter and differ in a number, a name or a negation.

    Args:
        id: The note or fact that was written.
        limit: How many at most.
    """
    memory = await engine.memories.queries.get(caller.access, id)
    queries = engine.memories.fact_queries
    return await queries.clashes(caller.access, memory.content, limit=limit, without=id)


@operation("fact.confidence", sentence="Used your facts")
async def confidence(engine: Engine, caller: Caller, id: str) -> FactConfidence:
    """Return the confidence of a fact now, and when it fades without use.

    Args:
        id: The fact.
    """
    threshold = engine.config.number("decay.threshold")
    return await engine.memories.fact_queries.confidence(caller.access, id, threshold)


@operation("fact.beliefs", sentence="Used your facts")
async def beliefs(engine: Engine, caller: Caller, id: str) -> list[Belief]:
    """Return what was held true before and after a fact, the first held first.

    Args:
        id: Any fact of which another took the place, or that took the place of another.
    """
    return await engine.memories.fact_queries.beliefs(caller.access, id)


@_change("fact.resolve", sentence="Used your facts")
async def resolve(engine: Engine, caller: Caller, new_id: str, old_id: str) -> Changed[FactSet]:
    """Resolve a conflict: one fact supersedes another, which stays with little confidence.

    Args:
        new_id: The fact that holds.
        old_id: The fact that does not.
    """
    return await engine.memories.facts.resolve(caller.access, new_id, old_id)


def _rate(engine: Engine, given: float | None) -> float:
    return engine.config.number("memories.decay_rate") if given is None else given


def _draft(engine: Engine, caller: Caller, fact: FactDraft, session: str | None) -> NewMemory:
    return draft_of(
        fact.content,
        tags=tuple(fact.tags),
        category=fact.category,
        key=fact.key,
        attributes=fact.attributes,
        sources=tuple(fact.sources),
        confidence=fact.confidence,
        source=caller.name,
        session_id=session,
        store=default_store(caller, fact.store),
        decay_rate=_rate(engine, fact.decay_rate),
    )
