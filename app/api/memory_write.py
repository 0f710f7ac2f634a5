"""Operations that write memories so that nothing is stored twice, and reflections with their sources."""

from datetime import datetime
from typing import Any

from app.api.caller import Caller
from app.api.default_store import default_store
from app.api.registry import operation
from app.api.session_access import origin
from app.changes import Changed
from app.core.stores import StoreName
from app.engine import Engine
from app.memories.model import Kind, Memory, NewMemory, Source, SourceText, Written


@operation("memory.write", access="write", trust="inner")
async def write(
    engine: Engine,
    caller: Caller,
    content: str,
    title: str = "",
    kind: Kind = "observation",
    type: str = "",
    facts: list[str] = [],  # noqa: B006  (never changed; the registry copies defaults)
    tags: list[str] = [],  # noqa: B006
    store: StoreName | None = None,
    source: str = "",
    session: str | None = None,
    related_files: list[str] = [],  # noqa: B006
    related_people: list[str] = [],  # noqa: B006
    sources: list[Source] = [],  # noqa: B006
    expires_at: datetime | None = None,
    event_time: datetime | None = None,
    attributes: dict[str, Any] = {},  # noqa: B006
) -> Changed[Written]:
    """Store an observation, fact or note unless its store already has the same.

    Equal ones are counted; a model, where there is one, judges similar ones. The answer says what was done and why.

    Args:
        content: The narrative of an observation, or the text.
        title: What it is about, in a line.
        kind: Mostly ``observation``, ``fact`` or ``note``.
        type: An observation's type, such as ``decision``.
        facts: Single statements; with the title they tell whether an observation is known.
        tags: At most 16 of at most 64 characters.
        store: Who may see it; the most private store that the caller sees when left out.
        source: Where it comes from; the caller's name when empty.
        session: The conversation it comes from.
        related_files: Files it is about, by path or name.
        related_people: People it is about.
        sources: Messages (``<session>#<seq>``) and memories it was drawn from.
        expires_at: Until when it is kept.
        event_time: When it happened.
        attributes: Anything else to keep with it.
    """
    await engine.memories.reflections.require_sources(sources, stores=caller.stores)
    draft = NewMemory(
        content=content,
        title=title,
        kind=kind,
        type=type,
        facts=tuple(facts),
        tags=tuple(tags),
        store=default_store(caller, store),
        source=source or caller.name,
        session_id=await origin(engine, caller, session),
        files=tuple(related_files),
        people=tuple(related_people),
        sources=tuple(sources),
        expires_at=expires_at,
        event_time=event_time,
        attributes=attributes,
        decay_rate=engine.config.number("memories.decay_rate") if kind == "fact" else 0.0,
    )
    return await engine.memories.writing.write(draft, stores=caller.stores, actor=caller.name, judging="model")


@operation("memory.sources")
async def sources(engine: Engine, caller: Caller, id: str) -> list[SourceText]:
    """Return what a memory was drawn from, each message or memory with its words.

    Args:
        id: The memory's id.
    """
    return await engine.memories.reflections.sources(id, stores=caller.stores)


@operation("reflection.save", access="write", trust="inner")
async def save_reflection(
    engine: Engine,
    caller: Caller,
    content: str,
    title: str = "",
    sources: list[Source] = [],  # noqa: B006
    tags: list[str] = [],  # noqa: B006
    store: StoreName | None = None,
) -> Changed[Memory]:
    """Store a reflection on recent facts and messages.

    It never fades and is tagged ``weekly``.

    Args:
        content: The insight, in Markdown.
        title: A line that names it.
        sources: Messages (``<session>#<seq>``) and memories it follows from.
        tags: More tags.
        store: Who may see it; the most private store that the caller sees when left out.
    """
    await engine.memories.reflections.require_sources(sources, stores=caller.stores)
    draft = NewMemory(
        content=content,
        title=title,
        sources=tuple(sources),
        tags=tuple(tags),
        store=default_store(caller, store),
        source=caller.name,
    )
    return await engine.memories.reflections.save(draft, stores=caller.stores, actor=caller.name)


@operation("reflection.latest")
async def latest_reflection(engine: Engine, caller: Caller) -> Memory | None:
    """Return the newest reflection, null while there is none."""
    return await engine.memories.reflections.latest(stores=caller.stores)
