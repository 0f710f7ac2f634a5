"""Window geometry that fits the screen: no title bar, edge or button out of reach."""

from PySide6.QtCore import QMargins, QRect
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QStyle, QWidget

BORDER = 2


def fitted(wanted: QRect, area: QRect) -> QRect:
    """Return ``wanted`` shrunk and moved to fit into ``area``."""
    size = wanted.size().boundedTo(area.size())
    left = min(max(wanted.left(), area.left()), area.right() - size.width() + 1)
    top = min(max(wanted.top(), area.top()), area.bottom() - size.height() + 1)
    return QRect(left, top, size.width(), size.height())


def fit_to_screen(window: QWidget) -> None:
    """Fit a top-level window into the free area of its screen."""
    if window.isMaximized() or window.isFullScreen():
        return
    geometry = window.geometry()
    screen = QGuiApplication.screenAt(geometry.center()) or window.screen()
    area = screen.availableGeometry().marginsRemoved(_frame(window))
    fit = fitted(geometry, area)
    if fit != geometry:
        window.setGeometry(fit)


def _frame(window: QWidget) -> QMargins:
    """Return the margins of the title bar and borders, estimated before the first show."""
    inner, outer = window.geometry(), window.frameGeometry()
    if outer == inner and window.windowHandle() is None:
        return QMargins(BORDER, window.style().pixelMetric(QStyle.PixelMetric.PM_TitleBarHeight), BORDER, BORDER)
    return QMargins(
        inner.left() - outer.left(), inner.top() - outer.top(), outer.right() - inner.right(),
        outer.bottom() - inner.bottom(),
    )  # fmt: skip
