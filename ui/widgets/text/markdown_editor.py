"""The Markdown source editor: plain text in, the same plain text out."""

import re
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from enum import StrEnum
from typing import Any

from PySide6.QtCore import QEvent, QMimeData, QStringListModel, Qt, QTimer, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QFocusEvent,
    QImage,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPaintEvent,
    QTextCursor,
)
from PySide6.QtWidgets import QCompleter, QPlainTextEdit, QWidget

from app.errors import KeepsakeError
from ui import theme
from ui.models.markup import is_editable
from ui.style.design_tokens import Space
from ui.widgets.fields.completion_popup import CompletionPopup
from ui.widgets.text.heading_folds import HeadingFolds
from ui.widgets.text.highlighter import MarkdownHighlighter
from ui.widgets.text.line_spacing import SpacedTextEdit
from ui.widgets.text.text_margins import text_margins
from ui.widgets.word_marks import go_to_selection, word_selections

Start = Callable[[Coroutine[Any, Any, Any]], object]
Complete = Callable[["Wanted", str], Awaitable[Sequence[str]]]
COLOUR_LIMIT = 1_000_000
SLICED = 20_000
COMPLETE_MS = 80
_PARAGRAPH = "\u2029"
_WIKI = re.compile(r"\[\[([^\[\]|]*)$")
_TAG = re.compile(r"(?:^|\s)#([^\W\d_][\w/-]*)$")
_ITEM = re.compile(r"^(\s*)(?:([-*+])|(\d{1,9})([.)]))(\s+)(\[[ xX]\]\s+)?(.*)$")


class Wanted(StrEnum):
    """The kind of completion: a title or a tag."""

    TITLE = "title"
    TAG = "tag"


class MarkdownEditor(SpacedTextEdit):
    """Edits Markdown as it is written.

    Args:
        name: Accessible name.
        start: Runs a coroutine in the background.
        complete: Answers titles or tags that begin with what is typed after ``[[`` or ``#``.
        parent: Its parent.
    """

    edited = Signal()
    """The person changed the text; not emitted by ``set_source``."""
    left = Signal()
    """The keyboard went elsewhere."""
    refused = Signal(str)
    """Something was not put in, and why."""
    files_given = Signal(list)
    """Paths of files that were pasted or dropped."""
    picture_given = Signal(object)
    """A ``QImage`` that was pasted or dropped."""
    tag_finished = Signal()
    """A tag that was being typed is whole: the cursor left it, or the keyboard the editor."""
    attach_requested = Signal()
    """The person wants to choose files to attach."""

    def __init__(self, name: str, start: Start, complete: Complete, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setTabChangesFocus(True)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.WidgetWidth)
        self.setFrameShape(QPlainTextEdit.Shape.NoFrame)
        self._start = start
        self._complete = complete
        self._setting = False
        self._crlf = False
        self._request = 0
        self._taken = ""
        self._unfinished = ""
        self._marked: tuple[str, ...] = ()
        self._highlighter = MarkdownHighlighter(self.document())
        self.folds = HeadingFolds(self)
        self._offers = CompletionPopup(self.tr("Completions"))
        self._popup = QCompleter(QStringListModel(self), self)
        self._popup.setWidget(self)
        self._popup.setPopup(self._offers)
        self._popup.setCompletionMode(QCompleter.CompletionMode.UnfilteredPopupCompletion)
        self._popup.setMaxVisibleItems(8)
        self._popup.activated.connect(self._on_popup_activated)
        self._timer = QTimer(self, singleShot=True, interval=COMPLETE_MS)
        self._timer.timeout.connect(self._ask)
        self.textChanged.connect(self._on_text_changed)
        self.cursorPositionChanged.connect(self._on_cursor_moved)
        theme.current().changed.connect(self._on_theme_changed)
        self._on_theme_changed()

    def source(self) -> str:
        """Return the text exactly as typed; Qt's ``toPlainText`` would turn unbreakable blanks into blanks."""
        text = self.document().toRawText().replace(_PARAGRAPH, "\n")
        return text.replace("\n", "\r\n") if self._crlf else text

    def set_source(self, text: str, *, keep_place: bool = False) -> None:
        """Show another text; ``keep_place`` leaves cursor, scroll and marked words.

        Raises:
            ValueError: The text is not ``is_editable``.
        """
        place, scroll = self.textCursor().position(), self.verticalScrollBar().value()
        self._crlf = "\r\n" in text
        if not is_editable(text):
            raise ValueError("This text is too long, or has too long a line, to be edited")
        self._setting = True
        self._colour(text)
        long = SLICED < len(text) <= COLOUR_LIMIT
        if long:
            self._highlighter.put_off(later=True)
        self.setPlainText(text)
        if long:
            self._highlighter.put_off(later=False)
        self._setting = False
        if keep_place:
            cursor = self.textCursor()
            cursor.setPosition(min(place, self.document().characterCount() - 1))
            self.setTextCursor(cursor)
            self.verticalScrollBar().setValue(scroll)
            self.setExtraSelections(word_selections(self.document(), self._marked))

    def mark_words(self, words: tuple[str, ...]) -> None:
        """Mark whole words and go to the first; nothing is marked where there are none."""
        self._marked = words
        self.setExtraSelections(word_selections(self.document(), words))
        if marks := self.extraSelections():
            first = self.textCursor()
            first.setPosition(marks[0].cursor.selectionStart())
            self.setTextCursor(first)

    def go_to_mark(self, step: int) -> None:
        """Go to the next marked word, backwards if ``step`` is negative.

        After the last one comes the first.
        """
        go_to_selection(self, step)

    def unfinished_tag(self) -> str:
        """Return the tag that is being typed at the cursor, ``""`` for none."""
        cursor = self.textCursor()
        if not self.hasFocus() or cursor.hasSelection():
            return ""
        tag = _TAG.search(cursor.block().text()[: cursor.positionInBlock()])
        return tag[1] if tag else ""

    def _on_cursor_moved(self) -> None:
        tag = self.unfinished_tag()
        if self._unfinished and not tag:
            self.tag_finished.emit()
        self._unfinished = tag

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        """Return whether a paste or drop is text, a picture or files."""
        return source.hasImage() or bool(local_files(source)) or super().canInsertFromMimeData(source)

    def insertFromMimeData(self, source: QMimeData) -> None:
        """Paste or drop text, unless it would freeze the editor; files and pictures become attachments."""
        if files := local_files(source):
            self.files_given.emit(files)
        elif source.hasImage() and not source.hasText():
            self.picture_given.emit(QImage(source.imageData()))
        elif is_editable(source.text()):
            super().insertFromMimeData(source)
        else:
            self.refused.emit(self.tr("That text is too long to put into a note. Import it as a file instead."))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the text, and a sign behind each folded heading."""
        super().paintEvent(event)
        self.folds.paint()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Place the cursor, or unfold what a sign stands for."""
        if event.button() != Qt.MouseButton.LeftButton or not self.folds.click(event.position().toPoint()):
            super().mousePressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Offer to attach files beside what Qt offers."""
        menu = self.createStandardContextMenu()
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if not self.isReadOnly():
            menu.addSeparator()
            menu.addAction(self.tr("Attach a file…"), self.attach_requested.emit)
        menu.popup(event.globalPos())

    def go_to_line(self, number: int) -> None:
        """Put the cursor at the end of a line, with that line at the top."""
        block = self.document().findBlockByNumber(number)
        if not block.isValid():
            return
        place = QTextCursor(block)
        place.movePosition(QTextCursor.MoveOperation.EndOfBlock)
        self.setTextCursor(place)
        self.verticalScrollBar().setValue(block.firstLineNumber())

    def wrap_selection(self, before: str, after: str = "") -> None:
        """Put marks around the selection, or take them away where they are."""
        after = after or before
        cursor = self.textCursor()
        chosen = cursor.selectedText().replace(_PARAGRAPH, "\n")
        if chosen.startswith(before) and chosen.endswith(after) and len(chosen) >= len(before) + len(after):
            cursor.insertText(chosen[len(before) : len(chosen) - len(after)])
            return
        cursor.insertText(f"{before}{chosen}{after}")
        if not chosen:
            cursor.movePosition(QTextCursor.MoveOperation.Left, QTextCursor.MoveMode.MoveAnchor, len(after))
            self.setTextCursor(cursor)

    def _colour(self, text: str) -> None:
        wanted = len(text) <= COLOUR_LIMIT
        if wanted != (self._highlighter.document() is not None):
            self._highlighter.setDocument(self.document() if wanted else None)

    def event(self, event: QEvent) -> bool:
        """Set the margins before Qt lays text out for another width.

        Claim formatting keys before shortcuts do.
        """
        if (
            event.type() == QEvent.Type.Resize
            and (margins := text_margins(self, round(self.document().documentMargin()))) != self.viewportMargins()
        ):
            self.setViewportMargins(margins)
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and self._format_of(event):
            event.accept()
            return True
        return super().event(event)

    def _format_of(self, event: QKeyEvent) -> tuple[str, str] | None:
        """Return the Markdown marks of a key, ``None`` for others.

        ``Ctrl+K`` makes a link of a selection; without one it opens the palette.
        """
        if event.matches(QKeySequence.StandardKey.Bold):
            return "**", "**"
        if event.matches(QKeySequence.StandardKey.Italic):
            return "*", "*"
        combination = event.keyCombination()
        if combination.key() == Qt.Key.Key_K and combination.keyboardModifiers() == Qt.KeyboardModifier.ControlModifier:
            return ("[", "]()") if self.textCursor().hasSelection() else None
        return None

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Format, continue lists, indent items; everything else is typing."""
        if self._offers.isVisible() and event.key() in (
            Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Escape, Qt.Key.Key_Tab,
        ):  # fmt: skip
            event.ignore()  # the popup's own keys
            return
        if marks := self._format_of(event):
            self.wrap_selection(*marks)
        elif not self._list_key(event):
            super().keyPressEvent(event)

    def _list_key(self, event: QKeyEvent) -> bool:
        """Do what a key means within a list; False when it means nothing special there."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            return not event.modifiers() and self._continue_item()
        if event.key() in (Qt.Key.Key_Tab, Qt.Key.Key_Backtab):
            if not self._indent(event.key() == Qt.Key.Key_Tab):
                event.ignore()
            return True
        return False

    def _continue_item(self) -> bool:
        """Begin the next item of a list; leave the list on an empty one."""
        cursor = self.textCursor()
        line = cursor.block().text()
        match = _ITEM.match(line)
        if not match or cursor.hasSelection() or cursor.positionInBlock() < match.start(7):
            return False
        indent, bullet, count, dot, gap, task, rest = match.groups()
        if not rest.strip():
            cursor.movePosition(QTextCursor.MoveOperation.StartOfBlock)
            cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock, QTextCursor.MoveMode.KeepAnchor)
            cursor.removeSelectedText()
            return True
        mark = bullet or f"{int(count) + 1}{dot}"
        cursor.insertText(f"\n{indent}{mark}{gap}{'[ ] ' if task else ''}")
        self.ensureCursorVisible()
        return True

    def _indent(self, deeper: bool) -> bool:
        """Move list items in or out; False outside of lists, where Tab leaves the editor."""
        cursor = self.textCursor()
        block = self.document().findBlock(cursor.selectionStart())
        last = self.document().findBlock(cursor.selectionEnd()).blockNumber()
        if not _ITEM.match(block.text()):
            return False
        cursor.beginEditBlock()
        while block.isValid() and block.blockNumber() <= last:
            edit = QTextCursor(block)
            if deeper:
                edit.insertText("  ")
            else:
                width = min(2, len(block.text()) - len(block.text().lstrip(" ")))
                edit.movePosition(QTextCursor.MoveOperation.Right, QTextCursor.MoveMode.KeepAnchor, width)
                edit.removeSelectedText()
            block = block.next()
        cursor.endEditBlock()
        return True

    def focusNextPrevChild(self, next: bool) -> bool:  # noqa: A002  (Qt's own name)
        """Let Tab leave, except from a list item, which it indents."""
        if _ITEM.match(self.textCursor().block().text()):
            return False
        return super().focusNextPrevChild(next)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Tell that the keyboard left, unless only a popup took it."""
        super().focusOutEvent(event)
        if event.reason() != Qt.FocusReason.PopupFocusReason:
            self._on_cursor_moved()
            self.left.emit()

    def _prefix(self) -> tuple[Wanted, str] | None:
        """Return what stands before the cursor that a popup could complete."""
        cursor = self.textCursor()
        before = cursor.block().text()[: cursor.positionInBlock()][-120:]
        if match := _WIKI.search(before):
            return Wanted.TITLE, match[1]
        if match := _TAG.search(before):
            return Wanted.TAG, match[1]
        return None

    def _on_text_changed(self) -> None:
        if self._setting or self._highlighter.is_colouring:
            return
        self.edited.emit()
        prefix = self._prefix()
        if prefix is not None and prefix[1] != self._taken:
            self._timer.start()
        else:
            self._request += 1
            self._timer.stop()
            self._offers.hide()

    def _ask(self) -> None:
        if wanted := self._prefix():
            self._request += 1
            self._start(self._offer(*wanted, self._request))

    async def _offer(self, kind: Wanted, prefix: str, request: int) -> None:
        try:
            choices = await self._complete(kind, prefix)
        except KeepsakeError:
            choices = ()  # typing goes on without a popup
        if request != self._request or self._prefix() != (kind, prefix):
            return
        model = self._popup.model()
        if isinstance(model, QStringListModel):
            model.setStringList([word for word in choices if word != prefix])
        if not choices or not self.hasFocus():
            self._offers.hide()
            return
        spot = self.cursorRect().translated(Space.L, Space.M)
        spot.setWidth(320)
        self._popup.complete(spot)
        self._offers.setCurrentIndex(self._popup.completionModel().index(0, 0))

    def _on_popup_activated(self, word: str) -> None:
        wanted = self._prefix()
        if wanted is None:
            return
        kind, prefix = wanted
        cursor = self.textCursor()
        cursor.movePosition(QTextCursor.MoveOperation.Left, QTextCursor.MoveMode.KeepAnchor, len(prefix))
        after = self.document().characterAt(self.textCursor().position())
        closing = "]]" if kind is Wanted.TITLE and after != "]" else ""
        self._taken = word
        cursor.insertText(word + closing)
        self._taken = ""
        self.setTextCursor(cursor)

    def _on_theme_changed(self) -> None:
        self.set_spaced_font(theme.current().font("body"))
        self.setTabStopDistance(4 * self.fontMetrics().horizontalAdvance(" "))


def local_files(source: QMimeData) -> list[str]:
    """Return the paths of pasted or dropped files, ``[]`` for anything else."""
    urls = source.urls() if source.hasUrls() else []
    return [url.toLocalFile() for url in urls] if urls and all(url.isLocalFile() for url in urls) else []
