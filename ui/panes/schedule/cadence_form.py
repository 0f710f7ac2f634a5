"""Form of a cadence: every day, every week, every month, an interval, once, or cron."""

from datetime import UTC, datetime
from functools import lru_cache
from zoneinfo import available_timezones

from PySide6.QtCore import QDateTime, QLocale, Qt, QTime, QTimeZone, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDateTimeEdit,
    QFormLayout,
    QLineEdit,
    QSpinBox,
    QTimeEdit,
    QWidget,
)

from ui.panes.schedule.cadence_fields import MODES, UNITS, CadenceFields
from ui.style.design_tokens import Space
from ui.widgets.box_layouts import Stretch, hbox, vbox
from ui.widgets.fields.field_label import FieldLabel
from ui.widgets.flow_layout import FlowLayout

_WEEK = (1, 2, 3, 4, 5, 6, 0)
_MOST = 999
_DAYS_OF_MONTH = 31


class CadenceForm(QWidget):
    """The fields of a cadence; only those of the chosen kind are shown."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.mode = QComboBox(self)
        self.mode.setAccessibleName(self.tr("How often"))
        for words in self._mode_words():
            self.mode.addItem(words)
        self.time = QTimeEdit(QTime(8, 0), self)
        # Qt would turn hours and minutes round for those who read from the right, who write them like others.
        self.time.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
        self.time.setDisplayFormat("HH:mm")
        self.time.setAccessibleName(self.tr("Time of day"))
        self.days = {day: QCheckBox(_day_name(day), self) for day in _WEEK}
        self.day = QSpinBox(self)
        self.day.setRange(1, _DAYS_OF_MONTH)
        self.day.setAccessibleName(self.tr("Day of the month"))
        self.number = QSpinBox(self)
        self.number.setRange(1, _MOST)
        self.number.setAccessibleName(self.tr("Number"))
        self.unit = QComboBox(self)
        self.unit.setAccessibleName(self.tr("Unit"))
        self.unit.addItems([self.tr("minutes"), self.tr("hours"), self.tr("days")])
        self.at = QDateTimeEdit(self)
        self.at.setCalendarPopup(True)
        self.at.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
        self.at.setDisplayFormat("d MMM yyyy  HH:mm")
        self.at.setAccessibleName(self.tr("Day and time"))
        self.expression = QLineEdit(self)
        self.expression.setPlaceholderText("0 8 * * mon-fri")
        self.expression.setAccessibleName(self.tr("Cron expression"))
        self.zone = QComboBox(self)
        self.zone.setEditable(True)
        self.zone.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.zone.addItems(_zones())
        self.zone.setAccessibleName(self.tr("Time zone"))
        for field in (self.time, self.day, self.number, self.at):
            field.setAlignment(Qt.AlignmentFlag.AlignCenter)
        for line in self.findChildren(QLineEdit):
            owner = line.parentWidget()
            line.setAccessibleName(line.accessibleName() or (owner.accessibleName() if owner is not None else ""))
        self._arrange()
        self._connect()
        self.show_fields(CadenceFields())

    @property
    def fields(self) -> CadenceFields:
        """The current values."""
        time = self.time.time()
        return CadenceFields(
            MODES[self.mode.currentIndex()],
            time.hour(),
            time.minute(),
            frozenset(day for day, box in self.days.items() if box.isChecked()),
            self.day.value(),
            self.number.value(),
            UNITS[self.unit.currentIndex()],
            datetime.fromtimestamp(self.at.dateTime().toSecsSinceEpoch(), UTC),
            self.expression.text(),
            self.zone.currentText().strip(),
        )

    @property
    def tab_chain(self) -> tuple[QWidget, ...]:
        """The widgets that take the keyboard, in reading order."""
        days = tuple(self.days.values())
        return (self.mode, self.time, *days, self.day, self.number, self.unit, self.at, self.expression, self.zone)

    def show_fields(self, fields: CadenceFields) -> None:
        """Fill in other values."""
        self.blockSignals(True)
        self.mode.setCurrentIndex(MODES.index(fields.mode))
        self.time.setTime(QTime(min(fields.hour, 23), min(fields.minute, 59)))
        for day, box in self.days.items():
            box.setChecked(day in fields.days)
        self.day.setValue(fields.day)
        self.number.setValue(fields.number)
        self.unit.setCurrentIndex(UNITS.index(fields.unit))
        moment = fields.at or datetime.now(UTC)
        self.at.setDateTime(QDateTime.fromSecsSinceEpoch(round(moment.timestamp()), QTimeZone.systemTimeZone()))
        self.expression.setText(fields.expression)
        self.zone.setCurrentText(fields.zone)
        self.blockSignals(False)
        self._show_mode()

    def _mode_words(self) -> tuple[str, ...]:
        return (
            self.tr("Every day"),
            self.tr("On days of the week"),
            self.tr("Every month"),
            self.tr("At an interval"),
            self.tr("Once"),
            self.tr("Cron expression"),
        )

    def _arrange(self) -> None:
        week, interval = QWidget(self), QWidget(self)
        days = FlowLayout(week, Space.S)
        for box in self.days.values():
            days.addWidget(box)
        hbox(self.number, self.unit, Stretch(), parent=interval, margins=0, spacing=Space.S)
        self._form = QFormLayout()
        self._form.setContentsMargins(0, 0, 0, 0)
        self._form.setHorizontalSpacing(Space.M)
        self._form.setVerticalSpacing(Space.S)
        self._form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft)
        self._form.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapLongRows)
        self._form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.FieldsStayAtSizeHint)
        rows: tuple[tuple[str, QWidget, frozenset[str]], ...] = (
            (self.tr("How often"), self.mode, frozenset(MODES)),
            (self.tr("On"), week, frozenset({"weekly"})),
            (self.tr("Day of the month"), self.day, frozenset({"monthly"})),
            (self.tr("At"), self.time, frozenset({"daily", "weekly", "monthly"})),
            (self.tr("Every"), interval, frozenset({"interval"})),
            (self.tr("At"), self.at, frozenset({"once"})),
            (self.tr("Expression"), self.expression, frozenset({"cron"})),
            (self.tr("Time zone"), self.zone, frozenset({"daily", "weekly", "monthly", "cron"})),
        )
        self._rows = []
        for label, widget, modes in rows:
            words = FieldLabel(label, widget, self)
            self._form.addRow(words, widget)
            self._rows.append((widget, modes))
        vbox(self._form, parent=self, margins=0)

    def _connect(self) -> None:
        self.mode.currentIndexChanged.connect(self._on_mode_changed)
        for box in self.days.values():
            box.toggled.connect(self.changed)
        for spin in (self.day, self.number):
            spin.valueChanged.connect(self.changed)
        self.time.timeChanged.connect(self.changed)
        self.at.dateTimeChanged.connect(self.changed)
        self.unit.currentIndexChanged.connect(self.changed)
        self.expression.textChanged.connect(self.changed)
        self.zone.currentTextChanged.connect(self.changed)

    def _show_mode(self) -> None:
        mode = MODES[self.mode.currentIndex()]
        for widget, modes in self._rows:
            self._form.setRowVisible(widget, mode in modes)

    def _on_mode_changed(self) -> None:
        self._show_mode()
        self.changed.emit()


@lru_cache(maxsize=1)
def _zones() -> list[str]:
    return sorted(name for name in available_timezones() if "/" in name and not name.startswith(("Etc/", "SystemV/")))


def _day_name(day: int) -> str:
    return QLocale().standaloneDayName(day or 7, QLocale.FormatType.ShortFormat)
