"""Protocol of the main window, for the modules that the window itself imports."""

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from ui.actions import Actions
    from ui.bridge import Bridge
    from ui.dialogs.dialog_registry import DialogRegistry
    from ui.dialogs.palette.palette import Palette
    from ui.notice import Notice
    from ui.process.error_reporter import ErrorReporter
    from ui.shell.navigation import Navigation, Place
    from ui.shell.pane_stack import PaneStack
    from ui.shell.sheet_stack import SheetStack
    from ui.shell.sidebar import Sidebar
    from ui.shell.start.start_page import StartPage
    from ui.shell.status.status_line import StatusLine
    from ui.shell.topbar import TopBar
    from ui.shell.undo.undo_stack import UndoStack
    from ui.style.appearance import Appearance
    from ui.widgets.notices.banner import Banner
    from ui.widgets.notices.toast import Toaster


class WindowPort(Protocol):
    """Window parts that actions use; some are ``None`` without a vault."""

    @property
    def registry(self) -> "Actions":
        """The registry of actions."""

    @property
    def places(self) -> "Navigation":
        """The history of places."""

    @property
    def undo(self) -> "UndoStack":
        """The undo stack."""

    @property
    def errors(self) -> "ErrorReporter":
        """The reporter of unexpected errors."""

    @property
    def banner(self) -> "Banner":
        """The banner for problems."""

    @property
    def toaster(self) -> "Toaster":
        """The stack of toasts."""

    @property
    def sidebar(self) -> "Sidebar":
        """The sidebar with one button for each pane."""

    @property
    def top_bar(self) -> "TopBar":
        """The bar above the panes."""

    @property
    def status_line(self) -> "StatusLine":
        """The line below the panes."""

    @property
    def start_page(self) -> "StartPage":
        """The page shown before a vault is open."""

    @property
    def palette_popup(self) -> "Palette":
        """The command palette."""

    @property
    def sheets(self) -> "SheetStack":
        """The stack of sheets in front of the panes."""

    @property
    def panes(self) -> "PaneStack | None":
        """The stack of panes."""

    @property
    def dialogs(self) -> "DialogRegistry | None":
        """The registry of dialogs."""

    @property
    def appearance(self) -> "Appearance | None":
        """The window's settings."""

    @property
    def bridge(self) -> "Bridge | None":
        """The bridge to the vault."""

    def go(self, place: "Place") -> None:
        """Show a place and remember it."""

    def show_notice(self, notice: "Notice") -> None:
        """Show a toast."""

    def close(self) -> bool:
        """Close the window."""
