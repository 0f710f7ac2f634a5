"""The inspector of a memory: its properties, links and history."""

import asyncio
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

from app.core.text import without_markup
from app.core.text_rules.project_name import ATTRIBUTE, project_name
from app.errors import KeepsakeError
from app.history.model import HistoryEntry
from app.memories.model import Link, Links, Memory
from ui import operations, theme
from ui.models.dates import counted, format_number, full_date, short_date
from ui.panes.labels import attribution, event_label, observation_type, source_label, store_label
from ui.panes.notes.facts.fact_panel import FactPanel
from ui.panes.notes.mention_section import MentionSection
from ui.panes.project_field import ProjectField
from ui.style.design_tokens import Space
from ui.widgets.box_layouts import hbox, vbox
from ui.widgets.inspector import Bar, Bars, Section, line_button
from ui.widgets.plain_text import PlainLabel, tooltip
from ui.work import Work

if TYPE_CHECKING:
    from ui.bridge import Bridge

HISTORY = 50
SHOWN_LINKS = 60


class NoteInspector(QScrollArea):
    """The inspector of the Notes pane."""

    opened = Signal(str)
    """Open the memory of this id."""
    missing_opened = Signal(str)
    """Open, or begin, the note of this title."""
    session_opened = Signal(str)
    project_chosen = Signal(str, str)
    """Put the memory of this id into a project, or into none."""
    version_requested = Signal(object)
    """Compare with the state a ``HistoryEntry`` left."""
    done = Signal(str, object)
    """Something was changed here: a sentence, and the ``Reply`` that undoes it."""
    failed = Signal(object)
    """A ``KeepsakeError``."""

    def __init__(self, bridge: "Bridge", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._work = Work(self, bridge)
        self._entries: dict[int, HistoryEntry] = {}
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        body = QWidget(self)
        column = vbox(parent=body, margins=(0, Space.S, 0, Space.L), spacing=Space.XS)
        self._memory: Memory | None = None
        self.fact = FactPanel(bridge, body)
        self.mentions = MentionSection(bridge, body)
        self._about = Section(self.tr("About"), body)
        self.project = ProjectField(bridge, body)
        self.project.chosen.connect(self._on_project_chosen)
        self._project_row = _pair(self.tr("Project"), self.project)
        self._about.rows.addWidget(self._project_row)
        self._outgoing = Section(self.tr("Links to"), body)
        self._back = Section(self.tr("Linked from"), body)
        self._history = Section(self.tr("History"), body)
        for section in (self.fact, self._about, self._outgoing, self._back, self.mentions, self._history):
            column.addWidget(section)
        for part in (self.fact, self.mentions):
            part.opened.connect(self.opened)
            part.failed.connect(self.failed)
            part.done.connect(self._on_part_done)
        column.addStretch(1)
        self.setWidget(body)

    def show_memory(self, memory: Memory | None) -> None:
        """Show what belongs to ``memory``; links and history follow when they arrive."""
        self._work.cancel(self._load)
        self._memory = memory
        self._show_about(memory)
        self.fact.show_memory(memory)
        self.mentions.show_memory(memory)
        if memory is None:
            self._show_links(Links())
            self._show_history([])
        else:
            self._work.latest(self._load, memory.id)

    async def _load(self, identity: str) -> None:
        call = self._bridge.call
        try:
            links, history = await asyncio.gather(
                call(operations.note.links(id=identity)),
                call(operations.memory.history(target=identity, limit=HISTORY)),
            )
        except KeepsakeError:
            return  # it was deleted in between; the pane hears of that by itself
        self._show_links(links)
        self._show_history(history)

    def _show_about(self, memory: Memory | None) -> None:
        self._about.rows.removeWidget(self._project_row)  # which outlives what is written anew
        self._about.clear()
        self._about.setVisible(memory is not None)
        if memory is None:
            return
        rows = [
            (self.tr("Stored by"), source_label(memory.source)),
            (self.tr("Store"), store_label(memory.store)),
            (self.tr("Said"), attribution(memory.said_by, memory.said_at)),
            (self.tr("Written"), full_date(memory.created_at)),
            (self.tr("Changed"), full_date(memory.updated_at)),
            (self.tr("Topic"), memory.category, self.tr("The category of the fact")),
            (self.tr("Point"), memory.key, self.tr("The key of the fact: what in its topic it is about")),
            (self.tr("What it is"), observation_type(memory.type), self.tr("The type of the observation")),
            (self.tr("Files"), "\n".join(memory.files)),
            (self.tr("People"), "\n".join(memory.people)),
            (self.tr("Happened"), full_date(memory.event_time) if memory.event_time else ""),
            (self.tr("Mentioned"), format_number(memory.mention_count) if memory.mention_count > 1 else ""),
            (
                self.tr("Size"),
                counted(memory.tokens, self.tr("1 token"), self.tr("{n} tokens")) if memory.tokens else "",
                self.tr("Tokens: the pieces of words in which language models count a text"),
            ),
        ]
        for label, value, *term in rows:
            if value:
                self._about.rows.addWidget(_pair(label, PlainLabel(value), *term))
        self.project.show_project(memory.id, project_name(memory.attributes.get(ATTRIBUTE)))
        self.project.setReadOnly(memory.deleted_at is not None or memory.superseded_by is not None)
        self._about.rows.addWidget(self._project_row)
        if memory.kind not in ("note", "fact"):
            bars = Bars(self.tr("Confidence"))
            bars.set_bars([Bar(self.tr("Confidence"), memory.confidence, f"{memory.confidence:.0%}")])
            self._about.rows.addSpacing(Space.XS)
            self._about.rows.addWidget(bars)
        if memory.session_id:
            button = line_button(self.tr("Open its conversation"), memory.session_id)
            button.clicked.connect(self._on_session_clicked)
            self._about.rows.addWidget(button)

    def _show_links(self, links: Links) -> None:
        for section, rows in ((self._outgoing, links.outgoing), (self._back, links.backlinks)):
            section.clear()
            section.set_count(len(rows))
            section.setVisible(bool(rows))
            for link in rows[:SHOWN_LINKS]:
                section.rows.addWidget(self._link_row(link))

    def _link_row(self, link: Link) -> QWidget:
        title = link.title or self.tr("Untitled")
        if not link.memory_id:
            title = self.tr("{title} (not written yet)").format(title=title)
        button = line_button(title, link.memory_id or link.title)
        button.setProperty("missing", not link.memory_id)
        button.clicked.connect(self._on_link_clicked)
        if not link.text:
            return button
        holder = QWidget()
        column = vbox(parent=holder, margins=(0, 0, 0, Space.XS), spacing=0)
        # Cut out of its note, the text may hold half a link.
        words = PlainLabel(without_markup(link.text).replace("[[", "").replace("]]", ""), holder)
        words.setTextFormat(Qt.TextFormat.PlainText)
        words.setWordWrap(True)
        words.setContentsMargins(Space.S, 0, 0, 0)
        theme.set_type(words, "small muted")
        column.addWidget(button)
        column.addWidget(words)
        return holder

    def _show_history(self, entries: list[HistoryEntry]) -> None:
        self._history.clear()
        self._history.set_count(len(entries))
        self._history.setVisible(bool(entries))
        self._entries = {entry.id: entry for entry in entries}
        now = datetime.now(UTC)
        for entry in entries:
            words = self.tr("{what}, {who}, {when}").format(
                what=event_label(entry.event), who=source_label(_origin(entry)), when=short_date(entry.at, now)
            )
            button = line_button(words, str(entry.id))
            button.setToolTip(self.tr("Compare with this version"))
            button.setEnabled(entry.after is not None and "content" in entry.after)
            button.clicked.connect(self._on_history_clicked)
            self._history.rows.addWidget(button)

    def _on_part_done(self, words: str, reply: object) -> None:
        self.done.emit(words, reply)
        self.show_memory(self._memory)

    def _target(self) -> str:
        return str(self.sender().property("target"))

    def _on_link_clicked(self) -> None:
        missing = bool(self.sender().property("missing"))
        (self.missing_opened if missing else self.opened).emit(self._target())

    def _on_project_chosen(self, project: str) -> None:
        if self._memory is not None:
            self.project_chosen.emit(self._memory.id, project)

    def _on_session_clicked(self) -> None:
        self.session_opened.emit(self._target())

    def _on_history_clicked(self) -> None:
        entry = self._entries.get(int(self._target() or 0))
        if entry is not None:
            self.version_requested.emit(entry)


def _origin(entry: HistoryEntry) -> str:
    """Return who stored an entry.

    The import for what one brought in, else the person or program.
    """
    source = str((entry.after or {}).get("source", ""))
    return source if entry.event == "ADD" and source.startswith("import") else entry.actor


def _pair(label: str, value: QWidget, term: str = "") -> QWidget:
    holder = QWidget()
    holder.setToolTip(tooltip(term) if term else "")
    row = hbox(parent=holder, margins=(Space.S, 1, 0, 1), spacing=Space.S)
    name = PlainLabel(label, holder)
    theme.set_type(name, "small muted")
    if isinstance(value, PlainLabel):
        theme.set_type(value, "small")
        value.setTextFormat(Qt.TextFormat.PlainText)
        value.setWordWrap(True)
    row.addWidget(name, 2, Qt.AlignmentFlag.AlignTop)
    row.addWidget(value, 3)
    return holder
