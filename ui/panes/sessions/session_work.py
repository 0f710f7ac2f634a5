"""Work on conversations that takes a while: draw facts, summarise, condense, export."""

from collections.abc import Coroutine, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QFileDialog

from app.core.text import excerpt
from app.errors import KeepsakeError
from app.sessions.model import Session
from ui import operations
from ui.engine_texts import engine_report
from ui.models.dates import counted, format_number
from ui.panes.reading_pane import TITLE, ReadingPane, history_of

if TYPE_CHECKING:
    from app.exchange.model import ExportReport
    from app.upkeep.consolidation.model import ConsolidationReport
    from ui.typed_call import TypedCall

SessionFormat = Literal["markdown", "jsonl"]
SUFFIXES = {"markdown": "md", "jsonl": "jsonl"}


class SessionWork(QObject):
    """Runs such work, a piece at a time, and reports the result with its undo.

    Args:
        pane: The pane that shows notices and runs work in the background.
    """

    changed = Signal(str)
    """The work in progress in words, ``""`` when it is over."""

    def __init__(self, pane: ReadingPane) -> None:
        super().__init__(pane)
        self._pane = pane
        self._doing = ""

    @property
    def doing(self) -> str:
        """The work under way in words, ``""`` for none."""
        return self._doing

    def draw_facts(self, sessions: Sequence[Session]) -> None:
        """Draw the lasting facts of conversations now."""
        self._start(self.tr("Drawing facts from it…"), self._draw_facts(sessions))

    def summarise(self, session: Session) -> None:
        """Renew the summary of a conversation's older messages."""
        work = self._condense(session, operations.session.summary.roll(session=session.id, force=True))
        self._start(self.tr("Summarising its older messages…"), work)

    def compact(self, session: Session) -> None:
        """Condense all but the latest messages of a conversation into its summary."""
        work = self._condense(session, operations.session.compact(session=session.id))
        self._start(self.tr("Condensing all but its latest messages…"), work)

    def export(self, session: Session, form: SessionFormat) -> None:
        """Ask for a file, and write a conversation to it.

        Args:
            session: The conversation.
            form: ``markdown`` or ``jsonl``.
        """
        box = QFileDialog(self._pane, self.tr("Export the conversation"))
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        box.setDefaultSuffix(SUFFIXES[form])
        stem = "".join(sign if sign.isalnum() or sign in " -_" else " " for sign in self._title(session))
        box.selectFile(f"{' '.join(stem.split())[:60].strip()}.{SUFFIXES[form]}")
        box.fileSelected.connect(partial(self.export_to, session, form))
        box.open()

    def export_to(self, session: Session, form: SessionFormat, path: str) -> None:
        """Write a conversation to the file ``path``."""
        self._start(self.tr("Exporting it…"), self._export(session, form, path))

    # --- work ---

    def _start(self, words: str, work: Coroutine[Any, Any, None]) -> None:
        if self._doing:
            work.close()
            self._pane.show_notice(self.tr("Wait a moment: {work}").format(work=self._doing))
            return
        self._tell(words)
        self._pane.work.start(work, self._pane.show_error, partial(self._tell, ""))

    def _tell(self, words: str) -> None:
        self._doing = words
        self.changed.emit(words)

    async def _draw_facts(self, sessions: Sequence[Session]) -> None:
        history: list[int] = []
        added = known = replaced = 0
        failure: KeepsakeError | None = None
        try:
            for session in sessions:
                reply = await self._pane.bridge.reply(operations.session.consolidate(session=session.id))
                report: ConsolidationReport = reply.value
                history += report.history_ids
                added += len(report.added)
                known += len(report.merged)
                replaced += len(report.superseded)
        except KeepsakeError as error:
            failure = error
        if history:  # what was done before a failure is told too, so that it can be undone
            self._tell_facts(added, known, replaced, tuple(history))
        if failure is not None:
            raise failure
        if not history:
            self._pane.show_notice(self.tr("Nothing new to remember was found."))

    def _tell_facts(self, added: int, known: int, replaced: int, history: tuple[int, ...]) -> None:
        parts = [
            (added, self.tr("1 new fact"), self.tr("{n} new facts")),
            (known, self.tr("1 known one confirmed"), self.tr("{n} known ones confirmed")),
            (replaced, self.tr("1 older one changed"), self.tr("{n} older ones changed")),
        ]
        words = ", ".join(counted(count, single, many) for count, single, many in parts if count)
        sentence = self.tr("Facts were drawn from it")
        if words:
            sentence = self.tr("Drawn from it: {facts}").format(facts=words)
        self._pane.show_notice(sentence, history)

    async def _condense(self, session: Session, call: "TypedCall[Any]") -> None:
        reply = await self._pane.bridge.reply(call)
        done = reply.value
        if done.reason == "stale":
            self._pane.show_notice(self.tr("Somebody else summarised it meanwhile; that summary stands."))
            return
        if not done.applied:
            self._pane.show_notice(self.tr("It is short enough: there is nothing to condense."))
            return
        words = counted(
            done.condensed,
            self.tr("1 message of ‘{title}’ stands in its summary now; in full: {rest}"),
            self.tr("{n} messages of ‘{title}’ stand in its summary now; in full: {rest}"),
        )
        sentence = words.format(title=excerpt(self._title(session), TITLE), rest=format_number(done.retained))
        if done.note:
            sentence = f"{sentence}. {engine_report(done.note)}"
        self._pane.show_notice(sentence, history_of(reply))

    async def _export(self, session: Session, form: SessionFormat, path: str) -> None:
        report: ExportReport = await self._pane.bridge.call(
            operations.exchange.export_session(session=session.id, path=path, format=form)
        )
        messages = counted(report.messages, self.tr("1 message"), self.tr("{n} messages"))
        self._pane.show_notice(self.tr("Exported {messages} to {path}").format(messages=messages, path=report.path))

    def _title(self, session: Session) -> str:
        return session.label or self.tr("Untitled conversation")
