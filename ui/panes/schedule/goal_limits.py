"""Form of the limits of a goal: trust, turns and cost."""

from typing import TYPE_CHECKING, Final

from PySide6.QtWidgets import QComboBox, QDoubleSpinBox, QFormLayout, QSpinBox, QWidget

from ui.style.design_tokens import Space
from ui.widgets.fields.field_label import FieldLabel
from ui.widgets.plain_text import tooltip

if TYPE_CHECKING:
    from app.schedule.model import Schedule

TRUSTS: Final = ("public", "familiar", "inner", "full")
MOST_TURNS = 200
MOST_COST = 1000.0


class GoalLimitsForm(QWidget):
    """Trust, turns and cost of a goal."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.trust = QComboBox(self)
        self.trust.setAccessibleName(self.tr("It may read"))
        self.trust.addItems(
            [
                self.tr("nothing of mine"),
                self.tr("what is social"),
                self.tr("what is shared and social"),
                self.tr("everything, private too"),
            ]
        )
        self.turns = QSpinBox(self)
        self.turns.setRange(0, MOST_TURNS)
        self.turns.setAccessibleName(self.tr("Steps at most"))
        self.turns.setToolTip(tooltip(self.tr("Turns: how often the language model may answer in one run")))
        self.cost = QDoubleSpinBox(self)
        self.cost.setRange(0, MOST_COST)
        self.cost.setSingleStep(0.1)
        self.cost.setAccessibleName(self.tr("Cost at most"))
        for spin in (self.turns, self.cost):
            spin.setSpecialValueText(self.tr("the usual limit"))
            spin.lineEdit().setAccessibleName(spin.accessibleName())
            spin.lineEdit().setTextMargins(Space.S, 0, 0, 0)
        form = QFormLayout(self)
        form.setContentsMargins(0, 0, 0, 0)
        form.setHorizontalSpacing(Space.M)
        form.setVerticalSpacing(Space.S)
        form.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapLongRows)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.FieldsStayAtSizeHint)
        for widget in self.tab_chain:
            label = FieldLabel(widget.accessibleName(), widget, self)
            form.addRow(label, widget)

    @property
    def tab_chain(self) -> tuple[QWidget, ...]:
        """The widgets that take the keyboard, in reading order."""
        return self.trust, self.turns, self.cost

    @property
    def values(self) -> dict[str, object]:
        """The limits as ``schedule.create`` takes them; those of the settings are left out."""
        values: dict[str, object] = {"trust": TRUSTS[self.trust.currentIndex()]}
        if turns := self.turns.value():
            values["max_turns"] = turns
        if cost := self.cost.value():
            values["max_cost"] = cost
        return values

    def show_limits(self, schedule: "Schedule | None") -> None:
        """Show the limits of a schedule, or those of a new one."""
        self.trust.setCurrentIndex(TRUSTS.index(schedule.trust if schedule is not None else "inner"))
        self.turns.setValue((schedule.max_turns if schedule is not None else None) or 0)
        self.cost.setValue((schedule.max_cost if schedule is not None else None) or 0)
