"""Toasts: short notices about what happened, with Undo.

They stack, can be reached by keyboard, and are announced to screen readers.
"""

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt, QTimer, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QGuiApplication, QKeyEvent, QRegion
from PySide6.QtWidgets import QApplication, QFrame, QWidget
from shiboken6 import isValid

from ui import theme
from ui.notice import Notice, removed_error_text
from ui.style.design_tokens import Space
from ui.widgets.box_layouts import hbox, vbox
from ui.widgets.button import icon_button, text_button
from ui.widgets.icon_label import IconLabel
from ui.widgets.plain_text import PlainLabel

if TYPE_CHECKING:
    from app.history.acts.model import Act

STACK_LIMIT = 4
TEXT_WIDTH = 360


class Toast(QFrame):
    """One notice with its buttons; stays while the pointer or keyboard is on it."""

    undo_requested = Signal(object)
    gone = Signal(object)

    def __init__(self, notice: Notice, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("toast")
        self.setProperty("kind", notice.kind)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.notice = notice
        self._timer = QTimer(self, singleShot=True, interval=round(notice.duration_s * 1000))
        self._timer.timeout.connect(self._on_timeout)
        error = notice.kind == "error"
        sign = (
            IconLabel("circle-alert", "danger", parent=self)
            if error
            else IconLabel("circle-check", "success", parent=self)
        )
        text = PlainLabel(notice.text, self, wraps=True)
        text.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse if error else Qt.TextInteractionFlag.NoTextInteraction
        )
        # A wrapping label asks for a narrow column; short notices should stay on one line.
        text.setMinimumWidth(min(text.fontMetrics().horizontalAdvance(notice.text) + 4, TEXT_WIDTH))
        row = hbox((sign, 0), (text, 1), parent=self, margins=(Space.M, Space.S, Space.S, Space.S), spacing=Space.S)
        self.undo: QWidget | None = None
        if notice.can_undo:
            undo = text_button(self.tr("Undo"), "quiet", parent=self)
            undo.setAccessibleName(self.tr("Undo: {text}").format(text=notice.text))
            undo.clicked.connect(self._on_undo_clicked)
            row.addWidget(undo)
            self.undo = undo
        close = icon_button("x", self.tr("Dismiss"), parent=self)
        close.clicked.connect(self.dismiss)
        row.addWidget(close)
        self._wait()

    def dismiss(self) -> None:
        """Go away."""
        self._timer.stop()
        self.gone.emit(self)

    def event(self, event: QEvent) -> bool:
        """Stay while the pointer moves on it; a resting pointer does not count."""
        if event.type() == QEvent.Type.HoverMove:
            self._timer.stop()
        elif event.type() == QEvent.Type.HoverLeave:
            self._wait()
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go away on Escape."""
        if event.key() == Qt.Key.Key_Escape:
            self.dismiss()
            return
        super().keyPressEvent(event)

    def _wait(self) -> None:
        if self.notice.kind != "error":
            self._timer.start()

    def _on_timeout(self) -> None:
        focus = QApplication.focusWidget()
        if focus is not None and self.isAncestorOf(focus):
            self._wait()
        else:
            self.dismiss()

    def _on_undo_clicked(self) -> None:
        self.undo_requested.emit(self.notice)
        self.dismiss()


class Toaster(QWidget):
    """The stack of toasts, laid over the lower corner of a part of the window.

    It moves to the upper corner while it would cover the line being typed.

    Args:
        parent: The window.
    """

    undo_requested = Signal(object)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        theme.current().add_root(self)
        self.setAccessibleName(self.tr("Notices"))
        self._column = vbox(parent=self, margins=(Space.L, Space.S, Space.L, Space.S), spacing=Space.S)
        self._toasts: list[Toast] = []
        self._before: QWidget | None = None
        self._ground: QWidget = parent
        self.hide()
        QGuiApplication.inputMethod().cursorRectangleChanged.connect(self._place)
        QApplication.instance().focusChanged.connect(self._on_focus_changed)  # type: ignore[union-attr]

    def stand_over(self, ground: QWidget) -> None:
        """Lay the toasts over ``ground``, which is in a layout of the same window."""
        self._ground = ground
        ground.installEventFilter(self)
        self.setParent(ground.parentWidget())
        self.hide()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow what the toasts stand over."""
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Move):
            self._place()
        return super().eventFilter(watched, event)

    def event(self, event: QEvent) -> bool:
        """Fit the stack to its toasts."""
        if event.type() == QEvent.Type.LayoutRequest:
            self._place()
        return super().event(event)

    @property
    def toasts(self) -> list[Toast]:
        """The toasts shown, oldest first."""
        return list(self._toasts)

    def show_notice(self, notice: Notice) -> Toast:
        """Show ``notice`` and read it out."""
        while len(self._toasts) >= STACK_LIMIT:
            self._drop(self._toasts[0])
        toast = Toast(notice, self)
        toast.undo_requested.connect(self.undo_requested)
        toast.gone.connect(self._drop)
        self._toasts.append(toast)
        self._column.addWidget(toast, 0, Qt.AlignmentFlag.AlignRight)
        toast.show()
        self.show()
        self.raise_()
        self._place()
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, notice.text))
        return toast

    def forget(self, act: "Act") -> None:
        """Drop the toasts that offer to undo what was undone otherwise."""
        for toast in self.toasts:
            if toast.notice.act == act.id or act.entry in toast.notice.history_ids:
                self._drop(toast)

    def forget_words(self) -> None:
        """Drop the toasts that may quote erased words, and say where one was an error."""
        quoting = [toast for toast in self.toasts if toast.notice.is_quoting]
        for toast in quoting:
            self._drop(toast)
        if any(toast.notice.kind == "error" for toast in quoting):
            self.show_notice(Notice(removed_error_text(), kind="error", is_quoting=False))

    def focus_last(self) -> bool:
        """Put the keyboard on the newest toast; False when there is none."""
        if not self._toasts:
            return False
        focus = QApplication.focusWidget()
        if focus is not None and not self.isAncestorOf(focus):
            self._before = focus
        toast = self._toasts[-1]
        target = toast.undo if toast.undo is not None else toast.findChildren(QWidget)[-1]
        target.setFocus(Qt.FocusReason.ShortcutFocusReason)
        return True

    def _place(self) -> None:
        """Stand in the lower corner, or in the upper one off the line being typed."""
        window = self.parentWidget()
        if not self._toasts or window is None:
            return
        ground = QRect(self._ground.mapTo(window, QPoint()), self._ground.size())
        width = min(ground.width(), self._column.sizeHint().width())
        wanted = self._column.totalHeightForWidth(width) if self._column.hasHeightForWidth() else 0
        height = min(ground.height(), max(wanted, self._column.totalSizeHint().height() if wanted <= 0 else 0))
        left = ground.left() if self.isRightToLeft() else ground.right() + 1 - width
        place = QRect(left, ground.bottom() + 1 - height, width, height)
        if place.intersects(self._line_being_typed(window)):
            place.moveTop(ground.top())
        self.setGeometry(place)
        self._column.activate()
        # What lies between the toasts stays in reach of the pointer.
        self.setMask(QRegion(self.rect()) & _region_of(self._toasts))

    def _line_being_typed(self, window: QWidget) -> QRect:
        """Return the line with the text cursor in ``window``, an empty rectangle for none."""
        focus = QApplication.focusWidget()
        if focus is None or not window.isAncestorOf(focus) or self.isAncestorOf(focus):
            return QRect()
        if not focus.testAttribute(Qt.WidgetAttribute.WA_InputMethodEnabled):
            return QRect()
        cursor = focus.inputMethodQuery(Qt.InputMethodQuery.ImCursorRectangle)
        if not isinstance(cursor, QRect):
            cursor = cursor.toRect()
        line = QRect(0, cursor.top() - Space.S, focus.width(), cursor.height() + 2 * Space.S)
        return line.translated(focus.mapTo(window, QPoint()))

    def _on_focus_changed(self, old: QWidget | None, now: QWidget | None) -> None:
        """Keep the keyboard off the toasts when what had it is hidden or disabled."""
        has_come = now is not None and self.isAncestorOf(now)
        if has_come and old is not None and isValid(old) and not (old.isVisible() and old.isEnabled()):
            other = None if self.isAncestorOf(old) else self._before_in_chain(old)
            if other is not None:
                other.setFocus(Qt.FocusReason.OtherFocusReason)
                return
        self._place()

    def _before_in_chain(self, start: QWidget) -> QWidget | None:
        """Return the last widget before one that the Tab key reaches, without the toasts."""
        widget: QWidget | None = start.previousInFocusChain()
        while widget is not None and widget is not start:
            takes_tab = bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus)
            if takes_tab and widget.isVisible() and widget.isEnabled() and not self.isAncestorOf(widget):
                return widget
            widget = widget.previousInFocusChain()
        return None

    def _give_focus_back(self, toast: Toast) -> None:
        """Return the keyboard to the widget it came from.

        Qt would send it to the window's first button.
        """
        focus, before, self._before = QApplication.focusWidget(), self._before, None
        if focus is None or not toast.isAncestorOf(focus):
            self._before = before
        elif before is not None and isValid(before) and before.isVisible():
            before.setFocus(Qt.FocusReason.OtherFocusReason)

    def _drop(self, toast: Toast) -> None:
        if toast not in self._toasts:
            return
        self._toasts.remove(toast)
        self._give_focus_back(toast)
        self._column.removeWidget(toast)
        toast.hide()
        toast.deleteLater()
        self.setVisible(bool(self._toasts))


def _region_of(toasts: list[Toast]) -> QRegion:
    """Return what ``toasts`` cover of their stack."""
    region = QRegion()
    for toast in toasts:
        region |= QRegion(toast.geometry())
    return region
