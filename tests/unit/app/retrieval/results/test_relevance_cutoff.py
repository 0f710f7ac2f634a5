"""Where the results of a search end: words, messages beside them, then at most ten that are near in meaning."""

from pathlib import Path

import numpy as np
import pytest

from app.host import Host
from app.retrieval.model import Query, Term
from app.retrieval.results.relevance_cutoff import MOST_NEAR, MatchSignals, cut_off, least_near, unrelated_cosine

NOTES = (
    "We saw two zebras at the zoo in Antwerp.",
    "The zebra crossing at the school was painted again.",
    "Bake the bread for fifty minutes in the iron pot.",
    "The landlord raised the rent by four per cent.",
    "Practise the viola before breakfast, scales first.",
    "The car needs new tyres before the winter.",
)


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Host:
    host = Host(Path(tmp_path_factory.mktemp("cutoff")) / "vault", serve=False)
    host.start()
    for note in NOTES:
        host.ask("note.save", content=note)
    talk = ["Which lock do we buy?", "The brass one, it lasts.", "And the hinges?", "From the same shop."]
    host.ask("session.append", session="door", messages=[{"role": "user", "content": text} for text in talk])
    host.ask("vault.settle")
    yield host
    host.stop()


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        ("zebra", [("words", NOTES[0]), ("words", NOTES[1])]),
        ("quantum", []),
        ("quantum submarine", []),
        ("automobile tire", [("meaning", NOTES[5])]),
    ],
)
def test_only_what_has_the_words_or_is_near_is_shown(filled: Host, query: str, shown: list[tuple[str, str]]) -> None:
    result = filled.ask("memory.search", query=query)
    assert sorted((hit.part, hit.snippet) for hit in result.hits) == sorted(shown)
    assert result.candidates == len(shown)
    assert result.near == sum(part == "meaning" for part, _ in shown)


def test_messages_beside_the_words_are_marked(filled: Host) -> None:
    found = filled.ask("memory.search", query="Which lock did we want to buy?")
    parts = {hit.id: hit.part for hit in found.hits}
    assert parts["door#1"] == "words"
    assert parts["door#2"] == "neighbour"


def test_a_search_by_meaning_alone_does_not_end(filled: Host) -> None:
    found = filled.ask("memory.search", query="quantum", recipe="vector")
    assert len(found.hits) == found.near == len(NOTES) + 4
    assert {hit.part for hit in found.hits} == {"meaning"}


def test_at_most_ten_are_near_and_pages_go_on() -> None:
    near = 2 * MOST_NEAR
    signals = MatchSignals(
        np.array([True] + [False] * near), np.zeros(near + 1, dtype=bool), np.full(near + 1, 0.9), np.zeros(near + 1)
    )
    cutoff = cut_off(signals, Query("car", (Term("car"),)), 0.4)
    assert cutoff.rows.tolist() == [*range(MOST_NEAR + 1)]
    assert cutoff.near_count == MOST_NEAR
    assert cutoff.named(0, 2) == ["words", "meaning"]


def test_keywords_show_less_beside_them_than_questions() -> None:
    signals = MatchSignals(
        np.array([True, False, False]), np.array([True, True, True]), np.full(3, -1.0), np.array([8.0, 5.0, 2.0])
    )
    words = tuple(map(Term, ("what", "keeps", "voles", "off", "bark")))
    assert cut_off(signals, Query("voles", words[2:3]), 0.4).rows.tolist() == [0, 1]
    assert cut_off(signals, Query("what keeps voles off bark", words), 0.4).rows.tolist() == [0, 1, 2]


def test_the_floor_is_measured_for_each_model() -> None:
    query = np.array([1.0, 0.0], dtype="<f4")
    texts = np.array([[0.5, 0.866], [0.4, 0.917], [0.6, 0.8], [0.0, 0.0]], dtype=np.float32)
    assert unrelated_cosine(query.tobytes(), texts) == pytest.approx(0.5, abs=0.001)
    assert least_near(0.5) == pytest.approx(2 / 3)
