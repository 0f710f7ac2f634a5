"""The order in which the palette lists things."""

from hypothesis import given
from hypothesis import strategies as st

from ui.dialogs.palette.palette_entries import SHOWN, Entry, ranked


def _nothing() -> None: ...


def _entries(*titles: str) -> list[Entry]:
    return [Entry(title, title, _nothing) for title in titles]


def _titles(entries: list[Entry]) -> list[str]:
    return [entry.title for entry in entries]


def test_nothing_typed_recent_first() -> None:
    assert _titles(ranked(_entries("A", "B", "C"), "", ["C", "B"])) == ["C", "B", "A"]


def test_best_match_first() -> None:
    assert _titles(ranked(_entries("Simplify", "Import", "Quit"), "imp", [])) == ["Import", "Simplify"]


def test_recent_wins_among_equals() -> None:
    assert _titles(ranked(_entries("Note one", "Note two"), "note", ["Note two"]))[0] == "Note two"


def test_other_words_find_it_too_but_later() -> None:
    entries = [Entry("a", "Follow the system", _nothing, also="theme"), Entry("b", "Theme park", _nothing)]
    assert _titles(ranked(entries, "theme", [])) == ["Theme park", "Follow the system"]


def test_other_words_are_found_by_how_they_begin_and_with_those_of_the_title() -> None:
    entries = [Entry("a", "New schedule", _nothing, also="goal recurring")]
    assert ranked(entries, "new goal", []) == entries
    assert ranked(entries, "goals", []) == []
    assert ranked(entries, "ecu", []) != entries


def test_last_resorts_stay_last() -> None:
    entries = [Entry("s", "Search everything", _nothing, last=True), *_entries("Rose")]
    assert _titles(ranked(entries, "rose", [])) == ["Rose", "Search everything"]


@given(st.lists(st.text(min_size=1, max_size=8), max_size=80), st.text(max_size=4))
def test_bounded_and_from_what_there_is(titles: list[str], typed: str) -> None:
    shown = ranked(_entries(*titles), typed, [])
    assert len(shown) <= SHOWN
    assert set(_titles(shown)) <= set(titles)
