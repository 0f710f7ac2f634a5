"""Changes to memories: save, update, delete, restore, pin and tag.

Each can be undone and is announced to all listeners.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from app.changes import Changed
from app.core.access import Access
from app.core.ids import new_id
from app.core.json_values import plain
from app.core.stores import StoreName
from app.core.text_rules.tag_names import normalise_tags
from app.errors import InputError, NotFoundError, StaleError
from app.memories import repo, validation
from app.memories.model import Memory, NewMemory
from app.memories.note_links import renaming
from app.memories.queries.kept_versions import kept_texts
from app.memories.store_access import active_memories, require, require_active
from app.memories.unit_of_work import MemoryUnitOfWork
from app.memories.writer import MemoryWriter
from app.sentence import Sentence

_LONG = 100_000  # characters of a memory that is prepared before the writer has its turn


class MemoryService:
    """Changes memories; every method is one transaction.

    ``access`` says which stores the caller may see: a memory in another one is not found.

    Args:
        transactions: Opens transactions.
    """

    def __init__(self, transactions: MemoryUnitOfWork) -> None:
        self._transactions = transactions

    async def save(self, access: Access, draft: NewMemory) -> Changed[Memory]:
        """Store a new memory.

        A fact supersedes the active one of the same category and key. A note without a title is called by its heading.

        Raises:
            InputError: Its id is taken, it is empty or too large, or a field cannot be stored.
        """
        draft = replace(draft, title=renaming.with_title_of_heading(draft.title, draft.kind, draft.content))
        prepared = await asyncio.to_thread(self._prepare, draft) if len(draft.content) > _LONG else None

        def work(writer: MemoryWriter) -> Memory:
            memory, hash_of_text = (validation.compose(draft, writer.at_ms), None) if prepared is None else prepared
            if repo.exists(writer.connection, memory.id):
                raise InputError(
                    Sentence("There is already a memory with the id {id}; use update to change it.", id=memory.id),
                    id=memory.id,
                )
            return writer.create(memory, hash_of_text)

        return await self._transactions.run(access, work)

    def _prepare(self, draft: NewMemory) -> tuple[Memory, str]:
        """Return a new memory and the hash of its text.

        Both take long for a long memory, so they are made without the writer.
        """
        memory = validation.compose(draft, self._transactions.clock.now_ms())
        return memory, repo.text_hash(memory)

    async def update(
        self,
        access: Access,
        memory_id: str,
        version: int,
        *,
        content: str | None = None,
        title: str | None = None,
        tags: Sequence[str] | None = None,
        store: StoreName | None = None,
        pinned: bool | None = None,
        facts: Sequence[str] | None = None,
        attributes: dict[str, Any] | None = None,
        unfinished_tag: str = "",
    ) -> Changed[Memory]:
        """Change what is given of an active memory, of which the caller read ``version``.

        When that changes nothing, nothing is written. Somebody who goes on changing the content within a few minutes
        makes one entry of the history, whose id is returned again. Links of other memories follow a note's new title,
        and a title that is the same as the note's heading follows the heading.

        Raises:
            NotFoundError: There is no active memory of that id.
            StaleError: It has changed since ``version``; ``data`` has the current one.
            InputError: What is left is empty or too large, or a field cannot be stored.
        """

        def work(writer: MemoryWriter) -> Memory:
            before = require_active(writer.connection, memory_id, access.stores)
            if before.version != version:
                raise StaleError(
                    "This memory was changed in the meantime. Read it again and repeat the change.",
                    id=memory_id,
                    version=before.version,
                    given=version,
                )
            after = before if content is None else validation.with_content(before, content, unfinished_tag)
            if facts is not None:
                clean = validation.clean_facts(facts)
                after = replace(after, facts=clean, tokens=validation.size(after.content, clean))
            if title is not None:
                after = replace(after, title=validation.clean_title(title))
            if tags is not None:
                after = replace(after, tags=validation.united_tags(tags, after.content, unfinished_tag))
            after = replace(
                after,
                store=after.store if store is None else validation.clean_store(store),
                pinned=after.pinned if pinned is None else pinned,
                attributes=after.attributes if attributes is None else plain(attributes),
            )
            after = renaming.with_followed_heading(before, after)
            validation.require_text(after.content, after.title, after.facts)
            return before if after == before else renaming.store_renamed(writer, before, after, access.stores)

        return await self._transactions.run(access, work)

    async def delete(self, access: Access, memory_id: str) -> Changed[Memory]:
        """Delete a memory softly.

        Raises:
            NotFoundError: There is no active memory of that id.
        """

        def work(writer: MemoryWriter) -> Memory:
            return writer.delete(require_active(writer.connection, memory_id, access.stores))

        return await self._transactions.run(access, work)

    async def restore(self, access: Access, memory_id: str) -> Changed[Memory]:
        """Bring a deleted memory back.

        An active fact of the same category and key is superseded by it.

        Raises:
            NotFoundError: There is no memory of that id.
            InputError: It is not deleted.
        """

        def work(writer: MemoryWriter) -> Memory:
            memory = require(writer.connection, memory_id, access.stores)
            if memory.deleted_at is None:
                raise InputError("This memory is not deleted.", id=memory_id)
            return writer.restore(memory)

        return await self._transactions.run(access, work)

    async def pin(self, access: Access, memory_id: str, *, pinned: bool = True) -> Changed[Memory]:
        """Pin or unpin an active memory of any version.

        Raises:
            NotFoundError: There is no active memory of that id.
        """

        def work(writer: MemoryWriter) -> Memory:
            before = require_active(writer.connection, memory_id, access.stores)
            return before if before.pinned == pinned else writer.update(before, replace(before, pinned=pinned))

        return await self._transactions.run(access, work)

    async def take_text(self, access: Access, memory_id: str, text_id: str) -> Changed[Memory]:
        """Give a memory a text kept beside its own; no other one stays kept.

        Raises:
            NotFoundError: There is no active memory of that id, or no such text beside its own.
        """

        def work(writer: MemoryWriter) -> Memory:
            before = require_active(writer.connection, memory_id, access.stores)
            kept = kept_texts(writer.connection, memory_id, access.stores)
            text = next(
                (version.content for version in kept if version.id == text_id and not version.is_deletion), None
            )
            if text is None:
                raise NotFoundError("No other text of that id is kept for this memory.", id=memory_id)
            return writer.update(before, validation.with_content(before, text), event="CONFIRM")

        return await self._transactions.run(access, work)

    async def dismiss_texts(self, access: Access, memory_id: str) -> Changed[Memory]:
        """Dismiss texts kept beside that of a memory; the history has them still.

        Raises:
            NotFoundError: There is no active memory of that id.
        """

        def work(writer: MemoryWriter) -> Memory:
            before = require_active(writer.connection, memory_id, access.stores)
            is_any = bool(kept_texts(writer.connection, memory_id, access.stores))
            return writer.update(before, before, event="CONFIRM") if is_any else before

        return await self._transactions.run(access, work)

    async def delete_many(self, access: Access, ids: Sequence[str]) -> Changed[tuple[str, ...]]:
        """Delete memories softly in one run, and return the ids of those deleted.

        Memories that are already gone are left out.
        """

        def work(writer: MemoryWriter) -> tuple[str, ...]:
            return tuple(writer.delete(memory).id for memory in active_memories(writer.connection, ids, access.stores))

        return await self._transactions.run(access.in_run(new_id("run")), work)

    async def tag_many(
        self, access: Access, ids: Sequence[str], *, add: Sequence[str] = (), remove: Sequence[str] = ()
    ) -> Changed[tuple[str, ...]]:
        """Add and remove tags of memories in one run, and return the changed ids."""
        removed = {name for tag in remove for name in normalise_tags((tag,))}

        def tagged(memory: Memory) -> Memory:
            return replace(memory, tags=normalise_tags((*(tag for tag in memory.tags if tag not in removed), *add)))

        def work(writer: MemoryWriter) -> tuple[str, ...]:
            return tuple(writer.update_each(active_memories(writer.connection, ids, access.stores), tagged))

        return await self._transactions.run(access.in_run(new_id("run")), work)
