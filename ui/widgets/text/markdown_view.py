"""A reading view of Markdown: formats only, no network, files or scripts."""

from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from PySide6.QtCore import QEvent, QPoint, QSize, Qt, QTimer, QUrl, Signal
from PySide6.QtGui import (
    QAction,
    QDesktopServices,
    QFocusEvent,
    QFontDatabase,
    QKeyEvent,
    QResizeEvent,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
)
from PySide6.QtWidgets import QMessageBox, QTextBrowser, QWidget
from shiboken6 import isValid

from ui import theme
from ui.models.dates import format_number
from ui.models.markup import (
    PICTURE,
    PLAIN_STEP,
    Ink,
    NoteParts,
    Picture,
    breakable,
    is_rich,
    lines_of,
    pieces,
    render,
    target_of,
)
from ui.models.text_structure import Heading
from ui.style.design_tokens import Space
from ui.translation import translate
from ui.widgets.box_layouts import vbox
from ui.widgets.button import text_button
from ui.widgets.plain_text import PlainLabel, PlainMessageBox, caption
from ui.widgets.text.line_spacing import LINE_HEIGHT_PERCENT
from ui.widgets.text.name_links import entity_of, link_names, links_of
from ui.widgets.text.text_margins import text_margins
from ui.widgets.word_marks import go_to_selection, word_selections

if TYPE_CHECKING:
    from app.entities.model import MentionedEntity
    from ui.widgets.text.picture_cache import PictureCache

PREVIEW_MS = 220
INDENT = 22
LEAST_PICTURE = 80
LINE_DIGITS = 8
_PLAIN = (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier)


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
        + f"p {{ margin-top: 0; margin-bottom: 8px; line-height: {LINE_HEIGHT_PERCENT}%; }}"
        + f" li {{ margin-bottom: 3px; line-height: {LINE_HEIGHT_PERCENT}%; }}"
    )


def open_outside(parent: QWidget, address: str) -> None:
    """Ask whether to open ``address`` in the browser, and do so when allowed; never blocks."""
    about = translate("MarkdownView", "This link leads out of Keepsake. Open it in your browser?")
    box = PlainMessageBox(translate("MarkdownView", "Open a web page"), address, about, parent)
    box.setIcon(QMessageBox.Icon.Question)
    box.addButton(QMessageBox.StandardButton.Cancel)
    yes = box.addButton(translate("MarkdownView", "Open"), QMessageBox.ButtonRole.AcceptRole)
    box.setDefaultButton(yes)
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.setProperty("address", address)
    box.accepted.connect(_open_address_of_sender(box))
    box.open()


def _open_address_of_sender(box: QMessageBox) -> Callable[[], object]:
    address = str(box.property("address"))

    def run() -> object:
        return QDesktopServices.openUrl(QUrl(address))

    return run


class SealedDocument(QTextDocument):
    """A document that loads no pictures or other resources."""

    def loadResource(self, kind: int, name: QUrl | str) -> Any:
        """Return nothing."""
        del kind, name
        return None


def _empty_document(parent: QWidget) -> SealedDocument:
    """Return a document that looks as the page's own."""
    document = SealedDocument(parent)
    document.setUndoRedoEnabled(False)
    document.setDocumentMargin(0)
    document.setIndentWidth(INDENT)
    document.setDefaultFont(parent.font())
    document.setDefaultStyleSheet(style_sheet())
    return document


class _Page(QTextBrowser):
    """Qt's reader without its own idea of opening links."""

    mark_requested = Signal(int)
    """N or Shift+N: go to the next marked word, -1 for the one before."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setOpenLinks(False)
        self.setOpenExternalLinks(False)
        self.setUndoRedoEnabled(False)
        self.document().setDocumentMargin(0)
        self.document().setIndentWidth(INDENT)
        self.setObjectName("readingPage")

    def event(self, event: QEvent) -> bool:
        """Set the margins for another width before Qt lays the text out for it."""
        if event.type() == QEvent.Type.Resize and (margins := text_margins(self)) != self.viewportMargins():
            self.setViewportMargins(margins)
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go along the marked words with N and Shift+N."""
        if event.key() == Qt.Key.Key_N and event.modifiers() in _PLAIN:
            self.mark_requested.emit(-1 if event.modifiers() else 1)
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show where the keyboard is; who clicks into a text knows."""
        super().focusInEvent(event)
        self._show_ring(on=event.reason() != Qt.FocusReason.MouseFocusReason)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Take the sign back."""
        super().focusOutEvent(event)
        self._show_ring(on=False)

    def _show_ring(self, *, on: bool) -> None:
        if bool(self.property("ringed")) != on:
            self.setProperty("ringed", on)
            self.style().unpolish(self)
            self.style().polish(self)

    def loadResource(self, kind: int, name: QUrl | str) -> Any:
        """Load nothing: pictures in memories never come from the network or the file system."""
        del kind, name
        return None


class MarkdownView(QWidget):
    """Shows Markdown source.

    Short texts are shown at once. Of longer ones the beginning is, and the whole is built piece by piece beside it,
    never holding the window up. Texts too long for formats are shown as they are written, more on request.

    Args:
        name: Accessible name.
        parent: Its parent.
    """

    wiki_clicked = Signal(str)
    tag_clicked = Signal(str)
    link_clicked = Signal(str)
    """A ``keepsake://`` link."""
    marks_changed = Signal(int, int)
    """Other words are marked, or another mark is current: its number from 1, and how many there are."""
    note_clicked = Signal(str)
    """The target of a Markdown link to another note."""
    attachment_clicked = Signal(str)
    task_clicked = Signal(int)
    """The line of a task whose box was clicked."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._source = ""
        self._shown: str | None = None
        self._length = 0
        self._terms: tuple[str, ...] = ()
        self._names: Sequence[MentionedEntity] = ()
        self._begin = ""
        self._building: SealedDocument | None = None
        self._waiting: deque[tuple[int, str]] = deque()
        self._pictures: PictureCache | None = None
        self._has_tasks = False
        self._picture_room = 0
        self.page = _Page(self)
        self.page.setAccessibleName(name)
        self._notice = PlainLabel(self, style="small muted", wraps=True)
        self._notice.setContentsMargins(Space.XL, Space.S, Space.XL, 0)
        self._more = text_button(self.tr("Show more"), "quiet", parent=self)
        vbox(self._notice, (self.page, 1), self._more, parent=self, margins=0, spacing=0)
        self._notice.hide()
        self._more.hide()
        self._timer = QTimer(self, singleShot=True, interval=PREVIEW_MS)
        self._timer.timeout.connect(self._show)
        self._builder = QTimer(self, interval=0)
        self._builder.timeout.connect(self._on_builder_timeout)
        self._more.clicked.connect(self._on_more_clicked)
        self.page.mark_requested.connect(self.go_to_mark)
        self.page.anchorClicked.connect(self._on_page_anchor_clicked)
        self.page.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.page.customContextMenuRequested.connect(self._on_page_menu_requested)
        theme.current().changed.connect(self._on_theme_changed)

    def sizeHint(self) -> QSize:
        """Return a readable size."""
        return QSize(420, 320)

    def set_source(self, source: str, *, soon: bool = False, terms: tuple[str, ...] = (), begin: str = "") -> None:
        """Show ``source``.

        Args:
            source: Markdown.
            soon: Wait until typing pauses, keeping what is shown and the place in it.
            terms: Whole words to mark; the first is scrolled to.
            begin: Words of the place to begin at instead, where they stand in the text.
        """
        fresh = not soon
        self._source, self._terms, self._begin = source, terms, begin
        self._length = PLAIN_STEP if fresh else max(self._length, PLAIN_STEP)
        if fresh:
            self._names = ()
            self._timer.stop()
            self._show(fresh=True)
        else:
            self._timer.start()

    def set_pictures(self, pictures: "PictureCache") -> None:
        """Show pictures of notes from now on, when they arrive."""
        self._pictures = pictures
        pictures.arrived.connect(self._on_pictures_arrived)

    def set_living(self, *, on: bool) -> None:
        """Let texts shown from now on have pictures and living tasks, or not."""
        self._has_tasks = on

    def forget_pictures(self) -> None:
        """Let go of the pictures of the note that was shown."""
        if self._pictures is not None:
            self._pictures.clear()

    def retry_pictures(self) -> None:
        """Look again for pictures that could not be shown."""
        if self._pictures is not None:
            self._pictures.retry()
            self._on_pictures_arrived()

    def go_to_heading(self, heading: Heading, occurrence: int) -> None:
        """Go to a heading.

        Args:
            heading: Its level and words.
            occurrence: How many of the same level and words come before it.
        """
        block, remaining = self.page.document().begin(), occurrence
        while block.isValid():
            words = " ".join(block.text().split())
            if block.blockFormat().headingLevel() == heading.level and words == heading.title:
                if remaining == 0:
                    self._go_to(QTextCursor(block))
                    return
                remaining -= 1
            block = block.next()

    def show_now(self) -> None:
        """Show at once what was to be shown soon."""
        if self._timer.isActive():
            self._timer.stop()
            self._show()

    def set_terms(self, terms: tuple[str, ...], *, begin: str = "") -> None:
        """Mark other whole words in the text shown, and go to the first.

        Args:
            terms: The words.
            begin: Words of the place to go to instead, where they stand in the text.
        """
        self._terms, self._begin = terms, begin
        self._mark()

    def set_names(self, names: "Sequence[MentionedEntity]") -> None:
        """Make names in the text links to the pages of people and things."""
        former, self._names = self._names, tuple(names)
        if former and former != self._names and self._source:
            # Only a new document loses the links there are.
            self._shown = None
            self._show()
        else:
            link_names(self.page.document(), self._names)

    def go_to_mark(self, step: int) -> None:
        """Go to the next marked word, backwards if ``step`` is negative.

        After the last one comes the first.
        """
        go_to_selection(self.page, step)
        self._tell_marks()

    def _tell_marks(self) -> None:
        """Emit the number of the mark at the cursor, from 1; 0 for none."""
        here = self.page.textCursor().position()
        places = [mark.cursor.selectionStart() for mark in self.page.extraSelections()]
        self.marks_changed.emit(places.index(here) + 1 if here in places else 0, len(places))

    def clear(self) -> None:
        """Show nothing."""
        self.set_source("")

    def _show(self, *, fresh: bool = False) -> None:
        self._stop_building()
        if not is_rich(self._source):
            self._show_plain()
            return
        self._notice.hide()
        self._more.hide()
        parts = pieces(self._source)
        if len(parts) == 1 or fresh or self._shown is None:
            self._set_html(self._rendered(self.page.document(), 0, parts[0]))
        if len(parts) > 1:
            self._building = _empty_document(self.page)
            self._waiting, line = deque(), 0
            for part in parts:
                self._waiting.append((line, part))
                line += lines_of(part)
            self._builder.start()

    def _rendered(self, document: QTextDocument, line: int, part: str) -> str:
        """Return a part of the text as HTML, its pictures given to the document."""
        if self._pictures is None or not self._has_tasks:
            return render(part, ink())
        parts = NoteParts(self._fitted, line, self.tr("not shown, it is not in the attachments folder"))
        html = render(part, ink(), parts)
        for name in parts.shown:
            address = QUrl(PICTURE + quote(name, safe=""))
            document.addResource(QTextDocument.ResourceType.ImageResource.value, address, self._pictures.image(name))
        return html

    def _fitted(self, name: str) -> Picture:
        """Return a picture, no wider than the text."""
        if self._pictures is None:
            return Picture()
        picture, room = self._pictures.picture(name), max(self.page.viewport().width(), LEAST_PICTURE)
        self._picture_room = room
        if picture.width <= room:
            return picture
        return Picture(room, max(1, round(picture.height * room / picture.width)))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit pictures to another width."""
        super().resizeEvent(event)
        if self._picture_room and self._picture_room != max(self.page.viewport().width(), LEAST_PICTURE):
            self._on_pictures_arrived()

    def _stop_building(self) -> None:
        """Give up the document in the making, if there is one."""
        self._builder.stop()
        if self._building is not None:
            self._building.deleteLater()
            self._building = None

    def _replace_document(self, document: SealedDocument) -> None:
        """Show ``document`` and delete the one it replaces."""
        former = self.page.document()
        # Qt compares new marks with those that stand: their cursors must not outlive the document they are in.
        self.page.setExtraSelections([])
        self.page.setDocument(document)
        # The page's first document belongs to Qt's text control, which deletes it here itself.
        if isValid(former):
            former.deleteLater()

    def _on_builder_timeout(self) -> None:
        """Add one piece to the document in the making; show it when it is whole."""
        document = self._building
        if document is None:
            self._builder.stop()
            return
        cursor = QTextCursor(document)
        cursor.movePosition(QTextCursor.MoveOperation.End)
        if not document.isEmpty():
            cursor.insertBlock()
        cursor.insertHtml(self._rendered(document, *self._waiting.popleft()))
        if self._waiting:
            return
        self._builder.stop()
        bar = self.page.verticalScrollBar()
        place = bar.value()
        self._replace_document(document)
        self._building = None
        bar.setValue(place)
        self._mark()

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
        # Qt gives plain text the format at the cursor: that of the text shown before, its links and headings too.
        self.page.document().clear()
        self.page.setCurrentCharFormat(QTextCharFormat())
        self.page.setPlainText(breakable(part))
        self._notice.setText(
            self.tr("This text has {count} characters, so it is shown as written: the first {part}.").format(
                count=format_number(len(self._source)), part=format_number(len(part))
            )
        )
        self._notice.show()
        self._more.setVisible(len(part) < len(self._source))
        self._mark()

    def _mark(self) -> None:
        """Mark the terms; scroll to the first one."""
        document = self.page.document()
        link_names(document, self._names)
        marks = word_selections(document, self._terms)
        self.page.setExtraSelections(marks)
        here = document.find(self._begin) if self._begin else QTextCursor()
        if not here.isNull():
            self._go_to(here)
        elif marks:
            place = QTextCursor(document)
            place.setPosition(marks[0].cursor.selectionStart())
            self.page.setTextCursor(place)
        self._tell_marks()

    def _go_to(self, here: QTextCursor) -> None:
        """Put the keyboard's place before ``here``, with that line at the top."""
        here.setPosition(here.selectionStart())
        self.page.setTextCursor(here)
        bar = self.page.verticalScrollBar()
        bar.setValue(bar.value() + self.page.cursorRect(here).top())

    def _on_pictures_arrived(self) -> None:
        if self._has_tasks and self._source and is_rich(self._source):
            self._timer.start()

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
        elif kind == "note":
            self.note_clicked.emit(target)
        elif kind == "attachment":
            self.attachment_clicked.emit(target)
        elif kind == "task" and target.isdecimal() and len(target) <= LINE_DIGITS:
            self.task_clicked.emit(int(target))
        elif kind == "web":
            open_outside(self, target)

    def _on_page_menu_requested(self, spot: QPoint) -> None:
        """Open Qt's menu of a text, after the page of the name under the pointer."""
        menu = self.page.createStandardContextMenu(spot)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        href = self.page.anchorAt(spot)
        if entity_of(href):
            words = next((link.words for link in links_of(self.page.document()) if link.href == href), "")
            action = QAction(caption(self.tr("Open the page of ‘{name}’").format(name=words)), menu)
            action.triggered.connect(partial(self.link_clicked.emit, href))
            others = menu.actions()
            menu.insertActions(others[0], [action])
            menu.insertSeparator(others[0])
        menu.popup(self.page.viewport().mapToGlobal(spot))

    def _on_theme_changed(self) -> None:
        self._shown = None
        if self._source:
            self._show()
