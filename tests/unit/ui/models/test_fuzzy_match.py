"""A few letters find the title one means."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ui.models.fuzzy_match import match


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
