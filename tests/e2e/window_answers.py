"""``python -m tests.e2e.window_answers``: the real program, which says on request how its window stands.

Each line on standard input is answered by one line of JSON. Keys and mouse come from outside, through the X server.
"""

import json
import sys
from typing import Any

from PySide6.QtCore import QPoint, QSocketNotifier
from PySide6.QtWidgets import QApplication, QLineEdit, QMenu, QMessageBox, QWidget

from ui import app
from ui.window import Window


def _window() -> Window | None:
    return next(
        (topLevelWidget for topLevelWidget in QApplication.topLevelWidgets() if isinstance(topLevelWidget, Window)),
        None,
    )


def state() -> dict[str, Any]:
    """Return what is in front, where the keyboard is, and what popped up."""
    window, focus, popup = _window(), QApplication.focusWidget(), QApplication.activePopupWidget()
    if window is None or window.panes is None or window.panes.front is None:
        return {}
    sheet = window.sheets.front
    field = window.panes.front.findChild(QLineEdit)
    boxes = [box.text() for box in window.findChildren(QMessageBox) if box.isVisible()]
    corner = window.geometry()
    return {
        "pane": window.panes.front.name,
        "sheet": type(sheet).__name__ if sheet is not None else "",
        "focus": _name(focus),
        "typed": focus.text() if isinstance(focus, QLineEdit) else "",
        "field": _centre(field) if field is not None else [0, 0],
        "menu": [action.text() for action in popup.actions() if action.text()] if isinstance(popup, QMenu) else [],
        "popup": type(popup).__name__ if popup is not None else "",
        "active": window.isActiveWindow(),
        "shown": window.isVisible() and not window.isMinimized(),
        "question": boxes,
        "geometry": [corner.x(), corner.y(), corner.width(), corner.height()],
        "centre": _centre(window),
        "status": window.status_line.text,
    }


def _name(widget: QWidget | None) -> str:
    return f"{type(widget).__name__}: {widget.accessibleName()}" if widget is not None else ""


def _centre(widget: QWidget) -> list[int]:
    place = widget.mapToGlobal(QPoint(widget.width() // 2, widget.height() // 2))
    return [place.x(), place.y()]


def main() -> int:
    """Run the program; its arguments are the window's own."""
    make = app.make_application

    def answering(*arguments: Any) -> QApplication:
        application = make(*arguments)
        notifier = QSocketNotifier(sys.stdin.fileno(), QSocketNotifier.Type.Read, application)
        notifier.activated.connect(_answer)
        return application

    def _answer() -> None:
        if not sys.stdin.readline():
            return
        sys.stdout.write(f"{json.dumps(state())}\n")
        sys.stdout.flush()

    app.make_application = answering
    return app.main()


if __name__ == "__main__":
    sys.exit(main())
