"""Places, links to them, and the way back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytestqt.qtbot import QtBot

from ui.shell.navigation import HISTORY_LIMIT, Navigation, Place, link_of, place_of


@pytest.mark.parametrize(
    ("link", "place"),
    [
        ("keepsake://memory/note-0197", Place("notes", "note-0197")),
        ("keepsake://session/ses-0197#12", Place("sessions", "ses-0197", "12")),
        ("keepsake://session/ses-0197#x", Place("sessions", "ses-0197")),
        ("keepsake://entity/ent-0197", Place("graph", "ent-0197")),
        ("keepsake://search", Place("search")),
        ("keepsake://search/red%20roses", Place("search", extra="red roses")),
        (" keepsake://memory/note-0197\n", Place("notes", "note-0197")),
    ],
)
def test_link_leads_somewhere(link: str, place: Place) -> None:
    assert place_of(link) == place


@pytest.mark.parametrize(
    "link",
    ["", "keepsake://", "keepsake://memory/", "https://memory/note-1", "keepsake://x/1", "keepsake://[", "note-1"],
)
def test_other_links_lead_nowhere(link: str) -> None:
    assert place_of(link) is None


@given(st.text(min_size=1).filter(lambda text: text.strip("/") == text))
def test_search_links_come_back(words: str) -> None:
    place = Place("search", extra=words)
    assert place_of(link_of(place)) == place


@pytest.mark.parametrize(
    "place",
    [Place("notes", "note-1"), Place("sessions", "ses-1"), Place("sessions", "ses-1", "7"), Place("graph", "ent-1")],
)
def test_links_come_back(place: Place) -> None:
    assert place_of(link_of(place)) == place


def test_pane_alone_has_no_link() -> None:
    assert link_of(Place("graph")) == ""


def test_back_and_forward(qtbot: QtBot) -> None:
    places = Navigation()
    for identity in ("a", "b", "c"):
        places.visit(Place("notes", identity))
    places.go_back()
    places.go_back()
    assert places.current == Place("notes", "a")
    assert not places.can_go_back
    places.go_back()
    places.go_forward()
    assert places.current == Place("notes", "b")
    places.visit(Place("notes", "d"))
    assert not places.can_go_forward
    with qtbot.waitSignal(places.moved) as moved:
        places.go_back()
    assert moved.args == [Place("notes", "b")]


def test_same_place_twice_is_one_step() -> None:
    places = Navigation()
    places.visit(Place("notes", "a", title="A"))
    places.visit(Place("notes", "a", title="A, renamed"))
    assert not places.can_go_back


@given(st.lists(st.one_of(st.integers(0, 5), st.sampled_from(["back", "forward"])), max_size=400))
def test_cursor_stays_inside(steps: list[int | str]) -> None:
    places = Navigation()
    for step in steps:
        if step == "back":
            places.go_back()
        elif step == "forward":
            places.go_forward()
        else:
            places.visit(Place("notes", str(step)))
            assert places.current == Place("notes", str(step))
    assert len(places._places) <= HISTORY_LIMIT
