import asyncio
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from app.core.clock import to_ms
from app.sessions.capture.write_behind import OPERATION, Accepted
from app.sessions.model import NewMessage
from app.sessions.service import NewSession
from tests.helpers.guards.unexpected_logs import AllowLogs
from tests.unit.app.sessions.session_harness import SessionHarness, open_harness


@pytest.fixture
def harness(vault: Path) -> Iterator[SessionHarness]:
    with open_harness(vault, queue=5) as made:
        yield made


def later(
    harness: SessionHarness, *texts: str, session: str | None = "talk", seq: int | None = None, **heading: str
) -> Accepted:
    turns = [NewMessage("user", text, seq=seq) for text in texts]
    return harness.write_behind.append(turns, session, NewSession(**heading), "scout", owner=None)


def contents(harness: SessionHarness, session: str = "talk") -> list[str]:
    return [turn.content for turn in harness.all(session)]


def test_turns_are_taken_at_once_and_stored_in_order(harness: SessionHarness) -> None:
    async def work() -> list[Accepted]:
        taken = [later(harness, f"{number}a", f"{number}b") for number in range(5)]
        assert harness.write_behind.waiting == 5
        await harness.write_behind.drain()
        return taken

    assert harness.do(work()) == [Accepted(True, "talk", waiting) for waiting in range(1, 6)]
    assert contents(harness) == [f"{number}{letter}" for number in range(5) for letter in "ab"]
    assert harness.write_behind.failures == ()
    assert {changes.operation for changes in harness.published} == {OPERATION}
    assert [changes.ids for changes in harness.published] == [("talk",)] * 5


def test_many_rounds_go_on_where_the_last_one_ended(harness: SessionHarness) -> None:
    async def work() -> None:
        for number in range(12):
            later(harness, str(number))
            while harness.write_behind.waiting:
                await asyncio.sleep(0)
        await harness.write_behind.drain()

    harness.do(work())
    assert contents(harness) == [str(number) for number in range(12)]


def test_turns_are_dated_when_they_are_taken(harness: SessionHarness) -> None:
    async def work() -> None:
        later(harness, "one")
        harness.clock.ms += 60_000
        await harness.write_behind.drain()

    harness.do(work())
    assert to_ms(harness.all()[0].created_at) == harness.clock.ms - 60_000


def test_a_new_conversation_has_its_id_before_it_is_stored(harness: SessionHarness) -> None:
    async def work() -> Accepted:
        taken = later(harness, "one", session=None)
        assert later(harness, "one", session=None, channel="chat:1:2").session_id == ""
        await harness.write_behind.drain()
        return taken

    taken = harness.do(work())
    assert taken.session_id.startswith("ses-")
    assert contents(harness, taken.session_id) == ["one"]
    assert harness.do(harness.restoring.restore(None, "chat:1:2", owner=None)).messages[0].content == "one"


def test_a_failure_is_logged_and_reported_but_not_raised(harness: SessionHarness, allow_logs: AllowLogs) -> None:
    allow_logs("messages were not stored: Message number 1 is not greater")

    async def work() -> None:
        for text, seq in (("one", 1), ("again", 1), ("two", None)):
            assert later(harness, text, seq=seq).accepted
        await harness.write_behind.drain()

    harness.do(work())
    assert contents(harness) == ["one", "two"]
    assert harness.write_behind.failures == (
        "1 message could not be stored in the background. The last reason: Message number 1 is not greater than 1,"
        " the last of session talk.",
    )


def test_a_failure_of_our_own_does_not_stop_the_rest(harness: SessionHarness, allow_logs: AllowLogs) -> None:
    allow_logs("An error of Keepsake itself")
    sound = harness.sessions.append_in

    def broken(connection: apsw.Connection, messages: list[NewMessage], *rest: object) -> object:
        if messages[0].content == "bad":
            raise ZeroDivisionError
        return sound(connection, messages, *rest)  # type: ignore[arg-type]

    harness.sessions.append_in = broken  # type: ignore[method-assign,assignment]

    async def work() -> None:
        for text in ("one", "bad", "two"):
            later(harness, text)
        await harness.write_behind.drain()

    harness.do(work())
    assert contents(harness) == ["one", "two"]
    assert "An error of Keepsake itself" in harness.write_behind.failures[0]


def test_a_full_queue_refuses_without_an_error(harness: SessionHarness, allow_logs: AllowLogs) -> None:
    allow_logs("Too many messages are waiting")

    async def work() -> list[bool]:
        taken = [later(harness, str(number)).accepted for number in range(7)]
        await harness.write_behind.drain()
        return taken

    assert harness.do(work()) == [True] * 5 + [False] * 2
    assert contents(harness) == ["0", "1", "2", "3", "4"]
    assert harness.write_behind.failures[0].startswith("2 messages could not be stored")


def test_nothing_is_taken_after_the_drain(harness: SessionHarness, allow_logs: AllowLogs) -> None:
    allow_logs("The vault is closing")

    async def work() -> Accepted:
        await harness.write_behind.drain()
        return later(harness, "late")

    assert harness.do(work()) == Accepted(False, "talk", 0)


def test_a_drain_does_not_wait_for_ever(harness: SessionHarness, allow_logs: AllowLogs) -> None:
    allow_logs("The vault was closed before")

    async def work() -> None:
        hold = asyncio.Event()

        async def never(*_: object, **__: object) -> object:
            await hold.wait()
            return None

        harness.sessions.append = never  # type: ignore[method-assign,assignment]
        later(harness, "one")
        later(harness, "two", "three")
        await harness.write_behind.drain(limit_s=0.01)

    harness.do(work())
    assert harness.write_behind.failures[0].startswith("3 messages could not be stored")


def test_an_agent_that_is_switched_off_costs_no_error(harness: SessionHarness) -> None:
    harness.set(excluded_agents=frozenset({"scout"}))

    async def work() -> Accepted:
        taken = later(harness, "one")
        await harness.write_behind.drain()
        return taken

    assert harness.do(work()).accepted
    assert harness.write_behind.failures == ()
    assert harness.published == []
    assert harness.sql("SELECT count(*) FROM sessions") == [(0,)]
