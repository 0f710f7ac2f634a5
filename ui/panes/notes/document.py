"""One memory to read and write: title, tags, source and preview."""

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent, QTextCursor
from PySide6.QtWidgets import QButtonGroup, QFrame, QMenu, QVBoxLayout, QWidget

from app.core.text_rules.tag_names import inline_tag, normalise_tag
from app.memories.model import Memory
from ui import operations, theme
from ui.models.dates import counted, full_date
from ui.models.markup import is_editable, toggled_task
from ui.models.text_structure import Heading
from ui.panes.kept_text_bar import KeptTextBar
from ui.panes.known_row import KnownRow
from ui.panes.labels import attribution, display_title, kind_label, source_label, store_label
from ui.panes.notes.version_diff import VersionDiff
from ui.panes.preview_names import PreviewNames
from ui.style.design_tokens import Space
from ui.style.icons import icon
from ui.widgets.box_layouts import hbox
from ui.widgets.button import icon_button
from ui.widgets.elided_label import ElidedLabel
from ui.widgets.fields.tag_edit import TagEdit
from ui.widgets.fields.title_field import TitleField
from ui.widgets.header_row import HeaderRow
from ui.widgets.plain_text import PlainLabel
from ui.widgets.splitter import PaneSplitter, hairline
from ui.widgets.text.markdown_editor import MarkdownEditor, Wanted
from ui.widgets.text.markdown_view import MarkdownView
from ui.work import Work

if TYPE_CHECKING:
    from app.core.facets import Facet
    from app.memories.model import Link
    from ui.bridge import Bridge

Mode = Literal["write", "split", "read"]
MODES: tuple[Mode, ...] = ("write", "split", "read")
FACTS_LEAST = 240
TEXT_LEAST = 200


class Document(QFrame):
    """Shows a memory and tells what the person changes; it stores nothing itself."""

    edited = Signal(str, object)
    """A field and its new value: ``title``, ``content`` or ``tags``."""
    left = Signal()
    """The keyboard left a field: a good moment to save."""
    pin_requested = Signal(bool)
    delete_requested = Signal()
    restore_requested = Signal()
    inspector_requested = Signal()
    mode_changed = Signal(str)

    def __init__(self, bridge: "Bridge", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("sheet")
        self._bridge = bridge
        self._mode: Mode = "write"
        self._forced = False
        self._shown = ""
        self._content = ""
        self._is_pinned = False
        self._stored_tags: tuple[str, ...] = ()
        self.title = _TitleField(self)
        work = Work(self, bridge)
        self.tags = TagEdit(self.tr("Add a tag"), work.refresh, self._suggest_tags, self)
        self.editor = MarkdownEditor(self.tr("Text"), work.refresh, self._complete, self)
        self.editor.setPlaceholderText(
            self.tr("Write in Markdown. [[ links to a note, # adds a tag, a picture or file dropped here is attached.")
        )
        self.preview = MarkdownView(self.tr("Preview"), self)
        self._names = PreviewNames(bridge, self.preview)
        self.comparison = VersionDiff(self)
        self.kept = KeptTextBar(bridge, self.comparison, self)
        self.known = KnownRow(self)
        self._facts = ElidedLabel(parent=self)
        theme.set_type(self._facts, "small muted")
        self._words = PlainLabel(self, style="small muted")
        self._state = PlainLabel(self, style="small muted", wraps=True)
        self._make_buttons()
        self._arrange()
        self._connect()
        self.set_mode("write")

    # --- what the pane uses ---

    @property
    def mode(self) -> Mode:
        """The mode: source, preview, or both."""
        return self._mode

    @property
    def least_width(self) -> int:
        """The width that source and preview need, as far as they are shown."""
        shown = [part for part in (self.editor, self.preview) if not part.isHidden()]
        return len(shown) * (TEXT_LEAST + self._split.handleWidth())

    @property
    def tab_chain(self) -> tuple[QWidget, ...]:
        """The widgets that take the keyboard, in reading order."""
        modes = (self._buttons[mode] for mode in MODES)
        others = (self._restore, self._inspect, self.more)
        return self.title, self.editor, self.preview.page, self.tags.field, *modes, *others

    def set_mode(self, mode: Mode) -> None:
        """Show source, preview, or both."""
        self._mode = mode
        if self._buttons[mode].isEnabled():
            self._show_mode(mode)
        self.mode_changed.emit(mode)

    def show_memory(self, memory: Memory | None, *, keep_place: bool = False) -> None:
        """Show ``memory``, or an empty page for one that does not exist yet."""
        title, content, tags = (memory.title, memory.content, memory.tags) if memory else ("", "", ())
        if self.title.text() != title:
            self.title.setText(title)
            self.title.setCursorPosition(0)
        editable = is_editable(content)
        if not editable:
            self.editor.set_source("")
        elif not keep_place or self.editor.source() != content:
            self.editor.set_source(content, keep_place=keep_place)
        self._begin_living(memory, content)
        named = memory is not None and memory.kind != "note"
        self.title.setPlaceholderText(display_title("", content, self.tr("Title")) if named else self.tr("Title"))
        if not keep_place:
            self.editor.mark_words(())
        if keep_place:
            self.take_tags(tags)
        else:
            self._stored_tags = tuple(tags)
            self.tags.set_tags(tags)
            self.tags.discard_typed()
        self.preview.set_source(self._readable(memory), soon=keep_place)
        self._names.show([memory.id] if memory else [])
        self.comparison.hide()
        self.kept.show_memory(memory)
        gone = memory is not None and memory.deleted_at is not None
        self._set_fixed(gone or not editable)
        self._restore.setVisible(gone)
        self.more.setVisible(not gone)
        self.show_facts(memory)
        self._buttons["write"].setEnabled(editable)
        self._buttons["split"].setEnabled(editable)
        reading = memory is not None and (memory.kind != "note" or gone)
        self._show_mode("read" if not editable or (reading and self._mode == "write") else self._mode)

    def _begin_living(self, memory: Memory | None, content: str) -> None:
        """Let the preview of a note have pictures and tasks.

        Facts have none: lines of their own come before the text.
        """
        self.preview.set_living(on=memory is None or memory.kind == "note")
        identity = memory.id if memory else ""
        if identity != self._shown:
            self.preview.forget_pictures()
        self._shown, self._content = identity, content

    def text(self) -> str:
        """Return the text as it stands on the page."""
        return self.editor.source() if self._buttons["write"].isEnabled() else self._content

    def tick(self, line: int) -> None:
        """Tick the task on a line, or take its tick away; nothing else changes."""
        block = self.editor.document().findBlockByNumber(line)
        toggled_line = toggled_task(block.text()) if block.isValid() and not self.editor.isReadOnly() else None
        if toggled_line is None:
            return
        place = QTextCursor(block)
        place.setPosition(block.position() + toggled_line[0])
        place.movePosition(QTextCursor.MoveOperation.Right, QTextCursor.MoveMode.KeepAnchor)
        place.insertText(toggled_line[1])
        self.preview.show_now()

    def go_to_heading(self, heading: Heading, occurrence: int) -> None:
        """Go to a heading in source and preview, as far as they are shown.

        Args:
            heading: Which one.
            occurrence: How many headings of the same words and level come before it.
        """
        if self.editor.isVisible():
            self.editor.go_to_line(heading.line)
        if self.preview.isVisible():
            self.preview.go_to_heading(heading, occurrence)
        self.focus_text()

    def show_word_count(self, count: int) -> None:
        """Say how many words the text has."""
        words = counted(count, self.tr("1 word"), self.tr("{n} words"))
        self._words.setText(f"·  {words}" if count else "")

    def take_title(self, title: str) -> None:
        """Show the stored title, unless one is being typed.

        A note without one is called by its heading.
        """
        if not self.title.hasFocus() and self.title.text().strip() != title:
            self.title.setText(title)
            self.title.setCursorPosition(0)

    def mark_words(self, words: tuple[str, ...]) -> None:
        """Mark whole words in source and preview, and go to the first."""
        self.editor.mark_words(words)
        self.preview.set_terms(words)

    def go_to_mark(self, step: int) -> None:
        """Go to the next marked word, or to the one before where ``step`` is negative."""
        if self.editor.isVisible():
            self.editor.go_to_mark(step)
        if self.preview.isVisible():
            self.preview.go_to_mark(step)

    def focus_text(self) -> None:
        """Put the keyboard on the text."""
        reading = self.editor.isHidden()
        (self.preview.page if reading else self.editor).setFocus(Qt.FocusReason.TabFocusReason)

    def show_facts(self, memory: Memory | None) -> None:
        """Show kind, store, source and date of a memory."""
        self._is_pinned = memory is not None and memory.pinned
        self._pin.setChecked(self._is_pinned)
        self.more.setEnabled(memory is not None and memory.deleted_at is None)
        if memory is None:
            self._facts.setText(self.tr("New note"))
            return
        words = [kind_label(memory.kind), store_label(memory.store), source_label(memory.source)]
        words.append(attribution(memory.said_by, memory.said_at) or full_date(memory.updated_at))
        if memory.deleted_at is not None:
            words.append(self.tr("deleted"))
        self._facts.setText("  ·  ".join(words))

    def show_state(self, text: str, *, wrong: bool = False) -> None:
        """Say whether it is saved."""
        self._state.setText(text)
        theme.set_type(self._state, "small danger" if wrong else "small muted")

    def take_tags(self, tags: Sequence[str]) -> None:
        """Show the stored tags, unless one is being typed.

        They include the tags that are written in the text.
        """
        self._stored_tags = tuple(tags)
        self._show_tags()

    def _show_tags(self) -> None:
        """Show the stored tags but for one that is still being typed in the text."""
        if not self.tags.field.text():
            unfinished = normalise_tag(self.editor.unfinished_tag())
            self.tags.set_tags([tag for tag in self._stored_tags if tag != unfinished or tag in self.tags.tags])

    # --- building ---

    def _make_buttons(self) -> None:
        self._modes = QButtonGroup(self)
        names = {
            "write": ("pencil", self.tr("Write")),
            "split": ("panel-right", self.tr("Write and preview side by side")),
            "read": ("eye", self.tr("Read")),
        }
        self._buttons = {mode: icon_button(*names[mode], checkable=True, parent=self) for mode in MODES}
        for place, mode in enumerate(MODES):
            self._modes.addButton(self._buttons[mode], place)
        self.more = icon_button("ellipsis", self.tr("More to do with this note"), parent=self)
        self.more.setPopupMode(self.more.ToolButtonPopupMode.InstantPopup)
        menu = QMenu(self)
        self._pin = QAction(icon("pin"), self.tr("Pin"), menu, checkable=True)
        self._delete = QAction(icon("trash-2"), self.tr("Delete"), menu)
        menu.addActions([self._pin, self._delete])
        self.more.setMenu(menu)
        self._restore = icon_button("archive-restore", self.tr("Restore"), tint="accent", parent=self)
        self._inspect = icon_button("info", self.tr("Links and history"), shortcut="Ctrl+Shift+P", parent=self)
        self._restore.hide()

    def _arrange(self) -> None:
        modes = [self._buttons[mode] for mode in MODES]
        changing = [self._restore, self._inspect, self.more]
        facts = QWidget(self)
        hbox(self._facts, self._words, (self._state, 1), parent=facts, margins=(2, 0, Space.S, 0))
        self._state.setAlignment(Qt.AlignmentFlag.AlignTrailing | Qt.AlignmentFlag.AlignVCenter)
        head = QVBoxLayout()
        head.setContentsMargins(Space.XL, Space.M, Space.S, Space.S)
        head.setSpacing(Space.XS)
        head.addWidget(self.title)
        head.addWidget(HeaderRow(facts, [modes, changing], FACTS_LEAST, self))
        head.addWidget(self.tags)
        self._split = PaneSplitter(parent=self)
        self._split.add(self.editor, 400, least=TEXT_LEAST, stretch=1)
        self._split.add(self.preview, 400, least=TEXT_LEAST, stretch=1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(hairline(self))
        column.addWidget(self.kept)
        column.addWidget(self.comparison)
        column.addWidget(self._split, 1)
        column.addWidget(self.known)
        for before, after in pairwise((self.title, self.editor, self.preview.page, self.tags.field, *modes, *changing)):
            self.setTabOrder(before, after)

    def _connect(self) -> None:
        self.title.textEdited.connect(self._on_title_text_edited)
        self.title.finished.connect(self.editor.setFocus)
        self.title.editingFinished.connect(self._on_title_editing_finished)
        self.tags.edited.connect(self._on_tags_edited)
        self.editor.edited.connect(self._on_editor_edited)
        self.editor.tag_finished.connect(self._show_tags)
        self.editor.left.connect(self.left)
        self.kept.settling.connect(self.left)
        self.editor.refused.connect(self.show_state)
        self._modes.idClicked.connect(self._on_modes_id_clicked)
        self._pin.triggered.connect(self._on_pin_triggered)
        self._delete.triggered.connect(self.delete_requested)
        self._restore.clicked.connect(self.restore_requested)
        self._inspect.clicked.connect(self.inspector_requested)

    def _set_fixed(self, fixed: bool) -> None:
        self.title.setReadOnly(fixed)
        self.editor.setReadOnly(fixed)
        self.tags.setEnabled(not fixed)

    def _show_mode(self, mode: Mode) -> None:
        self._split.set_shown(self.editor, mode != "read")
        self._split.set_shown(self.preview, mode != "write")
        self._buttons[mode].setChecked(True)

    def _readable(self, memory: Memory | None) -> str:
        """Return what the preview shows: the text, and for facts what they are about."""
        if memory is None:
            return ""
        if memory.kind == "note":
            return memory.content
        parts = []
        if memory.category or memory.key:
            parts.append(f"#### {' › '.join(part for part in (memory.category, memory.key) if part)}")
        if memory.type:
            parts.append(f"*{memory.type}*")
        parts.append(memory.content)
        parts += ["\n".join(f"- {fact}" for fact in memory.facts)]
        return "\n\n".join(part for part in parts if part)

    # --- completion ---

    async def _complete(self, kind: Wanted, prefix: str) -> Sequence[str]:
        if kind is Wanted.TAG:
            return [tag for tag in await self._suggest_tags(prefix) if inline_tag(tag) == tag]
        titles: list[Link] = await self._bridge.call(operations.note.titles(prefix=prefix, limit=20))
        return [link.title for link in titles if link.title]

    async def _suggest_tags(self, prefix: str) -> Sequence[str]:
        tags: list[Facet] = await self._bridge.call(operations.tag.list(prefix=prefix.lower(), limit=20))
        return [tag.name for tag in tags]

    # --- events ---

    def _on_pin_triggered(self) -> None:
        self._pin.setChecked(self._is_pinned)  # until it is so
        self.pin_requested.emit(not self._is_pinned)

    def _on_title_text_edited(self, text: str) -> None:
        # An empty field is on its way to another title: links would have to follow both.
        if text.strip() or not self._shown:
            self.edited.emit("title", text)

    def _on_title_editing_finished(self) -> None:
        if not self.title.text().strip() and self._shown:
            self.edited.emit("title", "")
        self.left.emit()

    def _on_tags_edited(self, tags: tuple[str, ...]) -> None:
        self._stored_tags = tags
        self.edited.emit("tags", tags)

    def _on_editor_edited(self) -> None:
        source = self.editor.source()
        self.edited.emit("content", source)
        if self.preview.isVisible():
            self.preview.set_source(source, soon=True)

    def _on_modes_id_clicked(self, place: int) -> None:
        mode = MODES[place]
        if mode != "write":
            self.preview.set_source(self.editor.source())
        self.set_mode(mode)
        (self.preview.page if mode == "read" else self.editor).setFocus(Qt.FocusReason.OtherFocusReason)


class _TitleField(TitleField):
    """The title; Enter and Down go on to the text."""

    finished = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAccessibleName(self.tr("Title"))
        self.setPlaceholderText(self.tr("Title"))
        theme.set_type(self, "title")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go on to the text."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Down):
            self.finished.emit()
        else:
            super().keyPressEvent(event)
