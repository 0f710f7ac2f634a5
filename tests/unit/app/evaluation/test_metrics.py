"""Figures of a search test."""

from hypothesis import given
from hypothesis import strategies as st

from app.evaluation.known_item_questions import KnownItemQuestion
from app.evaluation.metrics import answer_rank, percentile, score, score_by_part

PLACES = st.lists(st.none() | st.integers(1, 10), max_size=30)


def test_no_questions_give_zero_scores() -> None:
    assert score("all", []).mrr == 0.0
    assert percentile([], 0.5) == 0.0


def test_shares_and_mean_reciprocal_rank() -> None:
    made = score("all", [1, 2, 6, None])
    assert (made.questions, made.recall_1, made.recall_5, made.recall_10) == (4, 0.25, 0.5, 0.75)
    assert made.mrr == round((1 + 1 / 2 + 1 / 6) / 4, 4)
    assert percentile([5, 1, 3, 2, 4], 0.5) == 3
    assert percentile([5, 1, 3, 2, 4], 0.95) == 5


@given(PLACES)
def test_shares_are_shares(places: list[int | None]) -> None:
    made = score("all", places)
    assert 0 <= made.recall_1 <= made.recall_5 <= made.recall_10 <= 1
    assert made.recall_1 <= made.mrr <= made.recall_10


def test_parts() -> None:
    questions = [KnownItemQuestion("a", "s#1", "latin", "words"), KnownItemQuestion("b", "note-1", "han", "run")]
    names = {part.name: part.questions for part in score_by_part(questions, [1, None])}
    assert names == {"latin": 1, "han": 1, "words": 1, "run": 1, "turns": 1, "memories": 1}


def test_neighbours_count_as_found_and_the_question_itself_is_ignored() -> None:
    questions = KnownItemQuestion("heron", "s#2", "latin", "asked", ("s#3",), "s#1")
    others = [f"t#{number}" for number in range(10)]
    assert answer_rank(questions, ["s#1", "t#1", "s#3", "s#2"]) == 2
    assert answer_rank(questions, ["s#1", *others[:9], "s#2"]) == 10
    assert answer_rank(questions, [*others, "s#2"]) is None
    assert answer_rank(questions, ["s#1"]) is None
