"""The banner under the top bar, for failures in the background."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QWidget

from ui import theme
from ui.style.design_tokens import Space
from ui.widgets.button import icon_button, text_button
from ui.widgets.icon_label import IconLabel
from ui.widgets.plain_text import PlainLabel


class Banner(QFrame):
    """One sentence with buttons to copy details and to dismiss it.

    Args:
        parent: The Qt parent.
        has_details: False for a sentence that there is nothing more to say about.
    """

    details_requested = Signal()
    """Copy the details."""
    report_requested = Signal(str)
    """Show this report."""

    def __init__(self, parent: QWidget | None = None, *, has_details: bool = True) -> None:
        super().__init__(parent)
        theme.current().add_root(self)
        self.setObjectName("banner")
        sign = IconLabel("triangle-alert", "danger", parent=self)
        self._text = PlainLabel(self, wraps=True)
        self.report = ""
        self._show_report = text_button(self.tr("Show details"), "quiet", parent=self)
        self._show_report.clicked.connect(self._on_show_report_clicked)
        self._details = text_button(self.tr("Copy details"), "quiet", parent=self)
        self._details.clicked.connect(self.details_requested)
        close = icon_button("x", self.tr("Dismiss this message"), parent=self)
        close.clicked.connect(self.hide)
        row = QHBoxLayout(self)
        row.setContentsMargins(Space.L, Space.XS, Space.S, Space.XS)
        row.setSpacing(Space.S)
        row.addWidget(sign)
        row.addWidget(self._text, 1)
        row.addWidget(self._show_report)
        row.addWidget(self._details)
        row.addWidget(close)
        self._details.setVisible(has_details)
        self.hide()

    @property
    def text(self) -> str:
        """The sentence shown."""
        return self._text.text()

    def show_notice(self, sentence: str, report: str = "") -> None:
        """Show ``sentence``, and offer to show ``report`` where there is one."""
        self._text.setText(sentence)
        self.report = report
        self._show_report.setVisible(bool(report))
        self.show()

    def _on_show_report_clicked(self) -> None:
        self.report_requested.emit(self.report)
