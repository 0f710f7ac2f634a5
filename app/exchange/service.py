"""Import and export service: long work that reports progress and can be stopped.

Files are read in a thread and stored batch by batch.
"""

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Literal, Protocol

from app.core.stores import StoreName
from app.entities.model import GraphView
from app.errors import CancelledByPersonError, FormatError, InputError
from app.exchange import attachment_files
from app.exchange.exporting.exporters import Exportable, Exporter, JsonlExporter
from app.exchange.exporting.folder_exporter import FolderExporter, complete_file
from app.exchange.exporting.transcript_exporter import TranscriptExporter
from app.exchange.format_registry import account_of, exporter_of, reader_of
from app.exchange.formats import memory_file
from app.exchange.formats.detect import detect, preview
from app.exchange.formats.known_formats import SPECS, SUPPORTED
from app.exchange.formats.own import encrypted_export
from app.exchange.importing import folder_plan
from app.exchange.importing.batches import Batch, BatchReader, Intake, Storable
from app.exchange.importing.folder_plan import FolderPlan
from app.exchange.importing.import_run import new_import_run
from app.exchange.importing.import_tally import ImportTally, Ingested
from app.exchange.importing.parts_together import joined, together, with_part, with_report
from app.exchange.importing.preview_counts import MAX_SECONDS, PreviewCounts, without_remarks
from app.exchange.importing.source_files import readable
from app.exchange.model import MIXED, ExportReport, ForgottenSession, ImportPreview, ImportReport, Record, VaultDetail
from app.exchange.work_thread import WorkThread
from app.memories.archive.model import Archived
from app.memories.foreign_record import Problem
from app.memories.model import Memory
from app.sentence import Sentence
from app.sessions.model import Message, Session

_COMPLETE = frozenset({"jsonl", "folder", encrypted_export.NAME})
EXPORT_VALUES = 500
EXPORT_CHARACTERS = 4 << 20


class RecordSink(Protocol):
    """Sink of imported records; one is made for each import."""

    async def ingest(
        self,
        batch: Sequence[Storable],
        *,
        source: str,
        format: str,  # noqa: A002
        store: StoreName,
        actor: str,
    ) -> Ingested:
        """Store a batch in one transaction.

        The session of a message may have come in an earlier batch.
        """


DetailPart = Literal["history", "entities", "positions", "sources"]


class RecordSource(Protocol):
    """Source of exported values."""

    def sessions(self) -> AsyncIterator[Session]:
        """Yield every session."""

    def forgotten(self) -> AsyncIterator[ForgottenSession]:
        """Yield every session that the person forgot."""

    def messages(self, session_id: str) -> AsyncIterator[Message]:
        """Yield the messages of a session in order."""

    def session_details(self, session_id: str) -> AsyncIterator[VaultDetail]:
        """Yield what belongs to a session beside its messages."""

    def details(self, part: DetailPart) -> AsyncIterator[VaultDetail]:
        """Yield what belongs to no session and is no memory."""

    def memories(self) -> AsyncIterator[Memory]:
        """Yield every active memory."""

    def removed(self) -> AsyncIterator[Memory | Archived]:
        """Yield every deleted, superseded or archived memory."""


class ImportMarks(Protocol):
    """Marks of imports that have begun and not ended."""

    async def begin(self, path: str, format_name: str) -> str:
        """Keep that an import has begun, and return its run.

        It is the run of the one that was cut off, if any.
        """

    async def end(self, path: str, format_name: str) -> None:
        """Forget an import."""


class ImportJob(Protocol):
    """The job a person watches; it limits how often it reports."""

    def is_cancelled(self) -> bool:
        """Return whether it was asked to stop."""

    def advance(self, done: int, total: int | None, detail: str = "") -> None:
        """Say how far the work has come."""


class ExchangeService:
    """Brings foreign files in and everything out.

    Args:
        new_sink: Makes where the records of one import go, which is named by its run.
        source: Where exported values come from.
        new_transcript_sink: Makes where transcripts go; the same where not given.
        vault: The vault whose attachments come along; ``None`` for none.
        known: Counts the records of a format that are there already, for previews.
        graph: Returns all names and what joins them, for exports to a folder.
        unfinished: Keeps which imports have begun and not ended; ``None`` for nothing.
    """

    def __init__(
        self,
        new_sink: Callable[[str], RecordSink],
        source: RecordSource,
        new_transcript_sink: Callable[[str], RecordSink] | None = None,
        vault: Path | None = None,
        known: Callable[[Sequence[Storable], str], Awaitable[int]] | None = None,
        graph: Callable[[], Awaitable[GraphView]] | None = None,
        unfinished: ImportMarks | None = None,
    ) -> None:
        self._graph_view = graph
        self._unfinished = unfinished
        self._known = known
        self._new_sink = new_sink
        self._source = source
        self._vault = vault
        self._new_transcript_sink = new_transcript_sink or new_sink

    async def preview(self, path: Path, passphrase: str = "") -> ImportPreview:
        """Return what an import of ``path`` would read and make; nothing is stored.

        Args:
            path: A file or folder.
            passphrase: What opens an encrypted export; without it nothing of one is counted.

        Raises:
            NotFoundError: There is nothing at ``path``.
            FormatError: It is in no supported format.
            WrongPassphraseError: This is not its passphrase.
        """
        path = await asyncio.to_thread(complete_file, path)
        if (several := await asyncio.to_thread(_parts, path)) is not None:
            return await self._preview_parts(path, several)
        result = await asyncio.to_thread(preview, path)
        if result.format == encrypted_export.NAME and not passphrase:
            return replace(result, is_complete=False, is_locked=True)
        return await self._counted(path, PreviewCounts(result), result.format, passphrase)

    async def _preview_parts(self, path: Path, several: FolderPlan) -> ImportPreview:
        """Return what an import of a folder's parts would make."""
        problems, remarks = without_remarks(several.problems)
        total = ImportPreview(several.format, 0, problems=tuple(problems), problem_count=len(problems))
        total = replace(total, remarks=tuple(remarks), remark_count=len(remarks))
        until = time.monotonic() + MAX_SECONDS
        for part in several.parts:
            counted = ImportPreview(part.format, 0)
            for place in part.paths:
                if time.monotonic() > until:
                    counted = replace(counted, is_complete=False)
                    break
                preview = await asyncio.to_thread(_previewed, place, part.format)
                counted = joined(counted, await self._counted(place, PreviewCounts(preview, until), part.format, ""))
            total = with_part(total, part.name, len(part.paths), counted)
        return total

    async def _counted(self, path: Path, counts: PreviewCounts, name: str, passphrase: str) -> ImportPreview:
        stopped = threading.Event()
        records = reader_of(name, passphrase)(path, stopped.is_set)
        reader = BatchReader(records, path, Intake(secrets="count"), account_of(name))
        stored_as = SPECS[name].stored_as or name
        with WorkThread("preview") as thread:
            try:
                while not counts.is_finished:
                    batch = await thread.run(reader.next)
                    known = 0 if self._known is None else await self._known(batch.records, stored_as)
                    counts.add(batch, known)
            finally:
                stopped.set()
                await thread.run(reader.close)
        return counts.preview()

    async def import_path(
        self,
        path: Path,
        format_name: str,
        store: StoreName,
        actor: str,
        work: ImportJob,
        *,
        skip_secrets: bool = False,
        passphrase: str = "",
        leave_out: Collection[str] = (),
    ) -> ImportReport:
        """Import a file or folder; broken parts are reported and left out.

        Args:
            path: What to read.
            format_name: A key of ``SPECS``, or ``auto`` to look.
            store: Who may see memories whose record does not say.
            actor: Who imports, for history.
            work: Hears of progress; the import stops after the batch at hand when it is cancelled.
            skip_secrets: Leave out texts that look as if they held a key or a password.
            passphrase: What opens an encrypted export.
            leave_out: Parts of a folder with exports of several kinds that are not imported, by name.

        Raises:
            NotFoundError: There is nothing at ``path``.
            FormatError: It cannot be read as that format.
            InputError: It is encrypted, and no passphrase was given.
            WrongPassphraseError: This is not its passphrase.
            MachineError: The machine refuses to read it.
        """
        path = await asyncio.to_thread(complete_file, path) if format_name in ("auto", "keepsake") else path
        if format_name == "auto" and path.is_dir():
            work.advance(0, None, "finding out what it is")
            if (several := await asyncio.to_thread(_parts, path, work.is_cancelled)) is not None:
                choice = self._intake(skip_secrets=skip_secrets)
                return await self._import_parts(path, several, frozenset(leave_out), store, actor, work, choice)
            if work.is_cancelled():
                return ImportReport(str(path), format_name, cancelled=True)
        name = await _detected(path, work) if format_name == "auto" else format_name
        if not name:
            return ImportReport(str(path), format_name, cancelled=True)
        _require_readable(path, name, passphrase)
        read, choice = partial(reader_of(name, passphrase), path), self._intake(skip_secrets=skip_secrets)
        if self._unfinished is None:
            return await self._import(path, name, read, store, actor, work, new_import_run(), choice)
        run_id = await self._unfinished.begin(str(path), name)
        try:
            report = await self._import(path, name, read, store, actor, work, run_id, choice)
        except Exception:  # and not when the vault is closed meanwhile: that cuts it off
            await self._unfinished.end(str(path), name)
            raise
        await self._unfinished.end(str(path), name)
        return report

    async def _import_parts(
        self,
        path: Path,
        several: FolderPlan,
        leave_out: frozenset[str],
        store: StoreName,
        actor: str,
        work: ImportJob,
        intake: Intake,
    ) -> ImportReport:
        """Import the parts of a folder one after the other, as one run."""
        run_id = new_import_run() if self._unfinished is None else await self._unfinished.begin(str(path), MIXED)
        total = ImportTally(ImportReport(str(path), several.format))
        total.add(Batch(problems=[*several.problems]), Ingested())
        try:
            for part in several.parts:
                if part.name in leave_out or total.report.cancelled:
                    continue
                part_report = ImportReport(part.name, part.format)
                for place in part.paths:
                    if not part_report.cancelled:
                        read = partial(reader_of(part.format, ""), place)
                        report = await self._import_one(place, part.format, read, store, actor, work, run_id, intake)
                        part_report = together(part_report, report)
                total.report = with_report(total.report, part.name, len(part.paths), part_report)
        except Exception:  # and not when the vault is closed meanwhile: that cuts it off
            await self._end_mark(path)
            raise
        await self._end_mark(path)
        return total.finished(cancelled=total.report.cancelled)

    async def _end_mark(self, path: Path) -> None:
        if self._unfinished is not None:
            await self._unfinished.end(str(path), MIXED)

    async def _import_one(
        self,
        path: Path,
        name: str,
        read: Callable[[Callable[[], bool]], Iterator[Record]],
        store: StoreName,
        actor: str,
        work: ImportJob,
        run_id: str,
        intake: Intake,
    ) -> ImportReport:
        """Import one of several files; what cannot be read costs only itself."""
        try:
            return await self._import(path, name, read, store, actor, work, run_id, intake)
        except FormatError as error:
            return ImportReport(
                str(path), name, problems=(Problem(path.name, error.sentence),), problem_count=1, lost=1
            )

    async def _import(
        self,
        path: Path,
        name: str,
        read: Callable[[Callable[[], bool]], Iterator[Record]],
        store: StoreName,
        actor: str,
        work: ImportJob,
        run_id: str,
        intake: Intake,
    ) -> ImportReport:
        sink = self._new_transcript_sink(run_id) if SPECS[name].kind == "transcript" else self._new_sink(run_id)
        stored_as = SPECS[name].stored_as or name
        ingest = partial(sink.ingest, source=f"import:{stored_as}", format=stored_as, store=store, actor=actor)
        tally = ImportTally(ImportReport(str(path), name))
        stopped = threading.Event()
        records = read(lambda: stopped.is_set() or work.is_cancelled())
        reader = BatchReader(records, path, intake, account_of(name))
        stopped_early = False
        with WorkThread("import") as thread:
            reading = thread.run(reader.next)
            try:
                while True:
                    batch = await reading
                    stopped_early = work.is_cancelled()
                    if stopped_early:
                        break
                    if not batch.is_last:
                        reading = thread.run(reader.next)
                    reader.took(batch, await _store(ingest, batch, tally, work))
                    if batch.is_last:
                        break
            finally:
                stopped.set()
                reading.cancel()
                await thread.run(reader.close)
        if self._vault is not None and SPECS[name].has_attachments and not stopped_early:
            left_out = await asyncio.to_thread(attachment_files.bring_in, path, self._vault)
            tally.add(Batch(problems=left_out), Ingested())
        return tally.finished(cancelled=stopped_early)

    def _intake(self, *, skip_secrets: bool) -> Intake:
        secrets: Literal["ignore", "skip"] = "skip" if skip_secrets else "ignore"
        if self._vault is None:
            return Intake(secrets=secrets)
        return Intake(partial(attachment_files.keep, vault=self._vault), secrets)

    async def export_path(
        self,
        path: Path,
        format_name: str,
        work: ImportJob,
        *,
        removed: bool = True,
        history: bool = False,
        passphrase: str = "",
    ) -> ExportReport:
        """Write everything to ``path``, which changes only when the export is complete.

        Args:
            path: A file for ``jsonl`` (gzipped when its name ends in ``.gz``) and ``encrypted``, a folder for
                ``markdown`` and ``folder``, a file for ``mcp-memory``, which has only the knowledge graph.
            format_name: A key of ``EXPORTERS``, or ``encrypted``.
            work: Hears of progress; nothing is left behind when it is cancelled.
            removed: Also what was deleted, superseded, archived or forgotten; only in ``jsonl``, which can say so, and
                in the lines of a ``folder`` and of ``encrypted``.
            history: Also who changed what and when; likewise.
            passphrase: What will open an ``encrypted`` file; no other format takes one.

        Raises:
            InputError: Something else is at ``path``, or there is no such format.
            MachineError: The machine refuses to write it, or the disk is full.
            CancelledByPersonError: It was stopped.
        """
        values = self._values(format_name, removed=removed, history=history)
        return await self._export(
            exporter_of(path, format_name, passphrase, work.is_cancelled), values, work, vault=self._vault
        )

    async def export_session(self, session: Session, path: Path, format_name: str, work: ImportJob) -> ExportReport:
        """Write one conversation to a file, which changes only when the export is complete.

        Args:
            session: The conversation.
            path: The file; that of an earlier export is replaced.
            format_name: ``jsonl``, which can be imported again, or ``markdown`` to read.
            work: Hears of progress; nothing is left behind when it is cancelled.

        Raises:
            InputError: Something else is at ``path``.
            MachineError: The machine refuses to write it, or the disk is full.
            CancelledByPersonError: It was stopped.
        """
        kind: Callable[[Path], Exporter] = TranscriptExporter if format_name == "markdown" else JsonlExporter
        return await self._export(partial(kind, path), self._sessions(_only(session)), work)

    async def _export(
        self,
        begin: Callable[[], Exporter],
        values: AsyncIterator[Exportable],
        work: ImportJob,
        vault: Path | None = None,
    ) -> ExportReport:
        """Write values to an exporter, with the attachments of ``vault`` where it is given."""
        with WorkThread("export") as thread:
            exporter = await thread.run(begin)
            finished = False
            try:
                await self._write(exporter, thread, work, values)
                if vault is not None:
                    await thread.run(partial(exporter.attach, vault))
                if isinstance(exporter, FolderExporter) and self._graph_view is not None:
                    await thread.run(partial(exporter.graph, await self._graph_view()))
                report = await thread.run(exporter.finish)
                finished = True
            finally:
                if not finished:
                    await thread.run(exporter.abandon)
        return report

    def _values(self, format_name: str, *, removed: bool, history: bool) -> AsyncIterator[Exportable]:
        if format_name in _COMPLETE:
            return self._complete(removed=removed, history=history)
        return self._graph() if format_name == memory_file.NAME else self._readable()

    async def _graph(self) -> AsyncIterator[Exportable]:
        """Yield what may be of the knowledge graph."""
        async for detail in self._source.details("entities"):
            yield detail
        async for memory in self._source.memories():
            yield memory

    @staticmethod
    async def _write(
        exporter: Exporter, thread: WorkThread, work: ImportJob, values: AsyncIterator[Exportable]
    ) -> None:
        done = 0
        async for batch in _batches(values):
            if work.is_cancelled():
                raise CancelledByPersonError("The export was stopped; nothing was written.")
            await thread.run(partial(exporter.write, batch))
            done += len(batch)
            work.advance(done, None, f"{done:,} written")

    async def _readable(self) -> AsyncIterator[Exportable]:
        """Yield what a person reads: sessions with their messages, then memories."""
        async for session in self._source.sessions():
            yield session
            async for message in self._source.messages(session.id):
                yield message
        async for memory in self._source.memories():
            yield memory

    async def _complete(self, *, removed: bool, history: bool) -> AsyncIterator[Exportable]:
        """Yield everything that another vault needs, in the order of storing."""
        source = self._source
        parts: list[AsyncIterator[Exportable]] = []
        if history:  # before what it is about, whose import adds an entry of its own
            parts.append(source.details("history"))
        parts.append(self._sessions(source.sessions()))
        if removed:
            parts.append(self._sessions(source.forgotten()))
        parts += [source.details("entities"), source.memories()]
        if removed:
            parts.append(source.removed())
        parts += [source.details("positions"), source.details("sources")]
        for part in parts:
            async for value in part:
                yield value

    async def _sessions(self, sessions: AsyncIterator[Session | ForgottenSession]) -> AsyncIterator[Exportable]:
        """Yield each session with its messages and then its details."""
        async for first in sessions:
            yield first
            session_id = first.id if isinstance(first, Session) else first.session.id
            async for message in self._source.messages(session_id):
                yield message
            async for detail in self._source.session_details(session_id):
                yield detail


async def _only(session: Session) -> AsyncIterator[Session | ForgottenSession]:
    yield session


def _parts(path: Path, cancelled: Callable[[], bool] = lambda: False) -> FolderPlan | None:
    """Return the parts of a folder with several exports, ``None`` for a single one."""
    if not path.is_dir():
        return None
    with readable(path):
        plan = folder_plan.plan(path, cancelled)
    try:
        fmt = detect(path, cancelled)
    except FormatError:
        fmt = ""
    except CancelledByPersonError:
        return None
    if not plan.parts and not (fmt and plan.words):
        return None
    if not plan.parts or folder_plan.is_one(plan, path, fmt):
        return folder_plan.whole(plan, path, fmt)
    return replace(plan, problems=plan.remarks)


def _previewed(path: Path, name: str) -> ImportPreview:
    """Return the size of what is read at ``path``."""
    size = path.stat().st_size if path.is_file() else preview(path).bytes
    return ImportPreview(name, size)


def _require_readable(path: Path, name: str, passphrase: str) -> None:
    """Refuse a format that does not exist, and an encrypted export without its passphrase."""
    if name not in SPECS:
        raise FormatError(
            Sentence("There is no format of that name. {supported}", supported=SUPPORTED), formats=[*SPECS]
        )
    if name == encrypted_export.NAME and not passphrase:
        raise InputError(
            Sentence("{name} is encrypted: it needs the passphrase of its export.", name=path.name), field="passphrase"
        )


async def _detected(path: Path, work: ImportJob) -> str:
    """Return the format of what lies at ``path``, ``""`` when the search was stopped."""
    work.advance(0, None, "finding out what it is")
    try:
        return await asyncio.to_thread(detect, path, work.is_cancelled)
    except CancelledByPersonError:
        return ""


async def _store(
    ingest: Callable[[Sequence[Storable]], Awaitable[Ingested]], batch: Batch, tally: ImportTally, work: ImportJob
) -> float:
    """Store a batch, report the progress, and return the seconds it took."""
    stored = await ingest(batch.records) if batch.records else Ingested()
    tally.add(batch, stored)
    if batch.position is not None:
        detail = ", ".join(filter(None, (tally.detail, batch.position.detail)))
        work.advance(batch.position.done, batch.position.total, detail)
    return stored.seconds


def _characters(value: Exportable) -> int:
    if isinstance(value, Session | ForgottenSession):
        return 0
    if isinstance(value, VaultDetail):
        return sum(len(field) for field in value.fields.values() if isinstance(field, str))
    return len(value.memory.content if isinstance(value, Archived) else value.content)


async def _batches(values: AsyncIterator[Exportable]) -> AsyncIterator[list[Exportable]]:
    batch: list[Exportable] = []
    size = 0
    async for value in values:
        batch.append(value)
        size += _characters(value)
        if len(batch) >= EXPORT_VALUES or size >= EXPORT_CHARACTERS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
