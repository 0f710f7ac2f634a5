"""Snippets: marks agree with the index, and the best part is shown."""

import re
import sys
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.retrieval.model import Span, Term
from app.retrieval.query.match_expression import search_terms
from app.retrieval.results.snippets import LENGTH, MAX_TERMS_SHOWN, snippet, spans


def painted(text: str, *terms: Term, length: int = LENGTH) -> str:
    """Return the snippet with its marks in brackets."""
    shown, marks, _ = snippet(text, terms, length)
    for mark in reversed(marks):
        shown = f"{shown[: mark.start]}[{shown[mark.start : mark.end]}]{shown[mark.end :]}"
    return shown


def plain(text: str) -> list[Term]:
    return [Term(word) for word in text.split()]


@pytest.mark.parametrize(
    ("text", "query_text", "expected"),
    [
        ("I was running as he runs", "run", "I was [running] as he [runs]"),
        ("so happy, happily", "happiness", "so [happy], happily"),
        ("Le CAFÉ et le cafe\u0301", "café", "Le [CAFÉ] et le [cafe\u0301]"),
        ("Re\u0301sume\u0301 here", "resume", "[Re\u0301sume\u0301] here"),
        ("art, part, article, arts", "art", "[art], part, article, [arts]"),
        ("don't do it", "don't", "[don't] do it"),
        ("call foo_bar now, foo or bar", "foo_bar", "call [foo_bar] now, foo or bar"),
        ("the cat", "the cat", "the [cat]"),
        ("the of", "the", "[the] of"),
        ("我们今天去东京", "今天 东京", "我们[今天]去[东京]"),
        ("我们今天去东京", "明天去东", "我们今[天去东]京"),
        ("我用iPhone手机", "iphone", "我用[iPhone]手机"),
        ("ＡＢＣ", "abc", "[ＡＢＣ]"),
        ("กำลังไปโรงเรียนวันนี้", "โรงเรียน", "กำลังไป[โรงเรียน]วันนี้"),
        ("나는 학교에 간다", "학교", "나는 [학교]에 간다"),
        ("हिन्दी में हिन", "हिन्दी", "[हिन्दी] में हिन"),
        ("Привет, МИР", "мир", "Привет, [МИР]"),
        ("nothing here", "absent", "nothing here"),
        ("mp3 and mp3s", "mp3", "[mp3] and [mp3s]"),
        ("C++ and c", "C++", "[C]++ and [c]"),
    ],
)
def test_marks(text: str, query_text: str, expected: str) -> None:
    assert painted(text, *plain(query_text)) == expected


def test_phrases_prefixes_and_excluded_terms() -> None:
    text = "red bicycle, bicycle red; universities"
    assert painted(text, Term("red bicycle", phrase=True)) == "[red bicycle], bicycle red; universities"
    assert painted(text, Term("univ", prefix=True)) == "red bicycle, bicycle red; [universities]"
    assert painted(text, Term("red", excluded=True)) == text
    assert painted("red  bicycle", Term("red bicycle", phrase=True)) == "[red bicycle]"
    assert painted("red big bicycle", Term("red bicycle", phrase=True)) == "red big bicycle"


def test_the_words_found_as_they_stand() -> None:
    _, _, words = snippet("Ran, RUNNING and runs to the Café", plain("cafe run absent"))
    assert words == ("RUNNING", "Café")


def test_the_part_with_most_different_words_is_shown() -> None:
    text = "apple apple apple " + "filler " * 100 + "an apple and a pear in a bowl " + "filler " * 100
    shown = painted(text, Term("apple"), Term("pear"))
    assert "an [apple] and a [pear] in a bowl" in shown
    assert shown.startswith("…filler")
    assert shown.endswith("filler…")


def test_without_a_match_the_beginning_is_shown() -> None:
    text = "first words " + "filler " * 100
    shown, marks, words = snippet(text, plain("absent"))
    assert shown.startswith("first words filler")
    assert shown.endswith("filler…")
    assert (marks, words) == ((), ())


def test_a_match_at_either_end_keeps_its_side() -> None:
    assert snippet("apple " + "filler " * 100, plain("apple"))[0].startswith("apple filler")
    assert snippet("filler " * 100 + "apple", plain("apple"))[0].endswith("filler apple")


def test_white_space_is_collapsed_around_marks() -> None:
    assert painted("\n\n a \n\t apple  \n pie \n", Term("apple")) == "a [apple] pie"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Costs:\n- rose apple\n* pie - 3\n  + tart", "Costs: rose [apple] pie - 3 tart"),
        ("5 - 3 apple * 2", "5 - 3 [apple] * 2"),
        ("-5 apple\n-6 degrees", "-5 [apple] -6 degrees"),
        ("# Apple\n\n## Pie\n> said\n>> - [x] done\r\n- [ ] apple", "[Apple] Pie said done [apple]"),
        ("| a | b |\n|---|:--:|\n| apple | c |", "| a | b | | [apple] | c |"),
        ("over\n---\n* * *\napple", "over [apple]"),
        ("1. apple\n2. pie, on\n5. May", "1. [apple] 2. pie, on 5. May"),
        ("C # apple\n#tag *bold*", "C # [apple] #tag *bold*"),
        ("- ", "-"),
        ("---\n- ", "--- -"),
    ],
)
def test_signs_of_lines_go_and_a_minus_stays(text: str, expected: str) -> None:
    assert painted(text, Term("apple")) == expected


def test_words_within_a_sign_stay_marked() -> None:
    assert painted("- [x] one\n- [x] two", Term("x")) == "[[x]] one [[x]] two"


def test_a_part_never_begins_or_ends_with_half_a_sign() -> None:
    item = "- [x] an apple in a bowl\n"
    for length in range(20, 60):
        shown, _, _ = snippet(
            "- [ ] other things lie here\n" * 4 + item + "- [ ] and there too\n" * 4, plain("apple"), length
        )
        assert not set(shown) & set("-[]")


def test_what_lies_far_is_not_looked_at() -> None:
    assert spans("x " * 100_000 + "apple", plain("apple")) == ()
    shown, marks, _ = snippet("x " * 100_000 + "apple", plain("apple"))
    assert marks == ()
    assert shown.endswith("…") or shown.startswith("x")


def test_many_words_found_are_few_shown() -> None:
    many = [f"w{number}" for number in range(60)]
    assert len(snippet(" ".join(many), plain(" ".join(many)))[2]) == MAX_TERMS_SHOWN


def test_spans_of_a_whole_text() -> None:
    assert spans("an apple, two apples", plain("apple")) == (Span(3, 8), Span(14, 20))


def test_characters_are_not_cut() -> None:
    family = "👩‍👩‍👧‍👦"
    shown, _, _ = snippet(family * 100, [])
    assert shown.removesuffix("…").replace(family, "") == ""


TEXTS = st.text(max_size=600) | st.text(alphabet="apple pie我们\n\u0301_éกี่ ", max_size=900)
TEXTS |= st.text(alphabet="apple -*#>[]x|:\n", max_size=400)
TERMS = st.lists(
    st.builds(
        Term,
        text=st.sampled_from(["apple", "pie", "我们", "é", "กี", "apple pie", "_", ""]) | st.text(max_size=12),
        phrase=st.booleans(),
        prefix=st.booleans(),
        excluded=st.booleans(),
    ),
    max_size=5,
)


@given(TEXTS, TERMS, st.integers(20, 300))
def test_any_snippet_is_of_the_text_and_marks_lie_in_it(text: str, terms: list[Term], length: int) -> None:
    shown, marks, words = snippet(text, terms, length)
    rest = iter(text)
    assert all(character in rest for character in shown.strip("…") if not character.isspace())
    assert {shown[mark.start : mark.end] for mark in marks} <= {
        " ".join(re.split(r"\s+", text[mark.start : mark.end])) for mark in spans(text, search_terms(terms))
    }
    assert all(0 <= mark.start < mark.end <= len(shown) for mark in marks)
    assert all(first.end <= second.start for first, second in pairwise(marks))
    assert bool(words) == bool(spans(text, search_terms(terms)))
    assert not words or marks
    assert all(word in " ".join(text.split()) or word in text for word in words if not word.isspace())
    longest = max([mark.end - mark.start for mark in spans(text, search_terms(terms))], default=0)
    assert len(shown) <= max(length, longest) + 2


@given(st.lists(st.text(alphabet="abcdeé", min_size=3, max_size=8), min_size=1, max_size=60), st.data())
def test_each_word_of_a_text_is_marked(words: list[str], data: st.DataObject) -> None:
    wanted = data.draw(st.sampled_from(words))
    text = " ".join(words)
    assert wanted in {text[mark.start : mark.end] for mark in spans(text, [Term(wanted, phrase=True)])}


def test_a_word_of_many_letters_is_looked_at_once() -> None:
    finds = 0

    def count(_frame: object, event: str, called: object) -> None:
        nonlocal finds
        finds += event == "c_call" and getattr(called, "__name__", "") == "find"

    text = f"{'x' * 5000} heron {'x' * 50}"
    sys.setprofile(count)
    try:
        marks = spans(text, [Term("x" * 50)])
    finally:
        sys.setprofile(None)
    assert [(mark.start, mark.end) for mark in marks] == [(5007, 5057)]
    assert finds < 100
