"""Search models dialog: the active model, the next one, and how many questions each finds."""

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QWidget

from app.errors import CancelledByPersonError, KeepsakeError
from ui import operations
from ui.dialogs.base_dialog import BaseDialog, hairline, note
from ui.dialogs.models.comparison_panel import ComparisonPanel
from ui.dialogs.models.model_rows import ModelRows
from ui.dialogs.models.prepare_form import PrepareForm, lacks_files
from ui.dialogs.models.rereading_form import READING_JOB, SETTING, RereadingForm
from ui.engine_texts import engine_report, error_text
from ui.notice import Notice
from ui.style.design_tokens import Space
from ui.work import Work

if TYPE_CHECKING:
    from app.changes import Progress
    from app.index.generations.model import EmbeddingStatus, GenerationInfo
    from ui.bridge import Bridge
    from ui.typed_call import TypedCall

JOB: Final = "embedding"
_MAY_FETCH: Final = "embedding.allow_download"


class ModelsDialog(BaseDialog):
    """Dialog about search models. Closing it stops nothing."""

    notice = Signal(object)

    def __init__(self, bridge: "Bridge", window: QWidget | None = None) -> None:
        super().__init__(self.tr("Search models"), window)
        self._bridge = bridge
        self._work = Work(self, bridge)
        self._may_fetch = False
        self.rows = ModelRows(self)
        self.preparing = PrepareForm(self)
        self.wanted, self.waits, self.prepare = self.preparing.wanted, self.preparing.waits, self.preparing.prepare
        self.comparing = ComparisonPanel(bridge, self)
        self.rereading = RereadingForm(self)
        self._error = note("", self, "body danger")
        self._error.hide()
        self._notes = note("", self, "small warning")
        self._notes.hide()
        self.body.setSpacing(Space.L)
        searching = (self.rows, self.comparing, hairline(self), self.preparing, hairline(self), self.rereading)
        for widget in (self._error, self._notes, *searching):
            self.body.addWidget(widget)
        self.body.addStretch(1)
        self.rows.requested.connect(self._on_rows_requested)
        self.preparing.requested.connect(self._on_preparing_requested)
        self.preparing.fetch_requested.connect(self._on_preparing_fetch_requested)
        self.preparing.stop_requested.connect(self._on_preparing_stop_requested)
        self.rereading.chosen.connect(self._on_rereading_chosen)
        bridge.progressed.connect(self._on_bridge_progressed)
        self._work.on_areas({"index", "settings"}, self._on_index_changed)

    @property
    def is_busy(self) -> bool:
        """Busy state: closing only hides the dialog while work is going on."""
        return self.preparing.is_busy or self.comparing.is_busy

    def bring_to_front(self) -> None:
        """Show how it stands."""
        super().bring_to_front()
        self._work.start(self._learn())

    async def load(self) -> None:
        """Fetch how it stands and show it."""
        try:
            status: EmbeddingStatus = await self._bridge.call(operations.embedding.status())
            settings = await self._bridge.call(operations.settings.list())
        except KeepsakeError as error:
            self._tell(error)
            return
        values = {setting.name: setting.value for setting in settings}
        self._may_fetch = bool(values.get(_MAY_FETCH))
        self.rereading.show_model(str(values.get(SETTING, "")))
        self.rereading.show_progress(status.token_vectors)
        self.rows.show_status(status)
        self._notes.setText("\n".join(map(engine_report, status.notes)))
        self._notes.setVisible(bool(status.notes))
        self.comparing.follow(status)

    async def _learn(self) -> None:
        await self.load()
        try:
            advice = await self._bridge.call(operations.embedding.advice())
        except KeepsakeError:
            return  # ``load`` has said what is wrong
        self.preparing.show_advice(advice)

    async def _do(self, call: "TypedCall[object]", done: str = "") -> bool:
        """Call an operation, show how it stands then, and tell of it.

        Return whether it was done.
        """
        self._error.hide()
        try:
            await self._bridge.call(call)
        except KeepsakeError as error:
            self._tell(error)
            return False
        if done:
            self.notice.emit(Notice(done))
        await self.load()
        return True

    async def _prepare(self, model: str, folder: str, *, waits: bool) -> None:
        """Choose a model; where it is not on this machine, offer what helps."""
        known = {"folder": folder} if folder else {}
        self._error.hide()
        self.preparing.show_missing("", may_fetch=False)
        self.preparing.show_stopped("")
        self.preparing.show_busy(model)
        self._reveal_news()
        try:
            await self._bridge.call(operations.embedding.change(model=model, waits=waits, **known))
        except CancelledByPersonError:
            self.preparing.show_stopped(model)
        except KeepsakeError as error:
            self._tell(error)
            if lacks_files(error):
                if error.data["reason"] == "missing":  # a setting's name helps nobody here; the buttons do
                    self._error.setText(self.tr("The model {model} is not on this machine.").format(model=model))
                self.preparing.show_missing(model, may_fetch=self._may_fetch)
        else:
            if self.wanted.currentText().strip() == model:
                self.wanted.setCurrentText("")
        self.preparing.show_busy("")
        self._reveal_news()
        await self.load()

    def _reveal_news(self) -> None:
        """Scroll to what appeared, out of sight in a low window.

        There is room for it only after the next layout.
        """

        def reveal() -> None:
            if (news := self.preparing.news()) is not None:
                self.bring_into_sight(news)

        QTimer.singleShot(0, self, reveal)

    async def _fetch(self, model: str) -> None:
        """Allow fetching, since the person said so, and try again."""
        if await self._do(operations.settings.set(name=_MAY_FETCH, value=True)):
            await self._prepare(model, "", waits=self.waits.isChecked())

    async def _choose_reranker(self, model: str) -> None:
        if not await self._do(operations.settings.set(name=SETTING, value=model)):
            self.rereading.restore()

    def _tell(self, error: KeepsakeError) -> None:
        self._error.setText(error_text(error))
        self._error.show()

    # --- what the person does ---

    def _on_rows_requested(self, what: str, info: "GenerationInfo") -> None:
        if what == "compare":
            self.comparing.compare(info.id)
        elif what == "pause":
            self._work.start(self._do(operations.embedding.pause()))
        elif what == "resume":
            self._work.start(self._do(operations.embedding.resume()))
        elif what == "prepare":
            self._work.start(self._prepare(info.model, "", waits=self.waits.isChecked()))
        elif what == "give_up":
            self._work.start(self._do(operations.embedding.rollback()))
        elif what == "switch":
            notice = self.tr("The new model answers as soon as its last texts are in")
            self._work.start(self._do(operations.embedding.switch(), notice))
        else:
            notice = self.tr("The earlier model answers searches again")
            self._work.start(self._do(operations.embedding.rollback(generation=info.id), notice))

    def _on_preparing_requested(self, model: str, folder: str, waits: bool) -> None:
        self._work.start(self._prepare(model, folder, waits=waits))

    def _on_preparing_fetch_requested(self, model: str) -> None:
        self._work.start(self._fetch(model))

    def _on_preparing_stop_requested(self, job: str) -> None:
        self._work.start(self._bridge.call(operations.job.cancel(job=job)))

    def _on_rereading_chosen(self, model: str) -> None:
        self._work.start(self._choose_reranker(model))

    def _on_bridge_progressed(self, progress: "Progress") -> None:
        self.comparing.show_progress(progress)
        self.preparing.show_progress(progress)
        if progress.job not in {JOB, READING_JOB} or not self.isVisible():
            return
        if progress.state != "running":
            self._work.refresh(self.load())
        elif progress.job == JOB:
            self.rows.show_progress(progress)

    def _on_index_changed(self) -> None:
        if self.isVisible():
            self._work.refresh(self.load())
