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
from app.core.safe_xml import UnsafeXmlError, local, safe_parser
from app.core.text import storable
from app.errors import FormatError, InputError
from app.exchange.formats.docx_asides import asides, words
from app.exchange.formats.docx_body import BodyParser
from app.exchange.formats.format_spec import FormatSpec
from app.exchange.importing.accounting import read_item
from app.exchange.importing.source_files import DAMAGE, ENCRYPTED, open_zip
from app.exchange.model import AttachmentRecord, Position, Record
from app.exchange.parsing.attachment_links import attachment, attachment_link, file_problem
from app.memories.foreign_record import MemoryRecord, Problem
from app.sentence import Sentence

NAME: Final = "docx"
DOCUMENT: Final = "word/document.xml"
_RELATIONS: Final = "word/_rels/document.xml.rels"
_CORE: Final = "docProps/core.xml"
_MAX_BYTES: Final = 64 << 20
_MAX_RELATIONS: Final = 4 << 20
_PART: Final = 1 << 16
# Stands where a picture is until the text is complete; no XML can hold a NUL.
_PICTURE: Final = re.compile("\0([^\0]*)\0")


def read(path: Path, cancelled: Callable[[], bool]) -> Iterator[Record]:
    """Read a document as one note.

    Args:
        path: The file.
        cancelled: Asked at every part of the file; reading stops when it says so.

    Raises:
        FormatError: It is damaged, encrypted, or no Word document.
    """
    parser, problem = BodyParser(), ""
    links: dict[str, str] = {}
    with open_zip(path) as archive:
        info = _member(archive, path)
        read_item(path.name, words(archive), "document")
        try:
            problem = _parse(archive, info, parser, cancelled)
        except (*DAMAGE, NotImplementedError):
            problem = Sentence("The file is damaged, so only its beginning was read.")
        created, changed, title = _properties(archive)
        text = "\n\n".join(filter(None, (parser.finish(), *asides(archive))))
        for picture in _pictures(archive, text):
            if isinstance(picture, Problem):
                yield replace(picture, place=f"{path.name}, {picture.place}")
            else:
                key, record = picture
                links[key] = attachment_link(record.name, posixpath.basename(record.name))
                yield record
    if cancelled():
        return
    text = storable(_PICTURE.sub(lambda match: links.get(match[1], ""), text))[0].strip()
    if problem:
        yield Problem(path.name, problem)
    if text:
        title = storable(title)[0] or path.stem
        yield MemoryRecord(
            f"{path.resolve().parent.name}/{path.name}", text, title=title, created_ms=created, updated_ms=changed
        )
    elif not problem:
        yield Problem(path.name, Sentence("It has no text and was left out."))
    yield Position(path.stat().st_size, path.stat().st_size, path.name)


def _pictures(archive: zipfile.ZipFile, text: str) -> Iterator[tuple[str, AttachmentRecord] | Problem]:
    """Yield the pictures that a text has places for, with the names of the places."""
    targets = _relations(archive)
    for key in dict.fromkeys(_PICTURE.findall(text)):
        target = posixpath.normpath(posixpath.join("word", targets.get(key, ""))).lstrip("/")
        try:
            info = archive.getinfo(target)
            if info.file_size > MAX_PICTURE_BYTES or info.flag_bits & ENCRYPTED:
                yield file_problem(target, Sentence("The picture is too large or protected, and was left out."))
                continue
            with archive.open(info) as stream:
                yield key, attachment(posixpath.basename(target), stream.read(MAX_PICTURE_BYTES + 1))
        except KeyError:
            yield file_problem("a picture", Sentence("It is not in the file, and was left out."))
        except InputError as error:
            yield file_problem(target, error.sentence)
        except (*DAMAGE, NotImplementedError, RuntimeError):
            yield file_problem(target, Sentence("The picture is damaged and was left out."))


def _relations(archive: zipfile.ZipFile) -> dict[str, str]:
    """Return the parts that a document names, by the name it gives them."""
    relations: dict[str, str] = {}

    def take(_tag: str, attributes: dict[str, str]) -> None:
        if attributes.get("TargetMode") != "External":
            relations[attributes.get("Id", "")] = attributes.get("Target", "")

    reader = safe_parser(has_namespaces=True)
    reader.StartElementHandler = take
    with (
        suppress(KeyError, expat.ExpatError, UnsafeXmlError, RuntimeError, *DAMAGE),
        archive.open(_RELATIONS) as stream,
    ):
        reader.Parse(stream.read(_MAX_RELATIONS), True)
    return relations


def _member(archive: zipfile.ZipFile, path: Path) -> zipfile.ZipInfo:
    try:
        info = archive.getinfo(DOCUMENT)
    except KeyError as error:
        raise FormatError(
            Sentence("{name} is no Word document: it has no text part.", name=path.name), path=str(path)
        ) from error
    if info.flag_bits & ENCRYPTED:
        raise FormatError(
            Sentence("{name} is protected with a password. Save it without one first.", name=path.name), path=str(path)
        )
    if info.file_size > _MAX_BYTES:
        sentence = Sentence(
            "{name} would swell to {size} bytes, which is more than Keepsake reads of a document.",
            name=path.name,
            size=info.file_size,
        )
        raise FormatError(sentence, path=str(path))
    return info


def _parse(archive: zipfile.ZipFile, info: zipfile.ZipInfo, parser: BodyParser, cancelled: Callable[[], bool]) -> str:
    """Read the text part, and return what is wrong with it, ``""`` for nothing."""
    reader = safe_parser(has_namespaces=True)
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
        return Sentence("The file is damaged, so only its beginning was read.")
    except UnsafeXmlError:
        return Sentence(
            "The file declares entities of XML, which no real document does, so it was not read any further."
        )
    return ""


def _properties(archive: zipfile.ZipFile) -> tuple[int | None, int | None, str]:
    """Return creation and change time and title of a document, where given."""
    values: dict[str, str] = {}
    way: list[str] = []
    reader = safe_parser(has_namespaces=True)
    reader.StartElementHandler = lambda tag, _: way.append(local(tag))
    reader.EndElementHandler = lambda _: way.pop()

    def take(data: str) -> None:
        values[way[-1]] = values.get(way[-1], "") + data

    reader.CharacterDataHandler = take
    with suppress(KeyError, expat.ExpatError, UnsafeXmlError, RuntimeError, *DAMAGE), archive.open(_CORE) as stream:
        reader.Parse(stream.read(_PART), True)
    return _time_ms(values.get("created", "")), _time_ms(values.get("modified", "")), values.get("title", "").strip()


def _time_ms(text: str) -> int | None:
    try:
        moment = datetime.fromisoformat(text.strip().replace("Z", "+00:00"))
        return int(moment.timestamp() * 1000) if moment.tzinfo else None
    except (ValueError, OverflowError):
        return None


SPEC = FormatSpec(
    name=NAME, title="Word document", read=read, kind="document", help="Word (DOCX)", suffixes=(".docx",), keys="folder"
)
