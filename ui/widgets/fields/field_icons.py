"""Icons inside a text field: a symbol, and a button that clears it."""

from PySide6.QtCore import QEvent, QMargins, QObject, QSize, Qt
from PySide6.QtWidgets import QLineEdit

from ui import theme
from ui.style.design_tokens import Space
from ui.style.icons import icon
from ui.widgets.button import ToolButton, name_button
from ui.widgets.icon_label import IconLabel

SIDE = 16
INSET = 10
_PLACING = (QEvent.Type.Resize, QEvent.Type.LayoutDirectionChange, QEvent.Type.StyleChange)


class FieldIcons(QObject):
    """Places icons at the ends of a text field.

    They grow with its text, unlike Qt's own actions in a field.

    Args:
        field: The field, which owns them.
        sign: Name of the icon that its text begins with; none when empty.
    """

    def __init__(self, field: QLineEdit, sign: str = "") -> None:
        super().__init__(field)
        self._field = field
        self._sign = IconLabel(sign, size=SIDE, parent=field) if sign else None
        self._button = ToolButton(field)
        self._button.setObjectName("clear")
        self._button.setProperty("inside", True)
        self._button.setIcon(icon("x"))
        self._button.setIconSize(QSize(SIDE, SIDE))
        self._button.setCursor(Qt.CursorShape.ArrowCursor)
        # The keyboard clears with Esc.
        self._button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        name_button(self._button, self.tr("Clear"))
        self._button.clicked.connect(self._on_button_clicked)
        field.textChanged.connect(self._place)
        field.installEventFilter(self)
        theme.current().changed.connect(self._place)
        self._place()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Keep the icons at the ends."""
        if watched is self._field and event.type() in _PLACING:
            self._place()
        return super().eventFilter(watched, event)

    def _place(self) -> None:
        field, side = self._field, theme.current().scaled(SIDE)
        self._button.setVisible(bool(field.text()))
        # Beside the room that the style sheet leaves at both ends.
        first, last = (side + Space.XS if self._sign else 0), side
        mirrored = field.isRightToLeft()
        margins = QMargins(last, 0, first, 0) if mirrored else QMargins(first, 0, last, 0)
        if field.textMargins() != margins:
            field.setTextMargins(margins)
        top, width = (field.height() - side) // 2, field.width()
        start, end = (width - INSET - side, INSET - 2) if mirrored else (INSET, width - side - INSET - 2)
        if self._sign is not None:
            self._sign.move(start, top)
        self._button.setGeometry(end, top - 2, side + 4, side + 4)

    def _on_button_clicked(self) -> None:
        self._field.clear()
        self._field.textEdited.emit("")
        self._field.setFocus(Qt.FocusReason.OtherFocusReason)
