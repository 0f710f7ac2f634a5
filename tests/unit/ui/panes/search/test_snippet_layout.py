"""The text of a result: how high it is without being laid out, and how it is laid out."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.retrieval.model import Span
from ui.panes.search.snippet_layout import LINES, Ruler, height, laid_out
from ui.theme import Theme

WORDS = st.lists(st.text(alphabet="abcil.Wé漢я", min_size=1, max_size=12), min_size=1, max_size=50)


def test_what_does_not_fit_ends_in_an_ellipsis(look: Theme) -> None:
    long = laid_out("some words of a text that goes on " * 20, (Span(0, 4), Span(400, 440)), 300)
    assert long.text().endswith("…")
    assert long.lineCount() == LINES
    assert len(long.formats()) == 2
    short = laid_out("some words", (Span(0, 4),), 300)
    assert (short.text(), short.lineCount()) == ("some words", 1)
    unbroken = laid_out("x" * 2000, (), 300)
    assert unbroken.text().endswith("…")
    assert unbroken.lineCount() == LINES


@given(WORDS, st.integers(120, 700))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_text_never_needs_more_room_than_it_gets(look: Theme, words: list[str], width: int) -> None:
    text = " ".join(words)
    drawn = laid_out(text, (), width)
    assert drawn.boundingRect().height() <= height(text, width)
    assert drawn.lineCount() == LINES or not drawn.text().endswith("…")


@pytest.mark.parametrize(
    "script",
    ["the quick brown fox said, “oh!” ", "съешь ещё этих булок ", "Größe, naïve façade: ", "a well-known/old To-do "],
)
@pytest.mark.parametrize("width", [130, 300, 460, 640, 900])
def test_lines_are_counted_as_they_are_drawn(look: Theme, script: str, width: int) -> None:
    ruler = Ruler(look.font("body"))
    for length in range(1, 240, 5):
        text = (script * 12)[:length].strip()
        drawn = laid_out(text, (), width)
        assert ruler.lines(text, width) == drawn.lineCount(), text
        assert drawn.lineCount() == LINES or drawn.text() == text


def test_higher_scripts_get_higher_lines(look: Theme) -> None:
    ruler = Ruler(look.font("body"))
    assert ruler.pitch("plain “words” of a text…") == ruler.pitch("plain")
    assert ruler.pitch("漢字") >= laid_out("漢字", (), 300).lineAt(0).height()


def test_a_larger_text_is_measured_anew(look: Theme) -> None:
    text = "some words of a text that goes on " * 3
    before = height(text, 500)
    look.set_scale(2.0)
    assert height(text, 500) > before * 1.8
