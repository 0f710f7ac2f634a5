"""Upkeep job of consolidation: all conversations that wait, or those of a run on request."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import apsw

from app.core.text import excerpt
from app.errors import KeepsakeError, ModelUnavailableError
from app.schedule.model import Cadence, JobResult, Sharing
from app.sentence import Sentence, as_sentence, counted_sentence, joined
from app.sessions import session_lists
from app.sessions.consolidation_queue import ConsolidationQueue
from app.store.store import Store
from app.upkeep.consolidation.model import ConsolidationTally
from app.upkeep.consolidation.service import MAX_FAILURES, ConsolidationService
from app.upkeep.upkeep_job import PlannedChange, UpkeepPlan, UpkeepRun, daily

NAME: Final = "consolidation"
_SHOWN_SESSIONS: Final = 50
_READ_AHEAD: Final = 5  # pages of which a plan shows the facts
_KEPT: Final = 20  # runs on request that may wait to begin
_WAITING_MESSAGES = (
    "SELECT coalesce(sum(last_seq - consolidated_seq), 0) FROM session_state"
    " WHERE session_id IN (SELECT id FROM sessions WHERE consolidated_at IS NULL AND forgotten_at IS NULL)"
)


@dataclass(frozen=True, slots=True)
class ConsolidationOptions:
    """Settings of consolidation.

    Args:
        is_enabled: Whether it runs by itself.
        on_switch: Whether a conversation is read when its agent began another one.
        every_hours: Hours between two runs.
        time: Time of day of the nightly run, such as ``03:00``.
        page: Messages read in one step.
    """

    is_enabled: bool
    on_switch: bool
    every_hours: int
    time: str
    page: int


class ConsolidationJob:
    """Draws lasting facts from conversations that have ended.

    Args:
        store: The vault's database.
        queue: The conversations that wait.
        service: Consolidates one of them.
        options: Returns the settings as they are now.
    """

    name = NAME
    title = "Consolidation"
    goal = "Draw lasting facts from conversations that have ended."
    unit = "messages"
    sharing: Sharing = "own"

    def __init__(
        self,
        store: Store,
        queue: ConsolidationQueue,
        service: ConsolidationService,
        options: Callable[[], ConsolidationOptions],
    ) -> None:
        self.service = service
        self._store = store
        self._queue = queue
        self._options = options
        self._requested: OrderedDict[str, tuple[str, ...]] = OrderedDict()
        self._failures: OrderedDict[str, KeepsakeError] = OrderedDict()

    def cadences(self) -> tuple[Cadence, ...]:
        """Return its time of night and its interval; see ``UpkeepJob``."""
        options = self._options()
        return daily(options.time), Cadence(kind="interval", seconds=options.every_hours * 3600)

    def is_enabled(self) -> bool:
        """Return whether the settings let it run by itself."""
        return self._options().is_enabled

    def is_harmless(self) -> bool:
        """Return True: each machine reads what was said on it."""
        return True

    def narrow(self, run_id: str, sessions: Sequence[str]) -> None:
        """Limit a run that has not begun to these conversations."""
        self._requested[run_id] = tuple(sessions)
        while len(self._requested) > _KEPT:
            self._requested.popitem(last=False)

    def failure(self, run_id: str) -> KeepsakeError | None:
        """Return, once, the failure that ended a run on request."""
        return self._failures.pop(run_id, None)

    async def plan(self) -> UpkeepPlan:
        """Return the conversations that wait, and facts of the first of them; see ``UpkeepJob``."""
        ids = await self._queue.waiting_ids()
        shown = await self._store.read(lambda connection: session_lists.session_rows(connection, ids[:_SHOWN_SESSIONS]))
        changes: list[PlannedChange] = []
        has_model = self.service.finder.is_configured
        for number, session in enumerate(shown):
            page = await self.service.reader.next(session.id)
            if page is None or page.store is None:
                detail = Sentence("nothing is drawn from it")
                changes.append(PlannedChange("pass over", session.id, session.label, detail))
                continue
            remaining = page.last_seq - page.after
            detail = counted_sentence(remaining, "1 message", "{count} messages")
            changes.append(PlannedChange("read", session.id, session.label, detail))
            if number < _READ_AHEAD and not has_model:
                facts = await self.service.by_rules(page)
                changes += [
                    PlannedChange("store", session.id, excerpt(fact.content, 200), Sentence("a fact")) for fact in facts
                ]
        notes = _plan_notes(len(ids), has_model=has_model)
        summary = Sentence("No conversation waits.")
        if ids:
            summary = counted_sentence(
                len(ids), "Read 1 conversation for lasting facts.", "Read {count} conversations for lasting facts."
            )
        return UpkeepPlan(self.name, summary, len(ids), tuple(changes), notes)

    async def apply(self, run: UpkeepRun) -> JobResult:
        """Read what waits; see ``UpkeepJob``.

        Raises:
            ModelUnavailableError: The language model could not be asked, and nothing was read.
        """
        requested = self._requested.pop(run.id, None)
        try:
            return await self._read(run, requested)
        except KeepsakeError as error:
            if requested is not None:
                self._failures[run.id] = error
                while len(self._failures) > _KEPT:
                    self._failures.popitem(last=False)
            raise

    async def _read(self, run: UpkeepRun, requested: Sequence[str] | None) -> JobResult:
        """Read what waits, or what was requested."""
        ids = await self._queue.waiting_ids() if requested is None else list(requested)
        total = await self._waiting_messages() if requested is None else None
        tally, failures, problem = ConsolidationTally(), 0, ""
        for session in ids:
            if run.job.is_cancelled():
                break
            try:
                await self.service.consolidate(session, run, tally, model=failures < MAX_FAILURES)
                failures = 0 if failures < MAX_FAILURES else failures
            except ModelUnavailableError as error:
                failures, problem = failures + 1, problem or error.sentence
                tally.waiting += 1
            run.job.advance(tally.messages, None if total is None else max(total, tally.messages))
            await asyncio.sleep(0)
        if tally.waiting and not tally.sessions:
            raise _unasked(problem, tally.waiting)
        counts = {str(name): count for name, count in tally.outcomes.items()}
        return JobResult(_summary(tally, problem), tally.turns, tally.cost, counts=counts)

    async def _waiting_messages(self) -> int:
        def work(connection: apsw.Connection) -> int:
            row: Any = connection.execute(_WAITING_MESSAGES).fetchone()
            return int(row[0])

        return await self._store.read(work)


def _unasked(problem: str, waiting: int) -> KeepsakeError:
    count = Sentence("1 conversation waits for it.")
    if waiting > 1:
        count = Sentence("{count} conversations wait for it.", count=waiting)
    return ModelUnavailableError(joined((problem, count)), purpose=NAME)


def _plan_notes(waiting: int, *, has_model: bool) -> tuple[str, ...]:
    notes = []
    if waiting > _SHOWN_SESSIONS:
        notes.append(Sentence("Only the first {count} are listed.", count=_SHOWN_SESSIONS))
    if waiting and has_model:
        notes.append(Sentence("A language model reads them; which facts it finds shows after the run."))
    elif waiting > _READ_AHEAD:
        notes.append(Sentence("Facts are shown of the first {count} only.", count=_READ_AHEAD))
    return tuple(notes)


def _summary(tally: ConsolidationTally, problem: str) -> str:
    """Return what a run did in a sentence or two."""
    if not tally.sessions:
        return Sentence("There was nothing to read.")
    counts = tally.outcomes
    added = counts.get("added", 0) + counts.get("replaced", 0)
    parts = [counted_sentence(added, "1 new fact", "{count} new facts") if added else Sentence("no new facts")]
    more = {
        "replaced": Sentence("{count} of them against an older one", count=counts.get("replaced", 0)),
        "known": Sentence("{count} known already", count=counts.get("known", 0)),
        "outdated": Sentence("{count} that newer ones had overtaken", count=counts.get("outdated", 0)),
        "proposed": Sentence("{count} for you to decide in the inbox", count=counts.get("proposed", 0)),
    }
    parts += [words for outcome, words in more.items() if counts.get(outcome)]  # type: ignore[call-overload]
    read = counted_sentence(
        tally.sessions,
        "Read {messages} of 1 conversation: {outcomes}.",
        "Read {messages} of {count} conversations: {outcomes}.",
        messages=counted_sentence(tally.messages, "1 message", "{count} messages"),
        outcomes=joined(parts, ", "),
    )
    waiting = counted_sentence(
        tally.waiting,
        "1 conversation waits for the language model: {why}",
        "{count} conversations wait for the language model: {why}",
        why=as_sentence(problem),
    )
    return joined((read, waiting if tally.waiting else ""))
