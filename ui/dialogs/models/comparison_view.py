"""Comparison of two models or rankings on the person's own searches."""

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent, QStandardItemModel
from PySide6.QtWidgets import (
    QBoxLayout,
    QComboBox,
    QHBoxLayout,
    QPlainTextEdit,
    QProgressBar,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)
from shiboken6 import isValid

from app.core.ids import uuid7
from app.errors import KeepsakeError
from ui import theme
from ui.dialogs.base_dialog import note
from ui.dialogs.models.comparison_messages import lines_of, queries_of, side_titles
from ui.dialogs.models.hit_column import HitColumn
from ui.dialogs.models.model_title import model_title
from ui.dialogs.models.query_list import QueryList
from ui.dialogs.models.totals import Totals
from ui.shell.status_line import progress_text
from ui.style.design_tokens import Space
from ui.widgets.button import text_button
from ui.widgets.elided_combo_box import ElidedComboBox
from ui.widgets.elided_label import ElidedLabel
from ui.widgets.empty_state import EmptyState
from ui.widgets.plain_text import PlainLabel, caption, tooltip
from ui.widgets.splitter import PaneSplitter
from ui.widgets.wrapped_button import WrappedCheckBox

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.changes import Progress
    from app.evaluation.comparison_model import QueryComparison, RankingComparison, SideAnswer, SideHit
    from app.index.generations.model import EmbeddingStatus
    from ui.bridge import Bridge
    from ui.dialogs.models.comparison_messages import Side

    Choice = tuple[str, object]
    """``ready``, ``kept`` or ``recipe``, and the generation's number or the recipe's name."""

QUESTIONS: Final = 60
MOST_QUERIES: Final = 200
_LINES: Final = 3
_FRAME: Final = 18
"""What a framed text field has above and below its lines, in pixels."""


def serving_number(status: "EmbeddingStatus") -> int:
    """Return the number of the vectors that answer searches, 0 before there are any."""
    return next((info.id for info in status.generations if info.state == "serving"), 0)


class QueryField(QPlainTextEdit):
    """Searches, one a line; Ctrl+Enter answers them."""

    entered = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Answer with Ctrl+Enter."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and event.modifiers() & (
            Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.MetaModifier
        ):
            self.entered.emit()
            return
        super().keyPressEvent(event)


class ComparisonView(QWidget):
    """Asks the same searches in two ways and shows both answers."""

    opened = Signal(object)
    """A hit was opened."""
    use_requested = Signal(str, object)
    """The other way is wanted: ``switch``, ``return`` or ``recipe``, and the generation's number or recipe's name."""

    def __init__(self, bridge: "Bridge", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._job = ""
        self._found: RankingComparison | None = None
        self._picked: Choice | None = None
        self._compared: Choice | None = None
        self._serving = (0, "")
        self._what = self._make_what()
        self.queries = self._make_queries()
        self._made = WrappedCheckBox(self.tr("Ask questions made from the vault too"), self)
        self._made.setChecked(True)
        self._made.setToolTip(self.tr("Their answers are known, so they tell which side finds more."))
        self._meaning = WrappedCheckBox(self.tr("By meaning alone"), self)
        self._meaning.setToolTip(self.tr("Leaves the words out, so that only the models differ."))
        self.go = text_button(self.tr("Compare"), "primary", parent=self)
        self.stop = text_button(self.tr("Stop"), parent=self)
        self._error = note("", self, "body danger")
        self._bar = QProgressBar(self)
        self._bar.setTextVisible(False)
        self._bar.setAccessibleName(self.tr("Progress of the comparison"))
        self._far = PlainLabel(self)
        theme.set_type(self._far, "small muted")
        self.totals = Totals(self)
        self.use = self.totals.use
        self.list = QueryList(self)
        self.now = HitColumn("now", self.tr("Answers now"), self)
        self.other = HitColumn("other", self.tr("Answers instead"), self)
        self._headings = {"now": ElidedLabel("", self), "other": ElidedLabel("", self)}
        self._pages = QStackedWidget(self)
        self._arrange()
        self._connect()
        self._show_running(running=False)
        self._show_page()

    # --- what the dialog calls ---

    def offer(self, status: "EmbeddingStatus", recipe: str, recipes: "Sequence[str]") -> None:
        """Offer what can be compared with what answers now; what the person chose stays chosen."""
        blocked = self._what.blockSignals(True)
        self._what.clear()
        for info in status.generations:
            if info.state in ("ready", "kept"):
                standing = self.tr("ready") if info.state == "ready" else self.tr("kept")
                self._what.addItem(f"{model_title(info.model)} — {standing}", (info.state, info.id))
            elif info.state == "building":
                self._add_unready(self.tr("{model} — still being prepared").format(model=model_title(info.model)))
        for name in recipes:
            if name != recipe:
                self._what.addItem(self.tr("Ranking ‘{name}’").format(name=name), ("recipe", name))
        self._what.blockSignals(blocked)
        self._choose(self._standing(self._picked) or next(iter(self._choices()), None))
        self._on_what_changed()
        self._follow(status, recipe)

    def choose_generation(self, number: int) -> None:
        """Choose a model to compare with."""
        self._picked = self._standing(("ready", number))
        self._choose(self._picked)

    def set_queries(self, searches: "Sequence[str]") -> None:
        """Fill in searches, unless there are some."""
        if not self.queries.toPlainText().strip():
            self.queries.setPlainText(lines_of(searches))

    def run(self) -> None:
        """Compare."""
        chosen = self._what.currentData()
        if chosen is None or self._job:
            return
        self._job = f"compare-{uuid7()}"
        self._error.hide()
        self._far.setText(self.tr("Starting…"))
        self._bar.setRange(0, 0)
        self._show_running(running=True)
        self._bridge.start(self._compare(chosen, self._job, self._serving))

    def fit_into(self, width: int, *, is_low: bool) -> None:
        """Put one below the other what does not fit side by side.

        Args:
            width: Pixels there are across.
            is_low: Whether there is little room from top to bottom.
        """
        words = QFontMetrics(theme.current().font("body")).horizontalAdvance(self._what_label.text())
        across = words + self._what.sizeHint().width() + self.go.sizeHint().width() + 2 * Space.M
        is_narrow = width < across
        direction = QBoxLayout.Direction.TopToBottom if is_narrow else QBoxLayout.Direction.LeftToRight
        self._head.setDirection(direction)
        self._row.setDirection(direction)
        self._row.setSpacing(Space.S if is_narrow else Space.L)
        self.totals.fit_into(width, is_low=is_low)

    def show_progress(self, progress: "Progress") -> None:
        """Show how far a comparison has come."""
        if progress.job == self._job and progress.state == "running" and progress.total:
            self._far.setText(progress_text(progress))
            self._bar.setRange(0, progress.total)
            self._bar.setValue(progress.done)

    # --- building ---

    def _make_what(self) -> QComboBox:
        made = ElidedComboBox(self)
        made.setAccessibleName(self.tr("Compare what answers now with"))
        made.setMinimumContentsLength(14)
        return made

    def _make_queries(self) -> QueryField:
        made = QueryField(self)
        made.setAccessibleName(self.tr("Searches to compare, one a line"))
        made.setPlaceholderText(self.tr("Searches to compare, one a line"))
        made.setProperty("framed", True)
        made.setTabChangesFocus(True)
        made.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        # One would cover the last of the few lines.
        made.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        return made

    def _arrange(self) -> None:
        self._what_label = PlainLabel(self.tr("Compare what answers now with"), self)
        self._what_label.setBuddy(self._what)
        chosen = QHBoxLayout()
        chosen.setSpacing(Space.M)
        chosen.addWidget(self._what, 1)
        chosen.addWidget(self.go)
        chosen.addWidget(self.stop)
        self._head = head = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        head.setSpacing(Space.M)
        head.addWidget(self._what_label)
        head.addLayout(chosen, 1)
        choices = QVBoxLayout()
        choices.setSpacing(Space.S)
        for box in (self._made, self._meaning):
            choices.addWidget(box)
        choices.addStretch(1)
        self._row = row = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        row.setSpacing(Space.L)
        row.addWidget(self.queries, 1)
        row.addLayout(choices)
        self._running = QWidget(self)
        running = QHBoxLayout(self._running)
        running.setContentsMargins(0, 0, 0, 0)
        running.addWidget(self._bar, 1)
        running.addWidget(self._far)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, Space.M, 0, 0)
        column.setSpacing(Space.M)
        column.addLayout(head)
        column.addLayout(row)
        column.addWidget(self._running)
        column.addWidget(self._error)
        column.addWidget(self._pages, 1)
        self._fill_pages()
        self._fit()

    def _fill_pages(self) -> None:
        self._empty = EmptyState(
            "split",
            self.tr("See what would change first"),
            self.tr(
                "The searches above are answered in both ways and shown side by side. Nothing changes until you"
                " choose to."
            ),
            parent=self._pages,
        )
        result = QWidget(self._pages)
        split = PaneSplitter(parent=result)
        split.add(self.list, round(260 * theme.current().scale), least=150)
        split.add(self._headed("now", self.now), 380, least=200, stretch=1)
        split.add(self._headed("other", self.other), 380, least=200, stretch=1)
        column = QVBoxLayout(result)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(Space.M)
        column.addWidget(self.totals)
        column.addWidget(split, 1)
        self._result = result
        for page in (self._empty, result):
            self._pages.addWidget(page)

    def _headed(self, side: "Side", column: HitColumn) -> QWidget:
        box = QWidget(self)
        head = self._headings[side]
        theme.set_type(head, "strong")
        layout = QVBoxLayout(box)
        layout.setContentsMargins(Space.S, 0, 0, 0)
        layout.setSpacing(Space.XS)
        layout.addWidget(head)
        layout.addWidget(column, 1)
        return box

    def _connect(self) -> None:
        self.go.clicked.connect(self.run)
        self.queries.entered.connect(self.run)
        self.stop.clicked.connect(self._on_stop_clicked)
        self.use.clicked.connect(self._on_use_clicked)
        self._what.currentIndexChanged.connect(self._on_what_changed)
        self._what.activated.connect(self._on_what_activated)
        self.list.chosen.connect(self._on_list_chosen)
        self.now.chosen.connect(self.other.choose)
        self.other.chosen.connect(self.now.choose)
        self.now.opened.connect(self.opened)
        self.other.opened.connect(self.opened)
        theme.current().changed.connect(self._fit)

    def _fit(self) -> None:
        """Give the search field room for a few lines at every text size."""
        self.queries.ensurePolished()
        self.queries.setFixedHeight(_LINES * self.queries.fontMetrics().lineSpacing() + _FRAME)

    # --- comparing ---

    @property
    def is_busy(self) -> bool:
        """Comparison running or not."""
        return bool(self._job)

    async def _compare(self, chosen: "Choice", job: str, serving: tuple[int, str]) -> None:
        asking = {
            "queries": queries_of(self.queries.toPlainText(), MOST_QUERIES),
            "questions": QUESTIONS if self._made.isChecked() else 0,
            "other": chosen[1],
            "job": job,
        }
        try:
            if chosen[0] == "recipe":
                found = await self._bridge.call("trial.side_by_side", **asking)
            else:
                found = await self._bridge.call("embedding.compare", **asking, by_meaning=self._meaning.isChecked())
        except KeepsakeError as error:
            if isValid(self):
                self._error.setText(error.message)
                self._error.show()
        else:
            if isValid(self) and serving == self._serving:
                self._show(found, chosen)
        if isValid(self):
            self._job = ""
            self._show_running(running=False)

    def _show(self, found: "RankingComparison", chosen: "Choice") -> None:
        self._found, self._compared = found, chosen
        self.totals.show_totals(found)
        for side, name in zip(("now", "other"), side_titles(found), strict=True):
            self._headings[side].setText(name)
        self.list.show_rows(found.rows)
        if not found.rows:
            self.now.show_hits((), self.tr("Both answer every question alike."))
            self.other.show_hits((), "")
        self._name_use()
        self._show_page()
        if found.rows:
            self.list.setFocus(Qt.FocusReason.OtherFocusReason)

    def _show_page(self) -> None:
        self._pages.setCurrentWidget(self._empty if self._found is None else self._result)

    def _follow(self, status: "EmbeddingStatus", recipe: str) -> None:
        """Take back a comparison with what answers no more."""
        before, self._serving = self._serving, (serving_number(status), recipe)
        if self._found is None or before == self._serving:
            return
        by_model = before[0] != self._serving[0] and status.serving is not None
        serving = model_title(status.serving.model) if by_model and status.serving else ""
        name = serving or self.tr("Ranking ‘{name}’").format(name=recipe)
        self._empty.set_text(
            self.tr("{name} answers searches now").format(name=name),
            self.tr("Compare again to see how that differs from what answered before."),
        )
        held = self._result.isAncestorOf(self.focusWidget()) if self.focusWidget() is not None else False
        self._found = self._compared = None
        self._show_page()
        self._name_use()
        if held:
            self.go.setFocus(Qt.FocusReason.OtherFocusReason)

    def _show_running(self, *, running: bool) -> None:
        self._running.setVisible(running)
        self.stop.setVisible(running)
        self.go.setVisible(not running)
        self._what.setEnabled(not running)

    def _name_use(self) -> None:
        words = {
            "ready": self.tr("Switch to it"),
            "kept": self.tr("Switch back to it"),
            "recipe": self.tr("Use this ranking"),
        }
        chosen = self._what.currentData()
        self.use.setText(caption(words[chosen[0]]) if chosen else "")
        # What is shown may be of another choice.
        self.use.setVisible(chosen is not None and self._found is not None and chosen == self._compared)

    def _choices(self) -> list["Choice"]:
        """Return what can be compared, in the order shown."""
        found = (self._what.itemData(at) for at in range(self._what.count()))
        return [one for one in found if one is not None]

    def _standing(self, chosen: "Choice | None") -> "Choice | None":
        """Return ``chosen`` as it is offered now.

        A model that was ready may be kept meanwhile.
        """
        if chosen is None or chosen[0] == "recipe":
            return chosen if chosen in self._choices() else None
        return next((one for one in self._choices() if one[0] != "recipe" and one[1] == chosen[1]), None)

    def _choose(self, chosen: "Choice | None") -> None:
        place = next((at for at in range(self._what.count()) if self._what.itemData(at) == chosen), -1)
        if chosen is not None and place >= 0:
            self._what.setCurrentIndex(place)
        self.go.setEnabled(self._what.currentData() is not None)

    def _add_unready(self, text: str) -> None:
        self._what.addItem(text)
        model = self._what.model()
        if isinstance(model, QStandardItemModel):
            model.item(self._what.count() - 1).setEnabled(False)

    # --- what the person does ---

    def _on_what_changed(self) -> None:
        chosen = self._what.currentData()
        self._meaning.setEnabled(chosen is not None and chosen[0] != "recipe")
        self.go.setEnabled(chosen is not None)
        self._what.setToolTip(tooltip(self._what.currentText()))
        self._name_use()

    def _on_what_activated(self) -> None:
        self._picked = self._what.currentData()

    def _on_list_chosen(self, row: "QueryComparison") -> None:
        self._answer(self.now, row.now)
        self._answer(self.other, row.other)

    def _answer(self, column: HitColumn, answer: "SideAnswer") -> None:
        hits: Sequence[SideHit] = answer.hits
        column.show_hits(hits, answer.note or self.tr("Nothing found."))
        column.setToolTip(tooltip(answer.note))

    def _on_stop_clicked(self) -> None:
        self._far.setText(self.tr("Stopping…"))
        self._bridge.start(self._bridge.call("job.cancel", job=self._job))

    def _on_use_clicked(self) -> None:
        chosen = self._what.currentData()
        if chosen is not None:
            self.use_requested.emit({"ready": "switch", "kept": "return"}.get(chosen[0], chosen[0]), chosen[1])
