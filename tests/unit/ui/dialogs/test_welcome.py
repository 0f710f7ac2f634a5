"""The steps of the first start: each can be skipped, all lead somewhere, and help shows them again."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from tests.unit.ui.panes.test_every_pane import _nameless
from ui.dialogs.welcome import WelcomeDialog
from ui.shell.navigation import Place
from ui.theme import Scheme, Theme
from ui.widgets.icon_label import IconLabel
from ui.window import Window


@pytest.fixture
def welcome(window: Window) -> WelcomeDialog:
    assert window.dialogs is not None
    window.dialogs.vault = "/home/me/Keepsake"
    assert window.registry.run("help.welcome")
    front = window.sheets.front
    assert isinstance(front, WelcomeDialog)
    return front


def labelled(welcome: WelcomeDialog, text: str) -> QPushButton:
    return next(button for button in welcome.findChildren(QPushButton) if button.text() == text)


@pytest.mark.parametrize("step", [0, 1])
def test_every_step_but_the_last_can_be_skipped(welcome: WelcomeDialog, window: Window, step: int) -> None:
    for _ in range(step):
        welcome.next.click()
    assert welcome.step == step
    welcome.skip.click()
    assert window.sheets.front is None


def test_three_steps_and_back(welcome: WelcomeDialog, window: Window) -> None:
    assert welcome.before.isHidden()
    welcome.next.click()
    welcome.before.click()
    assert welcome.step == 0
    welcome.next.click()
    welcome.next.click()
    assert (welcome.step, welcome.next.text()) == (2, "Start")
    assert welcome.skip.isHidden()
    welcome.next.click()
    assert window.sheets.front is None


def test_the_keyboard_walks_through(welcome: WelcomeDialog, qtbot: QtBot) -> None:
    assert welcome.next.hasFocus()
    qtbot.keyClick(welcome.next, Qt.Key.Key_Space)
    assert welcome.step == 1
    qtbot.keyClick(welcome, Qt.Key.Key_Escape)
    assert welcome.is_closed


def test_buttons_lead_somewhere(welcome: WelcomeDialog, qtbot: QtBot) -> None:
    requested: list[object] = []
    welcome.sample_requested.connect(lambda: requested.append("sample"))
    welcome.navigate.connect(requested.append)
    labelled(welcome, "Look at a sample vault").click()
    assert not welcome.is_closed
    labelled(welcome, "Connect agents").click()
    assert requested == ["sample", Place("agents")]
    assert welcome.is_closed


def test_the_vault_is_named_and_everything_has_a_name(welcome: WelcomeDialog) -> None:
    assert any("/home/me/Keepsake" in label.text() for label in welcome.findChildren(type(welcome._where)))
    assert not _nameless(welcome)


def test_the_first_step_shows_the_programs_own_picture_in_both_schemes(welcome: WelcomeDialog, look: Theme) -> None:
    logo = max(welcome.findChildren(IconLabel), key=IconLabel.width)
    corners = []
    for scheme in (Scheme.LIGHT, Scheme.DARK):
        look.set_scheme(scheme)
        picture = logo.grab().toImage()
        box = (round(picture.width() * 0.2), round(picture.height() * 0.8))
        corners.append(picture.pixelColor(*box).name())
    assert corners[0] == corners[1] != look.tokens.accent
