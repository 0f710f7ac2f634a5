"""Which turns are at hand."""

from typing import Any

import pytest

from app.errors import HostUnreachableError
from tests.unit.ui.panes.fake_bridge import FakeBridge, FakeVault, until
from ui import operations
from ui.panes.sessions.message_pager import PAGE, MessagePager


@pytest.fixture
def reach(books: FakeVault, ask: FakeBridge) -> Any:
    books.add_session("long", [("user", f"turn {n}") for n in range(1000)], id="ses-long")
    books.add_session("short", [("user", "only")], id="ses-short")
    made = MessagePager(ask)
    yield made
    made.deleteLater()


def seqs(reach: MessagePager) -> tuple[int, int]:
    return reach.messages[0].seq, reach.messages[-1].seq


def test_it_opens_at_the_end(reach: MessagePager, ask: FakeBridge, run_async: Any) -> None:
    reach.open("ses-long")
    run_async(ask.idle())
    assert seqs(reach) == (1000 - PAGE, 999)
    assert reach.at_end
    assert not reach.at_start
    assert (reach.before, reach.after) == (1000 - PAGE, 0)


def test_it_opens_around_a_turn_and_grows_both_ways(reach: MessagePager, ask: FakeBridge, run_async: Any) -> None:
    reach.open("ses-long", 500)
    run_async(ask.idle())
    assert seqs(reach) == (450, 599)
    reach.extend_before()
    reach.extend_before()
    run_async(ask.idle())
    reach.extend_after()
    run_async(ask.idle())
    assert seqs(reach) == (350, 699)
    assert [message.seq for message in reach.messages] == list(range(350, 700))


def test_a_short_one_has_no_ends_to_reach(reach: MessagePager, ask: FakeBridge, run_async: Any) -> None:
    reach.open("ses-short")
    run_async(ask.idle())
    assert reach.at_start
    assert reach.at_end
    requested = len(ask.calls)
    reach.extend_before()
    reach.extend_after()
    assert len(ask.calls) == requested


def test_the_last_one_asked_for_wins(reach: MessagePager, ask: FakeBridge, run_async: Any) -> None:
    reach.open("ses-long", 500)
    reach.open("ses-short")
    run_async(ask.idle())
    assert reach.session == "ses-short"
    assert len(reach.messages) == 1


def test_it_follows_what_is_appended(reach: MessagePager, ask: FakeBridge, books: FakeVault, run_async: Any) -> None:
    from app.sessions.model import NewMessage

    async def story() -> None:
        reach.open("ses-short")
        await ask.idle()
        await ask.call(operations.session.append(messages=[NewMessage("user", "more")], session="ses-short"))
        reach.follow()
        await until(lambda: len(reach.messages) == 2)

    run_async(story())


def test_far_turns_are_forgotten(reach: MessagePager, ask: FakeBridge, run_async: Any) -> None:
    reach.open("ses-long", 0)
    run_async(ask.idle())
    for _ in range(7):
        reach.extend_after()
        run_async(ask.idle())
    assert len(reach.messages) == 500
    assert not reach.at_start


def test_a_failure_is_told_and_leaves_what_was_there(reach: MessagePager, ask: FakeBridge, run_async: Any) -> None:
    reported: list[Any] = []
    reach.failed.connect(reported.append)
    reach.open("ses-short")
    run_async(ask.idle())
    ask.faults["session.before"] = HostUnreachableError("No host answers.")
    reach.open("ses-long")
    run_async(ask.idle())
    assert len(reported) == 1
    assert reach.session == "ses-short"
