"""Exporter of everything into one encrypted file, which is read back before it appears."""

import contextlib
import gzip
import hashlib
import os
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO

from app.attachments.model import FOLDER, MAX_BYTES
from app.attachments.stored_files import files_of, open_attachment
from app.encryption.encrypted_file import EncryptedReader, EncryptedWriter, is_encrypted_file
from app.encryption.segments import SegmentDamagedError
from app.errors import CancelledByPersonError, FormatError, MachineError, VaultDamagedError, WrongPassphraseError
from app.exchange.exporting.export_target import FileTarget, writable
from app.exchange.exporting.exporters import Exportable, write_line
from app.exchange.exporting.gzip_writer import GzipWriter
from app.exchange.formats.own.encrypted_export import NAME, PartsReader, PartsWriter, unpacked
from app.exchange.formats.own.keepsake_writer import JsonlWriter
from app.exchange.model import ExportReport, ForgottenSession
from app.exchange.parsing.lines import CHUNK
from app.memories.archive.model import Archived
from app.memories.model import Memory
from app.sentence import Sentence
from app.sessions.model import Message, Session
from app.store.backup import keep_name


class EncryptedExporter:
    """Writes one file that only its passphrase opens; nothing plain touches the disk.

    Args:
        path: Where to.
        passphrase: What opens it.
        cancelled: Asked between attachments and while the file is read back.

    Raises:
        InputError: Something else is there, or the passphrase cannot be used.
        MachineError: It cannot be written.
    """

    def __init__(self, path: Path, passphrase: str, cancelled: Callable[[], bool] = lambda: False) -> None:
        self._passphrase = passphrase
        self._cancelled = cancelled
        with writable(path):
            self._target = FileTarget(path, _is_encrypted_export)
            self._file = self._target.open()
            try:
                self._encrypted = EncryptedWriter(self._file, passphrase)
            except BaseException:
                self._file.close()
                self._target.abandon()
                raise
        self._parts = PartsWriter(self._encrypted)
        self._zipped = GzipWriter(self._parts)
        self._writer = JsonlWriter(self._zipped)
        self._counts: Counter[type] = Counter()
        self._files: list[tuple[str, bytes]] = []
        self._skipped: list[str] = []

    def write(self, batch: Sequence[Exportable]) -> None:
        """Write a line for each value."""
        with writable(self._target.path):
            for value in batch:
                self._counts[type(value)] += 1
                write_line(self._writer, value)

    def attach(self, vault: Path) -> None:
        """Append the attachments; those that cannot be read are left out and named."""
        with writable(self._target.path):
            self._zipped.close()
            for attachment in files_of(vault / FOLDER, self._skipped):
                self._check()
                data = _contents(Path(attachment.path))
                if data is None:
                    self._skipped.append(attachment.name)
                    continue
                self._parts.attachment(attachment.name, data)
                self._files.append((attachment.name, _digest(data)))

    def finish(self) -> ExportReport:
        """Read the file back, and put it in its place.

        Raises:
            MachineError: It is not what was written, or cannot be written.
            CancelledByPersonError: It was stopped.
        """
        path = self._target.path
        with writable(path):
            self._zipped.close()
            self._encrypted.end()
            self._file.flush()
            os.fsync(self._file.fileno())
            self._file.close()
            self._verify()
            self._target.commit()
            keep_name(path)
            size = path.stat().st_size
        counts = self._counts
        sessions, memories = counts[Session] + counts[ForgottenSession], counts[Memory] + counts[Archived]
        return ExportReport(str(path), NAME, sessions, counts[Message], memories, 1, size, tuple(self._skipped))

    def abandon(self) -> None:
        """Remove the unfinished file."""
        for stream in (self._zipped, self._file):
            with contextlib.suppress(OSError, ValueError):  # a full disk refuses the last bytes too
                stream.close()
        self._file.close()
        self._target.abandon()

    def _verify(self) -> None:
        """Compare all of the written file, opened with its passphrase, with what was exported."""
        try:
            with self._target.partial.open("rb") as file:
                reader = EncryptedReader(file, self._passphrase, self._target.path.name)
                parts = PartsReader(reader)
                lines = self._count_lines(unpacked(parts))
                files = [(name, _digest(data)) for name, data in parts.attachments()]
            is_whole = (lines, files) == (self._counts.total(), self._files) and reader.digest == self._encrypted.digest
        except (SegmentDamagedError, FormatError, WrongPassphraseError, EOFError, gzip.BadGzipFile):
            is_whole = False
        if not is_whole:
            raise MachineError(
                Sentence(
                    "{name} reads back differently from what was written: the disk may be failing. Nothing was "
                    "replaced. Export to another disk.",
                    name=self._target.path.name,
                ),
                path=str(self._target.path),
            )

    def _count_lines(self, stream: IO[bytes]) -> int:
        count = 0
        while chunk := stream.read(CHUNK):
            self._check()
            count += chunk.count(b"\n")
        return count

    def _check(self) -> None:
        if self._cancelled():
            raise CancelledByPersonError("The export was stopped; nothing was written.")


def _contents(path: Path) -> bytes | None:
    """Return the bytes of an attachment, ``None`` where they cannot be exported."""
    try:
        with open_attachment(path) as stream:
            data = stream.read(MAX_BYTES + 1)
    except (OSError, VaultDamagedError):
        return None
    return data if len(data) <= MAX_BYTES else None


def _digest(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=16).digest()


def _is_encrypted_export(path: Path) -> bool:
    with path.open("rb") as stream:
        return is_encrypted_file(stream.read(64))
