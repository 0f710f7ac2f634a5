"""Actions of the main window: the slots behind them, and the menu."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from app.errors import KeepsakeError
from ui import operations, theme
from ui.actions import Action, Actions, Slot
from ui.dialogs.crash_report import CrashDialog
from ui.dialogs.debug_information import program_lines
from ui.dialogs.settings.sections import SECTIONS
from ui.engine_texts import engine_text, error_text
from ui.models.dates import full_date
from ui.notice import Notice
from ui.panes.pane_commands import awaited_actions
from ui.shell.focus_cycle import cycle
from ui.shell.navigation import Place, link_of
from ui.shell.pane_stack import PANES
from ui.shell.window_commands import MENUS, SETTINGS, frame_actions, group_title, translated
from ui.theme import Scheme

if TYPE_CHECKING:
    from app.trace.model import CrashReport
    from ui.shell.window_port import WindowPort

NORMAL = 100
HELP_PAGES = {"search": "search", "graph": "graph"}
"""Panes whose help is a page of its own."""


class WindowActions(QObject):
    """Slots of the window's own actions, and the menu made from the registry.

    Args:
        window: The parts of the window that the actions use.
        widget: The same window as the Qt parent of the menu and of dialogs.
    """

    capture_requested = Signal()
    quit_requested = Signal()
    lock_requested = Signal()

    def __init__(self, window: "WindowPort", widget: QWidget) -> None:
        super().__init__(widget)
        self._window = window
        self._widget = widget
        self.is_encrypted = False
        """Whether the vault is encrypted, so that it can be locked."""
        self.menu = QMenu(widget)
        theme.current().add_root(self.menu)
        self.menu.aboutToShow.connect(self._fill_menu)

    def register(self, actions: Actions) -> None:
        """Register the window's own actions."""
        actions.register(*frame_actions(self._slots(), self._enabled(), self._checked()))
        actions.register(*awaited_actions(self._run_in_pane, self._is_open))
        actions.register(
            *(
                Action(
                    id=f"go.{pane.name}",
                    title=pane.shown_title,
                    run=partial(self._go_to_pane, pane.name),
                    icon=pane.icon,
                    shortcut=pane.shortcut,
                    group="go",
                    enabled=self._is_open,
                )
                for pane in PANES
            )
        )
        actions.register(
            *(
                Action(
                    id=f"settings.{section.id}",
                    title=section.shown_title,
                    run=partial(self._settings, section.id),
                    icon=section.icon,
                    group=SETTINGS,
                    enabled=self._is_open,
                    keywords=section.keywords,
                )
                for section in SECTIONS
            )
        )
        actions.pane_requested.connect(self._go_to_pane)
        actions.refused.connect(self._on_actions_refused)

    def search(self, words: str) -> None:
        """Search everything for ``words``."""
        self._window.go(Place("search", extra=words))

    def create_note(self, title: str) -> None:
        """Create a note titled ``title`` and open it."""
        if self._window.bridge is not None:
            self._window.bridge.start(self._create_note(title))

    def open_models(self) -> None:
        """Open the search models."""
        if self._window.dialogs is not None:
            self._window.dialogs.open_models()

    def open_devices(self) -> None:
        """Open the settings of the other machines."""
        self._settings("devices")

    def name_undo(self) -> None:
        """Say in menus what undo and redo would do."""
        window = self._window
        window.registry.retitle("edit.undo", window.undo.undo_text)
        window.registry.retitle("edit.redo", window.undo.redo_text)
        window.registry.refresh()

    def copy_details(self) -> None:
        """Copy the report that the banner offers, else the last failures."""
        QGuiApplication.clipboard().setText(self._window.banner.report or self._window.errors.details)
        self._window.banner.hide()

    def offer_crash_reports(self, reports: "Sequence[CrashReport]") -> None:
        """Say that Keepsake ended unexpectedly, and offer what it wrote then."""
        if not reports:
            return
        text = "\n\n".join(
            self.tr("{program}, {time}").format(program=report.program, time=full_date(report.at))
            + f"\n{report.stacks}"
            for report in reports
        )
        self._window.banner.show_notice(
            self.tr(
                "Keepsake ended unexpectedly on {time}. What was saved is kept. "
                "Copy the details if you want to report it."
            ).format(time=full_date(reports[0].at)),
            "\n".join((*program_lines(), "", text)),
        )

    def show_crash_report(self, report: str) -> None:
        """Open a dialog with a crash report."""
        CrashDialog(report, self._widget).bring_to_front()

    def _slots(self) -> dict[str, Slot]:
        window = self._window
        return {
            "notes.new": partial(self._run_in_pane, "notes", "notes.new"),
            "file.capture": self.capture_requested.emit,
            "file.import": self._import,
            "file.export": self._export,
            "file.capsule": self.open_capsule,
            "file.settings": self._settings,
            "file.models": self.open_models,
            "file.test_model": self._test_model,
            "file.close": window.close,
            "file.lock": self.lock_requested.emit,
            "file.quit": self.quit_requested.emit,
            "edit.undo": window.undo.undo,
            "edit.redo": window.undo.redo,
            "edit.history": self._history,
            "go.palette": self._palette,
            "go.jump": self._jump,
            "go.back": self._go_back,
            "go.forward": window.places.go_forward,
            "go.find": partial(self._go_to_pane, "search"),
            "go.region": partial(self._cycle, 1),
            "go.region_back": partial(self._cycle, -1),
            "go.menu": self._open_menu,
            "go.notice": self._go_to_notice,
            "go.copy_link": self._copy_link,
            "view.inspector": self._toggle_inspector,
            "view.light": partial(self._set_scheme, Scheme.LIGHT),
            "view.dark": partial(self._set_scheme, Scheme.DARK),
            "view.system": partial(self._set_scheme, Scheme.SYSTEM),
            "view.larger": partial(self._zoom, 1),
            "view.smaller": partial(self._zoom, -1),
            "view.normal": self._zoom_normal,
            "help.pages": self._help,
            "help.welcome": self._welcome,
            "help.shortcuts": self._shortcuts,
            "help.about": self._about,
        }

    def _enabled(self) -> dict[str, Callable[[], bool]]:
        window = self._window
        needs_vault = (
            "notes.new",
            "file.capture", "file.import", "file.export", "file.capsule", "file.settings", "file.models",
            "file.test_model", "edit.history", "go.palette", "go.jump", "go.find",
            "go.copy_link",
            "view.light", "view.dark", "view.system", "view.larger", "view.smaller", "view.normal",
            "help.pages", "help.welcome", "help.shortcuts", "help.about",
        )  # fmt: skip
        return dict.fromkeys(needs_vault, self._is_open) | {
            "file.lock": self._can_lock,
            "edit.undo": window.undo.can_undo,
            "edit.redo": window.undo.can_redo,
            "go.back": self._can_go_back,
            "go.forward": self._can_go_forward,
            "go.notice": self._has_notice,
            "view.inspector": self._has_inspector,
        }

    def _can_lock(self) -> bool:
        return self.is_encrypted and self._is_open()

    def _checked(self) -> dict[str, Callable[[], bool]]:
        return {f"view.{scheme.value}": partial(self._is_scheme, scheme) for scheme in Scheme}

    def _fill_menu(self) -> None:
        self.menu.clear()
        registry = self._window.registry
        for group, title in MENUS:
            submenu = self.menu.addMenu(translated(title))
            for action in registry.in_group(group):
                submenu.addAction(registry.qaction(action.id))
        front = self._window.panes.front if self._window.panes is not None else None
        own = registry.in_group(front.name) if front is not None else []
        if own:
            self.menu.addSeparator()
            for action in own:
                self.menu.addAction(registry.qaction(action.id))

    def _is_open(self) -> bool:
        return self._window.panes is not None

    def _can_go_back(self) -> bool:
        return self._window.sheets.front is not None or self._window.places.can_go_back

    def _go_back(self) -> None:
        """Close the sheet in front, else go to the place before."""
        sheet = self._window.sheets.front
        if sheet is not None:
            sheet.reject()
        else:
            self._window.places.go_back()

    def _can_go_forward(self) -> bool:
        return self._window.places.can_go_forward

    def _has_notice(self) -> bool:
        return bool(self._window.toaster.toasts)

    def _has_inspector(self) -> bool:
        front = self._window.panes.front if self._window.panes is not None else None
        return front is not None and front.has_inspector and self._window.sheets.front is None

    def _is_scheme(self, scheme: Scheme) -> bool:
        return theme.current().scheme is scheme

    def _go_to_pane(self, name: str) -> None:
        self._window.go(Place(name))
        if self._window.panes is not None and self._window.panes.front is not None:
            self._window.panes.front.focus_first()

    def _run_in_pane(self, pane: str, identity: str) -> None:
        """Open a pane, which builds it, and run its own action."""
        registry = self._window.registry
        before = registry.find(identity)
        self._window.go(Place(pane))
        action = registry.find(identity)
        if action is not None and action is not before and action.can_run:
            action.run()

    def _on_actions_refused(self, identity: str) -> None:
        """Say why a command of another pane was not done."""
        action = self._window.registry.find(identity)
        if action is not None:
            words = self.tr("Choose in {pane} what ‘{title}’ is for. Then give the command again.")
            title = action.title.rstrip("…")
            self._window.show_notice(Notice(words.format(pane=group_title(action.pane), title=title)))

    def _palette(self) -> None:
        self._window.palette_popup.show_commands()

    def _jump(self) -> None:
        self._window.palette_popup.show_titles()

    def _open_menu(self) -> None:
        self._window.sidebar.menu_button.showMenu()

    def _go_to_notice(self) -> None:
        self._window.toaster.focus_last()

    def _cycle(self, step: int) -> None:
        window = self._window
        front = window.panes.front if window.panes is not None else None
        inner: list[QWidget] = front.regions() if front is not None else [window.start_page]
        if window.sheets.front is not None:
            inner = window.sheets.front.regions()
        cycle([*inner, window.status_line, window.sidebar, window.top_bar], QApplication.focusWidget(), step)

    def _copy_link(self) -> None:
        front = self._window.panes.front if self._window.panes is not None else None
        link = link_of(front.current_place()) if front is not None else ""
        if link:
            QGuiApplication.clipboard().setText(link)
            self._window.show_notice(Notice(self.tr("Link copied"), seconds=3))
        else:
            self._window.show_notice(
                Notice(self.tr("Open a note, conversation or search first; this place has no link"))
            )

    def _toggle_inspector(self) -> None:
        if self._window.panes is not None and self._window.panes.front is not None:
            self._window.panes.front.toggle_inspector()

    def _set_scheme(self, scheme: Scheme) -> None:
        if self._window.appearance is not None:
            self._window.appearance.set_scheme(scheme)

    def _zoom(self, steps: int) -> None:
        if self._window.appearance is not None:
            self._window.appearance.zoom(steps)

    def _zoom_normal(self) -> None:
        if self._window.appearance is not None:
            self._window.appearance.set_percent(NORMAL)

    def _test_model(self) -> None:
        if self._window.bridge is not None:
            self._window.bridge.start(self._ask_model())

    async def _ask_model(self) -> None:
        """Ask the language model one small question, and say how it went."""
        window = self._window
        if window.bridge is None:
            return
        status = await window.bridge.call(operations.llm.status())
        if not status.is_configured:
            window.show_notice(Notice(self.tr("No language model is set up. The settings llm.* name one.")))
            return
        done = await window.bridge.call(operations.llm.test())
        if not done.ok:
            window.show_notice(Notice(engine_text(done.note), kind="error"))
            return
        words = self.tr("{model} answered in {seconds} seconds. This month it cost {cost}.")
        cost = f"{status.spent_this_month:.2f}"
        window.show_notice(Notice(words.format(model=done.model, seconds=f"{done.seconds:.1f}", cost=cost)))

    def _import(self) -> None:
        if self._window.dialogs is not None:
            self._window.dialogs.open_import()

    def _export(self) -> None:
        if self._window.dialogs is not None:
            self._window.dialogs.open_export()

    def _history(self) -> None:
        if self._window.dialogs is not None:
            self._window.dialogs.open_history(self._window.undo)

    def open_capsule(self, ids: Sequence[str] = ()) -> None:
        """Open the sheet that makes a capsule, with these memories where some are named."""
        if self._window.dialogs is not None:
            self._window.dialogs.open_capsule(ids)

    def _settings(self, section: str = "") -> None:
        if self._window.dialogs is not None:
            self._window.dialogs.open_settings(section)

    def _help(self) -> None:
        if self._window.dialogs is not None:
            front = self._window.panes.front if self._window.panes is not None else None
            self._window.dialogs.open_help(HELP_PAGES.get(front.name, "") if front is not None else "")

    def _welcome(self) -> None:
        if self._window.dialogs is not None:
            self._window.dialogs.open_welcome()

    def _shortcuts(self) -> None:
        if self._window.dialogs is not None:
            self._window.dialogs.open_shortcuts()

    def _about(self) -> None:
        if self._window.dialogs is not None:
            self._window.dialogs.open_about()

    async def _create_note(self, title: str) -> None:
        bridge = self._window.bridge
        if bridge is None:
            return
        try:
            reply = await bridge.reply(operations.note.save(title=title, content=""))
        except KeepsakeError as error:
            self._window.show_notice(Notice(error_text(error), kind="error"))
            return
        self._window.go(Place("notes", reply.value.id, title=title))
        history = reply.changes.history_ids if reply.changes is not None else ()
        self._window.show_notice(Notice(self.tr("Created ‘{title}’").format(title=title), history))
