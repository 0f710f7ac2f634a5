"""Export of the vault: everything that is stored, read a page at a time."""

import contextlib
from collections.abc import AsyncIterator, Callable, Sequence
from functools import partial
from typing import Any, Final

import apsw

from app.core.access import Access
from app.core.clock import to_datetime
from app.core.stores import STORES
from app.entities import entity_transfer
from app.errors import NotFoundError
from app.exchange.model import DetailType, ForgottenSession, VaultDetail
from app.exchange.service import DetailPart
from app.history import history_transfer
from app.memories import repo as memory_rows
from app.memories.archive.model import Archived
from app.memories.archive.service import ArchiveService
from app.memories.importing import import_sources
from app.memories.model import Memory, MemoryFilter
from app.memories.queries.memory_queries import MemoryQueries
from app.sessions import repo, session_lists, session_transfer
from app.sessions.model import Message, Session, SessionFilter
from app.store.store import Store

_Page = Callable[[apsw.Connection, int, int], list[tuple[int, dict[str, Any]]]]

_PAGE = 200
_PARTS: dict[DetailPart, tuple[tuple[DetailType, _Page], ...]] = {
    "history": (("history", history_transfer.page),),
    "entities": (
        ("entity", entity_transfer.decided),
        ("relation", entity_transfer.relations),
        ("claim", entity_transfer.claims),
    ),
    "positions": (("entity", entity_transfer.positioned),),
    "sources": (("import_source", import_sources.page),),
}

# An export holds the memories of every store.
_ACCESS: Final = Access.everything("export", "exchange.export")


class VaultSource:
    """Everything in the vault, a page at a time, for exports.

    Args:
        store: The vault's database.
        memories: Reads memories.
        archive: Reads what lies in the archive.
    """

    def __init__(self, store: Store, memories: MemoryQueries, archive: ArchiveService) -> None:
        self._store = store
        self._memories = memories
        self._archive = archive

    async def sessions(self) -> AsyncIterator[Session]:
        """Yield every session that is not forgotten, oldest first."""
        wanted = SessionFilter()
        ids = await self._store.read(lambda connection: session_lists.session_ids(connection, wanted, "oldest"))
        for start in range(0, len(ids), _PAGE):
            page = ids[start : start + _PAGE]
            for session in await self._store.read(partial(session_lists.session_rows, ids=page)):
                yield session

    async def forgotten(self) -> AsyncIterator[ForgottenSession]:
        """Yield every forgotten session that may still be brought back, oldest first."""
        for session, at_ms in await self._store.read(session_transfer.forgotten_sessions):
            yield ForgottenSession(session, to_datetime(at_ms))

    async def messages(self, session_id: str) -> AsyncIterator[Message]:
        """Yield the messages of a session in order."""
        after = -(1 << 62)
        while True:
            read = partial(repo.messages_between, session_id=session_id, after=after, before=1 << 62, limit=_PAGE)
            page = await self._store.read(read)
            for message in page:
                yield message
            if len(page) < _PAGE:
                return
            after = page[-1].seq

    async def session_details(self, session_id: str) -> AsyncIterator[VaultDetail]:
        """Yield what belongs to a session beside its messages."""

        def read(connection: apsw.Connection) -> list[VaultDetail]:
            state = session_transfer.state(connection, session_id)
            rows: list[tuple[DetailType, dict[str, Any]]] = [] if state is None else [("session_state", state)]
            rows += [("session_alias", row) for row in session_transfer.aliases(connection, session_id)]
            rows += [("session_summary", row) for row in session_transfer.summaries(connection, session_id)]
            return [VaultDetail(kind, {"session": session_id} | row) for kind, row in rows]

        for detail in await self._store.read(read):
            yield detail

    async def details(self, part: DetailPart) -> AsyncIterator[VaultDetail]:
        """Yield what belongs to no session and is no memory."""
        for kind, read in _PARTS[part]:
            after = 0
            while page := await self._store.read(partial(_page, read=read, after=after)):
                for _, fields in page:
                    yield VaultDetail(kind, fields)
                after = page[-1][0]

    async def memories(self) -> AsyncIterator[Memory]:
        """Yield every active memory, oldest first."""
        async for memory in self._all(await self._memories.ids(_ACCESS, MemoryFilter(), "oldest")):
            yield memory

    async def removed(self) -> AsyncIterator[Memory | Archived]:
        """Yield deleted and superseded memories, then archived ones, oldest removal first."""
        async for memory in self._all(await self._store.read(memory_rows.removed_ids)):
            yield memory
        for memory_id in await self._archive.ids():
            with contextlib.suppress(NotFoundError):  # brought back meanwhile
                yield await self._archive.get(_ACCESS, memory_id)

    async def _all(self, ids: Sequence[str]) -> AsyncIterator[Memory]:
        for start in range(0, len(ids), _PAGE):
            page = ids[start : start + _PAGE]
            for memory in await self._store.read(partial(memory_rows.many, ids=page, stores=STORES)):
                yield memory


def _page(connection: apsw.Connection, read: _Page, after: int) -> list[tuple[int, dict[str, Any]]]:
    return read(connection, after, _PAGE)
