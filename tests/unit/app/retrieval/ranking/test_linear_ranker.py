"""Linear ranker on a real vault: filters hold for all candidates, and hits have reasons."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from app.errors import ModelUnavailableError
from app.host import Host
from app.retrieval.model import Found
from app.retrieval.ranking.features import BLOCKS, NAMES
from app.retrieval.ranking.linear_ranker import SETS, load_ranker

BEGUN = datetime(2024, 3, 1, tzinfo=UTC)
TALK = (
    ("user", "Where did you spend the summer?"),
    ("assistant", "Mostly in Lisbon, by the river."),
    ("user", "And where did you stay?"),
    ("assistant", "With my aunt."),
    ("user", "The weather must have been secret hot."),
    ("assistant", "It was."),
)


@pytest.fixture
def talked(host: Host) -> Host:
    messages = [
        {"role": role, "content": text, "created_at": (BEGUN + timedelta(days=day)).isoformat()}
        for day, (role, text) in enumerate(TALK)
    ]
    host.ask("session.append", session="summer", agent="Guide", messages=messages)
    host.ask("note.save", content="Lisbon: tram 28, river ferry #travel", title="Lisbon", store="shared")
    host.ask("note.save", content="Buy bread", title="Shopping")
    host.ask("vault.settle")
    return host


def search(host: Host, query: str, **fields: Any) -> Found:
    result: Found = host.ask("memory.search", query=query, recipe="learned", **fields)
    return result


def ids(found: Found) -> set[str]:
    return {hit.id for hit in found.hits}


def test_turns_near_a_find_are_found_too(talked: Host) -> None:
    assert {"summer#2", "summer#3", "summer#4"} <= ids(search(talked, "How was the summer in Lisbon?"))


def test_each_hit_says_what_its_features_added(talked: Host) -> None:
    found = search(talked, "Lisbon river")
    best = found.hits[0]
    assert best.why.features.keys() <= set(NAMES)
    assert sum(best.why.features.values()) == pytest.approx(best.score, abs=0.01)
    assert {leg.leg for leg in best.why.legs} == {"words", "vector"}
    assert [hit.score for hit in found.hits] == sorted((hit.score for hit in found.hits), reverse=True)


def test_each_target_stands_once(talked: Host) -> None:
    hits = [hit.id for hit in search(talked, "Lisbon").hits]
    assert len(hits) == len(set(hits))


@pytest.mark.parametrize(
    ("operator", "allowed"),
    [
        ("role:user", {"summer#1", "summer#3", "summer#5"}),
        ("kind:message", {f"summer#{seq}" for seq in range(1, 7)}),
        ("before:2024-03-03", {"summer#1", "summer#2"}),
        ("after:2024-03-02 before:2024-03-04", {"summer#2", "summer#3"}),
        ("session:summer", {f"summer#{seq}" for seq in range(1, 7)}),
        ("-secret kind:message", {f"summer#{seq}" for seq in (1, 2, 3, 4, 6)}),
        ('"my aunt"', {"summer#4"}),
    ],
)
def test_added_candidates_pass_the_filter(talked: Host, operator: str, allowed: set[str]) -> None:
    found = ids(search(talked, f"Lisbon river summer stay {operator}"))
    assert found
    assert found <= allowed


def test_a_caller_sees_its_stores_only(talked: Host) -> None:
    from app.api.caller import Caller

    unrelated = Caller("stranger", "inner")
    reply = talked.call("memory.search", {"query": "Lisbon river", "recipe": "learned"}, unrelated).result()
    assert {hit.store for hit in reply.value.hits} == {"shared"}


def test_words_alone_rank_with_weights_of_their_own(vault: Path) -> None:
    host = Host(vault, overrides={"index.vectors": False})
    host.start()
    try:
        host.ask("session.append", session="s", messages=[{"role": "user", "content": "the ferry to Lisbon"}])
        host.ask("vault.settle")
        found = search(host, "Lisbon ferry")
        assert [hit.id for hit in found.hits] == ["s#1"]
        assert found.legs == ("words",)
    finally:
        host.stop()


def test_a_question_without_words_or_answer(talked: Host) -> None:
    assert search(talked, "zebra", legs=["words"]).hits == ()
    assert search(talked, "kind:note").hits[0].why.features == {}
    assert search(talked, "lisbon", legs=["vector"]).legs == ("vector",)


def test_pages_follow_each_other(talked: Host) -> None:
    whole = [hit.id for hit in search(talked, "Lisbon river").hits]
    pages = [
        hit.id
        for start in range(0, len(whole), 2)
        for hit in search(talked, "Lisbon river", limit=2, offset=start).hits
    ]
    assert pages == whole


def test_the_weights_that_come_with_the_program_fit_the_features() -> None:
    ranker = load_ranker()
    for weights in (ranker.with_vectors, ranker.with_model, ranker.words_only):
        assert len(weights) == BLOCKS * len(NAMES)


def test_the_weights_are_those_for_what_was_found() -> None:
    ranker = load_ranker()
    assert ranker.weights({"words", "vector"}, is_contextual=False) is ranker.with_vectors
    assert ranker.weights({"words", "vector"}, is_contextual=True) is ranker.with_model
    assert ranker.weights({"words"}, is_contextual=True) is ranker.words_only


@pytest.mark.parametrize("content", [None, "", "{}", "[1]", '{"with_vectors": {"x": [1, 2]}, "words_only": {}}'])
def test_damaged_weights_are_said(tmp_path: Path, content: str | None) -> None:
    if content is not None:
        (tmp_path / "weights.json").write_text(content, encoding="utf-8")
    with pytest.raises(ModelUnavailableError, match="reinstall"):
        load_ranker(tmp_path)


def test_weights_that_are_no_numbers_are_said(tmp_path: Path) -> None:
    weights = {name: [1.0, float("nan")] for name in NAMES}
    content = json.dumps(dict.fromkeys(SETS, weights))
    (tmp_path / "weights.json").write_text(content, encoding="utf-8")
    with pytest.raises(ModelUnavailableError):
        load_ranker(tmp_path)
