"""Titles mean one memory, links are seen from both ends, aliases and paths included."""

import pytest

from app.memories.model import Link
from tests.helpers.access import EVERYTHING
from tests.unit.app.memories.conftest import MemoryHarness


def test_links_are_seen_from_both_ends(harness: MemoryHarness) -> None:
    rosa = harness.save("A rose", title="Rosa")
    garden = harness.save("Planted [[ROSA|her]] and [[Tulip]].\nAgain [[rosa]]. ![[plan.png]]", title="Garden")
    links = harness.do(harness.reads.links(EVERYTHING, garden.id))
    assert links.outgoing == (
        Link(rosa.id, "Rosa", "Planted [[ROSA|her]] and [[Tulip]]."),
        Link("", "Tulip", "Planted [[ROSA|her]] and [[Tulip]]."),
    )
    assert harness.do(harness.reads.links(EVERYTHING, rosa.id)).backlinks == (
        Link(garden.id, "Garden", "Planted [[ROSA|her]] and [[Tulip]]."),
    )


def test_a_memory_that_links_to_itself_is_not_linked_from_itself(harness: MemoryHarness) -> None:
    garden = harness.save("See [[Garden]]", title="Garden")
    links = harness.do(harness.reads.links(EVERYTHING, garden.id))
    assert [link.memory_id for link in links.outgoing] == [garden.id]
    assert links.backlinks == ()


def test_link_resolves_when_its_title_comes_and_goes(harness: MemoryHarness) -> None:
    garden = harness.save("[[Tulip]]", title="Garden")
    tulip = harness.save("red", title="Tulip")
    assert harness.do(harness.reads.links(EVERYTHING, garden.id)).outgoing[0].memory_id == tulip.id
    harness.do(harness.service.delete(EVERYTHING, tulip.id))
    assert harness.do(harness.reads.links(EVERYTHING, garden.id)).outgoing == (Link("", "Tulip", "[[Tulip]]"),)
    assert harness.do(harness.reads.links(EVERYTHING, tulip.id)).backlinks == ()


def test_deleted_memories_link_to_nothing(harness: MemoryHarness) -> None:
    rosa, garden = harness.save("x", title="Rosa"), harness.save("[[Rosa]]", title="Garden")
    harness.do(harness.service.delete(EVERYTHING, garden.id))
    assert harness.do(harness.reads.links(EVERYTHING, rosa.id)).backlinks == ()


def test_untitled_source_is_shown_by_its_first_words(harness: MemoryHarness) -> None:
    rosa = harness.save("x", title="Rosa")
    harness.save("Seen [[Rosa]] today")
    assert harness.do(harness.reads.links(EVERYTHING, rosa.id)).backlinks[0].title == "Seen [[Rosa]] today"


def test_of_equal_titles_the_first_note_is_meant(harness: MemoryHarness) -> None:
    fact = harness.save("a fact", title="Rosa", kind="fact")
    first = harness.save("first", title="Rosa")
    harness.clock.ms += 1000
    second = harness.save("second", title=" ROSA ")
    linking = harness.save("[[rosa]]")
    assert harness.do(harness.reads.resolve(EVERYTHING, "rosa")) == first.id
    assert [link.memory_id for link in harness.do(harness.reads.links(EVERYTHING, first.id)).backlinks] == [linking.id]
    assert harness.do(harness.reads.links(EVERYTHING, second.id)).backlinks == ()
    assert {link.memory_id for link in harness.do(harness.reads.titles(EVERYTHING, "ros"))} == {
        fact.id,
        first.id,
        second.id,
    }
    harness.do(harness.service.delete(EVERYTHING, first.id))
    assert harness.do(harness.reads.resolve(EVERYTHING, "rosa")) == second.id


@pytest.mark.parametrize("aliases", [["Rose", "The Queen"], "Rose, The Queen", ["Rose", 3, None, "The Queen"]])
def test_aliases_mean_their_memory(harness: MemoryHarness, aliases: object) -> None:
    rosa = harness.save("x", title="Rosa", attributes={"aliases": aliases})
    linking = harness.save("[[the queen]]")
    assert harness.do(harness.reads.resolve(EVERYTHING, "rose")) == rosa.id
    assert [link.memory_id for link in harness.do(harness.reads.links(EVERYTHING, rosa.id)).backlinks] == [linking.id]
    titled = harness.save("y", title="The Queen")
    assert harness.do(harness.reads.resolve(EVERYTHING, "THE queen")) == titled.id
    assert harness.do(harness.reads.links(EVERYTHING, rosa.id)).backlinks == ()


@pytest.mark.parametrize("aliases", [None, 3, {}, {"a": "b"}, [], ""])
def test_other_values_for_aliases_are_none(harness: MemoryHarness, aliases: object) -> None:
    harness.save("x", title="Rosa", attributes={"aliases": aliases})
    assert harness.do(harness.reads.resolve(EVERYTHING, "a")) is None
    assert harness.do(harness.reads.resolve(EVERYTHING, "")) is None


def test_paths_mean_the_memory_of_their_last_part(harness: MemoryHarness) -> None:
    rosa = harness.save("x", title="Rosa")
    whole = harness.save("y", title="plants/Tulip")
    source = harness.save("[[plants/Rosa]] [[Rosa.md]] [[other/Tulip]] [[plants/tulip]] [[a/b/rosa.md]]", title="S")
    resolved = {
        title: harness.do(harness.reads.resolve(EVERYTHING, title))
        for title in ("plants/rosa", "x/Rosa.md", "plants/Tulip")
    }
    assert resolved == {"plants/rosa": rosa.id, "x/Rosa.md": rosa.id, "plants/Tulip": whole.id}
    assert [link.memory_id for link in harness.do(harness.reads.links(EVERYTHING, rosa.id)).backlinks] == [source.id]
    assert [link.memory_id for link in harness.do(harness.reads.links(EVERYTHING, whole.id)).backlinks] == [source.id]
    assert [link.memory_id for link in harness.do(harness.reads.links(EVERYTHING, source.id)).outgoing].count("") == 1


def test_links_in_front_matter_count(harness: MemoryHarness) -> None:
    ursula = harness.save("x", title="Ursula")
    book = harness.save("", title="Book", attributes={"author": ["[[Ursula]]"]})
    assert harness.do(harness.reads.links(EVERYTHING, ursula.id)).backlinks == (Link(book.id, "Book", "[[Ursula]]"),)


def test_titles_by_prefix_in_any_case(harness: MemoryHarness) -> None:
    for title in ("Straße", "STRASSENBAHN", "Strom", "100%", "_x", ""):
        harness.save("x", title=title)
    assert [link.title for link in harness.do(harness.reads.titles(EVERYTHING, "stras"))] == ["Straße", "STRASSENBAHN"]
    assert [link.title for link in harness.do(harness.reads.titles(EVERYTHING, "%"))] == []
    assert [link.title for link in harness.do(harness.reads.titles(EVERYTHING, "100%"))] == ["100%"]
    assert len(harness.do(harness.reads.titles(EVERYTHING))) == 5
    assert len(harness.do(harness.reads.titles(EVERYTHING, limit=2))) == 2
    assert [link.title for link in harness.do(harness.reads.titles(EVERYTHING, contains="RASSEN"))] == ["STRASSENBAHN"]
    assert [link.title for link in harness.do(harness.reads.titles(EVERYTHING, contains="0% 1"))] == ["100%"]


def test_links_outside_the_callers_stores_are_unresolved(harness: MemoryHarness) -> None:
    secret = harness.save("[[Open]]", title="Secret")
    shared = harness.save("[[Secret]]", title="Open", store="shared")
    links = harness.do(harness.reads.links(EVERYTHING.within(("shared",)), shared.id))
    assert links.outgoing == (Link("", "Secret", "[[Secret]]"),)
    assert links.backlinks == ()
    assert harness.do(harness.reads.links(EVERYTHING, shared.id)).backlinks[0].memory_id == secret.id
