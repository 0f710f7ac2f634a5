"""Field for the project of a memory or conversation, as the person calls it."""

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QCoreApplication, QModelIndex, QStringListModel, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QCompleter, QWidget

from app.entities.model import EntityFilter
from app.errors import KeepsakeError
from ui import operations, theme
from ui.widgets.fields.completion_popup import CompletionPopup
from ui.widgets.fields.edited_title import EditedTitle
from ui.work import Work

if TYPE_CHECKING:
    from ui.bridge import Bridge

_PAUSE_MS: Final = 90
_LIMIT: Final = 20
_LEAST_WIDTH: Final = 200  # of the list of known projects


class ProjectField(EditedTitle):
    """Field that shows a project and completes the known ones; empty for none.

    Args:
        bridge: Answers what the person calls a project.
        parent: Its parent.
    """

    chosen = Signal(str)
    """The person named another project, or none."""

    def __init__(self, bridge: "Bridge", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._work = Work(self, bridge)
        self._owner = ""
        self._name = ""
        self._called = ""
        self.setAccessibleName(self.tr("Project"))
        self.setPlaceholderText(self.tr("No project"))
        theme.set_type(self, "small")
        self._known = QStringListModel(self)
        self._popup = CompletionPopup(self.tr("Known projects"))
        self._completer = QCompleter(self._known, self)
        self._completer.setWidget(self)
        self._completer.setPopup(self._popup)
        self._completer.setCompletionMode(QCompleter.CompletionMode.UnfilteredPopupCompletion)
        self._popup.clicked.connect(self._take)
        self.textEdited.connect(self._on_text_edited)
        self.committed.connect(self._on_committed)
        self._work.on_areas(frozenset({"entities"}), self._on_entities_changed)

    def show_project(self, owner: str, name: str) -> None:
        """Show the project of a memory or conversation; what is being typed is left alone.

        Args:
            owner: Its id.
            name: The name that it keeps, ``""`` for none.
        """
        is_typing = owner == self._owner and self.hasFocus() and self.text() != self._before
        if name != self._name:
            self._called = name
        self._owner, self._name = owner, name
        if not is_typing:
            self.show_title(self._called)
        self._work.latest(self._call, owner, name)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Take the chosen completion with Enter, close the list with Esc."""
        if self._popup.isVisible() and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Escape):
            index = self._popup.currentIndex()
            self._popup.hide()
            if event.key() == Qt.Key.Key_Escape:
                return
            if index.isValid():
                self.setText(str(index.data()))
        super().keyPressEvent(event)

    async def _call(self, owner: str, name: str) -> None:
        """Show what the person calls the project."""
        if not name:
            return
        wanted = EntityFilter(name=name, types=("project",))
        try:
            rows = await self._bridge.call(operations.entity.list(filter=wanted, limit=1))
        except KeepsakeError:
            return  # the name that it keeps is shown
        self._called = rows[0].name if rows else name
        if not (self.hasFocus() and self.text() != self._before):
            self.show_title(self._called)

    async def _offer(self) -> None:
        text = self.text().strip()
        wanted = EntityFilter(text=text, types=("project",))
        try:
            rows = await self._bridge.call(operations.entity.list(filter=wanted, limit=_LIMIT))
        except KeepsakeError:
            rows = []  # typing goes on without completion
        self._known.setStringList([row.name for row in rows])
        if not rows or not self.hasFocus():
            self._popup.hide()
            return
        spot = self.rect().translated(0, 4)
        spot.setWidth(max(self.width(), _LEAST_WIDTH))
        self._completer.complete(spot)

    def _take(self, index: QModelIndex) -> None:
        self._popup.hide()
        self.setText(str(index.data()))
        self._leave()

    def _on_text_edited(self) -> None:
        self._work.after(_PAUSE_MS, self._on_pause)

    def _on_pause(self) -> None:
        if self.hasFocus():
            self._work.latest(self._offer)

    def _on_committed(self, text: str) -> None:
        self._work.cancel(self._on_pause)
        self._work.cancel(self._offer)
        if text.strip() == self._called:
            self.show_title(self._called)
        else:
            self.chosen.emit(text.strip())

    def _on_entities_changed(self) -> None:
        self._work.latest(self._call, self._owner, self._name)


def project_words(name: str) -> str:
    """Return the sentence of a change of project, with ``{title}`` for its name."""
    translate = QCoreApplication.translate
    if not name:
        return translate("ProjectField", "It is in no project now")
    return translate("ProjectField", "It is in the project ‘{title}’ now")
