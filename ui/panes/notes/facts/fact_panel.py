"""A fact in the inspector: confidence, forecast and belief timeline."""

import asyncio
from collections.abc import Coroutine
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TypeVar

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from app.errors import KeepsakeError
from app.memories.model import Belief, FactConfidence, Memory
from ui import operations, theme
from ui.models.dates import date_words, local
from ui.panes.notes.facts.belief_row import BeliefRow
from ui.panes.notes.facts.confidence_curve import ConfidenceCurve
from ui.panes.notes.facts.correction_form import CorrectionForm
from ui.style.design_tokens import Space
from ui.widgets.box_layouts import vbox
from ui.widgets.button import text_button
from ui.widgets.flow_layout import FlowLayout
from ui.widgets.inspector import Section
from ui.widgets.plain_text import PlainLabel
from ui.work import Work

if TYPE_CHECKING:
    from ui.bridge import Bridge, TypedReply
    from ui.typed_call import TypedCall

_MONTH_DAYS, _YEAR_DAYS = 30, 365
_WEEKS = 21


Answer = TypeVar("Answer")


class FactPanel(QWidget):
    """Shows confidence, forecast and belief timeline of a fact; nothing of other memories.

    Args:
        bridge: The way to the engine.
        parent: Its parent.
    """

    opened = Signal(str)
    """Open the fact of this id."""
    done = Signal(str, object)
    """Something was changed: a sentence, and the ``Reply`` that undoes it."""
    failed = Signal(object)
    """A ``KeepsakeError``."""

    def __init__(self, bridge: "Bridge", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._fact: Memory | None = None
        self._work = Work(self, bridge)
        self._section = Section(self.tr("Confidence"), self)
        self._sentence = PlainLabel(self, wraps=True)
        self._sentence.setContentsMargins(Space.S, 0, 0, 0)
        self.curve = ConfidenceCurve(self)
        self._make_buttons()
        self.form = CorrectionForm(self)
        self.form.submitted.connect(self._on_form_submitted)
        self.form.cancelled.connect(self._on_form_cancelled)
        self.form.hide()
        for part in (self._sentence, self.curve, self._buttons, self.form):
            self._section.rows.addWidget(part)
        self._timeline = Section(self.tr("Held true over time"), self)
        vbox(self._section, self._timeline, parent=self, margins=0, spacing=Space.XS)
        self.hide()

    @property
    def sentence(self) -> str:
        """The forecast in words."""
        return self._sentence.text()

    def show_memory(self, memory: Memory | None) -> None:
        """Show a fact, or nothing."""
        self._work.cancel(self._load)
        fact = memory if memory is not None and memory.kind == "fact" else None
        if fact is None or self._fact is None or fact.id != self._fact.id:
            self.form.hide()
            self._timeline.hide()
        self._fact = fact
        self.setVisible(fact is not None)
        if fact is None:
            return
        gone = fact.deleted_at is not None
        self._buttons.setVisible(not gone and self.form.isHidden())
        self._pin.setText(self.tr("Unpin") if fact.pinned else self.tr("Pin"))
        self._work.latest(self._load, fact.id)

    async def _load(self, identity: str) -> None:
        call = self._bridge.call
        try:
            confidence, beliefs = await asyncio.gather(
                call(operations.fact.confidence(id=identity)), call(operations.fact.beliefs(id=identity))
            )
        except KeepsakeError:
            return  # it was deleted in between; the pane hears of that by itself
        self._show_confidence(confidence)
        self._show_beliefs(beliefs)

    def _show_confidence(self, confidence: FactConfidence) -> None:
        now = datetime.now(UTC)
        words = self._forecast(confidence, now)
        self._sentence.setText(words)
        theme.set_type(self._sentence, "body")
        self.curve.show_confidence(confidence, now, words)
        # Without fading the curve would be a flat line.
        self.curve.setVisible(confidence.kept not in ("deleted", "confirmed"))
        self._confirm.setVisible(confidence.kept != "confirmed" or confidence.confidence < 1)

    def _show_beliefs(self, beliefs: list[Belief]) -> None:
        self._timeline.clear()
        self._timeline.setVisible(len(beliefs) > 1)
        self._timeline.set_count(len(beliefs))
        for place, belief in enumerate(beliefs):
            is_open = self._fact is not None and belief.id == self._fact.id
            row = BeliefRow(belief, is_open=is_open, is_last=place == len(beliefs) - 1)
            row.opened.connect(self.opened)
            self._timeline.rows.addWidget(row)

    def _forecast(self, confidence: FactConfidence, now: datetime) -> str:
        """Return when a fact fades, in a sentence."""
        percent = f"{confidence.current * 100:.0f} %"
        if confidence.kept == "confirmed":
            certain = self.tr("{percent} certain. It never fades.").format(percent=percent)
            return self.tr("You keep this for good.") if confidence.current >= 1 else certain
        if confidence.kept == "pinned":
            return self.tr("{percent} certain. While it is pinned it does not fade.").format(percent=percent)
        if confidence.kept == "deleted":
            replaced = self._fact is not None and self._fact.superseded_by is not None
            return (
                self.tr("It no longer holds: another fact took its place.") if replaced else self.tr("It was deleted.")
            )
        if confidence.fades_at is None:
            return self.tr("{percent} certain. Even without use it hardly fades.").format(percent=percent)
        if confidence.fades_at <= now:
            return self.tr("{percent} certain. It has faded; the next night may set it aside.").format(percent=percent)
        day = date_words(local(confidence.fades_at).date(), "d MMMM yyyy")
        sentence = self.tr("{percent} certain now. If nobody uses it, it fades on {day}, {span} from now.")
        return sentence.format(percent=percent, day=day, span=self._span((confidence.fades_at - now).days))

    def _span(self, days: int) -> str:
        if days >= 2 * _YEAR_DAYS:
            return self.tr("about {n} years").format(n=round(days / _YEAR_DAYS))
        if days >= 2 * _MONTH_DAYS:
            return self.tr("about {n} months").format(n=round(days / _MONTH_DAYS))
        if days >= _WEEKS:
            return self.tr("about {n} weeks").format(n=round(days / 7))
        return self.tr("one day") if days <= 1 else self.tr("{n} days").format(n=days)

    # --- acting ---

    def _make_buttons(self) -> None:
        self._buttons = QWidget(self)
        self._confirm = text_button(self.tr("Confirm"), icon_name="check", parent=self._buttons)
        self._confirm.setToolTip(self.tr("It is right: it stays certain and never fades"))
        self._confirm.clicked.connect(self.confirm)
        self._correct = text_button(self.tr("Correct…"), icon_name="pencil", parent=self._buttons)
        self._correct.clicked.connect(self.correct)
        self._pin = text_button(self.tr("Pin"), icon_name="pin", parent=self._buttons)
        self._pin.clicked.connect(self._on_pin_clicked)
        flow = FlowLayout(spacing=Space.S)
        for button in (self._confirm, self._correct, self._pin):
            flow.addWidget(button)
        self._buttons.setLayout(flow)

    def confirm(self) -> None:
        """Confirm the fact."""
        if self._fact is not None:
            self._do(self._ask(self.tr("Confirmed the fact"), operations.fact.confirm(id=self._fact.id)))

    def correct(self) -> None:
        """Open the form that corrects the fact."""
        if self._fact is not None and self._fact.deleted_at is None:
            self.form.show()
            self._buttons.hide()
            self.form.begin(self._fact.content)

    def _on_pin_clicked(self) -> None:
        if self._fact is not None:
            pinned = not self._fact.pinned
            words = self.tr("Pinned the fact") if pinned else self.tr("Unpinned the fact")
            self._do(self._ask(words, operations.note.pin(id=self._fact.id, pinned=pinned)))

    def _on_form_cancelled(self) -> None:
        self.form.hide()
        self._buttons.show()
        self._correct.setFocus()

    def _on_form_submitted(self, text: str) -> None:
        if self._fact is not None:
            self._do(self._replace(self._fact.id, text))

    async def _ask(self, words: str, call: "TypedCall[Answer]") -> "TypedReply[Answer]":
        reply = await self._bridge.reply(call)
        self.done.emit(words, reply)
        return reply

    async def _replace(self, identity: str, text: str) -> None:
        reply = await self._ask(self.tr("Corrected the fact"), operations.fact.correct(id=identity, content=text))
        self.form.hide()
        self._buttons.show()
        self.opened.emit(reply.value.fact.id)

    def _do(self, work: Coroutine[Any, Any, object]) -> None:
        self._work.start(work, self.failed.emit)
