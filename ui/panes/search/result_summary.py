"""The summary of an answer: counts, retrievers, notes and failures."""

from PySide6.QtWidgets import QWidget

from app.retrieval.model import Found
from ui import theme
from ui.engine_texts import engine_text
from ui.models.dates import format_number
from ui.panes.search.why.why_sentence import joined
from ui.style.design_tokens import Space
from ui.widgets.box_layouts import vbox
from ui.widgets.elided_label import ElidedLabel
from ui.widgets.plain_text import PlainLabel


class ResultSummary(QWidget):
    """One line about the results, and the engine's notes below it.

    Args:
        parent: Its parent.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._figures = ElidedLabel(parent=self)
        self._notes = PlainLabel(self)
        theme.set_type(self._figures, "small muted")
        theme.set_type(self._notes, "small warning")
        self._notes.setWordWrap(True)
        vbox(self._figures, self._notes, parent=self, margins=(2, 0, 0, 0), spacing=Space.S)
        self.show_text("")

    def text(self) -> str:
        """Return the line about the results."""
        return self._figures.text()

    def notes(self) -> str:
        """Return the notes shown, empty when there are none."""
        return "" if self._notes.isHidden() else self._notes.text()

    def show_text(self, text: str, *, wrong: bool = False) -> None:
        """Show a sentence; ``wrong`` when it is about a failure."""
        self._figures.setText(text)
        self._figures.setVisible(bool(text))
        theme.set_type(self._figures, "small danger" if wrong else "small muted")
        if wrong or not text:
            self._notes.hide()
        self.setVisible(bool(text))

    def show_waiting(self, *, has_results: bool) -> None:
        """Say that the answer takes long, and whether results by words are shown till then."""
        sentence = self.tr("Still searching: the index is busy, or the vault is large.")
        stay = self.tr("The results by words stay.")
        self.show_text(f"{sentence} {stay}" if has_results else sentence)

    def show_found(self, result: Found, *, settled: bool) -> None:
        """Show the figures of an answer; ``settled`` when it is whole."""
        self.show_text("  ·  ".join(self.figures(result, settled=settled)))
        if not settled:
            return  # notes come with the whole answer; hiding them until then would make the list jump
        hints = set(result.query.hints)
        notes = [engine_text(note) for note in result.notes if note not in hints]
        self._notes.setText("\n".join(notes))
        self._notes.setVisible(bool(notes))

    def figures(self, result: Found, *, settled: bool) -> list[str]:
        """Return how many results there are, and how they were found."""
        count = self.tr("Results: {count}").format(count=format_number(len(result.hits)))
        if not settled:
            return [count, self.tr("by words, meaning follows…")]
        if len(result.hits) < result.candidates:
            count = self.tr("Results: the first {count} of {all}").format(
                count=format_number(len(result.hits)), all=format_number(result.candidates)
            )
        legs = {"words": self.tr("words"), "vector": self.tr("meaning"), "entity": self.tr("names")}
        used = [legs[leg] for leg in result.legs if leg in legs]
        if not used:
            return [count, self.tr("newest first")]
        return [count, self.tr("found by {legs}").format(legs=joined(used))]
