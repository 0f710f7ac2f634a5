"""Operations on notes and other durable items."""

from dataclasses import replace
from datetime import date, datetime
from functools import partial
from typing import Any

from app.api.agent_writes.default_store import default_store
from app.api.agent_writes.quarantine_guard import refuse_release
from app.api.argument_types import IdempotencyKey
from app.api.caller import Caller
from app.api.idempotent_write import save_once
from app.api.registry import Count, operation
from app.changes import Changed
from app.core.facets import Facets
from app.core.stores import StoreName, sees_all
from app.engine import Engine
from app.errors import InputError
from app.memories.model import (
    CalendarDay,
    KeptText,
    Link,
    Links,
    Memory,
    MemoryFilter,
    MemoryOrder,
    MemoryRow,
    NamedThing,
    NewMemory,
    Written,
)

_change = partial(operation, access="write", trust="inner", review="content", kind="note", undo="history")

_ALL = MemoryFilter()


@_change("note.save", positional=("title", "content"), checks_facts=True, sentence="Wrote a note")
async def save(
    engine: Engine,
    caller: Caller,
    content: str,
    title: str = "",
    tags: list[str] = [],  # noqa: B006  (never changed; the registry copies defaults)
    store: StoreName | None = None,
    source: str = "",
    id: str | None = None,
    attributes: dict[str, Any] = {},  # noqa: B006
    unfinished_tag: str = "",
    key: IdempotencyKey = "",
) -> Changed[Memory]:
    """Store a new note.

    Args:
        content: Markdown, kept exactly.
        title: What ``[[wiki links]]`` call it; the first heading of the content when left out.
        tags: Joined with the ``#tags`` in the content; at most 16 of at most 64 characters.
        store: Who may see it; the most private store that the caller sees when left out.
        source: Where it comes from; the caller's name when empty.
        id: An id of the caller's own, which must be new; for callers that read every store only.
        attributes: Anything else to keep with it.
        unfinished_tag: A tag in the content at whose end somebody is still typing; it is none yet.
        key: An id of the caller's own for this write, so that it can be repeated safely within 30 days.
    """
    # Others must not learn which ids are taken.
    if id is not None and not sees_all(caller.stores):
        raise InputError("Only programs with full trust choose ids. Leave 'id' out to get one.", field="id")
    draft = NewMemory(
        content=content,
        title=title,
        tags=tuple(tags),
        store=default_store(caller, store),
        source=source or caller.name,
        id=id,
        attributes=attributes,
        unfinished_tag=unfinished_tag,
    )

    async def write(wanted: NewMemory) -> Changed[Written]:
        saved = await engine.memories.service.save(caller.access, wanted)
        return Changed(Written("ADD", saved.value), saved.changes)

    done = await save_once(engine, caller, key, "note.save", draft, write)
    return Changed(done.value.memory, done.changes)


@_change("note.update", positional=("id",), filled="version", checks_facts=True, sentence="Changed a note")
async def update(
    engine: Engine,
    caller: Caller,
    id: str,
    version: int,
    content: str | None = None,
    title: str | None = None,
    tags: list[str] | None = None,
    store: StoreName | None = None,
    pinned: bool | None = None,
    facts: list[str] | None = None,
    unfinished_tag: str = "",
) -> Changed[Memory]:
    """Change what is given of a note; refused when it changed since it was read.

    Args:
        id: The note's id.
        version: The version that was read.
        content: New Markdown.
        title: New title; the links of other notes follow it, and undoing that brings them back.
        tags: New tags, in place of the old ones.
        store: New store, one that the caller sees.
        pinned: Whether it is pinned.
        facts: New single statements of an observation. An agent that gives new content and leaves them out takes the
            old ones away: they belong to what it corrects.
        unfinished_tag: A tag in the content at whose end somebody is still typing; it is none yet.
    """
    if facts is None and content is not None and not caller.is_owner:
        facts = []
    return await engine.memories.service.update(
        caller.access,
        id,
        version,
        content=content,
        title=title,
        tags=tags,
        store=None if store is None else default_store(caller, store),
        pinned=pinned,
        facts=facts,
        unfinished_tag=unfinished_tag,
    )


@_change("note.delete", destructive=True, removes=True, sentence="Deleted a note")
async def delete(engine: Engine, caller: Caller, id: str) -> Changed[Memory]:
    """Delete a note, or any other memory; it can be restored and the deletion undone.

    Args:
        id: The id of the note or other memory.
    """
    return await engine.memories.service.delete(caller.access, id)


@_change("note.restore", sentence="Changed a note")
async def restore(engine: Engine, caller: Caller, id: str) -> Changed[Memory]:
    """Bring a deleted note back.

    Args:
        id: The note's id.
    """
    await refuse_release(engine, caller, memory=id)
    return await engine.memories.service.restore(caller.access, id)


@_change("note.delete_many", destructive=True, removes=True, sentence="Deleted a note")
async def delete_many(engine: Engine, caller: Caller, ids: list[str]) -> Changed[tuple[str, ...]]:
    """Delete several notes as one run and return the ids of those deleted.

    Args:
        ids: Their ids; those already gone are passed over.
    """
    return await engine.memories.service.delete_many(caller.access, ids)


@_change("note.tag_many", sentence="Changed a note")
async def tag_many(
    engine: Engine,
    caller: Caller,
    ids: list[str],
    add: list[str] = [],  # noqa: B006
    remove: list[str] = [],  # noqa: B006
) -> Changed[tuple[str, ...]]:
    """Add and remove tags of several notes as one run; return changed ids.

    Args:
        ids: The notes' ids.
        add: Tags to add.
        remove: Tags to take away.
    """
    return await engine.memories.service.tag_many(caller.access, ids, add=add, remove=remove)


@_change("note.pin", sentence="Changed a note")
async def pin(engine: Engine, caller: Caller, id: str, pinned: bool = True) -> Changed[Memory]:
    """Pin or unpin a note; its version does not matter.

    Args:
        id: The note's id.
        pinned: Whether it is pinned.
    """
    return await engine.memories.service.pin(caller.access, id, pinned=pinned)


@operation("note.kept_texts", sentence="Looked at notes")
async def kept_texts(engine: Engine, caller: Caller, id: str) -> tuple[KeptText, ...]:
    """Return texts written to a note on another machine at the same time.

    The last one may say that the note was deleted there while it was edited here, or the reverse: so it is there still.

    Args:
        id: The note's id.
    """
    return await engine.memories.queries.kept_texts(caller.access, id)


@_change("note.take_text", sentence="Changed a note")
async def take_text(engine: Engine, caller: Caller, id: str, text: str) -> Changed[Memory]:
    """Give a note the text that was written on another machine at the same time.

    Args:
        id: The note's id.
        text: The id of the text, of those that ``note.kept_texts`` returns.
    """
    return await engine.memories.service.take_text(caller.access, id, text)


@_change("note.dismiss_texts", sentence="Changed a note")
async def dismiss_texts(engine: Engine, caller: Caller, id: str) -> Changed[Memory]:
    """Dismiss texts written to a note on another machine at the same time.

    The note keeps its text, and stays where it was deleted there.

    Args:
        id: The note's id.
    """
    return await engine.memories.service.dismiss_texts(caller.access, id)


@operation("note.get", sentence="Looked at notes")
async def get(engine: Engine, caller: Caller, id: str) -> Memory:
    """Return a note or any other memory, deleted or not.

    Args:
        id: Its id.
    """
    memory = await engine.memories.queries.get(caller.access, id)
    engine.memories.access.count((id,))
    return memory


@operation("note.list", sentence="Looked at notes")
async def list_notes(
    engine: Engine,
    caller: Caller,
    filter: MemoryFilter = _ALL,
    order: MemoryOrder = "recent",
    limit: Count = 50,
    offset: Count = 0,
    as_of: datetime | None = None,
) -> list[MemoryRow]:
    """Return durable items as a list shows them, by default the last changed first.

    Args:
        filter: Which ones.
        order: In what order.
        limit: How many at most.
        offset: How many to pass over.
        as_of: As they stood at this time, ISO 8601; as they stand now when left out.
    """
    return await engine.memories.queries.listed(caller.access, filter, order, limit=limit, offset=offset, as_of=as_of)


@operation("note.ids", sentence="Looked at notes")
async def ids(engine: Engine, caller: Caller, filter: MemoryFilter = _ALL, order: MemoryOrder = "recent") -> list[str]:
    """Return the ids of durable items in order, for lists that load rows later.

    Args:
        filter: Which ones.
        order: In what order.
    """
    return await engine.memories.queries.ids(caller.access, filter, order)


@operation("note.rows", sentence="Looked at notes")
async def rows(engine: Engine, caller: Caller, ids: list[str]) -> list[MemoryRow]:
    """Return items by their ids as list rows, without those that are gone.

    Args:
        ids: Their ids.
    """
    return await engine.memories.queries.rows(caller.access, ids)


@operation("note.facets", sentence="Looked at notes")
async def facets(engine: Engine, caller: Caller, filter: MemoryFilter = _ALL) -> Facets:
    """Return counts by kind, tag, store and source.

    Args:
        filter: Over which items.
    """
    return await engine.memories.queries.facets(caller.access, filter)


@operation("note.entities", sentence="Looked at notes")
async def entities(engine: Engine, caller: Caller, filter: MemoryFilter = _ALL, limit: Count = 30) -> list[NamedThing]:
    """Return the people and things that items name, the most named first.

    Args:
        filter: Over which items; of very many, the last changed.
        limit: How many at most.
    """
    things = await engine.memories.queries.entities(caller.access, filter, limit)
    if sees_all(caller.stores):
        return things
    rows = await engine.entities.queries.rows(caller.access, [thing.id for thing in things])
    names = {row.id: row.name for row in rows}
    return [replace(thing, name=names.get(thing.id, thing.name)) for thing in things]


@operation("note.days", sentence="Looked at notes")
async def days(engine: Engine, caller: Caller, first: date, last: date) -> list[CalendarDay]:
    """Return the days with notes or conversations, with their numbers and daily notes.

    Args:
        first: The first day, such as 2026-03-01.
        last: The last day, at most 400 days on.
    """
    return await engine.memories.queries.days(caller.access, first, last)


@operation("note.links", sentence="Looked at notes")
async def links(engine: Engine, caller: Caller, id: str) -> Links:
    """Return what a note links to and what links to it.

    Args:
        id: The note's id.
    """
    return await engine.memories.queries.links(caller.access, id)


@operation("note.titles", positional=("prefix",), sentence="Looked at notes")
async def titles(engine: Engine, caller: Caller, prefix: str = "", limit: Count = 50, contains: str = "") -> list[Link]:
    """Return notes whose title begins with some letters, for completing ``[[links]]``.

    Args:
        prefix: The letters, in any case.
        limit: How many at most.
        contains: Words, or parts of words, that the title must also have, in any case.
    """
    return await engine.memories.queries.titles(caller.access, prefix, contains=contains, limit=limit)


@operation("note.resolve", sentence="Looked at notes")
async def resolve(engine: Engine, caller: Caller, title: str, source: str = "") -> str | None:
    """Return the id of the note that ``[[title]]`` means, null when there is none.

    Args:
        title: A title, an alias or an id.
        source: The id of the note in which ``title`` is the target of a Markdown link, such as ``../rose.md``.
    """
    return await engine.memories.queries.resolve(caller.access, title, source=source)
