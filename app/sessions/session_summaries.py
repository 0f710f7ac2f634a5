"""Session summaries: a few lines for each agent and session, rewritten as it grows.

They say what was learned in it.
"""

import logging
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

import apsw

from app.changes import Changed
from app.core.clock import Clock, to_datetime
from app.core.text import excerpt
from app.errors import KeepsakeError
from app.sessions import repo
from app.sessions.compaction.extractive_summary import message_line
from app.sessions.compaction.rolling_summary import touched
from app.sessions.model import Message
from app.sessions.narrative import MAX_MESSAGES, SessionNarrator
from app.sessions.state.state_repo import count_after, read_state
from app.store.store import Store

NEW_MESSAGES = 6  # after which a model writes its account anew
TITLES = 12
TITLE_CHARACTERS = 80
OPENING_MESSAGES = 6

_log = logging.getLogger(__name__)

_COLUMNS = "d.agent, d.session_id, s.title, d.summary, d.created_at, d.updated_at"


@dataclass(frozen=True, slots=True)
class SessionSummary:
    """Summary of one session.

    Args:
        agent: Whom it was with, ``""`` for nobody named.
        title: The conversation's title.
        summary: What was learned in it, by type; its first messages where nothing was.
        updated_at: When the summary was last written.
    """

    agent: str
    session_id: str
    title: str
    summary: str
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class _Account:
    """A model's account of a session, and what was said since.

    Args:
        text: The account, ``""`` where no model wrote one.
        upper_seq: The last message that it covers.
        new: How many messages followed.
        last_seq: The last of them.
        messages: The newest of them, where there are enough for another account.
        stored: The summary as it is stored.
    """

    text: str
    upper_seq: int
    new: int
    last_seq: int
    messages: tuple[Message, ...]
    stored: SessionSummary | None


class SessionSummaryService:
    """Writes and lists session summaries.

    Args:
        store: The vault's database.
        clock: Where the time comes from.
        narrator: Writes them where a language model may be asked.
    """

    def __init__(self, store: Store, clock: Clock, narrator: SessionNarrator | None = None) -> None:
        self._store = store
        self._clock = clock
        self._narrator = narrator

    async def roll(self, session: str, actor: str) -> Changed[SessionSummary | None]:
        """Write a session's summary; the result is ``None`` for a session without content.

        A language model writes it where there is one, and again after ``NEW_MESSAGES`` more messages; until then its
        account stays. Without one, the summary lists what was learned.

        Raises:
            NotFoundError: There is no such conversation.
        """
        narrated = await self._narrated(session, actor)
        if narrated is not None:
            return narrated
        before, summary = await self._store.read(lambda connection: _draft(connection, session))
        if summary is None:
            # Most often nothing new was learned; the writer is not asked for that.
            return Changed(before, touched(session, actor, is_written=False))

        def work(connection: apsw.Connection) -> tuple[SessionSummary | None, bool]:
            before, summary = _draft(connection, session)
            if summary is None:
                return before, False
            _upsert(connection, session, summary, self._clock.now_ms())
            return read(connection, session), True

        digest, is_written = await self._store.write(work)
        return Changed(digest, touched(session, actor, is_written=is_written))

    async def _narrated(self, session: str, actor: str) -> Changed[SessionSummary | None] | None:
        """Return the model's account, written anew if it is due.

        It is ``None`` where no model writes one.
        """
        account = await self._store.read(partial(_account, session=session))
        change = Changed(account.stored, touched(session, actor, is_written=False)) if account.text else None
        if account.new < NEW_MESSAGES:
            return change
        name = self._narrator.name if self._narrator is not None else ""
        if self._narrator is None or not name:
            return None
        try:
            text = await self._narrator.narrate(account.text, account.messages)
        except KeepsakeError as error:
            _log.info("no account of a conversation was written: %s", error.code)
            return change
        if not text:
            return change

        def work(connection: apsw.Connection) -> tuple[SessionSummary | None, bool]:
            read_state(connection, session)
            now = _account(connection, session)
            if now.upper_seq != account.upper_seq:  # another one was written meanwhile
                return now.stored, False
            _upsert(connection, session, text, self._clock.now_ms(), name, account.last_seq)
            return read(connection, session), True

        digest, is_written = await self._store.write(work)
        return Changed(digest, touched(session, actor, is_written=is_written))

    async def get(self, session: str) -> SessionSummary | None:
        """Return a conversation's summary, ``None`` while there is none.

        Raises:
            NotFoundError: There is no such conversation.
        """

        def work(connection: apsw.Connection) -> SessionSummary | None:
            read_state(connection, session)
            return read(connection, session)

        return await self._store.read(work)

    async def recent(self, agent: str | None = None, limit: int = 20, offset: int = 0) -> list[SessionSummary]:
        """Return summaries, the most recently written first; of one agent where named."""

        def work(connection: apsw.Connection) -> list[SessionSummary]:
            rows = connection.execute(
                f"SELECT {_COLUMNS} FROM session_summaries d JOIN sessions s ON s.id = d.session_id"
                " WHERE s.forgotten_at IS NULL AND (:agent IS NULL OR d.agent = :agent)"
                " ORDER BY d.updated_at DESC, s.rowid DESC LIMIT :limit OFFSET :offset",
                {"agent": agent, "limit": limit, "offset": offset},
            )
            return [_digest(row) for row in rows]

        return await self._store.read(work)


def outline(turns: Iterable[tuple[str, str]]) -> str:
    """Return a line for each type: ``decision (2): Ship on Friday; Keep SQLite``.

    Args:
        turns: Type and title of each, in the order they came.
    """
    counts: Counter[str] = Counter()
    titles: dict[str, dict[str, None]] = {}
    for kind, title in turns:
        counts[kind] += 1
        titles.setdefault(kind, {})[excerpt(title, TITLE_CHARACTERS)] = None
    lines = []
    for kind, count in counts.most_common():
        named = [title for title in titles[kind] if title]
        rest = f"; and {len(named) - TITLES} more" if len(named) > TITLES else ""
        lines.append(f"{kind} ({count}): {'; '.join(named[:TITLES])}{rest}")
    return "\n".join(lines)


def opening(messages: Sequence[Message]) -> str:
    """Return the first messages as lines, without those of the system and tools."""
    lines = (
        message_line(message)
        for message in messages
        if message.role in {"user", "assistant"} and message.content.strip()
    )
    return "\n".join(line for line in lines if line)


def learned(connection: apsw.Connection, session: str) -> list[tuple[str, str]]:
    """Return type and title of what is remembered of a conversation, oldest first."""
    rows = connection.execute(
        "SELECT coalesce(nullif(type, ''), kind), CASE WHEN title = '' THEN substr(content, 1, 400) ELSE title END"
        " FROM memories WHERE session_id = ? AND valid_until IS NULL ORDER BY created_at, rowid",
        (session,),
    )
    return [(str(kind), str(title)) for kind, title in rows]


def read(connection: apsw.Connection, session: str) -> SessionSummary | None:
    """Return the summary that was written last of a conversation."""
    row = connection.execute(
        f"SELECT {_COLUMNS} FROM session_summaries d JOIN sessions s ON s.id = d.session_id"
        " WHERE d.session_id = ? ORDER BY d.updated_at DESC LIMIT 1",
        (session,),
    ).fetchone()
    return None if row is None else _digest(row)


def _draft(connection: apsw.Connection, session: str) -> tuple[SessionSummary | None, str | None]:
    """Return the stored summary and the one to store, ``None`` for no change."""
    read_state(connection, session)
    summary = outline(learned(connection, session)) or _opening(connection, session)
    before = read(connection, session)
    is_new = bool(summary) and (before is None or before.summary != summary)
    return before, summary if is_new else None


def _opening(connection: apsw.Connection, session: str) -> str:
    rows = connection.execute(
        f"SELECT {repo.MESSAGE_COLUMNS} FROM messages WHERE session_id = ? AND role IN ('user', 'assistant')"
        " AND trim(content) <> '' ORDER BY seq LIMIT ?",
        (session, OPENING_MESSAGES),
    )
    return opening([repo.message_of(row) for row in rows])


def _account(connection: apsw.Connection, session: str) -> _Account:
    state, stored = read_state(connection, session), read(connection, session)
    row: Any = connection.execute(
        "SELECT made_by, upper_seq FROM session_summaries WHERE session_id = ? ORDER BY updated_at DESC LIMIT 1",
        (session,),
    ).fetchone()
    made_by, upper = ("", 0) if row is None else row
    text = stored.summary if stored is not None and made_by else ""
    upper = upper if made_by else 0
    new = count_after(connection, session, upper)
    messages = repo.messages_between(
        connection, session, after=upper, before=1 << 62, limit=MAX_MESSAGES if new >= NEW_MESSAGES else 0, newest=True
    )
    return _Account(text, upper, new, state.last_seq, tuple(messages), stored)


def _upsert(
    connection: apsw.Connection, session: str, summary: str, now_ms: int, made_by: str = "", upper_seq: int = 0
) -> None:
    connection.execute(
        "INSERT INTO session_summaries (agent, session_id, summary, created_at, updated_at, made_by, upper_seq)"
        " SELECT agent, id, ?1, ?2, ?2, ?4, ?5 FROM sessions WHERE id = ?3"
        " ON CONFLICT (agent, session_id) DO UPDATE SET summary = excluded.summary, updated_at = excluded.updated_at,"
        " made_by = excluded.made_by, upper_seq = excluded.upper_seq",
        (summary, now_ms, session, made_by, upper_seq),
    )


def _digest(row: Sequence[Any]) -> SessionSummary:
    return SessionSummary(row[0], row[1], row[2], row[3], to_datetime(row[4]), to_datetime(row[5]))
