"""Tags as chips that the keyboard adds, walks and removes."""

from collections.abc import Awaitable, Callable, Coroutine, Sequence
from typing import Any

from PySide6.QtCore import QSize, QStringListModel, Qt, QTimer, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent
from PySide6.QtWidgets import QCompleter, QLineEdit, QSizePolicy, QToolButton, QWidget

from app.core.text_rules.tag_names import MAX_TAG_LENGTH, MAX_TAGS, inline_tag, normalise_tag
from app.errors import KeepsakeError
from ui import theme
from ui.style.design_tokens import Radius, Space
from ui.style.icons import icon
from ui.widgets.elided_label import ElidedLabel
from ui.widgets.fields.completion_popup import CompletionPopup
from ui.widgets.flow_layout import FlowLayout
from ui.widgets.plain_text import caption, tooltip

Start = Callable[[Coroutine[Any, Any, Any]], object]
Suggest = Callable[[str], Awaitable[Sequence[str]]]
SUGGEST_MS = 80
PROSE_WORDS = 4
"""From this many words on, what is typed is a sentence rather than a tag."""
ICON = 11


class Chip(QToolButton):
    """A tag with a cross; pressed or deleted it goes away, the arrows walk along."""

    removed = Signal(str)
    walked = Signal(int)

    def __init__(self, tag: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.tag = tag
        self.setText(caption(tag if len(tag) <= MAX_TAG_LENGTH // 2 else tag[: MAX_TAG_LENGTH // 2] + "…"))
        self.setIcon(icon("x"))
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.setLayoutDirection(
            Qt.LayoutDirection.LeftToRight if parent.isRightToLeft() else Qt.LayoutDirection.RightToLeft
        )
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAccessibleName(self.tr("Tag {name}, press to remove").format(name=tag))
        self.setToolTip(tooltip(self.tr("Remove the tag {name}").format(name=tag)))
        self.clicked.connect(self._on_clicked)
        theme.current().changed.connect(self._paint_anew)
        self._paint_anew()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Remove with Delete or Backspace, walk with the arrows."""
        if event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self.removed.emit(self.tag)
        elif event.key() in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            step = 1 if event.key() == Qt.Key.Key_Right else -1
            self.walked.emit(-step if self.window().isRightToLeft() else step)
        else:
            super().keyPressEvent(event)

    def _on_clicked(self) -> None:
        self.removed.emit(self.tag)

    def _paint_anew(self) -> None:
        tokens, side = theme.current().tokens, theme.current().scaled(ICON)
        self.setIconSize(QSize(side, side))
        self.setStyleSheet(
            f"QToolButton {{ background: {tokens.accent_soft}; color: {tokens.text}; border: 1px solid {tokens.line};"
            f" border-radius: {Radius.SMALL}px; padding: 2px 7px; }}"
            f" QToolButton:hover {{ background: {tokens.selected}; }}"
            f" QToolButton:focus {{ border: 1px solid {tokens.accent}; }}"
        )
        self.setFixedHeight(row_height())


def row_height() -> int:
    """Return the height of a chip, and of the field beside it."""
    return QFontMetrics(theme.current().font("body")).height() + 2 * Space.XS + 2


class TagEdit(QWidget):
    """The tags of something.

    Args:
        name: Accessible name of the field that adds one.
        start: Runs a coroutine in the background.
        suggest: Answers known tags that begin with what is typed.
        parent: Its parent.
    """

    edited = Signal(object)
    """The person changed the tags: all of them, in order."""

    def __init__(self, name: str, start: Start, suggest: Suggest, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._start = start
        self._suggest = suggest
        self._chips: list[Chip] = []
        self._request = 0
        self._flow = FlowLayout(self)
        self.field = _Field(self)
        self.field.setAccessibleName(name)
        self.field.setPlaceholderText(self.tr("Add a tag"))
        self.field.setProperty("plain", True)
        self.field.setFixedWidth(130)
        theme.current().changed.connect(self._fit)
        self._fit()
        self._flow.addWidget(self.field)
        self.hint = ElidedLabel(parent=self)
        theme.set_type(self.hint, "small muted")
        self.hint.hide()
        self._flow.addWidget(self.hint)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        self._known = QStringListModel(self)
        self._completer = QCompleter(self._known, self)
        self._completer.setPopup(CompletionPopup(self.tr("Known tags")))
        self._completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self.field.setCompleter(self._completer)
        self._timer = QTimer(self, singleShot=True, interval=SUGGEST_MS)
        self._timer.timeout.connect(self._on_timer_timeout)
        self.field.textEdited.connect(self._on_field_text_edited)
        self.field.returnPressed.connect(self.take_typed)
        self.field.editingFinished.connect(self.take_typed)
        self.field.emptied.connect(self._on_field_emptied)

    def _fit(self) -> None:
        """Make the field as high as a chip, so that the first chip moves nothing."""
        self.field.setFixedHeight(row_height())

    @property
    def tags(self) -> tuple[str, ...]:
        """The tags shown, in order."""
        return tuple(chip.tag for chip in self._chips)

    def set_tags(self, tags: Sequence[str]) -> None:
        """Show ``tags``."""
        if tuple(tags) == self.tags:
            return
        for chip in self._chips:
            self._flow.removeWidget(chip)
            chip.hide()
            chip.deleteLater()
        self._chips = []
        for tag in tags:
            self._add(tag)
        self.updateGeometry()

    def discard_typed(self) -> None:
        """Forget what is typed and what was said about it."""
        self.field.clear()
        self._say("")

    def take_typed(self) -> None:
        """Add the typed tag; a sentence stays in the field, with the reason."""
        typed = self.field.text().strip().rstrip(",")
        if refusal := self._refusal(typed):
            self._say(refusal)
            return
        typed_tag = normalise_tag(typed)
        tag = typed_tag if typed_tag in self._known.stringList() else inline_tag(typed)
        self.field.clear()
        if tag and tag not in self.tags:
            self._add(tag)
            self.edited.emit(self.tags)
        if typed_tag and tag != typed_tag:
            self._say_replaced(tag)

    def _refusal(self, typed: str) -> str:
        """Return why ``typed`` cannot become a tag, ``""`` when it can."""
        if len(typed.split()) >= PROSE_WORDS or len(typed) > MAX_TAG_LENGTH:
            return self.tr("This looks like a sentence. A tag is a word such as garden or garden/roses.")
        if typed and len(self._chips) >= MAX_TAGS:
            return self.tr("There is room for {count} tags. Remove one first.").format(count=MAX_TAGS)
        return ""

    def _say_replaced(self, tag: str) -> None:
        if tag:
            self._say(self.tr("Kept as #{tag}: a tag has no blanks or signs in it.").format(tag=tag))
        else:
            self._say(self.tr("A tag needs a letter or a number."))

    def _say(self, words: str) -> None:
        self.hint.setText(words)
        self.hint.setVisible(bool(words))
        self.updateGeometry()

    def _add(self, tag: str) -> None:
        chip = Chip(tag, self)
        # Chips come before the field for Tab as for the eye.
        QWidget.setTabOrder(self.field.previousInFocusChain() or self, chip)
        chip.removed.connect(self._on_chip_removed)
        chip.walked.connect(self._on_chip_walked)
        self._flow.insert(len(self._chips), chip)
        self._chips.append(chip)
        chip.show()

    def _on_chip_removed(self, tag: str) -> None:
        place = self.tags.index(tag)
        chip = self._chips.pop(place)
        had_focus = chip.hasFocus()
        self._flow.removeWidget(chip)
        chip.hide()
        chip.deleteLater()
        self.updateGeometry()
        if had_focus:
            (self._chips[min(place, len(self._chips) - 1)] if self._chips else self.field).setFocus()
        self.edited.emit(self.tags)

    def _on_chip_walked(self, step: int) -> None:
        place = next((at for at, chip in enumerate(self._chips) if chip.hasFocus()), 0) + step
        if place >= len(self._chips):
            self.field.setFocus()
        elif place >= 0:
            self._chips[place].setFocus()

    def _on_field_emptied(self) -> None:
        if self._chips:
            self._chips[-1].setFocus()

    def _on_field_text_edited(self, text: str) -> None:
        self._say("")
        if text.endswith(","):
            self.take_typed()
        elif text:
            self._timer.start()

    def _on_timer_timeout(self) -> None:
        self._request += 1
        self._start(self._offer(self.field.text(), self._request))

    async def _offer(self, prefix: str, request: int) -> None:
        try:
            tags = await self._suggest(normalise_tag(prefix))
        except KeepsakeError:
            tags = ()  # typing goes on without suggestions
        if request == self._request and self.field.text() == prefix and self.field.hasFocus():
            self._known.setStringList([tag for tag in tags if tag not in self.tags])
            self._completer.complete()


class _Field(QLineEdit):
    """A field that tells when Backspace is pressed in it while empty."""

    emptied = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go to the chips from the field's beginning."""
        back = event.key() in (Qt.Key.Key_Backspace, Qt.Key.Key_Left)
        if back and not self.text():
            self.emptied.emit()
        else:
            super().keyPressEvent(event)
