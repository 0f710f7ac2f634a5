"""Search field: searches after a pause in typing, clears on Esc, passes Down on."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QCompleter, QLineEdit, QWidget

from ui.widgets.fields.completion_popup import CompletionPopup
from ui.widgets.fields.field_icons import FieldIcons

FILTER_MS = 120
_BREAK = " \t"
_NEEDS_QUOTES = re.compile(r"[\s,]")


@dataclass(frozen=True, slots=True)
class Hint:
    """Completion: the text that it inserts and its explanation."""

    text: str
    help: str = ""


class SearchBox(QLineEdit):
    """Field that searches while a person types.

    Args:
        name: Accessible name.
        placeholder: Text shown while it is empty.
        pause: Milliseconds after the last key until ``searched``.
        parent: Its parent.
    """

    searched = Signal(str)
    """Typing paused, or Enter was pressed."""
    stepped_down = Signal()
    """Down was pressed: the keyboard goes to the list below."""
    values_requested = Signal(str, str)
    """Completions are needed for an operator: its name and the beginning of the value."""
    entered = Signal()
    """Enter was pressed."""

    def __init__(self, name: str, placeholder: str, pause: int = FILTER_MS, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setPlaceholderText(placeholder)
        FieldIcons(self, "search")
        self._emitted = ""
        self._hints: dict[str, tuple[Hint, ...]] = {}
        self._looked_up: frozenset[str] = frozenset()
        self._model = QStandardItemModel(self)
        self._list = CompletionPopup(self.tr("Search operators"))
        self._completer = QCompleter(self)
        self._completer.setModel(self._model)
        self._completer.setWidget(self)
        self._completer.setPopup(self._list)
        self._completer.setCompletionMode(QCompleter.CompletionMode.UnfilteredPopupCompletion)
        self._completer.setCompletionRole(Qt.ItemDataRole.UserRole)
        self._completer.activated.connect(self._on_completer_activated)
        self._timer = QTimer(self, singleShot=True, interval=pause)
        self._timer.timeout.connect(self.search_now)
        self.textChanged.connect(self._on_text_changed)
        self.textEdited.connect(self._on_text_edited)

    def set_hints(self, operators: Sequence[Hint], values: dict[str, Sequence[Hint]]) -> None:
        """Set the completions of operators (``tag:``) and of their values.

        Operators are offered at the beginning of a word, values after the colon.
        """
        self._hints = {"": tuple(operators), **{name: tuple(known) for name, known in values.items()}}

    def complete_from(self, operators: Collection[str]) -> None:
        """Request the values of ``operators`` while they are typed, by ``values_asked``."""
        self._looked_up = frozenset(operators)

    def offer_values(self, name: str, begun: str, values: Sequence[Hint]) -> None:
        """Offer requested values, unless the text has changed since."""
        self._hints[name] = tuple(values)
        if (self.hasFocus() or self._list.isVisible()) and self._typed() == (name, begun):
            self._offer(name, begun)

    def set_text_quietly(self, text: str) -> None:
        """Set the text without searching for it."""
        self._emitted = text
        self.setText(text)
        self._timer.stop()

    def search_now(self) -> None:
        """Emit the text, once for each text."""
        self._timer.stop()
        if self.text() != self._emitted:
            self._emitted = self.text()
            self.searched.emit(self._emitted)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Clear with Esc, search with Enter, leave with Down."""
        key = event.key()
        if self._list.isVisible() and key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Escape):
            event.ignore()
        elif key == Qt.Key.Key_Escape and self.text():
            self.clear()
            self.search_now()
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.search_now()
            self.entered.emit()
        elif key == Qt.Key.Key_Down:
            self.search_now()
            self.stepped_down.emit()
        else:
            super().keyPressEvent(event)

    def _word(self) -> str:
        """Return the word before the cursor, without a leading minus."""
        before = self.text()[: self.cursorPosition()]
        # Blanks within quotation marks are part of a value, such as of session:"trip to
        quote = before.rfind('"') if before.count('"') % 2 else -1
        end = quote if quote > 0 and before[quote - 1] in ":," else len(before)
        return before[max(before.rfind(sign, 0, end) for sign in _BREAK) + 1 :].lstrip("-")

    def _begun(self) -> str:
        """Return the beginning of the value before the cursor, with its quotation mark.

        Of several values with commas between them it is the last one.
        """
        value = self._word().partition(":")[2]
        return value[value.rfind('"') :] if value.count('"') % 2 else value.rpartition(",")[2]

    def _typed(self) -> tuple[str, str]:
        """Return the operator before the cursor and the beginning of its value.

        Without an operator these are ``""`` and the word.
        """
        word = self._word()
        name, colon, _ = word.partition(":")
        return (name, self._begun().strip('"')) if colon else ("", word)

    def _on_text_changed(self) -> None:
        self._timer.start()

    def _on_text_edited(self) -> None:
        name, begun = self._typed()
        if name in self._looked_up:
            self.values_requested.emit(name, begun)
        elif self._hints:
            self._offer(name, begun)

    def _offer(self, name: str, begun: str) -> None:
        known = self._hints.get(name, ()) if name or begun else ()
        start = begun.casefold()
        fitting = [hint for hint in known if hint.text.strip('"').casefold().startswith(start) and hint.text != begun]
        if not fitting:
            self._list.hide()
            return
        self._model.clear()
        for hint in fitting[:12]:
            item = QStandardItem(f"{hint.text}   —   {hint.help}" if hint.help else hint.text)
            item.setData(hint.text, Qt.ItemDataRole.UserRole)
            self._model.appendRow(item)
        spot = self.cursorRect().translated(0, 4)
        spot.setWidth(min(460, self.width()))
        self._completer.complete(spot)

    def _on_completer_activated(self, text: str) -> None:
        word = self._word()
        begun = self._begun() if ":" in word else word
        place = self.cursorPosition()
        text = text.strip('"')
        fill = f'"{text}"' if _NEEDS_QUOTES.search(text) and not text.endswith(":") else text
        tail = "" if fill.endswith(":") else " "
        whole = self.text()
        self.setText(whole[: place - len(begun)] + fill + tail + whole[place:])
        self.setCursorPosition(place - len(begun) + len(fill) + len(tail))
