"""Renaming and merging tags in every memory that has them.

Nested tags change along with them, as one run that can be undone.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import apsw

from app.changes import Changed
from app.core.access import Access
from app.core.ids import new_id
from app.core.item_batches import batched
from app.core.stores import STORES
from app.core.text_rules.tag_names import MAX_TAG_LENGTH, normalise_tag, normalise_tags
from app.errors import InputError, NotFoundError
from app.memories import repo
from app.memories.model import Memory
from app.memories.repo import store_condition
from app.memories.store_access import active_memories
from app.memories.tags.tag_repo import ACTIVE, tag_condition
from app.memories.text.markdown_links import find_tags, tag_places
from app.memories.unit_of_work import MemoryUnitOfWork
from app.memories.validation import size
from app.memories.writer import MemoryWriter
from app.sentence import Sentence

BATCH = 50  # memories a transaction
MAX_MERGED = 100


@dataclass(frozen=True, slots=True)
class TagChange:
    """Result of renaming or merging tags.

    Args:
        changed: Memories that have other tags now.
        run_id: Undoes all of it: ``memory.undo`` takes it.
    """

    changed: int
    run_id: str


class TagService:
    """Renames and merges tags; what the caller may not see keeps the old ones.

    A ``#tag`` in the text of a memory is rewritten where it stands, for it would bring the old name back with the next
    edit; in code and links nothing is touched. Memories in the trash keep their tags.

    Args:
        transactions: Opens transactions.
    """

    def __init__(self, transactions: MemoryUnitOfWork) -> None:
        self._transactions = transactions

    async def rename(self, access: Access, old: str, new: str) -> Changed[TagChange]:
        """Rename a tag and those nested in it.

        Where the new name is there already, the tags become one.

        Raises:
            NotFoundError: No memory has the tag.
            InputError: A name is empty, too long, or cannot stand in a text that has the old one.
        """
        return await self.merge(access, (old,), new)

    async def merge(self, access: Access, tags: Sequence[str], into: str) -> Changed[TagChange]:
        """Merge several tags into one, in short transactions of one run.

        ``into`` need not be there yet.

        Raises:
            NotFoundError: No memory has any of the tags.
            InputError: A name is empty, too long, or cannot stand in a text that has an old one.
        """
        names = _names(tags, into)
        ids = await self._transactions.store.read(partial(_having, names, access.stores))
        if not ids:
            raise NotFoundError("No item has such a tag.", tags=", ".join(names))
        run_id = new_id("run")

        def work(batch: Sequence[str], writer: MemoryWriter) -> list[str]:
            return writer.update_each(
                active_memories(writer.connection, batch, access.stores), partial(renamed, names=names)
            )

        done = await self._transactions.run_batches(access.in_run(run_id), ids, BATCH, work)
        return Changed(TagChange(len(done.value), run_id), done.changes)


def renamed(memory: Memory, names: Mapping[str, str]) -> Memory:
    """Return ``memory`` with tags and those nested in them renamed, also in its text."""
    content = _rewritten(memory.content, names)
    tags = normalise_tags(_new_name(tag, names) or tag for tag in memory.tags)
    return replace(memory, content=content, tags=tags, tokens=size(content, memory.facts))


def _rewritten(content: str, names: Mapping[str, str]) -> str:
    parts, at = list[str](), 0
    for name, start, end in tag_places(content):
        wanted = _new_name(normalise_tag(name), names)
        if wanted is not None:
            parts += [content[at:start], wanted]
            at = end
    return "".join([*parts, content[at:]])


def _new_name(tag: str, names: Mapping[str, str]) -> str | None:
    """Return the new name of a tag, ``None`` when it keeps the old one.

    The longest of ``names`` that is the tag or above it decides.
    """
    for old in sorted(names, key=len, reverse=True):
        if tag == old or tag.startswith(f"{old}/"):
            return names[old] + tag[len(old) :]
    return None


def _names(tags: Iterable[str], into: str) -> dict[str, str]:
    """Return the new name of each tag.

    Raises:
        InputError: A name is empty, there is nothing to do, or there are too many.
    """
    wanted = normalise_tag(into)
    names = {name: wanted for tag in tags if (name := normalise_tag(tag)) and name != wanted}
    if not wanted:
        raise InputError("A tag needs a name: letters or digits, at most 64 of them.", field="into", tag=into)
    if not names:
        raise InputError("That is the tag's name already, or no tag was named.", field="tags")
    if len(names) > MAX_MERGED:
        raise InputError(
            Sentence("At most {max_merged} tags become one at once.", max_merged=MAX_MERGED),
            field="tags",
            allowed=MAX_MERGED,
        )
    return names


def _having(names: Mapping[str, str], stores: Sequence[str], connection: apsw.Connection) -> list[str]:
    """Return the ids of active memories with one of the tags.

    A tag nested in one of them counts too.

    Raises:
        InputError: A new name would be too long, or cannot stand in a text that has the old one.
    """
    ids: dict[str, None] = {}
    tags = set[str]()
    for old in names:
        rows = connection.execute(
            "SELECT m.id, t.tag FROM memory_tags t CROSS JOIN memories m ON m.id = t.memory_id"
            f" WHERE {tag_condition('t.tag')} AND {ACTIVE} AND {store_condition(stores)} ORDER BY m.rowid",
            (old, old, old),
        )
        for memory_id, tag in rows:
            ids[str(memory_id)] = None
            tags.add(str(tag))
    unwritable = _unwritable(tags, names)
    for batch in batched(ids, BATCH) if unwritable else ():
        for memory in repo.many(connection, batch, stores=STORES):
            _refuse_inline(memory, names, unwritable)
    return list(ids)


def _unwritable(tags: Iterable[str], names: Mapping[str, str]) -> set[str]:
    """Return the new names that no text can have as a ``#tag``.

    Raises:
        InputError: One is longer than a tag may be.
    """
    wanted = {new for tag in tags if (new := _new_name(tag, names)) is not None}
    longest = max(wanted, key=len, default="")
    if len(longest) > MAX_TAG_LENGTH:
        raise InputError(
            Sentence(
                "'{longest}' would be longer than the {max_tag_length} characters of a tag. Choose a shorter name.",
                longest=longest,
                max_tag_length=MAX_TAG_LENGTH,
            ),
            tag=longest,
            allowed=MAX_TAG_LENGTH,
        )
    return {new for new in wanted if find_tags(f"#{new}") != (new,)}


def _refuse_inline(memory: Memory, names: Mapping[str, str], unwritable: Collection[str]) -> None:
    for tag in find_tags(memory.content):
        if (new := _new_name(tag, names)) in unwritable:
            raise InputError(
                Sentence(
                    "#{tag} stands in the text of a note, where '{new}' cannot. Choose a name without blanks and "
                    "punctuation.",
                    tag=tag,
                    new=new,
                ),
                tag=tag,
                id=memory.id,
            )
