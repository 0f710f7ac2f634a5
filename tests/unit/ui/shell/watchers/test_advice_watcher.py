"""Advice on the search model after an import of texts that are not English."""

from pathlib import Path

from pytestqt.qtbot import QtBot

from app.host import Host
from tests.unit.ui.conftest import Rest
from tests.unit.ui.panes.test_every_pane import _nameless
from ui.bridge import Bridge
from ui.shell.watchers.advice_watcher import AdviceWatcher
from ui.widgets.notices.sentence_bar import SentenceBar

GERMAN = "Am Abend haben wir mit den Nachbarn über die Rosen gesprochen, und sie wollen im Frühjahr wieder helfen. "
ENGLISH = "In the evening we spoke with the neighbours about the roses, and they want to help again in spring. "


def _import(host: Host, folder: Path, words: str) -> None:
    folder.mkdir()
    for number in range(30):
        (folder / f"{number}.md").write_text(f"# {number}\n\n{words * 4}", encoding="utf-8")
    host.ask("exchange.import", path=str(folder))
    host.ask("vault.settle")


def test_advice_shows_after_an_import_that_gives_cause(
    qtbot: QtBot, host: Host, bridge: Bridge, look: object, rest: Rest, tmp_path: Path
) -> None:
    bar = SentenceBar("lightbulb", "Choose a search model")
    qtbot.addWidget(bar)
    watcher = AdviceWatcher(bridge, bar, bar)
    _import(host, tmp_path / "german", GERMAN)
    expected = host.ask("embedding.advice")
    rest(lambda: not bridge.is_busy and (bar.text == expected))
    assert bar.isVisible() == bool(expected)
    assert _nameless(bar) == []
    with qtbot.waitSignal(bar.followed):
        bar.button.click()
    assert not bar.isVisible()
    del watcher


def test_english_texts_raise_none(
    qtbot: QtBot, host: Host, bridge: Bridge, look: object, rest: Rest, tmp_path: Path
) -> None:
    bar = SentenceBar("lightbulb", "Choose a search model")
    qtbot.addWidget(bar)
    AdviceWatcher(bridge, bar, bar)
    _import(host, tmp_path / "english", ENGLISH)
    rest(lambda: not bridge.is_busy)
    assert not bar.isVisible()
