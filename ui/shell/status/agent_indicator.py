"""Indicator of agents at work: who reads or writes at this moment, in words."""

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtWidgets import QWidget

from app.changes import Area, ChangeSet
from ui import theme
from ui.panes.agents.agent_labels import operation_words
from ui.style.icons import icon
from ui.widgets.button import ToolButton
from ui.widgets.plain_text import tooltip

AREA: Area = "presence"
SHOWN_MS = 5000
LONGEST = 32
"""Letters of a name."""


class AgentIndicator(ToolButton):
    """Button that shows an agent's latest call for some seconds, and opens the agent."""

    agent_requested = Signal(str)
    """The id of the agent that was shown."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._agent = ""
        self._timer = QTimer(self, singleShot=True, interval=SHOWN_MS)
        self._timer.timeout.connect(self.hide)
        self.setIcon(icon("bot", "accent"))
        self.setIconSize(QSize(16, 16))
        self.setProperty("flat", True)
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        theme.set_type(self, "small")
        self.setAccessibleName(self.tr("What an agent does"))
        self.clicked.connect(self._on_clicked)
        self.hide()

    def show_change(self, change: ChangeSet) -> None:
        """Show the call of an agent; other changes show nothing."""
        if AREA not in change.areas or not change.operation or not change.ids:
            return
        self._agent = change.ids[0]
        name = change.actor if len(change.actor) <= LONGEST else f"{change.actor[: LONGEST - 1]}…"
        words = self.tr("{name}: {did}").format(name=name, did=operation_words(change.operation))
        if words != self.text():
            self.setText(words)
            self.setAccessibleName(words)
            self.setToolTip(tooltip(self.tr("Open this agent")))
        self.show()
        self._timer.start()

    def _on_clicked(self) -> None:
        self.agent_requested.emit(self._agent)
