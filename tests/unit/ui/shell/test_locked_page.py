"""Start page of an encrypted vault: it asks for the passphrase, and keeps none."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from app.errors import PassphraseRequiredError
from tests.unit.ui.panes.test_every_pane import _nameless
from ui.shell.start.opening_advice import OpeningRemedy
from ui.shell.start.start_page import StartPage
from ui.theme import Theme


@pytest.fixture
def page(qtbot: QtBot, look: Theme) -> StartPage:
    page = StartPage()
    qtbot.addWidget(page)
    page.resize(900, 640)
    page.show()
    page.show_opening("/somewhere")
    page.show_error(PassphraseRequiredError("These memories are encrypted."))
    return page


def typed(page: StartPage, text: str) -> None:
    QTest.keyClicks(page.form.field, text)


def test_it_asks_with_the_keyboard_in_the_field(page: StartPage) -> None:
    assert page.form.isVisible()
    assert page.form.field.echoMode() is QLineEdit.EchoMode.Password
    assert not page.form.unlock.isEnabled()
    assert page.remedies[OpeningRemedy.OTHER].isVisible()
    assert not page.remedies[OpeningRemedy.RESTORE].isVisible()
    assert not page.copy.isVisible()
    assert _nameless(page) == []


def test_an_encryption_that_has_not_begun_can_be_called_off(page: StartPage) -> None:
    requested: list[bool] = []
    page.cancel_requested.connect(lambda: requested.append(True))
    assert not page.form.cancel.isVisible()
    page.show_error(PassphraseRequiredError("They will be encrypted.", can_cancel=True))
    assert "will be encrypted now" in page.text
    assert (page.title, page.form.unlock.text()) == ("Encrypt your memories", "Encrypt now")
    assert page.form.cancel.isVisible()
    assert _nameless(page) == []
    page.show_locked("This is not the passphrase. Try again.")
    page.form.cancel.click()
    assert requested == [True]
    page.show_error(PassphraseRequiredError("These memories are encrypted."))
    assert (page.title, page.form.unlock.text()) == ("Keepsake is locked", "Unlock")
    assert not page.form.cancel.isVisible()


def test_enter_unlocks_and_the_field_keeps_nothing(page: StartPage) -> None:
    requested: list[str] = []
    page.unlock_requested.connect(requested.append)
    QTest.keyClick(page.form.field, Qt.Key.Key_Return)
    assert requested == []
    typed(page, "correct horse")
    assert page.form.unlock.isEnabled()
    QTest.keyClick(page.form.field, Qt.Key.Key_Return)
    assert requested == ["correct horse"]
    assert page.form.field.text() == ""


def test_what_was_wrong_is_said_and_it_can_be_tried_again(page: StartPage) -> None:
    page.show_working("Unlocking…")
    assert not page.form.isVisible()
    page.show_locked("This is not the passphrase. Try again.")
    assert page.form.problem.text() == "This is not the passphrase. Try again."
    assert page.form.problem.isVisible()
    page.show_opening("/somewhere")
    assert not page.form.isVisible()


def test_what_is_typed_can_be_shown(page: StartPage) -> None:
    typed(page, "correct horse")
    page.form.field.show_button.click()
    assert page.form.field.echoMode() is QLineEdit.EchoMode.Normal
    assert page.form.field.show_button.accessibleName() == "Hide the passphrase"
    page.form.field.forget()
    assert page.form.field.echoMode() is QLineEdit.EchoMode.Password


def test_a_decryption_that_was_requested_elsewhere_is_asked_about(page: StartPage) -> None:
    answers: list[bool] = []
    page.decryption_answered.connect(answers.append)
    page.show_error(PassphraseRequiredError("Requested elsewhere.", must_confirm=True))
    assert "not from this account" in page.text
    assert page.decryption.keep.isVisible()
    assert page.decryption.keep.hasFocus() or not page.isActiveWindow()
    assert not page.form.isVisible()
    assert _nameless(page) == []
    page.decryption.decrypt.click()
    page.decryption.keep.click()
    assert answers == [True, False]
    page.show_working("Opening…")
    assert not page.decryption.isVisible()
    page.show_error(PassphraseRequiredError("These memories are encrypted."))
    assert page.form.isVisible()
    assert not page.decryption.isVisible()
