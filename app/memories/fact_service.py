"""Operations on facts: set, correct, confirm, forget, settle a contradiction."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import apsw

from app.changes import Changed
from app.core.access import Access
from app.core.clock import to_datetime
from app.core.ids import new_id
from app.core.json_values import plain
from app.core.stores import STORES
from app.core.text import excerpt
from app.errors import InputError, NotFoundError
from app.memories import repo, validation
from app.memories.deduplication.memory_merge import with_details
from app.memories.deduplication.service import replace_memory, superseding
from app.memories.model import FactSet, Memory, NewMemory
from app.memories.store_access import require_active, require_store
from app.memories.unit_of_work import MemoryUnitOfWork
from app.memories.writer import MemoryWriter
from app.sentence import Sentence

_LONGEST_CHAIN = 100  # of facts that superseded one another
_SHOWN = 200


class FactService:
    """Changes facts; every method is one transaction.

    ``access`` says which stores the caller may see: a fact in another one is not found and stands in nobody's way.

    Args:
        transactions: Opens transactions.
        doubt: Returns the confidence left to a fact that a newer one contradicts, 0 to 1.
    """

    def __init__(self, transactions: MemoryUnitOfWork, doubt: Callable[[], float] = lambda: 0.3) -> None:
        self._transactions = transactions
        self._doubt = doubt

    async def set(self, access: Access, draft: NewMemory, *, keeps_store: bool = False) -> Changed[FactSet]:
        """Set the fact of a category and key to a value.

        An older value is superseded, an equal one counted.

        Args:
            draft: The fact; its ``content`` is the value.
            keeps_store: Whether an older value's store counts instead of the draft's.
            access: What the caller may see.

        Raises:
            AccessDeniedError: The caller does not see the draft's store.
            InputError: It has no key, is empty or too large, or a field cannot be stored.
        """
        memory = validation.compose(replace(draft, kind="fact"), self._transactions.clock.now_ms())
        require_store(memory.store, access.stores)
        if not memory.key:
            raise InputError("A fact that is set needs a key.", field="key")
        validation.require_category(memory)

        def work(writer: MemoryWriter) -> FactSet:
            olds = _of_key(writer.connection, memory, access.stores)
            if not olds:
                return FactSet(writer.create(memory))
            new = replace(memory, store=olds[0].store) if keeps_store else memory
            if (repo.text_hash(olds[0]), olds[0].store) == (repo.text_hash(new), new.store):
                joined = with_details(olds[0], new)
                if joined == olds[0]:
                    return FactSet(writer.mention(joined))
                if joined is not None:
                    return FactSet(writer.update(olds[0], replace(joined, mention_count=joined.mention_count + 1)))
            for old in olds[1:]:
                writer.supersede(old, new.id, "DELETE")
            return FactSet(*replace_memory(writer, olds[0], new))

        return await self._transactions.run(access, work)

    async def correct(self, access: Access, fact_id: str, content: str) -> Changed[FactSet]:
        """Replace a wrong fact by what is right; each of the two names the other.

        Raises:
            NotFoundError: There is no active fact of that id.
            InputError: It says just that, or the content is empty or too large.
        """

        def work(writer: MemoryWriter) -> FactSet:
            old = require_active(writer.connection, fact_id, access.stores, "fact")
            if repo.text_key(content) == repo.text_key(old.content):
                raise InputError("The fact says that already.", id=fact_id)
            now = to_datetime(writer.at_ms)
            corrected = validation.with_content(old, content)
            new = replace(
                corrected,
                id=new_id("fact"),
                source=validation.clean_name("source", access.actor),
                version=1,
                confidence=1.0,
                mention_count=1,
                created_at=now,
                updated_at=now,
                attributes={name: value for name, value in corrected.attributes.items() if name != "supersedes"},
            )
            validation.require_text(new.content, new.title, new.facts)
            known = repo.find_equal(writer.connection, new, writer.at_ms)
            if known is None:
                return FactSet(*replace_memory(writer, old, new))
            gone = writer.supersede(old, known.id, "DELETE")
            return FactSet(writer.update(known, superseding(known, old)), gone)

        return await self._transactions.run(access, work)

    async def confirm(self, access: Access, fact_id: str) -> Changed[Memory]:
        """Make a fact certain for good: it has full confidence and never fades.

        Raises:
            NotFoundError: There is no active fact of that id; the sentence names the one that superseded it.
        """

        def work(writer: MemoryWriter) -> Memory:
            fact = _to_confirm(writer.connection, fact_id, access.stores)
            sure = replace(fact, confidence=1.0, decay_rate=0.0)
            return fact if sure == fact else writer.update(fact, sure, event="CONFIRM")

        return await self._transactions.run(access, work)

    async def forget(self, access: Access, fact_id: str) -> Changed[Memory]:
        """Delete a fact softly.

        Raises:
            NotFoundError: There is no active fact of that id.
        """
        return await self._transactions.run(
            access,
            lambda writer: writer.delete(require_active(writer.connection, fact_id, access.stores, "fact")),
        )

    async def resolve(self, access: Access, newer_id: str, older_id: str) -> Changed[FactSet]:
        """Settle that one fact holds against another: the other stays, with little confidence.

        Raises:
            NotFoundError: One of them is no active fact.
            InputError: Both are the same.
        """
        if newer_id == older_id:
            raise InputError("A fact cannot stand against itself; name two.", id=newer_id)

        def work(writer: MemoryWriter) -> FactSet:
            new, old = (
                require_active(writer.connection, identity, access.stores, "fact") for identity in (newer_id, older_id)
            )
            return hold_against(writer, new, old, self._doubt())

        return await self._transactions.run(access.in_run(access.run_id or new_id("run")), work)


def hold_against(writer: MemoryWriter, holding: Memory, other: Memory, confidence: float) -> FactSet:
    """Let one fact hold against another inside a transaction.

    The other stays, with at most ``confidence``, and is named by the first.
    """
    doubted = replace(other, confidence=min(other.confidence, confidence))
    if doubted != other:
        doubted = writer.update(other, doubted)
    after = superseding(holding, other)
    return FactSet(holding if after == holding else writer.update(holding, after), doubted)


def _to_confirm(connection: apsw.Connection, fact_id: str, stores: Sequence[str]) -> Memory:
    """Return the fact to be confirmed, or say why it cannot be."""
    memory = repo.get(connection, fact_id, stores=stores)
    if memory is not None and memory.kind != "fact":
        raise NotFoundError(
            Sentence(
                "Only facts can be confirmed, and this is of the kind {kind}. Remember what is certain as a fact.",
                kind=memory.kind,
            ),
            id=fact_id,
            kind=memory.kind,
        )
    latest = memory
    for _ in range(_LONGEST_CHAIN):
        if latest is None or latest.superseded_by is None:
            break
        latest = repo.get(connection, latest.superseded_by, stores=stores)
    if memory is not None and latest is not None and latest.id != memory.id:
        raise NotFoundError(
            Sentence(
                "This fact was superseded by {id}, which says “{content}”. Confirm that one instead.",
                id=latest.id,
                content=excerpt(latest.content, _SHOWN),
            ),
            id=fact_id,
            superseded_by=latest.id,
        )
    return require_active(connection, fact_id, stores, "fact")


def draft_of(content: str, **fields: Any) -> NewMemory:
    """Return the draft of a fact; ``fields`` are those of ``NewMemory``, attributes made storable."""
    attributes = plain(fields.pop("attributes", {}))
    return NewMemory(content, kind="fact", attributes=attributes, **fields)


def _of_key(connection: apsw.Connection, memory: Memory, stores: Sequence[str]) -> list[Memory]:
    """Return the active facts with the category and key of ``memory``.

    The caller sees all of them; the one in the store of ``memory`` comes first.
    """
    named = sorted((store for store in STORES if store in stores), key=lambda store: store != memory.store)
    facts = (repo.active_fact(connection, memory.category, memory.key, store) for store in named)
    return [fact for fact in facts if fact is not None]
