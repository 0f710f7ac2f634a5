"""Encrypted exports: our own JSON lines, gzipped, and the attachments, under a passphrase.

What is encrypted is a row of parts, each with its type and length before it: first all of the lines, then for each
attachment its name and its bytes.
"""

import gzip
import struct
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import IO, Final, cast

from app.attachments.model import MAX_BYTES
from app.encryption.encrypted_file import EncryptedReader, EncryptedWriter
from app.encryption.segments import SegmentDamagedError
from app.errors import NotFoundError
from app.exchange.formats.format_spec import FormatSpec
from app.exchange.formats.own import keepsake
from app.exchange.model import AttachmentRecord, Position, Record
from app.exchange.parsing.lines import TextLine, lines_of
from app.memories.foreign_record import Problem
from app.sentence import Sentence, counted_sentence

NAME: Final = "encrypted"
_LINES, _FILE_NAME, _FILE_BYTES, _FILE_END = b"L", b"N", b"B", b"E"
_PART: Final = struct.Struct(">cI")
_MAX_PART: Final = 1 << 20


class PartsWriter:
    """Writes the parts of an encrypted export.

    Args:
        writer: Where the bytes go.
    """

    def __init__(self, writer: EncryptedWriter) -> None:
        self._writer = writer

    def write(self, data: bytes) -> int:
        """Append gzipped lines."""
        self._put(_LINES, data)
        return len(data)

    def flush(self) -> None:
        """Do nothing: the end of the file writes what waits."""

    def attachment(self, name: str, data: bytes) -> None:
        """Append an attachment; no lines may follow."""
        self._put(_FILE_NAME, name.encode())
        self._put(_FILE_BYTES, data)
        self._writer.write(_PART.pack(_FILE_END, 0))

    def _put(self, kind: bytes, data: bytes) -> None:
        view = memoryview(data)
        for start in range(0, len(view), _MAX_PART):
            piece = view[start : start + _MAX_PART]
            self._writer.write(_PART.pack(kind, len(piece)))
            self._writer.write(piece)


class PartsReader:
    """Reads the parts of an encrypted export: the lines first, then the attachments.

    Args:
        reader: Where the bytes come from.
    """

    def __init__(self, reader: EncryptedReader) -> None:
        self._reader = reader
        self._kind = b""
        self._left = 0

    def read(self, size: int) -> bytes:
        """Return the next gzipped bytes of lines, at most ``size``; none where they end."""
        while not self._left and self._kind in (b"", _LINES):
            if not self._next():
                return b""
        return self._some(size) if self._kind == _LINES else b""

    def attachments(self) -> Iterator[tuple[str, bytes]]:
        """Yield the name and the bytes of each attachment, when the lines are read."""
        parts = {_FILE_NAME: bytearray(), _FILE_BYTES: bytearray()}
        while self._kind:
            if self._kind == _FILE_END:
                yield parts[_FILE_NAME].decode("utf-8", "replace"), bytes(parts[_FILE_BYTES])
                parts = {_FILE_NAME: bytearray(), _FILE_BYTES: bytearray()}
            elif self._kind in parts:
                while self._left:
                    parts[self._kind] += self._some(self._left)
                if len(parts[self._kind]) > MAX_BYTES:
                    raise EOFError(self._kind)
            else:
                raise EOFError(self._kind)
            self._next()

    def _next(self) -> bool:
        """Begin the next part, and return whether there is one."""
        head = b""
        while len(head) < _PART.size and (piece := self._reader.read(_PART.size - len(head))):
            head += piece
        if head and len(head) < _PART.size:
            raise EOFError(head)
        self._kind, self._left = _PART.unpack(head) if head else (b"", 0)
        return bool(head)

    def _some(self, size: int) -> bytes:
        piece = self._reader.read(min(size, self._left))
        if not piece:
            raise EOFError(self._kind)
        self._left -= len(piece)
        return piece


def unpacked(parts: PartsReader) -> IO[bytes]:
    """Return the lines of an encrypted export as a stream."""
    return cast("IO[bytes]", gzip.GzipFile(fileobj=cast("IO[bytes]", parts), mode="rb"))


def read(path: Path, cancelled: Callable[[], bool], *, passphrase: str) -> Iterator[Record]:
    """Read an encrypted export.

    Where it is damaged or cut off, what comes before that place is read, and a problem names the place.

    Args:
        path: The file.
        cancelled: Asked before every line and attachment; reading stops when it says so.
        passphrase: What opens it.

    Raises:
        NotFoundError: There is nothing at ``path``.
        WrongPassphraseError: This is not its passphrase.
        FormatError: Its beginning is damaged, or it is from a newer version.
    """
    if not path.is_file():
        raise NotFoundError(Sentence("There is no file at {path}.", path=path), path=str(path))
    total = path.stat().st_size
    with path.open("rb") as file:
        reader = EncryptedReader(file, passphrase, path.name)
        course = _Course(PartsReader(reader), file.tell)
        try:
            yield from keepsake.records_of(course.lines(), path.name, total, cancelled)
            if not cancelled():
                yield from course.files(cancelled)
        except SegmentDamagedError as error:
            place = Sentence(
                "{whole}, part {number} of {count}",
                whole=path.name,
                number=error.number + 1,
                count=reader.segments_of(total),
            )
            yield Problem(place, Sentence("The file is damaged or cut off here. {words}", words=course.words()))
        except EOFError:
            yield Problem(path.name, Sentence("The file is not as Keepsake writes it. {words}", words=course.words()))
    if not cancelled():
        yield Position(total, total)


class _Course:
    """Counts of what was read so far, for the sentence about damage."""

    def __init__(self, parts: PartsReader, tell: Callable[[], int]) -> None:
        self._parts = parts
        self._tell = tell
        self._lines = 0
        self._files: int | None = None

    def lines(self) -> Iterator[TextLine]:
        for line in lines_of(unpacked(self._parts), self._tell):
            self._lines = line.number
            yield line

    def files(self, cancelled: Callable[[], bool]) -> Iterator[AttachmentRecord]:
        self._files = 0
        for name, data in self._parts.attachments():
            if cancelled():
                return
            yield AttachmentRecord(name, data)
            self._files += 1

    def words(self) -> str:
        if self._files is not None:
            return counted_sentence(
                self._files,
                "All conversations and memories and the first attachment were read, and no other attachment.",
                "All conversations and memories and the first {count} attachments were read, and no other attachment.",
            )
        return counted_sentence(
            self._lines,
            "The first line was read, and nothing after that.",
            "The first {count} lines were read, and nothing after that.",
        )


SPEC = FormatSpec(
    name=NAME,
    title="Encrypted Keepsake export",
    read=partial(read, passphrase=""),
    kind="conversations",
    noise=keepsake.NOISE,
    stored_as="keepsake",
    needs_secret=True,
)
