"""The tray says what goes on; without one, nothing is shown through it."""

from collections.abc import Iterator

import pytest
from pytestqt.qtbot import QtBot

from app.changes import Progress
from ui import tray
from ui.notify import notify
from ui.shell.status.status_line import VaultSummary
from ui.theme import Scheme, Theme
from ui.tray import Tray
from ui.window import Window


@pytest.fixture
def icon(window: Window) -> Iterator[Tray]:
    tray = Tray(window.registry, window)
    yield tray
    tray.dispose()


def test_line_and_state_follow(icon: Tray) -> None:
    assert icon.line.text() == "Opening…"
    icon.set_summary(VaultSummary(41208, 312))
    assert (icon.state, icon.line.text()) == ("idle", "Idle · 41,208 memories · 312 sessions · index complete")
    icon.set_progress(Progress("j", "Importing R&D.zip", 5, 10, "messages"))
    assert icon.state == "working"
    assert icon.line.text().startswith("Importing R&&D.zip: 5 of 10")
    icon.set_progress(Progress("j", "t", 10, 10, state="finished"))
    assert icon.state == "idle"
    icon.set_summary(VaultSummary(1, 1, notes=("The model is missing.",)))
    assert icon.state == "attention"


def test_menu_has_the_functions_of_the_window(icon: Tray, window: Window, qtbot: QtBot) -> None:
    shared = [window.registry.qaction(name) for name in ("file.capture", "file.settings", "file.quit")]
    assert all(action in icon.menu.actions() for action in shared)
    assert icon.menu.defaultAction().text() == "Open Keepsake"
    with qtbot.waitSignal(icon.open_requested):
        icon.menu.defaultAction().trigger()


@pytest.mark.parametrize("state", list(tray.STATES))
@pytest.mark.parametrize("scheme", [Scheme.LIGHT, Scheme.DARK])
def test_icon_has_every_size(look: Theme, state: str, scheme: Scheme) -> None:
    look.set_scheme(scheme)
    made = tray.state_icon(state)
    assert {size.width() for size in made.availableSizes()} == set(tray.SIZES)


def test_no_tray_offscreen_and_no_notifications(qapp: object) -> None:
    assert not tray.available()
    assert not notify(None, "Saved", "Kept as a note.")
