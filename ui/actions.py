"""Registry of actions for menus, palette, tray, tooltips and the shortcuts page."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QAction, QKeySequence
from shiboken6 import isValid

from ui.style.icons import icon
from ui.widgets.plain_text import caption

RECENT_LIMIT = 20


Slot = Callable[[], object]


@dataclass(frozen=True, slots=True)
class CommandSpec:
    """Declaration of an action; the title is English, marked for translation."""

    id: str
    title: object
    icon: str = ""
    shortcut: str = ""
    keywords: str = ""
    listed: bool = True
    group: str = ""
    """The menu it belongs to, where its id does not begin with it."""


@dataclass(frozen=True, slots=True)
class Action:
    """Something a person can do.

    Args:
        id: Stable name: group and verb, such as ``notes.new``.
        title: What menus and the palette call it, translated.
        run: Does it; must return at once (start a task for anything long).
        icon: Name of its icon.
        shortcut: Key sequence in portable form, such as ``Ctrl+N``; several are separated by ``; ``.
        group: Menu it belongs to: ``file``, ``edit``, ``go``, ``view``, ``help``, or a pane's name.
        enabled: Whether it can be done now; always when ``None``.
        checked: Whether it is on, for what can be switched; ``None`` for the rest.
        keywords: Further words the palette finds it by.
        pane: Its keys work only while that pane is in front; everywhere when empty.
        listed: Whether menus and the palette show it.
    """

    id: str
    title: str
    run: Callable[[], object]
    icon: str = ""
    shortcut: str = ""
    group: str = ""
    enabled: Callable[[], bool] | None = None
    checked: Callable[[], bool] | None = None
    keywords: str = ""
    pane: str = ""
    listed: bool = True

    @property
    def can_run(self) -> bool:
        """True if it can be run now."""
        return self.enabled is None or self.enabled()

    @property
    def keys(self) -> str:
        """The first shortcut as this platform writes it."""
        sequences = _sequences(self.shortcut)
        return sequences[0].toString(QKeySequence.SequenceFormat.NativeText) if sequences else ""


class Actions(QObject):
    """All actions by id, each with the one ``QAction`` that menus and shortcuts share."""

    changed = Signal()
    ran = Signal(str)
    pane_requested = Signal(str)
    """Bring a pane to the front, at once, for an action of it."""
    refused = Signal(str)
    """An action of another pane cannot run there now, such as where nothing is chosen."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._actions: dict[str, Action] = {}
        self._declared: dict[str, Action] = {}
        self._own_keys: dict[str, str] = {}
        self._qactions: dict[str, QAction] = {}
        self._pane = ""
        self.recents: list[str] = []

    def register(self, *actions: Action) -> None:
        """Add ``actions``; one with a known id replaces the former."""
        for declared in actions:
            self._declared[declared.id] = declared
            action = replace(declared, shortcut=self._own_keys.get(declared.id, declared.shortcut))
            self._actions[action.id] = action
            if action.id in self._qactions:
                self._dress(self._qactions[action.id], action)
            else:
                self._qactions[action.id] = self._make(action)
        self.changed.emit()

    def find(self, identity: str) -> Action | None:
        """Return the action with an id."""
        return self._actions.get(identity)

    def offered(self) -> list[Action]:
        """Return what the palette lists: the actions in reach, then those of other panes."""
        listed = [action for action in self._actions.values() if action.listed]
        return sorted(listed, key=lambda action: not self.is_in_reach(action))

    def is_in_reach(self, action: Action) -> bool:
        """Return whether an action can run in the pane that is in front."""
        return not action.pane or action.pane == self._pane

    def all(self) -> list[Action]:
        """Return every action, in order of registration."""
        return list(self._actions.values())

    def in_group(self, group: str) -> list[Action]:
        """Return the listed actions of a menu."""
        return [action for action in self._actions.values() if action.group == group and action.listed]

    def qaction(self, identity: str) -> QAction:
        """Return the shared ``QAction`` of an action."""
        return self._qactions[identity]

    def retitle(self, identity: str, title: str) -> None:
        """Change what an action is called."""
        self.register(replace(self._declared[identity], title=title))

    @property
    def own_keys(self) -> dict[str, str]:
        """The keys that the person chose, by action; of actions not registered yet too."""
        return dict(self._own_keys)

    def set_own_keys(self, keys: Mapping[str, str]) -> None:
        """Give actions the keys that the person chose; all others have their usual ones."""
        if self._own_keys != keys:
            self._own_keys = dict(keys)
            self.register(*self._declared.values())

    def usual_keys(self, identity: str) -> str:
        """Return the keys that an action was declared with, in portable form."""
        return self._declared[identity].shortcut

    def sharing(self, identity: str, keys: str) -> list[Action]:
        """Return the other actions in reach of an action that have the same keys."""
        pane = self._declared[identity].pane
        wanted = set(_sequences(keys))
        return [
            other
            for other in self._actions.values()
            if other.id != identity
            and (not pane or not other.pane or pane == other.pane)
            and wanted & set(_sequences(other.shortcut))
        ]

    def set_pane(self, pane: str) -> None:
        """Tell which pane is in front; actions of others go to sleep."""
        self._pane = pane
        self.refresh()

    def refresh(self) -> None:
        """Look again at what can be done and what is on."""
        for identity, action in self._actions.items():
            qaction = self._qactions[identity]
            qaction.setEnabled(self.is_in_reach(action) and action.can_run)
            if action.checked is not None:
                qaction.setChecked(action.checked())

    def run(self, identity: str) -> bool:
        """Run an action; return False when it is unknown or disabled."""
        action = self._actions.get(identity)
        if action is None or not self.is_in_reach(action) or not action.can_run:
            return False
        if identity in self.recents:
            self.recents.remove(identity)
        self.recents.insert(0, identity)
        del self.recents[RECENT_LIMIT:]
        action.run()
        self.refresh()
        self.ran.emit(identity)
        return True

    def run_anywhere(self, identity: str) -> bool:
        """Run an action in its own pane, which is brought to the front for it."""
        action = self._actions.get(identity)
        if action is None or self.is_in_reach(action):
            return self.run(identity)
        self.pane_requested.emit(action.pane)
        has_run = self.run(identity)
        if not has_run:
            self.refused.emit(identity)
        return has_run

    def _make(self, action: Action) -> QAction:
        qaction = QAction(self)
        qaction.setData(action.id)
        # ApplicationShortcut would steal keys from dialogs; the window adds each action to itself instead.
        qaction.setShortcutContext(Qt.ShortcutContext.WindowShortcut)
        qaction.triggered.connect(self._on_triggered)
        self._dress(qaction, action)
        return qaction

    def _dress(self, qaction: QAction, action: Action) -> None:
        qaction.setText(caption(action.title))
        qaction.setCheckable(action.checked is not None)
        qaction.setEnabled(self.is_in_reach(action) and action.can_run)
        if action.checked is not None:
            qaction.setChecked(action.checked())
        if action.icon:
            qaction.setIcon(icon(action.icon))
        qaction.setShortcuts(_sequences(action.shortcut))

    def _on_triggered(self) -> None:
        sender = self.sender()
        if isinstance(sender, QAction):
            identity = str(sender.data())
            self.run(identity)
            action = self.find(identity)
            # The click has set the mark already; what may still be refused is marked once it is so.
            if action is not None and action.checked is not None and isValid(sender):
                sender.setChecked(action.checked())


def _sequences(shortcut: str) -> list[QKeySequence]:
    return [QKeySequence(part) for part in shortcut.split("; ") if part]
