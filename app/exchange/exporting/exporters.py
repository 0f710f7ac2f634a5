"""Exporters: one complete JSONL file, or a folder of Markdown for reading."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import Protocol

from app.core.text import counted, excerpt
from app.exchange import attachment_files
from app.exchange.exporting.export_target import FileTarget, FolderTarget, TargetFile, writable
from app.exchange.exporting.filenames import UNTITLED, FileNames, safe_folders, safe_name
from app.exchange.exporting.gzip_writer import GzipWriter
from app.exchange.exporting.transcript_text import transcript_head, transcript_message
from app.exchange.formats.markdown import SUFFIXES
from app.exchange.formats.note_file import render_note
from app.exchange.formats.own.keepsake_writer import JsonlWriter
from app.exchange.model import ExportReport, ForgottenSession, VaultDetail
from app.memories.archive.model import Archived
from app.memories.model import Memory
from app.sessions.model import Message, Session

Exportable = Session | ForgottenSession | Message | Memory | Archived | VaultDetail


class Exporter(Protocol):
    """Takes what there is, each session followed by its messages, memories last."""

    def write(self, batch: Sequence[Exportable]) -> None:
        """Take the next values."""

    def finish(self) -> ExportReport:
        """Put the export in its place."""

    def abandon(self) -> None:
        """Leave nothing behind."""

    def attach(self, vault: Path) -> None:
        """Take the attachments of a vault, before ``finish``."""


class JsonlExporter:
    """Writes one JSONL file, gzipped when its name ends in ``.gz``.

    Args:
        path: Where to.

    Raises:
        InputError: Something else is there.
    """

    def __init__(self, path: Path) -> None:
        with writable(path):
            self._target = FileTarget(path)
            self._file = self._target.open()
        self._zipped = GzipWriter(self._file) if path.suffix == ".gz" else None
        self._writer = JsonlWriter(self._zipped or self._file)
        self._counts: Counter[type] = Counter()
        self._attached = 0, 0
        self._skipped: list[str] = []

    def write(self, batch: Sequence[Exportable]) -> None:
        """Write a line for each value."""
        with writable(self._target.path):
            for value in batch:
                self._counts[type(value)] += 1
                write_line(self._writer, value)

    def finish(self) -> ExportReport:
        """Put the file in its place."""
        with writable(self._target.path):
            self._close()
            self._target.commit()
            size = self._target.path.stat().st_size
        counts = self._counts
        sessions, memories = counts[Session] + counts[ForgottenSession], counts[Memory] + counts[Archived]
        files, more = self._attached
        path, messages = str(self._target.path), counts[Message]
        skipped = tuple(self._skipped)
        return ExportReport(path, "jsonl", sessions, messages, memories, 1 + files, size + more, skipped)

    def attach(self, vault: Path) -> None:
        """Lay the attachments into a folder beside the file."""
        with writable(self._target.path):
            self._attached = attachment_files.copy_to_folder(self._target.path, vault, self._skipped)

    def abandon(self) -> None:
        """Remove the unfinished file."""
        try:
            self._close()
        except OSError:
            # A full disk refuses the last bytes too; the file goes anyway.
            self._file.close()
        self._target.abandon()

    def _close(self) -> None:
        if self._zipped is not None:
            self._zipped.close()
        self._file.close()


def write_line(writer: JsonlWriter, value: Exportable) -> None:
    """Write a value as a line of our own format."""
    match value:
        case Session():
            writer.session(value)
        case ForgottenSession():
            writer.forgotten(value)
        case VaultDetail():
            writer.detail(value)
        case Message():
            writer.message(value)
        case Memory():
            writer.memory(value)
        case Archived():
            writer.archived(value)


class MarkdownExporter:
    """Writes a folder: ``notes``, ``facts`` and so on, ``sessions`` as transcripts, and an index.

    Args:
        path: Where to.

    Raises:
        InputError: Something else is there.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        with writable(path):
            self._target = FolderTarget(path)
            self._index = self._target.open(PurePosixPath("index.md"))
            self._index.write("# Keepsake\n")
        self._names = FileNames()
        self._names.take(PurePosixPath(), "index")
        self._transcript: TargetFile | None = None
        self._section = ""
        self._counts: Counter[type] = Counter()
        self._skipped: list[str] = []

    def write(self, batch: Sequence[Exportable]) -> None:
        """Write a transcript's head or message, or a note, for each value."""
        with writable(self._path):
            for value in batch:
                self._counts[type(value)] += 1
                match value:
                    case Session():
                        self._begin(value)
                    case Message():
                        self._say(value)
                    case Memory():
                        self._note(value)
                    case Archived():
                        self._note(value.memory)
                    case ForgottenSession() | VaultDetail():
                        continue  # the service gives them to JSONL only

    def finish(self) -> ExportReport:
        """Put the folder in its place."""
        with writable(self._path):
            self._end()
            self._index.close()
            self._target.commit()
        counts = self._counts
        return ExportReport(
            str(self._path),
            "markdown",
            counts[Session],
            counts[Message],
            counts[Memory],
            self._target.files,
            self._target.bytes,
            tuple(self._skipped),
        )

    def attach(self, vault: Path) -> None:
        """Copy the attachments to where the links of the notes lead."""
        with writable(self._path):
            self._skipped += attachment_files.copy_into(self._target, vault)

    def abandon(self) -> None:
        """Remove the unfinished folder."""
        for stream in filter(None, (self._transcript, self._index)):
            try:
                stream.close()
            except OSError:
                continue  # a full disk refuses the last bytes too; the folder goes anyway
        self._target.abandon()

    def _begin(self, session: Session) -> PurePosixPath:
        self._end()
        day = session.created_at.date().isoformat()
        stem = safe_name(f"{day} {excerpt(session.title or session.preview, 80) or UNTITLED}")
        place = self._names.take(PurePosixPath("sessions"), stem)
        self._transcript = self._target.open(place)
        self._transcript.write(transcript_head(session))
        self._list(
            "Conversations", place, f"{session.title or UNTITLED}", f" – {counted(session.message_count, 'message')}"
        )
        return place

    def _say(self, message: Message) -> None:
        if self._transcript is not None:
            self._transcript.write(transcript_message(message))

    def _note(self, memory: Memory) -> PurePosixPath:
        self._end()
        path = memory.attributes.get("path")
        path = path if isinstance(path, str) else ""
        stem_value = memory.attributes.get("stem")
        stem = safe_name(
            stem_value if isinstance(stem_value, str) and stem_value else memory.title or excerpt(memory.content, 60)
        )
        suffix = PurePosixPath(path).suffix
        folder = PurePosixPath(f"{memory.kind}s") / safe_folders(path)
        place = self._names.take(folder, stem, suffix if suffix.lower() in SUFFIXES else ".md")
        file = self._target.open(place)
        file.write(attachment_files.with_moved_links(render_note(memory, place.stem), place.parent))
        file.close()
        self._list(f"{memory.kind.capitalize()}s", place, memory.title or place.stem)
        return place

    def _list(self, section: str, place: PurePosixPath, title: str, extra: str = "") -> None:
        if section != self._section:
            self._section = section
            self._index.write(f"\n## {section}\n\n")
        shown = excerpt(title, 120).replace("[", "\\[").replace("]", "\\]")
        self._index.write(f"- [{shown}](<{place.as_posix()}>){extra}\n")

    def _end(self) -> None:
        if self._transcript is not None:
            self._transcript.close()
            self._transcript = None
