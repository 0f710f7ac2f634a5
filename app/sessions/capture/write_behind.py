"""Write-behind appends for agents that must never wait.

They are accepted at once and stored in order in the background; failures show in the status.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from app.changes import Changed, ChangeSet
from app.core.clock import Clock, to_datetime
from app.core.error_location import error_location
from app.core.ids import new_id
from app.errors import KeepsakeError
from app.sentence import Sentence, counted_sentence
from app.sessions.model import Appended, NewMessage
from app.sessions.service import NewSession, SessionService

_log = logging.getLogger(__name__)

OPERATION = "session.append_later"
DRAIN_SECONDS = 20.0
_CLOSED = Sentence("The vault was closed before they were written.")


@dataclass(frozen=True, slots=True)
class Accepted:
    """State of an append in the background.

    Args:
        accepted: False when too much is waiting already; the messages are not stored then, and status says so.
        session_id: The conversation the messages go to; ``""`` when the channel decides.
        waiting: Appends that wait, this one included.
    """

    accepted: bool
    session_id: str
    waiting: int


@dataclass(frozen=True, slots=True)
class _Waiting:
    messages: Sequence[NewMessage]
    session: str | None
    heading: NewSession
    actor: str
    owner: str | None


class WriteBehind:
    """Queue that stores messages in the background, in order.

    It belongs to one event loop.

    Args:
        sessions: Stores messages.
        clock: Where the time comes from; messages are dated when they are taken.
        publish: Hears of each append after its commit.
        limit: Appends that may wait.
    """

    def __init__(
        self, sessions: SessionService, clock: Clock, publish: Callable[[ChangeSet], None], limit: int = 1000
    ) -> None:
        self._sessions = sessions
        self._clock = clock
        self._publish = publish
        self._limit = limit
        self._waiting: deque[_Waiting] = deque()
        self._task: asyncio.Task[None] | None = None
        self._is_closed = False
        self._lost = 0
        self._last = ""

    def append(
        self,
        messages: Sequence[NewMessage],
        session: str | None,
        heading: NewSession,
        actor: str,
        owner: str | None,
    ) -> Accepted:
        """Take messages and return at once; see ``SessionService.append`` for the arguments.

        Nothing is raised: what cannot be taken or stored is logged and counted in ``failures``.
        """
        if session is None and not heading.channel.strip():
            session = new_id("session")
        if self._is_closed or len(self._waiting) >= self._limit:
            self._failed(
                messages,
                Sentence("The vault is closing.")
                if self._is_closed
                else Sentence("Too many messages are waiting to be stored."),
            )
            return Accepted(False, session or "", len(self._waiting))
        now = to_datetime(self._clock.now_ms())
        dated = [replace(message, created_at=message.created_at or now) for message in messages]
        self._waiting.append(_Waiting(dated, session, heading, actor, owner))
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._work(), name="write-behind")
        return Accepted(True, session or "", len(self._waiting))

    @property
    def waiting(self) -> int:
        """Return how many appends wait."""
        return len(self._waiting)

    @property
    def failures(self) -> tuple[str, ...]:
        """Return sentences for the person about messages that were lost; none when none were."""
        if not self._lost:
            return ()
        lost = counted_sentence(
            self._lost,
            "1 message could not be stored in the background. The last reason: {last}",
            "{count} messages could not be stored in the background. The last reason: {last}",
            last=self._last,
        )
        return (lost,)

    async def drain(self, limit_s: float = DRAIN_SECONDS) -> None:
        """Accept no more, and wait until the queue is stored.

        What is not stored within ``limit_s`` is counted as lost.
        """
        self._is_closed = True
        if self._task is None:
            return
        await asyncio.wait({self._task}, timeout=limit_s)
        if self._task.done():
            return
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)
        while self._waiting:
            self._failed(self._waiting.popleft().messages, _CLOSED)

    async def _work(self) -> None:
        while self._waiting:
            job = self._waiting.popleft()
            # Gathered, so that whatever breaks comes back as a value and the next append is still stored.
            try:
                (outcome,) = await asyncio.gather(self._store(job), return_exceptions=True)
            except asyncio.CancelledError:
                self._failed(job.messages, _CLOSED)
                raise
            if isinstance(outcome, KeepsakeError):
                self._failed(job.messages, outcome.sentence)
            elif isinstance(outcome, BaseException):
                self._failed(job.messages, "An error of Keepsake itself; the log has it.", outcome)

    async def _store(self, job: _Waiting) -> None:
        done: Changed[Appended] = await self._sessions.append(
            job.messages, job.session, job.heading, job.actor, owner=job.owner
        )
        if done.changes.areas:
            self._publish(replace(done.changes, operation=OPERATION))

    def _failed(self, messages: Sequence[NewMessage], reason: str, error: BaseException | None = None) -> None:
        self._lost += len(messages)
        self._last = reason
        place = f" ({error_location(error)})" if error is not None else ""
        _log.warning("%s messages were not stored: %s%s", len(messages), reason, place)
