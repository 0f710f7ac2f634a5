"""A machine that asks to come in is shown wherever the person is in the window."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.host import Host
from tests.integration.sync.machines import QUIET
from tests.unit.ui.conftest import Rest
from ui.bridge import Bridge
from ui.shell.watchers.join_requests import JoinRequests
from ui.theme import Theme
from ui.widgets.notices.sentence_bar import SentenceBar


@pytest.fixture
def laptop(tmp_path: Path) -> Iterator[Host]:
    """Run a host on the vault of another machine."""
    running = Host(tmp_path / "laptop", serve=False, overrides=QUIET)
    running.start()
    yield running
    running.stop()


def test_who_asks_is_shown_and_sentences_once(
    qtbot: QtBot, bridge: Bridge, host: Host, laptop: Host, look: Theme, rest: Rest, tmp_path: Path
) -> None:
    folder = tmp_path / "meeting"
    folder.mkdir()
    bar = SentenceBar("link", "Several machines")
    qtbot.addWidget(bar)
    watcher = JoinRequests(bridge, bar)
    sentences: list[str] = []
    watcher.arrived.connect(sentences.append)
    host.ask("device.share", place=str(folder))
    words = host.ask("device.invite").words
    joining = laptop.call("device.join", {"words": words, "place": str(folder), "name": "laptop"})
    rest(lambda: not bar.isHidden())
    assert bar.text.startswith("laptop asks")
    assert sentences == [bar.text]
    [request] = host.ask("device.requests", known=True)
    host.ask("device.refuse", request=request.id)
    rest(bar.isHidden)
    assert len(sentences) == 1
    assert "refused" in str(joining.exception())
