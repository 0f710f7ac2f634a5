"""Explanations of searches, on a real vault."""

from typing import Any

import pytest

from app.api.caller import Caller
from app.core.text_rules.recall_fence import fence_text
from app.errors import InputError
from app.explain.model import Explanation
from app.host import Host


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Any:
    host = Host(tmp_path_factory.mktemp("explain") / "vault", serve=False)
    host.start()
    turns = [{"role": "user", "content": f"The heron ate frog number {number} by the lock."} for number in range(60)]
    turns.append({"role": "assistant", "content": "Quince jelly needs three potatoes, said the umbrella."})
    turns.append({"role": "user", "content": fence_text("- ⟦s#1⟧ heron")[0]})
    host.ask("session.append", session="birds", title="Birds", messages=turns)
    host.ask("session.append", session="gone", messages=[{"role": "user", "content": "A heron once."}])
    host.ask("session.forget", session="gone")
    host.ask("note.save", id="note-elm", content="Herons nest in the old elm.", title="Elm", store="shared")
    host.ask("note.save", id="note-old", content="Heron, deleted")
    host.ask("note.delete", id="note-old")
    many = [{"role": "user", "content": f"An egret, count {number}."} for number in range(400)]
    many.append({"role": "user", "content": "cabbage leaves and stones " * 60 + "egret"})
    host.ask("session.append", session="many", messages=many)
    host.ask("note.save", id="note-shelved", content="Heron, shelved")
    host.ask("archive.put", ids=["note-shelved"])
    host.ask("vault.settle")
    yield host
    host.stop()


def explain(host: Host, query: str, target: str, caller: Caller | None = None, **fields: Any) -> Explanation:
    query_text = {"query": query, "id": target, **fields}
    found: Explanation = host.call("search.explain", query_text, caller or Caller("person")).result().value
    return found


@pytest.mark.parametrize("fields", [{"limit": 0}, {"limit": 201}, {"per_session": 0}, {"recipe": "none"}])
def test_numbers_and_names_out_of_bounds(filled: Host, fields: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        explain(filled, "heron", "birds#1", **fields)


@pytest.mark.parametrize(
    "target", ["", "#", "birds#", "birds#999", "birds#99999999999999999999", "nobody", "\0", "birds#x"]
)
def test_what_is_not_there(filled: Host, target: str) -> None:
    found = explain(filled, "heron", target)
    assert (found.stage, found.id) == ("missing", "")
    assert found.sentence


def test_what_the_caller_may_not_see_is_not_there(filled: Host) -> None:
    inner, familiar = Caller("agent", "inner"), Caller("agent", "familiar")
    assert explain(filled, "heron", "birds#1", inner) == explain(filled, "heron", "nobody", inner)
    assert explain(filled, "elm", "note-elm", familiar) == explain(filled, "elm", "nobody", familiar)
    assert explain(filled, "elm", "note-elm", inner).stage == "shown"


@pytest.mark.parametrize(
    ("query", "target", "stage"),
    [
        ("heron", "note-old", "deleted"),
        ("heron", "note-shelved", "archived"),
        ("heron", "gone#1", "forgotten"),
        ("heron", "birds#62", "unindexed"),
        ("heron kind:note", "birds#1", "filtered"),
        ("heron -session:birds", "birds#1", "filtered"),
        ("heron store:social tag:x before:2001", "note-elm", "filtered"),
        ("heron -frog", "birds#1", "excluded"),
        ('"old elm"', "birds#1", "excluded"),
        ("quince potatoes", "birds#61", "shown"),
        ("elm", "note-elm", "shown"),
    ],
)
def test_each_stage(filled: Host, query: str, target: str, stage: str) -> None:
    found = explain(filled, query, target)
    assert found.stage == stage
    assert found.sentence.endswith(".")
    assert (found.suggestion == "") == (stage in ("shown", "unindexed"))


def test_each_operator_that_fails_is_named(filled: Host) -> None:
    found = explain(filled, "heron store:social tag:x kind:note before:2001 is:pinned", "note-elm")
    assert found.failed == ("tag:x", "store:social", "is:pinned", "before:2001-01-01")


def test_the_place_is_that_of_the_search(filled: Host) -> None:
    hits = [hit.id for hit in filled.ask("memory.search", query="heron", limit=60).hits]
    for place in (1, 5, 30):
        found = explain(filled, "heron", hits[place - 1], limit=10)
        assert found.place == place
        assert found.stage == ("shown" if place <= 10 else "below")
        assert found.last_shown == hits[9]


def test_what_is_below_says_what_would_show_it_and_that_it_does(filled: Host) -> None:
    hits = [hit.id for hit in filled.ask("memory.search", query="lock", limit=60).hits]
    found = explain(filled, "lock", hits[40], limit=3)
    assert found.stage == "below"
    assert "41" in found.sentence
    for remedy in found.remedies:
        again = [hit.id for hit in filled.ask("memory.search", query=remedy.query, limit=3).hits]
        assert again[remedy.place - 1] == hits[40]
        assert remedy.query in found.suggestion


def test_a_text_without_the_words_is_ranked_in_each_leg_exactly(filled: Host) -> None:
    found = explain(filled, "frog number lock", "birds#61", recipe="words")
    assert found.stage == "unfound"
    assert [(leg.leg, leg.rank, leg.of) for leg in found.legs] == [("words", None, 60)]
    assert (found.terms, found.lacking) == ((), ("frog", "number", "lock"))
    assert found.remedies
    assert found.remedies[0].place == 1
    everything = explain(filled, "frog number lock", "birds#61", recipe="vector")
    [vector] = everything.legs
    assert vector.of >= 62
    assert vector.rank is not None


def test_what_was_found_but_not_ranked_says_what_would_show_it(filled: Host) -> None:
    found = explain(filled, "egret", "many#401")
    assert found.stage == "unpooled"
    words = next(leg for leg in found.legs if leg.leg == "words")
    assert words.rank is not None
    assert 200 < words.rank <= words.depth
    assert found.remedies[0].place <= 20


def test_others_of_its_conversation_keep_it_out(filled: Host) -> None:
    hits = [hit.id for hit in filled.ask("memory.search", query="heron frog", limit=20).hits]
    second = [hit for hit in hits if hit.startswith("birds#")][1]
    found = explain(filled, "heron frog", second, per_session=1)
    assert found.stage == "spread"
    assert "1 message of a conversation" in found.sentence


@pytest.mark.parametrize("query", ["", "   ", "!!!", "🦩", '"', "-heron", "kind:message", "the"])
def test_any_query_is_explained(filled: Host, query: str) -> None:
    assert explain(filled, query, "birds#3", limit=100).sentence


@pytest.mark.parametrize(
    ("query", "stage", "message"),
    [
        ("quince umbrella", "shown", "birds#61"),
        ("heron kind:note", "filtered", "birds#"),
        ("kind:note", "filtered", "birds#1"),
    ],
)
def test_a_conversation_stands_for_its_message_that_fits_best(
    filled: Host, query: str, stage: str, message: str
) -> None:
    found = explain(filled, query, "birds")
    assert found.stage == stage
    assert found.id.startswith(message)


def test_a_conversation_is_hidden_from_who_may_not_read_it(filled: Host) -> None:
    inner = Caller("agent", "inner")
    assert explain(filled, "heron", "birds", inner) == explain(filled, "heron", "nobody", inner)
    assert explain(filled, "heron", "gone").stage == "forgotten"
