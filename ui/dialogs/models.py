"""Search models: what answers by meaning, what is being made to take its place, and what that would change."""

from typing import TYPE_CHECKING, Any, Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QHBoxLayout, QLabel, QScrollArea, QTabWidget, QVBoxLayout, QWidget
from shiboken6 import isValid

from app.config.schema import RECIPES
from app.errors import KeepsakeError
from ui import theme
from ui.dialogs.comparing import Comparing
from ui.dialogs.modelrows import ModelRows
from ui.dialogs.sheet import Sheet, hairline, note
from ui.navigation import Place
from ui.panes.base import Notice
from ui.tokens import Space
from ui.widgets.button import text_button

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.changes import ChangeSet, Progress
    from app.index.generations_model import EmbeddingStatus, GenerationInfo
    from app.retrieval.side_by_side_model import SideHit
    from ui.bridge import Bridge

SIZE: Final = (1060, 760)
JOB: Final = "embedding"
SUGGESTED: Final = (
    "static",
    "fastembed:BAAI/bge-small-en-v1.5",
    "fastembed:sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2",
    "openai:text-embedding-3-small",
)


class Models(Sheet):
    """Two pages: the models there are, and two answers side by side. Hiding it stops nothing."""

    notice = Signal(object)
    navigate = Signal(object)

    def __init__(self, bridge: "Bridge", window: QWidget | None = None) -> None:
        super().__init__(self.tr("Search models"), window)
        self._bridge = bridge
        self._recipe = ""
        scale = theme.current().scale
        self.resize(round(SIZE[0] * scale), round(SIZE[1] * scale))
        if (screen := self.screen()) is not None:
            self.resize(self.size().boundedTo(screen.availableSize()))
        self.rows = ModelRows(self)
        self.comparing = Comparing(bridge, self)
        self._error = note("", self, "body danger")
        self._error.hide()
        self._notes = note("", self, "small warning")
        self._notes.hide()
        self._tabs = QTabWidget(self)
        self._tabs.setAccessibleName(self.tr("Pages"))
        self._tabs.addTab(self._models_page(), self.tr("Models"))
        self._tabs.addTab(self.comparing, self.tr("Compare"))
        for widget in (self._error, self._notes):
            self.body.addWidget(widget)
        self.body.addWidget(self._tabs, 1)
        close = self.add_button(text_button(self.tr("Close"), parent=self))
        close.clicked.connect(self.hide)
        self.rows.asked.connect(self._on_rows_asked)
        self.comparing.use_asked.connect(self._on_use_asked)
        self.comparing.opened.connect(self._on_hit_opened)
        bridge.progressed.connect(self._on_bridge_progressed)
        bridge.changed.connect(self._on_bridge_changed)

    def bring(self, searches: "Sequence[str]" = ()) -> None:
        """Show how it stands, with ``searches`` of the person to compare."""
        super().bring()
        self.comparing.set_queries(searches)
        self._bridge.start(self._learn())

    async def load(self) -> None:
        """Fetch how it stands and show it."""
        try:
            status: EmbeddingStatus = await self._bridge.call("embedding.status")
            settings = await self._bridge.call("settings.list")
        except KeepsakeError as error:
            self._tell(error)
            return
        if not isValid(self):
            return
        self._recipe = next((str(one.value) for one in settings if one.name == "search.recipe"), "")
        self.rows.show_status(status)
        self._notes.setText("\n".join(status.notes))
        self._notes.setVisible(bool(status.notes))
        self.comparing.offer(status, self._recipe, RECIPES)

    async def _learn(self) -> None:
        await self.load()
        try:
            advice = await self._bridge.call("embedding.advice")
        except KeepsakeError:
            return  # ``load`` has said what is wrong
        if isValid(self):
            self._advice.setText(advice)
            self._advice.setVisible(bool(advice))

    def _models_page(self) -> QWidget:
        page = QWidget(self)
        area = QScrollArea(page)
        area.setWidgetResizable(True)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        inner = QWidget(area)
        inner.setObjectName("sheet")
        list_column = QVBoxLayout(inner)
        list_column.setContentsMargins(0, 0, Space.M, 0)
        list_column.setSpacing(Space.L)
        list_column.addWidget(self.rows)
        list_column.addWidget(hairline(inner))
        list_column.addLayout(self._preparing(inner))
        list_column.addStretch(1)
        area.setWidget(inner)
        column = QVBoxLayout(page)
        column.setContentsMargins(0, Space.S, 0, 0)
        column.addWidget(area, 1)
        return page

    def _preparing(self, page: QWidget) -> QVBoxLayout:
        head = QLabel(self.tr("Prepare another model"), page)
        theme.set_type(head, "strong")
        about = note(
            self.tr(
                "Its vectors are made in the background while the old model answers; the old ones are kept for a week"
                " after the switch. A service on the network gets to see what is searched for and what is not private."
            ),
            page,
        )
        self._advice = note("", page, "small accent")
        self._advice.hide()
        self.wanted = QComboBox(page)
        self.wanted.setEditable(True)
        self.wanted.addItems(SUGGESTED)
        self.wanted.setCurrentText("")
        self.wanted.setAccessibleName(self.tr("Name of the model to prepare"))
        line = self.wanted.lineEdit()
        if line is not None:
            line.setPlaceholderText(self.tr("Name of a model, such as fastembed:BAAI/bge-small-en-v1.5"))
            line.setAccessibleName(self.tr("Name of the model to prepare"))
        self.waits = QCheckBox(self.tr("Let me compare before it answers"), page)
        self.waits.setChecked(True)
        self.prepare = text_button(self.tr("Prepare"), parent=page)
        self.prepare.clicked.connect(self._on_prepare_clicked)
        row = QHBoxLayout()
        row.setSpacing(Space.M)
        row.addWidget(self.wanted, 1)
        row.addWidget(self.waits)
        row.addWidget(self.prepare)
        column = QVBoxLayout()
        column.setSpacing(Space.XS)
        for widget in (head, about, self._advice):
            column.addWidget(widget)
        column.addSpacing(Space.S)
        column.addLayout(row)
        return column

    async def _do(self, operation: str, done: str = "", **arguments: Any) -> None:
        """Call an operation, show how it stands then, and tell of it."""
        self._error.hide()
        try:
            await self._bridge.call(operation, **arguments)
        except KeepsakeError as error:
            self._tell(error)
            return
        if done:
            self.notice.emit(Notice(done))
        await self.load()

    def _tell(self, error: KeepsakeError) -> None:
        if isValid(self):
            self._error.setText(error.message)
            self._error.show()

    # --- what the person does ---

    def _on_rows_asked(self, what: str, info: "GenerationInfo") -> None:
        if what == "compare":
            self.comparing.choose_generation(info.id)
            self._tabs.setCurrentWidget(self.comparing)
            self.comparing.go.setFocus()
        elif what in ("pause", "resume"):
            self._bridge.start(self._do(f"embedding.{what}"))
        elif what == "prepare":
            self._bridge.start(self._do("embedding.change", model=info.model, waits=self.waits.isChecked()))
        elif what == "give_up":
            self._bridge.start(self._do("embedding.rollback"))
        else:
            self._on_use_asked(what, info.id)

    def _on_use_asked(self, what: str, which: object) -> None:
        if what == "switch":
            told = self.tr("The new model answers as soon as its last texts are in")
            self._bridge.start(self._do("embedding.switch", told))
        elif what == "return":
            told = self.tr("The earlier model answers searches again")
            self._bridge.start(self._do("embedding.rollback", told, generation=which))
        else:
            told = self.tr("Searches are ranked by ‘{name}’ from now on").format(name=which)
            self._bridge.start(self._do("settings.set", told, name="search.recipe", value=which))

    def _on_prepare_clicked(self) -> None:
        model = self.wanted.currentText().strip()
        if not model:
            self.wanted.setFocus()
            return
        self._bridge.start(self._do("embedding.change", model=model, waits=self.waits.isChecked()))

    def _on_hit_opened(self, hit: "SideHit") -> None:
        session, _, seq = hit.id.rpartition("#")
        place = Place("sessions", session, seq, title=hit.title) if session else Place("notes", hit.id, title=hit.title)
        self.navigate.emit(place)

    def _on_bridge_progressed(self, progress: "Progress") -> None:
        self.comparing.show_progress(progress)
        if progress.job != JOB or not self.isVisible():
            return
        if progress.state == "running":
            self.rows.show_progress(progress)
        else:
            self._bridge.start(self.load())

    def _on_bridge_changed(self, changes: "ChangeSet") -> None:
        if self.isVisible() and changes.areas & {"index", "settings"}:
            self._bridge.start(self.load())
