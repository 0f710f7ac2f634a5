"""Indicator of incognito in the status line, with the way to end it."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QWidget

from app.agents.model import Incognito
from ui import theme
from ui.panes.agents.agent_labels import incognito_words
from ui.style.icons import icon
from ui.widgets.button import ToolButton
from ui.widgets.plain_text import tooltip


class IncognitoIndicator(ToolButton):
    """Button that is there while incognito is on; a click ends it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setIcon(icon("eye-off", "accent"))
        self.setIconSize(QSize(16, 16))
        self.setProperty("flat", True)
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        theme.set_type(self, "small")
        self.setText(self.tr("Incognito"))
        self.hide()

    def show_state(self, state: Incognito) -> None:
        """Show that incognito is on; hide while it is off."""
        words = self.tr("{state} Click to end it.").format(state=incognito_words(state))
        self.setAccessibleName(words)
        self.setToolTip(tooltip(words))
        self.setVisible(state.is_on)
