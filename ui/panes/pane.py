"""The base class of panes: what the window calls, and the signals it listens to."""

from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from ui.notice import Notice
from ui.shell.navigation import Place
from ui.work import Work

if TYPE_CHECKING:
    from app.changes import ChangeSet
    from ui.actions import Action, Actions
    from ui.bridge import Bridge

__all__ = ["Notice", "Pane", "Place"]


class Pane(QWidget):
    """One of the window's large views.

    The frame imports ``ui.panes.<name>.pane`` when the pane is first needed and builds its ``<Name>Pane`` as
    ``SessionsPane(bridge, actions, parent)``. It calls the methods below and nothing else. A pane that is not visible
    may put a refresh off until ``shown``. State of its own splitters is kept with ``save_state``/``restore_state``.
    """

    name: ClassVar[str] = ""
    title: ClassVar[str] = ""
    icon: ClassVar[str] = ""
    has_inspector: ClassVar[bool] = False

    navigate = Signal(object)
    """Go to a ``Place``, in this pane or another; it is recorded in back/forward."""
    notice = Signal(object)
    """Tell a ``Notice`` in passing."""

    def __init__(self, bridge: "Bridge", actions: "Actions", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.bridge = bridge
        self.work = Work(self, bridge)
        self.registry = actions

    def shown(self) -> None:
        """Come to the front: load or refresh what was put off."""
        self.work.catch_up()

    def open_place(self, place: Place) -> None:
        """Show ``place``, whose pane is this one; never emits ``navigate``."""

    def current_place(self) -> Place:
        """Return where one is in this pane."""
        return Place(self.name)

    def commands(self) -> "list[Action]":
        """Return actions of this pane; registered once when it is built (``QWidget.actions`` is Qt's own)."""
        return []

    def focus_first(self) -> None:
        """Put the keyboard on the widget one would use first."""
        self.setFocus()

    def regions(self) -> list[QWidget]:
        """Return the parts that F6 cycles through, in reading order."""
        return [self]

    def refresh(self, changes: "ChangeSet") -> None:
        """Show what changed in the vault; keep selection and typed text."""

    def toggle_inspector(self) -> None:
        """Show or hide the pane's inspector, where it has one."""

    async def settle(self) -> None:
        """Write what is typed but not saved yet; the frame awaits it before quitting."""

    def forget_words(self) -> None:
        """Drop words that are kept between starts and may repeat what was erased."""

    def save_state(self) -> bytes:
        """Return splitter sizes and the like, kept with the window's geometry."""
        return b""

    def restore_state(self, state: bytes) -> None:
        """Apply what ``save_state`` returned."""
