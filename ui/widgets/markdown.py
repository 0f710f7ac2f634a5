"""A reading view of Markdown that shows formats and nothing else: no network, no files, no scripts."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from PySide6.QtCore import QSize, QTimer, QUrl, Signal
from PySide6.QtGui import QColor, QDesktopServices, QFontDatabase, QTextCharFormat, QTextCursor, QTextDocument
from PySide6.QtWidgets import QLabel, QMessageBox, QTextBrowser, QTextEdit, QVBoxLayout, QWidget
from shiboken6 import isValid

from ui import theme
from ui.models.markup import PLAIN_STEP, THREAD_LIMIT, Ink, breakable, is_rich, render, target_of
from ui.models.when import number
from ui.tokens import Space
from ui.widgets.button import text_button

Start = Callable[[Coroutine[Any, Any, Any]], object]
PREVIEW_MS = 220
INDENT = 22


def ink() -> Ink:
    """Return the theme's colours as rendering wants them."""
    tokens = theme.current().tokens
    mono = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont).family()
    return Ink(tokens.text, tokens.muted, tokens.link, tokens.code, tokens.line, tokens.surface, mono)


def style_sheet() -> str:
    """Return the style sheet of rendered documents."""
    points = theme.current().points
    sizes = "".join(
        f"h{level} {{ font-size: {points * factor:.1f}pt; font-weight: 600; margin: {above}px 0 4px 0; }}"
        for level, factor, above in ((1, 1.45, 14), (2, 1.25, 12), (3, 1.1, 10), (4, 1.0, 8), (5, 1.0, 8), (6, 1.0, 8))
    )
    return (
        sizes
        + "p { margin-top: 0; margin-bottom: 8px; line-height: 128%; } li { margin-bottom: 3px; line-height: 128%; }"
    )


def open_outside(parent: QWidget, address: str) -> None:
    """Ask whether to open ``address`` in the browser, and do so when allowed; never blocks."""
    box = QMessageBox(QMessageBox.Icon.Question, parent.tr("Open a web page"), address, parent=parent)
    box.setInformativeText(parent.tr("This link leads out of Keepsake. Open it in your browser?"))
    box.addButton(QMessageBox.StandardButton.Cancel)
    yes = box.addButton(parent.tr("Open"), QMessageBox.ButtonRole.AcceptRole)
    box.setDefaultButton(yes)
    box.setProperty("address", address)
    box.accepted.connect(_open_address_of_sender(box))
    box.open()


def _open_address_of_sender(box: QMessageBox) -> Callable[[], object]:
    address = str(box.property("address"))

    def run() -> object:
        return QDesktopServices.openUrl(QUrl(address))

    return run


class SealedDocument(QTextDocument):
    """A document that loads nothing, whatever its text asks for."""

    def loadResource(self, kind: int, name: QUrl | str) -> Any:
        """Return nothing."""
        del kind, name
        return None


class _Page(QTextBrowser):
    """Qt's reader without its own idea of opening links."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setOpenLinks(False)
        self.setOpenExternalLinks(False)
        self.setUndoRedoEnabled(False)
        self.document().setDocumentMargin(0)
        self.document().setIndentWidth(INDENT)

    def loadResource(self, kind: int, name: QUrl | str) -> Any:
        """Load nothing: pictures in memories never come from the network or the file system."""
        del kind, name
        return None


class MarkdownView(QWidget):
    """Shows Markdown source.

    Small texts are laid out with all formats; parsing of longer ones happens in a thread. Texts too long for that are
    shown as they are written, the first part at once and more on request.

    Args:
        name: Accessible name.
        start: Runs a coroutine in the background.
        parent: Its parent.
    """

    wiki_clicked = Signal(str)
    tag_clicked = Signal(str)
    link_clicked = Signal(str)
    """A ``keepsake://`` link."""

    def __init__(self, name: str, start: Start, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._start = start
        self._source = ""
        self._shown: str | None = None
        self._length = 0
        self._terms: tuple[str, ...] = ()
        self._generation = 0
        self.page = _Page(self)
        self.page.setAccessibleName(name)
        self.page.setViewportMargins(Space.L, Space.M, Space.L, Space.M)
        self._notice = QLabel(self)
        self._notice.setWordWrap(True)
        theme.set_type(self._notice, "small muted")
        self._notice.setContentsMargins(Space.L, Space.S, Space.L, 0)
        self._more = text_button(self.tr("Show more"), "quiet", parent=self)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._notice)
        column.addWidget(self.page, 1)
        column.addWidget(self._more)
        self._notice.hide()
        self._more.hide()
        self._timer = QTimer(self, singleShot=True, interval=PREVIEW_MS)
        self._timer.timeout.connect(self._show)
        self._more.clicked.connect(self._on_more_clicked)
        self.page.anchorClicked.connect(self._on_page_anchor_clicked)
        theme.current().changed.connect(self._on_theme_changed)
        self.setFocusProxy(self.page)

    def sizeHint(self) -> QSize:
        """Return a readable size."""
        return QSize(420, 320)

    def set_source(self, source: str, *, soon: bool = False, terms: tuple[str, ...] = ()) -> None:
        """Show ``source``.

        Args:
            source: Markdown.
            soon: Wait until typing pauses, keeping what is shown and the place in it.
            terms: Words to mark and scroll to.
        """
        fresh = not soon
        self._source, self._terms = source, terms
        self._length = PLAIN_STEP if fresh else max(self._length, PLAIN_STEP)
        if fresh:
            self._timer.stop()
            self._show()
        else:
            self._timer.start()

    def clear(self) -> None:
        """Show nothing."""
        self.set_source("")

    def _show(self) -> None:
        self._generation += 1
        if not is_rich(self._source):
            self._show_plain()
            return
        self._notice.hide()
        self._more.hide()
        if len(self._source) > THREAD_LIMIT:
            self._start(self._render_aside(self._source, self._generation))
        else:
            self._set_html(render(self._source, ink()))

    async def _render_aside(self, source: str, generation: int) -> None:
        html = await asyncio.to_thread(render, source, ink())
        if isValid(self) and generation == self._generation:
            self._set_html(html)

    def _set_html(self, html: str) -> None:
        if html == self._shown and not self._terms:
            return
        bar = self.page.verticalScrollBar()
        place = bar.value()
        self._shown = html
        self.page.document().setDefaultStyleSheet(style_sheet())
        self.page.setHtml(html)
        bar.setValue(place if not self._terms else 0)
        self._mark()

    def _show_plain(self) -> None:
        self._shown = None
        part = self._source[: self._length]
        self.page.setPlainText(breakable(part))
        self._notice.setText(
            self.tr("This text has {count} characters, so it is shown as written: the first {part}.").format(
                count=number(len(self._source)), part=number(len(part))
            )
        )
        self._notice.show()
        self._more.setVisible(len(part) < len(self._source))
        self._mark()

    def _mark(self) -> None:
        """Mark the terms; scroll to the first one."""
        marks: list[QTextEdit.ExtraSelection] = []
        form = QTextCharFormat()
        form.setBackground(QColor(theme.current().tokens.mark))
        form.setForeground(QColor(theme.current().tokens.on_mark))
        document = self.page.document()
        for term in self._terms:
            cursor = document.find(term)
            while not cursor.isNull() and len(marks) < 500:  # noqa: PLR2004  (more are not looked at)
                mark = QTextEdit.ExtraSelection()
                mark.cursor, mark.format = cursor, form
                marks.append(mark)
                cursor = document.find(term, cursor)
        self.page.setExtraSelections(marks)
        if marks:
            first = min((mark.cursor for mark in marks), key=QTextCursor.selectionStart)
            place = QTextCursor(document)
            place.setPosition(first.selectionStart())
            self.page.setTextCursor(place)

    def _on_more_clicked(self) -> None:
        bar = self.page.verticalScrollBar()
        place = bar.value()
        self._length += PLAIN_STEP
        self._show_plain()
        bar.setValue(place)

    def _on_page_anchor_clicked(self, url: QUrl) -> None:
        kind, target = target_of(url.toString(QUrl.ComponentFormattingOption.FullyEncoded))
        if kind == "wiki":
            self.wiki_clicked.emit(target)
        elif kind == "tag":
            self.tag_clicked.emit(target)
        elif kind == "keepsake":
            self.link_clicked.emit(target)
        elif kind == "web":
            open_outside(self, target)

    def _on_theme_changed(self) -> None:
        self._shown = None
        if self._source:
            self._show()
