"""Bar over the agents: incognito, on or off, with its end."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QWidget

from app.agents.model import Incognito
from ui.panes.agents.agent_labels import incognito_words
from ui.style.design_tokens import Space
from ui.widgets.button import text_button
from ui.widgets.icon_label import IconLabel
from ui.widgets.plain_text import PlainLabel


class IncognitoBar(QFrame):
    """One sentence with the buttons that turn incognito on, for an hour or off."""

    switched = Signal(bool, int)  # whether it is to be on, and for how many hours; 0 for no end

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._sign = IconLabel("eye", "muted", parent=self)
        self._text = PlainLabel(self, wraps=True)
        self.hour = text_button(self.tr("For 1 hour"), "quiet", parent=self)
        self.hour.setAccessibleName(self.tr("Incognito for 1 hour"))
        self.hour.clicked.connect(self._on_hour_clicked)
        self.switch = text_button("", "quiet", icon_name="eye-off", parent=self)
        self.switch.clicked.connect(self._on_switch_clicked)
        row = QHBoxLayout(self)
        row.setContentsMargins(Space.L, Space.XS, Space.M, Space.XS)
        row.setSpacing(Space.S)
        row.addWidget(self._sign)
        row.addWidget(self._text, 1)
        row.addWidget(self.hour)
        row.addWidget(self.switch)
        self._state = Incognito()
        self.show_state(self._state)

    @property
    def text(self) -> str:
        """The sentence shown."""
        return self._text.text()

    def show_state(self, state: Incognito) -> None:
        """Show whether incognito is on, and until when."""
        self._state = state
        self.setObjectName("accessBar" if state.is_on else "")
        self.style().unpolish(self)
        self.style().polish(self)
        self._sign.show_icon("eye-off" if state.is_on else "eye", "accent" if state.is_on else "muted")
        self._text.setText(incognito_words(state))
        self.hour.setVisible(not state.is_on)
        self.switch.setText(self.tr("Turn incognito off") if state.is_on else self.tr("Incognito"))
        self.switch.setAccessibleName(self.tr("Turn incognito off") if state.is_on else self.tr("Turn incognito on"))

    def _on_hour_clicked(self) -> None:
        self.switched.emit(True, 1)

    def _on_switch_clicked(self) -> None:
        self.switched.emit(not self._state.is_on, 0)
