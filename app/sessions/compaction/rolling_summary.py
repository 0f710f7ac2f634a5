"""The rolling summary of a conversation: what stands for its older messages, replaced by compare-and-swap."""

from dataclasses import dataclass, replace

import apsw

from app.changes import Changed, ChangeSet, session_scope
from app.core.clock import Clock
from app.core.text import storable
from app.errors import InputError
from app.sentence import Sentence
from app.sessions.capture.capture_policy import CapturePolicy
from app.sessions.state.state_repo import SummaryState, kept_summary, read_state, record_summary, write_state
from app.store.store import Store

MAX_SUMMARY_CHARACTERS = 200_000


@dataclass(frozen=True, slots=True)
class SummaryWritten:
    """Result of writing a summary, with the epoch there is now.

    It is not ``applied`` when another write came first.
    """

    applied: bool
    epoch: int


class SummaryService:
    """Reads and writes rolling summaries.

    Args:
        store: The vault's database.
        clock: Where the time comes from.
        capture: Whose conversations are kept; everybody's when ``None``.
    """

    def __init__(self, store: Store, clock: Clock, capture: CapturePolicy | None = None) -> None:
        self._store = store
        self._clock = clock
        self._capture = capture

    async def get(self, session: str) -> SummaryState:
        """Return a conversation's summary.

        Raises:
            NotFoundError: There is no such conversation.
        """
        return await self._store.read(lambda connection: read_state(connection, session))

    async def set(
        self,
        session: str,
        summary: str,
        actor: str,
        *,
        expected_epoch: int | None = None,
        upper_seq: int | None = None,
    ) -> Changed[SummaryWritten]:
        """Replace the summary, unless it was replaced since ``expected_epoch``; can be undone.

        Messages that the summary stands for stay where they are, readable and searchable. Nothing is stored of an agent
        whose conversations are not kept; the answer then is not ``applied``.

        Args:
            session: The conversation's id.
            summary: The new text.
            actor: Who writes.
            expected_epoch: The epoch that was read; ``None`` writes whatever there is.
            upper_seq: The last message it stands for; as before when ``None``.

        Raises:
            NotFoundError: There is no such conversation.
            InputError: The text is too long, or the conversation has no such message yet.
        """
        if len(summary) > MAX_SUMMARY_CHARACTERS:
            raise InputError(
                Sentence(
                    "A summary has at most {max_summary_characters} characters.",
                    max_summary_characters=MAX_SUMMARY_CHARACTERS,
                ),
                field="summary",
            )
        text, _ = storable(summary)

        def work(connection: apsw.Connection) -> Changed[SummaryWritten]:
            if self._capture and not self._capture.keeps(connection, session, actor, owner=None):
                return Changed(SummaryWritten(False, expected_epoch or 0), touched(session, actor, is_written=False))
            state = read_state(connection, session)
            upper = state.upper_seq if upper_seq is None else upper_seq
            if not 0 <= upper <= state.last_seq:
                raise InputError(
                    Sentence(
                        "'upper_seq' must be from 0 to {last_seq}, the last message.", last_seq=str(state.last_seq)
                    ),
                    field="upper_seq",
                )
            expected = state.epoch if expected_epoch is None else expected_epoch
            before, now = kept_summary(connection, session), self._clock.now_ms()
            if not write_state(connection, session, text, upper, expected, now):
                return Changed(SummaryWritten(False, state.epoch), touched(session, actor, is_written=False))
            entries = record_summary(connection, session, before, actor, now)
            changes = replace(touched(session, actor, is_written=True), history_ids=entries)
            return Changed(SummaryWritten(True, expected + 1), changes)

        return await self._store.write(work)


def touched(session: str, actor: str, *, is_written: bool) -> ChangeSet:
    """Return the change set of a session's state, empty when nothing was written."""
    if not is_written:
        return ChangeSet(frozenset(), (), actor)
    # Who wrote it may use it; no other agent may, but the one that it is with.
    return ChangeSet(frozenset({"sessions"}), (session,), actor, scopes=(session_scope(actor),))
