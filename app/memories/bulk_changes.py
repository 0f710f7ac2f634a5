"""Bulk changes of memories: store, project and pin of many, and merging notes into one.

Each is one run of the history, undone as one.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from app.changes import Changed
from app.core.access import Access
from app.core.ids import new_id
from app.core.stores import STORES, StoreName
from app.core.text_rules.project_name import of_project
from app.core.text_rules.tag_names import normalise_tags
from app.errors import InputError
from app.memories import validation
from app.memories.model import Memory
from app.memories.note_links import links
from app.memories.store_access import active_memories, require_active
from app.memories.text.markdown_links import title_key
from app.memories.unit_of_work import MemoryUnitOfWork
from app.memories.writer import MemoryWriter
from app.sentence import Sentence

BATCH: Final = 50  # memories a transaction
MAX_MERGED: Final = 100
_LEAST: Final = 2  # notes that can be merged


class BulkChangeService:
    """Changes many memories at once; every method is one run of the history.

    Args:
        transactions: Opens transactions.
    """

    def __init__(self, transactions: MemoryUnitOfWork) -> None:
        self._transactions = transactions

    async def change(
        self,
        access: Access,
        ids: Sequence[str],
        *,
        store: StoreName | None = None,
        pinned: bool | None = None,
        project: str | None = None,
    ) -> Changed[tuple[str, ...]]:
        """Change store, pin or project of active memories, and return those that changed.

        Memories that are gone are left out. Others may write between the transactions that many memories take.
        """
        wanted, run_id = list(dict.fromkeys(ids)), new_id("run")

        def changed(memory: Memory) -> Memory:
            return replace(
                memory,
                store=memory.store if store is None else validation.clean_store(store),
                pinned=memory.pinned if pinned is None else pinned,
                attributes=memory.attributes if project is None else of_project(memory.attributes, project),
            )

        def work(batch: Sequence[str], writer: MemoryWriter) -> list[str]:
            return writer.update_each(active_memories(writer.connection, batch, access.stores), changed)

        done = await self._transactions.run_batches(access.in_run(run_id), wanted, BATCH, work)
        return Changed(tuple(done.value), done.changes)

    async def merge(self, access: Access, ids: Sequence[str], title: str | None = None) -> Changed[Memory]:
        """Merge notes into the first of them; the others go to the trash.

        The text of each follows under its title. The titles of the others become aliases, so that links to them lead
        to the merged note. It lies in the most private store of them all.

        Raises:
            InputError: There are fewer than two, or too many, or one is no note, or the text becomes too large.
            NotFoundError: One of them is no active note.
        """
        wanted = list(dict.fromkeys(ids))
        if not _LEAST <= len(wanted) <= MAX_MERGED:
            raise InputError(
                Sentence("Between {least} and {max_merged} notes can be merged.", least=_LEAST, max_merged=MAX_MERGED),
                field="ids",
                allowed=MAX_MERGED,
            )

        def work(writer: MemoryWriter) -> Memory:
            notes = [_note(writer, identity, access.stores) for identity in wanted]
            merged = merged_note(notes)
            if title is not None:
                merged = replace(merged, title=validation.clean_title(title))
            for other in notes[1:]:
                writer.delete(other)
            return writer.update(notes[0], merged, event="MERGE")

        return await self._transactions.run(access.in_run(new_id("run")), work)


def merged_note(notes: Sequence[Memory]) -> Memory:
    """Return the first note with texts, tags, aliases and what else the others hold."""
    first = notes[0]
    merged = validation.with_content(first, "\n\n".join(filter(None, map(_part, notes, range(len(notes))))))
    tags = normalise_tags(tag for note in (merged, *notes) for tag in note.tags)
    aliases = {title_key(name): name for note in notes for name in _names(note, is_first=note is first)}
    aliases.pop(title_key(first.title), None)
    attributes = {**first.attributes, **({"aliases": list(aliases.values())} if aliases else {})}
    return replace(
        merged,
        tags=tags,
        pinned=any(note.pinned for note in notes),
        store=min((note.store for note in notes), key=STORES.index),
        attributes=attributes,
        files=validation.clean_names("file", (file for note in notes for file in note.files)),
        people=validation.clean_names("person", (person for note in notes for person in note.people)),
        sources=validation.clean_sources(source for note in notes for source in note.sources),
        mention_count=max(note.mention_count for note in notes),
    )


def _part(note: Memory, place: int) -> str:
    """Return the text of a note in the merged one; the first has no heading."""
    text = note.content.strip()
    if not place:
        return text
    heading = f"## {note.title}" if note.title else "---"
    is_headed = bool(note.title) and title_key(text.partition("\n")[0].lstrip("# ")) == title_key(note.title)
    return text if is_headed and text.startswith("#") else f"{heading}\n\n{text}".strip()


def _names(note: Memory, *, is_first: bool) -> list[str]:
    names = [name.strip() for name in links.aliases(note.attributes.get("aliases")) if name.strip()]
    return names if is_first or not note.title else [note.title, *names]


def _note(writer: MemoryWriter, memory_id: str, stores: Sequence[str]) -> Memory:
    memory = require_active(writer.connection, memory_id, stores)
    if memory.kind != "note":
        raise InputError("Only notes can be merged; leave facts and other memories out.", id=memory_id)
    return memory
