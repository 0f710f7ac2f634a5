"""What happens by itself once a turn is over, and that nobody who writes turns waits for it or sees it fail."""

import asyncio
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

import pytest

from app.changes import Changed, ChangeSet
from app.core.access import Access
from app.errors import MachineError, ModelUnavailableError
from app.host import Host
from app.index.indexer import Indexer
from app.memories.model import Memory, MemoryFilter, NewMemory
from app.memories.queries.memory_queries import MemoryQueries
from app.memories.service import MemoryService
from app.memories.unit_of_work import MemoryUnitOfWork
from app.sessions.capture.after_turn import ACTOR, LONGEST_WAIT, RETRY_S, AfterTurn
from app.sessions.capture.auto_capture import MAX_MESSAGES, AutoCapture
from app.sessions.model import Message, NewMessage, Session
from app.trace.trace import Trace
from tests.helpers.access import EVERYTHING
from tests.helpers.engine import engine_of
from tests.helpers.guards.unexpected_logs import AllowLogs
from tests.unit.app.sessions.session_harness import FixedSummariser, SessionHarness, open_harness, sized

T = TypeVar("T")


class Finder:
    """An extractor that finds what it is given, and fails when it is set to."""

    name = "finder"

    def __init__(self) -> None:
        self.found: list[NewMemory] = []
        self.fails: BaseException | None = None
        self.requests: list[tuple[str, list[int]]] = []

    async def extract(self, session: Session, turns: Sequence[Message]) -> Sequence[NewMemory]:
        self.requests.append((session.id, [turn.seq for turn in turns]))
        if self.fails is not None:
            raise self.fails
        return self.found


class Quiet:
    """A harness whose conversations are looked after on request."""

    def __init__(self, harness: SessionHarness, trace: Trace | None = None) -> None:
        self.harness = harness
        self.finder = Finder()
        self.published: list[ChangeSet] = []
        self.left: list[str] = []
        self.memories = MemoryService(MemoryUnitOfWork(harness.store, Indexer(), harness.clock))
        taking = AutoCapture(harness.store, harness.now, self.memories.save, self.finder)
        self.after = AfterTurn(
            harness.store,
            harness.now,
            harness.digests,
            harness.compaction,
            taking,
            self.publish,
            trace or Trace(),
            self.left.append,
        )

    def publish(self, changes: ChangeSet) -> None:
        self.published.append(changes)
        self.after.on_change(changes)

    async def _notify(self, changes: ChangeSet) -> None:
        self.after.on_change(changes)

    def say(self, *turns: NewMessage, session: str = "talk", who: str = "person", **heading: str) -> None:
        self.harness.append(*turns, session=session, **heading)
        changes = ChangeSet(frozenset({"sessions", "messages"}), (session,), who, only_appends=True)
        self.harness.do(self._notify(changes))

    def look(self, quiet_s: float = 0.0) -> None:
        self.harness.do(self.after.look_after_all(quiet_s))

    def now(self) -> float:
        async def time() -> float:
            return asyncio.get_running_loop().time()

        return self.harness.do(time())

    def digest(self, session: str = "talk") -> str | None:
        found = self.harness.do(self.harness.digests.get(session))
        return None if found is None else found.summary

    def remembered(self) -> list[Memory]:
        async def read() -> list[Memory]:
            reads = MemoryQueries(self.harness.store)
            return [await reads.get(EVERYTHING, key) for key in await reads.ids(EVERYTHING, MemoryFilter(), "oldest")]

        return self.harness.do(read())


@pytest.fixture
def quiet(vault: Path) -> Iterator[Quiet]:
    with open_harness(vault) as harness:
        yield Quiet(harness)


def exchange(number: int = 1) -> list[NewMessage]:
    """Return one complete turn of four messages."""
    call = [{"name": "search", "arguments": {"what": f"flight {number}"}}]
    return [
        NewMessage("user", f"Find me flight {number} to Lisbon."),
        NewMessage("assistant", "", tool_calls=call),
        NewMessage("tool", "TP 1234", tool_name="search"),
        NewMessage("assistant", f"Flight {number} is TP 1234."),
    ]


# Summaries ----------------------------------------------------------------------------------------------------------


def test_what_a_conversation_was_about_is_written_once_per_change(quiet: Quiet) -> None:
    quiet.say(NewMessage("user", "I moved to Lisbon."))
    quiet.look()
    assert quiet.digest() == "User: I moved to Lisbon."
    quiet.look()
    assert [(changes.ids, changes.actor, changes.operation) for changes in quiet.published] == [
        (("talk",), ACTOR, "session.digest.roll")
    ]


def test_what_was_learned_of_a_conversation_goes_into_its_summary(quiet: Quiet) -> None:
    quiet.say(NewMessage("user", "I moved to Lisbon."))
    quiet.look()
    draft = NewMemory("She lives there now.", "Move to Lisbon", kind="observation", type="decision", session_id="talk")
    quiet.publish(quiet.harness.do(quiet.memories.save(EVERYTHING, draft)).changes)
    quiet.look()
    assert quiet.digest() == "decision (1): Move to Lisbon"


def test_a_memory_of_no_conversation_changes_none(quiet: Quiet) -> None:
    quiet.publish(quiet.harness.do(quiet.memories.save(EVERYTHING, NewMemory("Alone.", session_id="nowhere"))).changes)
    count = len(quiet.published)
    quiet.look()
    assert len(quiet.published) == count
    assert quiet.after.failures == ()


def test_an_empty_turn_leaves_no_summary(quiet: Quiet) -> None:
    quiet.say(NewMessage("user", "  "))
    quiet.look()
    assert quiet.digest() is None
    assert quiet.published == []


def test_a_conversation_that_outgrows_its_budget_is_condensed(quiet: Quiet) -> None:
    quiet.harness.set(budget=1000)
    quiet.say(*sized(8))
    quiet.look()
    assert quiet.harness.do(quiet.harness.summaries.get("talk")).epoch == 0  # exactly the trigger
    quiet.say(*sized(2))
    quiet.look()
    state = quiet.harness.do(quiet.harness.summaries.get("talk"))
    assert (state.epoch, state.upper_seq) == (1, 5)
    assert state.summary.startswith("Recent condensed turns:")
    assert len(quiet.harness.all()) == 10


def test_an_agent_with_room_is_not_condensed_before_it_must_be(quiet: Quiet) -> None:
    quiet.harness.set(budget=1000)
    quiet.after.note_budget("talk", 100_000)
    quiet.after.note_budget("talk", 500)  # another one with less room is given what fits
    quiet.after.note_budget("talk", None)
    quiet.say(*sized(30))
    quiet.look()
    assert quiet.harness.do(quiet.harness.summaries.get("talk")).epoch == 0


def test_a_summary_written_meanwhile_wins(vault: Path) -> None:
    sayings = FixedSummariser()
    with open_harness(vault, sayings, budget=1000) as harness:
        quiet = Quiet(harness)
        model = sayings.summarise

        async def slow(earlier: str, turns: Sequence[Message], room: int) -> str:
            await harness.summaries.set("talk", "The agent's own.", "scout", expected_epoch=0)
            return await model(earlier, turns, room)

        sayings.summarise = slow  # type: ignore[method-assign]
        quiet.say(*sized(12))
        quiet.look()
        state = harness.do(harness.summaries.get("talk"))
        assert (state.summary, state.epoch) == ("The agent's own.", 1)
        assert quiet.after.failures == ()


def test_a_setting_switches_it_off(quiet: Quiet) -> None:
    quiet.harness.set(after_turn=False)
    quiet.say(*exchange())
    quiet.look()
    quiet.harness.set(after_turn=True)
    quiet.look()
    assert quiet.digest() is None


# Memories -----------------------------------------------------------------------------------------------------------


def test_memories_are_taken_from_a_complete_turn_and_only_once(quiet: Quiet) -> None:
    quiet.finder.found = [NewMemory("Flies TP 1234.", "Flight", kind="observation", type="plan", store="social")]
    quiet.say(*exchange()[:3])
    quiet.look()
    assert quiet.finder.requests == []
    quiet.say(*exchange()[3:])
    quiet.look()
    quiet.look()
    assert quiet.finder.requests == [("talk", [1, 2, 3, 4])]
    [memory] = quiet.remembered()
    assert (memory.title, memory.source, memory.session_id, memory.store) == (
        "Flight",
        "auto_capture",
        "talk",
        "private",
    )
    assert quiet.digest() == "plan (1): Flight"
    quiet.say(*exchange(2))
    quiet.look()
    assert quiet.finder.requests[1:] == [("talk", [5, 6, 7, 8])]


@pytest.mark.parametrize(
    "turns",
    [
        exchange()[:3],
        [NewMessage("user", "Hello."), NewMessage("assistant", "Hello.")],
        [*exchange(), NewMessage("user", "And back?")],
        [*exchange(), NewMessage("assistant", "", tool_calls=[{"name": "search"}])],
    ],
)
def test_an_incomplete_or_short_turn_is_left_for_later(quiet: Quiet, turns: list[NewMessage]) -> None:
    quiet.say(*turns)
    quiet.look()
    assert quiet.finder.requests == []


def test_short_turns_add_up(quiet: Quiet) -> None:
    for number in range(4):
        quiet.say(NewMessage("user", f"Question {number}?"), NewMessage("assistant", "Yes."))
        quiet.look()
    assert quiet.finder.requests == [("talk", [1, 2, 3, 4]), ("talk", [5, 6, 7, 8])]


def test_of_a_long_past_only_the_end_is_looked_at(quiet: Quiet) -> None:
    for number in range(30):
        quiet.say(*exchange(number))
    quiet.look()
    assert quiet.finder.requests == [("talk", list(range(121 - MAX_MESSAGES, 121)))]


@pytest.mark.parametrize(("trust", "store"), [("full", "private"), ("inner", "shared"), ("familiar", "social")])
def test_memories_belong_where_the_trust_of_the_agent_reaches(quiet: Quiet, trust: str, store: str) -> None:
    _add_agent(quiet, trust)
    quiet.finder.found = [NewMemory("Flies TP 1234.")]
    quiet.say(*exchange(), agent="scout")
    quiet.look()
    assert [memory.store for memory in quiet.remembered()] == [store]


def test_nothing_is_taken_from_what_is_said_in_public(quiet: Quiet) -> None:
    _add_agent(quiet, "public")
    quiet.say(*exchange(), agent="scout")
    quiet.look()
    assert quiet.finder.requests == []


def _add_agent(quiet: Quiet, trust: str) -> None:
    sql = "INSERT INTO agents (id, name, token_hash, trust, created_at) VALUES ('agt-1', 'scout', '', ?, 0)"
    quiet.harness.sql(sql, (trust,))


def test_one_draft_that_cannot_be_stored_does_not_cost_the_others(quiet: Quiet) -> None:
    quiet.finder.found = [NewMemory("Kept."), NewMemory(""), NewMemory("Kept too.")]
    quiet.say(*exchange())
    quiet.look()
    assert [memory.content for memory in quiet.remembered()] == ["Kept.", "Kept too."]
    assert quiet.after.failures == ()


def test_a_setting_keeps_memories_from_being_taken(quiet: Quiet) -> None:
    quiet.harness.set(captures=False)
    quiet.say(*exchange())
    quiet.look()
    assert quiet.finder.requests == []
    assert quiet.digest() is not None


# Failures -----------------------------------------------------------------------------------------------------------


def test_a_failure_is_reported_and_the_messages_are_read_again(quiet: Quiet) -> None:
    quiet.finder.found = [NewMemory("Flies TP 1234.")]
    quiet.finder.fails = ModelUnavailableError("The model is out.")
    quiet.say(*exchange())
    quiet.look()
    assert quiet.after.failures == ("After a turn, no memories could be taken: The model is out.",)
    assert quiet.digest() is not None  # the rest is done all the same
    quiet.finder.fails = None
    quiet.say(*exchange(2))
    quiet.look()
    assert quiet.after.failures == ()
    assert quiet.finder.requests[-1] == ("talk", list(range(1, 9)))
    assert len(quiet.remembered()) == 1


def test_without_another_turn_it_is_tried_again_later_and_less_often(quiet: Quiet) -> None:
    quiet.finder.fails = ModelUnavailableError("The model is out.")
    quiet.say(*exchange())
    waits = []
    for _ in range(3):
        quiet.look()
        pending = quiet.after._pending["talk"]
        waits.append(pending.last - quiet.now())
        pending.first = pending.last = quiet.now()
    assert [round(wait / RETRY_S) for wait in waits] == [1, 2, 4]
    quiet.finder.fails = None
    quiet.look()
    assert (quiet.after.failures, quiet.after._pending) == ((), {})


def test_a_store_that_refuses_loses_no_turn(quiet: Quiet) -> None:
    async def refuse(access: Access, draft: NewMemory) -> Changed[Any]:
        del access, draft
        raise MachineError("The disk is full.")

    quiet.after._capture = AutoCapture(quiet.harness.store, quiet.harness.now, refuse, quiet.finder)
    quiet.finder.found = [NewMemory("Flies TP 1234.")]
    quiet.say(*exchange())
    quiet.look()
    assert quiet.after.failures == ("After a turn, no memories could be taken: The disk is full.",)
    assert quiet.harness.sql("SELECT captured_seq FROM session_state") == [(0,)]


def test_a_bug_of_an_extractor_stops_nothing_else(quiet: Quiet, allow_logs: AllowLogs) -> None:
    allow_logs("no memories could be taken")
    quiet.finder.fails = ZeroDivisionError("a bug")
    quiet.say(*exchange(), session="first")
    quiet.say(*exchange(), session="second")
    quiet.look()
    assert quiet.digest("first") == quiet.digest("second") != None  # noqa: E711
    assert quiet.after.failures == (
        "After a turn, no memories could be taken: An error of Keepsake itself; the log has it.",
    )


def test_a_conversation_forgotten_meanwhile_is_no_failure(quiet: Quiet) -> None:
    quiet.say(*exchange())
    quiet.harness.do(quiet.harness.sessions.forget("talk", "person"))
    quiet.look()
    assert (quiet.after.failures, quiet.published, quiet.finder.requests) == ((), [], [])


def test_a_bug_in_the_task_itself_shows(quiet: Quiet, allow_logs: AllowLogs) -> None:
    allow_logs("work after turns broke")

    def broken() -> Any:
        raise ZeroDivisionError

    quiet.after._options = broken
    with pytest.raises(ZeroDivisionError):
        quiet.harness.do(quiet.after.run())
    assert "ZeroDivisionError" in quiet.after.failures[0]


# Waiting ------------------------------------------------------------------------------------------------------------


def test_a_conversation_is_left_alone_until_it_is_quiet(quiet: Quiet) -> None:
    quiet.say(*exchange())
    quiet.look(quiet_s=1000)
    assert quiet.digest() is None
    quiet.look(quiet_s=0)
    assert quiet.digest() is not None


def test_one_that_is_never_quiet_is_looked_after_all_the_same(quiet: Quiet) -> None:
    quiet.say(*exchange())
    pending = quiet.after._pending["talk"]
    pending.first -= LONGEST_WAIT * 1000
    quiet.say(*exchange())
    assert pending.last > pending.first + 1000
    quiet.look(quiet_s=1000)
    assert quiet.digest() is not None


def test_going_on_to_another_conversation_is_published(quiet: Quiet) -> None:
    quiet.say(*exchange(), session="one", agent="scout")
    quiet.say(*exchange(), session="other agent's", agent="maple")
    quiet.look()
    quiet.say(*exchange(), session="one")
    quiet.look()
    assert quiet.left == []
    quiet.say(*exchange(), session="two", agent="scout")
    quiet.look()
    assert quiet.left == ["one"]


@pytest.mark.parametrize(
    "changes",
    [
        ChangeSet(frozenset({"sessions", "messages"}), ("talk",), "import", "exchange.import"),
        ChangeSet(frozenset({"sessions"}), ("talk",), "person", "session.rename"),
        ChangeSet(frozenset({"memories"}), (), "import", "exchange.import"),
        ChangeSet(frozenset({"memories"}), tuple(f"note-{n}" for n in range(5000)), "person", "memory.undo"),
    ],
)
def test_bulk_changes_and_others_are_no_turns(quiet: Quiet, changes: ChangeSet) -> None:
    quiet.harness.append(*exchange())
    quiet.harness.do(quiet._notify(changes))
    quiet.look()
    assert quiet.published == []


# The whole ----------------------------------------------------------------------------------------------------------


def _await(host: Host, act: Callable[[], None], operation: str) -> None:
    done = threading.Event()

    def hear(event: object) -> None:
        if isinstance(event, ChangeSet) and event.operation == operation and event.actor == ACTOR:
            done.set()

    stop = host.subscribe(hear)
    act()
    assert done.wait(30)
    stop()


def test_in_a_running_vault_it_happens_by_itself(vault: Path) -> None:
    host = Host(vault, serve=False, overrides={"sessions.quiet_seconds": 0, "sessions.budget": 1000})
    host.start()
    try:
        turns = [{"role": "user", "content": f"Saying {n}. ".ljust(400, "x")} for n in range(20)]
        _await(
            host,
            lambda: host.ask("session.append", messages=turns, session="talk", agent="scout"),
            "session.summary.roll",
        )
        assert host.ask("session.digest.get", session="talk").agent == "scout"
        assert host.ask("session.restore", session="talk").preface.startswith("Rolling session summary:")
        later = [{"role": "user", "content": "By the way."}]
        _await(host, lambda: host.ask("session.append_later", messages=later, session="other"), "session.digest.roll")
        assert host.ask("vault.status").notes == ()
    finally:
        host.stop()


def test_what_a_turn_says_again_is_counted_not_stored_twice(host: Host) -> None:
    engine: Any = engine_of(host)
    finder = Finder()
    finder.found = [NewMemory("", "Flight 1 goes to Lisbon", kind="observation", facts=("It leaves at nine.",))]
    engine.sessions.after_turn._capture._extractor = finder
    turns = [{"role": turn.role, "content": turn.content, "tool_calls": turn.tool_calls} for turn in exchange()]
    for session in ("one", "two"):
        host.ask("session.append", session=session, messages=turns)
        host.submit(engine.sessions.after_turn.look_after_all(0.0)).result()
    assert [session for session, _ in finder.requests] == ["one", "two"]
    (row,) = host.ask("memory.list")
    (kept,) = host.ask("memory.get", id=row.id).memories
    assert (kept.source, kept.session_id, kept.mention_count) == ("auto_capture", "one", 2)
    events = [(entry.event, entry.actor) for entry in host.ask("memory.history", target=kept.id)]
    assert events == [("MENTION", "auto_capture"), ("ADD", "auto_capture")]
