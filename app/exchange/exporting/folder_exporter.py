"""Exporter of everything to a folder: Markdown, JSON lines, graph and search page."""

import contextlib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import IO, Final, cast

import msgspec

from app.core.text import excerpt
from app.entities.model import GraphView
from app.errors import MachineError
from app.exchange.exporting.export_page import ExportPage
from app.exchange.exporting.export_target import MANIFEST, TargetFile, writable
from app.exchange.exporting.exporters import Exportable, MarkdownExporter, write_line
from app.exchange.exporting.filenames import UNTITLED, safe_name
from app.exchange.formats import graphml
from app.exchange.formats.assistants.artifacts import artifacts, title_of
from app.exchange.formats.own.keepsake_writer import JsonlWriter
from app.exchange.model import ExportReport, ForgottenSession
from app.memories.archive.model import Archived
from app.memories.model import Memory
from app.sentence import Sentence
from app.sessions.model import Message, Session

LINES: Final = PurePosixPath("everything.jsonl")
GRAPH: Final = PurePosixPath("names.graphml")
ARTIFACTS: Final = PurePosixPath("artifacts")
PAGE_CHARACTERS: Final = 1 << 20
"""Characters of a conversation that the page shows; the file has all."""


class _Bytes:
    """Stream of bytes into a file of the folder."""

    def __init__(self, file: TargetFile) -> None:
        self.write = file.write_bytes


class FolderExporter(MarkdownExporter):
    """Writes a folder that is complete and readable without Keepsake.

    ``everything.jsonl`` has all that was given, what was deleted or forgotten too; the Markdown and the page have what
    is there now.

    Args:
        path: Where to.

    Raises:
        InputError: Something else is there.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        with writable(path):
            self._lines = self._target.open(LINES)
        self._writer = JsonlWriter(cast("IO[bytes]", _Bytes(self._lines)))
        self._page = ExportPage(self._target)
        self._all: Counter[type] = Counter()
        self._hidden = ""
        self._spoken: tuple[Session, PurePosixPath] | None = None
        self._said: list[str] = []
        self._length = 0

    def write(self, batch: Sequence[Exportable]) -> None:
        """Write every value as a line, and what is there now as Markdown."""
        shown: list[Exportable] = []
        with writable(self._path):
            for value in batch:
                self._all[type(value)] += 1
                write_line(self._writer, value)
                if self._is_shown(value):
                    shown.append(value)
        super().write(shown)

    def graph(self, view: GraphView) -> None:
        """Write the names and what joins them."""
        with writable(self._path):
            file = self._target.open(GRAPH)
            for line in graphml.lines(view):
                file.write(f"{line}\n")
            file.close()

    def finish(self) -> ExportReport:
        """Read everything again, and put the folder in its place.

        Raises:
            MachineError: A file is not what was written, or cannot be written.
        """
        with writable(self._path):
            self._end()
            self._index.close()
            self._lines.close()
            self._page.finish()
            self._target.verify()
            self._verify_lines()
            self._target.commit()
        sessions = self._all[Session] + self._all[ForgottenSession]
        memories, skipped = self._all[Memory] + self._all[Archived], tuple(self._skipped)
        files, size = self._target.files, self._target.bytes
        return ExportReport(str(self._path), "folder", sessions, self._all[Message], memories, files, size, skipped)

    def abandon(self) -> None:
        """Remove the unfinished folder."""
        with contextlib.suppress(OSError):  # a full disk refuses the last bytes too; the folder goes anyway
            self._lines.close()
        super().abandon()

    def _is_shown(self, value: Exportable) -> bool:
        match value:
            case ForgottenSession():
                self._hidden = value.session.id
                return False
            case Session():
                self._hidden = ""
                return True
            case Message():
                return value.session_id != self._hidden
            case Memory():
                return value.deleted_at is None and value.superseded_by is None
            case _:
                return False

    def _verify_lines(self) -> None:
        """Decode every line again and count them."""
        decode, count = msgspec.json.Decoder(dict[str, object]).decode, 0
        with (self._target.partial / LINES).open("rb") as stream:
            for line in stream:
                decode(line)
                count += 1
        if count != self._all.total():
            raise MachineError(
                Sentence(
                    "The number of lines in {file} is {found} instead of {total}. Nothing was replaced. Export again.",
                    file=LINES,
                    found=count,
                    total=self._all.total(),
                ),
                path=str(self._path),
            )

    def _begin(self, session: Session) -> PurePosixPath:
        place = super()._begin(session)
        self._spoken = session, place
        return place

    def _say(self, message: Message) -> None:
        super()._say(message)
        if self._length < PAGE_CHARACTERS and message.content:
            self._said.append(f"## {message.author or message.role}\n\n{message.content}")
            self._length += len(message.content)
        for artifact in artifacts(message.tool_calls):
            name = safe_name(excerpt(title_of(artifact), 80) or UNTITLED)
            file = self._target.open(self._names.take(ARTIFACTS, name))
            file.write(f"{artifact}\n")
            file.close()

    def _note(self, memory: Memory) -> PurePosixPath:
        place = super()._note(memory)
        day = memory.updated_at.date().isoformat()
        title = memory.title or excerpt(memory.content, 60) or place.stem
        self._page.add(memory.kind, title, day, place, memory.content, memory.tags)
        return place

    def _end(self) -> None:
        super()._end()
        if self._spoken is not None:
            session, place = self._spoken
            title, day = session.title or excerpt(session.preview, 80) or UNTITLED, session.created_at.date()
            page = "\n\n".join(self._said)[:PAGE_CHARACTERS]
            self._page.add("conversation", title, day.isoformat(), place, page)
            self._spoken, self._said, self._length = None, [], 0


def complete_file(path: Path) -> Path:
    """Return the file that has everything of an exported folder, ``path`` itself for anything else."""
    lines = path / LINES
    return lines if (path / MANIFEST).is_file() and lines.is_file() else path
