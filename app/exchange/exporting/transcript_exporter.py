"""Exporter of one conversation to a Markdown file."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from app.exchange.exporting.export_target import FileTarget, writable
from app.exchange.exporting.exporters import Exportable
from app.exchange.exporting.transcript_text import transcript_head, transcript_message
from app.exchange.model import ExportReport
from app.sessions.model import Message, Session

_HEAD: Final = 4096  # bytes in which an earlier export names its conversation


class TranscriptExporter:
    """Writes one conversation as a Markdown file.

    Args:
        path: Where to.

    Raises:
        InputError: Something else than a transcript of Keepsake is there.
    """

    def __init__(self, path: Path) -> None:
        with writable(path):
            self._target = FileTarget(path, _is_transcript)
            self._file = self._target.open()
        self._messages = 0

    def write(self, batch: Sequence[Exportable]) -> None:
        """Write the head or a message for each value."""
        with writable(self._target.path):
            for value in batch:
                if isinstance(value, Session):
                    self._file.write(transcript_head(value).encode("utf-8", "replace"))
                elif isinstance(value, Message):
                    self._messages += 1
                    self._file.write(transcript_message(value).encode("utf-8", "replace"))

    def attach(self, vault: Path) -> None:
        """Take nothing: a conversation has no files."""

    def finish(self) -> ExportReport:
        """Put the file in its place."""
        with writable(self._target.path):
            self._file.close()
            self._target.commit()
            size = self._target.path.stat().st_size
        return ExportReport(str(self._target.path), "markdown", 1, self._messages, 0, files=1, bytes=size)

    def abandon(self) -> None:
        """Remove the unfinished file."""
        self._file.close()
        self._target.abandon()


def _is_transcript(path: Path) -> bool:
    with path.open("rb") as stream:
        head = stream.read(_HEAD)
    return head.startswith(b"---\n") and b"\nsession: " in head and b"\ncreated: " in head
