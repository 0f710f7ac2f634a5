"""Pane stack: builds each pane when it is first needed."""

import logging
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QStackedWidget, QWidget

from ui import theme
from ui.panes.pane import Pane, Place
from ui.panes.pane_state import without_words
from ui.widgets.box_layouts import vbox
from ui.widgets.empty_state import EmptyState

if TYPE_CHECKING:
    from app.changes import ChangeSet
    from ui.actions import Actions
    from ui.bridge import Bridge

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class PaneEntry:
    """A pane before it is built: name, English title, icon, key, place in the rail."""

    name: str
    title: object
    icon: str
    shortcut: str
    in_rail: bool = True

    @property
    def shown_title(self) -> str:
        """Its title in the person's language."""
        return QCoreApplication.translate("Panes", str(self.title))


PANES = (
    PaneEntry("sessions", QT_TRANSLATE_NOOP("Panes", "Sessions"), "message-square", "Ctrl+1"),
    PaneEntry("notes", QT_TRANSLATE_NOOP("Panes", "Notes"), "notebook-pen", "Ctrl+2"),
    PaneEntry("graph", QT_TRANSLATE_NOOP("Panes", "Graph"), "waypoints", "Ctrl+3"),
    PaneEntry("schedule", QT_TRANSLATE_NOOP("Panes", "Schedule"), "calendar-clock", "Ctrl+4"),
    PaneEntry("search", QT_TRANSLATE_NOOP("Panes", "Search"), "search", "Ctrl+5"),
    PaneEntry("inbox", QT_TRANSLATE_NOOP("Panes", "Inbox"), "inbox", "Ctrl+6"),
    PaneEntry("agents", QT_TRANSLATE_NOOP("Panes", "Agents"), "bot", "Ctrl+7"),
    PaneEntry("status", QT_TRANSLATE_NOOP("Panes", "Status"), "shield-check", "Ctrl+8", in_rail=False),
)
FIRST = PANES[0].name


def read_pane(name: str) -> bool:
    """Import the code of a pane, on any thread, and return whether it is there."""
    try:
        import_module(_module_of(name), __package__)
    except ImportError:
        return False  # the pane says so itself when it is opened
    return True


def _module_of(name: str) -> str:
    return f"..panes.{name}.pane"


class PaneStack(QStackedWidget):
    """Holds the panes built so far and passes on what they say."""

    navigate = Signal(object)
    notice = Signal(object)

    def __init__(self, bridge: "Bridge", actions: "Actions", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._actions = actions
        self._panes: dict[str, Pane] = {}
        self._opened: Pane | None = None
        self.states: dict[str, bytes] = {}

    @property
    def front(self) -> Pane | None:
        """The pane in front."""
        widget = self.currentWidget()
        return widget if isinstance(widget, Pane) else None

    @property
    def built(self) -> tuple[Pane, ...]:
        """The panes built so far."""
        return tuple(self._panes.values())

    def open(self, place: Place) -> Pane:
        """Bring the pane of ``place`` to the front, and the place within it."""
        pane = self._build(place.pane)
        # The first widget added becomes the current one by itself, without being opened.
        if self._opened is not pane:
            self._opened = pane
            theme.current().dress(pane)
            self.setCurrentWidget(pane)
            self._actions.set_pane(place.pane)
            pane.shown()
        if place.id or place.extra:
            pane.open_place(place)
        return pane

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the ground below the panes, which themselves have none."""
        painter = QPainter(self)
        painter.fillRect(event.rect(), theme.current().colour("surface"))
        painter.end()

    def refresh(self, changes: "ChangeSet") -> None:
        """Tell every built pane what changed."""
        for pane in self._panes.values():
            pane.refresh(changes)

    def forget_words(self) -> None:
        """Drop the words that panes keep, built or not: they may repeat what was erased."""
        for pane in self._panes.values():
            pane.forget_words()
        self.states = {name: without_words(state) for name, state in self.states.items()}

    def save(self) -> dict[str, bytes]:
        """Return the saved state of each pane, built or not."""
        return {**self.states, **{name: pane.save_state() for name, pane in self._panes.items() if self.is_whole(name)}}

    async def settle(self) -> None:
        """Let every pane write what is not saved yet."""
        for pane in self._panes.values():
            await pane.settle()

    def is_whole(self, name: str) -> bool:
        """Return whether a pane can be shown without more to build."""
        return name in self._panes and self.indexOf(self._panes[name]) >= 0

    def build_part(self, name: str) -> None:
        """Build the next part of a pane: first what is in it, then its look."""
        if name not in self._panes:
            pane = self._panes[name] = self._make(name)
            pane.hide()
            pane.navigate.connect(self.navigate)
            pane.notice.connect(self.notice)
            self._actions.register(*pane.commands())
        elif not self.is_whole(name):
            pane = self._panes[name]
            self.addWidget(pane)
            # Only now, for a style sheet goes through a part each time that it is put into another.
            theme.current().add_root(pane)
            if self.states.get(name):
                pane.restore_state(self.states[name])

    def _build(self, name: str) -> Pane:
        while not self.is_whole(name):
            self.build_part(name)
        return self._panes[name]

    def _make(self, name: str) -> Pane:
        try:
            module = import_module(_module_of(name), __package__)
        except ImportError as error:
            _log.exception("The pane %s is missing", name)
            return MissingPane(name, str(error), self._bridge, self._actions, self)
        kind: type[Pane] = getattr(module, f"{name.capitalize()}Pane")
        return kind(self._bridge, self._actions, self)


class MissingPane(Pane):
    """Placeholder for a pane that could not be loaded."""

    def __init__(
        self, name: str, reason: str, bridge: "Bridge", actions: "Actions", parent: QWidget | None = None
    ) -> None:
        super().__init__(bridge, actions, parent)
        self._name = name
        text = self.tr("This installation is incomplete: {reason}. Installing Keepsake again repairs it.")
        title = self.tr("This part could not be loaded")
        vbox(EmptyState("triangle-alert", title, text.format(reason=reason), parent=self), parent=self)

    def current_place(self) -> Place:
        """Return the pane that should be here."""
        return Place(self._name)
