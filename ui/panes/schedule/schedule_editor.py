"""Editor of a schedule: name, goal, cadence and notifications, checked while one types."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QComboBox,
    QLineEdit,
    QWidget,
)

from app.core.time_rules.local_zone import local_zone
from app.errors import KeepsakeError
from app.schedule.model import Cadence
from ui import operations, theme
from ui.engine_texts import engine_text, error_text
from ui.panes.schedule.cadence_fields import cadence_of, fields_of
from ui.panes.schedule.cadence_form import CadenceForm
from ui.panes.schedule.cadence_words import cadence_words
from ui.panes.schedule.goal_limits import GoalLimitsForm
from ui.panes.schedule.run_labels import coming_there
from ui.style.design_tokens import Space
from ui.translation import spoken
from ui.widgets.box_layouts import Spacer, Stretch, hbox, vbox
from ui.widgets.button import text_button
from ui.widgets.fields.field_label import FieldLabel
from ui.widgets.fields.text_field import TextField
from ui.widgets.page_area import PageArea
from ui.widgets.plain_text import PlainLabel
from ui.widgets.reading_column import ReadingColumn
from ui.work import Work

if TYPE_CHECKING:
    from app.schedule.model import Policy, Preview, Schedule
    from ui.bridge import Bridge
    from ui.panes.schedule.cadence_fields import CadenceFields

WIDTH = 640
CHECK_MS = 150
GOAL_HEIGHT = 110
_ROOMY = 440
"""Pixels from which the fields are aligned, at the system's size of text."""
POLICIES: "tuple[Policy, ...]" = ("always", "on_failure", "never")


@dataclass(frozen=True, slots=True)
class _Draft:
    """Values of the form, to compare and restore."""

    name: str
    goal: str
    cadence: "CadenceFields"
    policy: int
    limits: tuple[int, int, float]


class ScheduleEditor(QWidget):
    """A form for a new or known schedule; it remembers unsaved drafts."""

    saved = Signal(object)
    """The form's values: ``name``, ``goal``, ``cadence``, ``notification_policy``."""
    cancelled = Signal()
    left = Signal()
    """The form was closed by Escape, which keeps what is in it."""

    def __init__(self, bridge: "Bridge", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._work = Work(self, bridge)
        self._is_cadence_sound = False
        self.identity = ""
        self._drafts: dict[str, _Draft] = {}
        self._begun: _Draft | None = None
        self._heading = PlainLabel("", self, style="title")
        self.name = QLineEdit(self)
        self.name.setAccessibleName(self.tr("Name"))
        self.name.setPlaceholderText(self.tr("The beginning of the goal, if you leave this empty"))
        example = self.tr("What is to be done, such as: Summarise what I learned about Rust this week")
        self.goal = TextField(self.tr("Goal"), self, placeholder=example)
        self.cadence = CadenceForm(self)
        self.policy = QComboBox(self)
        self.policy.setAccessibleName(self.tr("Tell me"))
        self.policy.addItems([self.tr("after each run"), self.tr("only when it fails"), self.tr("never")])
        self.limits = GoalLimitsForm(self)
        self._words = PlainLabel("", self, style="small muted", wraps=True)
        self.save = text_button(self.tr("Save"), "primary", parent=self)
        self.cancel = text_button(self.tr("Cancel"), parent=self)
        self._about = PlainLabel(
            self.tr(
                "A language model pursues the goal with your memories, where you have set one up. Without one it waits"
                " until an agent that you allowed takes it on."
            ),
            self,
            style="small muted",
            wraps=True,
        )
        self._arrange()
        self.cadence.changed.connect(self._on_edited)
        self.goal.textChanged.connect(self._on_edited)
        self.save.clicked.connect(self._on_save_clicked)
        self.cancel.clicked.connect(self.cancelled)

    @property
    def tab_chain(self) -> tuple[QWidget, ...]:
        """The widgets that take the keyboard, in reading order."""
        return (
            self.name,
            self.goal,
            *self.cadence.tab_chain,
            self.policy,
            *self.limits.tab_chain,
            self.save,
            self.cancel,
        )

    @property
    def words(self) -> str:
        """The cadence in words with its times, or its error."""
        return self._words.text()

    def begin(self, schedule: "Schedule | None") -> None:
        """Fill the form with a schedule, or with the draft that was kept of it."""
        self.identity = schedule.id if schedule is not None else ""
        is_own = schedule is None or not schedule.is_built_in
        self._heading.setText(self.tr("New schedule") if schedule is None else engine_text(schedule.name))
        self.name.setText(schedule.name if schedule is not None else "")
        self.goal.setPlainText(schedule.goal if schedule is not None else "")
        for widget in (self.name, self.goal, self._name_label, self._goal_label, self._about, self.limits):
            widget.setVisible(is_own)
        self.limits.show_limits(schedule)
        cadence = schedule.cadence if schedule is not None else Cadence(kind="cron", expression="0 8 * * *")
        self.cadence.show_fields(fields_of(cadence, local_zone()))
        policy = schedule.notification_policy if schedule is not None else POLICIES[0]
        self.policy.setCurrentIndex(POLICIES.index(policy))
        self._begun = self._read()
        if (draft := self._drafts.pop(self.identity, None)) is not None:
            self._fill(draft)
        self._on_edited()

    def keep(self) -> bool:
        """Keep what was changed until the form is opened again; return whether anything was."""
        draft = self._read()
        is_changed = self._begun is not None and draft != self._begun
        if is_changed:
            self._drafts[self.identity] = draft
        return is_changed

    def forget(self) -> None:
        """Forget what was changed: it is saved, or not wanted."""
        self._drafts.pop(self.identity, None)
        self._begun = self._read()

    def drop_draft(self, identity: str) -> None:
        """Drop what was kept of a schedule that is erased."""
        self._drafts.pop(identity, None)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Close the form on Escape."""
        if event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        else:
            super().keyPressEvent(event)

    def _read(self) -> _Draft:
        limits = self.limits
        return _Draft(
            self.name.text(),
            self.goal.toPlainText(),
            self.cadence.fields,
            self.policy.currentIndex(),
            (limits.trust.currentIndex(), limits.turns.value(), limits.cost.value()),
        )

    def _fill(self, draft: _Draft) -> None:
        self.name.setText(draft.name)
        self.goal.setPlainText(draft.goal)
        self.cadence.show_fields(draft.cadence)
        self.policy.setCurrentIndex(draft.policy)
        trust, turns, cost = draft.limits
        self.limits.trust.setCurrentIndex(trust)
        self.limits.turns.setValue(turns)
        self.limits.cost.setValue(cost)

    def focus_first(self) -> None:
        """Put the keyboard on the first field."""
        first = self.goal if self.goal.isVisibleTo(self) else self.cadence.mode
        first.setFocus(Qt.FocusReason.OtherFocusReason)

    def _arrange(self) -> None:
        self._name_label = _field_label(self.tr("Name"), self)
        self._goal_label = _field_label(self.tr("Goal"), self)
        self.goal.setFixedHeight(theme.current().scaled(GOAL_HEIGHT))
        buttons = hbox(
            self.save, self.cancel, Stretch(), margins=(Space.XL, Space.S, Space.XL, Space.M), spacing=Space.S
        )
        column = vbox(
            self._heading,
            self._about,
            Spacer(Space.S),
            margins=(Space.XL, Space.XL, Space.XL, Space.M),
            spacing=Space.S,
        )
        for widget in (self._goal_label, self.goal, self._name_label, self.name):
            column.addWidget(widget)
        column.addSpacing(Space.S)
        column.addWidget(_field_label(self.tr("When"), self))
        column.addWidget(self.cadence)
        column.addWidget(self._words)
        column.addSpacing(Space.S)
        column.addWidget(_field_label(self.tr("Tell me"), self))
        column.addWidget(self.policy, 0, Qt.AlignmentFlag.AlignLeft)
        column.addSpacing(Space.S)
        column.addWidget(self.limits)
        column.addStretch(1)
        scroll = PageArea(self)
        page = QWidget(scroll)
        ReadingColumn(column, page, WIDTH)
        scroll.setWidget(page)
        whole = vbox((scroll, 1), parent=self, margins=0, spacing=0)
        theme.current().changed.connect(self._align_labels)
        self._align_labels()
        # However long the form is, what saves it stays in sight.
        foot = QWidget(self)
        ReadingColumn(buttons, foot, WIDTH)
        foot.setAutoFillBackground(True)  # as Qt does for what scrolls
        whole.addWidget(foot)

    def _align_labels(self) -> None:
        """Begin all fields at the same place, where there is room."""
        labels = self.findChildren(FieldLabel)
        for label in labels:
            label.setMinimumWidth(0)
        is_roomy = self.width() >= theme.current().scaled(_ROOMY)
        width = max(label.sizeHint().width() for label in labels) if is_roomy else 0
        for label in labels:
            label.setMinimumWidth(width)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Align the fields, or let each use the room there is."""
        super().resizeEvent(event)
        self._align_labels()

    def _on_edited(self) -> None:
        self._work.after(CHECK_MS, self._check)
        self._refresh_save()

    def _refresh_save(self) -> None:
        is_own = self.goal.isVisibleTo(self)
        self.save.setEnabled(self._is_cadence_sound and (not is_own or bool(self.goal.toPlainText().strip())))

    def _check(self) -> None:
        self._work.latest(self._preview, cadence_of(self.cadence.fields))

    async def _preview(self, cadence: Cadence) -> None:
        """Show the cadence in words with its next times, or what is wrong with it."""
        try:
            preview: Preview = await self._bridge.call(operations.schedule.preview(cadence=cadence, language=spoken()))
        except KeepsakeError as error:
            self._show_check(error_text(error), is_sound=False)
            return
        now = datetime.now(UTC)
        words = cadence_words(cadence, preview.words)
        times = "  ·  ".join(coming_there(datetime.fromisoformat(run), now) for run in preview.runs)
        self._show_check(self.tr("{words}. Next: {times}").format(words=words, times=times), is_sound=True)

    def _show_check(self, words: str, *, is_sound: bool) -> None:
        self._is_cadence_sound = is_sound
        self._words.setText(words)
        theme.set_type(self._words, "small muted" if is_sound else "small danger")
        self._refresh_save()

    def _on_save_clicked(self) -> None:
        values: dict[str, object] = {
            "cadence": cadence_of(self.cadence.fields),
            "notification_policy": POLICIES[self.policy.currentIndex()],
        }
        if self.goal.isVisibleTo(self):
            values["goal"] = self.goal.toPlainText().strip()
            values["name"] = self.name.text().strip()
            values |= self.limits.values
        self.saved.emit(values)


def _field_label(words: str, parent: QWidget) -> PlainLabel:
    return PlainLabel(words, parent, style="strong")
