"""Lines of a huge text file, plain or gzipped, read one by one.

A line that is too long is passed over.
"""

import gzip
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, cast

from app.exchange.importing.source_files import read_some, utf8_stream

MAX_LINE = 256 << 20
CHUNK = 1 << 20
GZIP = b"\x1f\x8b"


@dataclass(frozen=True, slots=True)
class TextLine:
    """One line without its end; ``data`` is ``None`` when it is longer than ``MAX_LINE``.

    Args:
        complete: False for a last line that nothing ends.
        done: Bytes of the file read so far.
        broken: Why nothing follows, ``""`` when the file goes on or ends as it should.
    """

    number: int
    data: bytes | None
    complete: bool
    done: int
    broken: str = ""


def read_lines(path: Path) -> Iterator[TextLine]:
    """Yield the lines of a file of UTF-8 or UTF-16 text."""
    with path.open("rb") as file, _unpacked(file) as unpacked:
        yield from lines_of(unpacked, file.tell)


def lines_of(unpacked: IO[bytes], done: Callable[[], int]) -> Iterator[TextLine]:
    """Yield the lines of a stream of UTF-8 or UTF-16 text.

    Args:
        unpacked: The stream.
        done: Returns how many bytes of the file were read.
    """
    stream, head = utf8_stream(unpacked)
    number, parts, length = 1, [head], len(head)
    try:
        for piece in _pieces(stream):
            parts.append(piece)
            length += len(piece)
            if length > MAX_LINE:
                parts.clear()
            if piece.endswith(b"\n"):
                yield TextLine(number, b"".join(parts) if length <= MAX_LINE else None, True, done())
                number, parts, length = number + 1, [], 0
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        yield TextLine(number, None, False, done(), f"the compressed file is damaged from here on ({error})")
        return
    if length:
        yield TextLine(number, b"".join(parts) if length <= MAX_LINE else None, False, done())


def _pieces(stream: IO[bytes]) -> Iterator[bytes]:
    """Yield pieces that each end where a line does, or after ``CHUNK`` bytes."""
    while chunk := read_some(stream, CHUNK):
        start = 0
        while (end := chunk.find(b"\n", start) + 1) > 0:
            yield chunk[start:end]
            start = end
        if start < len(chunk):
            yield chunk[start:]


@contextmanager
def _unpacked(file: IO[bytes]) -> Iterator[IO[bytes]]:
    head = file.read(2)
    file.seek(0)
    if head != GZIP:
        yield file
        return
    with gzip.GzipFile(fileobj=file) as unpacked:
        yield cast("IO[bytes]", unpacked)
