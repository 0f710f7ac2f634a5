"""Why a hit is there, and the text it comes from."""

import asyncio
import re
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QScrollArea, QVBoxLayout, QWidget
from shiboken6 import isValid

from app.core.text import excerpt
from app.errors import KeepsakeError
from app.retrieval.model import Hit, LegScore
from ui import theme
from ui.models.dates import full_date
from ui.models.markup import unfenced
from ui.panes.labels import feature_label, kind_label, role_label, source_label
from ui.panes.preview_names import PreviewNames
from ui.panes.search.hit_painter import hit_title
from ui.style.design_tokens import Space
from ui.widgets.button import text_button
from ui.widgets.inspector import Bar, Bars, Section
from ui.widgets.plain_text import PlainLabel
from ui.widgets.text.markdown_view import MarkdownView

if TYPE_CHECKING:
    from app.memories.model import Memory
    from app.sessions.model import Message
    from ui.bridge import Bridge

BEFORE, AFTER = 2, 3
TURN_LIMIT = 4000
LEAST = 40
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
        self._request = 0
        self._hit: Hit | None = None
        self._title = PlainLabel(self)
        self._title.setWordWrap(True)
        theme.set_type(self._title, "heading")
        self._facts = PlainLabel(self)
        self._facts.setWordWrap(True)
        theme.set_type(self._facts, "small muted")
        self._open = text_button(self.tr("Open"), "primary", parent=self)
        self._open.clicked.connect(self._on_open_clicked)
        self.preview = MarkdownView(self.tr("Text of the result"), self)
        self._names = PreviewNames(bridge, self.preview)
        self._section = Section(self.tr("Why this result"), self)
        self._legs = Bars(self.tr("How it was found"), self._section)
        self._features = Bars(self.tr("What else counted"), self._section)
        self._words = PlainLabel(self._section)
        self._words.setWordWrap(True)
        theme.set_type(self._words, "small muted")
        self._counted = PlainLabel(self.tr("What counted, and how much"), self._section)
        self._counted.setToolTip(self.tr("What is above zero lifts the result, what is below zero lowers it."))
        self._counted.setContentsMargins(0, Space.S, 0, 0)
        theme.set_type(self._counted, "small muted")
        for widget in (self._words, self._legs, self._counted, self._features):
            self._section.rows.addWidget(widget)
        head = QHBoxLayout()
        head.setContentsMargins(Space.L, Space.M, Space.M, 0)
        head.addWidget(self._title, 1)
        head.setSpacing(Space.S)
        head.addWidget(self._open, 0, Qt.AlignmentFlag.AlignTop)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(Space.XS)
        column.addLayout(head)
        self._facts.setContentsMargins(Space.L, 0, Space.L, 0)
        column.addWidget(self._facts)
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
        self._section.folded.connect(self._fit)
        self._section.rows.setContentsMargins(Space.S, 0, Space.M, Space.S)

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
        return self._open, self._section.header, self.preview

    def focus_reasons(self) -> None:
        """Unfold the reasons, from their beginning, and put the keyboard on them."""
        self._section.set_open(True)
        self._area.verticalScrollBar().setValue(0)
        self._section.header.setFocus(Qt.FocusReason.OtherFocusReason)

    def show_hit(self, hit: Hit, terms: tuple[str, ...]) -> None:
        """Explain ``hit``; its text follows when it arrives."""
        same = self._hit is not None and self._hit.id == hit.id
        self._hit = hit
        self._title.setText(_breakable(excerpt(hit_title(hit), TITLE)))
        said = hit.author or ("" if hit.target == "memory" else role_label(hit.role))
        known = (kind_label(hit.kind), said, source_label(hit.agent), full_date(hit.created_at))
        self._facts.setText("  ·  ".join(dict.fromkeys(part for part in known if part)))
        self._explain(hit)
        if not same:
            self._request += 1
            self._bridge.start(self._load(hit, terms, self._request))

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
        self._words.setText(self._found_by(hit))
        self._fit()

    def _fit(self) -> None:
        """Fit the reasons, and leave at least half of the room to the text."""
        self._section.rows.activate()
        self._area.setFixedHeight(min(self._section.sizeHint().height(), max(LEAST, self.height() * 5 // 9)))

    def _found_by(self, hit: Hit) -> str:
        """Return in a sentence how a hit came to be found."""
        legs = {leg.leg for leg in hit.why.legs}
        if hit.why.terms:
            return self.tr("Words found: {words}").format(words=", ".join(hit.why.terms))
        if not legs:
            return self.tr("It fits the operators; the newest come first")
        if "entity" in legs:
            return self.tr("It mentions what you name, under another name")
        if "words" in legs:
            return self.tr("Found by words of its title or around it")
        return self.tr("Found by meaning") if "vector" in legs else self.tr("Found beside what else fits")

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
        value = self.tr("{score:.2f}, place {rank}").format(score=leg.score, rank=leg.rank)
        if leg.leg == "recent":  # its score is a moment
            value = self.tr("place {rank}").format(rank=leg.rank)
        return Bar(name, 1 / leg.rank**0.5, value, 0 if leg.leg == "words" else 2)

    async def _load(self, hit: Hit, terms: tuple[str, ...], request: int) -> None:
        try:
            text = await self._text_of(hit)
        except KeepsakeError as error:
            text = error.message
        if isValid(self) and request == self._request:
            self.preview.set_source(text, terms=terms, begin=HERE)
            self._names.show(_owners(hit))

    async def _text_of(self, hit: Hit) -> str:
        if hit.target == "memory" or hit.session_id is None or hit.seq is None:
            memory: Memory = await self._bridge.call("note.get", id=hit.id)
            return said_in(memory)
        before, after = await asyncio.gather(
            self._bridge.call("session.before", session=hit.session_id, seq=hit.seq, limit=BEFORE),
            self._bridge.call("session.messages", session=hit.session_id, after=hit.seq - 1, limit=AFTER),
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
