"""The program from start to quit, over a real vault: opening, refusing, capturing, undoing, raising, leaving."""

import asyncio
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtNetwork import QLocalSocket
from PySide6.QtWidgets import QLabel, QMessageBox
from pytestqt.qtbot import QtBot

from app.host import Host
from app.rpc.host_backend import HostBackend
from app.rpc.hostfile import FILE
from tests.e2e.conftest import Leave, Until
from tests.helpers.sample_data import ROOT
from ui import theme
from ui.app import VaultFolder, start_host
from ui.dialogs.welcome import WelcomeDialog
from ui.panes.notes.draft import Draft
from ui.process.error_reporter import ErrorReporter
from ui.process.program import WELCOMED, Program
from ui.process.single_instance import LaunchRequest, SingleInstance, address, encode
from ui.process.termination import SignalWatch
from ui.render import render_panes
from ui.shell.navigation import Place
from ui.theme import Scheme
from ui.window_state import WindowState

if TYPE_CHECKING:
    from ui.bridge import Bridge

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)


@contextmanager
def _opened(vault: Path) -> Iterator[Host]:
    """Open a vault without a window."""
    host = Host(vault, serve=False)
    host.start()
    try:
        yield host
    finally:
        host.stop()


def _is_idle(program: Program) -> bool:
    return "Idle" in program.window.status_line.text


def test_window_is_there_before_the_vault_and_fills_when_it_opens(
    launch: Callable[[Path], Program], until: Until, tmp_path: Path
) -> None:
    program = launch(tmp_path / "v")
    assert program.window.isVisible()
    assert "Opening" in program.window.start_page.text
    assert program.window.panes is None
    until(lambda: _is_idle(program))
    shown = program.window.status_line.text
    assert re.fullmatch(r"Idle — next: [^·]+ · 0 memories · 0 sessions · index complete", shown), shown


def test_locked_vault_is_explained_and_opens_on_retry(
    launch: Callable[[Path], Program], until: Until, tmp_path: Path
) -> None:
    other = Host(tmp_path / "v", serve=False)
    other.start()
    try:
        program = launch(tmp_path / "v")
        until(program.window.start_page.retry.isVisible)
        assert program.window.status_line.text == "No vault is open"
        assert program.window.start_page.text
    finally:
        other.stop()
    program.window.start_page.retry.click()
    until(lambda: _is_idle(program))


def test_captured_words_are_in_the_vault_and_can_be_undone(
    launch: Callable[[Path], Program], until: Until, qtbot: QtBot, tmp_path: Path
) -> None:
    program = launch(tmp_path / "v")
    until(lambda: _is_idle(program))
    program.window.registry.run("file.capture")
    qtbot.keyClicks(program.capture._words, "Plant the climbing rose #garden")
    qtbot.keyClick(program.capture._words, Qt.Key.Key_Return)
    until(lambda: "1 memory" in program.window.status_line.text)
    # What the engine tells of a change comes before its answer to the one who asked for it.
    until(lambda: [toast.notice.text for toast in program.window.toaster.toasts] == ["Saved"])
    until(program.window.undo.can_undo)
    program.window.registry.run("edit.undo")
    until(lambda: "0 memories" in program.window.status_line.text)
    until(program.window.undo.can_redo)
    program.window.registry.run("edit.redo")
    until(lambda: "1 memory" in program.window.status_line.text)


def test_theme_is_kept_in_the_vault(launch: Callable[[Path], Program], until: Until, tmp_path: Path) -> None:
    program = launch(tmp_path / "v")
    until(lambda: _is_idle(program))
    program.window.registry.run("view.dark")
    config = tmp_path / "v" / "config.toml"
    until(lambda: config.exists() and "dark" in config.read_text("utf-8"))
    theme.current().set_scheme(Scheme.SYSTEM)


def test_second_launch_raises_and_hands_over(launch: Callable[[Path], Program], until: Until, tmp_path: Path) -> None:
    program = launch(tmp_path / "v")
    until(lambda: _is_idle(program))
    program.window.hide()
    socket = QLocalSocket()
    socket.connectToServer(address(tmp_path / "v"))
    assert socket.waitForConnected(1000)
    socket.write(encode(LaunchRequest("capture", ("from the shell",))))
    socket.flush()
    until(program.capture.isVisible)
    assert program.capture.text == "from the shell"
    program.handle(LaunchRequest("raise"))
    assert program.window.isVisible()
    socket.close()


def _answer(program: Program, text: str) -> None:
    """Press a button of the question about closing."""
    box = next(box for box in program.window.findChildren(QMessageBox) if box.isVisible())
    assert program.window.isVisible()
    next(button for button in box.buttons() if button.text() == text).click()


def test_closing_without_a_tray_asks_and_quits(launch: Callable[[Path], Program], until: Until, tmp_path: Path) -> None:
    program = launch(tmp_path / "v")
    until(lambda: _is_idle(program))
    assert program.tray is None
    ended: list[bool] = []
    program.finished.connect(lambda: ended.append(True))
    program.window.close()
    _answer(program, "Quit")
    until(lambda: bool(ended))
    assert not any(thread.name == "keepsake-engine" for thread in threading.enumerate())


def test_closing_without_a_tray_is_asked_once_and_a_second_launch_raises(
    launch: Callable[[Path], Program], until: Until, tmp_path: Path
) -> None:
    program = launch(tmp_path / "v")
    until(lambda: _is_idle(program))
    program.window.close()
    _answer(program, "Keep running")
    assert not program.window.isVisible()
    socket = QLocalSocket()
    socket.connectToServer(address(tmp_path / "v"))
    assert socket.waitForConnected(1000)
    socket.write(encode(LaunchRequest("raise")))
    socket.flush()
    until(program.window.isVisible)
    socket.close()
    program.window.close()
    assert not program.window.isVisible()


def test_cancelling_the_question_keeps_the_window(
    launch: Callable[[Path], Program], until: Until, tmp_path: Path
) -> None:
    program = launch(tmp_path / "v")
    until(lambda: _is_idle(program))
    program.window.close()
    _answer(program, "Cancel")
    assert program.window.isVisible()
    program.window.close()
    _answer(program, "Cancel")
    assert program.window.isVisible()


def test_closing_with_a_tray_asks_once(
    launch: Callable[[Path], Program], until: Until, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ui.tray.available", lambda: True)
    program = launch(tmp_path / "v")
    until(lambda: _is_idle(program))
    program.window.close()
    box = program.window.findChild(QMessageBox)
    assert box is not None
    assert program.window.isVisible()
    next(button for button in box.buttons() if button.text() == "Keep running").click()
    assert not program.window.isVisible()
    program.window.bring_to_front()
    program.window.close()
    assert not program.window.isVisible()


def test_text_not_saved_survives_quitting(
    launch: Callable[[Path], Program], until: Until, qtbot: QtBot, tmp_path: Path
) -> None:
    program = launch(tmp_path / "v")
    until(lambda: _is_idle(program))
    program.capture.bring_to_front()
    qtbot.keyClicks(program.capture._words, "half a thought")
    ended: list[bool] = []
    program.finished.connect(lambda: ended.append(True))
    program.quit()
    until(lambda: bool(ended))
    assert WindowState(tmp_path / "v").text("capture/draft") == "half a thought"


def test_a_setting_being_typed_survives_quitting(
    launch: Callable[[Path], Program], leave: Leave, until: Until, qtbot: QtBot, tmp_path: Path
) -> None:
    program = launch(tmp_path / "v")
    until(lambda: _is_idle(program))
    assert program.window.dialogs is not None
    settings = program.window.dialogs.settings
    program.window.dialogs.open_settings("llm")
    until(lambda: settings.is_built)
    editor = settings._fields["llm.model"].editor
    editor.setFocus()
    until(editor.hasFocus)
    qtbot.keyClicks(editor, "a model")
    leave(program)
    with _opened(tmp_path / "v") as host:
        stored = {setting.name: setting.value for setting in host.ask("settings.list")}
    assert stored["llm.model"] == "a model"


def test_a_title_being_typed_survives_quitting(
    launch: Callable[[Path], Program], leave: Leave, until: Until, qtbot: QtBot, tmp_path: Path
) -> None:
    with _opened(tmp_path / "v") as host:
        host.ask("session.append", messages=[{"role": "user", "content": "Which roses?"}])
    program = launch(tmp_path / "v")
    until(lambda: _is_idle(program))
    program.window.go(Place("sessions"))
    assert program.window.panes is not None
    pane = program.window.panes.front
    until(lambda: bool(pane.header.title.text()))
    pane.header.edit_title()
    qtbot.keyClicks(pane.header.title, "Tulips")
    leave(program)
    with _opened(tmp_path / "v") as host:
        assert [one.title for one in host.ask("session.list")] == ["Tulips"]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGTERM to send to oneself")
def test_sigterm_asks_to_leave(qtbot: QtBot) -> None:
    watch = SignalWatch()
    with qtbot.waitSignal(watch.stop_requested):
        os.kill(os.getpid(), signal.SIGTERM)
    watch.close()
    watch.deleteLater()


def test_pictures_of_panes(bridge: "Bridge", qt_loop: asyncio.AbstractEventLoop, qapp: Any, tmp_path: Path) -> None:
    theme.current().install(qapp)
    written = qt_loop.run_until_complete(
        render_panes(bridge, tmp_path / "shots", (900, 600), panes=("graph", "schedule"))
    )
    assert {path.name for path in written} == {
        f"{name}-{look}.png" for name in ("graph", "schedule") for look in ("light", "dark")
    }
    assert all(path.stat().st_size > 5000 for path in written)
    assert not (tmp_path / "shots" / "window.ini").exists()
    assert Place("graph") == Place("graph", title="x")
    qt_loop.run_until_complete(bridge.close())


def test_typing_goes_on_while_a_killed_host_is_replaced(
    launch: Callable[[Path], Program], until: Until, tmp_path: Path
) -> None:
    vault = tmp_path / "v"
    other = subprocess.Popen([sys.executable, "-m", "app", "--vault", str(vault), "serve"], cwd=ROOT)
    try:
        until((vault / FILE).exists)
        program = launch(vault)
        until(lambda: program.bridge is not None and _is_idle(program))
        assert program.bridge is not None
        draft = Draft(program.bridge, None, program)
        draft.change(content="typed before")
        until(lambda: draft.memory is not None and not draft.dirty)
        draft.change(content="typed before, and while it was killed")
        other.send_signal(signal.SIGKILL)
        other.wait()
        draft.change(content="typed before, while it was killed, and after")
        draft.flush()
        until(lambda: not program.window.banner.isVisible() and isinstance(program._host, HostBackend))
        until(lambda: not draft.dirty and draft.state == "saved")
        found = program._host.call("note.get", {"id": draft.id}).result().value  # type: ignore[union-attr]
        assert found.content == "typed before, while it was killed, and after"
        until(lambda: any("What you typed" in label.text() for label in program.window.toaster.findChildren(QLabel)))
    finally:
        other.kill()
        other.wait()


def test_the_first_steps_are_shown_once(launch: Callable[..., Program], until: Until, tmp_path: Path) -> None:
    first = launch(tmp_path / "v", is_first=True)
    until(lambda: isinstance(first.window.sheets.front, WelcomeDialog) and _is_idle(first))
    kept = WindowState(tmp_path / "v")
    assert kept.text(WELCOMED) == "yes"
    again = Program(tmp_path / "v", SingleInstance("unused"), ErrorReporter(), start_host, VaultFolder(tmp_path / "v"))
    assert not again._is_first
    again.window.deleteLater()
    again.capture.deleteLater()
    again.deleteLater()


def test_a_vault_that_was_filled_before_is_not_greeted(
    launch: Callable[..., Program], until: Until, tmp_path: Path
) -> None:
    (tmp_path / "v").mkdir()
    host = Host(tmp_path / "v", serve=False)
    host.start()
    host.ask("note.save", content="Written before there was a window")
    host.stop()
    program = launch(tmp_path / "v", is_first=True)
    until(lambda: WindowState(tmp_path / "v").text(WELCOMED) == "yes" and _is_idle(program))
    assert not isinstance(program.window.sheets.front, WelcomeDialog)
