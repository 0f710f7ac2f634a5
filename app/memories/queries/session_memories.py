"""Memories that were drawn from conversations, with the messages that say them."""

import json
from collections.abc import Sequence
from typing import Final

import apsw

from app.core import message_ids
from app.core.access import Access
from app.memories import repo
from app.memories.model import Memory, QuotedMessage, SessionMemory
from app.store.store import Store

MAX_SESSIONS: Final = 1_000
_TEXT: Final = 400  # characters shown of a message
_DRAWN: Final = (
    "SELECT m.rowid, m.id FROM memories m WHERE m.session_id = {session} AND m.valid_until IS NULL"
    " AND m.kind <> 'digest' AND {seen}"
    " UNION SELECT m.rowid, m.id FROM memory_sources s JOIN memories m ON m.id = s.memory_id"
    # '$' follows '#', so that these are all names of messages of the conversation.
    " WHERE s.source_kind = 'message' AND s.source_id > {session} || '#' AND s.source_id < {session} || '$'"
    " AND m.valid_until IS NULL AND m.kind <> 'digest' AND {seen}"
)


class SessionMemories:
    """Lists of memories by conversation.

    Args:
        store: The vault's database.
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    async def listed(self, access: Access, session: str, *, limit: int = 200, offset: int = 0) -> list[SessionMemory]:
        """Return active memories of a conversation, in the order in which they were stored.

        Args:
            session: The stored id of the conversation.
            limit: How many at most.
            offset: How many to leave out first.
            access: What the caller may see; without all stores no messages are quoted.
        """

        def work(connection: apsw.Connection) -> list[SessionMemory]:
            drawn = _DRAWN.format(session="?1", seen=repo.store_condition(access.stores))
            rows = connection.execute(
                f"SELECT id FROM ({drawn}) ORDER BY rowid LIMIT ?2 OFFSET ?3", (session, max(limit, 0), max(offset, 0))
            )
            memories = repo.many(connection, [str(row[0]) for row in rows], stores=access.stores)
            return [SessionMemory(memory, _quotes(connection, memory, session)) for memory in memories]

        return await self._store.read(work)

    async def counts(self, access: Access, sessions: Sequence[str]) -> dict[str, int]:
        """Return how many active memories conversations have, those with none left out."""

        def work(connection: apsw.Connection) -> dict[str, int]:
            drawn = _DRAWN.format(session="w.value", seen=repo.store_condition(access.stores))
            rows = connection.execute(
                f"SELECT w.key, (SELECT count(*) FROM ({drawn})) FROM json_each(?) w",
                (json.dumps(list(sessions[:MAX_SESSIONS])),),
            )
            return {sessions[int(str(place))]: int(str(count)) for place, count in rows if count}

        return await self._store.read(work)


def _quotes(connection: apsw.Connection, memory: Memory, session: str) -> tuple[QuotedMessage, ...]:
    quotes = []
    for source in memory.sources:
        ref = message_ids.parse(source.id) if source.kind == "message" else None
        if ref is None or ref.session != session:
            continue
        row = connection.execute(
            "SELECT substr(content, 1, ?) FROM messages WHERE session_id = ? AND seq = ?", (_TEXT, session, ref.seq)
        ).fetchone()
        quotes.append(QuotedMessage(source.id, ref.seq, "" if row is None else str(row[0])))
    return tuple(sorted(quotes, key=lambda quote: quote.seq))
