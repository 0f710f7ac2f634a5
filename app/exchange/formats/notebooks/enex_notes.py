"""Notes of an ENEX file, read one by one.

Damage in one note costs that note alone.
"""

import base64
import codecs
import html
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import IO, Final
from xml.parsers import expat
from xml.sax.saxutils import quoteattr

from app.attachments.model import MAX_BYTES as MAX_ATTACHED
from app.core.safe_xml import UnsafeXmlError, safe_parser
from app.exchange.importing.source_files import read_some, utf8_stream
from app.exchange.parsing.html_text import MAX_CHARACTERS
from app.sentence import Sentence

MAX_DEPTH: Final = 256
_PART: Final = 1 << 16
_MAX_ENCODED: Final = MAX_ATTACHED * 3 // 2
_PIECE: Final = 1 << 13
_MAX_HELD: Final = 256 << 20
_MAX_DAMAGED: Final = 4 * MAX_CHARACTERS  # of a damaged note, what is looked at
_READ: Final = frozenset({"title", "content", "created", "updated", "tag", "source-url", "author", "taskStatus"})
# Of a note and its tasks, what is for programs or stands in another field.
_TECHNICAL: Final = frozenset(
    (
        *("note-attributes", "task", "resource", "source", "source-application", "content-class", "application-data"),
        *("reminder-order", "latitude", "longitude", "altitude", "taskFlag", "sortWeight", "noteLevelID", "creator"),
        *("lastEditor", "taskGroupNoteLevelID", "statusUpdated", "inNote", "timeZone", "reminder"),
    )
)
_OF_RESOURCES: Final = frozenset({"data", "mime", "file-name"})
_PROLOGUE: Final = b'<!DOCTYPE en-export SYSTEM "export.dtd"><en-export>'
_NOTE: Final = re.compile(rb"<note(?=[\s>])")
_LONGEST_MARK: Final = 6
_DECLARED: Final = re.compile(rb"\s*<\?xml[^>]*?encoding\s*=\s*[\"']([\w.-]+)")
_GAP: Final = Sentence("The file is damaged there; what stands between this note and the next one was left out.")
_CUT: Final = Sentence("The file is cut short or damaged there. Everything before it went in.")
_SWALLOWED: Final = re.compile(r"</content>.*<note(?=[\s>])", re.DOTALL)
_CDATA: Final = re.compile(r"<!\[CDATA\[|\]\]>")
_RESOURCE: Final = re.compile(r"<resource\b[^>]*>(.*?)(?:</resource>|\Z)", re.DOTALL)
_TASK: Final = re.compile(r"<task\b[^>]*>(.*?)(?:</task>|\Z)", re.DOTALL)
_CONTENT: Final = re.compile(r"<content\b[^>]*>(.*)</content>|<content\b[^>]*>(.*)", re.DOTALL)
_FIELD: Final = r"<{0}\b[^<>]*>([^<>]*)(?=<)"


@dataclass(slots=True)
class Resource:
    """Attached file as it is read; ``is_cut`` where its data are too large or damaged."""

    name: str = ""
    mime: str = ""
    data: bytes = b""
    is_cut: bool = False


@dataclass(slots=True)
class Note:
    """Texts of one note as they are read.

    Args:
        fields: Texts by tag, ``content`` as ENML.
        others: Texts of tags that are not known.
        is_cut: The note is too large.
        damage: What is wrong with its XML in a sentence, ``""`` for nothing.
        is_whole: False when a damaged note may have lost its end.
    """

    fields: dict[str, str] = field(default_factory=dict)
    others: dict[str, str] = field(default_factory=dict)
    tags: list[str] = field(default_factory=list)
    tasks: list[str] = field(default_factory=list)
    resources: list[Resource] = field(default_factory=list)
    is_cut: bool = False
    damage: str = ""
    is_whole: bool = True


@dataclass(frozen=True, slots=True)
class Gap:
    """Damage that is in no note."""

    what: str


class _DamagedNoteError(Exception):
    """A note is not closed, or nested beyond reason."""


class _NoteParser:
    """Parser of the XML of notes; a complete note is in ``notes``."""

    def __init__(self) -> None:
        self.notes: list[Note] = []
        self.start: int | None = None
        self._note: Note | None = None
        self._depth = 0
        self._resource_at = self._content_at = self._task_at = 0
        self._tag = ""
        self._text: list[str] | None = None
        self._size = 0
        self._task = ["", ""]
        self.xml = safe_parser("utf-8", has_namespaces=False)
        self.xml.StartElementHandler = self._start
        self.xml.EndElementHandler = self._end
        self.xml.CharacterDataHandler = self._characters
        self.xml.SkippedEntityHandler = lambda name, _: self._characters(html.unescape(f"&{name};"))

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise _DamagedNoteError("It is nested beyond reason.")
        if self._content_at:
            shown_attributes = "".join(f" {name}={quoteattr(value)}" for name, value in attributes.items())
            self._characters(f"<{tag}{shown_attributes}>")
            return
        if tag == "note":
            if self._note is not None:
                raise _DamagedNoteError("It has no end.")
            self._note, self.start = Note(), self.xml.CurrentByteIndex
        elif self._note is not None:
            self._begin(self._note, tag)

    def _begin(self, note: Note, tag: str) -> None:
        if tag == "resource":
            note.resources.append(Resource())
            self._resource_at = self._depth
        elif tag == "task":
            self._task, self._task_at = ["", ""], self._depth
        elif tag == "content" and not self._resource_at:
            self._content_at = self._depth
        is_wanted = tag in _OF_RESOURCES if self._resource_at else tag not in _TECHNICAL
        self._tag, self._text = tag, [] if is_wanted else None
        self._size = 0

    def _characters(self, data: str) -> None:
        if self._text is None or self._note is None:
            return
        self._size += len(data)
        if self._size > (_MAX_ENCODED if self._tag == "data" else MAX_CHARACTERS):
            self._cut(self._note)
        else:
            self._text.append(data)

    def _cut(self, note: Note) -> None:
        """Give up a text that is too long, or the file whose data it is."""
        self._text = None
        if self._resource_at and note.resources:
            note.resources[-1].is_cut = True
        else:
            note.is_cut = True

    def _end(self, tag: str) -> None:
        depth = self._depth
        self._depth -= 1
        if self._content_at and depth > self._content_at:
            self._characters(f"</{tag}>")
            return
        note, text = self._note, "".join(self._text or ())
        if note is not None:
            self._take(note, tag, text, depth)
        self._text = None

    def _take(self, note: Note, tag: str, text: str, depth: int) -> None:
        if self._resource_at:
            self._resource_at = 0 if depth == self._resource_at else self._resource_at
            _fill(note.resources[-1], tag, text)
        elif tag == "note":
            self.notes.append(note)
            self._note = self.start = None
        elif tag == "tag":
            note.tags.append(text)
        elif self._task_at and tag in ("title", "taskStatus"):
            self._task[tag == "taskStatus"] = text
        elif self._task_at and depth == self._task_at:
            note.tasks.append(_task_line(*self._task))
            self._task_at = 0
        elif self._text is not None:
            if tag == "content" and _SWALLOWED.search(text):
                raise _DamagedNoteError("Its text has no end.")
            (note.fields if tag in _READ else note.others)[tag] = text
        self._content_at = 0


class _Window:
    """Bytes of a file since the beginning of the note at hand."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream, prefix = utf8_stream(stream)
        first = prefix + read_some(self._stream, _PART)
        declared = _DECLARED.match(first)
        # UTF-16 and text with a mark are UTF-8 here, whatever they say of themselves.
        self._decoder = _decoder(declared[1].decode()) if declared and prefix else None
        self.data = bytearray(self._recoded(first))
        self.base = 0
        self.is_at_end = not first

    @property
    def end(self) -> int:
        """The place up to which the file was read."""
        return self.base + len(self.data)

    def read_on(self) -> None:
        """Read the next bytes."""
        data = read_some(self._stream, _PART)
        self.data += self._recoded(data)
        self.is_at_end = not data

    def _recoded(self, data: bytes) -> bytes:
        return data if self._decoder is None else self._decoder.decode(data, final=not data).encode()

    def drop(self, before: int) -> None:
        """Let go of the bytes before a place.

        Of a huge note only its end is held.
        """
        if self.end - before > _MAX_HELD:
            before = self.end - _PART
        if before > self.base:
            del self.data[: before - self.base]
            self.base = before

    def skip_to(self, pattern: re.Pattern[bytes], place: int, cancelled: Callable[[], bool]) -> bytes:
        """Move to the next match, and return the bytes from a place up to it.

        Of many bytes only the first are returned.
        """
        passed = bytearray()
        while True:
            match = pattern.search(self.data, place - self.base)
            # A match may begin in the last bytes and end in the next part.
            upto = self.end if match is None else self.base + match.start()
            if match is None and not self.is_at_end:
                upto = max(place, upto - _LONGEST_MARK)
            passed += self.data[place - self.base : upto - self.base]
            del passed[_MAX_DAMAGED:]
            self.drop(upto)
            if match is not None or self.is_at_end or cancelled():
                return bytes(passed)
            place = upto
            self.read_on()


class NoteReader:
    """Reader of the notes of one file.

    Args:
        stream: The file.
        cancelled: Asked at every part of the file; reading stops when it says so.
    """

    def __init__(self, stream: IO[bytes], cancelled: Callable[[], bool]) -> None:
        self._window = _Window(stream)
        self._cancelled = cancelled
        self._parser = _NoteParser()
        self._origin = self._fed = self._begun = 0

    @property
    def done(self) -> int:
        """The number of bytes that were read."""
        return self._window.end

    def parts(self) -> Iterator[list[Note | Gap]]:
        """Yield the notes of one part after the other, and what is wrong between them."""
        while not self._cancelled():
            is_last = False
            try:
                is_last = self._feed()
                damage = ""
            except UnsafeXmlError:
                sentence = Sentence(
                    "The file declares entities of XML, which no real export does, so it was not read any further."
                )
                yield [*self._parser.notes, Gap(sentence)]
                return
            except _DamagedNoteError as error:
                damage = str(error)
            except expat.ExpatError as error:
                damage = Sentence("Its XML is damaged ({why}).", why=expat.ErrorString(error.code))
            notes = [*self._parser.notes]
            self._parser.notes.clear()
            yield [*notes, *([self._skip(damage)] if damage else [])]
            if is_last or (damage and not self._window.data):
                return

    def _feed(self) -> bool:
        """Parse the next bytes, and return whether there were none."""
        window, parser = self._window, self._parser
        if self._fed >= window.end and not window.is_at_end:
            window.drop(self._origin + (parser.xml.CurrentByteIndex if parser.start is None else parser.start))
            window.read_on()
        at = self._fed - window.base
        piece = bytes(window.data[at : at + _PIECE])
        self._fed += len(piece)
        is_last = not piece and window.is_at_end
        parser.xml.Parse(piece, is_last)
        return is_last

    def _skip(self, damage: str) -> Note | Gap:
        """Go on at the next note, and return the damaged one."""
        window, start = self._window, self._parser.start
        place = max(self._origin + (self._parser.xml.CurrentByteIndex if start is None else start), window.base)
        # The mark with which this one begins is not that of the next.
        is_mark = start is not None or place == self._begun
        head = bytes(window.data[place - window.base :][:is_mark])
        raw = head + window.skip_to(_NOTE, place + len(head), self._cancelled)
        self._parser = _NoteParser()
        self._parser.xml.Parse(_PROLOGUE)
        self._fed = self._begun = window.base
        self._origin = window.base - len(_PROLOGUE)
        if start is not None:
            return damaged_note(raw.decode("utf-8", "replace"), damage)
        return Gap(_GAP if window.data else _CUT)


def damaged_note(source: str, damage: str) -> Note:
    """Return what can be read of a note whose XML is damaged."""
    before, end, after = source.rpartition("</note>")
    source = before if end else after
    note = Note(damage=damage, is_whole=bool(end))
    for match in _RESOURCE.finditer(source):
        note.resources.append(Resource())
        for tag in _OF_RESOURCES:
            _fill(note.resources[-1], tag, _field(match[1], tag))
    source = _RESOURCE.sub("", source)
    content = _CONTENT.search(source)
    if content is not None:
        encoded = content[1] if content[1] is not None else content[2]
        note.is_whole = note.is_whole and content[1] is not None
        note.fields["content"] = (
            _CDATA.sub("", encoded) if "<![CDATA[" in encoded or "<" in encoded else html.unescape(encoded)
        )
        source = source[: content.start()] + source[content.end() :]
    for match in _TASK.finditer(source):
        note.tasks.append(_task_line(_field(match[1], "title"), _field(match[1], "taskStatus")))
    source = _TASK.sub("", source)
    names = ("title", "created", "updated", "source-url", "author")
    note.fields |= {tag: encoded for tag in names if (encoded := _field(source, tag))}
    note.tags = [html.unescape(tag) for tag in re.findall(_FIELD.format("tag"), source)]
    return note


def _field(source: str, tag: str) -> str:
    match = re.search(_FIELD.format(tag), source)
    return html.unescape(match[1]).strip() if match else ""


def _fill(resource: Resource, tag: str, text: str) -> None:
    if tag == "data" and text:
        try:
            resource.data = base64.b64decode(text)
        except ValueError:
            resource.is_cut = True
    elif tag == "mime":
        resource.mime = text.strip()
    elif tag == "file-name":
        resource.name = text.strip()


def _task_line(title: str, status: str) -> str:
    return f"- [{'x' if status == 'completed' else ' '}] {title}"


def _decoder(name: str) -> codecs.IncrementalDecoder | None:
    """Return a decoder of an encoding, ``None`` for UTF-8 and for unknown ones."""
    try:
        known = codecs.lookup(name).name
    except LookupError:
        return None
    return None if known in ("utf-8", "ascii") else codecs.getincrementaldecoder(known)("replace")
