"""Operations that write memories so that nothing is stored twice, and reflections with their sources."""

from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any

from app.api.agent_writes.default_store import default_store
from app.api.argument_types import IdempotencyKey
from app.api.caller import Caller
from app.api.idempotent_write import save_once
from app.api.registry import Count, operation
from app.api.session_access import origin
from app.changes import Changed
from app.core.stores import StoreName
from app.core.text_rules.project_name import with_project
from app.engine import Engine
from app.memories.model import Kind, Memory, NewMemory, Source, SourceText, Written
from app.upkeep.reflection.model import ReflectionPreview


@operation(
    "memory.write",
    access="write",
    trust="inner",
    review="content",
    kind="observation",
    undo="history",
    sentence="Used your memories",
)
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
    project: str = "",
    key: IdempotencyKey = "",
) -> Changed[Written]:
    """Store an observation, fact or note unless its store already has the same.

    An equal memory counts as mentioned again; a language model, if any, judges similar ones. The answer says why.

    Args:
        content: The narrative of an observation, or the text.
        title: One line that says what it is about.
        kind: Usually ``observation``, ``fact`` or ``note``.
        type: An observation's type, such as ``decision``.
        facts: Single statements; with the title they decide whether an observation is new.
        tags: At most 16 tags of at most 64 characters each.
        store: Who may see it; the most private store that the caller sees when left out.
        source: Where it comes from; the caller's name when empty.
        session: The conversation it comes from.
        related_files: Files it is about, by path or name.
        related_people: People it is about.
        sources: Messages (``<session>#<seq>``) and memories it was drawn from.
        expires_at: When it expires.
        event_time: When it happened.
        attributes: Anything else to keep with it.
        project: Name of the project that it belongs to.
        key: An id of the caller's own for this write, so that it can be repeated safely within 30 days.
    """
    draft = replace(
        NewMemory(content, title, kind, tuple(tags), default_store(caller, store), source or caller.name),
        type=type,
        facts=tuple(facts),
        session_id=await origin(engine, caller, session),
        files=tuple(related_files),
        people=tuple(related_people),
        sources=tuple(sources),
        expires_at=expires_at,
        event_time=event_time,
        attributes=with_project(attributes, project),
    )
    return await save_once(engine, caller, key, "memory.write", draft, partial(_write, engine, caller))


async def _write(engine: Engine, caller: Caller, draft: NewMemory) -> Changed[Written]:
    await engine.memories.reflections.require_sources(caller.access, draft.sources)
    decay_rate = engine.config.number("memories.decay_rate") if draft.kind == "fact" else 0.0
    draft = replace(draft, decay_rate=decay_rate)
    return await engine.memories.writing.write(caller.access, draft, judging="model")


@operation("memory.sources", sentence="Used your memories")
async def sources(engine: Engine, caller: Caller, id: str) -> list[SourceText]:
    """Return what a memory was drawn from, each message or memory with its words.

    Args:
        id: The memory's id.
    """
    return await engine.memories.reflections.sources(caller.access, id)


@operation(
    "reflection.save",
    access="write",
    trust="inner",
    review="content",
    kind="reflection",
    undo="history",
    sentence="Wrote a reflection",
)
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
    await engine.memories.reflections.require_sources(caller.access, sources)
    draft = NewMemory(
        content=content,
        title=title,
        sources=tuple(sources),
        tags=tuple(tags),
        store=default_store(caller, store),
        source=caller.name,
    )
    return await engine.memories.reflections.save(caller.access, draft)


@operation("reflection.latest", sentence="Looked at reflections")
async def latest_reflection(engine: Engine, caller: Caller) -> Memory | None:
    """Return the newest reflection, null while there is none."""
    return await engine.memories.reflections.latest(caller.access)


@operation("reflection.list", sentence="Looked at reflections")
async def list_reflections(engine: Engine, caller: Caller, limit: Count = 20, offset: Count = 0) -> list[Memory]:
    """Return the reflections, the newest first.

    Args:
        limit: How many at most, up to 200.
        offset: How many of the newest to leave out.
    """
    return await engine.memories.reflections.page(caller.access, limit, offset)


@operation("reflection.preview", trust="full", sentence="Looked at reflections")
async def preview_reflection(engine: Engine, caller: Caller) -> ReflectionPreview:
    """Return what the weekly reflection would say now; stores nothing.

    It is the digest by rules, together with whether a reflection is due.
    """
    return await engine.weekly_reflection.preview()
