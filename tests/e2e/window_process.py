"""``python -m tests.e2e.window_process``: start the real program, print as JSON what its window says, and quit."""

import json
import sys
from typing import Any

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from ui import app
from ui.window import Window

_EVERY_MS = 50


class WindowReader:
    """Looks at the window until the vault is open or cannot be opened."""

    def __init__(self, application: QApplication) -> None:
        self.said: dict[str, Any] = {}
        self._timer = QTimer(application)
        self._timer.timeout.connect(self._look)
        self._timer.start(_EVERY_MS)

    def _look(self) -> None:
        window = next(
            (topLevelWidget for topLevelWidget in QApplication.topLevelWidgets() if isinstance(topLevelWidget, Window)),
            None,
        )
        if window is None or self.said:
            return
        page, is_open = window.start_page, window.panes is not None and "session" in window.status_line.text
        if not is_open and not page.retry.isVisibleTo(window):
            return
        self.said = {
            "open": is_open,
            "text": page.text,
            "remedies": [remedy.value for remedy, button in page.remedies.items() if button.isVisible()],
            "status": window.status_line.text,
            "title": window.windowTitle(),
            "banner": window.banner.text,
            "mode": window.mode_banner.text if window.mode_banner.isVisible() else "",
        }
        self._timer.stop()
        window.quit_requested.emit()


def main() -> int:
    """Run the program; its arguments are the window's own."""
    readers: list[WindowReader] = []
    make = app.make_application

    def watched(*arguments: Any) -> QApplication:
        application = make(*arguments)
        readers.append(WindowReader(application))
        return application

    app.make_application = watched
    status = app.main()
    sys.stdout.write(f"{json.dumps(readers[0].said)}\n")
    return status


if __name__ == "__main__":
    sys.exit(main())
