"""Reads conversations page by page, from where the last run ended."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, Final

import apsw

from app.core.text_rules.recall_fence import without_recalled
from app.core.text_rules.secret_patterns import without_secrets
from app.sessions import repo
from app.sessions.capture.capture_policy import CapturePolicy, capture_store
from app.sessions.model import Message
from app.store.store import Store
from app.upkeep.consolidation.model import ConversationPage, PageLine

CONTEXT: Final = 4  # earlier messages that are shown to a model
MAX_CHARACTERS: Final = 20_000  # of one message that are read
_READ_ROLES: Final = ("user", "assistant")
_STATE = (
    "SELECT t.consolidated_seq, t.last_seq, t.updated_at FROM sessions s JOIN session_state t ON t.session_id = s.id"
    " WHERE s.id = ? AND s.forgotten_at IS NULL AND s.consolidated_at IS NULL"
)


class PageReader:
    """Reads pages.

    Args:
        store: The vault's database.
        policy: Decides of which conversations something may be stored.
        size: Returns the messages of a page.
    """

    def __init__(self, store: Store, policy: CapturePolicy, size: Callable[[], int]) -> None:
        self._store = store
        self._policy = policy
        self._size = size

    async def next(self, session: str) -> ConversationPage | None:
        """Return the next page of a conversation, ``None`` where there is none to read.

        There is none of a conversation that is forgotten, consolidated, or with an agent of whom nothing is stored.
        """
        return await self._store.read(partial(self._next, session=session))

    def _next(self, connection: apsw.Connection, session: str) -> ConversationPage | None:
        row: Any = connection.execute(_STATE, (session,)).fetchone()
        if row is None or not self._policy.keeps(connection, session, owner=None):
            return None
        after, last, changed = row
        store = capture_store(connection, session)
        if store is None:
            return ConversationPage(session, None, after, last, last, 0)
        messages = repo.messages_between(connection, session, after=after, before=1 << 62, limit=self._size())
        earlier = repo.messages_between(connection, session, after=-1, before=after + 1, limit=CONTEXT, newest=True)
        upper = messages[-1].seq if len(messages) >= self._size() else last
        # What was said on another machine is read there; here it is context alone.
        received = repo.received_between(connection, session, after, upper)
        said_here = [message for message in messages if message.seq not in received]
        lines, context = tuple(_lines(said_here)), tuple(_lines(earlier))
        return ConversationPage(session, store, after, upper, last, len(said_here), lines, context, changed)


def _lines(messages: Sequence[Message]) -> Iterator[PageLine]:
    for message in messages:
        if message.role not in _READ_ROLES:
            continue
        text = without_secrets(without_recalled(message.content[:MAX_CHARACTERS]))[0].strip()
        if text:
            yield PageLine(message.seq, message.role, message.author, text, message.created_at)
