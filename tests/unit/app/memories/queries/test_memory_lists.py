"""Lists, counts and filters agree with what is stored, in every store a caller may see."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.core.clock import to_datetime
from app.core.facets import Facet
from app.core.stores import STORES
from app.errors import NotFoundError
from app.memories.model import Memory, MemoryFilter, MemoryOrder
from tests.helpers.access import EVERYTHING
from tests.unit.app.memories.conftest import MemoryHarness


@pytest.fixture
def garden(harness: MemoryHarness) -> dict[str, Memory]:
    """Return six memories of every sort, each saved a second after the one before."""
    wanted: dict[str, dict[str, Any]] = {
        "Soil": {"content": "Compost and lime", "tags": ("garden/soil",)},
        "apples": {"content": "Boskoop", "tags": ("garden", "fruit"), "store": "shared"},
        "": {"content": "untitled 100% _plain_", "tags": ("garden/soil", "garden/plan")},
        "ÉTÉ": {"content": "Straße 花园", "store": "social", "source": "claude"},
        "Home": {"content": "Bern", "kind": "fact", "category": "p", "key": "home", "source": "claude"},
        "Week": {"content": "", "facts": ("First seen.", "Then done."), "kind": "observation", "store": "shared"},
    }
    saved: dict[str, Memory] = {}
    for title, fields in wanted.items():
        harness.clock.ms += 1000
        saved[title] = harness.save(fields.pop("content"), title=title, **fields)
    return saved


def titles(harness: MemoryHarness, chosen: MemoryFilter, order: MemoryOrder = "recent", **more: Any) -> list[str]:
    return [row.title for row in harness.do(harness.reads.listed(EVERYTHING, chosen, order, **more))]


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ("recent", ["Week", "Home", "ÉTÉ", "", "apples", "Soil"]),
        ("oldest", ["Soil", "apples", "", "ÉTÉ", "Home", "Week"]),
        ("created", ["Week", "Home", "ÉTÉ", "", "apples", "Soil"]),
        ("title", ["apples", "Home", "Soil", "Week", "ÉTÉ", ""]),
    ],
)
def test_orders(harness: MemoryHarness, garden: dict[str, Memory], order: MemoryOrder, expected: list[str]) -> None:
    assert titles(harness, MemoryFilter(), order) == expected
    harness.do(harness.service.pin(EVERYTHING, garden["apples"].id))
    assert titles(harness, MemoryFilter(), order) == ["apples", *(title for title in expected if title != "apples")]


@pytest.mark.parametrize(
    ("chosen", "expected"),
    [
        (MemoryFilter(kinds=("fact", "observation")), {"Week", "Home"}),
        (MemoryFilter(stores=("shared",)), {"Week", "apples"}),
        (MemoryFilter(source="claude"), {"Home", "ÉTÉ"}),
        (MemoryFilter(tags=("garden",)), {"", "apples", "Soil"}),
        (MemoryFilter(tags=("#Garden/Soil",)), {"", "Soil"}),
        (MemoryFilter(tags=("garden", "fruit")), {"apples"}),
        (MemoryFilter(tags=("garde",)), set()),
        (MemoryFilter(text="COMPOST"), {"Soil"}),
        (MemoryFilter(text="lime soil"), {"Soil"}),
        (MemoryFilter(text="été"), {"ÉTÉ"}),
        (MemoryFilter(text="STRASSE"), set()),
        (MemoryFilter(text="strAße 花"), {"ÉTÉ"}),
        (MemoryFilter(text="100%"), {""}),
        (MemoryFilter(text="%"), {""}),
        (MemoryFilter(text="_plain_"), {""}),
        (MemoryFilter(text="* [a-z] é?"), set()),
        (MemoryFilter(pinned=True), set()),
        (MemoryFilter(pinned=False, text="bern"), {"Home"}),
        (MemoryFilter(deleted=True), set()),
        (MemoryFilter(since=to_datetime(1_700_000_005_000)), {"Home", "Week"}),
        (MemoryFilter(until=to_datetime(1_700_000_002_000)), {"Soil"}),
        (MemoryFilter(text="x" * 100_000), set()),
        (MemoryFilter(text="é" * 100_000), set()),
    ],
)
def test_filters(harness: MemoryHarness, garden: dict[str, Memory], chosen: MemoryFilter, expected: set[str]) -> None:
    assert set(titles(harness, chosen)) == expected
    facets = harness.do(harness.reads.facets(EVERYTHING, chosen))
    for counts in (facets.kinds, facets.stores, facets.sources):
        assert sum(facet.count for facet in counts) == len(expected)


def test_pages_join_to_the_whole_list(harness: MemoryHarness, garden: dict[str, Memory]) -> None:
    pages = [titles(harness, MemoryFilter(), limit=2, offset=offset) for offset in (0, 2, 4, 6)]
    assert [title for page in pages for title in page] == titles(harness, MemoryFilter())


def test_rows_come_in_the_order_asked_for(harness: MemoryHarness, garden: dict[str, Memory]) -> None:
    ids = [garden["Week"].id, "note-gone", garden[""].id, garden["Week"].id]
    rows = harness.do(harness.reads.rows(EVERYTHING, ids))
    assert [row.id for row in rows] == [ids[0], ids[2], ids[3]]
    assert rows[0].preview == "First seen. Then done."
    assert rows[1].preview == "untitled 100% _plain_"
    assert rows[1].tags == ("garden/soil", "garden/plan")
    assert not rows[1].archived
    harness.do(harness.service.delete(EVERYTHING, ids[2]))
    assert harness.do(harness.reads.rows(EVERYTHING, [ids[2]]))[0].archived


def test_facets_count_each_memory_once_under_a_parent_tag(harness: MemoryHarness, garden: dict[str, Memory]) -> None:
    facets = harness.do(harness.reads.facets(EVERYTHING, MemoryFilter()))
    assert facets.kinds == (Facet("note", 4), Facet("fact", 1), Facet("observation", 1))
    assert facets.stores == (Facet("private", 3), Facet("shared", 2), Facet("social", 1))
    assert facets.sources == (Facet("person", 4), Facet("claude", 2))
    expected = (Facet("garden", 3), Facet("garden/soil", 2), Facet("fruit", 1), Facet("garden/plan", 1))
    assert facets.tags == expected
    assert tuple(harness.do(harness.reads.tags(EVERYTHING))) == expected
    assert harness.do(harness.reads.tags(EVERYTHING, "GARDEN/")) == [
        Facet("garden", 3),
        Facet("garden/soil", 2),
        Facet("garden/plan", 1),
    ]
    assert harness.do(harness.reads.tags(EVERYTHING, "garden/s")) == [Facet("garden/soil", 2)]
    assert harness.do(harness.reads.tags(EVERYTHING, limit=1)) == [Facet("garden", 3)]


@pytest.mark.parametrize(
    ("stored", "typed"), [("łódź", "lodz"), ("ærø", "aeroe"), ("Ёлка", "елка"), ("lodz/x", "Łódź"), ("ßeta", "sseta")]
)
def test_a_tag_is_found_by_its_spellings_and_its_facet_counts_what_it_finds(
    harness: MemoryHarness, stored: str, typed: str
) -> None:
    harness.save("one", title="One", tags=(stored,))
    harness.save("two", title="Two", tags=(typed, stored))
    harness.save("three", title="Three", tags=("other",))
    assert titles(harness, MemoryFilter(tags=(typed,))) == ["Two", "One"]
    for facet in harness.do(harness.reads.facets(EVERYTHING, MemoryFilter())).tags:
        assert len(titles(harness, MemoryFilter(tags=(facet.name,)))) == facet.count


def test_parent_without_a_memory_of_its_own_is_counted(harness: MemoryHarness) -> None:
    harness.save("x", tags=("a/b/c", "a/d"))
    harness.save("y", tags=("a/b",))
    assert harness.do(harness.reads.tags(EVERYTHING)) == [
        Facet("a", 2),
        Facet("a/b", 2),
        Facet("a/b/c", 1),
        Facet("a/d", 1),
    ]


def test_nothing_outside_the_callers_stores_is_seen(harness: MemoryHarness, garden: dict[str, Memory]) -> None:
    seen = ("shared",)
    expected = {garden["apples"].id, garden["Week"].id}
    reads = harness.reads
    assert set(harness.do(reads.ids(EVERYTHING.within(seen), MemoryFilter()))) == expected
    assert {row.id for row in harness.do(reads.listed(EVERYTHING.within(seen), MemoryFilter()))} == expected
    everything = [memory.id for memory in garden.values()]
    assert {row.id for row in harness.do(reads.rows(EVERYTHING.within(seen), everything))} == expected
    assert harness.do(reads.ids(EVERYTHING.within(seen), MemoryFilter(stores=("private",)))) == []
    assert harness.do(reads.facets(EVERYTHING.within(seen), MemoryFilter())).stores == (Facet("shared", 2),)
    assert harness.do(reads.tags(EVERYTHING.within(seen))) == [Facet("fruit", 1), Facet("garden", 1)]
    assert [link.title for link in harness.do(reads.titles(EVERYTHING.within(seen)))] == ["apples", "Week"]
    assert harness.do(reads.resolve(EVERYTHING.within(seen), "Soil")) is None
    assert harness.do(reads.ids(EVERYTHING.within(()), MemoryFilter())) == []


FILTERS = st.builds(
    MemoryFilter,
    text=st.text(alphabet="aAéÉ%_*?[]-^'\"\\ 花\ud800\x00", max_size=8),
    kinds=st.sets(st.sampled_from(["note", "fact"])).map(tuple),
    tags=st.lists(st.text(max_size=6), max_size=2).map(tuple),
    stores=st.sets(st.sampled_from(STORES)).map(tuple),
    source=st.text(max_size=4),
    pinned=st.none() | st.booleans(),
    deleted=st.booleans(),
)


@settings(max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(FILTERS)
def test_any_filter_is_answered(harness: MemoryHarness, chosen: MemoryFilter) -> None:
    ids = harness.do(harness.reads.ids(EVERYTHING, chosen))
    facets = harness.do(harness.reads.facets(EVERYTHING, chosen))
    assert sum(facet.count for facet in facets.kinds) == len(ids)
    assert set(harness.do(harness.reads.ids(EVERYTHING, replace(chosen, stores=("shared",))))) <= set(
        harness.do(harness.reads.ids(EVERYTHING, replace(chosen, stores=())))
    )


LETTERS = st.text(alphabet="aAbéÉß%_*?[]-^ЖжΣσς花", min_size=1, max_size=4)


@settings(max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(before=st.text(alphabet="aé花 ", max_size=4), word=LETTERS, after=st.text(alphabet="aé花 ", max_size=4))
def test_text_filter_finds_what_is_there_in_another_case(
    harness: MemoryHarness, before: str, word: str, after: str
) -> None:
    memory = harness.save(f"x{before}{word}{after}")
    for requested in (word, word.swapcase() if len(word.swapcase()) == len(word) else word):
        if requested.swapcase().swapcase() == requested:
            assert memory.id in harness.do(harness.reads.ids(EVERYTHING, MemoryFilter(text=requested)))


@pytest.mark.parametrize("text", ["\ud800", "\x00", "a\udfffb"])
def test_questions_in_text_that_cannot_be_stored_find_nothing(harness: MemoryHarness, text: str) -> None:
    reads = harness.reads
    assert harness.do(reads.rows(EVERYTHING, [text])) == []
    assert harness.do(reads.titles(EVERYTHING, text)) == []
    assert harness.do(reads.resolve(EVERYTHING, text)) is None
    assert harness.do(reads.tags(EVERYTHING, f"x{text}")) == []
    assert harness.do(harness.undoing.history(EVERYTHING, text)) == []
    with pytest.raises(NotFoundError):
        harness.do(reads.get(EVERYTHING, text))
