from dataclasses import replace
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from app.cli.hit_lines import found_lines, marked, why_words
from app.retrieval.model import Found, Hit, LegScore, Query, Span, Why

WHEN = datetime(2026, 9, 15, 8, 13, tzinfo=UTC)


def hit(title: str = "Soil", snippet: str = "a soil report", spans: tuple[Span, ...] = ()) -> Hit:
    why = Why((LegScore("words", 2, 3.1), LegScore("vector", 5, 0.7)), ("soil",))
    return Hit("ses-1#4", "message", "message", title, snippet, spans, 1.0, why, WHEN, agent="Atlas")


def test_a_hit_says_rank_title_place_words_and_reasons() -> None:
    lines = found_lines(Found(Query("soil"), "balanced", (hit(), hit("Second"))), 1, styled=False)
    assert lines[0] == " 1. Soil"
    assert "Atlas · message · ses-1#4" in lines[1]
    assert lines[2].strip() == "a soil report"
    assert lines[3].strip() == "why: words 2; meaning 5; has soil"
    assert lines[5] == " 2. Second"


def test_nothing_found_is_said_with_the_notes() -> None:
    assert found_lines(Found(Query("x"), "words", (), notes=("Try less.",)), 1, styled=False) == [
        "Nothing found.",
        "Try less.",
    ]


def test_terms_are_marked_for_those_who_see_it() -> None:
    assert marked("a soil b", (Span(2, 6),), styled=True) == "a \x1b[1msoil\x1b[0m b"
    assert marked("a soil b", (Span(2, 6),), styled=False) == "a soil b"


def test_without_legs_the_filters_are_the_reason() -> None:
    assert why_words(Why()) == "matches the filters"
    assert why_words(Why(features={"bm25_window": 1.2})) == "stands beside what was found"
    assert why_words(Why(features={"date_near": 0.4})) == "is from the time you name"
    far = Why((LegScore("vector", 11, 0.1),), features={"bm25_window": 1.2})
    assert why_words(far, "neighbour") == "stands beside what was found"
    assert why_words(far, "meaning") == "meaning 11"
    judged = Why((LegScore("words", 1, 2.0),), (), {"cross_encoder": 0.873})
    assert why_words(judged) == "words 1; reading model 0.87"
    assert why_words(replace(judged, features={"late_interaction": 21.5})) == "words 1; reading model 21.50"


@given(st.text(), st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30))))
def test_any_spans_leave_the_words_alone(text: str, ranges: list[tuple[int, int]]) -> None:
    spans = tuple(Span(min(pair), max(pair)) for pair in ranges)
    plain = marked(text, (), styled=False)
    assert marked(text, spans, styled=False) == plain
    assert marked(text, spans, styled=True).replace("\x1b[1m", "").replace("\x1b[0m", "").split() == plain.split()


def test_text_of_others_cannot_steer_the_terminal() -> None:
    hostile = replace(hit("\x1b[2J\nx", "\x1b]0;t\x07"), id="chatgpt:\x1b]0;t\x07\n\x9b2J\u202e#1")
    for line in found_lines(Found(Query(""), "words", (hostile,)), 1, styled=False):
        assert "\x9b" not in line
        assert "\u202e" not in line
        assert "\x1b" not in line
        assert "\n" not in line
