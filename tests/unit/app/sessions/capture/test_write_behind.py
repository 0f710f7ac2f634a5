import asyncio
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from app.core.clock import to_ms
from app.sessions.capture.write_behind import OPERATION, Accepted
from app.sessions.model import NewMessage
from app.sessions.service import NewSession
from tests.helpers.noise import AllowLogs
from tests.unit.app.sessions.session_harness import Desk, open_desk


@pytest.fixture
def desk(vault: Path) -> Iterator[Desk]:
    with open_desk(vault, queue=5) as made:
        yield made


def later(desk: Desk, *texts: str, session: str | None = "talk", seq: int | None = None, **heading: str) -> Accepted:
    turns = [NewMessage("user", text, seq=seq) for text in texts]
    return desk.write_behind.append(turns, session, NewSession(**heading), "scout")


def contents(desk: Desk, session: str = "talk") -> list[str]:
    return [turn.content for turn in desk.all(session)]


def test_turns_are_taken_at_once_and_stored_in_order(desk: Desk) -> None:
    async def work() -> list[Accepted]:
        taken = [later(desk, f"{number}a", f"{number}b") for number in range(5)]
        assert desk.write_behind.waiting == 5
        await desk.write_behind.drain()
        return taken

    assert desk.do(work()) == [Accepted(True, "talk", waiting) for waiting in range(1, 6)]
    assert contents(desk) == [f"{number}{letter}" for number in range(5) for letter in "ab"]
    assert desk.write_behind.failures == ()
    assert {changes.operation for changes in desk.heard} == {OPERATION}
    assert [changes.ids for changes in desk.heard] == [("talk",)] * 5


def test_many_rounds_go_on_where_the_last_one_ended(desk: Desk) -> None:
    async def work() -> None:
        for number in range(12):
            later(desk, str(number))
            while desk.write_behind.waiting:
                await asyncio.sleep(0)
        await desk.write_behind.drain()

    desk.do(work())
    assert contents(desk) == [str(number) for number in range(12)]


def test_turns_are_dated_when_they_are_taken(desk: Desk) -> None:
    async def work() -> None:
        later(desk, "one")
        desk.clock.ms += 60_000
        await desk.write_behind.drain()

    desk.do(work())
    assert to_ms(desk.all()[0].created_at) == desk.clock.ms - 60_000


def test_a_new_conversation_has_its_id_before_it_is_stored(desk: Desk) -> None:
    async def work() -> Accepted:
        taken = later(desk, "one", session=None)
        assert later(desk, "one", session=None, channel="chat:1:2").session_id == ""
        await desk.write_behind.drain()
        return taken

    taken = desk.do(work())
    assert taken.session_id.startswith("ses-")
    assert contents(desk, taken.session_id) == ["one"]
    assert desk.do(desk.restoring.restore(None, "chat:1:2")).messages[0].content == "one"


def test_a_failure_is_logged_and_told_but_not_raised(desk: Desk, allow_logs: AllowLogs) -> None:
    allow_logs("turns were not stored: Message number 1 is not greater")

    async def work() -> None:
        for text, seq in (("one", 1), ("again", 1), ("two", None)):
            assert later(desk, text, seq=seq).accepted
        await desk.write_behind.drain()

    desk.do(work())
    assert contents(desk) == ["one", "two"]
    assert desk.write_behind.failures == (
        "1 turn could not be stored in the background. The last reason: Message number 1 is not greater than 1,"
        " the last of session talk.",
    )


def test_a_failure_of_our_own_does_not_stop_the_rest(desk: Desk, allow_logs: AllowLogs) -> None:
    allow_logs("An error of Keepsake itself")
    sound = desk.sessions.append_in

    def broken(connection: apsw.Connection, messages: list[NewMessage], *rest: object) -> object:
        if messages[0].content == "bad":
            raise ZeroDivisionError
        return sound(connection, messages, *rest)  # type: ignore[arg-type]

    desk.sessions.append_in = broken  # type: ignore[method-assign,assignment]

    async def work() -> None:
        for text in ("one", "bad", "two"):
            later(desk, text)
        await desk.write_behind.drain()

    desk.do(work())
    assert contents(desk) == ["one", "two"]
    assert "An error of Keepsake itself" in desk.write_behind.failures[0]


def test_a_full_queue_refuses_without_an_error(desk: Desk, allow_logs: AllowLogs) -> None:
    allow_logs("Too many turns are waiting")

    async def work() -> list[bool]:
        taken = [later(desk, str(number)).accepted for number in range(7)]
        await desk.write_behind.drain()
        return taken

    assert desk.do(work()) == [True] * 5 + [False] * 2
    assert contents(desk) == ["0", "1", "2", "3", "4"]
    assert desk.write_behind.failures[0].startswith("2 turns could not be stored")


def test_nothing_is_taken_after_the_drain(desk: Desk, allow_logs: AllowLogs) -> None:
    allow_logs("The vault is closing")

    async def work() -> Accepted:
        await desk.write_behind.drain()
        return later(desk, "late")

    assert desk.do(work()) == Accepted(False, "talk", 0)


def test_a_drain_does_not_wait_for_ever(desk: Desk, allow_logs: AllowLogs) -> None:
    allow_logs("The vault was closed before")

    async def work() -> None:
        hold = asyncio.Event()

        async def never(*_: object, **__: object) -> object:
            await hold.wait()
            return None

        desk.sessions.append = never  # type: ignore[method-assign,assignment]
        later(desk, "one")
        later(desk, "two", "three")
        await desk.write_behind.drain(limit_s=0.01)

    desk.do(work())
    assert desk.write_behind.failures[0].startswith("3 turns could not be stored")


def test_an_agent_that_is_switched_off_costs_no_error(desk: Desk) -> None:
    desk.set(not_kept=frozenset({"scout"}))

    async def work() -> Accepted:
        taken = later(desk, "one")
        await desk.write_behind.drain()
        return taken

    assert desk.do(work()).accepted
    assert desk.write_behind.failures == ()
    assert desk.heard == []
    assert desk.sql("SELECT count(*) FROM sessions") == [(0,)]
