"""Why a hit is there, and the text it comes from."""

import asyncio
import re
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget
from shiboken6 import isValid

from app.core.text import excerpt
from app.errors import KeepsakeError
from app.retrieval.model import Hit, LegScore
from ui import theme
from ui.models.markup import unfenced
from ui.models.when import full
from ui.panes.words import feature_word, kind_word, role_word
from ui.tokens import Space
from ui.widgets.button import text_button
from ui.widgets.inspector import Bar, Bars, Section
from ui.widgets.markdown import MarkdownView

if TYPE_CHECKING:
    from app.memories.model import Memory
    from app.sessions.model import Message
    from ui.bridge import Bridge

BEFORE, AFTER = 2, 3
TURN_LIMIT = 4000
TITLE = 160


class WhyPanel(QWidget):
    """The inspector of the Search pane."""

    opened = Signal(object)
    """The person wants to go to this ``Hit``."""

    def __init__(self, bridge: "Bridge", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._asked = 0
        self._hit: Hit | None = None
        self._title = QLabel(self)
        self._title.setWordWrap(True)
        theme.set_type(self._title, "heading")
        self._facts = QLabel(self)
        self._facts.setWordWrap(True)
        theme.set_type(self._facts, "small muted")
        self._open = text_button(self.tr("Open"), "primary", parent=self)
        self._open.clicked.connect(self._on_open_clicked)
        self.preview = MarkdownView(self.tr("Text of the result"), self)
        self._section = Section(self.tr("Why this result"), self)
        self._legs = Bars(self.tr("How it was found"), self._section)
        self._features = Bars(self.tr("What else counted"), self._section)
        self._words = QLabel(self._section)
        self._words.setWordWrap(True)
        theme.set_type(self._words, "small muted")
        for widget in (self._words, self._legs, self._features):
            self._section.rows.addWidget(widget)
        head = QHBoxLayout()
        head.setContentsMargins(Space.L, Space.M, Space.M, 0)
        head.addWidget(self._title, 1)
        head.addWidget(self._open)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(Space.XS)
        column.addLayout(head)
        self._facts.setContentsMargins(Space.L, 0, Space.L, 0)
        column.addWidget(self._facts)
        column.addWidget(self._section)
        column.addWidget(self.preview, 1)
        self._section.rows.setContentsMargins(Space.S, 0, Space.M, Space.S)

    @property
    def hit(self) -> Hit | None:
        """What is shown."""
        return self._hit

    def show_hit(self, hit: Hit, terms: tuple[str, ...]) -> None:
        """Explain ``hit``; its text follows when it arrives."""
        same = self._hit is not None and self._hit.id == hit.id
        self._hit = hit
        self._title.setText(_breakable(excerpt(hit.title, TITLE)) or kind_word(hit.kind))
        known = (kind_word(hit.kind), hit.author or role_word(hit.role), hit.agent, full(hit.created_at))
        self._facts.setText("  ·  ".join(part for part in known if part))
        self._explain(hit)
        if not same:
            self._asked += 1
            self._bridge.start(self._load(hit, terms, self._asked))

    def _explain(self, hit: Hit) -> None:
        self._legs.set_bars([self._leg_bar(leg) for leg in hit.why.legs])
        weights = {name: value for name, value in hit.why.features.items() if value}
        most = max((abs(value) for value in weights.values()), default=1.0)
        named = sorted(weights.items(), key=_size, reverse=True)[:8]
        self._features.set_bars(
            [Bar(feature_word(name), abs(value) / most, f"{value:+.2f}", 7) for name, value in named]
        )
        self._features.setVisible(bool(named))
        words = ", ".join(hit.why.terms)
        self._words.setText(
            self.tr("Words found: {words}").format(words=words) if words else self.tr("Found by meaning")
        )

    def _leg_bar(self, leg: LegScore) -> Bar:
        names = {
            "words": self.tr("Words"),
            "vector": self.tr("Meaning"),
            "recent": self.tr("Newness"),
            "salient": self.tr("Importance"),
            "mentions": self.tr("Mentions"),
        }
        name = names[leg.leg]
        value = self.tr("{score:.2f}, place {rank}").format(score=leg.score, rank=leg.rank)
        if leg.leg == "recent":  # its score is a moment
            value = self.tr("place {rank}").format(rank=leg.rank)
        return Bar(name, 1 / leg.rank**0.5, value, 0 if leg.leg == "words" else 2)

    async def _load(self, hit: Hit, terms: tuple[str, ...], asked: int) -> None:
        try:
            text = await self._text_of(hit)
        except KeepsakeError as error:
            text = error.message
        if isValid(self) and asked == self._asked:
            self.preview.set_source(text, terms=terms)

    async def _text_of(self, hit: Hit) -> str:
        if hit.target == "memory" or hit.session_id is None or hit.seq is None:
            memory: Memory = await self._bridge.call("note.get", id=hit.id)
            return "\n\n".join([memory.content, *(f"- {fact}" for fact in memory.facts)])
        before, after = await asyncio.gather(
            self._bridge.call("session.before", session=hit.session_id, seq=hit.seq, limit=BEFORE),
            self._bridge.call("session.messages", session=hit.session_id, after=hit.seq - 1, limit=AFTER),
        )
        return "\n\n---\n\n".join(self._turn(message, message.seq == hit.seq) for message in [*before, *after])

    def _turn(self, message: "Message", here: bool) -> str:
        who = message.author or role_word(message.role)
        arrow = "▸ " if here else ""
        text = message.content if here else message.content[:TURN_LIMIT]
        body = f"```\n{unfenced(text)[:TURN_LIMIT]}\n```" if message.role == "tool" else text
        return f"{arrow}**{who}** · {full(message.created_at)}\n\n{body}"

    def _on_open_clicked(self) -> None:
        if self._hit is not None:
            self.opened.emit(self._hit)


def _breakable(text: str) -> str:
    """Return ``text`` with places to break very long words at, which a label otherwise cuts off."""
    return re.sub(r"(\S{16})(?=\S)", "\\1\u200b", text)


def _size(item: tuple[str, float]) -> float:
    return abs(item[1])
