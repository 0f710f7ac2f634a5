from collections.abc import Iterator
from pathlib import Path

import pytest

from app.errors import NotFoundError
from app.host import Host
from app.sessions.consolidation_queue import CURRENT_MS, ConsolidationQueue
from app.sessions.model import NewMessage
from tests.unit.app.sessions.session_harness import Desk, open_desk


@pytest.fixture
def desk(vault: Path) -> Iterator[Desk]:
    with open_desk(vault) as made:
        yield made


def talk(desk: Desk, session: str, agent: str = "scout") -> None:
    desk.clock.ms += 1000
    desk.append(NewMessage("user", "Hello."), session=session, agent=agent)


def waiting(desk: Desk, agent: str | None = None, limit: int = 50) -> list[str]:
    return [found.id for found in desk.do(ConsolidationQueue(desk.store, desk.clock).waiting(agent, limit))]


def mark(desk: Desk, session: str, upper_seq: int | None = None) -> bool:
    return desk.do(ConsolidationQueue(desk.store, desk.clock).mark(session, "nightly", upper_seq)).value


def test_the_conversation_that_is_going_on_is_left_out_until_it_is_quiet(desk: Desk) -> None:
    talk(desk, "first")
    talk(desk, "second")
    talk(desk, "another agent's", "maple")
    assert waiting(desk) == ["first"]
    desk.clock.ms += CURRENT_MS + 1
    assert waiting(desk) == ["first", "second", "another agent's"]
    assert waiting(desk, "maple") == ["another agent's"]
    assert waiting(desk, limit=1) == ["first"]


def test_empty_forgotten_and_consolidated_ones_do_not_wait(desk: Desk) -> None:
    for session in ("kept", "forgotten", "done"):
        talk(desk, session)
    desk.do(desk.scratchpads.write("empty", ["plan"], "scout"))
    desk.do(desk.sessions.forget("forgotten", "person"))
    assert mark(desk, "done")
    desk.clock.ms += CURRENT_MS + 1
    assert waiting(desk) == ["kept"]


def test_marking_twice_is_marking_once(desk: Desk) -> None:
    talk(desk, "talk")
    pending = ConsolidationQueue(desk.store, desk.clock)
    first = desk.do(pending.mark("talk", "nightly"))
    assert (first.value, first.changes.ids) == (True, ("talk",))
    when = desk.do(desk.sessions.get("talk")).consolidated_at
    desk.clock.ms += 5000
    again = desk.do(pending.mark("talk", "nightly"))
    assert (again.value, again.changes.areas) == (True, frozenset())
    assert desk.do(desk.sessions.get("talk")).consolidated_at == when


def test_turns_that_came_meanwhile_keep_it_waiting(desk: Desk) -> None:
    talk(desk, "talk")
    talk(desk, "talk")
    assert not mark(desk, "talk", 1)
    assert mark(desk, "talk", 2)
    talk(desk, "talk")
    desk.clock.ms += CURRENT_MS + 1
    assert waiting(desk) == ["talk"]


def test_what_is_not_there_cannot_be_marked(desk: Desk) -> None:
    with pytest.raises(NotFoundError):
        mark(desk, "nowhere")


def test_by_the_catalogue(host: Host) -> None:
    host.ask("session.append", messages=[{"role": "user", "content": "Hello."}], session="one", agent="scout")
    host.ask("session.append", messages=[{"role": "user", "content": "Hello."}], session="two", agent="scout")
    assert [session.id for session in host.ask("session.pending")] == ["one"]
    assert host.ask("session.consolidated", session="one", upper_seq=1)
    assert host.ask("session.pending") == []
