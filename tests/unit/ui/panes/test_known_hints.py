"""Hints while one writes: what is known shows after a pause, and never moves the text."""

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from app.host import Host
from app.retrieval.model import Hit, Target, Why
from tests.unit.ui.conftest import Rest
from tests.unit.ui.panes.test_every_pane import _nameless
from ui.bridge import Bridge
from ui.panes.known_hints import KnownHints
from ui.panes.known_row import KnownRow, settled
from ui.panes.pane import Place


@pytest.fixture
def row(qtbot: QtBot, look: object) -> Iterator[KnownRow]:
    row = KnownRow()
    qtbot.addWidget(row)
    row.resize(700, row.height())
    row.show()
    yield row
    row.hide()


@pytest.fixture
def known(host: Host) -> str:
    """Return the id of a note that is known."""
    note = host.ask("note.save", content="Marta grows tomatoes on the balcony in summer", title="Balcony")
    host.ask("vault.settle")
    return str(note.id)


def test_what_is_known_shows_without_moving_or_taking_the_keyboard(
    host: Host, bridge: Bridge, row: KnownRow, rest: Rest, known: str
) -> None:
    hints = KnownHints(bridge, row, row)
    height = row.height()
    hints.typed("Ask Marta which tomatoes grow on a balcony")
    rest(lambda: bool(row.titles))
    assert row.titles == ["Balcony"]
    assert row.height() == height
    assert not row.hasFocus()
    assert _nameless(row) == []
    places: list[Place] = []
    row.opened.connect(places.append)
    row.findChildren(QPushButton)[0].click()
    assert places == [Place("notes", known)]


def test_the_note_itself_and_too_little_text_give_no_hint(
    host: Host, bridge: Bridge, row: KnownRow, rest: Rest, known: str
) -> None:
    hints = KnownHints(bridge, row, row, lambda: known)
    hints.typed("Marta grows tomatoes on the balcony in summer")
    rest(lambda: not hints._timer.isActive() and not bridge.is_busy)
    assert row.titles == []
    hints.typed("Marta")
    assert not hints._timer.isActive()


def test_hints_are_dismissed_for_this_text_alone(
    host: Host, bridge: Bridge, row: KnownRow, rest: Rest, known: str
) -> None:
    hints = KnownHints(bridge, row, row)
    hints.typed("Ask Marta which tomatoes grow on a balcony")
    rest(lambda: bool(row.titles))
    row.close_button.click()
    assert row.titles == []
    hints.typed("Ask Marta which tomatoes grow on a balcony in summer")
    assert not hints._timer.isActive()
    hints.begin()
    hints.typed("Ask Marta which tomatoes grow on a balcony in summer")
    rest(lambda: bool(row.titles))


def _hit(identity: str, target: Target = "memory") -> Hit:
    return Hit(identity, target, "note", identity, "", (), 1.0, Why(), datetime(2020, 5, 1, tzinfo=UTC))


def test_a_hint_stays_in_its_place_while_it_is_near() -> None:
    one, two, three, four = map(_hit, ("one", "two", "three", "four"))
    assert settled((), [one, two, three, four]) == [one, two, three]
    assert settled((one, two), [three, two, four, one]) == [one, two, three]
    assert settled((one, two), [three, two]) == [two, three]
    assert settled((one,), []) == []


def test_only_what_was_said_has_a_day(row: KnownRow) -> None:
    row.show_hits([_hit("note"), _hit("talk#3", "message")])
    assert row.titles[0] == "note"
    assert "2020" in row.titles[1]
    assert "2020" not in row.findChildren(QPushButton)[0].accessibleName()


def test_the_setting_turns_hints_off(host: Host, bridge: Bridge, row: KnownRow, rest: Rest, known: str) -> None:
    host.ask("settings.set", name="window.hints", value=False)
    hints = KnownHints(bridge, row, row)
    hints.typed("Ask Marta which tomatoes grow on a balcony")
    rest(lambda: not hints._timer.isActive() and not bridge.is_busy)
    assert row.titles == []
    host.ask("settings.set", name="window.hints", value=True)
    rest(lambda: hints._is_on is None)
    hints.typed("Ask Marta which tomatoes grow on a balcony")
    rest(lambda: bool(row.titles))
