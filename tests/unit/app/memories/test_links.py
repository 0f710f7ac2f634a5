"""Titles mean one memory, links are seen from both ends, aliases and paths included."""

import pytest

from app.memories.model import Link
from tests.unit.app.memories.conftest import MemoryHarness


def test_links_are_seen_from_both_ends(desk: MemoryHarness) -> None:
    rosa = desk.save("A rose", title="Rosa")
    garden = desk.save("Planted [[ROSA|her]] and [[Tulip]].\nAgain [[rosa]]. ![[plan.png]]", title="Garden")
    links = desk.do(desk.reads.links(garden.id))
    assert links.outgoing == (
        Link(rosa.id, "Rosa", "Planted [[ROSA|her]] and [[Tulip]]."),
        Link("", "Tulip", "Planted [[ROSA|her]] and [[Tulip]]."),
    )
    assert desk.do(desk.reads.links(rosa.id)).backlinks == (
        Link(garden.id, "Garden", "Planted [[ROSA|her]] and [[Tulip]]."),
    )


def test_a_memory_that_links_to_itself_is_not_linked_from_itself(desk: MemoryHarness) -> None:
    garden = desk.save("See [[Garden]]", title="Garden")
    links = desk.do(desk.reads.links(garden.id))
    assert [link.memory_id for link in links.outgoing] == [garden.id]
    assert links.backlinks == ()


def test_link_resolves_when_its_title_comes_and_goes(desk: MemoryHarness) -> None:
    garden = desk.save("[[Tulip]]", title="Garden")
    tulip = desk.save("red", title="Tulip")
    assert desk.do(desk.reads.links(garden.id)).outgoing[0].memory_id == tulip.id
    desk.do(desk.service.delete(tulip.id))
    assert desk.do(desk.reads.links(garden.id)).outgoing == (Link("", "Tulip", "[[Tulip]]"),)
    assert desk.do(desk.reads.links(tulip.id)).backlinks == ()


def test_deleted_memories_link_to_nothing(desk: MemoryHarness) -> None:
    rosa, garden = desk.save("x", title="Rosa"), desk.save("[[Rosa]]", title="Garden")
    desk.do(desk.service.delete(garden.id))
    assert desk.do(desk.reads.links(rosa.id)).backlinks == ()


def test_untitled_source_is_shown_by_its_first_words(desk: MemoryHarness) -> None:
    rosa = desk.save("x", title="Rosa")
    desk.save("Seen [[Rosa]] today")
    assert desk.do(desk.reads.links(rosa.id)).backlinks[0].title == "Seen [[Rosa]] today"


def test_of_equal_titles_the_first_note_is_meant(desk: MemoryHarness) -> None:
    fact = desk.save("a fact", title="Rosa", kind="fact")
    first = desk.save("first", title="Rosa")
    desk.clock.ms += 1000
    second = desk.save("second", title=" ROSA ")
    linking = desk.save("[[rosa]]")
    assert desk.do(desk.reads.resolve("rosa")) == first.id
    assert [link.memory_id for link in desk.do(desk.reads.links(first.id)).backlinks] == [linking.id]
    assert desk.do(desk.reads.links(second.id)).backlinks == ()
    assert {link.memory_id for link in desk.do(desk.reads.titles("ros"))} == {fact.id, first.id, second.id}
    desk.do(desk.service.delete(first.id))
    assert desk.do(desk.reads.resolve("rosa")) == second.id


@pytest.mark.parametrize("aliases", [["Rose", "The Queen"], "Rose, The Queen", ["Rose", 3, None, "The Queen"]])
def test_aliases_mean_their_memory(desk: MemoryHarness, aliases: object) -> None:
    rosa = desk.save("x", title="Rosa", attributes={"aliases": aliases})
    linking = desk.save("[[the queen]]")
    assert desk.do(desk.reads.resolve("rose")) == rosa.id
    assert [link.memory_id for link in desk.do(desk.reads.links(rosa.id)).backlinks] == [linking.id]
    titled = desk.save("y", title="The Queen")
    assert desk.do(desk.reads.resolve("THE queen")) == titled.id
    assert desk.do(desk.reads.links(rosa.id)).backlinks == ()


@pytest.mark.parametrize("aliases", [None, 3, {}, {"a": "b"}, [], ""])
def test_other_values_for_aliases_are_none(desk: MemoryHarness, aliases: object) -> None:
    desk.save("x", title="Rosa", attributes={"aliases": aliases})
    assert desk.do(desk.reads.resolve("a")) is None
    assert desk.do(desk.reads.resolve("")) is None


def test_paths_mean_the_memory_of_their_last_part(desk: MemoryHarness) -> None:
    rosa = desk.save("x", title="Rosa")
    whole = desk.save("y", title="plants/Tulip")
    source = desk.save("[[plants/Rosa]] [[Rosa.md]] [[other/Tulip]] [[plants/tulip]] [[a/b/rosa.md]]", title="S")
    resolved = {title: desk.do(desk.reads.resolve(title)) for title in ("plants/rosa", "x/Rosa.md", "plants/Tulip")}
    assert resolved == {"plants/rosa": rosa.id, "x/Rosa.md": rosa.id, "plants/Tulip": whole.id}
    assert [link.memory_id for link in desk.do(desk.reads.links(rosa.id)).backlinks] == [source.id]
    assert [link.memory_id for link in desk.do(desk.reads.links(whole.id)).backlinks] == [source.id]
    assert [link.memory_id for link in desk.do(desk.reads.links(source.id)).outgoing].count("") == 1


def test_links_in_front_matter_count(desk: MemoryHarness) -> None:
    ursula = desk.save("x", title="Ursula")
    book = desk.save("", title="Book", attributes={"author": ["[[Ursula]]"]})
    assert desk.do(desk.reads.links(ursula.id)).backlinks == (Link(book.id, "Book", "[[Ursula]]"),)


def test_titles_by_prefix_in_any_case(desk: MemoryHarness) -> None:
    for title in ("Straße", "STRASSENBAHN", "Strom", "100%", "_x", ""):
        desk.save("x", title=title)
    assert [link.title for link in desk.do(desk.reads.titles("stras"))] == ["Straße", "STRASSENBAHN"]
    assert [link.title for link in desk.do(desk.reads.titles("%"))] == []
    assert [link.title for link in desk.do(desk.reads.titles("100%"))] == ["100%"]
    assert len(desk.do(desk.reads.titles())) == 5
    assert len(desk.do(desk.reads.titles(limit=2))) == 2
    assert [link.title for link in desk.do(desk.reads.titles(contains="RASSEN"))] == ["STRASSENBAHN"]
    assert [link.title for link in desk.do(desk.reads.titles(contains="0% 1"))] == ["100%"]


def test_links_outside_the_callers_stores_are_unresolved(desk: MemoryHarness) -> None:
    secret = desk.save("[[Open]]", title="Secret")
    shared = desk.save("[[Secret]]", title="Open", store="shared")
    links = desk.do(desk.reads.links(shared.id, stores=("shared",)))
    assert links.outgoing == (Link("", "Secret", "[[Secret]]"),)
    assert links.backlinks == ()
    assert desk.do(desk.reads.links(shared.id)).backlinks[0].memory_id == secret.id
