"""Of overlapping finds the surer stands, then the longer; what is left never overlaps."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from app.entities.ner.overlap import resolve_overlaps
from app.entities.ner.provider import NameSpan


def span(start: int, end: int, confidence: float = 0.5) -> NameSpan:
    return NameSpan(start, end, "x" * (end - start), "person", confidence)


spans = st.lists(
    st.builds(
        lambda start, length, confidence: span(start, start + length, confidence),
        st.integers(0, 40),
        st.integers(0, 12),
        st.sampled_from((0.2, 0.5, 0.9)),
    ),
    max_size=25,
)


def test_the_surer_then_the_longer_then_the_earlier_stands() -> None:
    assert resolve_overlaps([span(0, 10, 0.5), span(2, 4, 0.9)]) == [span(2, 4, 0.9)]
    assert resolve_overlaps([span(0, 3), span(1, 9)]) == [span(1, 9)]
    assert resolve_overlaps([span(3, 6), span(0, 3), span(2, 5)]) == [span(0, 3), span(3, 6)]


@given(spans)
def test_nothing_overlaps_and_nothing_is_lost_without_a_better_one(given_spans: list[NameSpan]) -> None:
    chosen = resolve_overlaps(given_spans)
    assert all(first.end <= second.start for first, second in itertools.pairwise(chosen))
    assert set(chosen) <= set(given_spans)
    for one in given_spans:
        if one.start == one.end or one in chosen:
            continue
        rivals = [other for other in chosen if other.start < one.end and one.start < other.end]
        rank = (one.confidence, one.end - one.start)
        assert any((other.confidence, other.end - other.start) >= rank for other in rivals)


@given(spans, st.randoms())
def test_the_order_given_does_not_matter(given_spans: list[NameSpan], draw: object) -> None:
    shuffled = list(given_spans)
    draw.shuffle(shuffled)  # type: ignore[attr-defined]
    assert resolve_overlaps(shuffled) == resolve_overlaps(given_spans)
