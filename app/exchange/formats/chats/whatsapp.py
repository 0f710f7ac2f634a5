"""Reader of WhatsApp's exported chats: ``WhatsApp Chat with X.txt``, ``_chat.txt``, or the zip around it."""

import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from app.core.text import content_hash
from app.exchange.accounting import read_item
from app.exchange.formats.chats import chat_records
from app.exchange.formats.chats.chat_records import Cancelled
from app.exchange.model import Position, Record
from app.exchange.parsing import encoding
from app.exchange.source_files import DAMAGE, SourceEntry, utf8_stream
from app.memories.foreign_record import Problem

FORMAT = "whatsapp"
AGENT = "WhatsApp"
FILES = re.compile(r"(?:.*/)?(?:_chat|WhatsApp[ -].*)\.txt", re.IGNORECASE)
_MAX_HEAD = 160
_MAX_NAME = 80
_DAYS, _MONTHS, _CENTURY = 31, 12, 100
_MAX_LINE = 1 << 20
_MAX_MESSAGE = 8 << 20
_MARKS = "\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff"
_HALF = r"[AaPp]\.?[ \u00a0]?[Mm]\.?|上午|下午|午前|午後|오전|오후|ص|م"
_HEAD = re.compile(
    rf"[{_MARKS}]*\[?(\d{{1,4}})[./-][ ]?(\d{{1,2}})[./-][ ]?(\d{{1,4}})\.?,?[\s{_MARKS}]{{1,3}}({_HALF})?[ ]?"
    rf"(\d{{1,2}})[:.](\d{{2}})(?:[:.](\d{{2}}))?[\s]?({_HALF})?(?:\][ ]|[ ][-\u2013][ ])[{_MARKS}]*"
)
_AFTERNOON = ("p", "P", "下午", "午後", "오후", "م")
_OMITTED = re.compile(r"<Media omitted>|<Medien ausgeschlossen>|<Multimedia omitido>|<Médias omis>|<Media omessi>")
_KIND_OMITTED = re.compile(r"(image|video|audio|sticker|GIF|document|Contact card) omitted")
_ATTACHED = re.compile(r"<(?:attached|Anhang|adjunto|pièce jointe|allegato): ([^<>\n]{1,200})>")
_FILE_ATTACHED = re.compile(r"([^\n]{1,200}\.\w{2,5}) \((?:file attached|Datei angehängt|archivo adjunto)\)")


_NAMELESS = re.compile(r"(?:whatsapp|chats?|exported|export|history|messages?|txt|[\W\d_])+", re.IGNORECASE)
"""Names of files that say nothing of the chat in them."""
_NAMING = re.compile(
    r"\b(?:group|subject|gruppe|betreff|grupo|asunto|groupe|objet|gruppo|oggetto)\b"  # codespell:ignore groupe,objet
    r".*[\"\u201c\u201d\u201e\u00ab][ \u00a0]?"
    r"([^\"\u201c\u201d\u201e\u00ab\u00bb\n]{1,80}?)[ \u00a0]?[\"\u201c\u201d\u00bb]",
    re.IGNORECASE,
)
"""Notice of a new or renamed group; its name is quoted last."""
_MOST_NAMED = 3


@dataclass(slots=True)
class _Said:
    """A message whose further lines may still come."""

    date: tuple[int, int, int]
    clock: tuple[int, int, int]
    author: str
    lines: list[str] = field(default_factory=list)
    length: int = 0


@dataclass(slots=True)
class _Name:
    """Evidence in a chat of what it is called."""

    group: str = ""
    authors: dict[str, None] = field(default_factory=dict)

    def add(self, said: _Said) -> None:
        """Take the first line of a message or notice."""
        if said.author:
            self.authors[said.author] = None
        elif (found := _NAMING.search(said.lines[0])) is not None:
            self.group = found[1]

    def decide(self) -> str:
        """Return the name of the group, else the few authors.

        It is ``""`` where there are many.
        """
        return self.group or (", ".join(self.authors) if len(self.authors) <= _MOST_NAMED else "")


@dataclass(slots=True)
class _Order:
    """Evidence for the order of day, month and year in the dates of a file."""

    first: int = 0
    second: int = 0
    has_half: bool = False
    falls: dict[str, int] = field(default_factory=lambda: {"dmy": 0, "mdy": 0})
    last: dict[str, tuple[int, int, int]] = field(default_factory=dict)

    def add(self, said: _Said, *, has_half: bool) -> None:
        """Take the date of one message."""
        one, two, year = said.date
        self.has_half = self.has_half or has_half
        if one > _DAYS:
            return
        self.first, self.second = max(self.first, one), max(self.second, two)
        for name, date in (("dmy", (year, two, one)), ("mdy", (year, one, two))):
            self.falls[name] += date < self.last.get(name, date)
            self.last[name] = date

    def decide(self) -> tuple[str, bool]:
        """Return ``dmy`` or ``mdy``, and whether the file proves it."""
        if self.first > _MONTHS or self.second > _MONTHS:
            return ("dmy" if self.first > _MONTHS else "mdy"), True
        if self.falls["dmy"] != self.falls["mdy"]:
            return min(self.falls, key=lambda name: self.falls[name]), True
        return ("mdy" if self.has_half else "dmy"), not self.last


def is_chat(text: str) -> bool:
    """Return whether the beginning of a file has messages as WhatsApp writes them."""
    lines = text[:20_000].splitlines()
    return sum(_HEAD.match(line[:_MAX_HEAD]) is not None for line in lines[:40]) * 4 >= min(len(lines), 40) > 0


def read(path: Path, cancelled: Cancelled) -> Iterator[Record]:
    """Read exported chats; each file is a conversation.

    Args:
        path: The text file, the zip, or the folder around it.
        cancelled: Asked now and then; reading stops when it says so.

    Raises:
        NotFoundError: There is nothing at ``path``.
        FormatError: The zip cannot be read at all.
    """
    with chat_records.files(path, FILES) as found:
        for entry in found:
            try:
                yield from _chat(entry, path, cancelled)
            except DAMAGE as error:
                yield Problem(entry.name, f"The zip file is damaged from here on ({error}). Copy it again.")


def _title(entry: SourceEntry, path: Path) -> str:
    stem = PurePosixPath(entry.name).stem
    stem = path.stem if stem.casefold() == "_chat" and path.suffix.lower() == ".zip" else stem
    stem = re.sub(r" ?\(\d+\)$", "", stem)
    return re.sub(r"^WhatsApp(?: Chat)?[ -]+(?:(?:with|mit|con|avec) )?", "", stem, flags=re.IGNORECASE) or stem


def _chat(entry: SourceEntry, path: Path, cancelled: Cancelled) -> Iterator[Record]:
    order, names, first = _Order(), _Name(), ""
    for line, _ in _lines(entry):
        if cancelled():
            return
        begun = _begun(line)
        if begun is not None:
            first = first or line
            order.add(begun[0], has_half=begun[1])
            names.add(begun[0])
    name, is_proven = order.decide()
    if not is_proven:
        first_part = "day" if name == "dmy" else "month"
        said = f"Its dates may mean day or month first; they were read with the {first_part} first."
        yield Problem(entry.name, said, lost=False)
    title = _title(entry, path)
    is_bare = title.casefold() == "_chat"
    key = f"first:{content_hash(first)}" if is_bare else title
    if _NAMELESS.fullmatch(title):
        title = names.decide() or ("" if is_bare else title)
    yield from _messages(entry, key, title, name, cancelled)


def _messages(entry: SourceEntry, key: str, title: str, order: str, cancelled: Cancelled) -> Iterator[Record]:
    current: _Said | None = None
    done, number, repaired, is_first = 0, 0, False, True
    for line, replaced in _lines(entry):
        if cancelled():
            return
        number += 1
        done += len(line) + 1
        if replaced and not repaired:
            repaired = True
            yield Problem(f"{entry.name}, line {number}", "It is not UTF-8; check its special letters.", lost=False)
        read_item(f"{entry.name}, line {number}", line, "line")
        begun = _begun(line)
        if begun is None:
            if current is None:
                if line.strip():
                    yield Problem(f"{entry.name}, line {number}", "Text before the first message was left out.")
            elif current.length + len(line) > _MAX_MESSAGE:
                yield Problem(f"{entry.name}, line {number}", "The message is too long; this line was left out.")
            else:
                current.lines.append(line.strip(_MARKS))
                current.length += len(line)
            continue
        if current is not None:
            yield from _record(current, key, title, order, is_first=is_first)
            is_first = False
        current = begun[0]
        yield Position(min(done, entry.size), entry.size, entry.name)
    if current is not None:
        yield from _record(current, key, title, order, is_first=is_first)
    yield Position(entry.size, entry.size, entry.name)


def _record(said: _Said, key: str, title: str, order: str, *, is_first: bool) -> Iterator[Record]:
    moment = _moment(said, order)
    if is_first:
        yield chat_records.head(key, title, AGENT, moment)
    text = _media("\n".join(said.lines).rstrip())
    stamp = ".".join(map(str, (*said.date, *said.clock)))
    foreign = content_hash(stamp, said.author, text)
    yield chat_records.message(key, said.author, text, moment, foreign_id=foreign, is_notice=not said.author)


def _begun(line: str) -> tuple[_Said, bool] | None:
    """Return the message that begins in a line, and whether its clock has two halves."""
    found = _HEAD.match(line[:_MAX_HEAD])
    if found is None:
        return None
    half = found[4] or found[8] or ""
    hour, minute, second = int(found[5]), int(found[6]), int(found[7] or 0)
    if half:
        hour = hour % 12 + (12 if half.startswith(_AFTERNOON) else 0)
    rest = line[found.end() :]
    author, colon, text = rest.partition(": ")
    if not colon and rest.endswith(":"):
        author, colon, text = rest[:-1], ":", ""
    author = author.strip(_MARKS)
    if not colon or len(author) > _MAX_NAME or any(mark in author for mark in '"\u201c\u201e'):
        author, text = "", rest
    date = (int(found[1]), int(found[2]), int(found[3]))
    said = _Said(date, (hour, minute, second), author, [text.strip(_MARKS)], len(text))
    return said, bool(half)


def _moment(said: _Said, order: str) -> int | None:
    """Return the time in milliseconds; the clock is read as this machine's local time."""
    one, two, three = said.date
    if one > _DAYS:
        year, month, day = one, two, three
    else:
        day, month, year = (one, two, three) if order == "dmy" else (two, one, three)
    year += 2000 if year < _CENTURY else 0
    if not (1 <= month <= _MONTHS and 1 <= day <= _DAYS and said.clock < (24, 0, 0)):
        return None
    try:
        return int(time.mktime((year, month, day, *said.clock, 0, 0, -1)) * 1000)
    except (OverflowError, ValueError):
        return None


def _media(text: str) -> str:
    """Return a text with the marks of media as ``[image]`` or ``[file: name]``."""
    text = _KIND_OMITTED.sub(lambda found: f"[{found[1].lower()}]", text) if _KIND_OMITTED.fullmatch(text) else text
    text = _FILE_ATTACHED.sub(lambda found: f"[file: {found[1].strip(_MARKS)}]", text)
    return _ATTACHED.sub(lambda found: f"[file: {found[1]}]", _OMITTED.sub("[media]", text))


def _lines(entry: SourceEntry) -> Iterator[tuple[str, bool]]:
    """Yield the lines of a file, and whether one had to be repaired."""
    with entry.open() as opened:
        stream, held = utf8_stream(opened)
        while True:
            data = stream.read(1 << 16)
            held += data
            *lines, held = held.split(b"\n")
            if not data:
                lines.append(held)
            elif len(held) > _MAX_LINE:
                lines.append(held)
                held = b""
            for line in lines[: None if data or held else -1]:
                yield _text(line.removesuffix(b"\r"))
            if not data:
                return


def _text(line: bytes) -> tuple[str, bool]:
    try:
        return line.decode("utf-8"), False
    except UnicodeDecodeError:
        decoded = encoding.decode(line)
        return (decoded.text if decoded is not None else line.decode("utf-8", "replace")), True
