"""Source files of an import: on disk, in a folder, or in a zip.

A zip is read in place and never unpacked.
"""

import codecs
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, cast

from app.errors import FormatError, MachineError, NotFoundError
from app.exchange.importing.accounting import list_file, open_file
from app.sentence import Sentence

CONVERSATIONS = re.compile(r"(?:.*/)?conversations(?:[-_ ]?\d+)?\.json", re.IGNORECASE)
ENCRYPTED = 0x1
MAX_RATIO = 200
MAX_SUSPICIOUS_BYTES = 1 << 30
DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError)
_UTF16 = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}


@dataclass(frozen=True, slots=True)
class SourceEntry:
    """File to read: its name for a person, size, times, and how to open it."""

    name: str
    size: int
    open: Callable[[], AbstractContextManager[IO[bytes]]]
    times: tuple[int | None, int | None] = (None, None)


@contextmanager
def entries(path: Path, wanted: re.Pattern[str] = CONVERSATIONS) -> Iterator[list[SourceEntry]]:
    """Yield the files to read at ``path``, in order.

    They are the file itself, or those whose name matches ``wanted`` in a folder or zip.

    Raises:
        NotFoundError: There is nothing at ``path``.
        FormatError: The zip is damaged, encrypted, or would swell beyond reason.
    """
    if path.is_dir():
        yield [_file(file) for file in sorted(path.iterdir()) if file.is_file() and wanted.fullmatch(file.name)]
    elif not path.exists():
        raise NotFoundError(Sentence("There is no file or folder at {path}.", path=path), path=str(path))
    elif is_zip(path):
        with open_zip(path) as archive:
            for info in archive.infolist():
                if not info.is_dir():
                    list_file(info.filename, info.file_size)
            yield [
                SourceEntry(info.filename, info.file_size, partial(opened, archive, info))
                for info in members(archive, wanted, path.name)
            ]
    else:
        yield [_file(path)]


def is_zip(path: Path) -> bool:
    """Return whether a file begins like a zip, complete or not."""
    with path.open("rb") as stream:
        return stream.read(4) in (b"PK\x03\x04", b"PK\x05\x06")


@contextmanager
def open_zip(path: Path) -> Iterator[zipfile.ZipFile]:
    """Open a zip for reading.

    Raises:
        FormatError: It is cut short or damaged.
    """
    try:
        archive = zipfile.ZipFile(path)
    except (*DAMAGE, ValueError, NotImplementedError) as error:
        raise FormatError(
            Sentence(
                "{name} is not a complete zip file: it is cut short or damaged. Download or copy it again.",
                name=path.name,
            ),
            path=str(path),
        ) from error
    with archive:
        yield archive


def members(archive: zipfile.ZipFile, wanted: re.Pattern[str], name: str) -> list[zipfile.ZipInfo]:
    """Return the files of the zip called ``name`` whose names match ``wanted``, by name.

    Raises:
        FormatError: One is encrypted, or they would swell beyond reason.
    """
    infos = [info for info in archive.infolist() if not info.is_dir() and wanted.fullmatch(info.filename)]
    if any(info.flag_bits & ENCRYPTED for info in infos):
        raise FormatError(
            Sentence("{name} is protected with a password. Unpack it first, then import the folder.", name=name),
            path=name,
        )
    swollen = sum(info.file_size for info in infos)
    packed = sum(info.compress_size for info in infos)
    if swollen > MAX_SUSPICIOUS_BYTES and swollen > MAX_RATIO * max(packed, 1):
        raise FormatError(
            Sentence(
                "{name} would swell from {packed} to {swollen} bytes, which no real export does. It was not opened.",
                name=name,
                packed=packed,
                swollen=swollen,
            ),
            path=name,
        )
    return sorted(infos, key=lambda info: info.filename)


def opened(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> IO[bytes]:
    """Open a file of a zip, which is no longer named as left out."""
    open_file(info.filename)
    return archive.open(info)


def _file(path: Path) -> SourceEntry:
    return SourceEntry(path.name, path.stat().st_size, lambda: path.open("rb"))


def read_some(stream: IO[bytes], size: int) -> bytes:
    """Return the next bytes, at most ``size``.

    A damaged zip gives everything up to the damage.
    """
    read = getattr(stream, "read1", stream.read)
    data: bytes = read(size)
    return data


def utf8_stream(stream: IO[bytes]) -> tuple[IO[bytes], bytes]:
    """Return a stream of UTF-8 bytes, and the bytes already taken from it.

    UTF-16 is converted, and a byte order mark is dropped.
    """
    head = stream.read(3)
    if head == codecs.BOM_UTF8:
        return stream, b""
    if encoding := _UTF16.get(head[:2]):
        return cast("IO[bytes]", _Recoded(stream, encoding, head[2:])), b""
    return stream, head


class _Recoded:
    """UTF-16 read as UTF-8."""

    def __init__(self, stream: IO[bytes], encoding: str, taken: bytes) -> None:
        self._stream = stream
        self._decoder = codecs.getincrementaldecoder(encoding)("replace")
        self._taken = taken

    def read(self, size: int) -> bytes:
        """Return the next bytes, made of about ``size`` bytes; none at the end."""
        while True:
            data = self._taken + read_some(self._stream, size)
            self._taken = b""
            text = self._decoder.decode(data, final=not data)
            if text or not data:
                return text.encode("utf-8", "surrogatepass")


@contextmanager
def readable(path: Path) -> Iterator[None]:
    """Turn the system's refusal to read into an error a person can act on."""
    try:
        yield
    except OSError as error:
        raise MachineError(
            Sentence("{name} could not be read: {reason}.", name=path.name or path, reason=error.strerror or error),
            path=str(path),
            errno=error.errno,
        ) from error
