"""Diagnostics over a real vault: checked, copied without content, its log filtered."""

from collections.abc import Iterator

import pytest
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from app.host import Host
from tests.unit.ui.conftest import Rest
from tests.unit.ui.panes.test_every_pane import _nameless
from ui.bridge import Bridge
from ui.dialogs.settings.diagnostics_panel import DiagnosticsPanel
from ui.process import start_times
from ui.theme import Theme


@pytest.fixture
def panel(qtbot: QtBot, host: Host, bridge: Bridge, look: Theme, rest: Rest) -> Iterator[DiagnosticsPanel]:
    host.ask("note.save", title="Secret garden", content="roses")
    panel = DiagnosticsPanel(bridge)
    qtbot.addWidget(panel)
    panel.resize(760, 900)
    panel.show()
    panel.shown()
    rest(lambda: not bridge.is_busy)
    yield panel
    panel.hide()
    rest(lambda: not bridge.is_busy)


def test_a_sound_vault_is_said_to_be_sound(panel: DiagnosticsPanel, bridge: Bridge, rest: Rest) -> None:
    panel.check.click()
    assert panel.progress.isVisible()
    rest(lambda: not bridge.is_busy)
    assert "sound" in panel.report.text()
    assert not panel.repair.isVisible()
    assert panel.check.isEnabled()
    assert _nameless(panel) == []


def test_what_is_copied_has_counts_and_no_content(panel: DiagnosticsPanel, bridge: Bridge, rest: Rest) -> None:
    start_times.mark("window")
    panel.copy.click()
    rest(lambda: not bridge.is_busy)
    text = QGuiApplication.clipboard().text()
    assert "memories: 1" in text
    assert "start window:" in text
    assert "Secret" not in text
    assert "roses" not in text


def test_the_log_is_read_and_filtered(panel: DiagnosticsPanel, bridge: Bridge, rest: Rest, qtbot: QtBot) -> None:
    def shown() -> list[str]:
        panel.shown()
        rest(lambda: not bridge.is_busy)
        rows = (panel.log.topLevelItem(row) for row in range(panel.log.topLevelItemCount()))
        return [f"{row.text(1)} {row.text(0)}" for row in rows if row is not None]

    for _ in range(100):  # the trace is written by a thread of its own
        if any("note.save" in row for row in shown()):
            break
        qtbot.wait(20)
    panel.filter.setText("NOTE.save")
    assert shown()
    assert all("note.save" in row for row in shown())
    assert not any("roses" in row for row in shown())
