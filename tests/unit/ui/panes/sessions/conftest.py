"""The Sessions pane over a real vault with a conversation open."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from pytestqt.qtbot import QtBot

from app.host import Host
from tests.unit.ui.conftest import Rest
from ui.actions import Actions
from ui.bridge import Bridge
from ui.panes.pane import Place
from ui.panes.sessions.pane import SessionsPane

if TYPE_CHECKING:
    from ui.notice import Notice


class OpenPane:
    """The pane, with what it emitted."""

    def __init__(self, pane: SessionsPane) -> None:
        self.pane = pane
        self.notices: list[Notice] = []
        self.places: list[Place] = []
        pane.notice.connect(self.notices.append)
        pane.navigate.connect(self.places.append)


@pytest.fixture
def opened(qtbot: QtBot, host: Host, bridge: Bridge, look: object, rest: Rest) -> Iterator[OpenPane]:
    """Return the pane with a conversation about Anna Keller open."""
    texts = ["My sister **Anna Keller** moved to Bern.", "How does she like it?", "Anna Keller loves the river."]
    messages = [{"role": "assistant" if n % 3 == 1 else "user", "content": texts[n % 3]} for n in range(60)]
    host.ask("session.append", session="ses-1", title="Anna moves", agent="scout", messages=messages)
    for seq, content in ((4, "Anna Keller lives in Bern."), (9, "Anna Keller loves the river.")):
        sources = [{"kind": "message", "id": f"ses-1#{seq}"}]
        host.ask("fact.remember", content=content, session="ses-1", sources=sources, decay_rate=0.1)
    for number in range(4):
        hello = {"role": "user", "content": f"Hello {number}", "created_at": f"2026-01-0{number // 2 + 1}T12:00:00Z"}
        host.ask("session.append", session=f"old-{number}", title=f"Old {number}", agent="codex", messages=[hello])
    host.ask("vault.settle", names=True)
    actions = Actions()
    pane = SessionsPane(bridge, actions)
    actions.setParent(pane)
    actions.register(*pane.commands())
    actions.set_pane("sessions")
    bridge.changed.connect(pane.refresh)
    qtbot.addWidget(pane)
    pane.resize(1200, 800)
    shown = OpenPane(pane)
    pane.show()
    pane.shown()
    pane.open_place(Place("sessions", "ses-1"))
    rest(lambda: pane._open_id() == "ses-1" and bool(pane.pager.messages) and not bridge.is_busy)
    yield shown
    rest(lambda: not bridge.is_busy)
