"""Timelines: everything around a place, in order, once, and nothing the caller may not see."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.core.clock import to_datetime, to_ms
from app.core.stores import STORES
from app.errors import NotFoundError
from app.memories.queries.memory_queries import MemoryQueries
from app.memories.queries.timeline import Timeline, TimelineFilter
from tests.helpers.access import EVERYTHING
from tests.unit.app.vault_harness import VaultHarness

ALL = TimelineFilter()
BASE = 1_700_000_000_000


def around(vault_harness: VaultHarness, anchor: Any, before: int = 10, after: int = 10, **more: Any) -> Timeline:
    chosen, access = more.pop("chosen", ALL), EVERYTHING.within(more.pop("stores", STORES))
    return vault_harness.do(MemoryQueries(vault_harness.store).timeline(access, anchor, before, after, chosen, **more))


@pytest.mark.parametrize("anchor", ["", "note-none", "s#99", "s#x", "#1", "t#1", "s#" + "9" * 30])
def test_an_unknown_anchor_is_refused(vault_harness: VaultHarness, anchor: str) -> None:
    vault_harness.say("heron", session="s")
    with pytest.raises(NotFoundError):
        around(vault_harness, anchor)


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    made=st.lists(st.tuples(st.sampled_from(["note", "fact", "turn"]), st.integers(0, 3)), min_size=1, max_size=8),
    place=st.integers(0, 7),
    before=st.integers(0, 5),
    after=st.integers(0, 5),
)
def test_it_is_the_part_of_all_that_lies_around(
    vault_harness: VaultHarness, made: list[tuple[str, int]], place: int, before: int, after: int
) -> None:
    for kind, moment in made:
        vault_harness.clock.ms = BASE + moment
        if kind == "turn":
            vault_harness.say("said")
        else:
            vault_harness.save("x", kind=kind)
    every = around(vault_harness, to_datetime(0), 0, 1000).items
    assert [item.at for item in every] == sorted(item.at for item in every)
    assert len({item.id for item in every}) == len(every)
    middle = place % len(every)
    found = around(vault_harness, every[middle].id, before, after)
    low, high = max(0, middle - before), middle + after + 1
    assert [item.id for item in found.items] == [item.id for item in every[low:high]]
    assert [item.id for item in found.items if item.is_anchor] == [every[middle].id]
    assert (found.earlier, found.later) == (low > 0, high < len(every))


def test_messages_of_one_moment_stand_in_the_order_of_their_conversation(vault_harness: VaultHarness) -> None:
    vault_harness.clock.ms = BASE
    for number in range(24):
        vault_harness.say(f"line {number}", session="ab"[number % 2])
    note = vault_harness.save("at the same moment")
    expected = [f"{session}#{number}" for session in "ab" for number in range(1, 13)]
    every = [item.id for item in around(vault_harness, to_datetime(0), 0, 100).items]
    assert [item for item in every if item != note.id] == expected
    around_ninth = around(vault_harness, "a#9", 2, 2).items
    assert [item.id for item in around_ninth] == ["a#7", "a#8", "a#9", "a#10", "a#11"]
    assert [item.id for item in around(vault_harness, "b#1", 3, 0).items if item.id != note.id][-2:] == ["a#12", "b#1"]


def test_kinds_conversation_event_time_and_stores(vault_harness: VaultHarness) -> None:
    vault_harness.say("said in s", session="s")
    vault_harness.clock.ms += 10
    shared = vault_harness.save("shared", store="shared", session_id="s")
    event = vault_harness.save("long ago", event_time=to_datetime(5))
    first = around(vault_harness, to_datetime(0)).items[0]
    assert (first.id, to_ms(first.at)) == (event.id, 5)
    assert [item.id for item in around(vault_harness, to_datetime(0), chosen=TimelineFilter(session="s")).items] == [
        "s#1",
        shared.id,
    ]
    only = around(vault_harness, to_datetime(0), chosen=TimelineFilter(kinds=("message",)))
    assert [item.id for item in only.items] == ["s#1"]
    seen = around(vault_harness, to_datetime(0), stores=("shared",))
    assert [item.id for item in seen.items] == [shared.id]
    for anchor in (event.id, "s#1"):
        with pytest.raises(NotFoundError):
            around(vault_harness, anchor, stores=("shared",))
    assert around(vault_harness, "s#1", stores=STORES).items[1].is_anchor
    vault_harness.forget("s")
    with pytest.raises(NotFoundError):
        around(vault_harness, "s#1")
