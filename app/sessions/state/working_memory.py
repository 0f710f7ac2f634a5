"""Working memory: recent messages of active sessions, held in the process.

They are checked against the vault at each read.
"""

from collections import OrderedDict, deque
from dataclasses import dataclass
from itertools import islice

import apsw

from app.changes import ChangeSet
from app.errors import NotFoundError
from app.sessions import repo
from app.sessions.model import Message
from app.sessions.state.state_repo import read_state
from app.store.store import Store

SESSIONS = 32
CHARACTERS = 1_000_000  # more than this of one conversation is read anew each time


@dataclass(frozen=True, slots=True)
class _Held:
    """The last messages of a conversation, and how many it has in all."""

    messages: deque[Message]
    count: int


class WorkingMemory:
    """The last messages of each conversation in use.

    Messages never change and their numbers only rise, so what is held stays true; each read asks the vault for messages
    after the last one held, in one snapshot. Whatever else happens to a conversation drops it, see ``on_change``.
    Belongs to one event loop.

    Args:
        store: The vault's database.
        cap: Messages held of a conversation.
    """

    def __init__(self, store: Store, cap: int) -> None:
        self._store = store
        self._cap = cap
        self._held: OrderedDict[str, _Held] = OrderedDict()
        self._drops = 0

    async def recent(self, session: str, n: int) -> list[Message]:
        """Return the last ``n`` messages of a session, ascending.

        Raises:
            NotFoundError: There is no such conversation.
        """
        if n > self._cap:
            return list((await self._store.read(lambda connection: _after(connection, session, -1, n))).messages)
        drops, held = self._drops, self._held.get(session)
        try:
            read = await self._read_after(session, held.messages[-1].seq if held and held.messages else -1)
            # The counts differ where turns were withheld or brought back meanwhile, or more came than are held.
            if held is not None and read.count != held.count + len(read.messages):
                held, read = None, await self._read_after(session, -1)
            if held is not None and self._held.get(session) is held:
                read.messages.extendleft(reversed(held.messages))
            elif held is not None:
                # Another read brought some of these, or a change dropped them.
                read = await self._read_after(session, -1)
            messages = deque(read.messages, maxlen=self._cap)
            if drops == self._drops:
                self._hold(session, _Held(messages, read.count))
        except NotFoundError:
            self._held.pop(session, None)
            raise
        return list(islice(messages, max(len(messages) - n, 0), None))

    def on_change(self, changes: ChangeSet) -> None:
        """Drop sessions that a change touched other than by appending.

        It is safe to call for every change.
        """
        if changes.only_appends or not changes.areas & {"sessions", "messages"}:
            return
        self._drops += 1
        if not changes.ids:
            self._held.clear()
        for session in changes.ids:
            self._held.pop(session, None)

    async def _read_after(self, session: str, after: int) -> _Held:
        return await self._store.read(lambda connection: _after(connection, session, after, self._cap))

    def _hold(self, session: str, held: _Held) -> None:
        if sum(len(message.content) for message in held.messages) > CHARACTERS:
            self._held.pop(session, None)
            return
        self._held[session] = held
        self._held.move_to_end(session)
        while len(self._held) > SESSIONS:
            self._held.popitem(last=False)


def _after(connection: apsw.Connection, session: str, after: int, limit: int) -> _Held:
    count = repo.message_count(connection, session)
    if read_state(connection, session).last_seq <= after:
        return _Held(deque(), count)
    fresh = repo.messages_between(connection, session, after=after, before=1 << 62, limit=limit, newest=True)
    return _Held(deque(fresh), count)
