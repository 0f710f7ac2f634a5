"""Card about an import that was cut off, to go on with it."""

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from app.errors import KeepsakeError
from ui import operations, theme
from ui.dialogs.confirm_card import ConfirmCard
from ui.engine_texts import error_text
from ui.models.dates import full_date
from ui.work import Work

if TYPE_CHECKING:
    from app.exchange.model import UnfinishedImport
    from ui.bridge import Bridge


class CutOffCard(ConfirmCard):
    """The latest import that was cut off; hidden where there is none.

    Args:
        bridge: The way to the engine.
        parent: The Qt parent.
    """

    chosen = Signal(str)
    """The person wants to go on with the import of this file or folder."""

    def __init__(self, bridge: "Bridge", parent: QWidget | None = None) -> None:
        super().__init__("", "", parent)
        self._bridge = bridge
        self._work = Work(self, bridge)
        self._found: UnfinishedImport | None = None
        theme.set_type(self.text, "small muted")
        self.dismiss, self.go_on = self.cancel, self.confirm
        self.dismiss.setText(self.tr("Leave it as it is"))
        self.go_on.setText(self.tr("Go on…"))
        self.dismiss.clicked.connect(self._on_dismiss_clicked)
        self.go_on.clicked.connect(self._on_go_on_clicked)
        self.load()

    def load(self) -> None:
        """Look for an import that was cut off."""
        self._work.refresh(self._load())

    async def _load(self) -> None:
        try:
            imports: list[UnfinishedImport] = await self._bridge.call(operations.exchange.unfinished())
        except KeepsakeError:
            return  # choosing the file again goes on as well
        self._found = imports[0] if imports else None
        self.setVisible(self._found is not None)
        if self._found is not None:
            self.title.setText(self.tr("The import of {name} was cut off").format(name=Path(self._found.path).name))
            words = self.tr(
                "It began on {day}. What it brought in so far is there; going on adds the rest, nothing twice."
            )
            self.text.setText(words.format(day=full_date(self._found.begun_at)))

    async def _dismiss(self, run_id: str) -> None:
        await self._bridge.call(operations.exchange.dismiss(run_id=run_id))
        await self._load()

    def _tell(self, error: KeepsakeError) -> None:
        self.text.setText(error_text(error))

    def _on_dismiss_clicked(self) -> None:
        if self._found is not None:
            self._work.start(self._dismiss(self._found.run_id), self._tell)

    def _on_go_on_clicked(self) -> None:
        if self._found is not None:
            self.chosen.emit(self._found.path)
