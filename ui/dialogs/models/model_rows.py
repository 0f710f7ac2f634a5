"""Rows of models, each with its state and actions."""

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QPushButton, QSizePolicy, QWidget

from ui import theme
from ui.dialogs.base_dialog import hairline
from ui.dialogs.models.model_title import model_title
from ui.models.dates import counted, format_number, full_date
from ui.shell.status.status_line import progress_text
from ui.style.design_tokens import Space
from ui.widgets.box_layouts import vbox
from ui.widgets.button import text_button
from ui.widgets.elided_label import ElidedLabel
from ui.widgets.icon_label import IconLabel
from ui.widgets.plain_text import PlainLabel

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.changes import Progress
    from app.index.generations.model import EmbeddingStatus, GenerationInfo

SIGNS: Final = {
    "serving": ("circle-check", "success"),
    "building": ("activity", "accent"),
    "ready": ("star", "accent"),
    "kept": ("history", "muted"),
    "unfinished": ("clock", "muted"),
}


class ModelRow(QWidget):
    """One model: what it is, how it stands, and buttons."""

    requested = Signal(str, object)
    """A button was pressed: what it is for, and the ``GenerationInfo``."""

    def __init__(self, info: "GenerationInfo", status: "EmbeddingStatus", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.info = info
        self._status = status
        self.buttons: dict[str, QPushButton] = {}
        name = ElidedLabel(model_title(info.model), self)
        theme.set_type(name, "strong")
        self._state = PlainLabel(self._state_text(), self, style="small muted", wraps=True)
        self._bar = QProgressBar(self)
        self._bar.setTextVisible(False)
        self._bar.setAccessibleName(self.tr("Progress of {model}").format(model=model_title(info.model)))
        self._bar.setVisible(info.state == "building")
        self._fill(info.vectors, status.texts)
        words = vbox(name, self._state, self._bar, spacing=Space.XS)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, Space.M, 0, Space.M)
        row.setSpacing(Space.M)
        row.addWidget(IconLabel(*SIGNS[info.state], 20, self), 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(words, 1)
        for what, text, look in self._offers():
            button = text_button(text, look, parent=self)
            button.setAccessibleName(f"{text}: {model_title(info.model)}")
            button.setProperty("what", what)
            button.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
            button.clicked.connect(self._on_button_clicked)
            self.buttons[what] = button
            row.addWidget(button, 0, Qt.AlignmentFlag.AlignTop)

    def show_progress(self, progress: "Progress") -> None:
        """Show how far the making has come."""
        self._state.setText(f"{self.tr('Being prepared')} — {progress_text(progress)}")
        self._fill(progress.done, progress.total or 0)

    def _fill(self, done: int, total: int) -> None:
        self._bar.setRange(0, 1000)
        self._bar.setValue(min(1000, round(1000 * done / total)) if total else 0)

    def _state_text(self) -> str:
        info, status = self.info, self._status
        texts = counted(status.texts, self.tr("{made} of 1 text"), self.tr("{made} of {n} texts"))
        sentence = texts.format(made=format_number(info.vectors))
        where = self.tr("a remote service") if info.is_remote else self.tr("on this computer")
        facts = " · ".join((sentence, self.tr("{n} numbers each").format(n=format_number(info.dimensions)), where))
        return f"{self._standing()} — {facts}"

    def _standing(self) -> str:
        info, status = self.info, self._status
        until = full_date(info.until) if info.until is not None else ""
        if info.state == "building":
            return self.tr("Paused") if status.is_paused else self.tr("Being prepared")
        return {
            "serving": self.tr("Answers searches"),
            "ready": self.tr("Ready; the old one answers until you switch"),
            "kept": self.tr("Answered before; kept until {until}").format(until=until),
            "unfinished": self.tr("Given up before it was complete; kept until {until}").format(until=until),
        }[info.state]

    def _offers(self) -> list[tuple[str, str, str]]:
        """Return what can be done: a name, the words of the button, its look."""
        if self.info.state == "building":
            pause = ("resume", self.tr("Go on")) if self._status.is_paused else ("pause", self.tr("Pause"))
            return [(*pause, ""), ("give_up", self.tr("Give up"), "")]
        if self.info.state == "ready":
            return [
                ("compare", self.tr("Compare"), ""),
                ("give_up", self.tr("Give up"), ""),
                ("switch", self.tr("Switch to it"), "primary"),
            ]
        if self.info.state == "kept":
            return [("compare", self.tr("Compare"), ""), ("return", self.tr("Switch back"), "")]
        if self.info.state == "unfinished":
            return [("prepare", self.tr("Go on with it"), "")]
        return []

    def _on_button_clicked(self) -> None:
        self.requested.emit(str(self.sender().property("what")), self.info)


class ModelRows(QWidget):
    """All models, what serves first."""

    requested = Signal(str, object)
    """See ``ModelRow``."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.rows: list[ModelRow] = []
        self._column = vbox(parent=self, margins=0, spacing=0)
        self._shown: EmbeddingStatus | None = None

    def show_status(self, status: "EmbeddingStatus") -> None:
        """Show the models as they stand; the keyboard stays on the button it was on."""
        if status == self._shown:
            return
        self._shown = status
        held = next(
            ((row.info.id, what) for row in self.rows for what, button in row.buttons.items() if button.hasFocus()),
            None,
        )
        self._clear()
        for info in sorted(
            status.generations, key=lambda generation: (list(SIGNS).index(generation.state), -generation.id)
        ):
            if self.rows:
                self._column.addWidget(hairline(self))
            row = ModelRow(info, status, self)
            row.requested.connect(self.requested)
            self.rows.append(row)
            self._column.addWidget(row)
        self._focus(held)

    def show_progress(self, progress: "Progress") -> None:
        """Show how far the making has come."""
        for row in self._of_state("building"):
            row.show_progress(progress)

    def _focus(self, held: tuple[int, str] | None) -> None:
        if held is None:
            return
        row = next((row for row in self.rows if row.info.id == held[0]), None)
        if row is not None and row.buttons:
            row.buttons.get(held[1], next(iter(row.buttons.values()))).setFocus()

    def _of_state(self, state: str) -> "Sequence[ModelRow]":
        return [row for row in self.rows if row.info.state == state]

    def _clear(self) -> None:
        self.rows = []
        while (item := self._column.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
