"""Backups over a real vault: made, verified, compared, laid ready and called off."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.host import Host
from tests.unit.ui.conftest import Rest
from tests.unit.ui.panes.test_every_pane import _nameless
from ui.bridge import Bridge
from ui.dialogs.settings.backups_panel import BackupsPanel
from ui.theme import Theme


@pytest.fixture
def panel(
    qtbot: QtBot, host: Host, bridge: Bridge, look: Theme, rest: Rest, qt_loop: asyncio.AbstractEventLoop
) -> Iterator[BackupsPanel]:
    panel = BackupsPanel(bridge)
    qtbot.addWidget(panel)
    panel.resize(760, 600)
    panel.show()
    panel.shown()
    rest(lambda: not bridge.is_busy)
    yield panel
    panel.hide()
    rest(lambda: not bridge.is_busy)


def _rows(panel: BackupsPanel) -> list[str]:
    rows = (panel.list.topLevelItem(row) for row in range(panel.list.topLevelItemCount()))
    return [row.text(3) for row in rows if row is not None]


def test_without_backups_it_says_so(panel: BackupsPanel) -> None:
    assert panel.empty.isVisible()
    assert not panel.verify.isEnabled()
    assert not panel.restore.isEnabled()
    assert _nameless(panel) == []


def test_a_backup_is_made_and_verified(panel: BackupsPanel, bridge: Bridge, host: Host, rest: Rest) -> None:
    host.ask("note.save", title="Kept", content="words")
    panel.now.click()
    assert panel.progress.isVisible()
    assert not panel.now.isEnabled()
    rest(lambda: not bridge.is_busy)
    assert not panel.progress.isVisible()
    assert _rows(panel) == [""]
    panel.verify.click()
    rest(lambda: not bridge.is_busy)
    assert _rows(panel) == ["Whole: messages 0, memories 1"]
    assert _nameless(panel) == []


def test_damage_is_said(panel: BackupsPanel, bridge: Bridge, host: Host, rest: Rest) -> None:
    Path(host.ask("backup.now").path).write_bytes(b"no database")
    panel.shown()
    rest(lambda: not bridge.is_busy)
    panel.verify.click()
    rest(lambda: not bridge.is_busy)
    assert _rows(panel) == ["Damaged"]
    assert panel.error.isVisible()
    panel.restore.click()
    rest(lambda: not bridge.is_busy)
    assert "cannot be restored" in panel.error.text()
    assert not panel.card.isVisible()


def test_a_restore_shows_what_it_changes_and_can_be_called_off(
    panel: BackupsPanel, bridge: Bridge, host: Host, rest: Rest
) -> None:
    host.ask("backup.now")
    host.ask("note.save", title="Written since", content="words")
    panel.shown()
    rest(lambda: not bridge.is_busy)
    panel.restore.click()
    rest(lambda: not bridge.is_busy)
    assert "Goes away: 1 memory (‘Written since’)" in panel.card.text.text()
    assert not host.ask("backup.status").restore_waits
    panel.cancel.click()
    assert not panel.card.isVisible()
    panel.restore.click()
    rest(lambda: not bridge.is_busy)
    panel.confirm.click()
    rest(lambda: not bridge.is_busy)
    assert host.ask("backup.status").restore_waits
    assert "waits to be restored" in panel.card.title.text()
    panel.cancel.click()
    rest(lambda: not bridge.is_busy)
    assert not host.ask("backup.status").restore_waits
    assert not panel.card.isVisible()
