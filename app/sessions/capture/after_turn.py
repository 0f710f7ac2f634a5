"""Work after a turn: summaries and memories, once a conversation is quiet.

A caller that appends messages neither waits for it nor sees it fail. A failure shows in the status, and the work is
tried again after the next turn, or a while later when there is none.
"""

import asyncio
import contextlib
import logging
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import apsw

from app.changes import Changed, ChangeSet
from app.core.error_location import error_location
from app.errors import KeepsakeError, NotFoundError
from app.sentence import Sentence, as_sentence
from app.sessions import consolidation_queue
from app.sessions.capture.auto_capture import AutoCapture
from app.sessions.compaction.compaction_plan import SessionOptions
from app.sessions.compaction.service import CompactionService
from app.sessions.session_summaries import SessionSummaryService
from app.store.store import Store
from app.trace.trace import Trace

_log = logging.getLogger(__name__)

ACTOR = "after-turn"
RETRY_S = 60.0
_MAX_BACKOFF = 10
_PAUSE_S = 0.1  # after a change to memories, so that those of a burst are looked up together
LONGEST_WAIT = 15  # times the quiet period, after which work on a busy conversation is due, too
_MOST_IDS = 500  # a change to more memories is a bulk change, not the work of one turn
_BUDGETS = 1000

Part = Callable[[str], Awaitable[None]]


@dataclass(slots=True)
class _PendingWork:
    """Pending work of a session: times of its first and last change, in loop seconds."""

    first: float
    last: float
    who: str = ""
    tries: int = 0


class AfterTurn:
    """Worker that updates sessions after a turn. Belongs to one event loop.

    Args:
        store: The vault's database.
        options: Returns the current session options.
        digests: Writes session summaries.
        compaction: Condenses a session that outgrows its budget.
        capture: Extracts memories.
        publish: Called with each change after its commit.
        trace: Receives counts and durations.
        switched: Called with a session whose agent moved to another one.
    """

    def __init__(
        self,
        store: Store,
        options: Callable[[], SessionOptions],
        digests: SessionSummaryService,
        compaction: CompactionService,
        capture: AutoCapture,
        publish: Callable[[ChangeSet], None],
        trace: Trace,
        switched: Callable[[str], None] = lambda _session: None,
    ) -> None:
        self._store = store
        self._options = options
        self._digests = digests
        self._compaction = compaction
        self._capture = capture
        self._publish = publish
        self._trace = trace
        self._switched = switched
        self._pending: dict[str, _PendingWork] = {}
        self._memories: set[str] = set()
        self._current: dict[str, str] = {}
        self._budgets: OrderedDict[str, int] = OrderedDict()
        self._failed: dict[str, str] = {}
        self._wake = asyncio.Event()

    # Notifications -------------------------------------------------------------------------------------------------

    def on_change(self, changes: ChangeSet) -> None:
        """Note a change; safe to call for every change, and returns at once."""
        if changes.only_appends:
            for session in changes.ids:
                self._note(session, changes.actor)
        elif "memories" in changes.areas and 0 < len(changes.ids) <= _MOST_IDS:
            self._memories.update(changes.ids)
            self._wake.set()

    def note_budget(self, session: str, budget: int | None) -> None:
        """Note an agent's token budget, so that its session is not compacted too early."""
        if session and budget is not None:
            self._budgets[session] = max(budget, self._budgets.pop(session, 0))
            if len(self._budgets) > _BUDGETS:
                self._budgets.popitem(last=False)

    @property
    def failures(self) -> tuple[str, ...]:
        """Return sentences for the person about the last failures."""
        return tuple(
            Sentence("After a turn, {part}: {why}", part=as_sentence(part), why=as_sentence(reason))
            for part, reason in self._failed.items()
        )

    def _note(self, session: str, who: str = "") -> None:
        now = asyncio.get_running_loop().time()
        known = self._pending.get(session)
        if known is None or known.first > now:  # not due yet, or due for a retry
            self._pending[session] = _PendingWork(now, now, who, known.tries if known else 0)
            self._wake.set()
        else:
            known.last, known.who = now, who or known.who

    # Work ----------------------------------------------------------------------------------------------------------

    async def run(self) -> None:
        """Work until cancelled."""
        try:
            while True:
                await self._woken()
                if self._memories:
                    await asyncio.sleep(_PAUSE_S)
                self._wake.clear()
                await self.look_after_all(self._options().quiet_s)
        except Exception as error:
            # Our bug: no conversation is processed any more, which must show.
            kind = type(error).__name__
            self._failed[Sentence("nothing is done any more")] = Sentence(
                "an error inside Keepsake ({kind}). Restart it.", kind=kind
            )
            _log.error("work after turns broke: %s", error_location(error))
            raise

    async def look_after_all(self, quiet_s: float = 0.0) -> None:
        """Process each conversation that has been quiet for ``quiet_s`` seconds."""
        await self._guarded(
            Sentence("what is remembered of a conversation could not be looked up"), self._note_memories()
        )
        if not self._options().after_turn:
            self._pending.clear()
        now = asyncio.get_running_loop().time()
        for session in [name for name, pending in self._pending.items() if _due(pending, quiet_s) <= now]:
            pending = self._pending.pop(session)
            if pending.who:
                await self._guarded(
                    Sentence("a change of conversation was not noticed"), self._note_switch(session, pending.who)
                )
            done = [await self._guarded(what, part(session)) for what, part in self._parts()]
            if not all(done):
                self._try_again(session, pending.tries)

    def _parts(self) -> Iterator[tuple[str, Part]]:
        yield Sentence("what a conversation was about could not be written"), self._write_digest
        yield Sentence("a long conversation could not be condensed"), self._condense
        yield Sentence("no memories could be taken"), self._take_memories

    async def _write_digest(self, session: str) -> None:
        with self._trace.span("after_turn.digest") as facts:
            done = await self._digests.roll(session, ACTOR)
            facts["written"] = bool(done.changes.areas)
        self._tell(done, "session.digest.roll")

    async def _condense(self, session: str) -> None:
        with self._trace.span("after_turn.condense") as facts:
            done = await self._compaction.roll(session, ACTOR, budget=self._budgets.get(session))
            facts |= {"condensed": done.value.condensed, "reason": done.value.reason or "done"}
        self._tell(done, "session.summary.roll")

    async def _take_memories(self, session: str) -> None:
        if not self._capture.is_active:
            return
        with self._trace.span("after_turn.capture", extractor=self._capture.name) as facts:
            captured = await self._capture.take(session, self._publish)
            facts |= {"extracted": captured.extracted, "written": captured.written, "refused": captured.refused}

    async def _note_switch(self, session: str, who: str) -> None:
        agent = await self._store.read(partial(consolidation_queue.agent_of, session=session)) or who
        earlier = self._current.get(agent)
        self._current[agent] = session
        if earlier is not None and earlier != session:
            self._trace.event("after_turn.switch")
            self._switched(earlier)

    async def _note_memories(self) -> None:
        if not self._memories:
            return
        ids, self._memories = tuple(self._memories), set()
        for session in await self._store.read(partial(_sessions_of, ids=ids)):
            self._note(session)

    def _try_again(self, session: str, tries: int) -> None:
        # Unless a message came meanwhile, which makes it due sooner.
        if session not in self._pending:
            when = asyncio.get_running_loop().time() + RETRY_S * 2 ** min(tries, _MAX_BACKOFF)
            self._pending[session] = _PendingWork(when, when, tries=tries + 1)

    async def _guarded(self, what: str, work: Awaitable[None]) -> bool:
        """Do ``work``, note when it fails, and return whether it is done."""
        # Gathered, so that whatever breaks comes back as a value and the rest is still done.
        (outcome,) = await asyncio.gather(work, return_exceptions=True)
        if outcome is None or isinstance(outcome, NotFoundError):  # forgotten meanwhile: nothing is left to do
            self._failed.pop(what, None)
            return True
        if isinstance(outcome, KeepsakeError):
            self._failed[what] = outcome.sentence
            _log.info("%s: %s", what, outcome.code)
        else:
            self._failed[what] = Sentence("An error of Keepsake itself; the log has it.")
            _log.error("%s: %s", what, error_location(outcome))
        return False

    def _tell(self, done: Changed[Any], operation: str) -> None:
        if done.changes.areas:
            self._publish(replace(done.changes, operation=operation))

    # Waiting -------------------------------------------------------------------------------------------------------

    async def _woken(self) -> None:
        """Return when something was said for the first time, or when a conversation is due."""
        now, quiet = asyncio.get_running_loop().time(), self._options().quiet_s
        soonest = min((_due(pending, quiet) for pending in self._pending.values()), default=None)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(None if soonest is None else max(soonest - now, 0)):
                await self._wake.wait()


def _due(pending: _PendingWork, quiet_s: float) -> float:
    return min(pending.last + quiet_s, pending.first + LONGEST_WAIT * quiet_s)


def _sessions_of(connection: apsw.Connection, ids: Sequence[str]) -> list[str]:
    rows = connection.execute(
        "SELECT DISTINCT m.session_id FROM memories m JOIN sessions s ON s.id = m.session_id"
        f" WHERE s.forgotten_at IS NULL AND m.id IN ({', '.join('?' * len(ids))})",
        tuple(ids),
    )
    return [str(row[0]) for row in rows]
