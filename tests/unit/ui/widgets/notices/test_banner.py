"""The banner tells, and goes when it is told to."""

from PySide6.QtWidgets import QToolButton
from pytestqt.qtbot import QtBot

from ui.theme import Theme
from ui.widgets.notices.banner import Banner


def test_tells_and_goes(qtbot: QtBot, look: Theme) -> None:
    banner = Banner()
    qtbot.addWidget(banner)
    assert not banner.isVisible()
    banner.show_notice("Something went wrong.")
    assert banner.isVisible()
    assert banner.text == "Something went wrong."
    with qtbot.waitSignal(banner.details_requested):
        banner._details.click()
    banner.findChild(QToolButton).click()
    assert not banner.isVisible()
