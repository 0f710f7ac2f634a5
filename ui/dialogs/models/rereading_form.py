"""Choice of a model that reads the first results again."""

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication, QSignalBlocker, Signal
from PySide6.QtWidgets import QComboBox, QWidget

from ui.dialogs.base_dialog import note
from ui.engine_texts import engine_report
from ui.models.dates import format_number
from ui.style.design_tokens import Space
from ui.widgets.box_layouts import vbox
from ui.widgets.plain_text import PlainLabel

if TYPE_CHECKING:
    from app.index.token_vectors.model import TokenVectorState

SETTING: Final = "search.reranker"
READING_JOB: Final = "token_vectors"
"""The job of late interaction that reads all texts in the background."""
_MODELS: Final = {
    "": QT_TRANSLATE_NOOP("Rereading", "Results stay in the order of words and meaning."),
    "Xenova/ms-marco-MiniLM-L-12-v2": QT_TRANSLATE_NOOP(
        "Rereading",
        "A cross-encoder: it found 85.5 % of what was sought among ten results instead of 84.7 %, on 200 questions"
        " about conversations, and takes 1 to 3 seconds of the processor for each search.",
    ),
    "answerdotai/answerai-colbert-small-v1": QT_TRANSLATE_NOOP(
        "Rereading",
        "Late interaction: it found 84.6 % of what was sought among ten results instead of 83.9 %, on 948 questions"
        " about conversations, and 57.3 % instead of 54.3 % where several messages answer; it reads every text once in"
        " the background, keeps up to 3 kB of each, and takes some hundredths of a second for each search.",
    ),
}
"""Gains and costs of each model by name, as on the help page about performance."""
_LEAST_LETTERS: Final = 24


class RereadingForm(QWidget):
    """Choice of a reranking model."""

    chosen = Signal(str)
    """The person chose the model of that name, ``""`` for none."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        head = PlainLabel(self.tr("Read the first results again"), self, style="strong")
        self.models = QComboBox(self)
        self.models.setAccessibleName(head.text())
        # Long names must not make the page wider than the window.
        self.models.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.models.setMinimumContentsLength(_LEAST_LETTERS)
        for model in _MODELS:
            self._add(model)
        self._known = ""
        self.gain = note("", self)
        self.progress = note("", self)
        self._about = note(
            self.tr(
                "It takes effect at the next start. The model's files are fetched when they are first needed if the"
                " settings allow downloads, or read from the folder that the settings of search name."
            ),
            self,
        )
        vbox(head, self.models, self.gain, self.progress, self._about, parent=self, margins=0, spacing=Space.XS)
        self.models.currentIndexChanged.connect(self._on_models_changed)
        self.show_model("")
        self.show_progress(None)

    def show_model(self, model: str) -> None:
        """Show which model the settings name."""
        self._known = model
        if self.models.findData(model) < 0:
            self._add(model)
        with QSignalBlocker(self.models):
            self.models.setCurrentIndex(self.models.findData(model))
        self._show_gain(model)

    def show_progress(self, state: "TokenVectorState | None") -> None:
        """Show how many texts late interaction has read, or why it reads none."""
        self.progress.setText("" if state is None else engine_report(state.failure) or self._counted(state))
        self.progress.setVisible(state is not None and bool(self.progress.text()))

    def _counted(self, state: "TokenVectorState") -> str:
        if not state.texts:
            return ""
        if not state.waiting:
            return self.tr("All texts are read.")
        return self.tr("Texts read: {read} of {all}. The others count by words and meaning alone.").format(
            read=format_number(state.texts - state.waiting), all=format_number(state.texts)
        )

    def restore(self) -> None:
        """Show again what the settings name, after a choice was refused."""
        self.show_model(self._known)

    def _add(self, model: str) -> None:
        self.models.addItem(model or self.tr("No model"), model)

    def _show_gain(self, model: str) -> None:
        unknown = self.tr("What this model gains has not been measured.")
        known = _MODELS.get(model)
        self.gain.setText(unknown if known is None else QCoreApplication.translate("Rereading", str(known)))
        self._about.setVisible(bool(model))

    def _on_models_changed(self) -> None:
        model = str(self.models.currentData())
        self._show_gain(model)
        self.chosen.emit(model)
