"""Setting field: an editor made from a setting's declaration."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDoubleSpinBox,
    QHBoxLayout,
    QLineEdit,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from app.config.model import SettingValue
from app.config.schema import Value
from ui import theme
from ui.dialogs.base_dialog import note
from ui.style.design_tokens import Space
from ui.widgets.plain_text import PlainLabel

WIDTH = 220
INDICATOR = 18
DECIMALS = 2
"""Decimal places; enough to show the default of every setting exactly."""
_LARGEST = 2_147_483_647


class SettingField(QWidget):
    """Field with name and help at the left, editor at the right."""

    changed = Signal(str, object)

    def __init__(self, setting: SettingValue, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._setting = setting
        self._title = title
        name = PlainLabel(title, self)
        theme.set_type(name, "strong")
        self._about = note("", self)
        self.editor = self._make_editor()
        self.editor.setAccessibleName(title)
        self.editor.setAccessibleDescription(setting.help)
        name.setBuddy(self.editor)
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addWidget(name)
        words.addWidget(self._about)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, Space.S, 0, Space.S)
        row.setSpacing(Space.XL)
        row.addLayout(words, 1)
        row.addWidget(self.editor)
        self.set_value(setting)
        theme.current().changed.connect(self._fit)
        self._fit()

    @property
    def words(self) -> str:
        """Text that the search over settings matches."""
        return f"{self._title} {self._setting.name} {self._setting.help} {' '.join(self._setting.choices)}".casefold()

    def set_value(self, setting: SettingValue) -> None:
        """Show a value without emitting ``changed``."""
        self._setting = setting
        editor = self.editor
        blocked = editor.blockSignals(True)
        if isinstance(editor, QCheckBox):
            editor.setChecked(bool(setting.value))
        elif isinstance(editor, QComboBox):
            editor.setCurrentIndex(editor.findData(setting.value))
        elif isinstance(editor, QSpinBox):
            editor.setValue(int(setting.value))
        elif isinstance(editor, QDoubleSpinBox):
            editor.setValue(float(setting.value))
        elif isinstance(editor, QLineEdit):
            editor.setText(str(setting.value))
        editor.blockSignals(blocked)
        forced = setting.source in ("environment", "override")
        editor.setEnabled(not forced)
        self._about.setText(" ".join(self._remarks(forced=forced)))

    def _remarks(self, *, forced: bool) -> list[str]:
        remarks = [self._setting.help]
        if forced:
            remarks.append(self.tr("Set from outside for this run ({source}).").format(source=self._setting.source))
        elif self._setting.restart:
            remarks.append(self.tr("Takes effect at the next start."))
        return remarks

    def _make_editor(self) -> QWidget:
        setting = self._setting
        if setting.type == "bool":
            box = QCheckBox(self)
            box.toggled.connect(self._on_changed)
            return box
        if setting.type == "choice":
            choice = QComboBox(self)
            for value in setting.choices:
                choice.addItem(value.capitalize(), value)
            choice.setFixedWidth(WIDTH)
            choice.currentIndexChanged.connect(self._on_choice_changed)
            return choice
        if setting.type in ("int", "float"):
            return self._make_number()
        line = QLineEdit(self)
        line.setFixedWidth(WIDTH)
        line.setPlaceholderText(str(setting.default))
        line.editingFinished.connect(self._on_line_finished)
        return line

    def _fit(self) -> None:
        """Give a check box the width of its mark, which grows with the text."""
        if isinstance(self.editor, QCheckBox):
            self.editor.setFixedWidth(theme.current().scaled(INDICATOR))

    def _make_number(self) -> QWidget:
        setting = self._setting
        low = setting.minimum if setting.minimum is not None else -_LARGEST
        high = setting.maximum if setting.maximum is not None else _LARGEST
        if setting.type == "int":
            spin = QSpinBox(self)
            spin.setRange(int(low), int(high))
            spin.setSingleStep(5 if high - low > 50 else 1)  # noqa: PLR2004
            spin.setKeyboardTracking(False)
            # A stylesheet cannot indent the text of a spin box.
            spin.lineEdit().setTextMargins(Space.S, 0, 0, 0)
            spin.setFixedWidth(WIDTH)
            spin.valueChanged.connect(self._on_changed)
            return spin
        double = QDoubleSpinBox(self)
        double.setRange(low, high)
        double.setDecimals(DECIMALS)
        double.setSingleStep(0.05 if high - low <= 1 else 0.5)
        double.setKeyboardTracking(False)
        double.lineEdit().setTextMargins(Space.S, 0, 0, 0)
        double.setFixedWidth(WIDTH)
        double.valueChanged.connect(self._on_changed)
        return double

    def _on_choice_changed(self, index: int) -> None:
        editor = self.editor
        if isinstance(editor, QComboBox):
            self.changed.emit(self._setting.name, editor.itemData(index))

    def _on_changed(self, value: Value) -> None:
        self.changed.emit(self._setting.name, value)

    def _on_line_finished(self) -> None:
        editor = self.editor
        if isinstance(editor, QLineEdit) and editor.text() != self._setting.value:
            self.changed.emit(self._setting.name, editor.text())
