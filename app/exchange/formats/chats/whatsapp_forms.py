"""Forms of the headers that begin the messages in a chat of WhatsApp.

A chat has one form, or several where the language of the phone or the program changed. A line of a message may look
like a header too; it is told apart by its words and by who speaks.
"""

import re
from dataclasses import dataclass, field
from datetime import date

from app.exchange.formats.chats import date_order
from app.exchange.formats.chats.date_order import DateReading, Order
from app.exchange.formats.chats.whatsapp_header import MARKS, Header, Style
from app.exchange.parsing.calendars import Numbers

_MAX_NAME = 80
_MAX_FORMS = 500
_MAX_AUTHORS = 2000
_MAX_DATES = 20_000
_FEWEST = 2  # lines of a form whose words are not known
_QUOTES = re.compile('["\u201c\u201e]')


def author_and_text(rest: str, header: Header) -> tuple[str, str]:
    """Return who says what behind a header; the author is ``""`` for a notice."""
    author, colon, text = rest.partition(" : " if header.style.is_kakao else ": ")
    if not colon and rest.endswith(":"):
        author, colon, text = rest[:-1], ":", ""
    author = author.strip(MARKS)
    return ("", rest) if not colon or len(author) > _MAX_NAME or _QUOTES.search(author) else (author, text)


@dataclass(slots=True)
class _Form:
    """Lines of one form."""

    style: Style
    lines: int = 0
    authors: set[str] = field(default_factory=set)
    dates: list[Numbers] = field(default_factory=list)

    def add(self, header: Header, author: str) -> None:
        self.lines += 1
        if author and len(self.authors) < _MAX_AUTHORS:
            self.authors.add(author)
        if self.dates[-1:] != [header.date] and len(self.dates) < _MAX_DATES:
            self.dates.append(header.date)

    def reading(self, today: date) -> DateReading:
        """Return how its dates are read."""
        return date_order.decide(
            self.dates,
            self.style.calendar,
            is_year_first=self.style.is_year_first,
            is_american=self.style.is_american,
            today=today,
        )


def _inherited(reading: DateReading, order: Order | None) -> DateReading:
    return reading if order is None or order == "ymd" else DateReading(order, reading.calendar, is_proven=True)


class Forms:
    """Forms of all lines of a file that may begin a message."""

    def __init__(self) -> None:
        self._forms: dict[str, _Form] = {}

    def add(self, header: Header, author: str) -> None:
        """Take the header of a line, and who speaks in it."""
        if header.style.form in self._forms or len(self._forms) < _MAX_FORMS:
            self._forms.setdefault(header.style.form, _Form(header.style)).add(header, author)

    def lines(self) -> int:
        """Return how many lines begin messages."""
        return sum(form.lines for form in self._beginning())

    def readings(self, today: date) -> dict[str, DateReading]:
        """Return the forms that begin messages, with how their dates are read."""
        forms = [(form.style, form.reading(today)) for form in self._beginning()]
        # What one form proves holds for another whose dates are written alike.
        proven = {style.date_style: reading.order for style, reading in forms if reading.is_proven}
        return {
            style.form: reading if reading.is_proven else _inherited(reading, proven.get(style.date_style))
            for style, reading in forms
        }

    def unknown_words(self) -> list[str]:
        """Return what stands beside the times and is in no language that is known."""
        unsure = [form.style for form in self._beginning() if not form.style.is_sure]
        return sorted({word for style in unsure for word in style.unknown})

    def is_kakao(self) -> bool:
        """Return whether the chat is written as KakaoTalk does."""
        forms = self._beginning()
        return sum(form.lines for form in forms if form.style.is_kakao) * 2 > sum(form.lines for form in forms)

    def _beginning(self) -> list[_Form]:
        sure = [form for form in self._forms.values() if form.style.is_sure]
        speaking = [form for form in sure if form.authors]
        # A form in which nobody speaks is the end of lines where every other form is the end of names.
        ends = {form.style.is_bracketed for form in speaking}
        result = [form for form in sure if not ends or form.style.is_bracketed in ends]
        authors = {author for form in result for author in form.authors}
        shapes: dict[str, list[_Form]] = {}
        for form in self._forms.values():
            if not form.style.is_sure:
                shapes.setdefault(form.style.shape, []).append(form)
        for alike in shapes.values():
            speakers = {author for form in alike for author in form.authors}
            is_enough = sum(form.lines for form in alike) >= _FEWEST and bool(speakers)
            if is_enough and (not authors or speakers & authors):
                result += alike
        return result
