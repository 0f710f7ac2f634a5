from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.errors import InputError, NotFoundError
from app.sessions.model import NewMessage
from app.sessions.state.scratchpad import MAX_ITEM_CHARACTERS, MAX_ITEMS, clean_items
from tests.unit.app.sessions.session_harness import SessionHarness, open_harness


@pytest.fixture
def harness(vault: Path) -> Iterator[SessionHarness]:
    with open_harness(vault) as made:
        made.append(NewMessage("user", "Plan my trip."), agent="scout")
        yield made


def items(harness: SessionHarness, session: str = "talk") -> tuple[str, ...]:
    return harness.do(harness.scratchpads.read(session, owner=None)).items


def test_it_is_empty_at_first(harness: SessionHarness) -> None:
    assert items(harness) == ()


def test_a_write_replaces_all(harness: SessionHarness) -> None:
    harness.do(harness.scratchpads.write("talk", ["find a flight", "find a bed"], "scout", owner=None))
    answer = harness.do(harness.scratchpads.write("talk", [" book the flight ", ""], "scout", owner=None))
    assert answer.value.items == items(harness) == ("book the flight",)
    assert answer.changes.ids == ("talk",)


def test_other_conversations_do_not_see_it(harness: SessionHarness) -> None:
    harness.append(NewMessage("user", "one"), session="other")
    harness.do(harness.scratchpads.write("talk", ["find a flight"], "scout", owner=None))
    assert items(harness, "other") == ()


def test_clear_says_whether_anything_was_there(harness: SessionHarness) -> None:
    harness.do(harness.scratchpads.write("talk", ["find a flight"], "scout", owner=None))
    assert harness.do(harness.scratchpads.clear("talk", "scout", owner=None)).value is True
    again = harness.do(harness.scratchpads.clear("talk", "scout", owner=None))
    assert again.value is False
    assert not again.changes.areas
    assert items(harness) == ()


def test_limits(harness: SessionHarness) -> None:
    full = ["x" * MAX_ITEM_CHARACTERS] * MAX_ITEMS
    harness.do(harness.scratchpads.write("talk", full, "scout", owner=None))
    with pytest.raises(InputError, match="at most 32 items, not 33"):
        harness.do(harness.scratchpads.write("talk", [*full, "y"], "scout", owner=None))
    with pytest.raises(InputError, match="Item 2 has 241 characters"):
        harness.do(harness.scratchpads.write("talk", ["a", "y" * 241], "scout", owner=None))
    assert items(harness) == tuple(full)


def test_an_agent_may_plan_before_it_speaks(harness: SessionHarness) -> None:
    harness.do(harness.scratchpads.write("new", ["find a flight"], "scout", "scout"))
    assert items(harness, "new") == ("find a flight",)
    appended = harness.append(NewMessage("user", "Go."), session="new")
    assert (appended.created, appended.seqs) == (False, (1,))
    assert items(harness, "new") == ("find a flight",)


def test_an_agent_reaches_only_its_own(harness: SessionHarness) -> None:
    harness.do(harness.scratchpads.write("talk", ["find a flight"], "scout", "scout"))
    for work in (
        harness.scratchpads.read("talk", "spy"),
        harness.scratchpads.clear("talk", "spy", "spy"),
    ):
        with pytest.raises(NotFoundError):
            harness.do(work)
    harness.do(harness.scratchpads.write("talk", ["spy"], "spy", "spy"))
    for agent, found in (("scout", "find a flight"), ("spy", "spy")):
        assert harness.do(harness.scratchpads.read("talk", agent)).items == (found,)


def test_it_goes_and_comes_with_its_conversation(harness: SessionHarness) -> None:
    harness.do(harness.scratchpads.write("talk", ["find a flight"], "scout", owner=None))
    harness.do(harness.sessions.forget("talk", "person"))
    for work in (
        harness.scratchpads.read("talk", owner=None),
        harness.scratchpads.write("talk", [], "scout", owner=None),
    ):
        with pytest.raises(NotFoundError):
            harness.do(work)
    harness.sql("UPDATE sessions SET forgotten_at = NULL")
    assert items(harness) == ("find a flight",)


def test_nothing_is_kept_of_an_agent_that_is_switched_off(harness: SessionHarness) -> None:
    harness.set(excluded_agents=frozenset({"scout"}))
    assert harness.do(harness.scratchpads.write("new", ["find a flight"], "scout", owner=None)).value.items == ()
    assert harness.do(harness.scratchpads.write("talk", ["find a flight"], "person", owner=None)).value.items == ()
    assert harness.sql("SELECT id FROM sessions") == [("talk",)]
    assert items(harness) == ()


@given(st.lists(st.text(max_size=MAX_ITEM_CHARACTERS), max_size=MAX_ITEMS))
def test_what_is_stored_stays_as_it_is(given_items: list[str]) -> None:
    clean = clean_items(given_items)
    assert clean_items(clean) == clean
    assert all(item.strip() == item != "" for item in clean)
