"""A phrase without matches is searched by its words; a phrase with matches is strict."""

import pytest

from app.api.caller import Caller
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
    result: Found = host.ask("memory.search", query=query, recipe="words")
    return result


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


@pytest.mark.parametrize("query", ["heron's", "heron’s zzzqqq", "What is the heron's blood type?"])
def test_what_is_of_something_is_searched_by_its_name(filled: Host, query: str) -> None:
    found = search(filled, query)
    assert {hit.id for hit in found.hits} == {"s#1", "s#2"}
    assert found.notes == ()


def test_a_phrase_with_a_possessive_is_taken_as_it_is(filled: Host) -> None:
    assert search(filled, '"the heron\'s"').relaxed == ("the heron's",)


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


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("zzzqqq", "No text has the word “zzzqqq”."),
        ("What is the zzzqqq?", "No text has the word “zzzqqq”."),
        ("zzzqqq xxyy kind:message", "No text has any of the words “zzzqqq”, “xxyy”."),
        ("zzzq*", "No text has the word “zzzq*”."),
        ('"zzz qqq"', "No text has any of the words “zzz”, “qqq”."),
        ("鶴亀", "No text has the word “鶴亀”."),
        ("b1 b2 b3 b4 b5 b6", "No text has any of the words “b1”, “b2”, “b3”, “b4”, “b5” …."),
    ],
)
@pytest.mark.parametrize("recipe", ["words", "balanced", "learned"])
def test_missing_words_are_named(filled: Host, query: str, said: str, recipe: str) -> None:
    found = filled.ask("memory.search", query=query, recipe=recipe)
    assert said in found.notes
    assert not found.hits  # nothing is near in meaning either


@pytest.mark.parametrize(
    "query", ["zzzqqq heron", "heron kind:note", "heron -grey", "kind:fact", "-zzzqqq", "heron", "the", "!!!", ""]
)
def test_no_note_where_a_word_occurs_or_none_is_searched(filled: Host, query: str) -> None:
    assert not any("No text" in note for note in filled.ask("memory.search", query=query).notes)


def test_meaning_alone_says_nothing_of_words(filled: Host) -> None:
    assert filled.ask("memory.search", query="zzzqqq", recipe="vector").notes == ()


def test_words_in_unreadable_stores_count_as_missing(filled: Host) -> None:
    filled.ask("note.save", content="a weir", title="Weir", store="shared")
    filled.ask("vault.settle")
    agent = Caller("agent", "inner")
    found = filled.call("memory.search", {"query": "garden"}, agent).result().value
    assert found.notes == ("No text has the word “garden”.",)
    assert filled.call("memory.search", {"query": "weir"}, agent).result().value.notes == ()
