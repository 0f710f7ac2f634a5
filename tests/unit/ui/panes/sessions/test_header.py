"""The head of a conversation agrees with its facts."""

from typing import Any

from PySide6.QtWidgets import QVBoxLayout, QWidget

from tests.helpers.screen_reader import words
from tests.helpers.vault_filler import VaultFiller
from ui.bridge import Bridge
from ui.panes.sessions.header import SessionHeader


def test_it_never_says_that_no_fact_was_drawn_where_one_was(
    books: VaultFiller, bridge: Bridge, qtbot: Any, look: object
) -> None:
    identity = books.add_session("Garden", [("user", "is frost near")])
    session = books.session(identity)
    header = SessionHeader(bridge)
    qtbot.addWidget(header)
    header.show_session(session)
    assert "facts not drawn yet" in words(header)
    header.show_drawn("another", 3)
    assert "facts not drawn yet" in words(header)
    header.show_drawn(identity, 1)
    assert "what came since is not read yet" in words(header)
    header.show_session(session)
    assert "what came since is not read yet" in words(header)


def test_its_buttons_keep_their_size_in_a_low_window(bridge: Bridge, qtbot: Any, look: object) -> None:
    page, below = QWidget(), QWidget()
    qtbot.addWidget(page)
    header = SessionHeader(bridge, page)
    below.setMinimumHeight(400)  # more than the header leaves
    column = QVBoxLayout(page)
    column.addWidget(header)
    column.addWidget(below, 1)
    page.resize(400, 440)
    page.show()
    qtbot.waitUntil(lambda: header.height() >= header.sizeHint().height())
    assert all(button.height() >= button.sizeHint().height() for button in header._buttons)
