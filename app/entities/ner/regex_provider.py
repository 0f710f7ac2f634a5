"""The provider that needs nothing but patterns: @mentions, #hashtags and dates.

Web and e-mail addresses are no names, for the text has them, and search finds them there: but those that the registry
knows.

Every quantifier is bounded or followed by a character it cannot itself take, so no text makes the search slow.
"""

import re
from collections.abc import Iterator
from itertools import islice

from app.entities.model import EntityType, name_key
from app.entities.ner.provider import MAX_CHARACTERS, MAX_SPANS, KnownNames, NameSpan
from app.entities.ner.word_tokens import addresses, without_code

_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)"
)
_DAY = r"(?:0?[1-9]|[12]\d|3[01])"
_YEAR = r"(?:1[0-9]|20)\d\d"
_DATES = (
    rf"{_YEAR}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])(?!\d)"
    rf"|{_YEAR}/(?:0?[1-9]|1[0-2])/{_DAY}(?!\d)"
    rf"|{_DAY}[./](?:0?[1-9]|1[0-2])[./](?:{_YEAR}|\d\d)(?!\d)"
    rf"|{_MONTH}\.? {_DAY}(?:st|nd|rd|th)?(?:,? {_YEAR})?(?!\w)"
    rf"|{_DAY}(?:st|nd|rd|th|\.)? {_MONTH}\b\.?(?:,? {_YEAR}(?!\d))?"
    rf"|{_MONTH}\.? {_YEAR}(?!\w)"
    r"|(?:1[0-9]|20)\d\d年(?:1[0-2]|0?[1-9])月(?:(?:3[01]|[12]\d|0?[1-9])日)?"
)
_DATE = re.compile(rf"(?<![\w./-])(?:{_DATES})", re.IGNORECASE)
_NUMBER = re.compile(r"[0-9]+")
_MONTH_LETTERS = len("september") + 1
_MENTION = re.compile(r"(?<![\w@./])@[^\W_](?:[\w.-]{0,62}\w)?(?![\w/-])")
_HASHTAG = re.compile(r"(?<![\w#&/])#(?=[\w-]{0,63}[^\W\d])[\w-]{0,63}\w")
_COLOUR = re.compile(r"#(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8}|r{1,2}g{1,2}b{1,2}(?:a{1,2})?)", re.IGNORECASE)

_PATTERNS: tuple[tuple[re.Pattern[str], EntityType, float, str], ...] = (
    (_MENTION, "mention", 0.95, "@"),
    (_HASHTAG, "hashtag", 0.95, "#"),
)


class RegexProvider:
    """Finds what has a form of its own."""

    name = "regex"

    def extract(self, text: str, known: KnownNames) -> list[NameSpan]:
        """Return mentions, hashtags and dates outside code and addresses, and ``known`` addresses."""
        read = without_code(text[:MAX_CHARACTERS])
        found = [*self._dates(read), *self._addresses(text[:MAX_CHARACTERS], known)]
        for pattern, kind, confidence, hint in _PATTERNS:
            if hint not in read:
                continue
            for match in pattern.finditer(read):
                if kind == "hashtag" and _COLOUR.fullmatch(match[0]):
                    continue
                found.append(NameSpan(match.start(), match.end(), match[0], kind, confidence, self.name))
                if len(found) >= MAX_SPANS:
                    return found
        return found

    def _dates(self, text: str) -> Iterator[NameSpan]:
        for match in islice(_dates(text), MAX_SPANS // 2):
            taken = match[0].rstrip(".")
            yield NameSpan(match.start(), match.start() + len(taken), taken, "date", 0.9, self.name)

    def _addresses(self, text: str, known: KnownNames) -> Iterator[NameSpan]:
        met = 0
        for start, end in addresses(text) if known.addresses else ():
            kind = known.addresses.get(name_key(text[start:end]))
            if kind is not None and met < MAX_SPANS // 2:
                met += 1
                yield NameSpan(start, end, text[start:end], kind, 0.99, self.name)


def _dates(text: str) -> Iterator[re.Match[str]]:
    """Yield the matches of ``_DATE``, searching only around numbers."""
    end = 0
    for number in _NUMBER.finditer(text):
        for begin in (_word_before(text, number.start()), number.start()):
            found = _DATE.match(text, begin) if begin >= end else None
            if found is not None:
                yield found
                end = found.end()


def _word_before(text: str, number: int) -> int:
    """Return the start of the word right before a number, -1 for none.

    A space, or a dot and a space, may separate them.
    """
    if not number or text[number - 1] != " ":
        return -1
    end = number - 2 if text[number - 2 : number - 1] == "." else number - 1
    begin = end
    while begin and end - begin < _MONTH_LETTERS and text[begin - 1].isalpha():
        begin -= 1
    return begin if begin < end else -1
