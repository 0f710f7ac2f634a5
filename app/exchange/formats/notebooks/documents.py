"""Reader of a folder of documents: plain text, HTML, Word and PDF, one note each."""

import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

from app.core.text import storable
from app.errors import KeepsakeError
from app.exchange.formats import docx, web_page
from app.exchange.formats.format_spec import FormatSpec, Reader
from app.exchange.formats.notebooks import pdf
from app.exchange.model import Position, Record
from app.exchange.parsing import encoding
from app.exchange.parsing.item_places import moved
from app.memories.foreign_record import MemoryRecord, Problem
from app.sentence import Sentence

NAME: Final = "documents"
MAX_BYTES: Final = 32 << 20
MAX_FILES: Final = 200_000


def read_text(path: Path, cancelled: Callable[[], bool]) -> Iterator[Record]:
    """Read a plain text as one note, titled by its file.

    Args:
        path: The file, in any encoding that can be told.
        cancelled: Asked before it is read.
    """
    if cancelled():
        return
    status = path.stat()
    if status.st_size > MAX_BYTES:
        yield Problem(path.name, Sentence("It is larger than {most} MB and was left out.", most=MAX_BYTES >> 20))
        return
    decoded = encoding.decode(path.read_bytes())
    if decoded is None:
        yield Problem(path.name, Sentence("It is not text, in spite of its name, and was left out."))
        return
    if decoded.repair:
        yield Problem(path.name, decoded.repair, lost=False)
    text = storable(decoded.text.replace("\r\n", "\n"))[0].strip()
    if not text:
        yield Problem(path.name, Sentence("It has no text and was left out."), lost=False, foreign=True)
        return
    moment = int(status.st_mtime * 1000)
    yield MemoryRecord(f"{path.parent.name}/{path.name}", text, title=path.stem, created_ms=moment, updated_ms=moment)


_READERS: Final[dict[str, Reader]] = dict.fromkeys((".txt", ".text"), read_text) | {
    suffix: spec.read for spec in (web_page.SPEC, docx.SPEC, pdf.SPEC) for suffix in spec.suffixes
}
SUFFIXES: Final = frozenset(_READERS)


def files(folder: Path, cancelled: Callable[[], bool] = lambda: False) -> Iterator[Path]:
    """Yield the documents below a folder, without links, hidden files and hidden folders."""
    number = 0
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            path = Path(place, name)
            is_document = path.suffix.lower() in SUFFIXES and not name.startswith((".", "~$"))
            if cancelled() or number >= MAX_FILES:
                return
            if is_document and path.is_file() and not path.is_symlink():
                number += 1
                yield path


def read(path: Path, cancelled: Callable[[], bool]) -> Iterator[Record]:
    """Read the documents below a folder; unreadable ones are reported.

    Args:
        path: The folder.
        cancelled: Asked before every document; reading stops when it says so.
    """
    root = path.resolve()
    paths = list(files(root, cancelled))
    total, done = sum(file.stat().st_size for file in paths), 0
    for file in paths:
        if cancelled():
            return
        place = file.relative_to(root).as_posix()
        try:
            for record in _READERS[file.suffix.lower()](file, cancelled):
                if isinstance(record, MemoryRecord):
                    yield replace(record, key=storable(f"{root.name}/{place}")[0])
                elif isinstance(record, Problem):
                    yield replace(record, place=moved(record.place, file.name, place) or record.place)
                elif not isinstance(record, Position):
                    yield record
        except KeepsakeError as error:
            yield Problem(place, error.sentence)
        except OSError as error:
            yield Problem(place, Sentence("It could not be read: {strerror}.", strerror=error.strerror or error))
        done += file.stat().st_size
        yield Position(done, total, place)


SPEC = FormatSpec(
    name=NAME, title="Documents", read=read, kind="document", help="plain text", suffixes=SUFFIXES, keys="folder"
)
