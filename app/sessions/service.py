"""Session service: append, read, rename and forget sessions.

Numbers of messages only rise, a session is created with its first message, and forgetting can be undone.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import apsw

from app.changes import Area, Changed, ChangeSet, session_scope
from app.core.clock import Clock, to_datetime, to_ms
from app.core.facets import Facet
from app.core.ids import new_id
from app.core.json_values import plain
from app.core.text import excerpt, has_controls, storable
from app.core.text_rules.recall_fence import without_recalled
from app.core.text_rules.token_estimate import estimate_tokens
from app.errors import InputError, NotFoundError, StaleError
from app.history import history_repo
from app.receipts.model import check_key
from app.sentence import Sentence
from app.sessions import idempotency, repo, session_lists, turn_writers
from app.sessions.capture.capture_policy import CapturePolicy
from app.sessions.model import IMPORTANCE, Appended, Message, NewMessage, Session, SessionFilter, SessionOrder
from app.sessions.session_applier import MessageIndexer, apply_state
from app.store.store import Store

MAX_MESSAGE_CHARACTERS = 128 * 1024 * 1024
MAX_NAME_CHARACTERS = 500
MAX_SEQ = 1 << 53  # beyond, JSON readers round
_LONGEST_WANTED = 2 * MAX_NAME_CHARACTERS


@dataclass(frozen=True, slots=True)
class NewSession:
    """Columns of a session that is about to be created, and who writes to it.

    Args:
        title: Its title.
        agent: The agent that it names.
        channel: ``channel:chat:thread`` it comes from.
        created_ms: When it began; with its first message when ``None``.
        attributes: What else is known of it.
        writer: The agent whose connection writes, whatever agent it names; ``""`` for the person.
    """

    title: str = ""
    agent: str = ""
    channel: str = ""
    created_ms: int | None = None
    attributes: dict[str, Any] | None = None
    writer: str = ""


class SessionService:
    """Append, read, list, rename and forget conversations.

    Args:
        store: The vault's database.
        index: Told of every message.
        clock: Where the time comes from.
        capture: Whose messages are stored; everybody's when ``None``.
    """

    def __init__(self, store: Store, index: MessageIndexer, clock: Clock, capture: CapturePolicy | None = None) -> None:
        self._store = store
        self._index = index
        self._clock = clock
        self._capture = capture

    async def append(
        self,
        messages: Sequence[NewMessage],
        session: str | None,
        heading: NewSession,
        actor: str,
        key: str = "",
        *,
        owner: str | None,
    ) -> Changed[Appended]:
        """Append messages to a session, making it when there is none.

        Of an agent whose conversations are not kept, nothing is stored: the answer then has no numbers.

        Args:
            messages: The messages, in order.
            session: The session's id. Where there is none of that id, the channel's latest session is meant and keeps
                the id as another name; without both a new one is made.
            heading: Title, agent and channel of a session made by this.
            actor: Who appends.
            key: The caller's own id of this append, ``""`` for none; the second with the same key stores nothing and
                answers where the messages of the first are.
            owner: The agent the conversation must be with, and is with when made by this; ``None`` for any.

        Raises:
            KeyConflictError: The key was used for other messages.
            StaleError: A sequence number is not greater than the session's last.
            InputError: A message is too long, the session was forgotten or is not the owner's, or the key was used for
                another session.
        """
        if owner is not None:
            heading = replace(heading, agent=owner)
        if not messages:
            raise InputError("There is nothing to append: 'messages' is empty.", field="messages")
        if key:
            check_key(key)
        check_channel(heading.channel)

        def work(connection: apsw.Connection) -> Changed[Appended]:
            agent = None if owner is None else clean_name(owner)
            located = repo.locate(connection, session, clean_name(heading.channel), agent)
            done = self._append_once(connection, messages, session, heading, actor, key, owner, located)
            if not done.seqs:
                return Changed(done, ChangeSet(frozenset(), (), actor))
            is_there = located.session_id == done.session_id
            scopes = (session_scope(located.agent if is_there else repo.agent_of(connection, done.session_id)),)
            areas: frozenset[Area] = frozenset({"sessions", "messages"})
            return Changed(done, ChangeSet(areas, (done.session_id,), actor, scopes=scopes, only_appends=True))

        return await self._store.write(work)

    def _append_once(
        self,
        connection: apsw.Connection,
        messages: Sequence[NewMessage],
        session: str | None,
        heading: NewSession,
        actor: str,
        key: str,
        owner: str | None,
        located: repo.LocatedSession,
    ) -> Appended:
        """Append unless the capture policy or the caller's key keeps it from being stored."""
        if self._capture and not self._capture.allows(connection, heading.agent, actor, located.agent):
            return Appended(session or "", (), created=False)
        if key and (before := idempotency.previous_append(connection, actor, key, located.named, messages)) is not None:
            return before
        done = self.append_in(connection, messages, session, heading, owner, located)
        if key:
            idempotency.note_append(connection, actor, key, done, self._clock.now_ms())
        return done

    def append_in(
        self,
        connection: apsw.Connection,
        messages: Sequence[NewMessage],
        session: str | None,
        heading: NewSession,
        owner: str | None,
        located: repo.LocatedSession | None = None,
    ) -> Appended:
        """Append inside the caller's transaction, to the session ``located`` where known; see ``append``."""
        if located is None:
            agent = None if owner is None else clean_name(owner)
            located = repo.locate(connection, session, clean_name(heading.channel), agent)
        now = self._clock.now_ms()
        key, last_seq, created = self._open_session(connection, session, heading, messages, now, owner, located)
        stored = number(messages, key, last_seq, now)
        self._insert(connection, key, stored, now, has_preview=located.has_preview)
        agent = clean_name(heading.agent) if created else located.agent
        if heading.writer and heading.writer != agent:
            turn_writers.note(connection, key, stored[0].seq, stored[-1].seq, heading.writer, now)
        self._index.messages_stored(connection, stored)
        return Appended(key, tuple(message.seq for message in stored), created)

    def store_in(self, connection: apsw.Connection, messages: Sequence[NewMessage], session: str) -> list[Message]:
        """Append messages to a session inside the caller's transaction, without indexing them.

        Args:
            connection: The writer's connection, inside a transaction.
            messages: The messages, in order.
            session: The id of a session that is there, forgotten or not.

        Raises:
            StaleError: A sequence number is not greater than the session's last.
            InputError: A message is too long.
        """
        now = self._clock.now_ms()
        held = repo.head(connection, session)
        stored = number(messages, session, held[0] if held is not None else 0, now)
        self._insert(connection, session, stored, now)
        return stored

    @staticmethod
    def _insert(
        connection: apsw.Connection, session: str, stored: Sequence[Message], now_ms: int, *, has_preview: bool = False
    ) -> None:
        repo.insert_messages(connection, stored)
        repo.note_appended(
            connection,
            session,
            last_seq=stored[-1].seq,
            count=len(stored),
            said_ms=max(to_ms(message.created_at) for message in stored),
            now_ms=now_ms,
            preview="" if has_preview else preview_of(stored),
        )

    def _open_session(
        self,
        connection: apsw.Connection,
        session: str | None,
        heading: NewSession,
        messages: Sequence[NewMessage],
        now: int,
        owner: str | None,
        located: repo.LocatedSession,
    ) -> tuple[str, int, bool]:
        agent = None if owner is None else clean_name(owner)
        known = located.session_id
        if known is not None:
            if session is not None and known != located.named:
                _add_name(connection, session, agent, known, now)
            if located.forgotten_ms is not None:
                raise InputError(
                    Sentence("Session {known} was forgotten. Undo that, or use another id.", known=known), session=known
                )
            return known, located.last_seq, False
        first = messages[0].created_at if messages else None
        key = self.create_in(connection, session, heading, to_ms(first) if first is not None else now, agent)
        return key, 0, True

    def create_in(
        self,
        connection: apsw.Connection,
        session: str | None,
        heading: NewSession,
        created_ms: int | None = None,
        agent: str | None = None,
    ) -> str:
        """Insert an empty session inside the caller's transaction and return its id.

        For ``agent``, who may not know which ids are taken, it gets an id of ours, and ``session`` is its own name
        of it.
        """
        now = self._clock.now_ms()
        key = new_id("session") if session is None or agent is not None else check_name(session, "session")
        created = heading.created_ms if heading.created_ms is not None else created_ms
        repo.insert_session(
            connection,
            key,
            title=clean_name(heading.title),
            agent=check_plain(clean_name(heading.agent), "agent"),
            channel=check_plain(clean_name(heading.channel), "channel"),
            created_ms=now if created is None else created,
            now_ms=now,
            attributes=plain(heading.attributes or {}),
        )
        if heading.writer and heading.writer != clean_name(heading.agent):
            turn_writers.note(connection, key, turn_writers.MADE, turn_writers.MADE, heading.writer, now)
        if session is not None and agent is not None:
            _add_name(connection, session, agent, key, now)
        return key

    async def create(self, heading: NewSession, actor: str) -> Changed[Session]:
        """Make an empty session; of an agent whose conversations are not kept, nothing is stored."""
        check_channel(heading.channel)

        def work(connection: apsw.Connection) -> tuple[Session, bool]:
            if self._capture and not self._capture.keeps(connection, None, heading.agent, actor, owner=None):
                now = to_datetime(self._clock.now_ms())
                return Session(new_id("session"), "", clean_name(heading.agent), "", now, now, 0), False
            return _existing(connection, self.create_in(connection, None, heading)), True

        new_session, is_stored = await self._store.write(work)
        if not is_stored:
            return Changed(new_session, ChangeSet(frozenset(), (), actor))
        scopes = (session_scope(new_session.agent),)
        return Changed(new_session, ChangeSet(frozenset({"sessions"}), (new_session.id,), actor, scopes=scopes))

    async def canonical(self, session: str, owner: str | None) -> str:
        """Return the id of an ``owner``'s session, or of any agent's for ``None``.

        Without one it is the id given, and for an owner a name that nothing has.
        """
        agent = None if owner is None else clean_name(owner)
        return await self._store.read(lambda connection: _named(connection, session, agent))

    async def own(self, session: str, owner: str | None) -> str | None:
        """Return the id of an ``owner``'s session, ``None`` where it has none.

        For ``None`` as owner it is the id of any session, or the one given.
        """
        agent = None if owner is None else clean_name(owner)

        def work(connection: apsw.Connection) -> str | None:
            return repo.resolved(connection, session) if agent is None else repo.own_session(connection, session, agent)

        return await self._store.read(work)

    async def resolved(self, session: str, owner: str | None) -> str:
        """Return the id of a session of ``owner``, or of any agent for ``None``.

        Raises:
            NotFoundError: There is none; what is not the owner's does not exist for it.
        """

        def work(connection: apsw.Connection) -> str:
            if owner is None:
                return repo.resolved(connection, session)
            own = repo.own_session(connection, session, clean_name(owner))
            if own is None:
                raise NotFoundError(Sentence("There is no session {session}.", session=session), session=session)
            return own

        return await self._store.read(work)

    async def get(self, session: str) -> Session:
        """Return a session.

        Raises:
            NotFoundError: There is none of that id, or it was forgotten.
        """
        return await self._store.read(lambda connection: _existing(connection, session))

    async def messages(
        self, session: str, *, after: int = -1, before: int = 1 << 62, limit: int = 200, newest: bool = False
    ) -> list[Message]:
        """Return messages between two numbers, ascending; the last ones where ``newest``."""

        def work(connection: apsw.Connection) -> list[Message]:
            _existing(connection, session)
            return repo.messages_between(connection, session, after=after, before=before, limit=limit, newest=newest)

        return await self._store.read(work)

    async def messages_by_name(self, names: Sequence[str], owner: str | None) -> dict[str, Message]:
        """Return messages named ``<session>#<number>``, of ``owner``'s sessions or all.

        What is not there, was forgotten or is not the owner's is left out.
        """

        def work(connection: apsw.Connection) -> dict[str, Message]:
            agent = None if owner is None else clean_name(owner)
            turns = ((name, repo.turn(connection, name, agent)) for name in names)
            return {name: message for name, message in turns if message is not None}

        return await self._store.read(work)

    async def find(self, session: str, text: str, limit: int) -> list[int]:
        """Return numbers of the messages that hold ``text``."""
        clean, _ = storable(text)

        def work(connection: apsw.Connection) -> list[int]:
            _existing(connection, session)
            return repo.find_in(connection, session, clean, limit) if clean else []

        return await self._store.read(work)

    async def at(self, session: str, when: datetime) -> int | None:
        """Return the number of the first message said at ``when`` or later."""

        def work(connection: apsw.Connection) -> int | None:
            _existing(connection, session)
            return repo.seq_at(connection, session, to_ms(when))

        return await self._store.read(work)

    async def ids(self, wanted: SessionFilter, order: SessionOrder, limit: int = -1, offset: int = 0) -> list[str]:
        """Return ids of the sessions meant, in order."""
        return await self._store.read(
            lambda connection: session_lists.session_ids(connection, _clean_filter(wanted), order, limit, offset)
        )

    async def rows(self, ids: Sequence[str]) -> list[Session]:
        """Return the sessions of ``ids``, in that order, without those that are gone."""
        return await self._store.read(lambda connection: session_lists.session_rows(connection, ids))

    async def groups(self, wanted: SessionFilter, order: SessionOrder) -> list[Facet]:
        """Return the days or agents of an order, with their number of sessions."""
        return await self._store.read(
            lambda connection: session_lists.session_groups(connection, _clean_filter(wanted), order)
        )

    async def agents(self) -> list[Facet]:
        """Return agents with their number of sessions."""
        return await self._store.read(session_lists.agents)

    async def rename(self, session: str, title: str, actor: str) -> Changed[Session]:
        """Give a session another title; can be undone."""
        return await self._change(session, actor, "RENAME", lambda state: {**state, "title": clean_name(title)})

    async def forget(self, session: str, actor: str, run_id: str | None = None) -> Changed[Session]:
        """Take a session and its messages out of every list and search; can be undone."""
        now = self._clock.now_ms()
        return await self._change(session, actor, "FORGET", lambda state: {**state, "forgotten_at": now}, run_id)

    async def forget_many(self, sessions: Sequence[str], actor: str) -> Changed[tuple[str, ...]]:
        """Forget several sessions as one run, and return their ids.

        Raises:
            NotFoundError: There is no such session; those before it are forgotten.
        """
        run_id = new_id("run")
        done = [(await self.forget(session, actor, run_id)).changes for session in sessions]
        areas = frozenset[Area]().union(*(change.areas for change in done))
        history = tuple(entry for change in done for entry in change.history_ids)
        scopes = tuple(scope for change in done for scope in change.scopes or ())
        changes = ChangeSet(areas, tuple(sessions), actor, history_ids=history, scopes=scopes)
        return Changed(tuple(sessions), changes)

    def restore_in(self, connection: apsw.Connection, session: str) -> None:
        """Bring a forgotten session back, inside the caller's transaction."""
        apply_state(
            connection, session, (repo.state_of(connection, session) or {}) | {"forgotten_at": None}, self._index
        )

    async def _change(
        self,
        session: str,
        actor: str,
        event: str,
        change: Callable[[dict[str, Any]], dict[str, Any]],
        run_id: str | None = None,
    ) -> Changed[Session]:
        def work(connection: apsw.Connection) -> Changed[Session]:
            shown = _existing(connection, session)
            before = repo.state_of(connection, session)
            after = change(before or {})
            areas = apply_state(connection, session, after, self._index)
            entry = history_repo.record(
                connection,
                target_kind="session",
                target=session,
                event=event,
                before=before,
                after=after,
                actor=actor,
                at_ms=self._clock.now_ms(),
                run_id=run_id,
            )
            now_shown = repo.get_session(connection, session) or shown
            scopes = (session_scope(now_shown.agent),)
            return Changed(now_shown, ChangeSet(areas, (session,), actor, history_ids=(entry,), scopes=scopes))

        return await self._store.write(work)


def number(messages: Sequence[NewMessage], session: str, last_seq: int, now_ms: int) -> list[Message]:
    """Give messages their numbers and defaults.

    Raises:
        StaleError: A given number is not greater than the one before it.
        InputError: A message is too long, or its importance is not between 0 and 1.
    """
    stored, previous = [], last_seq
    for message in messages:
        seq = previous + 1 if message.seq is None else message.seq
        if seq <= previous:
            raise StaleError(
                Sentence(
                    "Message number {seq} is not greater than {previous}, the last of session {session}.",
                    seq=str(seq),
                    previous=str(previous),
                    session=session,
                ),
                session=session,
                seq=seq,
                last_seq=previous,
            )
        if seq > MAX_SEQ:
            raise InputError(
                Sentence("A message's number is at most {max_seq}.", max_seq=MAX_SEQ), field="seq", seq=seq
            )
        stored.append(_stored(message, session, seq, now_ms))
        previous = seq
    return stored


def _stored(message: NewMessage, session: str, seq: int, now_ms: int) -> Message:
    if len(message.content) > MAX_MESSAGE_CHARACTERS:
        raise InputError("A message may have at most 128 million characters.", field="content", seq=seq)
    importance = IMPORTANCE[message.role] if message.importance is None else message.importance
    if not 0 <= importance <= 1:
        raise InputError("'importance' must be between 0 and 1.", field="importance", seq=seq)
    content, _ = storable(message.content)
    return Message(
        session_id=session,
        seq=seq,
        role=message.role,
        author=clean_name(message.author),
        content=content,
        created_at=message.created_at or to_datetime(now_ms),
        importance=importance,
        tokens=estimate_tokens(content),
        tool_call_id=None if message.tool_call_id is None else clean_name(message.tool_call_id),
        tool_name=None if message.tool_name is None else clean_name(message.tool_name),
        tool_calls=None if message.tool_calls is None else plain(message.tool_calls),
        payload=None if message.payload is None else plain(message.payload),
    )


def clean_name(text: str) -> str:
    """Return a title or name as stored: one line, at most ``MAX_NAME_CHARACTERS``."""
    if not text:
        return ""
    clean, _ = storable(text[: MAX_NAME_CHARACTERS * 4])
    return excerpt(clean, MAX_NAME_CHARACTERS)


def check_plain(name: str, field: str) -> str:
    """Return a name unchanged.

    Raises:
        InputError: It holds control characters, which could steer the terminal that shows it.
    """
    if has_controls(name):
        raise InputError(
            Sentence("'{field}' must not contain control characters. Leave them out.", field=field), field=field
        )
    return name


def check_name(session: str, field: str) -> str:
    """Return a caller's id unchanged.

    Raises:
        InputError: It is empty, too long or cannot be stored.
    """
    if not session.strip() or len(session) > MAX_NAME_CHARACTERS or storable(session)[1]:
        raise InputError(
            Sentence(
                "'{field}' must have 1 to {max_name_characters} ordinary characters.",
                field=field,
                max_name_characters=MAX_NAME_CHARACTERS,
            ),
            field=field,
        )
    return check_plain(session, field)


def check_channel(channel: str) -> None:
    """Check a channel's length; a cut one could be taken for another.

    Raises:
        InputError: It is too long.
    """
    if len(channel) > MAX_NAME_CHARACTERS:
        raise InputError(
            Sentence(
                "'channel' may have at most {max_name_characters} characters.", max_name_characters=MAX_NAME_CHARACTERS
            ),
            field="channel",
        )


def _clean_filter(wanted: SessionFilter) -> SessionFilter:
    # Nothing that is looked through is as long as a pattern may be.
    return replace(wanted, text=storable(wanted.text[:_LONGEST_WANTED])[0], agent=storable(wanted.agent)[0])


def preview_of(messages: Sequence[Message]) -> str:
    """Return the preview of a conversation that begins with messages."""
    turns = [(m.role, text) for m in messages if (text := without_recalled(m.content).strip())]
    chosen = next((text for role, text in turns if role == "user"), turns[0][1] if turns else "")
    return excerpt(chosen, repo.PREVIEW_CHARACTERS)


def _named(connection: apsw.Connection, session: str, agent: str | None) -> str:
    """Return the id of a session, for an agent one of its own.

    Without one it is a name that nothing has.
    """
    if agent is None:
        return repo.resolved(connection, session)
    return repo.own_session(connection, session, agent) or repo.agents_name(session, agent)


def _add_name(connection: apsw.Connection, session: str, agent: str | None, key: str, now_ms: int) -> None:
    """Add an alias of a session, for an agent a name of its own."""
    name = check_name(session, "session")
    repo.add_alias(connection, name if agent is None else repo.agents_name(name, agent), key, now_ms)


def _existing(connection: apsw.Connection, session: str) -> Session:
    existing = repo.get_session(connection, session)
    if existing is None:
        raise NotFoundError(Sentence("There is no session {session}.", session=session), session=session)
    return existing
