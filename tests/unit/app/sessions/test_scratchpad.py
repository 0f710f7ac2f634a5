from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.errors import InputError, NotFoundError
from app.sessions.model import NewMessage
from app.sessions.scratchpad import MAX_ITEM_CHARACTERS, MAX_ITEMS, clean_items
from tests.unit.app.sessions.session_harness import Desk, open_desk


@pytest.fixture
def desk(vault: Path) -> Iterator[Desk]:
    with open_desk(vault) as made:
        made.append(NewMessage("user", "Plan my trip."), agent="scout")
        yield made


def items(desk: Desk, session: str = "talk") -> tuple[str, ...]:
    return desk.do(desk.scratchpads.read(session)).items


def test_it_is_empty_at_first(desk: Desk) -> None:
    assert items(desk) == ()


def test_a_write_replaces_all(desk: Desk) -> None:
    desk.do(desk.scratchpads.write("talk", ["find a flight", "find a bed"], "scout"))
    answer = desk.do(desk.scratchpads.write("talk", [" book the flight ", ""], "scout"))
    assert answer.value.items == items(desk) == ("book the flight",)
    assert answer.changes.ids == ("talk",)


def test_other_conversations_do_not_see_it(desk: Desk) -> None:
    desk.append(NewMessage("user", "one"), session="other")
    desk.do(desk.scratchpads.write("talk", ["find a flight"], "scout"))
    assert items(desk, "other") == ()


def test_clear_says_whether_anything_was_there(desk: Desk) -> None:
    desk.do(desk.scratchpads.write("talk", ["find a flight"], "scout"))
    assert desk.do(desk.scratchpads.clear("talk", "scout")).value is True
    again = desk.do(desk.scratchpads.clear("talk", "scout"))
    assert again.value is False
    assert not again.changes.areas
    assert items(desk) == ()


def test_limits(desk: Desk) -> None:
    full = ["x" * MAX_ITEM_CHARACTERS] * MAX_ITEMS
    desk.do(desk.scratchpads.write("talk", full, "scout"))
    with pytest.raises(InputError, match="at most 32 items, not 33"):
        desk.do(desk.scratchpads.write("talk", [*full, "y"], "scout"))
    with pytest.raises(InputError, match="Item 2 has 241 characters"):
        desk.do(desk.scratchpads.write("talk", ["a", "y" * 241], "scout"))
    assert items(desk) == tuple(full)


def test_an_agent_may_plan_before_it_speaks(desk: Desk) -> None:
    desk.do(desk.scratchpads.write("new", ["find a flight"], "scout", "scout"))
    assert items(desk, "new") == ("find a flight",)
    appended = desk.append(NewMessage("user", "Go."), session="new")
    assert (appended.created, appended.seqs) == (False, (1,))
    assert items(desk, "new") == ("find a flight",)


def test_an_agent_reaches_only_its_own(desk: Desk) -> None:
    desk.do(desk.scratchpads.write("talk", ["find a flight"], "scout", "scout"))
    for work in (
        desk.scratchpads.read("talk", "spy"),
        desk.scratchpads.write("talk", [], "spy", "spy"),
        desk.scratchpads.clear("talk", "spy", "spy"),
    ):
        with pytest.raises(NotFoundError):
            desk.do(work)
    assert items(desk) == ("find a flight",)


def test_it_goes_and_comes_with_its_conversation(desk: Desk) -> None:
    desk.do(desk.scratchpads.write("talk", ["find a flight"], "scout"))
    desk.do(desk.sessions.forget("talk", "person"))
    for work in (desk.scratchpads.read("talk"), desk.scratchpads.write("talk", [], "scout")):
        with pytest.raises(NotFoundError):
            desk.do(work)
    desk.sql("UPDATE sessions SET forgotten_at = NULL")
    assert items(desk) == ("find a flight",)


def test_nothing_is_kept_of_an_agent_that_is_switched_off(desk: Desk) -> None:
    desk.set(not_kept=frozenset({"scout"}))
    assert desk.do(desk.scratchpads.write("new", ["find a flight"], "scout")).value.items == ()
    assert desk.do(desk.scratchpads.write("talk", ["find a flight"], "person")).value.items == ()
    assert desk.sql("SELECT id FROM sessions") == [("talk",)]
    assert items(desk) == ()


@given(st.lists(st.text(max_size=MAX_ITEM_CHARACTERS), max_size=MAX_ITEMS))
def test_what_is_stored_stays_as_it_is(given_items: list[str]) -> None:
    clean = clean_items(given_items)
    assert clean_items(clean) == clean
    assert all(item.strip() == item != "" for item in clean)
