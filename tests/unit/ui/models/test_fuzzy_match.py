"""A few letters find the title one means."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ui.models.fuzzy_match import has_near_words, match, pieces


@pytest.mark.parametrize(
    ("typed", "better", "worse"),
    [
        ("imp", "Import", "Simplify"),
        ("qc", "Quick capture", "Acquisition"),
        ("set", "Settings", "Show or hide the inspector text"),
        ("rose", "Rose list", "Prose and verse"),
        ("gp", "Garden plan", "Graph"),
        ("no", "Notes", "Go back to the note of yesterday"),
    ],
)
def test_better_first(typed: str, better: str, worse: str) -> None:
    good, bad = match(typed, better), match(typed, worse)
    assert good is not None
    assert bad is None or good.score > bad.score


def test_letters_out_of_order_do_not_match() -> None:
    assert match("abc", "cab") is None


def test_case_and_spaces_do_not_count() -> None:
    assert match("QUICK cap", "quick capture") is not None


@given(st.text(max_size=30), st.text(max_size=60))
def test_positions_spell_what_was_typed(typed: str, title: str) -> None:
    found = match(typed, title)
    if found is None:
        return
    assert list(found.positions) == sorted(set(found.positions))
    assert all(0 <= at < len(title) for at in found.positions)


@given(st.text(alphabet=st.characters(codec="ascii"), min_size=1, max_size=40))
def test_title_matches_itself(title: str) -> None:
    assert match(title, title) is not None


def test_long_titles_are_quick() -> None:
    assert match("a" * 20, "ab" * 2000) is not None


@pytest.mark.parametrize(
    ("typed", "title"),
    [
        ("brenan", "Brennan"),
        ("bernnan", "Mr Brennan"),
        ("greenhuose", "The greenhouse"),
        ("kyte", "Kite plan"),
        ("kepeer", "Keeper"),
    ],
)
def test_a_typo_is_near(typed: str, title: str) -> None:
    assert has_near_words(typed, title)
    assert any(piece in title.casefold() for piece in pieces(typed))


@pytest.mark.parametrize(("typed", "title"), [("ros", "Rus"), ("brenan", "Bremen"), ("kite", "Rope"), ("", "Rose")])
def test_short_and_other_words_are_not_near(typed: str, title: str) -> None:
    assert not has_near_words(typed, title)


@given(st.text("abcde", min_size=4, max_size=7), st.integers(0, 6), st.sampled_from("abcdx"), st.integers(0, 2))
def test_a_word_with_one_typo_keeps_one_piece_and_is_near(word: str, at: int, letter: str, kind: int) -> None:
    at = min(at, len(word) - 1)
    typed = (word[:at] + letter + word[at:], word[:at] + letter + word[at + 1 :], word[:at] + word[at + 1 :])[kind]
    assume(len(typed) >= 4)
    assert has_near_words(typed, word)
    assert any(piece in word for piece in pieces(typed))
