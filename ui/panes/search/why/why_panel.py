"""The reason for a hit as a sentence, the figures behind it, and its text."""

import asyncio
import re
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QScrollArea, QWidget

from app.core.text import excerpt
from app.errors import KeepsakeError
from app.retrieval.model import Hit, LegScore, Query
from ui import operations, theme
from ui.engine_texts import error_text
from ui.models.dates import format_number, full_date
from ui.models.markup import unfenced
from ui.panes.labels import feature_label, kind_label, role_label, source_label, speaker_label
from ui.panes.preview_names import PreviewNames
from ui.panes.search.hit_painter import hit_title
from ui.panes.search.query_text import terms_of
from ui.panes.search.why.why_sentence import why_sentence
from ui.style.design_tokens import Space
from ui.widgets.box_layouts import hbox, vbox
from ui.widgets.button import icon_button, text_button
from ui.widgets.inspector import Bar, Bars, Section
from ui.widgets.plain_text import PlainLabel
from ui.widgets.text.markdown_view import MarkdownView
from ui.work import Work

if TYPE_CHECKING:
    from app.memories.model import Memory
    from app.sessions.model import Message
    from ui.bridge import Bridge

BEFORE, AFTER = 2, 3
TURN_LIMIT = 4000
LEAST = 40
_NARROW = 300
"""Width in pixels below which the marked words get their own line, at normal text size."""
TITLE = 160
HERE = "▸"
"""Stands before the message that was found."""


class WhyPanel(QWidget):
    """The inspector of the Search pane."""

    opened = Signal(object)
    """The person wants to go to this ``Hit``."""

    def __init__(self, bridge: "Bridge", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._work = Work(self, bridge)
        self._hit: Hit | None = None
        self._title = PlainLabel(self, style="heading", wraps=True)
        self._facts = PlainLabel(self, style="small muted", wraps=True)
        self._open = text_button(self.tr("Open"), "primary", parent=self)
        self._open.clicked.connect(self._on_open_clicked)
        self.preview = MarkdownView(self.tr("Text of the result"), self)
        self.sentence = PlainLabel(self, wraps=True)
        self.sentence.setContentsMargins(Space.L, Space.XS, Space.L, 0)
        self._marks = PlainLabel(self, style="small muted")
        self._before = icon_button("chevron-up", self.tr("Previous marked word"), shortcut="Shift+F3", parent=self)
        self._after = icon_button("chevron-down", self.tr("Next marked word"), shortcut="F3", parent=self)
        self._section = Section(self.tr("What counted, and how much"), self)
        self._names = PreviewNames(bridge, self.preview)
        self._legs = Bars(self.tr("How it was found"), self._section)
        self._features = Bars(self.tr("What else counted"), self._section)
        self._counted = PlainLabel(
            self.tr("A filled bar lifted the result, an outlined one lowered it."), self._section, wraps=True
        )
        self._counted.setContentsMargins(0, Space.S, 0, 0)
        theme.set_type(self._counted, "small muted")
        for widget in (self._legs, self._counted, self._features):
            self._section.rows.addWidget(widget)
        self._lay_out()
        self._connect()

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setContentsMargins(Space.L, Space.M, Space.M, 0)
        head.addWidget(self._title, 1)
        head.setSpacing(Space.S)
        head.addWidget(self._open, 0, Qt.AlignmentFlag.AlignTop)
        column = vbox(head, self._facts_row(), self.sentence, parent=self, margins=0, spacing=Space.XS)
        self._area = QScrollArea(self)
        self._area.setWidgetResizable(True)
        self._area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._area.setWidget(self._section)
        # A scroll area fills what it holds with the window's ground.
        self._area.viewport().setAutoFillBackground(False)
        self._section.setAutoFillBackground(False)
        column.addWidget(self._area)
        column.addWidget(self.preview, 1)
        self._section.rows.setContentsMargins(Space.S, 0, Space.M, Space.S)

    def _connect(self) -> None:
        self._section.folded.connect(self._fit)
        self._section.set_open(False)
        self.preview.marks_changed.connect(self._on_preview_marks_changed)
        self._before.clicked.connect(self.go_to_previous_mark)
        self._after.clicked.connect(self.go_to_next_mark)
        self._on_preview_marks_changed(0, 0)

    def _facts_row(self) -> QBoxLayout:
        """Return the line with facts of the hit and buttons for its marked words."""
        marks = hbox(spacing=Space.XS)
        for widget in (self._marks, self._before, self._after):
            marks.addWidget(widget, 0, Qt.AlignmentFlag.AlignVCenter)
        marks.addStretch(1)
        self._line = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._line.setContentsMargins(Space.L, 0, Space.M, 0)
        self._line.setSpacing(Space.M)
        self._line.addWidget(self._facts, 1)
        self._line.addLayout(marks)
        return self._line

    def go_to_next_mark(self) -> None:
        """Go to the next marked word of the text."""
        self.preview.go_to_mark(1)

    def go_to_previous_mark(self) -> None:
        """Go to the marked word before."""
        self.preview.go_to_mark(-1)

    def _on_preview_marks_changed(self, number: int, count: int) -> None:
        words = self.tr("{n} of {m}") if number else self.tr("{m} marked")
        self._marks.setText(words.format(n=format_number(number), m=format_number(count)))
        for widget in (self._marks, self._before, self._after):
            widget.setVisible(count > 0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Share the room anew."""
        super().resizeEvent(event)
        self._fit()

    @property
    def hit(self) -> Hit | None:
        """The hit shown."""
        return self._hit

    @property
    def reasons_open(self) -> bool:
        """True while the reasons are unfolded."""
        return self._section.is_open

    def set_reasons_open(self, on: bool) -> None:
        """Show or fold the reasons."""
        self._section.set_open(on)

    @property
    def tab_chain(self) -> tuple[QWidget, ...]:
        """The widgets that take the keyboard, in reading order."""
        return self._open, self._before, self._after, self._section.header, self.preview

    def focus_reasons(self) -> None:
        """Unfold the reasons, from their beginning, and put the keyboard on them."""
        self._section.set_open(True)
        self._area.verticalScrollBar().setValue(0)
        self._section.header.setFocus(Qt.FocusReason.OtherFocusReason)

    def show_hit(self, hit: Hit, query: Query) -> None:
        """Explain ``hit``; its text follows when it arrives."""
        same = self._hit is not None and self._hit.id == hit.id
        self._hit = hit
        self._title.setText(_breakable(excerpt(hit_title(hit), TITLE)))
        speaker = speaker_label(hit.author) or ("" if hit.target == "memory" else role_label(hit.role))
        known = (kind_label(hit.kind), speaker, source_label(hit.agent), full_date(hit.created_at))
        self._facts.setText("  ·  ".join(dict.fromkeys(part for part in known if part)))
        self.sentence.setText(why_sentence(hit, query))
        self._explain(hit)
        if same:
            self.preview.set_terms(terms_of(query, hit), begin=HERE)
        else:
            self._work.latest(self._load, hit, terms_of(query, hit))

    def _explain(self, hit: Hit) -> None:
        self._legs.set_bars([self._leg_bar(leg) for leg in hit.why.legs])
        self._legs.setVisible(bool(hit.why.legs))
        weights = {name: value for name, value in hit.why.features.items() if value}
        most = max((abs(value) for value in weights.values()), default=1.0)
        named = sorted(weights.items(), key=_size, reverse=True)[:8]
        self._features.set_bars(
            [
                Bar(feature_label(name), abs(value) / most, _signed(value), 7, is_hollow=value < 0)
                for name, value in named
            ]
        )
        for widget in (self._counted, self._features):
            widget.setVisible(bool(named))
        self._fit()

    def _fit(self) -> None:
        """Fit facts and reasons, and leave at least half of the room to the text."""
        is_narrow = self.width() < theme.current().scaled(_NARROW)
        self._line.setDirection(QBoxLayout.Direction.TopToBottom if is_narrow else QBoxLayout.Direction.LeftToRight)
        self._section.rows.activate()
        self._area.setFixedHeight(min(self._section.sizeHint().height(), max(LEAST, self.height() * 5 // 9)))

    def _leg_bar(self, leg: LegScore) -> Bar:
        names = {
            "words": self.tr("Words"),
            "vector": self.tr("Meaning"),
            "recent": self.tr("Newness"),
            "salient": self.tr("Importance"),
            "mentions": self.tr("Mentions"),
            "entity": self.tr("Other names"),
        }
        name = names[leg.leg]
        value = self.tr("place {rank}").format(rank=format_number(leg.rank))
        return Bar(name, 1 / leg.rank**0.5, value, 0 if leg.leg == "words" else 2)

    async def _load(self, hit: Hit, terms: tuple[str, ...]) -> None:
        try:
            text = await self._text_of(hit)
        except KeepsakeError as error:
            text = error_text(error)
        self.preview.set_source(text, terms=terms, begin=HERE)
        self._names.show(_owners(hit))

    async def _text_of(self, hit: Hit) -> str:
        if hit.target == "memory" or hit.session_id is None or hit.seq is None:
            memory: Memory = await self._bridge.call(operations.note.get(id=hit.id))
            return said_in(memory)
        before, after = await asyncio.gather(
            self._bridge.call(operations.session.before(session=hit.session_id, seq=hit.seq, limit=BEFORE)),
            self._bridge.call(operations.session.messages(session=hit.session_id, after=hit.seq - 1, limit=AFTER)),
        )
        return "\n\n---\n\n".join(self._message(message, message.seq == hit.seq) for message in [*before, *after])

    def _message(self, message: "Message", here: bool) -> str:
        who = message.author or role_label(message.role)
        arrow = f"{HERE} " if here else ""
        text = message.content if here else message.content[:TURN_LIMIT]
        body = f"```\n{unfenced(text)[:TURN_LIMIT]}\n```" if message.role == "tool" else text
        return f"{arrow}**{who}** · {full_date(message.created_at)}\n\n{body}"

    def _on_open_clicked(self) -> None:
        if self._hit is not None:
            self.opened.emit(self._hit)


def _owners(hit: Hit) -> list[str]:
    """Return the ids of the texts shown: a memory, or a message and its neighbours."""
    if hit.target == "memory" or hit.session_id is None or hit.seq is None:
        return [hit.id]
    return [f"{hit.session_id}#{seq}" for seq in range(max(0, hit.seq - BEFORE), hit.seq + AFTER)]


def said_in(memory: "Memory") -> str:
    """Return all that a memory says, as Markdown."""
    return "\n\n".join([memory.content, *(f"- {fact}" for fact in memory.facts)])


def _breakable(text: str) -> str:
    """Return ``text`` with places to break very long words.

    A label cuts them off otherwise.
    """
    return re.sub(r"(\S{16})(?=\S)", "\\1\u200b", text)


def _signed(value: float) -> str:
    """Return a number with its sign, as one writes it."""
    return f"{value:+.2f}".replace("-", "−")


def _size(item: tuple[str, float]) -> float:
    return abs(item[1])
