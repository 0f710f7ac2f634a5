"""Sink of transcripts, which stores each message once however often it is read."""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final

import apsw

from app.core.clock import Clock
from app.core.stores import StoreName
from app.core.text import without_controls
from app.exchange.formats.transcripts.transcript_records import AGENTS
from app.exchange.importing.batches import Storable
from app.exchange.importing.import_tally import Ingested
from app.exchange.importing.imported_sessions import ImportedSessions
from app.exchange.importing.vault_sink import LONGEST_REST_S, foreign_session_id
from app.exchange.model import MessageRecord, SessionRecord
from app.exchange.transcripts.message_filter import Filtered, filtered
from app.history import history_repo
from app.sessions import repo
from app.sessions.capture.capture_policy import CapturePolicy
from app.sessions.model import Appended, NewMessage
from app.sessions.service import NewSession, SessionService, clean_name
from app.store.store import Store

_MAX_SESSIONS: Final = 64


@dataclass(slots=True)
class _KnownSession:
    """The foreign ids of a session's messages, valid while its last message is ``last_seq``."""

    last_seq: int
    ids: set[str]


@dataclass(slots=True)
class _Stored:
    sessions: int = 0
    messages: int = 0
    unchanged: int = 0
    agents: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Capture:
    """Rules for whose transcripts a sink stores.

    Args:
        agent: The agent whose conversations they become; the client's name where ``None``.
        only_own: Whether nothing is added to a conversation with another agent.
        policy: Which agents' conversations are kept; all of them where ``None``, as in an import by the person.
        writer: The agent whose connection sends them, ``""`` for the person.
    """

    agent: str | None = None
    only_own: bool = False
    policy: CapturePolicy | None = None
    writer: str = ""


class TranscriptSink:
    """Sink that stores the messages of transcripts in the vault.

    Args:
        store: The vault's database.
        sessions: Appends messages.
        clock: The source of the time.
        keeps_secrets: Returns whether secrets are stored in clear.
        capture: Whose transcripts they are.
        rest: Waits a number of seconds.
        imported: Writes an import into the history, so that it is undone as one; ``None`` where messages come of
            themselves.
    """

    def __init__(
        self,
        store: Store,
        sessions: SessionService,
        clock: Clock,
        keeps_secrets: Callable[[], bool],
        capture: Capture = Capture(),
        rest: Callable[[float], Awaitable[object]] = asyncio.sleep,
        imported: ImportedSessions | None = None,
    ) -> None:
        self._imported = imported
        self._store = store
        self._sessions = sessions
        self._clock = clock
        self._keeps_secrets = keeps_secrets
        self._capture = capture
        self._rest = rest
        self._known: dict[str, _KnownSession] = {}
        self._openings: dict[str, SessionRecord] = {}
        self.changed: dict[str, str] = {}

    async def ingest(
        self,
        batch: Sequence[Storable],
        *,
        source: str,
        format: str,  # noqa: A002
        store: StoreName,
        actor: str,
    ) -> Ingested:
        """Store a batch in one transaction and count what was new."""
        del source, store  # a conversation is the person's own, whatever its notes would be
        records = await asyncio.to_thread(filtered, batch, keeps_secrets=self._keeps_secrets())
        begun = time.monotonic()
        try:
            done = await self._store.write(partial(self._ingest, kept=records, fmt=format, actor=actor))
        except BaseException:
            self._known.clear()  # what was not stored is not known either
            if self._imported is not None:
                self._imported.forget()
            raise
        await self._store.yield_to_readers(min(time.monotonic() - begun, LONGEST_REST_S), self._rest)
        self.changed |= done.agents
        return Ingested(
            sessions=done.sessions,
            messages=done.messages,
            unchanged=done.unchanged,
            problems=records.problems,
            seconds=time.monotonic() - begun,
            secrets=records.secrets.total(),
            recalled=records.recalled,
            run_id=self._imported.run_id if self._imported is not None and self._imported.has_changes else "",
        )

    def _ingest(self, connection: apsw.Connection, kept: Filtered, fmt: str, actor: str) -> _Stored:
        done = _Stored()
        turns: list[MessageRecord] = []
        for record in kept.records:
            if turns and (isinstance(record, SessionRecord) or record.session_key != turns[0].session_key):
                self._append(connection, turns, fmt, actor, done)
                turns = []
            if isinstance(record, SessionRecord):
                self._open(connection, record, fmt)
            else:
                turns.append(record)
        if turns:
            self._append(connection, turns, fmt, actor, done)
        if self._imported is not None:
            self._imported.record(connection, actor, self._clock.now_ms())
        while len(self._known) > _MAX_SESSIONS:
            del self._known[next(iter(self._known))]
        return done

    def _append(
        self, connection: apsw.Connection, turns: Sequence[MessageRecord], fmt: str, actor: str, done: _Stored
    ) -> None:
        key, agent = turns[0].session_key, self._owner
        name, heading = foreign_session_id(key, fmt), self._heading(key, fmt)
        session = repo.resolved(connection, name) if agent is None else repo.own_session(connection, name, agent)
        held = None if session is None else repo.head(connection, session)
        is_restored = (
            session is not None and held is not None and self._brings_back(connection, session, held[1], actor)
        )
        if is_restored:
            self._known.pop(str(session), None)
            held = repo.head(connection, str(session))
        if (held is not None and held[1] is not None) or not self._may_store(connection, name, heading, actor):
            # Forgotten by the person, or not to be kept.
            done.unchanged += len(turns)
            return
        known = self._known_ids(connection, session or name, 0 if held is None else held[0])
        fresh = [turn.message for turn in turns if _is_new(turn.message, known.ids)]
        done.unchanged += 0 if is_restored else len(turns) - len(fresh)
        done.messages += len(turns) - len(fresh) if is_restored else 0
        if fresh:
            appended = self._sessions.append_in(connection, fresh, name, heading, agent)
            known.last_seq = appended.seqs[-1]
            self._known[appended.session_id] = known
            done.sessions += appended.created
            self._note(appended)
            done.messages += len(fresh)
            done.agents[appended.session_id] = repo.agent_of(connection, appended.session_id)

    def _open(self, connection: apsw.Connection, record: SessionRecord, fmt: str) -> None:
        """Remember the head of a conversation, and give its title to one without."""
        before = self._openings.get(record.key)
        if before is not None and not record.attributes:
            record = replace(before, title=record.title or before.title)
        self._openings[record.key] = record
        title, agent = without_controls(clean_name(record.title)), self._owner
        name = foreign_session_id(record.key, fmt)
        session = repo.resolved(connection, name) if agent is None else repo.own_session(connection, name, agent)
        state = None if session is None else repo.state_of(connection, session)
        if title and session is not None and state is not None and not state["title"] and state["forgotten_at"] is None:
            repo.update_session(connection, session, title=title, forgotten_ms=None)

    def _note(self, appended: Appended) -> None:
        if self._imported is None:
            return
        if appended.created:
            self._imported.made(appended.session_id)
        self._imported.appended(appended.session_id, appended.seqs)

    def _brings_back(self, connection: apsw.Connection, session_id: str, forgotten_ms: int | None, actor: str) -> bool:
        """Bring back what the undo of an import took out; return whether there was something."""
        if self._imported is None:
            return False
        if forgotten_ms is None:
            return self._imported.bring_back(connection, session_id, actor, self._clock.now_ms())
        if not history_repo.is_addition_undone(connection, session_id):
            return False
        self._sessions.restore_in(connection, session_id)
        self._imported.made(session_id)
        return True

    @property
    def _owner(self) -> str | None:
        """Return the agent whose conversations alone are added to, ``None`` for any."""
        return clean_name(self._capture.agent or "") if self._capture.only_own else None

    def _heading(self, key: str, fmt: str) -> NewSession:
        head = self._openings.get(key) or SessionRecord(key)
        agent = self._capture.agent or head.agent or AGENTS[fmt]
        return NewSession(
            without_controls(head.title),
            without_controls(agent),
            "",
            head.created_ms,
            {"source": fmt, **head.attributes},
            self._capture.writer,
        )

    def _may_store(self, connection: apsw.Connection, name: str, heading: NewSession, actor: str) -> bool:
        policy = self._capture.policy
        return policy is None or policy.keeps(connection, name, heading.agent, actor, owner=self._owner)

    def _known_ids(self, connection: apsw.Connection, session: str, last_seq: int) -> _KnownSession:
        known = self._known.get(session)
        if known is None or known.last_seq != last_seq:
            rows = connection.execute(
                "SELECT payload FROM messages WHERE session_id = ?1"
                " UNION ALL SELECT payload FROM withheld_messages WHERE session_id = ?1",
                (session,),
            )
            ids = {_id_of(payload) for (payload,) in rows} if last_seq else set()
            known = self._known[session] = _KnownSession(last_seq, ids)
        return known


def _is_new(message: NewMessage, known: set[str]) -> bool:
    name = str((message.payload or {}).get("id", ""))
    if name in known:
        return False
    known.add(name)
    return True


def _id_of(payload: object) -> str:
    return str(json.loads(payload).get("id", "")) if isinstance(payload, str) else ""
