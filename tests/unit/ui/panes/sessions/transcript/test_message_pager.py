"""Which turns are at hand."""

from typing import Any

import pytest

from app.errors import HostUnreachableError
from tests.helpers.vault_filler import VaultFiller
from tests.helpers.watched_connection import WatchedConnection
from tests.unit.ui.conftest import Rest
from tests.unit.ui.panes.conftest import Settle
from ui.bridge import Bridge
from ui.panes.sessions.transcript.message_pager import PAGE, MessagePager


@pytest.fixture
def reach(books: VaultFiller, bridge: Bridge) -> Any:
    books.add_session("long", [("user", f"turn {n}") for n in range(1, 1001)], identity="ses-long")
    books.add_session("short", [("user", "only")], identity="ses-short")
    pager = MessagePager(bridge)
    yield pager
    pager.deleteLater()


def seqs(reach: MessagePager) -> tuple[int, int]:
    return reach.messages[0].seq, reach.messages[-1].seq


def test_it_opens_at_the_end(reach: MessagePager, settle: Settle) -> None:
    reach.open("ses-long")
    settle()
    assert seqs(reach) == (1001 - PAGE, 1000)
    assert reach.at_end
    assert not reach.at_start
    assert (reach.before, reach.after) == (1000 - PAGE, 0)


def test_it_opens_around_a_turn_and_grows_both_ways(reach: MessagePager, settle: Settle) -> None:
    reach.open("ses-long", 500)
    settle()
    assert seqs(reach) == (450, 599)
    reach.extend_before()
    reach.extend_before()
    settle()
    reach.extend_after()
    settle()
    assert seqs(reach) == (350, 699)
    assert [message.seq for message in reach.messages] == list(range(350, 700))


def test_a_short_one_has_no_ends_to_reach(reach: MessagePager, connection: WatchedConnection, settle: Settle) -> None:
    reach.open("ses-short")
    settle()
    assert reach.at_start
    assert reach.at_end
    requested = len(connection.calls)
    reach.extend_before()
    reach.extend_after()
    assert len(connection.calls) == requested


def test_the_last_one_asked_for_wins(reach: MessagePager, settle: Settle) -> None:
    reach.open("ses-long", 500)
    reach.open("ses-short")
    settle()
    assert reach.session == "ses-short"
    assert len(reach.messages) == 1


def test_it_follows_what_is_appended(reach: MessagePager, books: VaultFiller, rest: Rest, settle: Settle) -> None:
    reach.open("ses-short")
    settle()
    books.host.ask("session.append", messages=[{"role": "user", "content": "more"}], session="ses-short")
    reach.follow()
    rest(lambda: len(reach.messages) == 2)


def test_far_turns_are_forgotten(reach: MessagePager, settle: Settle) -> None:
    reach.open("ses-long", 0)
    settle()
    for _ in range(7):
        reach.extend_after()
        settle()
    assert len(reach.messages) == 500
    assert not reach.at_start


def test_a_failure_is_told_and_leaves_what_was_there(
    reach: MessagePager, connection: WatchedConnection, settle: Settle
) -> None:
    reported: list[Any] = []
    reach.failed.connect(reported.append)
    reach.open("ses-short")
    settle()
    connection.refused["session.before"] = HostUnreachableError("No host answers.")
    reach.open("ses-long")
    settle()
    assert len(reported) == 1
    assert reach.session == "ses-short"
