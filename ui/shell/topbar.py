"""Top bar: back, forward, the jump field, capture and the inspector."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSizePolicy, QToolButton, QWidget

from ui import theme
from ui.actions import Actions
from ui.style.design_tokens import Space
from ui.style.icons import icon
from ui.widgets.button import TextButton, icon_button, text_button
from ui.widgets.plain_text import tooltip

FIELD_WIDTH = 560


class TopBar(QWidget):
    """Buttons for actions of the registry; enabled and named as the registry says."""

    def __init__(self, actions: Actions, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        theme.current().add_root(self)
        self.setObjectName("topBar")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._actions = actions
        self._bound: dict[str, QPushButton | QToolButton] = {}
        field = TextButton(self.tr("Search or jump to…"), self)
        field.setObjectName("jumpField")
        field.setIcon(icon("search"))
        field.setAccessibleName(self.tr("Search or jump to a note or conversation"))
        field.setCursor(Qt.CursorShape.IBeamCursor)
        field.setMaximumWidth(FIELD_WIDTH)
        field.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        field.setAutoDefault(False)
        jump = actions.find("go.jump")
        field.setToolTip(tooltip(f"{self.tr('Search or jump')} ({jump.keys})" if jump else self.tr("Search or jump")))
        field.clicked.connect(actions.qaction("go.jump").trigger)
        self.field = field
        capture = text_button(self.tr("Capture"), icon_name="plus", parent=self)
        self._bind(capture, "file.capture")
        row = QHBoxLayout(self)
        row.setContentsMargins(Space.M, Space.S, Space.M, Space.S)
        row.setSpacing(Space.XS)
        row.addWidget(self._icon("go.back"))
        row.addWidget(self._icon("go.forward"))
        row.addStretch(1)
        row.addWidget(field, 4)
        row.addStretch(1)
        row.addWidget(capture)
        row.addSpacing(Space.XS)
        self._inspector = self._icon("view.inspector")
        inspect = actions.find("view.inspector")
        self._inspector_words = f"{inspect.title} ({inspect.keys})" if inspect else ""
        actions.qaction("view.inspector").enabledChanged.connect(self._on_inspector_enabled)
        self._on_inspector_enabled(actions.qaction("view.inspector").isEnabled())
        row.addWidget(self._inspector)

    def show_field(self, *, is_shown: bool) -> None:
        """Show or hide the jump field; panes with their own search field hide it."""
        policy = self.field.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self.field.setSizePolicy(policy)
        self.field.setVisible(is_shown)

    def _on_inspector_enabled(self, is_enabled: bool) -> None:
        self._inspector.setToolTip(
            tooltip(self._inspector_words if is_enabled else self.tr("This page has no inspector"))
        )

    def _icon(self, identity: str) -> QToolButton:
        action = self._actions.find(identity)
        title = action.title if action else identity
        button = icon_button(action.icon if action else "", title, shortcut=action.shortcut if action else "")
        self._bind(button, identity)
        return button

    def _bind(self, button: "QPushButton | QToolButton", identity: str) -> None:
        """Make ``button`` run an action and follow whether it is enabled."""
        action = self._actions.qaction(identity)
        self._bound[identity] = button
        button.clicked.connect(action.trigger)
        button.setEnabled(action.isEnabled())
        action.enabledChanged.connect(button.setEnabled)
        declared = self._actions.find(identity)
        if isinstance(button, QPushButton) and declared is not None:
            button.setToolTip(tooltip(f"{declared.title} ({declared.keys})" if declared.keys else declared.title))
