"""A phrase that nobody said finds its words; one that stands somewhere is strict."""

import pytest

from app.host import Host
from app.retrieval.model import Found


@pytest.fixture
def filled(host: Host) -> Host:
    host.ask(
        "session.append",
        session="s",
        messages=[{"role": "user", "content": "The grey heron stood"}, {"role": "user", "content": "A heron, grey"}],
    )
    host.ask("note.save", content="the secret garden", title="Elm", store="private")
    host.ask("vault.settle")
    return host


def search(host: Host, query: str) -> Found:
    found: Found = host.ask("memory.search", query=query, recipe="words")
    return found


def test_a_phrase_that_stands_somewhere_is_strict(filled: Host) -> None:
    found = search(filled, '"grey heron"')
    assert [hit.id for hit in found.hits] == ["s#1"]
    assert found.relaxed == ()
    assert search(filled, '"grey heron" kind:note').hits == ()


def test_a_phrase_that_stands_nowhere_finds_its_words(filled: Host) -> None:
    found = search(filled, '"heron stood grey"')
    assert {hit.id for hit in found.hits} == {"s#1", "s#2"}
    assert found.relaxed == ("heron stood grey",)
    assert any("heron stood grey" in note for note in found.notes)
    assert found.hits[0].highlights


def test_each_phrase_is_judged_alone(filled: Host) -> None:
    found = search(filled, '"grey heron" "elm lock"')
    assert [hit.id for hit in found.hits] == ["s#1"]
    assert found.relaxed == ("elm lock",)


@pytest.mark.parametrize("query", ['"kingfisher"', '-"grey owl"', '""', "heron"])
def test_what_has_no_words_apart_stays(filled: Host, query: str) -> None:
    assert search(filled, query).relaxed == ()


def test_a_phrase_in_a_sentence_is_preferred_and_not_demanded(filled: Host) -> None:
    found = search(filled, 'What did they say about the "grey heron" that I saw at the lock?')
    assert [hit.id for hit in found.hits][:2] == ["s#1", "s#2"]
    assert found.relaxed == ()
    assert any("preferred" in note for note in found.notes)
