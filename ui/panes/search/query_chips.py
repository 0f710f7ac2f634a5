"""Chips that show how a query was understood."""

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QWidget

from app.core.clock import to_datetime
from app.retrieval.model import Query, Term
from ui import theme
from ui.engine_texts import engine_text
from ui.models.dates import date_words, local
from ui.panes.search.query_text import significant_terms
from ui.style.design_tokens import Radius, Space
from ui.widgets.box_layouts import vbox
from ui.widgets.flow_layout import FlowLayout
from ui.widgets.plain_text import PlainLabel

DELAY_MS = 700


class QueryChips(QWidget):
    """Words, phrases, operators and dates as chips; what was not understood in words below."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._query: Query | None = None
        self._box = chips = QWidget(self)
        self._flow = FlowLayout(chips)
        self._hints = PlainLabel(self, wraps=True)
        self._hints.setTextFormat(Qt.TextFormat.PlainText)
        theme.set_type(self._hints, "small warning")
        vbox(chips, self._hints, parent=self, margins=(2, 0, 0, 0), spacing=Space.XS)
        theme.current().changed.connect(self._show)
        self._hints.hide()
        # An operator that is just being typed lacks its value; to say so at each key would make the list below jump.
        self._delay = QTimer(self, singleShot=True, interval=DELAY_MS)
        self._delay.timeout.connect(self._show_hints)
        self.hide()

    def show_query(self, query: Query | None) -> None:
        """Explain ``query``."""
        if query == self._query:
            return
        self._query = query
        self._show()

    def _show(self) -> None:
        while (item := self._flow.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        chips = self._chips(self._query) if self._query else []
        for text, tone in chips:
            self._flow.addWidget(self._chip(text, tone))
        self._box.setVisible(bool(chips))
        hints = self._query.hints if self._query else ()
        self._hints.setText("\n".join(map(engine_text, hints)))
        if not hints or self._hints.isVisibleTo(self):
            self._show_hints()
        else:
            self._delay.start()
        self.setVisible(bool(chips) or self._hints.isVisibleTo(self))
        self.setAccessibleDescription("; ".join(text for text, _ in chips))

    def _show_hints(self) -> None:
        self._delay.stop()
        on = bool(self._hints.text())
        self._hints.setVisible(on)
        if on:
            self.show()

    def _chips(self, query: Query) -> list[tuple[str, str]]:
        chips = [(self._said(term), "danger" if term.excluded else "text") for term in significant_terms(query.terms)]
        for name, values in (
            (self.tr("kind"), query.kinds),
            (self.tr("tag"), query.tags),
            (self.tr("store"), query.stores),
            (self.tr("conversation"), query.sessions),
            (self.tr("agent"), query.agents),
            (self.tr("about"), query.entities),
            (self.tr("said by"), query.roles),
            (self.tr("project"), query.projects),
            (self.tr("type"), query.types),
            (self.tr("file"), query.files),
            (self.tr("state"), query.states),
        ):
            chips += [(f"{name}: {value}", "accent") for value in values]
        chips += [(self.tr("not {name}: {value}").format(name=n, value=v), "danger") for n, v in query.excluded]
        if query.since is not None:
            chips.append((self.tr("from {day}").format(day=_day(query.since)), "accent"))
        if query.until is not None:
            chips.append((self.tr("before {day}").format(day=_day(query.until)), "accent"))
        return chips

    def _said(self, term: Term) -> str:
        words = f"“{term.text}”" if term.phrase else term.text
        if term.prefix:
            words = self.tr("{word}… (any ending)").format(word=words)
        return self.tr("not {word}").format(word=words) if term.excluded else words

    def _chip(self, text: str, tone: str) -> PlainLabel:
        tokens = theme.current().tokens
        chip = PlainLabel(text if len(text) <= 60 else text[:59] + "…", self)  # noqa: PLR2004  (a chip is short)
        chip.setTextFormat(Qt.TextFormat.PlainText)
        ground = {"accent": tokens.accent_soft, "danger": tokens.danger_soft}.get(tone, tokens.sunken)
        chip.setStyleSheet(
            f"background: {ground}; color: {getattr(tokens, tone)}; border-radius: {Radius.SMALL}px;"
            f" border: 1px solid {tokens.line}; padding: 1px 7px; font-size: {theme.current().points * 0.9:.1f}pt;"
        )
        return chip


def _day(ms: int) -> str:
    return date_words(local(to_datetime(ms)).date(), "d MMM yyyy")
