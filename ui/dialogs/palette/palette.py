"""Command palette: Ctrl+K finds commands and everything in the vault, Ctrl+O notes and conversations."""

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QApplication, QFrame, QLineEdit, QListView, QWidget
from shiboken6 import isValid

from ui import theme
from ui.actions import Actions
from ui.dialogs.palette.palette_entries import Entry, ranked
from ui.dialogs.palette.palette_list import EntryDelegate, EntryModel
from ui.dialogs.palette.palette_lookup import PaletteLookup, Target, target_of
from ui.shell.navigation import Place
from ui.shell.window_commands import group_title
from ui.style.design_tokens import Space
from ui.widgets.box_layouts import vbox
from ui.widgets.plain_text import PlainLabel

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ui.bridge import Bridge

WIDTH, ROWS, TOP = 640, 9, 56
RECENT_LIMIT = 30
LEADING = 6
"""Recent commands listed before the recent places, while nothing is typed."""
UNLISTED = ("go.palette",)
STAYS = (Qt.FocusReason.ActiveWindowFocusReason, Qt.FocusReason.PopupFocusReason)


class Palette(QFrame):
    """Popup list driven by the keyboard; it closes when it loses focus."""

    navigate = Signal(object)
    search_requested = Signal(str)
    note_requested = Signal(str)

    def __init__(self, actions: Actions, window: QWidget, anchor: QWidget | None = None) -> None:
        super().__init__(window)
        theme.current().add_root(self)
        self.setObjectName("popup")
        self._actions = actions
        self._anchor = anchor
        self._jumping = False
        self._before: QWidget | None = None
        self._found: list[Entry] = []
        self.recent_places: list[Place] = []
        self._erased: set[str] = set()
        self._field = QLineEdit(self)
        self._field.setAccessibleName(self.tr("Command or title"))
        theme.set_type(self._field, "body")
        self._field.textChanged.connect(self._on_text_changed)
        self._field.installEventFilter(self)
        self._model = EntryModel(self)
        self._list = QListView(self)
        self._list.setAccessibleName(self.tr("Suggestions"))
        self._list.setModel(self._model)
        self._list.setItemDelegate(EntryDelegate(self._list))
        self._list.setUniformItemSizes(True)
        self._list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._list.clicked.connect(self._choose)
        self._is_choosing = False
        self._foot = PlainLabel(self.tr("↑ ↓ choose   ·   Enter open   ·   Esc close"), self, style="small muted")
        self._foot.setIndent(Space.L)
        self._foot.setFixedHeight(self._foot.fontMetrics().height() + Space.M)
        vbox(self._field, self._list, self._foot, parent=self, margins=1, spacing=Space.XS)
        self._lookup = PaletteLookup(self)
        self._lookup.found.connect(self._on_lookup_found)
        self._lookup.settled.connect(self._on_lookup_settled)
        window.installEventFilter(self)
        self.hide()

    def set_bridge(self, bridge: "Bridge") -> None:
        """Look up titles, tags and names through ``bridge``."""
        self._lookup.set_bridge(bridge)

    def show_commands(self) -> None:
        """Open with commands and recent places."""
        self._open(jumping=False, hint=self.tr("Type a command, title, tag or name…"))

    def show_titles(self) -> None:
        """Open with notes and conversations."""
        self._open(jumping=True, hint=self.tr("Search or jump to a note or conversation…"))

    def remember(self, place: Place) -> None:
        """Offer ``place`` among the recent ones."""
        if not place.id or not place.title or place.id in self._erased:
            return
        self.recent_places = [place, *(known for known in self.recent_places if known != place)][:RECENT_LIMIT]

    def forget(self, ids: "Iterable[str]") -> None:
        """Offer what is erased no more, not even while a pane still shows it."""
        self._erased.update(ids)
        # A name may have come from the erased text alone; visited again, it is offered again.
        self.recent_places = [
            place for place in self.recent_places if place.id not in self._erased and place.pane != "graph"
        ]
        self._found = []
        if self.isVisible():
            self._fill()
            self._look_up(at_once=True)
        else:
            self._model.set_entries([])

    @property
    def entries(self) -> list[Entry]:
        """Entries in the list."""
        rows = (self._model.entry(row) for row in range(self._model.rowCount()))
        return [entry for entry in rows if entry is not None]

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Handle the field's keys, the window's size and lost focus."""
        if watched is self._field:
            if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
                return self._on_key(event)
            if isinstance(event, QFocusEvent) and event.lostFocus() and event.reason() not in STAYS:
                self.hide()
        elif event.type() == QEvent.Type.Resize and self.isVisible():
            self._place()
        return super().eventFilter(watched, event)

    def _open(self, *, jumping: bool, hint: str) -> None:
        self._jumping, self._is_choosing = jumping, False
        focus = QApplication.focusWidget()
        self._before = focus if focus is not self._field else self._before
        self._found = []
        self._field.setPlaceholderText(hint)
        self._field.clear()
        self._fill()
        self._look_up(at_once=True)
        self._place()
        self.show()
        self.raise_()
        self._field.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _place(self) -> None:
        window = self.parentWidget()
        if window is None:
            return
        width = min(round(WIDTH * theme.current().scale), window.width() - 2 * Space.L)
        row = self._list.sizeHintForRow(0) if self._model.rowCount() else 34
        rows = min(max(self._model.rowCount(), 1), ROWS)
        self._list.setFixedHeight(row * rows + Space.S)
        self.resize(QSize(width, self.sizeHint().height()))
        middle = window.width() // 2
        top = TOP
        if self._anchor is not None and self._anchor.isVisible():
            field = self._anchor.mapTo(window, self._anchor.rect().center())
            middle, top = field.x(), field.y() - self._anchor.height() // 2
        self.move(min(max(Space.S, middle - width // 2), window.width() - width - Space.S), top)

    def _on_key(self, event: QKeyEvent) -> bool:
        step = {
            Qt.Key.Key_Down: 1,
            Qt.Key.Key_Up: -1,
            Qt.Key.Key_PageDown: ROWS,
            Qt.Key.Key_PageUp: -ROWS,
        }.get(Qt.Key(event.key()))
        if step is not None:
            self._move_by(step)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._choose_best()
        elif event.key() in (Qt.Key.Key_Escape, Qt.Key.Key_Tab):
            self._close()
        else:
            return False
        return True

    def _move_by(self, step: int) -> None:
        count = self._model.rowCount()
        if not count:
            return
        row = self._list.currentIndex().row() + step
        row = row % count if abs(step) == 1 else min(max(row, 0), count - 1)
        self._list.setCurrentIndex(self._model.index(row))

    def _choose_best(self) -> None:
        """Choose the current row, or the best match once the vault has answered."""
        self._is_choosing = self._list.currentIndex().row() <= 0 and not self._lookup.is_idle
        if self._is_choosing:
            self._lookup.hurry()
        else:
            self._choose()

    def _on_lookup_settled(self) -> None:
        if self._is_choosing and self.isVisible():
            self._is_choosing = False
            self._choose()

    def _choose(self) -> None:
        entry = self._model.entry(self._list.currentIndex().row())
        if entry is None:
            return
        self._close()
        entry.run()

    def _close(self) -> None:
        self._lookup.cancel()
        self.hide()
        if self._before is not None and isValid(self._before) and self._before.isVisible():
            self._before.setFocus(Qt.FocusReason.PopupFocusReason)

    def _on_text_changed(self) -> None:
        self._is_choosing = False
        self._fill()
        self._look_up()

    def _fill(self) -> None:
        typed = self._field.text().strip()
        commands = [] if self._jumping else self._commands()
        unique = {entry.key: entry for entry in [*commands, *self._places(), *self._found]}
        used = [] if self._jumping else self._actions.recents
        places = [target_of(place).key for place in self.recent_places]
        recents = [*used[:LEADING], *places, *used[LEADING:]]
        shown = ranked(unique.values(), typed, recents)
        self._model.set_entries([*shown, *self._last_resorts(typed, shown)])
        self._list.setCurrentIndex(self._model.index(0))
        self._place()

    def _commands(self) -> list[Entry]:
        return [
            Entry(
                key=action.id,
                title=action.title.rstrip("…"),
                run=partial(self._actions.run_anywhere, action.id),
                detail=group_title(action.group),
                icon=action.icon,
                keys=action.keys if self._actions.is_in_reach(action) else "",
                also=action.keywords,
            )
            for action in self._actions.offered()
            # What another pane could do is known only there, so all of it is offered.
            if action.id not in UNLISTED and (action.can_run or not self._actions.is_in_reach(action))
        ]

    def _places(self) -> list[Entry]:
        return [self._entry(target_of(place)) for place in self.recent_places]

    def _entry(self, target: Target) -> Entry:
        return Entry(
            key=target.key,
            title=target.title,
            run=partial(self.navigate.emit, target.place),
            detail=target.detail,
            icon=target.icon,
            also=target.also,
        )

    def _last_resorts(self, typed: str, shown: list[Entry]) -> list[Entry]:
        if not typed:
            return []
        search = Entry(
            "search", self.tr("Search everything for ‘{text}’").format(text=typed),
            partial(self.search_requested.emit, typed), icon="search", last=True,
        )  # fmt: skip
        create = Entry(
            "create", self.tr("Create note ‘{text}’").format(text=typed),
            partial(self.note_requested.emit, typed), icon="plus", last=True,
        )  # fmt: skip
        exact = any(entry.title.casefold() == typed.casefold() for entry in shown)
        return [search] if exact else [search, create]

    def _look_up(self, *, at_once: bool = False) -> None:
        typed = self._field.text().strip()
        if typed or self._jumping:
            self._lookup.request(typed, titles_only=self._jumping, at_once=at_once)
        else:
            self._lookup.cancel()

    def _on_lookup_found(self, targets: list[Target]) -> None:
        chosen = self._model.entry(self._list.currentIndex().row())
        is_first = self._list.currentIndex().row() <= 0
        self._found = [self._entry(target) for target in targets]
        self._fill()
        if chosen is not None and not is_first:
            self._select(chosen.key)

    def _select(self, key: str) -> None:
        """Keep the row that the person went to, wherever it stands now."""
        for row, entry in enumerate(self.entries):
            if entry.key == key:
                self._list.setCurrentIndex(self._model.index(row))
