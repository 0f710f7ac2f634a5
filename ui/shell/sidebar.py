"""Sidebar: a button for each pane, the menu, settings and help."""

from PySide6.QtCore import QRect, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QButtonGroup, QMenu, QToolButton, QWidget

from ui import theme
from ui.actions import Actions
from ui.models.dates import format_number
from ui.style.design_tokens import Space
from ui.style.icons import icon
from ui.widgets.box_layouts import vbox
from ui.widgets.button import TARGET_SIZE, ToolButton, icon_button, name_button

BUTTON = QSize(70, 54)
WIDEST = 130
"""The width to which buttons grow for the words of a language."""
BARE_BUTTON = QSize(44, 44)
"""The size of a button where there is no room for its words."""
ICON = 20
LARGEST_ICON = 28
"""Pixels to which icons grow with the text where the window is low."""
PADDING = 12
"""Margin of a button above and below its icon."""
SIDE = 7
MOST_SHOWN = 99


class RailButton(ToolButton):
    """A button of the rail.

    Where there are no words, the number of things that wait stands on the icon.
    """

    waiting = 0

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the number over a corner of the icon."""
        super().paintEvent(event)
        if not self.waiting or self.toolButtonStyle() != Qt.ToolButtonStyle.ToolButtonIconOnly:
            return
        look = theme.current()
        words = format_number(self.waiting) if self.waiting <= MOST_SHOWN else f"{format_number(MOST_SHOWN)}+"
        font = look.font("small")
        font.setPointSizeF(font.pointSizeF() * 0.85)
        metrics = QFontMetrics(font)
        height = metrics.height()
        width = max(height, metrics.horizontalAdvance(words) + height // 2)
        left = 1 if self.isRightToLeft() else self.width() - width - 1
        pill = QRect(left, 1, width, height)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(look.colour("accent"))
        painter.drawRoundedRect(pill, height / 2, height / 2)
        painter.setPen(look.colour("on_accent"))
        painter.setFont(font)
        painter.drawText(pill, Qt.AlignmentFlag.AlignCenter, words)
        painter.end()


class Sidebar(QWidget):
    """Buttons with icons and labels; icons alone where the window is low."""

    chosen = Signal(str)

    def __init__(self, actions: Actions, menu: QMenu, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        theme.current().add_root(self)
        self.setObjectName("rail")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setAccessibleName(self.tr("Panes"))
        self._actions = actions
        self._buttons: dict[str, RailButton] = {}
        self._group = QButtonGroup(self)
        self._group.setExclusive(True)
        self._column = vbox(parent=self, margins=(SIDE, Space.S, SIDE, Space.S), spacing=Space.XS)
        top = icon_button("menu", self.tr("Menu"), shortcut="F10", parent=self)
        top.setMenu(menu)
        top.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.menu_button = top
        self._column.addWidget(top, 0, Qt.AlignmentFlag.AlignHCenter)
        self._column.addSpacing(Space.S)
        self._spacer_at = self._column.count()
        self._column.addStretch(1)
        theme.current().changed.connect(self._fit)
        actions.changed.connect(self._on_actions_changed)

    def add_pane(self, name: str, title: str, icon_name: str, shortcut: str) -> None:
        """Add the button of a pane."""
        button = self._button(title, icon_name, shortcut)
        button.setCheckable(True)
        button.setProperty("pane", name)
        button.setProperty("title", title)
        button.setProperty("keys", shortcut)
        button.clicked.connect(self._on_clicked)
        self._group.addButton(button)
        self._buttons[name] = button
        self._column.insertWidget(self._spacer_at, button, 0, Qt.AlignmentFlag.AlignHCenter)
        self._spacer_at += 1
        self._fit()

    def add_foot(self, identity: str) -> None:
        """Add an action at the foot."""
        action = self._actions.find(identity)
        if action is None:
            return
        button = self._button(action.title.rstrip("…"), action.icon, action.shortcut)
        button.clicked.connect(self._actions.qaction(identity).trigger)
        self._column.addWidget(button, 0, Qt.AlignmentFlag.AlignHCenter)
        self._fit()

    def set_open(self, *, is_open: bool) -> None:
        """Let panes be chosen, or not while no vault is open."""
        for button in self._buttons.values():
            button.setEnabled(is_open)

    def set_badge(self, name: str, count: int) -> None:
        """Show how many things wait in a pane; 0 shows nothing."""
        button = self._buttons.get(name)
        if button is None:
            return
        title = str(button.property("title"))
        button.waiting = count
        button.setText(f"{title} {format_number(count)}" if count else title)
        button.update()
        self._fit()
        words = self.tr("{title}: {n} waiting").format(title=title, n=format_number(count)) if count else title
        name_button(button, words, str(button.property("keys")))

    def select(self, name: str) -> None:
        """Show which pane is in front; none where it has no button."""
        button = self._buttons.get(name)
        if button is not None:
            button.setChecked(True)
            return
        # An exclusive group keeps one button down.
        self._group.setExclusive(False)
        for candidate in self._buttons.values():
            candidate.setChecked(False)
        self._group.setExclusive(True)

    def _button(self, title: str, icon_name: str, shortcut: str) -> RailButton:
        button = RailButton(self)
        button.setText(title)
        button.setIcon(icon(icon_name))
        button.setIconSize(QSize(ICON, ICON))
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextUnderIcon)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        theme.set_type(button, "small")
        name_button(button, title, shortcut)
        return button

    def minimumSizeHint(self) -> QSize:
        """Return room for all icons without words."""
        return QSize(self.width(), self._height_around() + self._count() * _least_height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show words or icons alone."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        scale = max(1.0, theme.current().scale)
        # Where there is little room, the column would take it from this one.
        self.menu_button.setMinimumSize(QSize(TARGET_SIZE, TARGET_SIZE) * scale)
        share = (self.height() - self._height_around()) // max(1, self._count())
        has_words = share >= round(BUTTON.height() * scale)
        size, pixels = BUTTON * scale, ICON
        style = Qt.ToolButtonStyle.ToolButtonTextUnderIcon
        if not has_words:
            size = BARE_BUTTON * scale
            size.setHeight(max(_least_height(), min(size.height(), share)))
            style = Qt.ToolButtonStyle.ToolButtonIconOnly
            # Large icons in a low window: smaller ones rather than some out of sight.
            pixels = min(ICON, int((size.height() - PADDING) / theme.current().scale))
        buttons = [button for button in self.findChildren(QToolButton) if button is not self.menu_button]
        for button in buttons:
            button.setToolButtonStyle(style)
            button.setIconSize(QSize(pixels, pixels))
        if has_words:
            widest = max((button.sizeHint().width() for button in buttons), default=0)
            size.setWidth(min(max(size.width(), widest), round(WIDEST * scale)))
        self.setFixedWidth(size.width() + 2 * SIDE)
        for button in buttons:
            button.setFixedSize(size)

    def _count(self) -> int:
        """Return how many buttons there are below the menu's."""
        return len(self.findChildren(QToolButton)) - 1

    def _height_around(self) -> int:
        """Return the height that the buttons below the menu's cannot have."""
        menu = self.menu_button.sizeHint().expandedTo(self.menu_button.minimumSize()).height()
        return menu + 3 * Space.S + self._count() * self._column.spacing()

    def _on_actions_changed(self) -> None:
        """Name the keys that the person chose."""
        for name, button in self._buttons.items():
            action = self._actions.find(f"go.{name}")
            if action is not None and button.property("keys") != action.shortcut:
                name_button(button, button.accessibleName(), action.shortcut)
                button.setProperty("keys", action.shortcut)

    def _on_clicked(self) -> None:
        sender = self.sender()
        if isinstance(sender, QToolButton):
            self.chosen.emit(sender.property("pane"))


def _least_height() -> int:
    """Return the least height of a button without words."""
    return min(theme.current().scaled(ICON), LARGEST_ICON) + PADDING
