"""Finding memories of nearly the same words: as exact as comparing with each of them."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.core.stores import STORES
from app.memories import repo
from app.memories.deduplication.similar import LENGTHS, SimilarFinder, text_of
from app.memories.deduplication.word_sets import LONGEST, jaccard, restates, word_set
from app.memories.model import NewMemory
from tests.helpers.access import EVERYTHING
from tests.unit.app.memories.deduplication_harness import DeduplicationHarness

NAMED = """
the a of running ran runs day days naïve NAÏVE nai\u0308ve straße ΣΊΣΥΦΟΣ йод и\u0306од don't x-ray a_b 4711 4712 🥰
a🥰b 我们今天 我们 今天去 用iPhone买 カタカナ 한국어 あ ไทยภาษา ᎣᏏᏲ ½ ²
İstanbul ẞ ᏣᎳ Აბ "quoted" AND NOT * ( grams: \u200bx ﬁn ＡＢ用 ｶﾞ
"""
WORDS = st.sampled_from([*NAMED.split(), "x" * 70])
TEXTS = st.builds(
    lambda words, gaps: "".join(word + gap for word, gap in zip(words, gaps, strict=False)),
    st.lists(WORDS, min_size=1, max_size=9),
    st.lists(st.sampled_from([" ", "  ", "\n", ", ", ".", "、", "/", "…"]), min_size=9, max_size=9),
)


@pytest.fixture
def harness(vault: Path) -> Iterator[DeduplicationHarness]:
    harness = DeduplicationHarness(vault)
    yield harness
    harness.close()


def found(harness: DeduplicationHarness, text: str, threshold: float, kind: str = "fact") -> dict[str, float]:
    def work(connection: object) -> dict[str, float]:
        similar = SimilarFinder().find(
            connection,  # type: ignore[arg-type]
            text,
            threshold,
            kind=kind,
            stores=("private",),
            now_ms=harness.clock.ms,
            limit=1_000,
        )
        return {one.memory.id: one.score for one in similar}

    return harness.read(work)


def similarity(first: str, second: str) -> float:
    shorter, longer = sorted((len(first), len(second)))
    return 0.0 if longer > LENGTHS * shorter else jaccard(word_set(first), word_set(second))


def by_comparing(harness: DeduplicationHarness, text: str, threshold: float) -> dict[str, float]:
    ids = [row[0] for row in harness.rows("SELECT id FROM memories WHERE kind = 'fact' AND store = 'private'")]
    memories = harness.read(lambda connection: repo.many(connection, ids, stores=STORES))
    scores = {memory.id: similarity(text, text_of(memory)) for memory in memories}
    return {name: score for name, score in scores.items() if score >= threshold and score > 0}


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(TEXTS, min_size=1, max_size=12), TEXTS, st.sampled_from([0.3, 0.5, 0.75, 0.9, 1.0]))
def test_finder_finds_what_comparing_with_each_finds(
    harness: DeduplicationHarness, texts: list[str], requested: str, threshold: float
) -> None:
    for text in texts:
        if text.strip():
            harness.save(text, kind="fact")
    for text in (requested, texts[0]):
        assert found(harness, text, threshold) == by_comparing(harness, text, threshold)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.permutations([f"word{number}" for number in range(160)]), st.integers(0, 60))
def test_words_of_a_long_memory_are_found_over_its_chunks(
    harness: DeduplicationHarness, words: list[str], dropped: int
) -> None:
    harness.save(" ".join(words), title="Long", kind="fact")
    requested = " ".join(words[dropped:])
    assert found(harness, requested, 0.75) == by_comparing(harness, requested, 0.75)
    assert bool(found(harness, requested, 0.75)) == (len(set(words[dropped:])) / 161 >= 0.75) or dropped == 0


def test_other_kinds_stores_and_what_is_gone_are_left_out(harness: DeduplicationHarness) -> None:
    text = "the heron stands in the river"
    harness.save(text, kind="note")
    harness.save(text, kind="fact", store="shared")
    gone = harness.save(text, kind="fact")
    harness.do(harness.service.delete(EVERYTHING, gone.id))
    short = harness.save(text, kind="fact", expires_at=gone.created_at.replace(year=2030))
    kept = harness.save(text, kind="fact")
    assert found(harness, text, 0.75) == {short.id: 1.0, kept.id: 1.0}
    harness.clock.ms = 3_000_000_000_000
    assert found(harness, text, 0.75) == {kept.id: 1.0}
    assert found(harness, "", 0.75) == found(harness, "!?", 0.75) == {}


def test_texts_of_very_different_length_are_not_compared(harness: DeduplicationHarness) -> None:
    close, far = (harness.save(text, kind="fact").id for text in ("tea tea tea", "tea " * 9))
    assert found(harness, "tea tea", 0.75) == {close: 1.0}
    assert found(harness, "tea " * 8, 0.75) == {far: 1.0}


def test_terms() -> None:
    assert word_set("Don't STOP, naïve_one!") == {"don", "t", "stop", "naïve", "one"}
    assert word_set("naïve") == word_set("NAÏVE")
    assert word_set("我们今天") == {"我们", "们今", "今天"}
    assert word_set("用iPhone") == {"用", "iphone"}
    assert word_set("x" * (LONGEST + 1) + " 🥰 …") == frozenset()
    assert jaccard(frozenset("abc"), frozenset("abd")) == 0.5
    assert jaccard(frozenset(), frozenset()) == 0.0


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("I like it", "I do like it"),
        ("a garden, the LAKE", "The garden the lake!"),
        ("my sister lives here", "my sister lives here now"),
        ("Caf\u00e9 on the corner", "Cafe\u0301 on the corner"),
    ],
)
def test_sentence_that_says_no_more_restates(new: str, old: str) -> None:
    assert restates(new, old)


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("it is 4", "it is 5"),
        ("I do", "I don't"),
        ("我喜欢茶", "我不喜欢茶"),
        ("the red car in the garage", "the blue car in the garage"),
        ("Mona wrote to Jonas", "Lena wrote to Jonas"),
        ("Mona wrote to Jonas", "Jonas wrote to Mona"),
        ("they met", "they met Rosa"),
        ("it costs 5", "it costs €5"),
        ("she knows C++", "she knows C#"),
        ("he eats fish on Fridays", "he eats fish except on Fridays"),
        ("he stole it", "she denied he stole it"),
        ("plan A it is", "plan B it is"),
        ("she left before noon", "she left after noon"),
        ("he is ill", "he was ill"),
        ("x" * (LONGEST + 1), "y" * (LONGEST + 1)),
    ],
)
def test_sentence_that_differs_in_anything_that_matters_does_not_restate(new: str, old: str) -> None:
    assert not restates(new, old)
    assert not restates(old, new)


PLAIN_WORDS = st.text("abcdefgh", min_size=2, max_size=6)


@given(st.lists(PLAIN_WORDS, min_size=4, max_size=12), st.data(), st.sampled_from(["Rosa", "7", "not", "azure", "€"]))
def test_sentence_with_any_word_replaced_never_restates(words: list[str], data: st.DataObject, other: str) -> None:
    at = data.draw(st.integers(0, len(words) - 1))
    new, old = " ".join([*words[:at], other, *words[at + 1 :]]), " ".join(words)
    assert restates(old, old)
    assert not restates(new, old)


def test_related_facts_come_by_the_words_that_tell(harness: DeduplicationHarness) -> None:
    harness.do(harness.service.save(EVERYTHING, NewMemory("The heron of the pond is the oldest", kind="note")))
    near = harness.save("The heron of the pond is grey", kind="fact")
    harness.save("The cat of the house is the best", kind="fact")

    def work(connection: object) -> list[str]:
        return SimilarFinder().related(
            connection,  # type: ignore[arg-type]
            "the heron is the white one",
            kind="fact",
            stores=("private",),
            limit=5,
        )

    assert harness.read(work) == [near.id]


def test_how_common_a_word_is_is_counted_anew_once_it_brings_many_candidates(harness: DeduplicationHarness) -> None:
    finder = SimilarFinder()

    def look(text: str) -> int:
        return harness.read(
            lambda connection: len(
                finder.find(connection, text, 0.75, kind="fact", stores=("private",), now_ms=harness.clock.ms)
            )
        )

    assert look("zebra one") == 0
    for number in range(40):
        harness.fact(f"zebra {number} grazes", category="zebras", key=f"{number}")
    assert finder._counts["zebra"] == 0
    look("zebra one")
    look("zebra one")
    assert finder._counts["zebra"] == 40
