"""Import into the vault: records stored batch by batch, without duplicates."""

import asyncio
import re
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Protocol

import apsw

from app.core.clock import Clock
from app.core.ids import new_id
from app.core.stores import StoreName
from app.core.text import content_hash, has_controls, storable, without_controls
from app.exchange.importing.batches import Storable
from app.exchange.importing.detail_import import DetailImport
from app.exchange.importing.import_tally import Ingested
from app.exchange.importing.imported_sessions import ImportedSessions
from app.exchange.model import MessageRecord, SessionRecord, VaultDetail
from app.exchange.parsing.item_places import numbered, of_session
from app.history import history_repo
from app.memories.foreign_record import MemoryRecord, Problem
from app.memories.importing.ingest import ingest
from app.memories.writer import MemoryIndex
from app.sentence import Sentence
from app.sessions import repo
from app.sessions.model import Message, NewMessage
from app.sessions.service import (
    MAX_MESSAGE_CHARACTERS,
    MAX_NAME_CHARACTERS,
    MAX_SEQ,
    NewSession,
    SessionService,
    clean_name,
)
from app.sessions.withheld_turns import TurnIndexer
from app.store.store import Store

LONGEST_REST_S = 0.1
# A message says ``[image]`` where its export lacks the file, so both are one message.
_SHOWN_FILE = re.compile(r"!?(\[(?:image|audio|video)\])\(attachments/[^()\s]+\)")
_GIVEN_FILE = re.compile(r"\n\n\[[^\[\]\n]*\]\(attachments/[^()\s]+\)(?=\n\n|\Z)")
_HIGHEST = MAX_SEQ >> 1


@dataclass(slots=True)
class _Session:
    """Progress of an import in one session.

    Args:
        session_id: Its id in this vault.
        is_forgotten: True when nothing is added to it, because it is forgotten here or in the file alone.
        is_hidden: True when it is forgotten here and in the file at the same time; its messages are not searchable.
        is_restored: True when this import brought it back, with the messages that it had.
        seq: The number of the last message read.
        head: The session's line in an export of ours when this import created the session, else ``None``.
        known: Keys of the stored messages, by role and text; ``None`` until they are needed.
        last: The number of the last message stored when ``known`` was read or added to.
    """

    session_id: str
    is_forgotten: bool = False
    is_hidden: bool = False
    is_restored: bool = False
    seq: int = 0
    head: SessionRecord | None = None
    known: set[str] | None = None
    last: int = 0


@dataclass(slots=True)
class _Counts:
    sessions: int = 0
    messages: int = 0
    unchanged: int = 0
    problems: list[Problem] = field(default_factory=list)
    unindexed: list[Message] = field(default_factory=list)


class ImportIndex(MemoryIndex, TurnIndexer, Protocol):
    """Search index of messages and memories."""

    def messages_stored(self, connection: apsw.Connection, messages: Sequence[Message]) -> None:
        """Index messages just inserted."""


class VaultSink:
    """Sink that stores records in the vault; one for each import.

    A message that is there already, by its number and text, is not added again. One whose number has another text here
    is added at the end when its file does not number its messages, so that both versions stay.

    Args:
        store: The vault's database.
        sessions: Appends messages.
        index: Indexes messages and memories.
        clock: The current time.
        rest: Waits a number of seconds.
        run_id: What binds the changes of one import together; a new one where left out.
    """

    def __init__(
        self,
        store: Store,
        sessions: SessionService,
        index: ImportIndex,
        clock: Clock,
        rest: Callable[[float], Awaitable[object]] = asyncio.sleep,
        run_id: str = "",
    ) -> None:
        self._store = store
        self._sessions = sessions
        self._index = index
        self._clock = clock
        self._rest = rest
        self._open: dict[str, _Session] = {}
        self._run_id = run_id or new_id("run")
        self._details = DetailImport(self._run_id)
        self._imported = ImportedSessions(self._run_id, index)
        self._actor = ""
        self._taken: set[tuple[str, str]] = set()

    async def ingest(
        self,
        batch: Sequence[Storable],
        *,
        source: str,
        format: str,  # noqa: A002
        store: StoreName,
        actor: str,
    ) -> Ingested:
        """Store one batch in one transaction and count what was new.

        It then rests as long while searches run.
        """
        work = partial(self._ingest, batch=batch, source=source, fmt=format, store=store, actor=actor)
        begun = time.monotonic()
        stored = await self._store.write(work)
        await self._store.yield_to_readers(min(time.monotonic() - begun, LONGEST_REST_S), self._rest)
        return stored

    def _ingest(
        self,
        connection: apsw.Connection,
        batch: Sequence[Storable],
        source: str,
        fmt: str,
        store: StoreName,
        actor: str,
    ) -> Ingested:
        # The processor's time: on a busy machine smaller batches would only cost more of it.
        begun = time.thread_time()
        self._actor = actor
        counts = _Counts()
        messages: list[MessageRecord] = []
        for record in batch:
            if messages and (not isinstance(record, MessageRecord) or record.session_key != messages[0].session_key):
                self._append(connection, messages, fmt, counts)
                messages = []
            if isinstance(record, SessionRecord):
                self._open_session(connection, record, fmt, counts)
            elif isinstance(record, MessageRecord):
                messages.append(record)
            elif isinstance(record, VaultDetail):
                self._put_detail(connection, record, actor, counts)
        self._details.record(connection, actor, self._clock.now_ms())
        if messages:
            self._append(connection, messages, fmt, counts)
        self._index_messages(connection, counts)
        self._imported.record(connection, actor, self._clock.now_ms())
        has_changes = self._imported.has_changes or self._details.has_changes
        memories = [_of_session(record) for record in batch if isinstance(record, MemoryRecord)]
        stored = ingest(
            connection,
            memories,
            source=source,
            fmt=fmt,
            store=store,
            actor=actor,
            now_ms=self._clock.now_ms(),
            index=self._index,
            run_id=self._run_id,
            taken=self._taken,
        )
        return Ingested(
            sessions=counts.sessions,
            messages=counts.messages,
            memories=stored.added,
            unchanged=counts.unchanged + stored.unchanged,
            updated=stored.updated,
            problems=(*counts.problems, *stored.problems),
            seconds=time.thread_time() - begun,
            run_id=self._run_id if stored.changes.history_ids or has_changes else "",
        )

    def _open_session(self, connection: apsw.Connection, record: SessionRecord, fmt: str, counts: _Counts) -> _Session:
        session_id = foreign_session_id(record.key, fmt)
        head = repo.head(connection, session_id)
        forgotten_ms = record.forgotten_ms if head is None else head[1]
        is_restored = False
        if head is not None and forgotten_ms is not None and record.forgotten_ms is None:
            self._index_messages(connection, counts)
            forgotten_ms = self._restored(connection, session_id, forgotten_ms)
            is_restored = forgotten_ms is None
            counts.sessions += is_restored
        if head is not None and forgotten_ms is None:
            now_ms = self._clock.now_ms()
            is_restored |= self._imported.bring_back(connection, session_id, self._actor, now_ms)
        is_forgotten, is_hidden = forgotten_ms != record.forgotten_ms, forgotten_ms is not None
        opened = _Session(session_id, is_forgotten, is_hidden and not is_forgotten, is_restored)
        self._open[record.key] = opened
        if head is None:
            agent, channel = without_controls(record.agent), without_controls(record.channel)
            heading = NewSession(record.title, agent, channel, record.created_ms, record.attributes)
            self._sessions.create_in(connection, session_id, heading)
            if forgotten_ms is not None:
                repo.update_session(connection, session_id, title=clean_name(record.title), forgotten_ms=forgotten_ms)
            counts.sessions += 1
            if forgotten_ms is None:
                self._imported.made(session_id)
            if fmt == "keepsake":
                opened.head = record
                self._keep_head(connection, opened)
        return opened

    def _restored(self, connection: apsw.Connection, session_id: str, forgotten_ms: int) -> int | None:
        """Bring back a conversation that is forgotten because its import was undone.

        Returns since when it still is forgotten, ``None`` where it is back.
        """
        if not history_repo.is_addition_undone(connection, session_id):
            return forgotten_ms
        self._sessions.restore_in(connection, session_id)
        self._imported.made(session_id)
        return None

    @staticmethod
    def _keep_head(connection: apsw.Connection, opened: _Session) -> None:
        """Restore the times of an imported session.

        Appending its messages has dated it and made it pending again.
        """
        if opened.head is not None:
            repo.set_times(
                connection,
                opened.session_id,
                updated_ms=opened.head.updated_ms,
                consolidated_ms=opened.head.consolidated_ms,
            )

    def _append(
        self, connection: apsw.Connection, messages: Sequence[MessageRecord], fmt: str, counts: _Counts
    ) -> None:
        key = messages[0].session_key
        opened = self._open.get(key) or self._open_session(connection, SessionRecord(key), fmt, counts)
        last, forgotten_ms = repo.head(connection, opened.session_id) or (0, None)
        if opened.is_forgotten or (forgotten_ms is not None and not opened.is_hidden):
            # The person took this conversation out; importing it again must not bring it back.
            counts.unchanged += len(messages)
            return
        opened.is_hidden = forgotten_ms is not None
        fresh = self._fresh(connection, opened, messages, last, counts)
        if fresh:
            last = self._store_messages(connection, opened, fresh, counts)
            counts.messages += len(fresh)
            self._keep_head(connection, opened)
            if opened.known is not None:
                opened.known.update(_key(message.role, message.content) for message in fresh)
                opened.last = last

    def _store_messages(
        self, connection: apsw.Connection, opened: _Session, fresh: Sequence[NewMessage], counts: _Counts
    ) -> int:
        """Append messages and return the last number; those of a forgotten session are not indexed."""
        stored = self._sessions.store_in(connection, fresh, opened.session_id)
        if not opened.is_hidden:
            self._imported.appended(opened.session_id, (message.seq for message in stored))
        if not opened.is_hidden:
            counts.unindexed += stored
        return stored[-1].seq

    def _index_messages(self, connection: apsw.Connection, counts: _Counts) -> None:
        """Index the messages stored so far.

        All of a batch at once takes far less time than each session by itself.
        """
        self._index.messages_stored(connection, counts.unindexed)
        counts.unindexed.clear()

    def _put_detail(self, connection: apsw.Connection, detail: VaultDetail, actor: str, counts: _Counts) -> None:
        key = detail.fields.get("session")
        if key is None:
            problem = self._details.put(connection, detail, actor, self._clock.now_ms())
            counts.problems.extend(() if problem is None else (problem,))
            return
        opened = self._open.get(key)
        if opened is None:
            sentence = Sentence(
                "The file says nothing of this session before its '{type}', which was left out.", type=detail.type
            )
            counts.problems.append(Problem(of_session(key), sentence))
        elif not opened.is_forgotten:
            self._details.put_of_session(connection, opened.session_id, detail)

    def _fresh(
        self,
        connection: apsw.Connection,
        opened: _Session,
        messages: Sequence[MessageRecord],
        last: int,
        counts: _Counts,
    ) -> list[NewMessage]:
        """Return the messages that are not stored yet.

        ``last`` is the number of the last one that is.
        """
        known = self._known(connection, opened, last)
        fresh: list[NewMessage] = []
        for turn in messages:
            message = _with_room(turn.message)
            if len(message.content) > MAX_MESSAGE_CHARACTERS:
                counts.problems.append(_too_long(turn))
                continue
            opened.seq = opened.seq + 1 if message.seq is None else message.seq
            if opened.seq > last:
                fresh.append(message)
                last = opened.seq if message.seq is not None else last + 1
                opened.seq = last
            elif _key(message.role, message.content) in known:
                counts.unchanged += not opened.is_restored
                counts.messages += opened.is_restored
            elif message.seq is None:
                fresh.append(message)
                last += 1
            else:
                counts.problems.append(_taken(turn, opened))
        return fresh

    @staticmethod
    def _known(connection: apsw.Connection, opened: _Session, last: int) -> set[str]:
        if not last or opened.seq >= last:
            return set()
        if opened.known is None or opened.last != last:  # read once, and again after an append by another caller
            stored = repo.all_messages(connection, opened.session_id)
            opened.known = {_key(message.role, message.content) for message in stored}
            opened.last = last
        return opened.known


def foreign_session_id(key: str, fmt: str) -> str:
    """Return our id of a session in a file of a format."""
    return _session_id(key if fmt == "keepsake" else f"{fmt}:{key}")


def _session_id(key: str) -> str:
    """Return our id of a foreign session.

    It is the session's key where that can be an id, else made of it.
    """
    clean = without_controls(clean_name(key))
    if clean and not storable(key)[1] and not has_controls(key) and len(key) <= MAX_NAME_CHARACTERS:
        return key
    return f"{clean[: MAX_NAME_CHARACTERS // 2]}:{content_hash(key)}"


def _of_session(record: MemoryRecord) -> MemoryRecord:
    """Return ``record`` with the id that its session has in this vault."""
    key = record.session_key
    return replace(record, session_key=_session_id(key)) if key and has_controls(key) else record


def _key(role: str, content: str) -> str:
    if "](attachments/" in content:
        content = _GIVEN_FILE.sub("", _SHOWN_FILE.sub(r"\1", content))
    return f"{role}:{content_hash(content)}"


def _with_room(message: NewMessage) -> NewMessage:
    """Return ``message``, without its number when that leaves no room for messages to come."""
    return replace(message, seq=None) if message.seq is not None and message.seq > _HIGHEST else message


def _too_long(turn: MessageRecord) -> Problem:
    allowed = f"{MAX_MESSAGE_CHARACTERS >> 20} million characters"
    return Problem(
        of_session(turn.session_key), Sentence("A message has more than {allowed} and was left out.", allowed=allowed)
    )


def _taken(turn: MessageRecord, opened: _Session) -> Problem:
    return Problem(
        numbered(of_session(turn.session_key), "message", turn.message.seq),
        Sentence(
            "Its number is not greater than the last one stored of session {session_id}, and its text is another.",
            session_id=opened.session_id,
        ),
    )
