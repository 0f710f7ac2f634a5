"""Whole lines of a file that another program is writing.

A last line without its end is left for later. Hooks of agents import this all the time, so it loads neither
``dataclasses`` nor ``pathlib``.
"""

from typing import TYPE_CHECKING, Final, NamedTuple
from zlib import crc32

if TYPE_CHECKING:
    from os import PathLike

LONGEST_LINE: Final = 64 << 20
TAIL_BYTES: Final = 512


class FilePosition(NamedTuple):
    """Offset in a file, and a digest of the bytes before, to detect changes."""

    offset: int = 0
    tail: str = ""


class WholeLines(NamedTuple):
    """Whole lines, their start and the position after them.

    ``start`` is 0 where the file was cut or replaced.
    """

    data: bytes
    start: int
    position: FilePosition
    has_more: bool


def read_whole_lines(path: "str | PathLike[str]", position: FilePosition, limit: int) -> WholeLines:
    """Return the whole lines after a position, about ``limit`` bytes of them.

    A file that is shorter now, or other before the position, is read from its beginning.

    Raises:
        OSError: The file cannot be read.
    """
    with open(path, "rb") as file:  # noqa: PTH123  (see above)
        file.seek(0, 2)
        size = file.tell()
        before = b""
        if 0 < position.offset <= size:
            file.seek(max(0, position.offset - TAIL_BYTES))
            before = file.read(min(TAIL_BYTES, position.offset))
        start = position.offset if before and digest(before) == position.tail else 0
        before = before if start else b""
        file.seek(start)
        data = file.read(limit)
        while b"\n" not in data and len(data) < LONGEST_LINE and (more := file.read(max(limit, len(data)))):
            data += more
    end = data.rfind(b"\n") + 1
    if not end and len(data) >= LONGEST_LINE:
        end = len(data)  # no line of a transcript is as long; its rest is taken for a broken line
    whole = data[:end]
    tail = (before + whole)[-TAIL_BYTES:]
    offset = start + end
    return WholeLines(
        whole, start, FilePosition(offset, digest(tail) if offset else ""), has_more=offset < size and end > 0
    )


def digest(data: bytes) -> str:
    """Return a short digest of bytes, to detect that a file was replaced."""
    return f"{crc32(data):08x}{len(data):04x}"
