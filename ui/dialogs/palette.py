"""The palette: type a few letters, press Enter. Ctrl+K lists commands and places, Ctrl+O notes and conversations."""

import asyncio
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QApplication, QFrame, QLineEdit, QListView, QVBoxLayout, QWidget
from shiboken6 import isValid

from app.memories.model import MemoryFilter
from app.sessions.model import SessionFilter
from ui import theme
from ui.actions import Actions
from ui.dialogs.palette_entries import Entry, ranked
from ui.dialogs.palette_list import EntryDelegate, EntryModel
from ui.shell.navigation import Place
from ui.shell.window_commands import group_title
from ui.style.tokens import Space
from ui.widgets.plain_text import PlainLabel

if TYPE_CHECKING:
    from ui.bridge import Bridge

WIDTH, ROWS, TOP = 640, 9, 56
DEBOUNCE_MS = 60
FETCHED = 30
RECENT_LIMIT = 30
STAYS = (Qt.FocusReason.ActiveWindowFocusReason, Qt.FocusReason.PopupFocusReason)


class Palette(QFrame):
    """A list over the window that is driven by the keyboard alone; not modal, gone when the focus leaves it."""

    navigate = Signal(object)
    search_requested = Signal(str)
    note_requested = Signal(str)

    def __init__(self, actions: Actions, window: QWidget, anchor: QWidget | None = None) -> None:
        super().__init__(window)
        self.setObjectName("popup")
        self._actions = actions
        self._anchor = anchor
        self._bridge: Bridge | None = None
        self._jumping = False
        self._before: QWidget | None = None
        self._generation = 0
        self._titles: list[Entry] = []
        self.recent_places: list[Place] = []
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
        self._foot = PlainLabel(self.tr("↑ ↓ choose   ·   Enter open   ·   Esc close"), self)
        theme.set_type(self._foot, "small muted")
        self._foot.setIndent(Space.L)
        self._foot.setFixedHeight(self._foot.fontMetrics().height() + Space.M)
        column = QVBoxLayout(self)
        column.setContentsMargins(1, 1, 1, 1)
        column.setSpacing(Space.XS)
        for widget in (self._field, self._list, self._foot):
            column.addWidget(widget)
        self._debounce = QTimer(self, singleShot=True, interval=DEBOUNCE_MS)
        self._debounce.timeout.connect(self._fetch)
        window.installEventFilter(self)
        self.hide()

    def set_bridge(self, bridge: "Bridge") -> None:
        """Look titles up through ``bridge``."""
        self._bridge = bridge

    def show_commands(self) -> None:
        """Open with commands and places."""
        self._open(jumping=False, hint=self.tr("Type a command or a place…"))

    def show_titles(self) -> None:
        """Open with notes and conversations."""
        self._open(jumping=True, hint=self.tr("Search or jump to a note or conversation…"))

    def remember(self, place: Place) -> None:
        """Offer ``place`` among the recent ones."""
        if not place.id or not place.title:
            return
        self.recent_places = [place, *(known for known in self.recent_places if known != place)][:RECENT_LIMIT]

    @property
    def entries(self) -> list[Entry]:
        """What is listed now."""
        rows = (self._model.entry(row) for row in range(self._model.rowCount()))
        return [entry for entry in rows if entry is not None]

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Take the arrow keys from the field, follow the window's size, and close when the focus goes elsewhere."""
        if watched is self._field:
            if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
                return self._on_key(event)
            if isinstance(event, QFocusEvent) and event.lostFocus() and event.reason() not in STAYS:
                self.hide()
        elif event.type() == QEvent.Type.Resize and self.isVisible():
            self._place()
        return super().eventFilter(watched, event)

    def _open(self, *, jumping: bool, hint: str) -> None:
        self._jumping = jumping
        focus = QApplication.focusWidget()
        self._before = focus if focus is not self._field else self._before
        self._titles = []
        self._field.setPlaceholderText(hint)
        self._field.clear()
        self._fill()
        self._fetch()
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
            self._choose()
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

    def _choose(self) -> None:
        entry = self._model.entry(self._list.currentIndex().row())
        if entry is None:
            return
        self._close()
        entry.run()

    def _close(self) -> None:
        self._generation += 1
        self.hide()
        if self._before is not None and isValid(self._before) and self._before.isVisible():
            self._before.setFocus(Qt.FocusReason.PopupFocusReason)

    def _on_text_changed(self) -> None:
        self._fill()
        self._debounce.start()

    def _fill(self) -> None:
        typed = self._field.text().strip()
        entries = [*self._places(), *self._titles] if self._jumping else [*self._commands(), *self._places()]
        unique = {entry.key: entry for entry in entries}
        recents = [_key(place) for place in self.recent_places] if self._jumping else self._actions.recents
        shown = ranked(unique.values(), typed, recents)
        self._model.set_entries([*shown, *self._last_resorts(typed, shown)])
        self._list.setCurrentIndex(self._model.index(0))
        self._place()

    def _commands(self) -> list[Entry]:
        return [
            Entry(
                key=action.id,
                title=action.title.rstrip("…"),
                run=partial(self._actions.run, action.id),
                detail=group_title(action.group),
                icon=action.icon,
                keys=action.keys,
                also=action.keywords,
            )
            for action in self._actions.offered()
            if action.can_run
        ]

    def _places(self) -> list[Entry]:
        return [self._entry(place) for place in self.recent_places]

    def _entry(self, place: Place) -> Entry:
        note = place.pane == "notes"
        return Entry(
            key=_key(place),
            title=place.title,
            run=partial(self.navigate.emit, place),
            detail=self.tr("Note") if note else self.tr("Conversation"),
            icon="notebook-pen" if note else "message-square",
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

    def _fetch(self) -> None:
        if self._jumping and self._bridge is not None:
            self._generation += 1
            self._bridge.start(self._look_up(self._bridge, self._generation, self._field.text().strip()))

    async def _look_up(self, bridge: "Bridge", generation: int, typed: str) -> None:
        notes, rows, sessions = await asyncio.gather(
            bridge.call("note.titles", prefix=typed, limit=FETCHED),
            bridge.call("note.list", filter=MemoryFilter(text=typed, kinds=("note",)), order="recent", limit=FETCHED),
            bridge.call("session.list", filter=SessionFilter(text=typed), order="recent", limit=FETCHED),
        )
        if generation != self._generation:
            return
        places = [Place("notes", link.memory_id, title=link.title) for link in notes]
        places += [Place("notes", row.id, title=row.title or row.preview) for row in rows]
        places += [Place("sessions", session.id, title=session.title or session.preview) for session in sessions]
        self._titles = [self._entry(place) for place in places if place.title]
        self._fill()


def _key(place: Place) -> str:
    return f"{place.pane}/{place.id}"
