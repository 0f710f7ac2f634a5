from collections.abc import Iterator
from pathlib import Path

import pytest

from app.errors import NotFoundError
from app.host import Host
from app.sessions.consolidation_queue import CURRENT_MS, ConsolidationQueue
from app.sessions.model import NewMessage
from tests.unit.app.sessions.session_harness import SessionHarness, open_harness


@pytest.fixture
def harness(vault: Path) -> Iterator[SessionHarness]:
    with open_harness(vault) as made:
        yield made


def talk(harness: SessionHarness, session: str, agent: str = "scout") -> None:
    harness.clock.ms += 1000
    harness.append(NewMessage("user", "Hello."), session=session, agent=agent)


def waiting(harness: SessionHarness, agent: str | None = None, limit: int = 50) -> list[str]:
    return [found.id for found in harness.do(ConsolidationQueue(harness.store, harness.clock).waiting(agent, limit))]


def mark(harness: SessionHarness, session: str, upper_seq: int | None = None) -> bool:
    return harness.do(ConsolidationQueue(harness.store, harness.clock).mark(session, "nightly", upper_seq)).value


def test_the_conversation_that_is_going_on_is_left_out_until_it_is_quiet(harness: SessionHarness) -> None:
    talk(harness, "first")
    talk(harness, "second")
    talk(harness, "another agent's", "maple")
    assert waiting(harness) == ["first"]
    harness.clock.ms += CURRENT_MS + 1
    assert waiting(harness) == ["first", "second", "another agent's"]
    assert waiting(harness, "maple") == ["another agent's"]
    assert waiting(harness, limit=1) == ["first"]


def test_empty_forgotten_and_consolidated_ones_do_not_wait(harness: SessionHarness) -> None:
    for session in ("kept", "forgotten", "done"):
        talk(harness, session)
    harness.do(harness.scratchpads.write("empty", ["plan"], "scout", owner=None))
    harness.do(harness.sessions.forget("forgotten", "person"))
    assert mark(harness, "done")
    harness.clock.ms += CURRENT_MS + 1
    assert waiting(harness) == ["kept"]


def test_marking_twice_is_marking_once(harness: SessionHarness) -> None:
    talk(harness, "talk")
    pending = ConsolidationQueue(harness.store, harness.clock)
    first = harness.do(pending.mark("talk", "nightly"))
    assert (first.value, first.changes.ids) == (True, ("talk",))
    when = harness.do(harness.sessions.get("talk")).consolidated_at
    harness.clock.ms += 5000
    again = harness.do(pending.mark("talk", "nightly"))
    assert (again.value, again.changes.areas) == (True, frozenset())
    assert harness.do(harness.sessions.get("talk")).consolidated_at == when


def test_turns_that_came_meanwhile_keep_it_waiting(harness: SessionHarness) -> None:
    talk(harness, "talk")
    talk(harness, "talk")
    assert not mark(harness, "talk", 1)
    assert mark(harness, "talk", 2)
    talk(harness, "talk")
    harness.clock.ms += CURRENT_MS + 1
    assert waiting(harness) == ["talk"]


def test_what_is_not_there_cannot_be_marked(harness: SessionHarness) -> None:
    with pytest.raises(NotFoundError):
        mark(harness, "nowhere")


def test_by_the_catalogue(host: Host) -> None:
    host.ask("session.append", messages=[{"role": "user", "content": "Hello."}], session="one", agent="scout")
    host.ask("session.append", messages=[{"role": "user", "content": "Hello."}], session="two", agent="scout")
    assert [session.id for session in host.ask("session.pending")] == ["one"]
    assert host.ask("session.consolidated", session="one", upper_seq=1)
    assert host.ask("session.pending") == []
