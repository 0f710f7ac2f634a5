"""The label of a field is as high as the field."""

from PySide6.QtWidgets import QFormLayout, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from ui.theme import Theme
from ui.widgets.fields.field_label import FieldLabel


def test_it_is_as_high_as_its_field(qtbot: QtBot, look: Theme) -> None:
    page = QWidget()
    qtbot.addWidget(page)
    field = QLineEdit(page)
    label = FieldLabel("Time zone", field, page)
    QFormLayout(page).addRow(label, field)
    page.show()
    for scale in (1.0, 1.5):
        look.set_scale(scale)
        assert label.minimumSizeHint().height() == field.sizeHint().height()
        assert label.sizeHint().height() == field.sizeHint().height()
