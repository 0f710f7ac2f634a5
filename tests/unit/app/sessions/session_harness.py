"""Conversations to test with: services on a real vault, a clock that stands still, turns of a chosen size."""

import asyncio
from collections.abc import Coroutine, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from app.core.paths import migrations
from app.core.text_rules.token_estimate import estimate_tokens
from app.errors import ModelUnavailableError
from app.index.indexer import Indexer
from app.sessions.capture.capture_policy import CapturePolicy
from app.sessions.capture.write_behind import WriteBehind
from app.sessions.compaction.compaction_plan import SessionOptions
from app.sessions.compaction.extractive_summary import Summariser
from app.sessions.compaction.rolling_summary import SummaryService
from app.sessions.compaction.service import CompactionService
from app.sessions.model import IMPORTANCE, Appended, Message, NewMessage
from app.sessions.service import NewSession, SessionService
from app.sessions.session_summaries import SessionSummaryService
from app.sessions.state.scratchpad import ScratchpadService
from app.sessions.state.session_restore import RestoreService
from app.sessions.state.working_memory import WorkingMemory
from app.store.store import Store

if TYPE_CHECKING:
    from app.changes import ChangeSet

T = TypeVar("T")


class SetClock:
    """A clock that says what it was set to."""

    def __init__(self) -> None:
        self.ms = 1_700_000_000_000

    def now_ms(self) -> int:
        return self.ms


class SessionHarness:
    """Everything a test does to conversations, without waiting for it."""

    def __init__(self, vault: Path, options: SessionOptions, summariser: Summariser | None = None) -> None:
        self.options = options
        self.clock = SetClock()
        self.published: list[ChangeSet] = []
        self.store = Store.open(vault, migrations())
        capture = CapturePolicy(self.now)
        self.sessions = SessionService(self.store, Indexer(), self.clock, capture)
        self.working = WorkingMemory(self.store, options.working_messages)
        self.write_behind = WriteBehind(self.sessions, self.clock, self.published.append, options.queue)
        self.summaries = SummaryService(self.store, self.clock)
        self.compaction = CompactionService(self.store, self.clock, self.now, summariser)
        self.restoring = RestoreService(self.store, self.now)
        self.scratchpads = ScratchpadService(self.store, self.sessions, capture, self.clock)
        self.digests = SessionSummaryService(self.store, self.clock)
        self._runner = asyncio.Runner()

    def now(self) -> SessionOptions:
        return self.options

    def set(self, **options: Any) -> None:
        self.options = replace(self.options, **options)

    def do(self, coroutine: Coroutine[Any, Any, T]) -> T:
        return self._runner.run(coroutine)

    def append(self, *messages: NewMessage, session: str | None = "talk", **heading: str) -> Appended:
        return self.do(self.sessions.append(messages, session, NewSession(**heading), "person", owner=None)).value

    def all(self, session: str = "talk") -> list[Message]:
        return self.do(self.sessions.messages(session, limit=-1))

    def sql(self, statement: str, values: Sequence[Any] = ()) -> list[Any]:
        return self.do(self.store.write(lambda connection: connection.execute(statement, tuple(values)).fetchall()))

    def close(self) -> None:
        self._runner.close()
        self.store.close()


@contextmanager
def open_harness(vault: Path, summariser: Summariser | None = None, **options: Any) -> Iterator[SessionHarness]:
    """Open a harness on a vault, with the options given."""
    harness = SessionHarness(vault, SessionOptions(**options), summariser)
    try:
        yield harness
    finally:
        harness.close()


class FixedSummariser:
    """A summariser that writes what it is given, or is not there."""

    name = "sayings"

    def __init__(self, text: str = "What was said.", *, absent: bool = False) -> None:
        self.text = text
        self.absent = absent
        self.requests: list[tuple[str, list[int], int]] = []

    async def summarise(self, earlier: str, turns: Sequence[Message], max_tokens: int) -> str:
        self.requests.append((earlier, [turn.seq for turn in turns], max_tokens))
        if self.absent:
            raise ModelUnavailableError("The model is not there.")
        return self.text


def sized(count: int, tokens: int = 100) -> list[NewMessage]:
    """Return alternating turns of so many tokens each."""
    turns = []
    for number in range(1, count + 1):
        text = f"This is saying number {number}. ".ljust(tokens * 4, "x")
        turns.append(NewMessage("user" if number % 2 else "assistant", text))
    return turns


def turn(seq: int = 1, role: str = "user", content: str = "", **fields: Any) -> Message:
    """Return a stored turn."""
    return Message(
        "talk",
        seq,
        role,  # type: ignore[arg-type]
        fields.pop("author", ""),
        content,
        datetime(2024, 5, 1, tzinfo=UTC),
        IMPORTANCE[role],
        estimate_tokens(content),
        **fields,
    )
