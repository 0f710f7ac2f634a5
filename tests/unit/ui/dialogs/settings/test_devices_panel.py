"""The machines that share the memory, over real vaults that meet in a folder."""

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.devices.model import Invitation
from app.host import Host
from app.sync.model import SyncState
from tests.integration.sync.machines import QUIET
from tests.unit.ui.conftest import Rest
from tests.unit.ui.panes.test_every_pane import _nameless
from ui.bridge import Bridge
from ui.dialogs.settings.device_form import FormPurpose
from ui.dialogs.settings.devices_panel import DevicesPanel
from ui.theme import Theme

if TYPE_CHECKING:
    from concurrent.futures import Future


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return the folder where the machines meet."""
    made = tmp_path / "meeting place"
    made.mkdir()
    return made


@pytest.fixture
def panel(
    qtbot: QtBot, bridge: Bridge, look: Theme, rest: Rest, qt_loop: asyncio.AbstractEventLoop
) -> Iterator[DevicesPanel]:
    panel = DevicesPanel(bridge)
    qtbot.addWidget(panel)
    panel.resize(760, 700)
    panel.show()
    panel.shown()
    rest(lambda: not bridge.is_busy)
    yield panel
    panel.hide()
    rest(lambda: not bridge.is_busy)


@pytest.fixture
def laptop(tmp_path: Path) -> Iterator[Host]:
    """Run a host on the vault of another machine."""
    running = Host(tmp_path / "laptop", serve=False, overrides=QUIET)
    running.start()
    yield running
    running.stop()


def _rows(panel: DevicesPanel) -> list[str]:
    rows = (panel.list.topLevelItem(row) for row in range(panel.list.topLevelItemCount()))
    return [row.text(0) for row in rows if row is not None]


def _states(panel: DevicesPanel) -> list[str]:
    rows = (panel.list.topLevelItem(row) for row in range(panel.list.topLevelItemCount()))
    return [row.text(2) for row in rows if row is not None]


def _invited(panel: DevicesPanel, rest: Rest) -> str:
    panel.invite.click()
    rest(lambda: panel.form.isVisible() and not panel.progress.isVisible())
    panel.form.copy.click()
    return QGuiApplication.clipboard().text()


def _join(laptop: Host, words: str, folder: Path) -> "Future[Any]":
    return laptop.call("device.join", {"words": words, "place": str(folder), "name": "laptop"})


def _share(panel: DevicesPanel, folder: Path, rest: Rest) -> None:
    panel.share(str(folder))
    rest(lambda: panel.list.isVisible() and not panel.progress.isVisible())


def test_alone_it_offers_to_share_or_to_join(panel: DevicesPanel) -> None:
    assert "this machine alone" in panel.about.text()
    assert panel.share_folder.isVisible()
    assert panel.join.isVisible()
    assert not panel.list.isVisible()
    assert not panel.invite.isVisible()
    assert _nameless(panel) == []


def test_the_first_machine_shares_and_stops(panel: DevicesPanel, folder: Path, rest: Rest) -> None:
    _share(panel, folder, rest)
    [row] = _rows(panel)
    assert row.endswith("(this machine)")
    assert str(folder) in panel.about.text()
    assert not panel.remove.isEnabled()
    panel.leave.click()
    assert panel.form.isVisible()
    panel.form.confirm.click()
    rest(panel.share_folder.isVisible)
    assert not panel.form.isVisible()
    assert list(folder.rglob("*"))  # what others may need stays there


def test_a_place_that_cannot_be_is_refused_in_a_sentence(panel: DevicesPanel, rest: Rest, tmp_path: Path) -> None:
    panel.share_server.click()
    assert not panel.form.confirm.isEnabled()
    panel.form.address.setText(str(tmp_path / "nowhere"))
    panel.form.confirm.click()
    rest(panel.error.isVisible)
    assert "There is no folder" in panel.error.text()
    assert panel.form.isVisible()  # what was typed stays
    assert panel.form.address.text() == str(tmp_path / "nowhere")


def test_another_machine_comes_in_by_words_once_it_is_let_in(
    panel: DevicesPanel, host: Host, laptop: Host, folder: Path, rest: Rest
) -> None:
    host.ask("note.save", title="Roses", content="of the desktop")
    _share(panel, folder, rest)
    words = _invited(panel, rest)
    assert len(words.split()) == 12
    assert all(word in panel.form.invitation.text() for word in words.split())
    joining = _join(laptop, words, folder)
    rest(panel.asking.isVisible)
    assert "laptop" in panel.asking.title.text()
    assert _nameless(panel) == []
    panel.asking.confirm.click()
    rest(joining.done)
    rest(lambda: len(_rows(panel)) == 2)
    assert not panel.asking.isVisible()
    laptop.ask("device.sync")
    assert [note.title for note in laptop.ask("note.list")] == ["Roses"]
    host.ask("schedule.run_here", id="sch-reflection")
    panel.shown()
    rest(lambda: _states(panel) == ["Runs 1 schedule for all", "Has all that is here"])


def test_a_machine_is_named_until_it_has_erased_what_was_erased_for_ever(
    panel: DevicesPanel, host: Host, laptop: Host, folder: Path, rest: Rest
) -> None:
    note = host.ask("note.save", title="Roses", content="of the desktop").id
    _share(panel, folder, rest)
    joining = _join(laptop, _invited(panel, rest), folder)
    rest(panel.asking.isVisible)
    panel.asking.confirm.click()
    rest(joining.done)
    laptop.ask("device.sync")
    receipt = host.ask("memory.forget_forever", ids=[note], confirm=True)
    assert receipt.notes[-1] == "Not forgotten yet on: laptop. Each forgets it when it next meets the others."
    panel.shown()
    rest(lambda: "Has 1 thing still to erase" in _states(panel)[-1])
    assert "forgotten" not in panel.about.text()
    for machine in (host, laptop, laptop, host):
        machine.ask("device.sync")
    panel.shown()
    rest(lambda: _states(panel) == ["", "Has all that is here"])
    assert "All your machines have forgotten what was erased for ever." in panel.about.text()


def test_a_machine_that_is_refused_learns_nothing(
    panel: DevicesPanel, host: Host, laptop: Host, folder: Path, rest: Rest
) -> None:
    host.ask("note.save", content="of the desktop")
    _share(panel, folder, rest)
    joining = _join(laptop, _invited(panel, rest), folder)
    rest(panel.asking.isVisible)
    panel.asking.cancel.click()
    rest(joining.done)
    assert "refused" in str(joining.exception())
    assert len(_rows(panel)) == 1
    assert laptop.ask("device.state").place == ""


def test_a_machine_joins_from_the_window(panel: DevicesPanel, laptop: Host, folder: Path, rest: Rest) -> None:
    laptop.ask("note.save", content="of the laptop")
    laptop.ask("device.share", place=str(folder))
    invitation = laptop.ask("device.invite")
    panel.join.click()
    panel.form.address.setText(str(folder))
    assert not panel.form.confirm.isEnabled()
    panel.form.words.setText(invitation.words)
    panel.form.machine.setText("desktop")
    panel.form.confirm.click()
    assert panel.progress.isVisible()
    rest(lambda: bool(laptop.ask("device.requests")))
    [request] = laptop.ask("device.requests")
    assert request.name == "desktop"
    laptop.ask("device.approve", request=request.id)
    rest(panel.list.isVisible)
    assert not panel.form.isVisible()
    assert sorted(_rows(panel))[0] == "desktop (this machine)"


def test_who_waits_for_the_other_machine_may_give_up(
    panel: DevicesPanel, laptop: Host, folder: Path, rest: Rest
) -> None:
    laptop.ask("device.share", place=str(folder))
    words = laptop.ask("device.invite").words
    panel.join.click()
    panel.form.address.setText(str(folder))
    panel.form.words.setText(words)
    panel.form.machine.setText("desktop")
    panel.form.confirm.click()
    rest(lambda: bool(laptop.ask("device.requests")))
    panel.form.cancel.click()
    rest(panel.progress.isHidden)
    assert panel.join.isEnabled()
    rest(lambda: not laptop.ask("device.requests"))
    assert not panel.error.isVisible()


def test_words_that_are_over_are_no_longer_shown(panel: DevicesPanel, folder: Path, rest: Rest) -> None:
    _share(panel, folder, rest)
    words = _invited(panel, rest).split()
    assert "until" in panel.form.title.text()
    assert not panel.form.save.isVisible()  # a folder has another path on each machine
    panel.form.show_end()
    assert "are over" in panel.form.text.text()
    assert not panel.form.invitation.isVisible()
    assert not any(word in panel.form.invitation.text().split() for word in words)
    panel.form.copy.click()
    assert "until" not in panel.form.title.text()


def test_the_address_of_a_server_travels_as_a_file(panel: DevicesPanel, rest: Rest, tmp_path: Path) -> None:
    moment = datetime(2026, 11, 28, 12, 0, tzinfo=UTC)
    panel.form.open(FormPurpose.INVITE)
    panel.form.show_invitation(Invitation("one two", "https://cloud.example/", moment, "keepsake-invitation-1:AAAA"))
    assert panel.form.save.isVisible()
    file = tmp_path / "Keepsake.keepsake-invitation"
    panel.save_address(str(file), "keepsake-invitation-1:AAAA")
    rest(file.exists)
    panel.join.click()
    panel.load_address(str(file))
    rest(lambda: bool(panel.form.address.text()))
    assert panel.form.address.text() == "keepsake-invitation-1:AAAA"
    panel.load_address(str(tmp_path / "nowhere"))
    rest(panel.error.isVisible)
    assert "nowhere" in panel.error.text()


def test_what_the_place_or_the_machine_lacks_is_said(panel: DevicesPanel) -> None:
    panel.state = SyncState(place="https://cloud.example/", notes=("This machine has no keyring.",))
    panel._show()
    assert "no keyring" in panel.about.text()


def test_a_machine_is_renamed_and_removed(panel: DevicesPanel, laptop: Host, folder: Path, rest: Rest) -> None:
    _share(panel, folder, rest)
    joining = _join(laptop, _invited(panel, rest), folder)
    rest(panel.asking.isVisible)
    panel.asking.confirm.click()
    rest(lambda: joining.done() and len(_rows(panel)) == 2)
    for row in range(2):
        item = panel.list.topLevelItem(row)
        if item is not None and item.text(0) == "laptop":
            panel.list.setCurrentItem(item)
    panel.rename.click()
    assert panel.form.machine.text() == "laptop"
    panel.form.machine.setText("old laptop")
    panel.form.confirm.click()
    rest(lambda: "old laptop" in _rows(panel))
    panel.remove.click()
    assert "old laptop" in panel.form.title.text()
    panel.form.confirm.click()
    rest(lambda: len(_rows(panel)) == 1)


def test_a_pause_is_said_and_ended(panel: DevicesPanel, folder: Path, rest: Rest) -> None:
    _share(panel, folder, rest)
    panel.pause.click()
    rest(panel.resume.isVisible)
    assert "Paused" in panel.about.text()
    panel.resume.click()
    rest(panel.pause.isVisible)
    panel.now.click()
    rest(lambda: "All was exchanged" in panel.about.text())


def test_the_page_is_walked_through_by_keys(panel: DevicesPanel, qtbot: QtBot) -> None:
    panel.join.setFocus()
    qtbot.keyClick(panel.join, Qt.Key.Key_Space)
    form = panel.form
    form.address.setText("/somewhere")
    form.words.setText("twelve words")
    assert form.address.hasFocus()
    walked = [form.browse, form.load, form.words, form.machine, form.cancel, form.confirm]
    for widget in walked:
        qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
        assert widget.hasFocus(), QApplication.focusWidget()
    qtbot.keyClick(form.confirm, Qt.Key.Key_Escape)
    assert not form.isVisible()
    assert panel.join.hasFocus()
    for widget in (panel.share_server, panel.share_folder):
        qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Backtab)
        assert widget.hasFocus()


def test_in_a_narrow_window_names_and_fields_stay_in_sight(panel: DevicesPanel, folder: Path, rest: Rest) -> None:
    _share(panel, folder, rest)
    panel.form.open(FormPurpose.JOIN)
    panel.resize(360, 700)
    rest(lambda: panel.width() == 360)
    assert panel.form.address.width() <= 340
    assert panel.list.columnWidth(0) >= 96


def test_escape_closes_the_form_alone(panel: DevicesPanel, qtbot: QtBot) -> None:
    panel.join.click()
    qtbot.keyClick(panel.form.words, Qt.Key.Key_Escape)
    assert not panel.form.isVisible()
    assert panel.isVisible()
