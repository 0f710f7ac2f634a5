"""Date and time before a message of WhatsApp, as phones of any language write them."""

import re
import tomllib
import unicodedata
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final

from app.core.paths import resources
from app.exchange.parsing.calendars import Calendar

MARKS: Final = "\u061c\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff"
MAX_HEAD: Final = 160
_HOURS, _MINUTES, _HALF_DAY = 24, 60, 12
_SAME_PLACES = list(range(MAX_HEAD + 1))
_WORD_YEAR = 3  # a year of three digits and more is none of the last hundred
_ERA = r"(?:(?P<era>[^\W\d_]{1,8})\.?\s?)?"
_DATE = (
    r"(?P<one>\d{1,4})(?P<sep>\s?(?:[./\-\u2010\u2011]|年|년)\s?)"
    r"(?P<two>\d{1,2})\s?(?:[./\-\u2010\u2011]|月|월)\s?(?P<three>\d{1,4})(?!\d)"
)
_TIME = (
    r"(?P<hour>\d{1,2})(?:\s?[:.\u2236\uff1a]\s?|\s?[h時时시點点]\s?)(?P<minute>\d{2})"
    r"(?:(?:\s?[:.\u2236\uff1a]|\s?(?:min|분|分)\s?)(?P<second>\d{1,2}))?(?:\s?(?:s|秒|초|분|分)(?!\w))?(?!\d)"
)
_BETWEEN, _AFTER = r"(?P<between>[^\d\[\]]{1,40}?)", r"(?P<after>[^\d\[\]]{0,40}?)"
_END = r"(?P<end>\s?[\u2010-\u2015](?:\s|$)|\s-(?:\s|$)|:\s|,\s)"
_MOMENTS = (_ERA + _DATE + _BETWEEN + _TIME, _TIME + _BETWEEN + _DATE + "(?P<era>)")
_HEADERS = [
    re.compile(pattern)
    for moment in _MOMENTS
    for pattern in (rf"\[\s?{moment}{_AFTER}(?P<end>\])\s?", rf"{moment}{_AFTER}{_END}")
]
_BEGINNINGS = [re.compile(rf"\[?\s?{moment}(?!\d)") for moment in _MOMENTS]
_NO_LETTERS = re.compile(r"[\s\d!-@\[-`{-~\u00a0-\u00bf\u05f3\u05f4\u060c\u2000-\u206f\u3000-\u3003\uff00-\uff0f]+")
_MOST_JOINED = 5
_HANGUL = re.compile("[\uac00-\ud7a3]")
_LATIN_HALF = re.compile(r"[AP]M")
_AUTHOR_OF_KAKAO = re.compile(r"[^:]{1,80} : ")


@dataclass(frozen=True, slots=True)
class Style:
    """Style of the headers that one phone writes in one language.

    Args:
        form: What is alike in all of them.
        shape: The form without its words.
        date_style: How the numbers of the date are written.
        parts: The hours in the middle of the parts of the day that are named.
        unknown: Words in no language that is known.
        calendar: The calendar of the era that is written with the date, ``None`` for no era.
        is_year_first: Whether what is written says that the first number is the year.
        is_american: Whether it is written as in the United States.
        is_bracketed: Whether it stands in brackets, as on an iPhone.
        is_kakao: Whether it ends in a comma, as KakaoTalk's do.
        is_sure: Whether all its words are known and it ends as WhatsApp's do.
    """

    form: str
    shape: str
    date_style: str
    parts: tuple[float, ...]
    unknown: tuple[str, ...]
    calendar: Calendar | None
    is_year_first: bool
    is_american: bool
    is_bracketed: bool
    is_kakao: bool
    is_sure: bool


@dataclass(frozen=True, slots=True)
class Header:
    """Date and time at the beginning of a line.

    Args:
        date: Its three numbers in their order.
        clock: Hour, minute and second of a day of 24 hours.
        end: Where the text behind it begins.
    """

    date: tuple[int, int, int]
    clock: tuple[int, int, int]
    end: int
    style: Style


@dataclass(frozen=True, slots=True)
class _Words:
    """Words by their letters: what they say of the time, and eras by their calendar."""

    parts: dict[str, float]
    joining: frozenset[str]
    eras: dict[str, Calendar]
    longest: int

    def has(self, word: str) -> bool:
        return word in self.parts or word in self.joining or word in self.eras


def parse(line: str) -> Header | None:
    """Return the header that a line begins with."""
    text, places = _bare(line)
    for pattern in _HEADERS if text else ():
        match = pattern.match(text)
        if match is not None and (header := _header(match, text, places)) is not None:
            return header
    return None


def begins_with_time(line: str) -> bool:
    """Return whether a line begins with a date and a time."""
    text, _ = _bare(line)
    return any(pattern.match(text) is not None for pattern in _BEGINNINGS)


def _bare(line: str) -> tuple[str, list[int]]:
    """Return the beginning of a line without invisible marks.

    The places of its characters in the line come with it. It is empty where no header can begin.
    """
    head = line[:MAX_HEAD]
    first = head.lstrip(MARKS)[:1]
    if not (first.isdecimal() or first == "[" or first.casefold() in _era_beginnings()):
        return "", []
    if head.isascii():
        return head, _SAME_PLACES
    places = [place for place, character in enumerate(head) if character not in MARKS]
    return "".join(head[place] for place in places), [*places, len(head)]


def _header(match: re.Match[str], text: str, places: list[int]) -> Header | None:
    hour, minute, second = int(match["hour"]), int(match["minute"]), int(match["second"] or 0)
    if hour > _HOURS or minute >= _MINUTES or second >= _MINUTES:
        return None
    end = match["end"].strip()
    if end == "," and _AUTHOR_OF_KAKAO.match(text, match.end()) is None:
        return None
    style = _style(
        (match["era"] or "", match["between"], match["after"]),
        (len(match["one"]) >= _WORD_YEAR, len(match["three"]) >= _WORD_YEAR),
        (match["sep"], end),
        is_date_first=match.start("one") < match.start("hour"),
        has_seconds=match["second"] is not None,
    )
    if style is None:
        return None
    numbers = int(match["one"]), int(match["two"]), int(match["three"])
    return Header(numbers, (_hour(hour, style.parts), minute, second), places[match.end()], style)


@lru_cache(1000)
def _style(
    texts: tuple[str, str, str],
    are_long: tuple[bool, bool],
    signs: tuple[str, str],
    *,
    is_date_first: bool,
    has_seconds: bool,
) -> Style | None:
    """Return how a header is written, ``None`` where a word before it is no era.

    Args:
        texts: The era before the date, what stands between date and time, and behind both.
        are_long: Whether the first and the last number of the date have three digits or more.
        signs: Between the first numbers of the date, and at the end.
        is_date_first: Whether the date comes before the time.
        has_seconds: Whether the time has seconds.
    """
    era, between, after = map(_split, texts)
    if era is None or not {*era} <= words().eras.keys():
        return None
    sep, end = signs[0].strip(), signs[1]
    # Finnish "ap." is a part of the day, the Persian era "AP" follows the date.
    by_date, by_time = (between or (), after or ()) if is_date_first else (after or (), between or ())
    eras = [word for word in (*era, *by_date) if word in words().eras]
    parts = [words().parts[word] for word in (*by_date, *by_time) if word in words().parts and word not in eras]
    has_latin_half = _LATIN_HALF.search("".join(texts[1:])) is not None
    is_american = sep == "/" and has_latin_half
    is_korean = sep == "." and _HANGUL.search("".join(texts)) is not None
    shape = "|".join(map(str, (*are_long, sep, end, is_date_first, has_seconds, has_latin_half)))
    unknown = [text.strip() for text, split in zip(texts[1:], (between, after), strict=True) if split is None]
    return Style(
        form="|".join((shape, _form(texts[1], between), _form(texts[2], after), *era)),
        shape=shape,
        date_style="|".join(map(str, (*are_long, sep, is_american))),
        parts=tuple(parts),
        unknown=tuple(unknown),
        calendar=words().eras[eras[0]] if eras else None,
        is_year_first=bool(era) or are_long[0] or sep in ("年", "년") or is_korean,
        is_american=is_american,
        is_bracketed=end == "]",
        is_kakao=end == ",",
        is_sure=end not in (":", ",") and not unknown,
    )


def _form(text: str, split: tuple[str, ...] | None) -> str:
    if split is None:
        return " ".join(text.split()).casefold()
    return " ".join("±" if word in words().parts else word for word in split)


def _hour(hour: int, parts: tuple[float, ...]) -> int:
    """Return an hour of 24 by the part of the day that is named."""
    if hour > _HALF_DAY or not parts:
        return hour % _HOURS
    return min(hour % _HALF_DAY, hour % _HALF_DAY + _HALF_DAY, key=lambda given: _distance(given, parts[-1]))


def _distance(hour: int, middle: float) -> float:
    apart = abs(hour - middle)
    return min(apart, _HOURS - apart)


def _letters(text: str) -> str:
    folded = unicodedata.normalize("NFC", text.casefold())
    return "".join(character for character in folded if unicodedata.category(character)[0] in "LM")


@lru_cache(1000)
def _split(text: str) -> tuple[str, ...] | None:
    """Return the known words that make up ``text``, ``None`` where some are unknown."""
    return _known(tuple(filter(None, map(_letters, _NO_LETTERS.split(text)))))


def _known(tokens: tuple[str, ...]) -> tuple[str, ...] | None:
    if not tokens:
        return ()
    for number in range(min(len(tokens), _MOST_JOINED), 0, -1):
        word = "".join(tokens[:number])
        if words().has(word) and (rest := _known(tokens[number:])) is not None:
            return (word, *rest)
    # Scripts without capitals write words without blanks between them.
    is_run = tokens[0].upper() == tokens[0].lower()
    run, rest = _run(tokens[0]) if is_run else None, _known(tokens[1:])
    return None if run is None or rest is None else (*run, *rest)


def _run(letters: str) -> tuple[str, ...] | None:
    """Return the known words that make up ``letters``, the longest first."""
    if not letters:
        return ()
    for length in range(min(len(letters), words().longest), 0, -1):
        if words().has(letters[:length]) and (rest := _run(letters[length:])) is not None:
            return (letters[:length], *rest)
    return None


@cache
def words() -> _Words:
    """Return the words of all languages that may stand in a header."""
    with (resources() / "calendars" / "clock_words.toml").open("rb") as stream:
        lists = tomllib.load(stream)
    parts = {word: float(hour) for hour, listed in lists["parts"].items() for word in listed.split()}
    joining = frozenset(_letters(word) for word in lists["joining"].split())
    eras: dict[str, Calendar] = {
        _letters(word): calendar for calendar, listed in lists["eras"].items() for word in listed.split()
    }
    return _Words(parts, joining, eras, max(map(len, (*parts, *joining, *eras))))


@cache
def _era_beginnings() -> frozenset[str]:
    return frozenset(word[0] for word in words().eras)
