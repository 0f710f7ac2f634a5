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
from tests.unit.app.shelf import Shelf

ALL = TimelineFilter()
BASE = 1_700_000_000_000


def around(shelf: Shelf, anchor: Any, before: int = 10, after: int = 10, **more: Any) -> Timeline:
    chosen = more.pop("chosen", ALL)
    return shelf.do(MemoryQueries(shelf.store).timeline(anchor, before, after, chosen, **more))


@pytest.mark.parametrize("anchor", ["", "note-none", "s#99", "s#x", "#1", "t#1", "s#" + "9" * 30])
def test_an_unknown_anchor_is_refused(shelf: Shelf, anchor: str) -> None:
    shelf.say("heron", session="s")
    with pytest.raises(NotFoundError):
        around(shelf, anchor)


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    made=st.lists(st.tuples(st.sampled_from(["note", "fact", "turn"]), st.integers(0, 3)), min_size=1, max_size=8),
    place=st.integers(0, 7),
    before=st.integers(0, 5),
    after=st.integers(0, 5),
)
def test_it_is_the_part_of_all_that_lies_around(
    shelf: Shelf, made: list[tuple[str, int]], place: int, before: int, after: int
) -> None:
    for kind, moment in made:
        shelf.clock.ms = BASE + moment
        if kind == "turn":
            shelf.say("said")
        else:
            shelf.save("x", kind=kind)
    every = around(shelf, to_datetime(0), 0, 1000).items
    assert [(item.at, item.id) for item in every] == sorted((item.at, item.id) for item in every)
    assert len({item.id for item in every}) == len(every)
    middle = place % len(every)
    found = around(shelf, every[middle].id, before, after)
    low, high = max(0, middle - before), middle + after + 1
    assert [item.id for item in found.items] == [item.id for item in every[low:high]]
    assert [item.id for item in found.items if item.is_anchor] == [every[middle].id]
    assert (found.earlier, found.later) == (low > 0, high < len(every))


def test_kinds_conversation_event_time_and_stores(shelf: Shelf) -> None:
    shelf.say("said in s", session="s")
    shelf.clock.ms += 10
    shared = shelf.save("shared", store="shared", session_id="s")
    event = shelf.save("long ago", event_time=to_datetime(5))
    first = around(shelf, to_datetime(0)).items[0]
    assert (first.id, to_ms(first.at)) == (event.id, 5)
    assert [one.id for one in around(shelf, to_datetime(0), chosen=TimelineFilter(session="s")).items] == [
        "s#1",
        shared.id,
    ]
    only = around(shelf, to_datetime(0), chosen=TimelineFilter(kinds=("message",)))
    assert [one.id for one in only.items] == ["s#1"]
    seen = around(shelf, to_datetime(0), stores=("shared",))
    assert [one.id for one in seen.items] == [shared.id]
    for anchor in (event.id, "s#1"):
        with pytest.raises(NotFoundError):
            around(shelf, anchor, stores=("shared",))
    assert around(shelf, "s#1", stores=STORES).items[1].is_anchor
    shelf.forget("s")
    with pytest.raises(NotFoundError):
        around(shelf, "s#1")
