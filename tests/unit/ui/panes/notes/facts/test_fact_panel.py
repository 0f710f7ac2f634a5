"""A fact in the inspector: forecast, confirm, pin, correct and the belief timeline, over a real vault."""

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.host import Host
from tests.helpers.screen_reader import is_offered, press
from tests.unit.ui.conftest import Rest
from tests.unit.ui.panes.notes.conftest import OpenNotes
from ui.bridge import Bridge
from ui.panes.notes.facts.belief_row import BeliefRow
from ui.panes.notes.facts.confidence_curve import ConfidenceCurve
from ui.panes.pane import Place
from ui.theme import Scheme, Theme

if TYPE_CHECKING:
    from ui.notice import Notice
    from ui.panes.notes.pane import NotesPane


def _fact(host: Host, content: str = "Anna lives in Graz", **known: object) -> str:
    return str(host.ask("fact.remember", content=content, **{"decay_rate": 0.05, **known}).memory.id)


def _open(pane: "NotesPane", identity: str, bridge: Bridge, rest: Rest) -> None:
    pane.open_place(Place("notes", identity))
    rest(lambda: pane.controller.id == identity and not bridge.is_busy)


def test_a_note_has_no_confidence(open_notes: OpenNotes, host: Host, bridge: Bridge, rest: Rest) -> None:
    note = host.ask("note.save", content="Words", title="Note").id
    pane = open_notes()
    _open(pane, note, bridge, rest)
    assert not pane.inspector.fact.isVisible()


def test_it_says_when_it_fades_and_confirming_stops_that(
    open_notes: OpenNotes, host: Host, bridge: Bridge, rest: Rest, notices: "list[Notice]", qtbot: QtBot
) -> None:
    fact = _fact(host)
    pane = open_notes()
    _open(pane, fact, bridge, rest)
    panel = pane.inspector.fact
    assert "it fades on" in panel.sentence
    assert panel.curve.accessibleDescription() == panel.sentence
    press(panel, "Confirm")
    rest(lambda: panel.sentence == "You keep this for good." and not bridge.is_busy)
    assert panel.curve.isHidden()
    assert not is_offered(panel, "Confirm")
    assert host.ask("fact.confidence", id=fact).kept == "confirmed"
    host.ask("memory.undo", history_ids=list(notices[-1].history_ids))
    rest(lambda: "it fades on" in panel.sentence and not bridge.is_busy)


def test_pinning_holds_it(open_notes: OpenNotes, host: Host, bridge: Bridge, rest: Rest) -> None:
    pane = open_notes()
    fact = _fact(host)
    _open(pane, fact, bridge, rest)
    panel = pane.inspector.fact
    press(panel, "Pin")
    rest(lambda: is_offered(panel, "Unpin") and "pinned" in panel.sentence and not bridge.is_busy)
    press(panel, "Unpin")
    rest(lambda: is_offered(panel, "Pin") and "it fades on" in panel.sentence and not bridge.is_busy)


def test_a_correction_by_keyboard_opens_the_new_fact_and_shows_the_old_one(
    open_notes: OpenNotes, host: Host, bridge: Bridge, rest: Rest, qtbot: QtBot, notices: "list[Notice]"
) -> None:
    old = _fact(host)
    pane = open_notes()
    _open(pane, old, bridge, rest)
    panel = pane.inspector.fact
    press(panel, "Correct…")
    assert panel.form.isVisible()
    assert not panel.form.save.isEnabled(), "it says just that"
    qtbot.keyClick(panel.form.field, Qt.Key.Key_Escape)  # type: ignore[no-untyped-call]
    assert not panel.form.isVisible()
    press(panel, "Correct…")
    panel.form.field.setPlainText("Anna lives in Linz")
    qtbot.keyClick(panel.form.field, Qt.Key.Key_Return)  # type: ignore[no-untyped-call]
    rest(lambda: pane.controller.id not in ("", old) and len(panel.findChildren(BeliefRow)) == 2)
    rest(lambda: not bridge.is_busy)
    assert notices[-1].text == "Corrected the fact"
    assert host.ask("note.get", id=pane.controller.id).content == "Anna lives in Linz"
    first = next(row for row in panel.findChildren(BeliefRow) if row.isVisible())
    assert first.button.accessibleName().startswith("Anna lives in Graz, On ")
    first.button.click()
    rest(lambda: pane.controller.id == old and "another fact took its place" in panel.sentence)
    assert not is_offered(panel, "Correct…")
    rest(lambda: not bridge.is_busy)


@pytest.mark.parametrize("direction", [Qt.LayoutDirection.LeftToRight, Qt.LayoutDirection.RightToLeft])
def test_the_curve_is_painted_in_every_look(
    open_notes: OpenNotes, host: Host, bridge: Bridge, rest: Rest, look: Theme, direction: Qt.LayoutDirection
) -> None:
    fact = _fact(host)
    pane = open_notes()
    _open(pane, fact, bridge, rest)
    curve = pane.inspector.fact.curve
    curve.setLayoutDirection(direction)
    pictures = set()
    for scheme in (Scheme.LIGHT, Scheme.DARK):
        look.set_scheme(scheme)
        picture = curve.grab().toImage()
        colours = {picture.pixelColor(x, y).name() for x in range(picture.width()) for y in range(picture.height())}
        assert look.tokens.accent in colours
        assert look.tokens.warning in colours
        pictures.add(frozenset(colours))
    assert len(pictures) == 2


def test_a_curve_without_a_fact_paints_nothing(qtbot: QtBot, look: Theme) -> None:
    curve = ConfidenceCurve()
    qtbot.addWidget(curve)
    assert not curve.grab().isNull()
