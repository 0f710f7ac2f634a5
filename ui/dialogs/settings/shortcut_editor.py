"""Shortcut editor: every action with its keys, new keys by pressing them."""

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence, QResizeEvent
from PySide6.QtWidgets import QFrame, QHeaderView, QLineEdit, QTreeWidget, QTreeWidgetItem, QWidget

from ui import operations, theme
from ui.dialogs.base_dialog import note
from ui.dialogs.settings.key_capture import KeyCapture, needs_modifier
from ui.dialogs.settings.panel import SettingsPanel
from ui.shell.window_commands import group_title
from ui.style.appearance import SHORTCUTS
from ui.style.design_tokens import Space
from ui.style.own_keys import write_keys
from ui.widgets.box_layouts import vbox
from ui.widgets.button import text_button
from ui.widgets.fields.field_icons import FieldIcons
from ui.widgets.flow_layout import FlowLayout
from ui.widgets.plain_text import PlainLabel

if TYPE_CHECKING:
    from collections.abc import Mapping

    from app.config.model import SettingValue
    from ui.actions import Action, Actions
    from ui.bridge import Bridge

_ID = Qt.ItemDataRole.UserRole
_HEIGHT = 150
_SHARE = 0.45
"""Minimum share of the window's height that the list takes.

So it is not scrolled within a page that has room.
"""


class ShortcutEditor(SettingsPanel):
    """Actions by menu, with a search, and a field for new keys."""

    def __init__(self, bridge: "Bridge", actions: "Actions", parent: QWidget | None = None) -> None:
        super().__init__(bridge, parent)
        self._actions = actions
        self.search = QLineEdit(self)
        self.search.setPlaceholderText(self.tr("Search by action or key"))
        self.search.setAccessibleName(self.tr("Search shortcuts"))
        FieldIcons(self.search, "search")
        self.search.textChanged.connect(self._fill)
        self.tree = QTreeWidget(self)
        self.tree.setAccessibleName(self.tr("Shortcuts"))
        self.tree.setObjectName("shortcutTree")
        self.tree.setColumnCount(3)
        self.tree.setHeaderHidden(True)
        self.tree.setRootIsDecorated(False)
        self.tree.setIndentation(12)
        self.tree.setUniformRowHeights(True)
        header = self.tree.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.tree.currentItemChanged.connect(self._show_chosen)
        self.tree.itemActivated.connect(self._on_activated)
        self._make_card()
        self.column.addWidget(self.search)
        self.column.addWidget(self.tree, 1)
        self.column.addWidget(self.card)
        actions.changed.connect(self._on_actions_changed)
        theme.current().changed.connect(self._fit)
        self._fit()

    def _make_card(self) -> None:
        self.card = QFrame(self)
        self.card.setObjectName("card")
        self.title = PlainLabel(self.card, style="strong")
        self.capture = KeyCapture(self.card)
        self.capture.setAccessibleName(self.tr("New keys"))
        self.capture.keySequenceChanged.connect(self._on_keys_changed)
        self.capture.left.connect(self.tree.setFocus)
        self.clash = note("", self.card, "body warning")
        self.clash.hide()
        self.use = text_button(self.tr("Use these keys"), "primary", parent=self.card)
        self.none = text_button(self.tr("No keys"), parent=self.card)
        self.reset = text_button(self.tr("Reset this one"), icon_name="undo-2", parent=self.card)
        self.reset_all = text_button(self.tr("Reset all"), parent=self.card)
        self.use.clicked.connect(self._on_use_clicked)
        self.none.clicked.connect(self._on_none_clicked)
        self.reset.clicked.connect(self._on_reset_clicked)
        self.reset_all.clicked.connect(self._on_reset_all_clicked)
        row = QWidget(self.card)
        buttons = FlowLayout(row, Space.S)
        for button in (self.use, self.none, self.reset, self.reset_all):
            buttons.addWidget(button)
        column = vbox(parent=self.card, margins=(Space.L, Space.M, Space.L, Space.M), spacing=Space.S)
        for widget in (self.title, self.capture, self.clash, row):
            column.addWidget(widget)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Give the list more room in a larger window."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        share = round(self.window().height() * _SHARE)
        self.tree.setMinimumHeight(max(theme.current().scaled(_HEIGHT), share))

    @property
    def words(self) -> str:
        """Text that the search over settings matches, in small letters."""
        titles = " ".join(action.title for action in self._actions.all())
        return f"{self.tr('Shortcuts')} keys {titles}".casefold()

    def shown(self) -> None:
        """Show what is registered now."""
        self._fit()
        self._fill()

    # --- showing ---

    def _fill(self) -> None:
        wanted, chosen = self.search.text().casefold(), self._chosen()
        pressed = self.capture.keySequence()
        own = self._actions.own_keys
        self.tree.clear()
        headings: dict[str, QTreeWidgetItem] = {}
        for action in self._actions.all():
            if wanted not in f"{action.title} {action.keys} {group_title(action.group)}".casefold():
                continue
            head = headings.get(action.group) or self._heading(action.group)
            headings[action.group] = head
            changed = self.tr("changed") if action.id in own else ""
            item = QTreeWidgetItem(head, [action.title.rstrip("…"), changed, _shown(action.shortcut)])
            item.setData(0, _ID, action.id)
            if action.id == chosen:
                self.tree.setCurrentItem(item)
        self.tree.expandAll()
        self._show_chosen()
        if self._chosen() == chosen and not pressed.isEmpty():
            self.capture.setKeySequence(pressed)

    def _heading(self, group: str) -> QTreeWidgetItem:
        head = QTreeWidgetItem(self.tree, [group_title(group)])
        head.setFlags(Qt.ItemFlag.ItemIsEnabled)
        head.setFirstColumnSpanned(True)
        font = head.font(0)
        font.setBold(True)
        head.setFont(0, font)
        return head

    def _show_chosen(self) -> None:
        action = self._action()
        self.title.setText(
            self.tr("New keys for ‘{name}’").format(name=action.title.rstrip("…"))
            if action is not None
            else self.tr("Choose an action above")
        )
        self.capture.setEnabled(action is not None)
        self.capture.clear()
        self.none.setEnabled(action is not None and bool(action.shortcut))
        self.reset.setEnabled(action is not None and action.id in self._actions.own_keys)
        self.reset_all.setEnabled(bool(self._actions.own_keys))
        self._on_keys_changed(QKeySequence())

    def _on_keys_changed(self, keys: QKeySequence) -> None:
        """Say whether the pressed keys can be used, and what they do already."""
        action = self._action()
        text = ""
        is_refused = action is None or keys.isEmpty()
        if action is not None and needs_modifier(keys):
            is_refused = True
            text = self.tr("{keys} alone types or moves something. Hold Ctrl or Alt with it.").format(
                keys=keys.toString(QKeySequence.SequenceFormat.NativeText)
            )
        elif action is not None and not keys.isEmpty():
            others = self._actions.sharing(action.id, _portable(keys))
            names = ", ".join(f"‘{other.title.rstrip('…')}’" for other in others)
            if others:
                text = self.tr("These keys already do {names}. They will be taken away there.").format(names=names)
        self.clash.setText(text)
        self.clash.setVisible(bool(text))
        self.use.setEnabled(not is_refused)

    # --- what the person does ---

    def _on_use_clicked(self) -> None:
        action, keys = self._action(), _portable(self.capture.keySequence())
        if action is None or not keys:
            return
        own = self._actions.own_keys
        for other in self._actions.sharing(action.id, keys):
            parts = [part for part in other.shortcut.split("; ") if QKeySequence(part) != QKeySequence(keys)]
            own[other.id] = "; ".join(parts)
        own[action.id] = keys
        self._store(own)

    def _on_none_clicked(self) -> None:
        if (action := self._action()) is not None:
            self._store({**self._actions.own_keys, action.id: ""})

    def _on_reset_clicked(self) -> None:
        if (action := self._action()) is not None:
            self._store({name: keys for name, keys in self._actions.own_keys.items() if name != action.id})

    def _on_reset_all_clicked(self) -> None:
        self._store({})

    def _store(self, own: "Mapping[str, str]") -> None:
        usual = {action.id: self._actions.usual_keys(action.id) for action in self._actions.all()}
        differing = {name: keys for name, keys in own.items() if usual.get(name) != keys}
        self.run(self._set(write_keys(differing)))

    async def _set(self, text: str) -> None:
        stored: SettingValue = await self.bridge.call(operations.settings.set(name=SHORTCUTS, value=text))
        self.capture.clear()
        self.stored.emit(stored)
        self._fill()

    def _on_activated(self) -> None:
        if self._action() is not None:
            self.capture.setFocus()

    def _on_actions_changed(self) -> None:
        if self.isVisible() and not self.capture.hasFocus():
            self._fill()

    def _chosen(self) -> str:
        item = self.tree.currentItem()
        return str(item.data(0, _ID) or "") if item is not None else ""

    def _action(self) -> "Action | None":
        return self._actions.find(self._chosen())


def _portable(keys: QKeySequence) -> str:
    return keys.toString(QKeySequence.SequenceFormat.PortableText)


def _shown(shortcut: str) -> str:
    """Return all keys of an action as this platform writes them."""
    parts = (QKeySequence(part) for part in shortcut.split("; ") if part)
    return ", ".join(part.toString(QKeySequence.SequenceFormat.NativeText) for part in parts)
