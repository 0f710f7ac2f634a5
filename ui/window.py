"""The main window. It wires its parts together and does nothing itself."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QCloseEvent,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDragMoveEvent,
    QDropEvent,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import (
    QMainWindow,
    QStackedWidget,
    QWidget,
)

from app.changes import ChangeSet
from app.history.acts.model import Act, UndoneAct
from ui import theme
from ui.actions import Actions
from ui.dialogs.dialog_registry import DialogRegistry
from ui.dialogs.palette.palette import Palette
from ui.notice import Notice, removed_error_text
from ui.process.error_reporter import ErrorReporter
from ui.shell.navigation import Navigation, Place, place_of
from ui.shell.pane_stack import FIRST, PANES, PaneStack
from ui.shell.screen_fit import fit_to_screen
from ui.shell.sheet_stack import SheetStack
from ui.shell.sidebar import Sidebar
from ui.shell.start.start_page import StartPage
from ui.shell.status.status_line import StatusLine
from ui.shell.topbar import TopBar
from ui.shell.undo.blocked_undo import ask_to_undo_both
from ui.shell.undo.undo_stack import UndoStack
from ui.shell.watchers.access_requests import AccessRequests
from ui.shell.watchers.advice_watcher import AdviceWatcher
from ui.shell.watchers.clash_watcher import ClashWatcher
from ui.shell.watchers.cut_off_imports import CutOffImports
from ui.shell.watchers.erasure_watcher import ErasureWatcher
from ui.shell.watchers.inbox_counter import InboxCounter
from ui.shell.watchers.join_requests import JoinRequests
from ui.shell.watchers.status_updater import StatusUpdater
from ui.shell.window_actions import WindowActions
from ui.style.appearance import Appearance
from ui.theme import Scheme
from ui.widgets.box_layouts import hbox, vbox
from ui.widgets.notices.access_bar import AccessBar
from ui.widgets.notices.banner import Banner
from ui.widgets.notices.clash_bar import ClashBar
from ui.widgets.notices.sentence_bar import SentenceBar
from ui.widgets.notices.toast import Toaster
from ui.widgets.plain_text import PlainLabel
from ui.widgets.text.markdown_editor import MarkdownEditor
from ui.window_state import WindowState

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ui.bridge import Bridge

SIZE = QSize(1280, 820)
SMALLEST = QSize(760, 480)
KEEP_AFTER_MS = 3_000
LOOK_MS = 20

NEWEST_ERASURE = "erasures/newest"


class Window(QMainWindow):
    """Main window, shown before the vault is open and filled by ``attach``."""

    capture_requested = Signal()
    quit_requested = Signal()
    lock_requested = Signal()
    closed = Signal()
    close_decided = Signal(bool)
    sidebar: Sidebar
    top_bar: TopBar
    banner: Banner
    access_bar: AccessBar
    clash_bar: ClashBar
    advice_bar: SentenceBar
    join_bar: SentenceBar
    status_line: StatusLine
    erasure_watcher: ErasureWatcher | None = None
    join_requests: JoinRequests | None = None

    def __init__(self, actions: Actions, state: WindowState, errors: ErrorReporter) -> None:
        super().__init__()
        theme.current().divide()
        self.setWindowTitle(self.tr("Keepsake"))
        self.setMinimumSize(SMALLEST)
        self.registry = actions
        self._state = state
        self._restore_look()
        self.errors = errors
        self.places = Navigation(self)
        self.undo = UndoStack(self)
        self.panes: PaneStack | None = None
        self.dialogs: DialogRegistry | None = None
        self.appearance: Appearance | None = None
        self.bridge: Bridge | None = None
        self.status_updater: StatusUpdater | None = None
        self.access_requests: AccessRequests | None = None
        self.toaster = Toaster(self)
        self.toaster.undo_requested.connect(self.undo.undo_notice)
        self.undo.undone.connect(self._on_undo_undone)
        # A killed process keeps no state at its end: places are written down soon after they change.
        self._save_timer = QTimer(self, singleShot=True, interval=KEEP_AFTER_MS)
        self._save_timer.timeout.connect(self.keep_state)
        # Work that ended may have opened or changed what commands are about.
        self._look = QTimer(self, singleShot=True, interval=LOOK_MS)
        self._look.timeout.connect(actions.refresh)
        self.start_page = StartPage(self)
        self._pages = QStackedWidget(self)
        self.sheets = SheetStack(self._pages, self.start_page, self)
        self.commands = WindowActions(self, self)
        self.commands.capture_requested.connect(self.capture_requested)
        self.commands.quit_requested.connect(self.quit_requested)
        self.commands.lock_requested.connect(self.lock_requested)
        self.commands.register(actions)
        self.start_page.failed.connect(self._on_start_page_failed)
        self._lay_out()
        self.palette_popup = Palette(actions, self, self.top_bar.field)
        self.palette_popup.navigate.connect(self.go)
        self.palette_popup.search_requested.connect(self.commands.search)
        self.palette_popup.note_requested.connect(self.commands.create_note)
        self.palette_popup.recent_places = state.places()
        self._drop_overlay = self._make_drop_overlay()
        self.places.moved.connect(self._open)
        self.places.changed.connect(actions.refresh)
        self.undo.changed.connect(self.commands.name_undo)
        self.undo.notice.connect(self.show_notice)
        errors.reported.connect(self.banner.show_notice)
        self.banner.details_requested.connect(self.commands.copy_details)
        self.banner.report_requested.connect(self.commands.show_crash_report)
        actions.changed.connect(self._on_actions_changed)
        actions.recents = state.texts("recents/actions")
        self._on_actions_changed()
        self._restore()

    @property
    def first_pane(self) -> str:
        """The pane that was in front last time."""
        name = self._state.text("window/pane", FIRST)
        return name if name in {pane.name for pane in PANES} else FIRST

    def attach(self, bridge: "Bridge") -> None:
        """Fill the window: the vault behind ``bridge`` is open."""
        for _ in self.attach_in_steps(bridge):
            pass

    def attach_in_steps(self, bridge: "Bridge") -> "Iterator[None]":
        """Fill the window as ``attach`` does, one step at a time."""
        panes = self._connect_vault(bridge)
        yield
        while not panes.is_whole(self.first_pane):
            panes.build_part(self.first_pane)
            yield
        self._pages.addWidget(panes)
        self.sheets.set_home(panes)
        self.start_page.finish()
        self.sidebar.set_open(is_open=True)
        self.registry.refresh()
        self.go(Place(self.first_pane))
        if panes.front is not None:
            panes.front.focus_first()

    def _connect_vault(self, bridge: "Bridge") -> PaneStack:
        """Let the window's parts ask the vault, and return where its panes are built."""
        actions = self.registry
        self.panes = PaneStack(bridge, actions, self)
        self.panes.states = self._state.pane_states([pane.name for pane in PANES])
        self.panes.navigate.connect(self.go)
        self.panes.notice.connect(self.show_notice)
        self.dialogs = DialogRegistry(bridge, actions, self.errors, self)
        self.dialogs.notice.connect(self.show_notice)
        self.dialogs.link_requested.connect(self.open_link)
        self.dialogs.navigate.connect(self.go)
        self.dialogs.undo_requested.connect(self.undo.undo_notice)
        self.undo.blocked.connect(self._on_undo_blocked)
        self.dialogs.models_requested.connect(self.commands.open_models)
        self.appearance = Appearance(bridge, self)
        self.appearance.keys_changed.connect(actions.set_own_keys)
        self.dialogs.setting_applied.connect(self.appearance.apply)
        self.dialogs.close_decided.connect(self.close_decided)
        bridge.changed.connect(self._on_bridge_changed)
        bridge.failed.connect(self.errors.report)
        bridge.settled.connect(self._look.start)
        bridge.refresh_failed.connect(self.errors.note)
        self.undo.set_bridge(bridge)
        self.palette_popup.set_bridge(bridge)
        self.bridge = bridge
        self.status_updater = StatusUpdater(bridge, self.status_line, self)
        self.status_updater.found_read_only.connect(self.banner.show_notice)
        self._watch_access_requests(bridge)
        bridge.changed.connect(self.status_line.agents.show_change)
        bridge.refresh(self.appearance.load())
        return self.panes

    def _watch_access_requests(self, bridge: "Bridge") -> None:
        self.access_requests = AccessRequests(bridge, self)
        self.access_requests.changed.connect(self.access_bar.show_requests)
        self.access_requests.notice.connect(self.show_notice)
        self.access_bar.allowed.connect(self.access_requests.allow)
        self.access_bar.refused.connect(self.access_requests.refuse)
        self.advice_watcher = AdviceWatcher(bridge, self.advice_bar, self)
        self.advice_bar.followed.connect(self.commands.open_models)
        self.join_requests = JoinRequests(bridge, self.join_bar, self)
        self.join_bar.followed.connect(self.commands.open_devices)
        self.clash_watcher = ClashWatcher(bridge, self.clash_bar, self)
        self.clash_watcher.place_requested.connect(self.go)
        self.clash_watcher.notice.connect(self.show_notice)
        self.erasure_watcher = ErasureWatcher(bridge, self._state.text(NEWEST_ERASURE), self)
        self.erasure_watcher.erased.connect(self._on_erased)
        self.erasure_watcher.load()
        self.cut_off_imports = CutOffImports(bridge, self)
        self.cut_off_imports.notice.connect(self.show_notice)
        self.inbox_counter = InboxCounter(bridge, self)
        self.inbox_counter.counted.connect(self._on_inbox_counted)

    def _on_inbox_counted(self, count: int) -> None:
        self.sidebar.set_badge("inbox", count)

    def go(self, place: Place) -> None:
        """Show ``place`` and remember it."""
        if self.panes is None:
            return
        self._remember_place()
        self.places.visit(place)
        self._open(place)
        self._save_timer.start()

    def open_link(self, link: str) -> bool:
        """Go where a ``keepsake://`` link leads; False when it leads nowhere."""
        place = place_of(link)
        if place is not None:
            self.go(place)
        return place is not None

    def show_notice(self, notice: Notice) -> None:
        """Show a toast."""
        self.toaster.show_notice(notice)

    def show_safe_mode(self, *, is_joined: bool) -> None:
        """Say that the window is in safe mode, and what that leaves out.

        Args:
            is_joined: Whether another process has the vault open, which is not in safe mode.
        """
        self.setWindowTitle(self.tr("Keepsake (safe mode)"))
        sentence = self.tr(
            "Safe mode: schedules, models and search by meaning are off, and the appearance is the default one. "
            "Settings that you change count from the next start."
        )
        if is_joined:
            sentence = self.tr(
                "Only the window is in safe mode: another Keepsake has your memories open. Quit that one for all of it."
            )
        self.mode_banner.show_notice(sentence)

    def bring_to_front(self) -> None:
        """Show the window in front, restored from minimised."""
        self.setWindowState(self.windowState() & ~Qt.WindowState.WindowMinimized)
        fit_to_screen(self)
        self.show()
        fit_to_screen(self)
        self.raise_()
        self.activateWindow()

    def showEvent(self, event: QShowEvent) -> None:
        """Let the pane in front catch up with what changed while the window was hidden."""
        super().showEvent(event)
        if self.panes is not None and self.panes.front is not None and self.sheets.front is None:
            self.panes.front.shown()

    def keep_state(self) -> None:
        """Write down geometry, panes and recents."""
        self._remember_place()
        keep = self._state.keep
        keep("window/geometry", bytes(self.saveGeometry().data()))
        keep("look/scheme", theme.current().scheme.value)
        keep("look/scale", str(theme.current().scale))
        keep("recents/actions", self.registry.recents)
        self._state.keep_places(self.palette_popup.recent_places)
        if self.erasure_watcher is not None:
            keep(NEWEST_ERASURE, self.erasure_watcher.newest)
        if self.panes is not None:
            keep("window/pane", (self.panes.front.name if self.panes.front else "") or FIRST)
            for name, blob in self.panes.save().items():
                keep(f"panes/{name}", blob)
        self._state.write()

    def shut_down(self) -> None:
        """Hide, and ask the vault nothing more."""
        self._save_timer.stop()
        self.undo.stop()
        if self.bridge is not None:
            self.bridge.settled.disconnect(self._look.start)
        self._look.stop()
        if self.status_updater is not None:
            self.status_updater.stop()
        self.hide()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Leave the decision to the program: hide, or quit."""
        self.keep_state()
        event.ignore()
        self.closed.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the drop veil over everything."""
        super().resizeEvent(event)
        self._drop_overlay.setGeometry(self.rect().adjusted(16, 16, -16, -16))

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Offer to import files and folders."""
        if self.dialogs is not None and any(url.isLocalFile() for url in event.mimeData().urls()):
            self.dragMoveEvent(event)
            self._drop_overlay.raise_()

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        """Make way for a note that is written, which attaches files itself."""
        event.acceptProposedAction()
        self._drop_overlay.setVisible(self._editor_at(event) is None)

    def dragLeaveEvent(self, _event: QDragLeaveEvent) -> None:
        """Withdraw the offer."""
        self._drop_overlay.hide()

    def dropEvent(self, event: QDropEvent) -> None:
        """Preview what was dropped, or give it to the note under it."""
        self._drop_overlay.hide()
        if (editor := self._editor_at(event)) is not None:
            editor.insertFromMimeData(event.mimeData())
            return
        self.import_paths([url.toLocalFile() for url in event.mimeData().urls() if url.isLocalFile()])

    def _editor_at(self, event: QDropEvent) -> MarkdownEditor | None:
        """Return the note's editor under a drag that it takes."""
        place = event.position().toPoint()
        for editor in self.findChildren(MarkdownEditor):
            is_open = editor.isVisible() and editor.isEnabled() and not editor.isReadOnly()
            if is_open and editor.rect().contains(editor.mapFrom(self, place)):
                return editor if editor.canInsertFromMimeData(event.mimeData()) else None
        return None

    def import_paths(self, paths: list[str]) -> None:
        """Open the import dialog on ``paths``."""
        if self.dialogs is not None and paths:
            self.dialogs.importer.offer(paths)

    def _make_drop_overlay(self) -> PlainLabel:
        overlay = PlainLabel(self.tr("Drop to import"), self)
        theme.current().add_root(overlay)
        overlay.setAlignment(Qt.AlignmentFlag.AlignCenter)
        overlay.setObjectName("dropVeil")
        theme.set_type(overlay, "title accent")
        overlay.hide()
        return overlay

    def _lay_out(self) -> None:
        self._pages.addWidget(self.start_page)
        self.sheets.changed.connect(self._on_sheets_changed)
        body = QWidget(self)
        self.sidebar = Sidebar(self.registry, self.commands.menu, body)
        for pane in filter(lambda candidate: candidate.in_rail, PANES):
            self.sidebar.add_pane(pane.name, pane.shown_title, pane.icon, pane.shortcut)
        for identity in ("help.pages", "file.settings"):
            self.sidebar.add_foot(identity)
        self.sidebar.set_open(is_open=False)
        self.sidebar.chosen.connect(self._on_rail_chosen)
        self.top_bar = TopBar(self.registry, body)
        self.banner = Banner(body)
        self.mode_banner = Banner(body, has_details=False)
        self.access_bar = AccessBar(body)
        self.clash_bar = ClashBar(body)
        self.advice_bar = SentenceBar("lightbulb", self.tr("Choose a search model"), body)
        self.join_bar = SentenceBar("link", self.tr("Several machines"), body)
        self.status_line = StatusLine(body)
        self.status_line.details_requested.connect(self._on_status_details_requested)
        self.status_line.agents.agent_requested.connect(self._on_agent_requested)
        column = vbox(spacing=0)
        for widget in (self.top_bar, self.mode_banner, self.banner, self.access_bar, self.join_bar, self.advice_bar):
            column.addWidget(widget)
        column.addWidget(self._pages, 1)
        column.addWidget(self.clash_bar)
        column.addWidget(self.status_line)
        hbox(self.sidebar, (column, 1), parent=body, margins=0, spacing=0)
        self.setCentralWidget(body)
        self.toaster.stand_over(self._pages)
        self.setAcceptDrops(True)

    def _restore_look(self) -> None:
        # The settings are read with the vault; until then the look of last time avoids a flash. Parts that were made
        # before a change of the size of text, but not shown, would keep the former size.
        if self._state.text("look/scheme") in set(Scheme):
            theme.current().set_scheme(Scheme(self._state.text("look/scheme")))
            theme.current().set_scale(float(self._state.text("look/scale", "1")))

    def _restore(self) -> None:
        geometry = self._state.blob("window/geometry")
        if not geometry or not self.restoreGeometry(geometry):
            self.resize(SIZE)
        fit_to_screen(self)

    def _open(self, place: Place) -> None:
        if self.panes is None:
            return
        self.sheets.dismiss()
        pane = self.panes.open(place)
        self.sidebar.select(place.pane)
        self.top_bar.show_field(is_shown=place.pane != "search")
        self.palette_popup.remember(pane.current_place())

    def _remember_place(self) -> None:
        """Remember what is open in the pane in front; people move within panes without telling."""
        if self.panes is not None and self.panes.front is not None:
            here = self.panes.front.current_place()
            self.palette_popup.remember(here)
            if self.places.current is not None:
                self.places.visit(here)

    def _on_undo_blocked(self, act: Act, first: Act) -> None:
        ask_to_undo_both(self.undo, self, act, first)

    def _on_undo_undone(self, undone: UndoneAct) -> None:
        self.toaster.forget(undone.act)

    def _on_start_page_failed(self, failed: bool) -> None:
        self.status_line.set_closed(closed=failed)

    def _on_status_details_requested(self) -> None:
        self.go(Place("status"))

    def _on_agent_requested(self, agent: str) -> None:
        self.go(Place("agents", agent))

    def _on_sheets_changed(self) -> None:
        """Let the pane's keys sleep behind a sheet, and the pane catch up after it."""
        front = self.panes.front if self.panes is not None else None
        is_covered = self.sheets.front is not None
        self.registry.set_pane(front.name if front is not None and not is_covered else "")
        self.sidebar.select(front.name if front is not None and not is_covered else "")
        if front is not None and not is_covered:
            front.shown()

    def _on_rail_chosen(self, name: str) -> None:
        self.go(Place(name))

    def _on_bridge_changed(self, changes: ChangeSet) -> None:
        if self.panes is not None:
            self.panes.refresh(changes)
        if "settings" in changes.areas and self.appearance is not None and self.bridge is not None:
            self.bridge.refresh(self.appearance.load())

    def _on_erased(self, ids: tuple[str, ...]) -> None:
        """Keep no words any more that may be those of what was erased."""
        self.palette_popup.forget(ids)
        self.places.forget(ids)
        self.undo.forget_words()
        self.toaster.forget_words()
        if self.errors.forget_words() and self.banner.isVisible():
            self.banner.show_notice(removed_error_text())
        if self.panes is not None:
            self.panes.forget_words()
        self.keep_state()
        self._save_timer.start()  # for what the panes drop a moment later

    def _on_actions_changed(self) -> None:
        for action in self.registry.all():
            qaction = self.registry.qaction(action.id)
            if qaction not in self.actions():
                self.addAction(qaction)
