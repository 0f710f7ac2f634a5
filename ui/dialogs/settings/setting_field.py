"""Setting field: an editor made from a setting's declaration."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QDoubleSpinBox, QLineEdit, QSpinBox, QWidget

from app.config.model import SettingValue
from app.config.schema import Value
from ui import theme
from ui.engine_texts import choice_title, engine_text
from ui.style.design_tokens import Space
from ui.widgets.box_layouts import Stretch, hbox
from ui.widgets.button import icon_button
from ui.widgets.fields.form_row import FormRow

INDICATOR = 18
DECIMALS = 2
"""Decimal places; enough to show the default of every setting exactly."""
_LARGEST = 2_147_483_647


class SettingField(FormRow):
    """Field with name and help, editor and a reset button."""

    changed = Signal(str, object)

    def __init__(self, setting: SettingValue, title: str, parent: QWidget | None = None) -> None:
        super().__init__(title, parent, reserve=0)
        self._setting = setting
        self._title = title
        self._warning = ""
        self._about = self.about
        self.editor = self._make_editor()
        self.editor.setAccessibleName(title)
        self.editor.setAccessibleDescription(engine_text(setting.help))
        self.title.setBuddy(self.editor)
        self.reset = icon_button("undo-2", self.tr("Reset ‘{name}’ to the default").format(name=title), parent=self)
        self.reset.clicked.connect(self._on_reset_clicked)
        # Its place stays when it is hidden, so that editors stand in one column.
        policy = self.reset.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self.reset.setSizePolicy(policy)
        line = hbox(self.editor, self.reset, Stretch(), spacing=Space.XS)
        self.side.addLayout(line)
        self.side.addStretch(1)
        if not isinstance(self.editor, QCheckBox):
            self.fit_width(self.editor)
        self.set_value(setting)
        theme.current().changed.connect(self._fit)
        self._fit()

    @property
    def name(self) -> str:
        """The setting's name."""
        return self._setting.name

    @property
    def words(self) -> str:
        """Text that the search over settings matches."""
        choices = " ".join(choice_title(choice) for choice in self._setting.choices)
        return f"{self._title} {self._setting.name} {engine_text(self._setting.help)} {choices}".casefold()

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
        self.reset.setVisible(not forced and setting.value != setting.default)
        self.show_problem(self._warning, "warning")
        self._about.setText(" ".join(self._remarks(forced=forced)))

    def show_refusal(self, reason: str) -> None:
        """Say why a value was refused; a typed text stays to be corrected."""
        if not isinstance(self.editor, QLineEdit):
            self.set_value(self._setting)
        self.show_problem(reason)

    @property
    def has_warning(self) -> bool:
        """True while the field says what does not go together with others."""
        return bool(self._warning)

    def show_warning(self, text: str) -> None:
        """Say that the value in force does not go together with others; ``""`` for nothing."""
        if self.problem.text() in ("", self._warning):
            self.show_problem(text, "warning")
        self._warning = text

    def _remarks(self, *, forced: bool) -> list[str]:
        setting = self._setting
        remarks = [engine_text(setting.help)]
        if setting.type in ("int", "float") and setting.minimum is not None and setting.maximum is not None:
            low, high = (f"{bound:,.10g}" for bound in (setting.minimum, setting.maximum))
            remarks.append(self.tr("From {low} to {high}.").format(low=low, high=high))
        if forced:
            remarks.append(self.tr("Set from outside for this run ({source}).").format(source=setting.source))
        elif setting.restart:
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
                choice.addItem(choice_title(value), value)
            choice.currentIndexChanged.connect(self._on_choice_changed)
            return choice
        if setting.type in ("int", "float"):
            return self._make_number()
        line = QLineEdit(self)
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
            spin.lineEdit().setAccessibleName(self._title)
            spin.valueChanged.connect(self._on_changed)
            return spin
        double = QDoubleSpinBox(self)
        double.setRange(low, high)
        double.setDecimals(DECIMALS)
        double.setSingleStep(0.05 if high - low <= 1 else 0.5)
        double.setKeyboardTracking(False)
        double.lineEdit().setTextMargins(Space.S, 0, 0, 0)
        double.lineEdit().setAccessibleName(self._title)
        double.valueChanged.connect(self._on_changed)
        return double

    def _on_reset_clicked(self) -> None:
        self.editor.setFocus()  # the button goes away with its reason
        self.changed.emit(self._setting.name, self._setting.default)

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
        else:
            self.show_problem("")
