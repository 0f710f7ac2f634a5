"""Search with ``is:archived`` and ``is:superseded``, by words and operators, within the caller's stores."""

from typing import Any

import pytest

from app.api.caller import Caller
from app.host import Host
from app.retrieval.model import Found


def found(host: Host, text: str, **more: Any) -> Found:
    answer = host.ask("memory.search", query=text, **more)
    assert isinstance(answer, Found)
    return answer


@pytest.fixture
def archive(host: Host) -> dict[str, str]:
    """Return the ids of what was archived, by name."""
    made = {}
    for name, text, fields in (
        ("pond", "The heron stands in the pond", {"title": "Birds", "tags": ["animal/bird"], "store": "shared"}),
        ("secret", "A heron of my own", {"tags": ["animal"]}),
        ("garden", "我们的花园里有一只鸟", {}),
        ("list", "Milk and bread", {"tags": ["shop"]}),
        ("trash", "Herons are gone", {}),
    ):
        made[name] = host.ask("note.save", content=text, **fields).id
    host.ask("note.save", content="An active heron")
    host.ask("note.pin", id=made["list"])
    host.ask("note.delete", id=made["trash"])
    host.ask("archive.put", ids=list(made.values()))
    return made


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("is:archived", {"pond", "secret", "garden", "list", "trash"}),
        ("is:archived heron", {"pond", "secret", "trash"}),
        ("herons is:archived", {"pond", "secret", "trash"}),
        ("is:archived heron -own", {"pond", "trash"}),
        ("is:archived her*", {"pond", "secret", "trash"}),
        ('is:archived "in the pond"', {"pond"}),
        ("is:archived 花园", {"garden"}),
        ("is:archived tag:animal", {"pond", "secret"}),
        ("is:archived store:shared", {"pond"}),
        ("is:archived is:pinned", {"list"}),
        ("is:archived kind:fact", set()),
        ("is:archived before:2001", set()),
        ("is:archived -tag:shop -tag:animal", {"garden", "trash"}),
        ("is:archived nowhere", set()),
        ("heron -is:archived", None),
    ],
)
def test_words_and_operators(host: Host, archive: dict[str, str], text: str, names: set[str] | None) -> None:
    answer = found(host, text)
    if names is None:
        assert [hit.snippet for hit in answer.hits] == ["An active heron"]
        return
    assert {hit.id for hit in answer.hits} == {archive[name] for name in names}
    assert answer.candidates == len(names)


def test_the_best_comes_first_in_pages_with_marks_and_tags(host: Host, archive: dict[str, str]) -> None:
    first = found(host, "is:archived heron pond").hits[0]
    assert (first.id, first.title, first.tags) == (archive["pond"], "Birds", ("animal/bird",))
    assert {first.snippet[span.start : span.end] for span in first.highlights} == {"heron", "pond"}
    every = [hit.id for hit in found(host, "is:archived").hits]
    paged = [found(host, "is:archived", limit=1, offset=n).hits for n in range(6)]
    assert [hit.id for page in paged for hit in page] == every


def test_a_phrase_that_stands_nowhere_is_searched_by_its_words(host: Host, archive: dict[str, str]) -> None:
    answer = found(host, 'is:archived "bread and milk"')
    assert [hit.id for hit in answer.hits] == [archive["list"]]
    assert answer.relaxed == ("bread and milk",)


def test_unreadable_stores_are_not_searched(host: Host, archive: dict[str, str]) -> None:
    answer = host.call("memory.search", {"query": "is:archived"}, Caller("helper", "inner")).result().value
    assert [hit.id for hit in answer.hits] == [archive["pond"]]
    assert answer.candidates == 1
    assert {facet.value for facet in answer.facets if facet.name == "store"} == {"shared"}


def test_what_came_back_is_found_as_before(host: Host, archive: dict[str, str]) -> None:
    host.ask("archive.restore", id=archive["list"])
    assert archive["list"] not in {hit.id for hit in found(host, "is:archived").hits}
    # By its words; what is near in meaning depends on which vectors are there yet.
    assert [hit.id for hit in found(host, "bread", recipe="words").hits] == [archive["list"]]


def test_superseded_memories_are_found_by_their_state(host: Host) -> None:
    old = host.ask("fact.remember", content="The heron lives at the pond", store="shared").memory.id
    new = host.ask("fact.correct", id=old, content="The heron lives at the canal").fact.id
    host.ask("fact.remember", content="Bread is in the bin")
    answer = found(host, "is:superseded")
    assert [hit.id for hit in answer.hits] == [old]
    assert any("Superseded memories are searched by words alone" in note for note in answer.notes)
    assert [hit.id for hit in found(host, "heron pond is:superseded").hits] == [old]
    assert found(host, "bread is:superseded").hits == ()
    assert found(host, "is:superseded kind:note").hits == ()
    assert {hit.id for hit in found(host, "heron -is:superseded").hits} >= {new}
    answers = [
        host.call("memory.search", {"query": "is:superseded"}, Caller("one", trust)).result().value
        for trust in ("inner", "familiar")
    ]
    assert [[hit.id for hit in answer.hits] for answer in answers] == [[old], []]


@pytest.mark.parametrize("query", ["heron", "heron is:archived"])
def test_scores_without_the_index_are_the_bm25_worked_out_by_hand(host: Host, query: str) -> None:
    """One of three texts has the word twice in 11 characters.

    400 characters are average; k1 is 1.2 and b is 0.75.


    That is ln(1 + 2.5 / 1.5) * 2 * 2.2 / (2 + 1.2 * (0.25 + 0.75 * 11 / 400)).
    """
    made = [host.ask("note.save", content=text).id for text in ("heron heron", "milk and bread", "a long winter")]
    host.ask("vault.settle")
    if "archived" in query:
        host.ask("archive.put", ids=made)
        [hit] = found(host, query).hits
    else:
        [hit] = found(host, query, as_of="2999-01-01T00:00:00Z").hits
    assert hit.score == pytest.approx(1.8564, abs=1e-4)
