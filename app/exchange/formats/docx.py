"""Reader of Word documents (DOCX): one note each, with headings, lists and tables as Markdown."""

import posixpath
import re
import zipfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Final
from xml.parsers import expat

from app.attachments.model import MAX_PICTURE_BYTES
from app.core.text import storable
from app.errors import FormatError, InputError
from app.exchange.model import AttachmentRecord, Position, Record
from app.exchange.parsing.attachment_links import attachment, attachment_link, file_problem
from app.exchange.source_files import DAMAGE, ENCRYPTED, open_zip
from app.memories.foreign_record import MemoryRecord, Problem

NAME: Final = "docx"
DOCUMENT: Final = "word/document.xml"
_RELATIONS: Final = "word/_rels/document.xml.rels"
_CORE: Final = "docProps/core.xml"
_MAX_BYTES: Final = 64 << 20
_MAX_RELATIONS: Final = 4 << 20
_PART: Final = 1 << 16
_HEADING: Final = re.compile(r"(?:heading|berschrift|titre|titolo)\s*([1-6])", re.IGNORECASE)
# Stands where a picture is until the text is complete; no XML can hold a NUL.
_PICTURE: Final = re.compile("\0([^\0]*)\0")
_LISTED: Final = re.compile(r"list(?!\s*title)", re.IGNORECASE)


class _UnsafeXmlError(Exception):
    """The file declares entities, which a document never does."""


class _BodyParser:
    """Parser that collects the paragraphs and tables of a document."""

    def __init__(self) -> None:
        self.blocks: list[str] = []
        self._paragraph: list[str] = []
        self._prefix = ""
        self._is_text = False
        self._cell: list[str] = []
        self._row: list[str] = []
        self._rows: list[list[str]] = []
        self._tables = 0

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """Take the beginning of an element."""
        name, value = _local(tag), next((v for k, v in attributes.items() if k.endswith(" val")), "")
        if name == "tbl":
            self._tables += 1
        elif name == "pStyle":
            found = _HEADING.search(value)
            self._prefix = f"{'#' * int(found[1])} " if found else "# " if value == "Title" else self._prefix
            if not found and _LISTED.match(value):
                self._prefix = self._prefix or "- "
        elif name == "ilvl" and value.isdecimal():
            self._prefix = f"{'  ' * min(int(value), 9)}- "
        elif name == "numPr":
            self._prefix = self._prefix or "- "
        elif name in ("tab", "br"):
            self._paragraph.append("\t" if name == "tab" else "\n")
        elif name in ("blip", "imagedata"):
            picture = next((v for k, v in attributes.items() if _local(k) in ("embed", "id")), "")
            self._paragraph.append(f"\0{picture}\0")
        self._is_text = name == "t"

    def end(self, tag: str) -> None:
        """Take the end of an element."""
        name = _local(tag)
        self._is_text = False
        if name == "p":
            self._end_paragraph()
        elif not self._tables:
            return
        elif name == "tc" and self._tables == 1:
            self._row.append(" ".join(filter(None, self._cell)).replace("|", "\\|"))
            self._cell = []
        elif name == "tr" and self._tables == 1:
            self._rows.append(self._row)
            self._row = []
        elif name == "tbl":
            self._tables -= 1
            if not self._tables:
                self.blocks.append(_table(self._rows))
                self._rows = []

    def text(self, data: str) -> None:
        """Take characters."""
        if self._is_text:
            self._paragraph.append(data)

    def finish(self) -> str:
        """Return the document as Markdown; of a damaged one, everything before the damage."""
        self._end_paragraph()
        if self._rows:
            self.blocks.append(_table(self._rows))
        text = "\n\n".join(filter(None, self.blocks))
        return re.sub(r"(?m)^(\s*- .*)\n\n(?=\s*- )", r"\1\n", text)

    def _end_paragraph(self) -> None:
        text = "".join(self._paragraph).strip()
        if self._tables:
            self._cell.append(" ".join(text.split()))
        elif text:
            self.blocks.append(self._prefix + text)
        self._paragraph, self._prefix = [], ""


def read(path: Path, cancelled: Callable[[], bool]) -> Iterator[Record]:
    """Read a document as one note.

    Args:
        path: The file.
        cancelled: Asked at every part of the file; reading stops when it says so.

    Raises:
        FormatError: It is damaged, encrypted, or no Word document.
    """
    parser, problem = _BodyParser(), ""
    links: dict[str, str] = {}
    with open_zip(path) as archive:
        info = _member(archive, path)
        try:
            problem = _parse(archive, info, parser, cancelled)
        except (*DAMAGE, NotImplementedError):
            problem = "The file is damaged, so only its beginning was read."
        made, changed, title = _properties(archive)
        text = parser.finish()
        for found in _pictures(archive, text):
            if isinstance(found, Problem):
                yield replace(found, place=f"{path.name}, {found.place}")
            else:
                key, record = found
                links[key] = attachment_link(record.name, posixpath.basename(record.name))
                yield record
    if cancelled():
        return
    text = storable(_PICTURE.sub(lambda found: links.get(found[1], ""), text))[0].strip()
    if problem:
        yield Problem(path.name, problem)
    if text:
        title = storable(title)[0] or path.stem
        yield MemoryRecord(
            f"{path.resolve().parent.name}/{path.name}", text, title=title, created_ms=made, updated_ms=changed
        )
    elif not problem:
        yield Problem(path.name, "It has no text and was left out.")
    yield Position(path.stat().st_size, path.stat().st_size, path.name)


def _pictures(archive: zipfile.ZipFile, text: str) -> Iterator[tuple[str, AttachmentRecord] | Problem]:
    """Yield the pictures that a text has places for, with the names of the places."""
    targets = _relations(archive)
    for key in dict.fromkeys(_PICTURE.findall(text)):
        target = posixpath.normpath(posixpath.join("word", targets.get(key, ""))).lstrip("/")
        try:
            info = archive.getinfo(target)
            if info.file_size > MAX_PICTURE_BYTES or info.flag_bits & ENCRYPTED:
                yield file_problem(target, "The picture is too large or protected, and was left out.")
                continue
            with archive.open(info) as stream:
                yield key, attachment(posixpath.basename(target), stream.read(MAX_PICTURE_BYTES + 1))
        except KeyError:
            yield file_problem("a picture", "It is not in the file, and was left out.")
        except InputError as error:
            yield file_problem(target, error.message)
        except (*DAMAGE, NotImplementedError, RuntimeError):
            yield file_problem(target, "The picture is damaged and was left out.")


def _relations(archive: zipfile.ZipFile) -> dict[str, str]:
    """Return the parts that a document names, by the name it gives them."""
    found: dict[str, str] = {}

    def take(_tag: str, attributes: dict[str, str]) -> None:
        if attributes.get("TargetMode") != "External":
            found[attributes.get("Id", "")] = attributes.get("Target", "")

    reader = _safe_parser()
    reader.StartElementHandler = take
    with (
        suppress(KeyError, expat.ExpatError, _UnsafeXmlError, RuntimeError, *DAMAGE),
        archive.open(_RELATIONS) as stream,
    ):
        reader.Parse(stream.read(_MAX_RELATIONS), True)
    return found


def _member(archive: zipfile.ZipFile, path: Path) -> zipfile.ZipInfo:
    try:
        info = archive.getinfo(DOCUMENT)
    except KeyError as error:
        raise FormatError(f"{path.name} is no Word document: it has no text part.", path=str(path)) from error
    if info.flag_bits & ENCRYPTED:
        raise FormatError(f"{path.name} is protected with a password. Save it without one first.", path=str(path))
    if info.file_size > _MAX_BYTES:
        said = f"{path.name} would swell to {info.file_size:,} bytes, which is more than Keepsake reads of a document."
        raise FormatError(said, path=str(path))
    return info


def _parse(archive: zipfile.ZipFile, info: zipfile.ZipInfo, parser: _BodyParser, cancelled: Callable[[], bool]) -> str:
    """Read the text part, and return what is wrong with it, ``""`` for nothing."""
    reader = _safe_parser()
    reader.StartElementHandler = parser.start
    reader.EndElementHandler = parser.end
    reader.CharacterDataHandler = parser.text
    try:
        with archive.open(info) as stream:
            while not cancelled():
                data = stream.read(_PART)
                reader.Parse(data, not data)
                if not data:
                    break
    except expat.ExpatError:
        return "The file is damaged, so only its beginning was read."
    except _UnsafeXmlError:
        return "The file declares entities of XML, which no real document does, so it was not read any further."
    return ""


def _properties(archive: zipfile.ZipFile) -> tuple[int | None, int | None, str]:
    """Return creation and change time and title of a document, where given."""
    values: dict[str, str] = {}
    way: list[str] = []
    reader = _safe_parser()
    reader.StartElementHandler = lambda tag, _: way.append(_local(tag))
    reader.EndElementHandler = lambda _: way.pop()

    def take(data: str) -> None:
        values[way[-1]] = values.get(way[-1], "") + data

    reader.CharacterDataHandler = take
    with suppress(KeyError, expat.ExpatError, _UnsafeXmlError, RuntimeError, *DAMAGE), archive.open(_CORE) as stream:
        reader.Parse(stream.read(_PART), True)
    return _time_ms(values.get("created", "")), _time_ms(values.get("modified", "")), values.get("title", "").strip()


def _safe_parser() -> expat.XMLParserType:
    def refuse(*_declaration: object) -> None:
        raise _UnsafeXmlError

    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    parser.EntityDeclHandler = refuse
    return parser


def _local(tag: str) -> str:
    return tag.rpartition(" ")[2]


def _table(rows: list[list[str]]) -> str:
    lines = [f"| {' | '.join(row)} |" for row in rows if row]
    if lines:
        lines.insert(1, f"|{' --- |' * len(rows[0])}")
    return "\n".join(lines)


def _time_ms(text: str) -> int | None:
    try:
        moment = datetime.fromisoformat(text.strip().replace("Z", "+00:00"))
        return int(moment.timestamp() * 1000) if moment.tzinfo else None
    except (ValueError, OverflowError):
        return None
