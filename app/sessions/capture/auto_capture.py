"""Automatic capture: memories from the latest messages, where an extractor is available."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import apsw

from app.changes import Changed, ChangeSet
from app.core.access import Access
from app.core.stores import StoreName
from app.core.text_rules.recall_fence import without_recalled
from app.errors import InputError
from app.memories.model import NewMemory
from app.sessions import repo
from app.sessions.capture.capture_policy import capture_store
from app.sessions.compaction.compaction_plan import SessionOptions
from app.sessions.model import Message, Session
from app.store.store import Store

SOURCE = "auto_capture"
MAX_MESSAGES = 40  # messages looked at in one go; earlier ones are left to consolidation


class MemoryWrite(Protocol):
    """Writes a memory, reconciled with what is known already."""

    def __call__(self, access: Access, draft: NewMemory) -> Awaitable[Changed[Any]]:
        """Write ``draft`` and return what changed.

        Raises:
            KeepsakeError: The memory cannot be stored.
        """


class Extractor(Protocol):
    """Protocol of an extractor of memories from a conversation."""

    @property
    def name(self) -> str:
        """Return the extractor's name for the trace, ``""`` where there is none."""

    async def extract(self, session: Session, messages: Sequence[Message]) -> Sequence[NewMemory]:
        """Return memories to store; the caller fills in store, source and session.

        Raises:
            KeepsakeError: It is not available now; the messages are read again after the next turn.
        """


class NoExtractor:
    """Extractor that finds nothing, used without a model."""

    name = ""

    async def extract(self, session: Session, messages: Sequence[Message]) -> Sequence[NewMemory]:
        """Return nothing."""
        del session, messages
        return ()


@dataclass(frozen=True, slots=True)
class Captured:
    """Result of a capture: memories found, stored and failed."""

    extracted: int = 0
    written: int = 0
    refused: int = 0


@dataclass(frozen=True, slots=True)
class _Conversation:
    session: Session
    messages: Sequence[Message]
    store: StoreName


class AutoCapture:
    """Service that passes completed turns to an extractor and stores its memories.

    Args:
        store: The vault's database.
        options: Returns the current session options.
        write: Writes a memory.
        extractor: Finds memories in messages.
    """

    def __init__(
        self,
        store: Store,
        options: Callable[[], SessionOptions],
        write: MemoryWrite,
        extractor: Extractor | None = None,
    ) -> None:
        self._store = store
        self._options = options
        self._write = write
        self._extractor: Extractor = extractor or NoExtractor()
        self._access = Access.everything(SOURCE, "memory.write")

    @property
    def name(self) -> str:
        """Return the name of the extractor in use, ``""`` for none."""
        return self._extractor.name

    @property
    def is_active(self) -> bool:
        """Return whether an extractor is available and the setting allows it."""
        return bool(self.name) and self._options().captures

    async def take(self, session: str, publish: Callable[[ChangeSet], None]) -> Captured:
        """Extract memories from a session's messages that were not read yet.

        A turn must be complete. The messages count as read only when all memories were stored, so that a failure loses
        nothing; a memory stored before it is recognised the next time.

        Args:
            session: The conversation's id.
            publish: Called with each memory stored.

        Raises:
            NotFoundError: There is no such conversation.
            KeepsakeError: The extractor or the store failed.
        """
        least = self._options().capture_messages
        conversation = await self._store.read(lambda connection: _completed(connection, session, least))
        if conversation is None:
            return Captured()
        drafts = await self._extractor.extract(conversation.session, conversation.messages)
        refused = 0
        for draft in drafts:
            try:
                done = await self._write(self._access, _filled(draft, conversation))
            except InputError:
                refused += 1  # one draft that cannot be stored must not cost the others
                continue
            publish(done.changes)
        last = conversation.messages[-1].seq
        await self._store.write(lambda connection: _note_captured(connection, session, last))
        return Captured(len(drafts), len(drafts) - refused, refused)


def _filled(draft: NewMemory, conversation: _Conversation) -> NewMemory:
    return replace(draft, session_id=conversation.session.id, source=SOURCE, store=conversation.store)


def _completed(connection: apsw.Connection, session: str, least: int) -> _Conversation | None:
    """Return the messages to read, ``None`` while there are too few.

    It is also ``None`` while an answer is still to come.
    """
    head = connection.execute("SELECT captured_seq FROM session_state WHERE session_id = ?", (session,)).fetchone()
    row, store = repo.get_session(connection, session), capture_store(connection, session)
    if head is None or row is None or store is None:
        return None
    after = int(str(head[0]))
    messages = repo.messages_between(connection, session, after=after, before=1 << 62, limit=MAX_MESSAGES, newest=True)
    if len(messages) < least or messages[-1].role != "assistant" or messages[-1].tool_calls:
        return None
    # Text that Keepsake itself gave to the agent is not extracted again.
    return _Conversation(
        row, [replace(message, content=without_recalled(message.content)) for message in messages], store
    )


def _note_captured(connection: apsw.Connection, session: str, seq: int) -> None:
    connection.execute(
        "UPDATE session_state SET captured_seq = max(captured_seq, ?) WHERE session_id = ?", (seq, session)
    )
