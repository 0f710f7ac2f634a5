"""Reader of WhatsApp's exported chats: ``WhatsApp Chat with X.txt``, ``_chat.txt``, or the zip around it."""

import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from app.core.clock import SystemClock, to_datetime
from app.core.text import content_hash
from app.exchange.formats.chats import chat_records, whatsapp_header, whatsapp_name
from app.exchange.formats.chats.chat_records import Cancelled
from app.exchange.formats.chats.date_order import DateReading
from app.exchange.formats.chats.whatsapp_forms import Forms, author_and_text
from app.exchange.formats.chats.whatsapp_header import MARKS, Header
from app.exchange.formats.format_spec import FormatSpec
from app.exchange.importing.accounting import read_item
from app.exchange.importing.source_files import DAMAGE, SourceEntry, utf8_stream
from app.exchange.model import Position, Record
from app.exchange.parsing import calendars, encoding
from app.exchange.parsing.item_places import numbered
from app.memories.foreign_record import Problem
from app.sentence import Sentence, counted_sentence

FORMAT = "whatsapp"
AGENT, KAKAO = "WhatsApp", "KakaoTalk"
FILES = whatsapp_name.FILES
_MAX_LINE = 1 << 20
_MAX_MESSAGE = 8 << 20
_HEAD = 20_000
_HEAD_LINES = 40
_HEAD_SHARE = 4  # one line of so many begins a message
_MOST_NAMED = 20
_NOT_UNDERSTOOD = Sentence(
    "No line of it begins with a date and a time as in a chat of WhatsApp, so nothing was"
    " taken from it. Export the chat again, or import the file as a note with the format"
    " 'markdown'."
)
_OMITTED = re.compile(r"<Media omitted>|<Medien ausgeschlossen>|<Multimedia omitido>|<Médias omis>|<Media omessi>")
_KIND_OMITTED = re.compile(r"(image|video|audio|sticker|GIF|document|Contact card) omitted")
_ATTACHED = re.compile(r"<(?:attached|Anhang|adjunto|pièce jointe|allegato): ([^<>\n]{1,200})>")
_FILE_ATTACHED = re.compile(r"([^\n]{1,200}\.\w{2,5}) \((?:file attached|Datei angehängt|archivo adjunto)\)")
_ATTACHED_ANYHOW = re.compile(
    r"<[^<>:\n]{1,40}: ?([^<>\n]{1,200}\.\w{2,5})>"
    r"|((?:IMG|VID|AUD|PTT|DOC|STK)-\d{8}-WA\d{2,6}\.\w{2,5}) \([^()\n]{1,60}\)"
)


@dataclass(slots=True)
class _Said:
    """A message whose further lines may still come; ``number`` is its first line's."""

    header: Header
    author: str
    number: int
    lines: list[str] = field(default_factory=list)
    length: int = 0


@dataclass(frozen=True, slots=True)
class _Chat:
    """A file of one chat, and how it is read.

    Args:
        key: What tells it from other chats.
        readings: How the dates of each form of header are read.
    """

    entry: SourceEntry
    key: str
    title: str
    agent: str
    readings: dict[str, DateReading]
    today: date


def is_chat(text: str) -> bool:
    """Return whether the beginning of a file has messages as WhatsApp writes them."""
    lines = text[:_HEAD].splitlines()[:_HEAD_LINES]
    forms = Forms()
    for line in lines:
        if (header := whatsapp_header.parse(line)) is not None:
            forms.add(header, author_and_text(line[header.end :], header)[0])
    return forms.lines() * _HEAD_SHARE >= len(lines) > 0


def read(path: Path, cancelled: Cancelled) -> Iterator[Record]:
    """Read exported chats; each file is a conversation.

    Args:
        path: The text file, the zip, or the folder around it.
        cancelled: Asked now and then; reading stops when it says so.

    Raises:
        NotFoundError: There is nothing at ``path``.
        FormatError: The zip cannot be read at all.
    """
    with chat_records.files(path, FILES) as archive:
        for entry in archive:
            try:
                yield from _read(entry, path, cancelled)
            except DAMAGE as error:
                yield Problem(
                    entry.name, Sentence("The zip file is damaged from here on ({error}). Copy it again.", error=error)
                )


def _read(entry: SourceEntry, path: Path, cancelled: Cancelled) -> Iterator[Record]:
    forms, names, first = Forms(), whatsapp_name.Evidence(), ""
    for line, _ in _lines(entry):
        if cancelled():
            return
        header = whatsapp_header.parse(line)
        if header is not None:
            author, text = author_and_text(line[header.end :], header)
            first = first or line
            forms.add(header, author)
            names.add(author, text)
    today = to_datetime(SystemClock().now_ms()).date()
    readings = forms.readings(today)
    if not readings:
        yield Problem(entry.name, _NOT_UNDERSTOOD)
        return
    yield from _remarks(entry.name, forms, readings)
    title = whatsapp_name.plain_title(entry, path)
    is_bare = title.casefold() == "_chat"
    key = f"first:{content_hash(first)}" if is_bare else title
    shown = names.decide() or ("" if is_bare else title) if whatsapp_name.is_nameless(title) else ""
    agent = KAKAO if forms.is_kakao() else AGENT
    shown = shown or ("" if is_bare else whatsapp_name.title(title))
    yield from _Messages(_Chat(entry, key, shown, agent, readings, today)).read(cancelled)


def _remarks(place: str, forms: Forms, readings: dict[str, DateReading]) -> Iterator[Problem]:
    """Yield what was assumed of the dates and times."""
    for order in sorted({reading.order for reading in readings.values() if not reading.is_proven}):
        what = Sentence("Its dates may mean day or month first; they were read with the month first.")
        if order == "dmy":
            what = Sentence("Its dates may mean day or month first; they were read with the day first.")
        yield Problem(place, what, lost=False)
    for name in sorted({calendars.NAMES[reading.calendar] for reading in readings.values()} - {"Gregorian"}):
        yield Problem(
            place, Sentence("Its dates are of the {name} calendar and were converted.", name=name), lost=False
        )
    if words := forms.unknown_words():
        what = Sentence(
            "The words beside its times are not known ({words}); some times may be half a day off.",
            words=", ".join(words),
        )
        yield Problem(place, what, lost=False)


class _Messages:
    """Messages of a chat, line by line, with what is odd in the lines."""

    def __init__(self, chat: _Chat) -> None:
        self._chat = chat
        self._place = chat.entry.name
        self._number = 0
        self._current: _Said | None = None
        self._is_repaired = False
        self._is_begun = False
        self._alike = 0
        self._undated: list[int] = []

    def read(self, cancelled: Cancelled) -> Iterator[Record]:
        """Yield them in the order of the file."""
        done, size = 0, self._chat.entry.size
        for line, is_repaired in _lines(self._chat.entry):
            if cancelled():
                return
            self._number += 1
            done += len(line) + 1
            if is_repaired and not self._is_repaired:
                self._is_repaired = True
                yield self._problem(Sentence("It is not UTF-8; check its special letters."), lost=False)
            begun = _begun(line, self._number, self._chat.readings)
            if begun is None:
                self._read_item(line)
                yield from self._further(line)
                continue
            yield from self._record()
            # The words of a date and a time are nobody's.
            self._read_item(line[begun.header.end :])
            self._current = begun
            yield Position(min(done, size), size, self._place)
        yield from self._record()
        yield from self._remarks()
        yield Position(size, size, self._place)

    def _read_item(self, line: str) -> None:
        read_item(numbered(self._place, "line", self._number), line, "line")

    def _problem(self, what: str, *, lost: bool) -> Problem:
        return Problem(numbered(self._place, "line", self._number), what, lost=lost)

    def _further(self, line: str) -> Iterator[Problem]:
        """Take a line that begins no message."""
        current = self._current
        if current is None:
            if line.strip():
                yield self._problem(Sentence("Text before the first message was left out."), lost=True)
            return
        if current.length + len(line) > _MAX_MESSAGE:
            yield self._problem(Sentence("The message is too long; this line was left out."), lost=True)
            return
        current.lines.append(line.strip(MARKS))
        current.length += len(line)
        if whatsapp_header.begins_with_time(line):
            self._alike += 1
            if self._alike <= _MOST_NAMED:
                what = Sentence("It begins with a date and a time and was read as part of the message before it.")
                yield self._problem(what, lost=False)

    def _record(self) -> Iterator[Record]:
        """Yield the message whose last line was read."""
        message, chat = self._current, self._chat
        if message is None:
            return
        moment = _moment(message.header, chat)
        if moment is None:
            self._undated.append(message.number)
        if not self._is_begun:
            self._is_begun = True
            yield chat_records.head(chat.key, chat.title, chat.agent, moment)
        text = _media("\n".join(message.lines).rstrip())
        stamp = ".".join(map(str, (*message.header.date, *message.header.clock)))
        foreign = content_hash(stamp, message.author, text)
        shown = _ATTACHED_ANYHOW.sub(lambda match: f"[file: {match[1] or match[2]}]", text)
        yield chat_records.message(
            chat.key, message.author, shown, moment, foreign_id=foreign, is_notice=not message.author
        )

    def _remarks(self) -> Iterator[Problem]:
        """Yield what holds for many lines."""
        if more := max(0, self._alike - _MOST_NAMED):
            what = counted_sentence(
                more,
                "1 more line begins with a date and a time and was read as part of a message.",
                "{count} more lines begin with a date and a time and were read as part of a message.",
            )
            yield Problem(self._place, what, lost=False)
        if self._undated:
            what = counted_sentence(
                len(self._undated),
                "From here on, 1 message has no date that can be right: none there is, or one in the future. It was"
                " kept without its time.",
                "From here on, {count} messages have no date that can be right: none there is, or one in the future."
                " They were kept without their time.",
            )
            place = numbered(self._place, "line", self._undated[0])
            yield Problem(place, what, lost=False)


def _begun(line: str, number: int, readings: dict[str, DateReading]) -> _Said | None:
    """Return the message that begins in a line."""
    header = whatsapp_header.parse(line)
    if header is None or header.style.form not in readings:
        return None
    author, text = author_and_text(line[header.end :], header)
    return _Said(header, author, number, [text.strip(MARKS)], len(text))


def _moment(header: Header, chat: _Chat) -> int | None:
    """Return the time in milliseconds; the clock is read as this machine's local time."""
    day = chat.readings[header.style.form].date(header.date, chat.today)
    if day is None:
        return None
    try:
        return int(time.mktime((day.year, day.month, day.day, *header.clock, 0, 0, -1)) * 1000)
    except (OverflowError, ValueError):
        return None


def _media(text: str) -> str:
    """Return a text with the marks of media as ``[image]`` or ``[file: name]``."""
    text = _KIND_OMITTED.sub(lambda match: f"[{match[1].lower()}]", text) if _KIND_OMITTED.fullmatch(text) else text
    text = _FILE_ATTACHED.sub(lambda match: f"[file: {match[1].strip(MARKS)}]", text)
    return _ATTACHED.sub(lambda match: f"[file: {match[1]}]", _OMITTED.sub("[media]", text))


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
                yield from map(_text, line.removesuffix(b"\r").split(b"\r"))  # some editors end lines with it alone
            if not data:
                return


def _text(line: bytes) -> tuple[str, bool]:
    try:
        return line.decode("utf-8"), False
    except UnicodeDecodeError:
        decoded = encoding.decode(line)
        return (decoded.text if decoded is not None else line.decode("utf-8", "replace")), True


SPEC = FormatSpec(
    name=FORMAT, title="WhatsApp chat", read=read, kind="chat", help="WhatsApp", suffixes=(".txt",), files=FILES
)
