"""A field keeps its room: its buttons go below it where they would take too much."""

from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from ui.theme import Theme
from ui.widgets.button import icon_button
from ui.widgets.header_row import HeaderRow

LEAST = 150


def _row(qtbot: QtBot) -> HeaderRow:
    field = QLineEdit()
    groups = [[icon_button("pencil", "Write"), icon_button("eye", "Read")], [icon_button("pin", "Pin")]]
    row = HeaderRow(field, groups, LEAST)
    qtbot.addWidget(row)
    row.resize(400, 40)
    row.show()
    return row


def test_buttons_stand_beside_the_field_where_both_have_room(qtbot: QtBot, look: Theme) -> None:
    row = _row(qtbot)
    assert not row.is_folded
    assert row.minimumSizeHint().width() < 200
    row.resize(240, row.sizeHint().height())
    assert row.is_folded
    row.resize(400, 40)
    assert not row.is_folded


def test_the_field_wants_more_room_where_text_is_larger(qtbot: QtBot, look: Theme) -> None:
    row = _row(qtbot)
    row.resize(300, 40)
    assert not row.is_folded
    look.set_scale(1.5)
    assert row.is_folded
    row.resize(300, row.sizeHint().height())
    field = row.findChild(QLineEdit)
    assert field.width() == 300
    for button in row.findChildren(type(icon_button("x", "Close"))):
        assert button.geometry().top() > field.geometry().bottom()
        assert row.rect().contains(button.geometry())
