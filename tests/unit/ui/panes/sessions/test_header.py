"""The head of a conversation agrees with its facts."""

from typing import Any

from tests.unit.ui.panes.fake_bridge import FakeVault
from ui.panes.sessions.header import SessionHeader


def test_it_never_says_that_no_fact_was_drawn_where_one_was(books: FakeVault, qtbot: Any, look: object) -> None:
    identity = books.add_session("Garden", [("user", "is frost near")])
    session = books.sessions[identity]
    header = SessionHeader()
    qtbot.addWidget(header)
    header.show_session(session)
    assert header._known.endswith("facts not drawn yet")
    header.show_drawn("another", 3)
    assert header._known.endswith("facts not drawn yet")
    header.show_drawn(identity, 1)
    assert header._known.endswith("what came since is not read yet")
    header.show_session(session)
    assert header._known.endswith("what came since is not read yet")
