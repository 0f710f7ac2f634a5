"""Compaction service: condenses older messages so that a session fits its model.

No message is dropped: only the boundary moves from which on ``restore`` gives messages in full.
"""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import apsw

from app.changes import Changed
from app.core.clock import Clock
from app.core.text import storable
from app.core.text_rules.token_estimate import estimate_tokens
from app.errors import KeepsakeError
from app.sessions import repo
from app.sessions.compaction import compaction_plan
from app.sessions.compaction.compaction_plan import MessageSize, SessionOptions
from app.sessions.compaction.extractive_summary import ExtractiveSummariser, Summariser, extend_summary
from app.sessions.compaction.rolling_summary import touched
from app.sessions.model import Message
from app.sessions.state.state_repo import (
    SummaryState,
    count_after,
    kept_summary,
    read_state,
    record_summary,
    weights_after,
    write_state,
)
from app.store.store import Store

_log = logging.getLogger(__name__)

MAX_CONDENSED = 2000  # messages a summary is made of at once; lines of older ones would not fit into it anyway

Reason = Literal["", "nothing_to_do", "stale"]


@dataclass(frozen=True, slots=True)
class Compacted:
    """Result of a compaction.

    Args:
        applied: True when the summary was written and the boundary moved.
        reason: Why it was not: there is nothing to do, or another summary was written meanwhile (``stale``).
        epoch: The summary's epoch now.
        upper_seq: The last message that the summary stands for now.
        condensed: How many messages this condensed.
        retained: How many messages after them are given in full.
        summary: The summary now.
        made_by: Who wrote it: ``condensed``, a model's name, or ``none`` when messages were passed over without one.
        note: What kept a model from writing it, in a sentence.
    """

    session_id: str
    applied: bool
    reason: Reason
    epoch: int
    upper_seq: int
    condensed: int
    retained: int
    summary: str
    made_by: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class _Draft:
    """Compaction at work: the state read, the new boundary, the messages between."""

    state: SummaryState
    upper_seq: int
    messages: Sequence[Message]
    condensed: int
    retained: int


Choice = Callable[[SummaryState, Sequence[MessageSize]], int | None]


class CompactionService:
    """Condenses conversations, when due or on demand.

    Args:
        store: The vault's database.
        clock: Where the time comes from.
        options: Returns the current session options.
        summariser: Who writes summaries.
    """

    def __init__(
        self, store: Store, clock: Clock, options: Callable[[], SessionOptions], summariser: Summariser | None = None
    ) -> None:
        self._store = store
        self._clock = clock
        self._options = options
        self._summariser: Summariser = summariser or ExtractiveSummariser()

    async def roll(
        self, session: str, actor: str, *, budget: int | None = None, force: bool = False
    ) -> Changed[Compacted]:
        """Condense the oldest messages if their conversation outgrows the budget.

        Raises:
            NotFoundError: There is no such conversation.
        """
        options = self._within(budget)

        def choose(state: SummaryState, weights: Sequence[MessageSize]) -> int | None:
            return compaction_plan.messages_to_roll(weights, estimate_tokens(state.summary), options, force=force)

        return await self._condense(session, choose, options, actor)

    async def compact(
        self, session: str, actor: str, *, retain: int | None = None, budget: int | None = None
    ) -> Changed[Compacted]:
        """Condense all but the ``retain`` most recent messages.

        Raises:
            NotFoundError: There is no such conversation.
        """
        options = self._within(budget)
        retained = options.retain if retain is None else retain
        return await self._condense(
            session, lambda _state, weights: compaction_plan.messages_to_compact(weights, retained), options, actor
        )

    async def compact_now(
        self, session: str, actor: str, *, retain: int | None = None, budget: int | None = None
    ) -> Changed[Compacted]:
        """Condense all but the last few messages at once, without a model.

        No other write can come between.

        Raises:
            NotFoundError: There is no such conversation.
        """
        options = self._within(budget)
        retained = options.emergency_retain if retain is None else retain

        def work(connection: apsw.Connection) -> Changed[Compacted]:
            draft = _draft(
                connection, session, lambda _state, weights: compaction_plan.messages_to_compact(weights, retained)
            )
            if isinstance(draft, Compacted):
                return _changed(draft, actor)
            text, made_by = draft.state.summary, "none"
            if options.is_condensing:
                text, made_by = (
                    _listed(text, draft.messages, compaction_plan.summary_room(options)),
                    ExtractiveSummariser.name,
                )
            return self._apply(connection, draft, text, made_by, actor)

        return await self._store.write(work)

    async def _condense(self, session: str, choose: Choice, options: SessionOptions, actor: str) -> Changed[Compacted]:
        draft = await self._store.read(lambda connection: _draft(connection, session, choose))
        if isinstance(draft, Compacted):
            return _changed(draft, actor)
        text, made_by, note = await self._summarise(draft, options)
        done = await self._store.write(lambda connection: self._apply(connection, draft, text, made_by, actor))
        return replace(done, value=replace(done.value, note=note))

    async def _summarise(self, draft: _Draft, options: SessionOptions) -> tuple[str, str, str]:
        """Return the new summary, who wrote it, and what kept the model from writing."""
        earlier, room = draft.state.summary, compaction_plan.summary_room(options)
        if not options.is_condensing:
            return earlier, "none", ""
        try:
            return await self._summariser.summarise(earlier, draft.messages, room), self._summariser.name, ""
        except KeepsakeError as error:
            _log.warning(
                "%s wrote no summary, messages are condensed instead: %s", self._summariser.name, error.message
            )
            return _listed(earlier, draft.messages, room), ExtractiveSummariser.name, error.message

    def _apply(
        self, connection: apsw.Connection, draft: _Draft, text: str, made_by: str, actor: str
    ) -> Changed[Compacted]:
        session, now = draft.state.session_id, self._clock.now_ms()
        before = kept_summary(connection, session)
        is_applied = write_state(connection, session, storable(text)[0], draft.upper_seq, draft.state.epoch, now)
        state = read_state(connection, session)
        if not is_applied:
            return _changed(_unchanged(connection, state, "stale"), actor)
        entries = record_summary(connection, session, before, actor, now)
        done = Compacted(
            session, True, "", state.epoch, state.upper_seq, draft.condensed, draft.retained, state.summary, made_by
        )
        return _changed(done, actor, entries)

    def _within(self, budget: int | None) -> SessionOptions:
        options = self._options()
        return options if budget is None else replace(options, budget=budget)


def _draft(connection: apsw.Connection, session: str, choose: Choice) -> "_Draft | Compacted":
    state = read_state(connection, session)
    weights = weights_after(connection, session, state.upper_seq)
    upper = choose(state, weights)
    if upper is None:
        return _unchanged(connection, state, "nothing_to_do")
    messages = repo.messages_between(
        connection, session, after=state.upper_seq, before=upper + 1, limit=MAX_CONDENSED, newest=True
    )
    count = sum(weight.seq <= upper for weight in weights)
    return _Draft(state, upper, messages, count, len(weights) - count)


def _listed(earlier: str, messages: Sequence[Message], room: int) -> str:
    """Return a summary with a line for each message.

    A summary that an agent or person wrote stays whole.
    """
    return extend_summary(earlier, messages, room, keeps_prose=True)


def _unchanged(connection: apsw.Connection, state: SummaryState, reason: Reason) -> Compacted:
    retained = count_after(connection, state.session_id, state.upper_seq)
    return Compacted(state.session_id, False, reason, state.epoch, state.upper_seq, 0, retained, state.summary)


def _changed(done: Compacted, actor: str, history_ids: tuple[int, ...] = ()) -> Changed[Compacted]:
    changes = touched(done.session_id, actor, is_written=done.applied)
    return Changed(done, replace(changes, history_ids=history_ids))
