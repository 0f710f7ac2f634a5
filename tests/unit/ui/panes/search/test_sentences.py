"""Why a hit was found, and why something was not, in plain sentences."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from app.explain.model import Explanation
from app.retrieval.model import LegScore, Query, Why
from app.retrieval.recipes import RECIPES
from tests.unit.ui.panes.search.test_query_text import hit
from ui.panes.search.result_options import RANKINGS
from ui.panes.search.why.why_not_sentence import why_not_sentence
from ui.panes.search.why.why_sentence import why_sentence

WORDS, VECTOR, FAR = LegScore("words", 1, 9.0), LegScore("vector", 3, 0.6), LegScore("vector", 190, 0.2)
MARCH = datetime(2024, 3, 15, tzinfo=UTC)


@pytest.mark.parametrize(
    ("why", "query", "sentence"),
    [
        (Why(), Query("x"), "stands beside what fits."),
        (Why((WORDS,), ("trip",)), Query("trip"), "says ‘trip’."),
        (Why((WORDS, FAR), ("trip",)), Query("trip"), "says ‘trip’."),
        (
            Why((WORDS, VECTOR), ("trip", "Japan", "Trip")),
            Query("x"),
            "says ‘trip’ and ‘Japan’ and is near in meaning.",
        ),
        (Why((FAR,)), Query("x"), "is near in meaning."),
        (Why((WORDS,)), Query("x"), "has your words in its title or around it."),
        (Why((LegScore("entity", 1, 1.0),)), Query("x"), "mentions what you name."),
        (
            Why((WORDS, VECTOR), ("a", "b", "c", "d", "e")),
            Query("x"),
            "says ‘a’, ‘b’, ‘c’, ‘d’ and more of your words and is near in meaning.",
        ),
        (Why(), Query("x", kinds=("note",), tags=("a", "b")), "is a note and is tagged #a and #b."),
        (Why((VECTOR,)), Query("x", since=0), "is near in meaning and is from March 2024."),
        (
            Why((VECTOR,)),
            Query("x", moments=((1_710_000_000_000, 1_711_000_000_000),)),
            "is near in meaning and is from March 2024.",
        ),
        (Why((VECTOR,)), Query("x", moments=((0, 1),)), "is near in meaning."),
    ],
)
def test_why(qapp: Any, why: Why, query: Query, sentence: str) -> None:
    found = replace(hit("n"), why=why, created_at=MARCH)
    assert why_sentence(found, query) == f"Found because it {sentence}"


def test_a_conversation_and_an_agent_are_named(qapp: Any) -> None:
    found = hit("s#1", "s", title="Japan", agent="claude", kind="message")
    query = Query("x", sessions=("jap",), agents=("claude",))
    assert why_sentence(found, query) == "Found because it comes from claude and stands in ‘Japan’."


@pytest.mark.parametrize(
    ("found", "sentence"),
    [
        (Explanation("", "missing", "x"), "It is no longer there."),
        (
            Explanation("n", "filtered", "x", failed=("kind:note", "tag:a")),
            "Your search leaves it out because of kind:note and tag:a.",
        ),
        (Explanation("n", "excluded", "x", failed=("-straw",)), "Your search rules it out by -straw."),
        (Explanation("n", "shown", "x", place=12), "It was found: it is number 12 of the results."),
        (
            Explanation("n", "below", "x", place=79, limit=50, lacking=("find",)),
            "It was found, but only as number 79; the first 50 are shown. It does not say ‘find’.",
        ),
        (Explanation("n", "unfound", "x"), "It shares no word with your search, and others are nearer in meaning."),
        (
            Explanation("n", "unpooled", "x", terms=("a",), lacking=("b",)),
            "It says ‘a’, but not ‘b’, and others fit better.",
        ),
        (
            Explanation("n", "unpooled", "x", terms=("a",)),
            "It says ‘a’, but so many others do that it did not come among the best.",
        ),
    ],
)
def test_why_not(qapp: Any, found: Explanation, sentence: str) -> None:
    assert why_not_sentence(found) == sentence


@pytest.mark.parametrize("stage", ["deleted", "archived", "forgotten", "unindexed", "spread"])
def test_every_stage_has_a_sentence(qapp: Any, stage: Any) -> None:
    assert why_not_sentence(Explanation("n", stage, "x")).endswith(".")


def test_every_ranking_has_plain_words() -> None:
    assert set(RANKINGS) == {"", *RECIPES}
