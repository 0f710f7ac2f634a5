"""A choice whose words end in an ellipsis where they do not fit."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QComboBox, QStyle, QStyleOptionComboBox, QStylePainter, QWidget

from ui.widgets.plain_text import tooltip


class ElidedComboBox(QComboBox):
    """A combo box that may be narrower than its texts."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)

    def shown_text(self) -> str:
        """Return the words there is room for."""
        return self._option().currentText

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the box with the words that fit."""
        painter = QStylePainter(self)
        option = self._option()
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)
        whole = self.currentText()
        self.setToolTip("" if option.currentText == whole else tooltip(whole))

    def _option(self) -> QStyleOptionComboBox:
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        field = self.style().subControlRect(
            QStyle.ComplexControl.CC_ComboBox, option, QStyle.SubControl.SC_ComboBoxEditField, self
        )
        room = field.width() - (self.iconSize().width() if not option.currentIcon.isNull() else 0)
        option.currentText = self.fontMetrics().elidedText(option.currentText, Qt.TextElideMode.ElideRight, room)
        return option
