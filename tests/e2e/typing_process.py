"""``python -m tests.e2e.typing_process``: the real program, in which somebody types into a proposal without a pause.

Each line on standard output is what the field holds.
"""

import sys
from typing import Any

from PySide6.QtCore import QTimer
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QApplication, QPlainTextEdit

from ui import app
from ui.panes.inbox.pane import InboxPane
from ui.panes.pane import Place
from ui.window import Window

_EVERY_MS = 50


class Typist:
    """Opens the first proposal and types into its text, a letter at a time."""

    def __init__(self, application: QApplication) -> None:
        self._timer = QTimer(application)
        self._timer.timeout.connect(self._act)
        self._timer.start(_EVERY_MS)

    def _act(self) -> None:
        window = next(
            (topLevelWidget for topLevelWidget in QApplication.topLevelWidgets() if isinstance(topLevelWidget, Window)),
            None,
        )
        if window is None or window.panes is None or window.panes.front is None:
            return
        pane = window.panes.front
        if not isinstance(pane, InboxPane):
            window.go(Place("inbox"))
            return
        form = pane.page.form
        field = form.fields.get("content")
        if isinstance(field, QPlainTextEdit):
            field.moveCursor(QTextCursor.MoveOperation.End)
            field.insertPlainText("x")
            sys.stdout.write(f"{field.toPlainText()}\n")
            sys.stdout.flush()
        elif pane.page.edit.isVisible():
            pane.page.edit.click()


def main() -> int:
    """Run the program; its arguments are the window's own."""
    typists: list[Typist] = []
    make = app.make_application

    def watched(*arguments: Any) -> QApplication:
        application = make(*arguments)
        typists.append(Typist(application))
        return application

    app.make_application = watched
    return app.main()


if __name__ == "__main__":
    sys.exit(main())
