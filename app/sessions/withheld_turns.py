"""Withheld messages: taken out of a conversation that stays, and put back exactly."""

from collections.abc import Iterable, Sequence
from typing import Any, Final, Protocol

import apsw

from app.changes import Area, Changed, ChangeSet, session_scope
from app.core.clock import Clock
from app.core.text import excerpt
from app.core.text_rules.recall_fence import without_recalled
from app.errors import NotFoundError
from app.history import history_repo
from app.sentence import Sentence
from app.sessions import repo
from app.sessions.model import Message
from app.store.store import Store

STATE: Final = "withheld:"
"""Prefix of the state fields of withheld turns; the writer's name follows."""

_COLUMNS: Final = (
    "session_id, seq, role, author, content, tool_call_id, tool_name, tool_calls, payload, importance, tokens,"
    " created_at, origin, origin_seq"
)
_PREVIEW_TURNS: Final = 20

Ranges = list[list[int]]


class TurnIndexer(Protocol):
    """The part of the search index that takes single turns out and back in."""

    def messages_withheld(self, connection: apsw.Connection, session_id: str, ranges: Iterable[Sequence[int]]) -> None:
        """Drop messages of a conversation, by the first and last number of each range."""

    def messages_returned(self, connection: apsw.Connection, session_id: str, messages: Sequence[Message]) -> None:
        """Index turns again."""


class WithheldTurns:
    """Takes turns out of conversations, each time as one change that can be undone.

    Args:
        store: The vault's database.
        index: The search index.
        clock: The source of the time.
    """

    def __init__(self, store: Store, index: TurnIndexer, clock: Clock) -> None:
        self._store = store
        self._index = index
        self._clock = clock

    async def withhold(self, session: str, writer: str, seqs: Sequence[int], actor: str, run_id: str) -> Changed[int]:
        """Withhold a writer's messages in a conversation and return how many are withheld.

        Raises:
            NotFoundError: There is no such conversation.
        """

        def work(connection: apsw.Connection) -> Changed[int]:
            shown = repo.get_session(connection, session)
            if shown is None:
                raise NotFoundError(Sentence("There is no session {session}.", session=session), session=session)
            field = STATE + writer
            before = states(connection, session).get(field)
            out = sorted({*seqs, *_numbers(connection, session, writer)})
            apply(connection, session, writer, ranges_of(out), self._index)
            entry = history_repo.record(
                connection,
                target_kind="session",
                target=session,
                event="FORGET",
                before={field: before},
                after={field: states(connection, session).get(field)},
                actor=actor,
                at_ms=self._clock.now_ms(),
                run_id=run_id,
            )
            areas: frozenset[Area] = frozenset({"sessions", "messages"})
            scopes = (session_scope(shown.agent),)
            return Changed(len(out), ChangeSet(areas, (session,), actor, history_ids=(entry,), scopes=scopes))

        return await self._store.write(work)


def states(connection: apsw.Connection, session: str) -> dict[str, Any]:
    """Return a conversation's withheld messages as history keeps them, by writer."""
    writers = connection.execute(
        "SELECT DISTINCT writer FROM withheld_messages WHERE session_id = ?", (session,)
    ).fetchall()
    return {f"{STATE}{writer}": ranges_of(_numbers(connection, session, str(writer))) for (writer,) in writers}


def is_withheld(connection: apsw.Connection, session: str, writer: str) -> bool:
    """Return whether turns of a writer are out of a conversation."""
    sql = "SELECT 1 FROM withheld_messages WHERE session_id = ? AND writer = ? LIMIT 1"
    return connection.execute(sql, (session, writer)).fetchone() is not None


def ranges_of(seqs: Sequence[int]) -> Ranges:
    """Return ascending numbers as ranges, each by its first and last number."""
    ranges: Ranges = []
    for seq in seqs:
        if ranges and ranges[-1][1] == seq - 1:
            ranges[-1][1] = seq
        else:
            ranges.append([seq, seq])
    return ranges


def apply(connection: apsw.Connection, session: str, writer: str, wanted: Ranges | None, index: TurnIndexer) -> None:
    """Have exactly the turns in ``wanted`` out of a conversation as those of a writer."""
    ranges = wanted or []
    out = _numbers(connection, session, writer)
    back = [seq for seq in out if not any(first <= seq <= last for first, last in ranges)]
    is_forgotten = repo.get_session(connection, session) is None
    _put_back(connection, session, back, None if is_forgotten else index)
    _take_out(connection, session, writer, ranges, None if is_forgotten else index)
    connection.execute(
        "UPDATE sessions SET message_count = (SELECT count(*) FROM messages WHERE session_id = ?1) WHERE id = ?1",
        (session,),
    )


def _take_out(
    connection: apsw.Connection, session: str, writer: str, ranges: Ranges, index: TurnIndexer | None
) -> None:
    within = "session_id = ? AND seq BETWEEN ? AND ?"
    for first, last in ranges:
        connection.execute(
            f"INSERT INTO withheld_messages ({_COLUMNS}, writer) SELECT {_COLUMNS}, ? FROM messages WHERE {within}",
            (writer, session, first, last),
        )
        connection.execute(f"DELETE FROM messages WHERE {within}", (session, first, last))
    if index is not None and ranges:
        index.messages_withheld(connection, session, ranges)
    _hide_preview(connection, session)


def _put_back(connection: apsw.Connection, session: str, seqs: Sequence[int], index: TurnIndexer | None) -> None:
    for first, last in ranges_of(seqs):
        values = (session, first, last)
        within = "session_id = ? AND seq BETWEEN ? AND ?"
        previews = connection.execute(
            f"SELECT content FROM withheld_messages WHERE {within} AND was_preview = 1", values
        ).fetchall()
        connection.execute(
            f"INSERT INTO messages ({_COLUMNS}) SELECT {_COLUMNS} FROM withheld_messages WHERE {within} ORDER BY seq",
            values,
        )
        connection.execute(f"DELETE FROM withheld_messages WHERE {within}", values)
        for (content,) in previews:
            _set_preview(connection, session, _preview(str(content)))
        if index is not None:
            returned = repo.messages_between(connection, session, after=first - 1, before=last + 1, limit=-1)
            index.messages_returned(connection, session, returned)


def _hide_preview(connection: apsw.Connection, session: str) -> None:
    """Replace a preview that is the beginning of a withheld turn, and mark that turn."""
    preview = str(connection.execute("SELECT preview FROM sessions WHERE id = ?", (session,)).get or "")
    rows = connection.execute("SELECT id, content FROM withheld_messages WHERE session_id = ? ORDER BY seq", (session,))
    marked = next((key for key, content in rows if preview and _preview(str(content)) == preview), None)
    if marked is None:
        return
    connection.execute("UPDATE withheld_messages SET was_preview = 1 WHERE id = ?", (marked,))
    turns = repo.messages_between(connection, session, after=-1, before=1 << 62, limit=_PREVIEW_TURNS)
    texts = [(turn.role, text) for turn in turns if (text := _preview(turn.content))]
    _set_preview(
        connection, session, next((text for role, text in texts if role == "user"), texts[0][1] if texts else "")
    )


def _set_preview(connection: apsw.Connection, session: str, preview: str) -> None:
    connection.execute("UPDATE sessions SET preview = ? WHERE id = ?", (preview, session))


def _preview(content: str) -> str:
    return excerpt(without_recalled(content).strip(), repo.PREVIEW_CHARACTERS)


def _numbers(connection: apsw.Connection, session: str, writer: str) -> list[int]:
    rows = connection.execute(
        "SELECT seq FROM withheld_messages WHERE session_id = ? AND writer = ? ORDER BY seq", (session, writer)
    )
    return [int(str(row[0])) for row in rows]
