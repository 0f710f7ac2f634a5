"""Notice at the start about an import that was cut off."""

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.errors import KeepsakeError
from ui import operations
from ui.notice import Notice
from ui.work import Work

if TYPE_CHECKING:
    from app.exchange.model import UnfinishedImport
    from ui.bridge import Bridge


class CutOffImports(QObject):
    """Emits a notice about the latest import that was cut off.

    Args:
        bridge: The way to the engine.
        parent: The Qt parent.
    """

    notice = Signal(object)  # Notice

    def __init__(self, bridge: "Bridge", parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        Work(self, bridge).refresh(self._look())

    async def _look(self) -> None:
        try:
            imports: list[UnfinishedImport] = await self._bridge.call(operations.exchange.unfinished())
        except KeepsakeError:
            return  # nothing is lost: the import sheet asks again
        if imports:
            words = self.tr("The import of {name} was cut off. Open Import to go on; nothing is added twice.")
            self.notice.emit(Notice(words.format(name=Path(imports[0].path).name), seconds=20.0))
