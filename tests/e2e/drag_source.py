"""``python -m tests.e2e.drag_source FILE X Y``: a small window from which a file can be dragged."""

import sys
from pathlib import Path

from PySide6.QtCore import QMimeData, Qt, QUrl
from PySide6.QtGui import QDrag, QMouseEvent
from PySide6.QtWidgets import QApplication, QLabel


class DragSource(QLabel):
    """Label that stands for a file."""

    def __init__(self, path: Path) -> None:
        super().__init__(path.name)
        self._path = path

    def mouseMoveEvent(self, _event: QMouseEvent) -> None:
        """Drag the file."""
        drag, data = QDrag(self), QMimeData()
        data.setUrls([QUrl.fromLocalFile(str(self._path))])
        drag.setMimeData(data)
        drag.exec(Qt.DropAction.CopyAction)


def main() -> int:
    """Show the window until the process is ended."""
    application = QApplication(sys.argv[:1])
    source = DragSource(Path(sys.argv[1]))
    source.setWindowFlag(Qt.WindowType.FramelessWindowHint)
    source.setWindowTitle(source.text())
    source.setGeometry(int(sys.argv[2]), int(sys.argv[3]), 120, 60)
    source.show()
    return application.exec()


if __name__ == "__main__":
    sys.exit(main())
