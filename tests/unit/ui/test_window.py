"""The window wires its parts: places, panes, notices, undo, drops, and the keyboard everywhere."""

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import PySide6
import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, QSignalBlocker, Qt, QUrl
from PySide6.QtGui import QAccessible, QDragEnterEvent, QDragMoveEvent, QDropEvent, QGuiApplication
from PySide6.QtWidgets import QApplication, QLabel, QListWidget, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from app.changes import ChangeSet
from app.errors import KeepsakeError, VaultLockedError
from app.host import Host
from tests.helpers.disks import SmallDisk, make_read_only, make_writable
from tests.helpers.engine import engine_of
from tests.helpers.guards.unexpected_logs import AllowLogs
from tests.helpers.screen_reader import press, words
from tests.helpers.watched_connection import WatchedConnection
from tests.unit.ui.conftest import Rest
from ui.actions import Action, Actions
from ui.bridge import Bridge
from ui.dialogs.base_dialog import BaseDialog
from ui.dialogs.help import PAGE, HelpDialog
from ui.notice import Notice
from ui.panes.pane_state import pack, unpack
from ui.panes.search.pane import SearchPane
from ui.process.error_reporter import ErrorReporter
from ui.shell.navigation import Place
from ui.shell.pane_stack import PANES
from ui.shell.watchers.erasure_watcher import ErasureWatcher
from ui.shell.window_actions import HELP_PAGES
from ui.shell.window_commands import FRAME
from ui.theme import Scheme, Theme
from ui.widgets.text.markdown_editor import MarkdownEditor
from ui.window import Window
from ui.window_state import WindowState


def drag_position(x: int, y: int) -> Any:
    # Since Qt 6.12 an entering or moving drag has an exact position, and the whole numbers are deprecated.
    return QPointF(x, y) if PySide6.__version_info__ >= (6, 12) else QPoint(x, y)


def _front(window: Window) -> str:
    assert window.panes is not None
    assert window.panes.front is not None
    return window.panes.front.name


def _nameless(root: QWidget) -> list[str]:
    """Return focusable widgets a screen reader has no name for."""
    found = []
    for widget in [root, *root.findChildren(QWidget)]:
        if widget.focusPolicy() == Qt.FocusPolicy.NoFocus or not widget.isVisibleTo(root):
            continue
        if widget.objectName().startswith("qt_") or _is_inner(widget):
            continue
        spoken = QAccessible.queryAccessibleInterface(widget)
        if spoken is None or not spoken.text(QAccessible.Text.Name).strip():
            found.append(f"{type(widget).__name__} {widget.objectName()!r} in {type(widget.parent()).__name__}")
    return found


def _is_inner(widget: QWidget) -> bool:
    """Return whether Qt made the widget as part of another that has the name."""
    return type(widget.parent()).__name__ in {"QSpinBox", "QDoubleSpinBox", "QComboBox"}


def test_shows_before_the_vault_is_open(qtbot: QtBot, look: Theme, tmp_path: Path) -> None:
    window = Window(Actions(), WindowState(tmp_path), ErrorReporter())
    qtbot.addWidget(window)
    window.start_page.show_opening("/vault")
    window.show()
    assert window.start_page.text == "Opening /vault"
    assert window.status_line.text == "Opening…"
    window.registry.run("go.palette")
    assert not window.palette_popup.isVisible()
    window.start_page.show_error(VaultLockedError("Another Keepsake has this vault open."))
    assert window.start_page.text.startswith("Another Keepsake has your memories open")
    assert window.status_line.text == "No vault is open"
    with qtbot.waitSignal(window.start_page.retry_requested):
        window.start_page.retry.click()
    window.start_page.finish()


def test_every_declared_action_is_wired(window: Window) -> None:
    assert {item.id for item in FRAME} <= {action.id for action in window.registry.all()}


def test_no_two_actions_in_reach_at_the_same_time_share_keys(window: Window) -> None:
    assert window.panes is not None
    for pane in PANES:
        window.panes.open(Place(pane.name))
    registry = window.registry
    shared = {
        action.id: [other.id for other in registry.sharing(action.id, action.shortcut)] for action in registry.all()
    }
    assert {identity: others for identity, others in shared.items() if others} == {}


def test_every_focusable_widget_has_a_name(window: Window) -> None:
    window.banner.show_notice("x")
    window.show_notice(Notice("Deleted", (1,)))
    window.registry.run("go.palette")
    assert window.dialogs is not None
    for name in ("import", "settings"):
        window.registry.run(f"file.{name}")
    for name in ("pages", "shortcuts", "about"):
        window.registry.run(f"help.{name}")
    assert len([sheet for sheet in window.findChildren(BaseDialog) if not sheet.is_closed]) == 5
    nameless = _nameless(window)
    while window.sheets.front is not None:
        nameless += _nameless(window)
        window.sheets.front.reject()
    assert nameless == []


def test_back_returns_and_rail_follows(window: Window, qtbot: QtBot) -> None:
    window.go(Place("schedule"))
    assert _front(window) == "schedule"
    assert window.sidebar._buttons["schedule"].isChecked()
    assert window.registry.qaction("go.back").isEnabled()
    window.registry.run("go.back")
    assert _front(window) == "graph"
    assert window.sidebar._buttons["graph"].isChecked()
    window.registry.run("go.forward")
    assert _front(window) == "schedule"
    qtbot.mouseClick(window.sidebar._buttons["graph"], Qt.MouseButton.LeftButton)
    assert _front(window) == "graph"


def test_keys_choose_panes(window: Window, qtbot: QtBot) -> None:
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    qtbot.keyClick(window, Qt.Key.Key_4, Qt.KeyboardModifier.ControlModifier)
    assert _front(window) == "schedule"
    assert [pane.shortcut for pane in PANES] == [f"Ctrl+{number}" for number in range(1, len(PANES) + 1)]


def test_f6_goes_round_and_comes_back(window: Window) -> None:
    window.activateWindow()
    assert window.panes is not None
    assert window.panes.front is not None
    window.panes.front.focus_first()
    start = QApplication.focusWidget()
    seen = set()
    for _ in range(4):
        window.registry.run("go.region")
        seen.add(QApplication.focusWidget())
    assert start in seen
    assert len(seen) >= 3


def test_notice_is_undone_by_key_and_toast(window: Window, host: Host, rest: Rest) -> None:
    note = host.ask("note.save", title="Rose list", content="Red ones.")
    deleted = host.call("note.delete", {"id": note.id}).result()
    assert deleted.changes is not None
    rest(lambda: window.registry.qaction("edit.undo").text() == "Undo: Deleted the note ‘Rose list’")
    window.show_notice(Notice("Deleted ‘Rose list’", deleted.changes.history_ids))
    window.registry.run("edit.undo")
    rest(window.undo.can_redo)
    assert [kept.title for kept in host.ask("note.list")] == ["Rose list"]
    rest(lambda: window.registry.qaction("edit.redo").text() == "Redo: Deleted the note ‘Rose list’")
    assert [toast.notice.text for toast in window.toaster.toasts] == ["Undone: Deleted the note ‘Rose list’"]


def test_a_window_starts_in_the_size_of_last_time(qtbot: QtBot, look: Theme, tmp_path: Path) -> None:
    state = WindowState(tmp_path)
    state.keep("look/scheme", "light")
    state.keep("look/scale", "1.5")
    window = Window(Actions(), state, ErrorReporter())
    qtbot.addWidget(window)
    window.show()
    buttons = window.top_bar.findChildren(QPushButton)
    assert {button.font().pointSizeF() for button in buttons} == {look.points}


def _settings(host: Host) -> dict[str, Any]:
    return {setting.name: setting.value for setting in host.ask("settings.list")}


def test_scheme_and_size_are_stored(window: Window, host: Host, look: Theme, rest: Rest) -> None:
    window.registry.run("view.dark")
    assert look.scheme is Scheme.DARK
    assert window.registry.qaction("view.dark").isChecked()
    window.registry.run("view.larger")
    rest(lambda: _settings(host)["window.scale"] == 110)
    assert _settings(host)["window.theme"] == "dark"
    window.registry.run("view.normal")
    assert look.scale == 1.0


def test_change_of_settings_elsewhere_is_obeyed(window: Window, host: Host, look: Theme, rest: Rest) -> None:
    host.ask("settings.set", name="window.theme", value="dark")
    rest(lambda: look.scheme is Scheme.DARK)


def test_progress_reaches_the_line_and_cancel_the_vault(window: Window, host: Host, rest: Rest) -> None:
    jobs = engine_of(host).jobs
    job = jobs.begin("Importing a.zip", "messages")
    job.advance(5, 10)
    rest(lambda: window.status_line.text.startswith("Importing a.zip: 5 of 10"))
    press(window.status_line, "Cancel: Importing a.zip")
    rest(job.is_cancelled)
    jobs.end(job, "cancelled")
    rest(lambda: not window.status_line.text.startswith("Importing"))


def test_failures_of_tasks_are_told(window: Window) -> None:
    assert window.bridge is not None
    window.errors.blockSignals(True)
    window.errors.blockSignals(False)
    window.banner.show_notice("The vault did not answer.")
    window.errors._details.append("Traceback")
    window.banner.details_requested.emit()
    assert QGuiApplication.clipboard().text() == "Traceback"
    assert not window.banner.isVisible()


def test_dropped_files_are_offered_for_import(window: Window, rest: Rest, tmp_path: Path) -> None:
    file = tmp_path / "Roses.md"
    file.write_text("# Roses\n\nRed ones.\n", "utf-8")
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(file))])
    button, keys = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    window.dragEnterEvent(QDragEnterEvent(drag_position(50, 50), Qt.DropAction.CopyAction, data, button, keys))
    assert "Drop to import" in words(window)
    window.dropEvent(QDropEvent(QPointF(50, 50), Qt.DropAction.CopyAction, data, button, keys))
    assert "Drop to import" not in words(window)
    assert window.dialogs is not None
    importer = window.dialogs.importer
    rest(lambda: any("Markdown notes" in label.text() for label in importer.findChildren(QLabel) if label.isVisible()))
    importer.hide()


def test_files_over_a_note_go_to_the_note(window: Window, connection: WatchedConnection, qtbot: QtBot) -> None:
    assert window.panes is not None
    editor = MarkdownEditor("Text", lambda work: work.close(), _nothing, window)
    editor.setGeometry(300, 200, 400, 300)
    editor.show()
    editor.raise_()
    given: list[list[str]] = []
    editor.files_given.connect(given.append)
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile("/tmp/tram.png")])
    button, keys = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier

    def move(x: int, y: int) -> None:
        window.dragMoveEvent(QDragMoveEvent(drag_position(x, y), Qt.DropAction.CopyAction, data, button, keys))

    window.dragEnterEvent(QDragEnterEvent(drag_position(50, 50), Qt.DropAction.CopyAction, data, button, keys))
    assert "Drop to import" in words(window)
    move(400, 300)
    assert "Drop to import" not in words(window), "nothing lies over the note, which takes the drag itself"
    move(50, 50)
    assert "Drop to import" in words(window)
    editor.setReadOnly(True)
    move(400, 300)
    assert "Drop to import" in words(window)
    editor.setReadOnly(False)
    window.dropEvent(QDropEvent(QPointF(400, 300), Qt.DropAction.CopyAction, data, button, keys))
    assert given == [["/tmp/tram.png"]]
    assert not connection.requested("exchange.preview")


async def _nothing(*_: object) -> list[Any]:
    return []


def test_links_and_nonsense(window: Window) -> None:
    assert not window.open_link("https://example.org")
    window.registry.run("go.copy_link")
    assert "no link" in window.toaster.toasts[-1].notice.text


def test_close_asks_the_program(window: Window, qtbot: QtBot) -> None:
    with qtbot.waitSignal(window.closed):
        window.close()
    assert window.isVisible()


def test_size_and_pane_come_back(window: Window, qtbot: QtBot, tmp_path: Path) -> None:
    window.resize(781, 611)
    window.go(Place("schedule"))
    window.palette_popup.remember(Place("notes", "note-1", title="Rose list"))
    window.keep_state()
    again = Window(Actions(), WindowState(tmp_path), ErrorReporter())
    qtbot.addWidget(again)
    assert (again.width(), again.height()) == (781, 611)
    assert again._state.text("window/pane") == "schedule"
    assert [place.title for place in again.palette_popup.recent_places] == ["Rose list"]


def test_create_note_opens_it(window: Window, host: Host, rest: Rest) -> None:
    window.commands.create_note("Kite project")
    rest(lambda: bool(window.toaster.toasts))
    [note] = host.ask("note.list")
    assert (note.title, host.ask("note.get", id=note.id).content) == ("Kite project", "")
    assert window.panes is not None
    assert window.panes.front is not None
    front = window.panes.front
    rest(lambda: front.current_place().id == note.id)
    assert front.name == "notes"
    host.ask("memory.undo", history_ids=list(window.toaster.toasts[0].notice.history_ids))
    assert host.ask("note.list") == []


def test_a_window_shown_again_has_what_came_meanwhile(window: Window, bridge: Bridge, host: Host, rest: Rest) -> None:
    changed = list[str]()
    bridge.changed.connect(lambda changes: changed.append(changes.operation))
    host.ask("note.save", content="Red ones.", title="Roses")
    host.ask("vault.settle")
    host.ask("saved_search.save", query="red")
    rest(lambda: "saved_search.save" in changed)
    window.go(Place("notes"))
    pane: Any = window.panes and window.panes.front
    rest(lambda: len(pane.listing.model.ids) == 1)
    window.hide()
    changed.clear()
    host.ask("note.save", content="Dark.", title="Soil")
    host.ask("vault.settle")
    host.ask("saved_search.save", query="dark")  # after all changes of memories
    rest(lambda: "saved_search.save" in changed)
    window.bring_to_front()
    rest(lambda: len(pane.listing.model.ids) == 2)


def test_what_is_erased_leaves_the_kept_state(window: Window, host: Host, rest: Rest, tmp_path: Path) -> None:
    note = host.ask("note.save", content="Red ones.", title="Zebra").id
    window.go(Place("notes", note))
    rest(lambda: window.panes.front.current_place().id == note)  # type: ignore[union-attr]
    window.keep_state()
    assert "Zebra" in (tmp_path / "window.ini").read_text("utf-8")
    host.ask("memory.forget_forever", ids=[note], confirm=True)
    rest(lambda: all(place.id != note for place in window.palette_popup.recent_places))
    assert "Zebra" not in (tmp_path / "window.ini").read_text("utf-8")


def test_menu_lists_every_group(window: Window) -> None:
    window.commands.menu.aboutToShow.emit()
    titles = [action.text() for action in window.commands.menu.actions()]
    assert titles[:6] == ["File", "Edit", "Go", "View", "Work", "Help"]
    assert "Find a name" in titles[5:], "what can be done in the pane in front follows"


def test_help_opens_at_the_page_of_the_pane(window: Window, monkeypatch: pytest.MonkeyPatch) -> None:
    assert window.dialogs is not None
    window.registry.run("help.pages")
    pages = window.findChild(HelpDialog)
    assert pages.findChild(QListWidget).currentItem().data(PAGE) == "graph"
    assert HELP_PAGES["search"] == "search"
    monkeypatch.setitem(HELP_PAGES, "graph", "search")
    window.registry.run("help.pages")
    assert pages.findChild(QListWidget).currentItem().data(PAGE) == "search"
    pages.hide()


def test_missing_pane_does_not_take_the_window_with_it(
    window: Window, allow_logs: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    allow_logs("The pane search is missing")  # type: ignore[operator]

    def missing(name: str, package: str) -> None:
        del package
        raise ModuleNotFoundError(f"No module named {name!r}")

    monkeypatch.setattr("ui.shell.pane_stack.import_module", missing)
    window.go(Place("search"))
    assert window.panes is not None
    assert type(window.panes.front).__name__ == "MissingPane"
    window.go(Place("graph"))
    assert _front(window) == "graph"


@pytest.mark.parametrize("kept", ["", "nowhere"])
def test_an_unknown_kept_pane_opens_the_first(bridge: Bridge, kept: str, qtbot: QtBot, tmp_path: Path) -> None:
    state = WindowState(tmp_path)
    state.keep("window/pane", kept)
    window = Window(Actions(), state, ErrorReporter())
    qtbot.addWidget(window)
    window.attach(bridge)
    assert _front(window) == PANES[0].name
    window.shut_down()


class TestReadOnly:
    """A vault that cannot be written."""

    @pytest.fixture
    def vault(self, vault: Path, request: pytest.FixtureRequest) -> Iterator[Path]:
        if sys.platform != "win32" and os.geteuid():
            vault.chmod(0o500)
            yield vault
            vault.chmod(0o700)
            return
        disk: SmallDisk = request.getfixturevalue("small_disk")
        place = disk(16)
        copy = Path(shutil.copytree(vault, place / "vault"))
        make_read_only(place)
        yield copy
        make_writable(place)

    def test_the_banner_says_why(self, window: Window, host: Host, allow_logs: AllowLogs) -> None:
        allow_logs("other programs cannot reach this vault")
        assert "cannot be written" in window.banner.text
        assert window.banner.text == host.ask("vault.status").read_only
        assert window.banner.isVisible()
        assert window.status_line.text.startswith("Read-only")


def test_there_is_one_search_field_at_a_time(window: Window) -> None:
    assert window.top_bar.field.isVisible()
    window.go(Place("search"))
    assert not window.top_bar.field.isVisible()
    window.go(Place("graph"))
    assert window.top_bar.field.isVisible()


def test_the_line_at_the_foot_opens_the_status_page_and_the_agent_at_work(window: Window) -> None:
    window.status_line.details.click()
    assert _front(window) == "status"
    assert not any(button.isChecked() for button in window.sidebar._buttons.values())
    assert window.bridge is not None
    window.bridge.changed.emit(ChangeSet(frozenset({"presence"}), ("agt-1",), "scout", "memory.search"))
    assert window.status_line.agents.text() == "scout: Searched your memory"
    window.status_line.agents.click()
    assert _front(window) == "agents"
    assert window.sidebar._buttons["agents"].isChecked()


def test_a_refresh_that_nobody_asked_for_puts_no_banner_over_the_panes(
    window: Window, connection: WatchedConnection, bridge: Bridge, rest: Rest
) -> None:
    connection.refused["vault.status"] = KeepsakeError("That took too long and was stopped.")
    connection.refused["inbox.count"] = connection.refused["settings.list"] = connection.refused["vault.status"]
    before = len(connection.requested("vault.status"))
    every = ("sessions", "messages", "memories", "index", "settings", "schedules", "inbox", "presence")
    connection.publish(ChangeSet(frozenset(every)))
    rest(lambda: len(connection.requested("vault.status")) > before and not bridge.is_busy)
    assert window.banner.isHidden()
    assert "That took too long" in window.errors.details, "a bug report has it"
    del connection.refused["vault.status"]
    before = len(connection.requested("vault.status"))
    rest(lambda: len(connection.requested("vault.status")) > before)  # by itself


def test_work_that_a_person_began_is_reported(
    window: Window, bridge: Bridge, rest: Rest, allow_logs: AllowLogs
) -> None:
    allow_logs("Unexpected failure")

    async def work() -> None:
        raise KeepsakeError("The disk is full.")

    bridge.start(work())
    rest(lambda: not window.banner.isHidden())
    assert window.banner.text == "The disk is full."


def test_what_can_be_done_is_looked_at_again_when_work_ends(window: Window, bridge: Bridge, rest: Rest) -> None:
    can = [False]
    window.registry.register(Action("test.do", "Do", lambda: None, enabled=lambda: can[0]))

    async def work() -> None:
        can[0] = True

    assert not window.registry.qaction("test.do").isEnabled()
    bridge.start(work())
    rest(window.registry.qaction("test.do").isEnabled)


def test_an_erasure_by_another_program_takes_the_recent_searches(
    window: Window, host: Host, rest: Rest, tmp_path: Path
) -> None:
    note = host.ask("note.save", content="Red ones.", title="Zebra").id
    window.go(Place("search"))
    assert window.panes is not None
    pane = window.panes.front
    assert isinstance(pane, SearchPane)
    pane.history.remember("zebra herd")
    window.go(Place("notes"))
    window.keep_state()
    assert _kept_words(tmp_path) == ["zebra herd"]
    host.ask("memory.forget_forever", ids=[note], confirm=True)
    rest(lambda: pane.history.recent == [])
    assert _kept_words(tmp_path) == []


def test_an_erasure_while_the_window_was_closed_takes_what_it_kept(
    window: Window, bridge: Bridge, host: Host, rest: Rest, tmp_path: Path
) -> None:
    note = host.ask("note.save", content="Red ones.", title="Zebra").id
    assert window.panes is not None
    assert window.erasure_watcher is not None
    with QSignalBlocker(window.erasure_watcher):  # as though there were no window
        host.ask("memory.forget_forever", ids=[note], confirm=True)
        rest(lambda: window.erasure_watcher.newest != "")
    window.panes.states["search"] = pack({"recent": ["zebra herd"], "query": "zebra", "facets": True})
    window.palette_popup.recent_places = [Place("notes", note, "", "Zebra")]
    watcher = ErasureWatcher(bridge, "", window)  # that of the next start
    watcher.erased.connect(window._on_erased)
    watcher.load()
    rest(lambda: window.palette_popup.recent_places == [])
    assert unpack(window.panes.states["search"]) == {"facets": True}
    assert "ebra" not in (tmp_path / "window.ini").read_text("utf-8")


def _kept_words(vault: Path) -> list[str]:
    return [str(text) for text in unpack(WindowState(vault).blob("panes/search")).get("recent", [])]
