"""Scratchpad of a session: goals, steps done and steps left.

It is kept in view during long work.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import apsw

from app.changes import Changed
from app.core.clock import Clock
from app.core.text import storable
from app.errors import InputError, NotFoundError
from app.sentence import Sentence
from app.sessions import repo
from app.sessions.capture.capture_policy import CapturePolicy
from app.sessions.compaction.rolling_summary import touched
from app.sessions.service import NewSession, SessionService, clean_name
from app.sessions.state.state_repo import read_items, write_items
from app.store.store import Store

MAX_ITEMS = 32
MAX_ITEM_CHARACTERS = 240


@dataclass(frozen=True, slots=True)
class Scratchpad:
    """Scratchpad of one session; other sessions do not see it."""

    session_id: str
    items: tuple[str, ...] = ()


class ScratchpadService:
    """Reads and replaces scratchpads.

    Args:
        store: The vault's database.
        sessions: Makes the conversation of an agent that plans before it speaks.
        capture: Whose conversations are kept.
        clock: Where the time comes from.
    """

    def __init__(self, store: Store, sessions: SessionService, capture: CapturePolicy, clock: Clock) -> None:
        self._store = store
        self._sessions = sessions
        self._capture = capture
        self._clock = clock

    async def read(self, session: str, owner: str | None) -> Scratchpad:
        """Return a conversation's scratchpad.

        Args:
            session: The conversation's id.
            owner: The agent the conversation must be with; ``None`` for any.

        Raises:
            NotFoundError: There is no such conversation.
        """

        def work(connection: apsw.Connection) -> Scratchpad:
            key = _found(connection, session, owner)
            return Scratchpad(key, read_items(connection, key))

        return await self._store.read(work)

    async def write(
        self,
        session: str,
        items: Sequence[str],
        actor: str,
        owner: str | None,
        heading: NewSession | None = None,
    ) -> Changed[Scratchpad]:
        """Replace a session's scratchpad by ``items``; a missing session is created as ``heading`` says.

        Of an agent whose conversations are not kept, nothing is stored, and no error is raised.

        Raises:
            InputError: There are too many items, or one is too long.
            NotFoundError: The conversation was forgotten.
        """
        clean, new_session = clean_items(items), heading or NewSession(agent=owner or "")

        def work(connection: apsw.Connection) -> Changed[Scratchpad]:
            agent = None if owner is None else clean_name(owner)
            if not self._capture.keeps(connection, session, actor, owner=agent):
                return Changed(Scratchpad(session), touched(session, actor, is_written=False))
            key = repo.located(connection, session, "", agent)
            if key is None:
                key = self._sessions.create_in(connection, session, new_session, agent=agent)
            read_items(connection, key)
            write_items(connection, key, clean, self._clock.now_ms())
            return Changed(Scratchpad(key, clean), touched(key, actor, is_written=True))

        return await self._store.write(work)

    async def clear(self, session: str, actor: str, owner: str | None) -> Changed[bool]:
        """Empty a scratchpad and return whether anything was in it.

        Raises:
            NotFoundError: There is no such conversation.
        """

        def work(connection: apsw.Connection) -> Changed[bool]:
            key = _found(connection, session, owner)
            had_items = bool(read_items(connection, key))
            if had_items:
                write_items(connection, key, (), self._clock.now_ms())
            return Changed(had_items, touched(key, actor, is_written=had_items))

        return await self._store.write(work)


def clean_items(items: Sequence[str]) -> tuple[str, ...]:
    """Return items as stored: trimmed, without empty ones.

    Raises:
        InputError: There are more than ``MAX_ITEMS``, or one has more than ``MAX_ITEM_CHARACTERS``.
    """
    clean = tuple(text for item in items if (text := storable(item)[0].strip()))
    if len(clean) > MAX_ITEMS:
        raise InputError(
            Sentence(
                "A scratchpad has at most {max_items} items, not {count}. Join or drop some.",
                max_items=MAX_ITEMS,
                count=len(clean),
            ),
            field="items",
        )
    for place, item in enumerate(clean):
        if len(item) > MAX_ITEM_CHARACTERS:
            raise InputError(
                Sentence(
                    "Item {place} has {count} characters; at most {max_item_characters} are allowed.",
                    place=place + 1,
                    count=len(item),
                    max_item_characters=MAX_ITEM_CHARACTERS,
                ),
                field=f"items[{place}]",
            )
    return clean


def _found(connection: apsw.Connection, session: str, owner: str | None) -> str:
    """Return the id of the conversation meant, of ``owner`` if one is named."""
    if owner is None:
        return repo.resolved(connection, session)
    key = repo.own_session(connection, session, clean_name(owner))
    if key is None:
        # Whether another agent's conversation exists is not for this one to know.
        raise NotFoundError(Sentence("There is no session {session}.", session=session), session=session)
    return key
