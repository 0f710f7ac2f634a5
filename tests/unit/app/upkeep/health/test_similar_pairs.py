"""Similar pairs: the same as comparing every text with every other."""

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from app.upkeep.health.similar_pairs import packed, similar_pairs

TEXTS = st.lists(st.frozensets(st.integers(0, 9), max_size=8), max_size=25)


def jaccard(first: frozenset[int], second: frozenset[int]) -> float:
    return len(first & second) / len(first | second) if first | second else 0.0


@given(TEXTS, st.sampled_from((0.5, 0.6, 0.75, 0.9, 1.0)))
def test_it_finds_what_comparing_all_texts_finds(texts: list[frozenset[int]], threshold: float) -> None:
    found = set(similar_pairs([packed(text) for text in texts], threshold))
    alike = {
        (texts[one], texts[two])
        for one, two in combinations(range(len(texts)), 2)
        if texts[one] and jaccard(texts[one], texts[two]) >= threshold
    }
    assert {frozenset((texts[one], texts[two])) for one, two in found} == {frozenset(pair) for pair in alike}
    assert all(one < two for one, two in found)


def test_it_stops_after_so_many_comparisons() -> None:
    texts = [frozenset({1, 2, 3, number + 10}) for number in range(1000)]
    assert len(list(similar_pairs([packed(text) for text in texts], 0.5, most_compared=100))) <= 100
