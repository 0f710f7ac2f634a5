"""Features of messages with their neighbours, and of memories."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.retrieval.candidates.scored_chunks import MessagePlace, occurrence_number
from app.retrieval.query.parser import parse
from app.retrieval.query.question import analyse_question
from app.retrieval.ranking.candidate_pool import candidate_pool, merge_scores, with_owner_ids
from app.retrieval.ranking.features import (
    BLOCKS,
    NAMES,
    build_table,
    expand_interactions,
    is_message_query,
    min_max_scale,
    with_session_similarity,
)
from app.retrieval.ranking.session_similarity import session_similarity
from tests.unit.app.retrieval.ranking.ranking_inputs import Line, Scored, SessionTotals, columns_of, gathered, scores

DAY = 86_400_000
OCTOBER_2023 = 1_697_328_000_000  # the 15th
NOW = OCTOBER_2023 + 50 * DAY


def line(seq: int, text: str, author: str = "", role: str = "user", *, allowed: bool = True, at: int = DAY) -> Line:
    return Line(seq, "message", "s", seq, at + seq, role, author, text, allowed)


def words(*scores: tuple[int, float]) -> list[Scored]:
    return [Scored(seq, "message", "s", "", seq, seq, DAY, score) for seq, score in scores]


def features(question: str, lines: list[Line], found: list[Scored]) -> dict[str, list[float]]:
    ask = analyse_question(parse(question, NOW))
    places = list(dict.fromkeys(line.place for line in lines))
    made = build_table(gathered(ask, lines, found, places, 100, [5] * len(ask.search_words)))
    return dict(zip(NAMES, made.values.T.tolist(), strict=True))


LINES = [
    line(1, "Have you been to Lisbon?", "Ana"),
    line(2, "Yes, last week, with my brother.", "Ben"),
    line(3, "How lovely", "Ana"),
]


def test_a_turn_knows_its_neighbours() -> None:
    got = features("When did Ben travel to Lisbon", LINES, words((1, 4.0)))
    assert got["bm25"] == [4, 0, 0]
    assert got["bm25_before"] == [0, 4, 0]
    assert got["bm25_after"] == [0, 0, 0]
    assert got["question_before"] == [0, 1, 0]
    assert got["question"] == [1, 0, 0]
    assert got["answer"] == [0, 4, 0]
    assert got["coverage_window"][1] == got["coverage"][0] > got["coverage"][1] == 0
    assert got["bm25_session"] == [4, 4, 4]


def test_speaker_and_time() -> None:
    got = features("When did Ben travel to Lisbon", LINES, words((1, 4.0)))
    assert got["speaker"] == [0, 1, 0]
    assert got["other_speaker"] == [1, 0, 1]
    assert got["time"] == [0, 1, 0]
    assert features("Ben in Lisbon", LINES, [])["time"] == [0, 0, 0]


def test_of_several_who_are_named_the_first_stands_out() -> None:
    several = features("What did Ben tell Ana of Lisbon", LINES, words((1, 4.0)))
    assert several["speaker"] == [1, 1, 1]
    assert several["first_speaker"] == [0, 1, 0]
    assert features("What did Ana ask Ben", LINES, [])["first_speaker"] == [1, 0, 1]
    assert features("What did Ben say of Lisbon", LINES, [])["first_speaker"] == [0, 0, 0]


def test_a_speaker_goes_on_two_turns_later() -> None:
    assert features("lovely brother", LINES, [])["coverage_onward"] == pytest.approx([0.5, 0, 0])


def test_numbers_and_names_count_for_questions_about_them() -> None:
    lines = [line(1, "we keep three hens"), line(2, "they met Kenji in Kyoto"), line(3, "do you like hens?")]
    counted, named = features("how many hens", lines, []), features("who was met", lines, [])
    assert (counted["number"], counted["names"]) == ([1, 0, 0], [0, 0, 0])
    assert (named["number"], named["names"]) == ([0, 0, 0], [0, 2, 0])
    assert counted["first_person"] == pytest.approx([1 / 9, 0, 0])
    assert counted["second_person"] == pytest.approx([0, 0, 1 / 9])


def test_the_latest_conversation_counts_in_a_long_question_and_in_a_message() -> None:
    lines = [line(1, "hens", at=DAY), Line(2, "message", "t", 1, 9 * DAY, "user", "", "hens", True)]
    assert features("hens", lines, [])["session_recency"] == pytest.approx([20 / 21, 1])
    values = np.zeros((2, len(NAMES)))
    recency, length, message = map(NAMES.index, ("session_recency", "question_length", "message"))
    values[:, recency] = [0, 1]
    for long, several in ((0, 0), (1, 0), (0, 1), (1, 1)):
        values[:, [length, message]] = [long - 0.5, several - 0.5]
        got = expand_interactions(min_max_scale(values))[1].reshape(BLOCKS, len(NAMES))[:, recency]
        assert got.tolist() == [0, 0, long, several]


def test_a_message_has_several_sentences() -> None:
    for text, message in (("hens?", -0.5), ("Hens. And now?", -0.5), ("Hi. Hens. And now?", 0.5)):
        lines = [line(1, "hens"), line(2, "eggs")]
        ask = analyse_question(parse(text, NOW))
        read = gathered(ask, lines, [], [line.place for line in lines], 9, [1] * len(ask.search_words))
        values = min_max_scale(build_table(read).values)
        assert values[:, NAMES.index("message")].tolist() == [message] * 2
        assert is_message_query(values) == (message > 0)
    assert not is_message_query(values[:0])


def test_what_is_like_the_best_counts_in_a_message_alone() -> None:
    own, similarity, recent, message, newest = map(
        NAMES.index, ("bm25", "kin", "kin_recent", "message", "session_recency")
    )
    values = np.zeros((3, len(NAMES)))
    values[0, own] = values[2, newest] = 1
    weights = np.zeros(BLOCKS * len(NAMES))
    weights[own] = 5
    alike = session_similarity(np.array([1, 2, 3]), np.array([[1, 0], [0, 1], [0.9, 0.1]], dtype=np.float32))
    for several in (-0.5, 0, 0.5):
        values[:, message] = several
        made = with_session_similarity(values, weights, alike)
        assert made[:, similarity].argmax() == made[:, recent].argmax() == 2
        reported = expand_interactions(made).reshape(3, BLOCKS, len(NAMES))[:, :, [similarity, recent]]
        assert not reported[:, :-1].any()
        assert reported[2, -1].tolist() == [several + 0.5] * 2


def test_a_date_in_the_question_matches_the_day_it_was_said() -> None:
    lines = [line(1, "x", at=OCTOBER_2023), line(2, "y", at=OCTOBER_2023 + 40 * DAY)]
    assert features("trip in October 2023", lines, [])["date"] == [1, 0]
    assert features("trip on 15 October", lines, [])["date"] == [1, 0]
    assert features("trip on 14 October", lines, [])["date"] == [0, 0]
    assert features("trip", lines, [])["date"] == [0, 0]
    assert features("trip on 14 October", lines, [])["date_near"][0] == pytest.approx(1)
    assert features("trip", lines, [])["date_near"] == [0, 0]


def test_relative_times_count_from_the_time_of_the_question() -> None:
    lines = [line(1, "x", at=NOW - 2 * DAY), line(2, "y", at=NOW - 30 * DAY), line(3, "z", at=NOW - DAY)]
    near = features("the trip of yesterday", lines, [])["date_near"]
    assert near[2] == 1 > near[0] > near[1]
    assert features("the trip", lines, [])["date_near"] == [0, 0, 0]


def test_words_are_found_by_their_stem_and_from_their_beginning() -> None:
    got = features("studies art", [line(1, "She studied."), line(2, "a party"), line(3, "Art. to study")], [])
    assert got["coverage"] == pytest.approx([0.5, 0, 1])


def test_adjacent_words() -> None:
    lines = [line(1, "the red car"), line(2, "red, and much later than that a car"), line(3, "a car, red")]
    assert features("red car", lines, [])["pairs"] == [1, 0, 0]


def test_scripts_without_spaces() -> None:
    got = features("北京大学", [line(1, "我在北京大学读书"), line(2, "我在上海")], [])
    assert got["coverage"] == pytest.approx([1, 0])


def test_a_memory_is_its_own_window() -> None:
    pieces = [Line(n, "memory", "note-1", n, DAY, "note", "", text, True) for n, text in enumerate(["rye", "bread"])]
    got = features("rye bread", pieces, [Scored(1, "memory", "", "note-1", 1, 1, DAY, 2.0)])
    assert got["coverage"] == got["coverage_window"] == pytest.approx([1])
    assert got["bm25"] == got["bm25_passage"] == [2]
    assert got["memory"] == [1]


def test_what_the_query_forbids_is_context_only() -> None:
    lines = [line(1, "Lisbon?", allowed=False), line(2, "Yes")]
    got = features("Lisbon", lines, [])
    assert got["coverage_before"] == [1]


def test_a_passage_lends_its_score_to_its_turns() -> None:
    passage = Scored(9, "passage", "s", "", 2, 3, DAY, 7.0)
    assert features("Lisbon", LINES, [passage])["bm25_passage"] == [0, 7, 7]


def test_nothing_found_is_an_empty_table() -> None:
    made = build_table(gathered(analyse_question(parse("x", NOW)), [], [], [], 0, [0]))
    assert len(made.ids) == 0
    assert expand_interactions(min_max_scale(made.values)).shape == (0, BLOCKS * len(NAMES))


@given(st.lists(st.lists(st.floats(-1e6, 1e6), min_size=len(NAMES), max_size=len(NAMES)), min_size=1, max_size=8))
def test_inputs_are_bounded(rows: list[list[float]]) -> None:
    got = expand_interactions(min_max_scale(np.array(rows)))
    assert got.shape == (len(rows), BLOCKS * len(NAMES))
    assert np.isfinite(got).all()
    assert (np.abs(got) <= 1 + 1e-9).all()


def test_the_register_follows_the_length_of_texts() -> None:
    values = np.zeros((2, len(NAMES)))
    values[:, NAMES.index("bm25")] = [0, 1]
    for register in (-0.5, 0.5, 0):
        values[:, NAMES.index("register")] = register
        assert expand_interactions(min_max_scale(values))[1, len(NAMES) + NAMES.index("bm25")] == pytest.approx(
            register
        )
    for length, register in ((20, -0.5), (3_000, 0.5)):
        assert features("Lisbon", [line(1, "x" * length)], [])["register"] == [register]


def test_what_conversations_say_and_a_memory_as_much_as_its_words() -> None:
    note = Line(9, "memory", "note-1", 1, DAY, "note", "", "rye", True)
    lines = [line(1, "rye"), note]
    found = [*words((1, 4.0)), Scored(9, "memory", "", "note-1", 1, 1, DAY, 2.0)]
    ask, said = analyse_question(parse("rye", NOW)), {"s": SessionTotals(6.0, 3.0, 2.0, 10.0)}
    made = build_table(gathered(ask, lines, found, [("s", 1), note.place], 9, [1], said))
    got = dict(zip(NAMES, made.values.T.tolist(), strict=True))
    assert got["session_words"] == [6, 3]
    assert got["session_coverage"] == [2, 1]
    assert got["session_length"] == pytest.approx([math.log(11), 0])


def test_the_pool_has_neighbours_and_messages_of_passages_up_to_its_limit() -> None:
    legs = [*words((5, 9.0)), Scored(9, "passage", "s", "", 20, 22, DAY, 8.0)]
    columns = columns_of([], legs)
    found = merge_scores(columns, scores(columns, legs), scores(columns, []))

    def places(most: int) -> list[MessagePlace]:
        return with_owner_ids(columns, candidate_pool(found, most))

    assert set(places(200)) == {("s", seq) for seq in (3, 4, 5, 6, 7, 20, 21, 22)}
    assert places(1) == [("s", 5)]


@pytest.mark.parametrize("text", ["", "the", "?!", "a" * 5_000, "red red red"])
def test_any_question_has_features(text: str) -> None:
    assert len(features(text, LINES, [])["bm25"]) == 3


def _bm25_text(*texts: str) -> list[float]:
    return features("lisbon", [line(number, text) for number, text in enumerate(texts, 1)], [])["bm25_text"]


def test_bm25_of_texts_has_the_numbers_worked_out_by_hand() -> None:
    """One word in 5 of 100 chunks: idf = ln(95.5 / 5.5) = 2.8543.

    k1 is 1.2 and b is 0.5.
    """
    # Equally long: 2.2 / (1 + 1.2) and 2 * 2.2 / (2 + 1.2) of the idf.
    assert _bm25_text("lisbon abcdefg", "lisbon lisbon.", "nothing of it.") == pytest.approx(
        [2.8543, 3.9247, 0.0], abs=1e-4
    )
    # Of 10 and 30 characters, 20 on average: 2.2 / (1 + 0.9) and 2.2 / (1 + 1.5) of the idf.
    assert _bm25_text("lisbon abc", "lisbon " + "abcdefg " * 2 + "abcdefg") == pytest.approx([3.3050, 2.5118], abs=1e-4)


def test_bm25_of_a_window_takes_its_turns_together() -> None:
    lines = [line(number, text) for number, text in enumerate(("lisbon abc", "abcdefghij", "lisbon abc"), 1)]
    # All three see the whole window, which has the word twice: 2 * 2.2 / (2 + 1.2) of 2.8543.
    assert features("lisbon", lines, [])["bm25_window"] == pytest.approx([3.9247] * 3, abs=1e-4)


def test_of_a_conversation_the_nth_best_find_counts_an_nth() -> None:
    lines = [line(number, "x") for number in range(1, 5)]
    got = features("y", lines, words((1, 6.0), (3, 4.0), (2, 3.0)))
    assert got["bm25_session"] == [9.0] * 4  # 6 + 4 / 2 + 3 / 3


def test_the_nth_of_each_is_counted_in_the_order_given() -> None:
    owner = np.array([7, 3, 7, 7, 3, 9])
    assert occurrence_number(owner).tolist() == [1, 1, 2, 3, 2, 1]
    assert occurrence_number(owner[:0]).tolist() == []


def test_the_first_places_of_a_leg_are_worth_the_most() -> None:
    lines = [line(number, "x") for number in range(1, 4)]
    assert features("y", lines, words((1, 6.0), (3, 4.0)))["words_rank"] == pytest.approx([10 / 11, 0.0, 10 / 12])
