"""Reader of ENEX, the notes of Evernote and of programs that write its format."""

import base64
import hashlib
import html
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Final
from xml.parsers import expat

from app.attachments.model import MAX_BYTES as MAX_ATTACHED
from app.core.tag_names import normalise_tags
from app.core.text import content_hash, storable
from app.errors import InputError
from app.exchange.model import AttachmentRecord, Position, Record
from app.exchange.parsing.attachment_links import attachment, attachment_link, file_problem
from app.exchange.parsing.html_text import MAX_CHARACTERS, markdown_of
from app.memories.foreign_record import MemoryRecord, Problem

NAME: Final = "enex"
_PART: Final = 1 << 16
_READ: Final = frozenset({"title", "content", "created", "updated", "tag", "source-url", "taskStatus"})

_OF_RESOURCES: Final = frozenset({"data", "mime", "file-name"})
_MAX_ENCODED: Final = MAX_ATTACHED * 3 // 2
_ENDINGS: Final = {"application/pdf": ".pdf", "audio/mpeg": ".mp3", "audio/wav": ".wav", "image/svg+xml": ".svg"}


class _UnsafeXmlError(Exception):
    """The file declares entities, which a note never does."""


@dataclass(slots=True)
class _Resource:
    """Attached file as it is read; too much data sets ``is_cut``."""

    name: str = ""
    mime: str = ""
    data: bytes = b""
    is_cut: bool = False


@dataclass(slots=True)
class _Note:
    """Texts of one note as they are read."""

    fields: dict[str, str] = field(default_factory=dict)
    tags: list[str] = field(default_factory=list)
    tasks: list[str] = field(default_factory=list)
    resources: list[_Resource] = field(default_factory=list)
    is_cut: bool = False


class _NoteParser:
    """Parser that yields each note when its last tag was read."""

    def __init__(self) -> None:
        self.notes: list[_Note] = []
        self._note: _Note | None = None
        self._way: list[str] = []
        self._text: list[str] | None = None
        self._size = 0
        self._task = ["", ""]
        self._parser = expat.ParserCreate()
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._characters
        self._parser.SkippedEntityHandler = lambda name, _: self._characters(html.unescape(f"&{name};"))
        self._parser.EntityDeclHandler = _refuse

    def feed(self, data: bytes) -> None:
        """Read the next bytes; none at the end of the file."""
        self._parser.Parse(data, not data)

    def _start(self, tag: str, _attributes: dict[str, str]) -> None:
        self._way.append(tag)
        if tag == "note":
            self._note = _Note()
        elif tag == "resource" and self._note is not None:
            self._note.resources.append(_Resource())
        elif tag == "task":
            self._task = ["", ""]
        wanted = _OF_RESOURCES if "resource" in self._way else _READ
        self._text = [] if tag in wanted else None
        self._size = 0

    def _characters(self, data: str) -> None:
        if self._text is None or self._note is None:
            return
        self._size += len(data)
        if self._size > (_MAX_ENCODED if self._way[-1] == "data" else MAX_CHARACTERS):
            self._cut()
        else:
            self._text.append(data)

    def _cut(self) -> None:
        """Give up a text that is too long, or the file whose data it is."""
        note = self._note
        if note is not None and self._way[-1] == "data" and note.resources:
            note.resources[-1].is_cut = True
            self._text = None
        elif note is not None:
            note.is_cut = True

    def _end_of_resource(self, resource: _Resource, tag: str, text: str) -> None:
        if tag == "data" and text:
            try:
                resource.data = base64.b64decode(text)
            except ValueError:
                resource.is_cut = True
        elif tag == "mime":
            resource.mime = text.strip()
        elif tag == "file-name":
            resource.name = text.strip()

    def _end(self, tag: str) -> None:
        is_in_resource = "resource" in self._way
        self._way.pop()
        note, text = self._note, "".join(self._text or ())
        if note is None:
            return
        if is_in_resource:
            if note.resources:
                self._end_of_resource(note.resources[-1], tag, text)
        elif tag == "note":
            self.notes.append(note)
            self._note = None
        elif tag == "tag":
            note.tags.append(text)
        elif "task" in self._way and tag in ("title", "taskStatus"):
            self._task[tag == "taskStatus"] = text
        elif tag == "task":
            note.tasks.append(f"- [{'x' if self._task[1] == 'completed' else ' '}] {self._task[0]}")
        elif self._text is not None:
            note.fields[tag] = text
        self._text = None


def read(path: Path, cancelled: Callable[[], bool]) -> Iterator[Record]:
    """Read the notes of an ENEX file, up to any damaged place.

    Args:
        path: The file, such as ``My notes.enex``.
        cancelled: Asked at every part of the file; reading stops when it says so.
    """
    parser, seen, total = _NoteParser(), Counter[str](), path.stat().st_size
    number, done = 0, 0
    with path.open("rb") as stream:
        while not cancelled():
            data = stream.read(_PART)
            done += len(data)
            problem = _feed(parser, data)
            for note in parser.notes:
                number += 1
                yield from _records(note, f"{path.name}, note {number}", seen)
            parser.notes.clear()
            if problem:
                yield Problem(f"{path.name}, after note {number}", problem)
                return
            yield Position(done, total, path.name)
            if not data:
                return


def _attached(resource: _Resource, place: str) -> AttachmentRecord | Problem:
    """Return an attached file, or why it is left out."""
    name = resource.name or f"file{_ENDINGS.get(resource.mime, '')}"
    if resource.is_cut or len(resource.data) > MAX_ATTACHED:
        return file_problem(
            f"{place}, {name}", f"It is damaged, or larger than {MAX_ATTACHED >> 20} MB, and was left out."
        )
    try:
        return attachment(name, resource.data)
    except InputError as error:
        return file_problem(f"{place}, {name}", error.message)


def _feed(parser: _NoteParser, data: bytes) -> str:
    """Read the next bytes, and return what is wrong with them, ``""`` for nothing."""
    try:
        parser.feed(data)
    except expat.ExpatError as error:
        return f"The file is cut short or damaged there, so the rest was left out (line {error.lineno})."
    except _UnsafeXmlError:
        return "The file declares entities of XML, which no real export does, so it was not read any further."
    return ""


def _records(note: _Note, place: str, seen: Counter[str]) -> Iterator[Record]:
    if note.is_cut:
        yield Problem(place, f"It is larger than {MAX_CHARACTERS >> 20} million characters and was left out.")
        return
    links: dict[str, str] = {}
    for resource in note.resources:
        kept = _attached(resource, place)
        yield kept
        if isinstance(kept, AttachmentRecord):
            digest = hashlib.md5(resource.data, usedforsecurity=False).hexdigest()  # the format names files so
            links[digest] = attachment_link(kept.name, resource.name or kept.name)
    content = note.fields.get("content", "")
    text, _, _ = markdown_of(content, links)
    unplaced = [link for digest, link in links.items() if digest not in content]
    text = "\n\n".join(filter(None, (text, "\n".join(note.tasks), *unplaced)))
    title = " ".join(storable(note.fields.get("title", ""))[0].split())
    if not text and not title:
        yield Problem(place, "It has neither a title nor a text and was left out.")
        return
    created = note.fields.get("created", "")
    # ENEX has no ids; a note keeps its title and its time of making from one export to the next.
    name = content_hash(f"{created}\n{title}")
    seen[name] += 1
    source = note.fields.get("source-url", "")
    yield MemoryRecord(
        f"{name}-{seen[name]}" if seen[name] > 1 else name,
        storable(text)[0] or title,
        title=title,
        tags=normalise_tags(note.tags),
        created_ms=_time_ms(created),
        updated_ms=_time_ms(note.fields.get("updated", "")),
        attributes={"source_url": source} if source else {},
    )


def _time_ms(text: str) -> int | None:
    try:
        return int(datetime.strptime(text.strip(), "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC).timestamp() * 1000)
    except (ValueError, OverflowError):
        return None


def _refuse(*_declaration: object) -> None:
    raise _UnsafeXmlError
