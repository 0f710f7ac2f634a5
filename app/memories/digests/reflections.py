"""Weekly insights: what follows from the facts of some days, with the sources of each."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import apsw

from app.changes import Changed
from app.core import message_ids
from app.core.access import Access
from app.core.stores import sees_all
from app.errors import InputError
from app.memories import repo, validation
from app.memories.model import Memory, NewMemory, Source, SourceText
from app.memories.store_access import require, require_store
from app.memories.unit_of_work import MemoryUnitOfWork
from app.sentence import Sentence

TAG = "weekly"
_TEXT = 400  # characters shown of a source
_PAGE = 200
_MOST_SKIPPED = 1_000_000


def latest_reflection(connection: apsw.Connection, stores: Sequence[str]) -> Memory | None:
    """Return the newest reflection, ``None`` while there is none."""
    return next(iter(_newest(connection, 1, 0, stores)), None)


def _newest(connection: apsw.Connection, limit: int, offset: int, stores: Sequence[str]) -> list[Memory]:
    rows = connection.execute(
        "SELECT m.id FROM memories m WHERE m.kind = 'reflection' AND m.valid_until IS NULL"
        f" AND {repo.store_condition(stores)} ORDER BY m.created_at DESC, m.rowid DESC LIMIT ? OFFSET ?",
        (limit, offset),
    )
    return repo.many(connection, [str(row[0]) for row in rows], stores=stores)


class ReflectionService:
    """Keeps reflections, which never fade, and says what memories were drawn from.

    Args:
        transactions: Opens transactions.
    """

    def __init__(self, transactions: MemoryUnitOfWork) -> None:
        self._transactions = transactions

    async def save(self, access: Access, draft: NewMemory) -> Changed[Memory]:
        """Store a reflection; it is tagged ``weekly``.

        Raises:
            AccessDeniedError: The caller does not see the draft's store.
            InputError: It is empty or too large, or a field cannot be stored.
        """
        reflection = replace(draft, kind="reflection", decay_rate=0.0, tags=(TAG, *draft.tags))
        memory = validation.compose(reflection, self._transactions.clock.now_ms())
        require_store(memory.store, access.stores)
        return await self._transactions.run(access, lambda writer: writer.create(memory))

    async def latest(self, access: Access) -> Memory | None:
        """Return the newest reflection, ``None`` while there is none."""
        return await self._transactions.store.read(partial(latest_reflection, stores=access.stores))

    async def page(self, access: Access, limit: int, offset: int = 0) -> list[Memory]:
        """Return reflections, the newest first.

        Args:
            limit: How many at most, up to 200.
            offset: How many of the newest to leave out.
            access: What the caller may see.
        """
        size, skipped = min(max(limit, 0), _PAGE), min(max(offset, 0), _MOST_SKIPPED)
        return await self._transactions.store.read(lambda connection: _newest(connection, size, skipped, access.stores))

    async def require_sources(self, access: Access, sources: Sequence[Source]) -> None:
        """Refuse sources that are not there.

        Only a caller who sees every store learns whether a message is there.

        Raises:
            InputError: One is not there; its number in the list is in the sentence.
        """
        sees_everything = sees_all(access.stores)

        def work(connection: apsw.Connection) -> int | None:
            ids = [source.id for source in sources if source.kind == "memory"]
            visible = {memory.id for memory in repo.many(connection, ids, stores=access.stores)}
            for number, source in enumerate(sources):
                if source.kind == "memory" and source.id not in visible:
                    return number
                if source.kind == "message" and sees_everything and not _is_message(connection, source.id):
                    return number
            return None

        missing = await self._transactions.store.read(work) if sources else None
        if missing is not None:
            kind = "message (<session>#<number>)" if sources[missing].kind == "message" else "memory"
            raise InputError(
                Sentence("There is no such {kind} as sources[{missing}] names.", kind=kind, missing=missing),
                field=f"sources[{missing}].id",
            )

    async def sources(self, access: Access, memory_id: str) -> list[SourceText]:
        """Return the sources of a memory, each with its text.

        Sources that the caller may not see are left out.

        Raises:
            NotFoundError: There is no memory of that id.
        """

        def work(connection: apsw.Connection) -> list[SourceText]:
            memory = require(connection, memory_id, access.stores)
            sees_everything = sees_all(access.stores)
            ids = [source.id for source in memory.sources if source.kind == "memory"]
            visible = {memory.id: memory for memory in repo.many(connection, ids, stores=access.stores)}
            texts = [
                _of_memory(identity, visible.get(identity))
                for identity in ids
                if sees_everything or identity in visible
            ]
            if sees_everything:
                texts += [_of_message(connection, source.id) for source in memory.sources if source.kind == "message"]
            return texts

        return await self._transactions.store.read(work)


def _of_memory(memory_id: str, memory: Memory | None) -> SourceText:
    if memory is None:
        return SourceText("memory", memory_id)
    return SourceText("memory", memory_id, memory.title, repo.preview(memory.content, memory.facts))


def _is_message(connection: apsw.Connection, reference: str) -> bool:
    ref = message_ids.parse(reference)
    if ref is None:
        return False
    sql = "SELECT 1 FROM messages WHERE session_id = ? AND seq = ?"
    return connection.execute(sql, (ref.session, ref.seq)).fetchone() is not None


def _of_message(connection: apsw.Connection, reference: str) -> SourceText:
    ref = message_ids.parse(reference)
    if ref is None:
        return SourceText("message", reference)
    row = connection.execute(
        "SELECT s.title, substr(m.content, 1, ?) FROM messages m JOIN sessions s ON s.id = m.session_id"
        " WHERE m.session_id = ? AND m.seq = ? AND s.forgotten_at IS NULL",
        (_TEXT, ref.session, ref.seq),
    ).fetchone()
    return SourceText("message", reference) if row is None else SourceText("message", reference, row[0], row[1])
