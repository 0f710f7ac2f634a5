"""Reader of ENEX, the notes of Evernote and of programs that write its format."""

import html
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Final
from xml.parsers import expat

from app.core.tag_names import normalise_tags
from app.core.text import content_hash, storable
from app.exchange.model import Position, Record
from app.exchange.parsing.html_text import MAX_CHARACTERS, markdown_of
from app.memories.foreign_record import MemoryRecord, Problem

NAME: Final = "enex"
_PART: Final = 1 << 16
_READ: Final = frozenset({"title", "content", "created", "updated", "tag", "source-url", "taskStatus"})


class _UnsafeXmlError(Exception):
    """The file declares entities, which a note never does."""


@dataclass(slots=True)
class _Note:
    """Texts of one note as they are read."""

    fields: dict[str, str] = field(default_factory=dict)
    tags: list[str] = field(default_factory=list)
    tasks: list[str] = field(default_factory=list)
    resources: int = 0
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
            self._note.resources += 1
        elif tag == "task":
            self._task = ["", ""]
        self._text = [] if tag in _READ and "resource" not in self._way else None
        self._size = 0

    def _characters(self, data: str) -> None:
        if self._text is None or self._note is None:
            return
        self._size += len(data)
        if self._size > MAX_CHARACTERS:
            self._note.is_cut = True
        else:
            self._text.append(data)

    def _end(self, tag: str) -> None:
        self._way.pop()
        note, text = self._note, "".join(self._text or ())
        if note is None:
            return
        if tag == "note":
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
    text, _, _ = markdown_of(note.fields.get("content", ""))
    text = "\n\n".join(filter(None, (text, "\n".join(note.tasks))))
    title = " ".join(storable(note.fields.get("title", ""))[0].split())
    if not text and not title:
        yield Problem(place, "It has neither a title nor a text and was left out.")
        return
    if note.resources:
        said = f"{note.resources} attached files were left out." if note.resources > 1 else "Its file was left out."
        yield Problem(place, said, lost=False, foreign=True)
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
