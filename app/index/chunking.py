"""Chunking: long texts become overlapping pieces, short messages become passages.

Sizes are in characters. A cut falls after a paragraph, line, sentence or word that ends late enough, and never inside a
grapheme cluster: a letter with its marks, a flag, an emoji of several parts, a Hangul syllable.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from apsw.unicode import grapheme_next_break

from app.errors import InputError

SIZE: Final = 640
OVERLAP: Final = 96

_PARAGRAPH: Final = re.compile(r"\n[^\S\n]*\n\s*")
_LINE: Final = re.compile(r"\n\s*")
_SENTENCE: Final = re.compile(r"(?:[.!?…]+[\"'”’)\]]*\s+|[。！？｡]+[」』”’）]*)")
_WORD: Final = re.compile(r"\s+")
_ENDS: Final = (_PARAGRAPH, _LINE, _SENTENCE, _WORD)
_LONGEST_AUTHOR: Final = 64
_LONGEST_END: Final = 8  # how far before the last third an end may begin


@dataclass(frozen=True, slots=True)
class TextPiece:
    """Part of a text: ``text[start:end]``."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class PassageLine:
    """The parts of a message that passages are made of."""

    seq: int
    author: str
    text: str
    created_ms: int = 0


@dataclass(frozen=True, slots=True)
class Passage:
    """Consecutive messages joined for search, after the end of the previous passage.

    Each message is a line "author: text".

    Args:
        seq_start, seq_end: The first and last message, not counting the repeated end of the previous passage.
        text: The text to index.
        closed: Whether no later message can change it.
        created_ms: When its last message was written.
    """

    seq_start: int
    seq_end: int
    text: str
    closed: bool = True
    created_ms: int = 0


def pieces(text: str, size: int = SIZE, overlap: int = OVERLAP) -> list[TextPiece]:
    """Cut ``text`` into pieces that together hold all of it.

    Args:
        text: Any text.
        size: The longest piece. A grapheme cluster longer than that is cut.
        overlap: The most characters that a piece repeats from the previous one.

    Raises:
        InputError: ``size`` or ``overlap`` is out of range.
    """
    if not (size > 0 and 0 <= overlap <= size // 2):
        raise InputError(
            "The size of a piece must be above 0, and the overlap at most half of it.", size=size, overlap=overlap
        )
    return list(_cut(text, size, overlap))


def passages(
    messages: Sequence[PassageLine],
    *,
    after: Passage | None = None,
    open_tail: bool = True,
    size: int = SIZE,
    overlap: int = OVERLAP,
) -> list[Passage]:
    """Join consecutive messages into passages.

    A message longer than a passage gets one for each of its pieces.

    The passages of a session are the same whether made at once or continued:
    ``passages(all)`` equals ``closed + passages(later, after=closed[-1])``, where ``closed`` are closed passages made
    before and ``later`` the messages after ``closed[-1].seq_end``.

    Args:
        messages: Messages in order; those without text are skipped.
        after: The closed passage before them, whose end the first new one repeats.
        open_tail: Whether to return the last passage although later messages may join it; its ``closed`` is false.
        size: The longest passage.
        overlap: The most characters that a passage repeats from the previous one.
    """
    builder = _PassageBuilder(size, overlap, after.text if after else "")
    for message in messages:
        if message.text.strip():
            builder.add(message)
    if open_tail:
        builder.close(closed=False)
    return builder.made


class _PassageBuilder:
    """The finished passages, and the messages of the one being built."""

    def __init__(self, size: int, overlap: int, last: str) -> None:
        self.size = size
        self.overlap = overlap
        self.made: list[Passage] = []
        self.messages: list[PassageLine] = []
        self.text = ""
        self.begin(last)

    def begin(self, last: str) -> None:
        self.messages = []
        start = _resume(last, 0, len(last), self.overlap) if self.overlap else len(last)
        self.text = last[start:].strip()

    def add(self, message: PassageLine) -> None:
        author = message.author[: min(_LONGEST_AUTHOR, self.size // 4)]
        head = f"{author}: " if author else ""
        body = message.text.strip()
        if len(head) + len(body) > self.size:
            self.close()
            self.split(message, head, body)
            return
        if len(self.text) + 1 + len(head) + len(body) > self.size:
            if self.messages:
                self.close()
            if len(self.text) + 1 + len(head) + len(body) > self.size:
                self.text = ""  # the message fits only without the repeated end
        self.messages.append(message)
        self.text = f"{self.text}\n{head}{body}" if self.text else head + body

    def split(self, message: PassageLine, head: str, body: str) -> None:
        room = max(self.size - len(head), 1)
        for piece in pieces(body, room, min(self.overlap, room // 2)):
            text = head + piece.text
            self.made.append(Passage(message.seq, message.seq, text, created_ms=message.created_ms))
        self.begin(self.made[-1].text)

    def close(self, *, closed: bool = True) -> None:
        if not self.messages:
            return
        first, last = self.messages[0], self.messages[-1]
        self.made.append(Passage(first.seq, last.seq, self.text, closed, last.created_ms))
        self.begin(self.text)


def first_pieces(text: str, count: int) -> list[TextPiece]:
    """Return the first ``count`` pieces of ``text`` at most, without cutting the rest."""
    return list(islice(_cut(text, SIZE, OVERLAP), count))


def _cut(text: str, size: int, overlap: int) -> Iterator[TextPiece]:
    start = last = 0
    while len(text) - start > size:
        end = _end(text, start, start + size)
        if end <= last:
            start = last  # one cluster fills the room that the overlap leaves, so nothing is repeated
            continue
        yield TextPiece(text[start:end], start, end)
        start, last = _resume(text, start, end, overlap), end
    if start < len(text):
        yield TextPiece(text[start:], start, len(text))


def _end(text: str, start: int, limit: int) -> int:
    """Return the best end of the piece from ``start``, in its last third before ``limit``."""
    earliest = limit - (limit - start) // 3
    for end in _ENDS:
        places = [match.end() for match in end.finditer(text, max(start, earliest - _LONGEST_END), limit)]
        boundary = next((place for place in reversed(places) if place >= earliest and is_boundary(text, place)), None)
        if boundary is not None:
            return boundary
    return next((place for place in range(limit, start, -1) if is_boundary(text, place)), limit)


def _resume(text: str, start: int, end: int, overlap: int) -> int:
    """Return the start of the piece after ``end``.

    It repeats whole lines or words of the last ``overlap`` characters.
    """
    earliest = max(end - overlap, start + 1)
    if earliest >= end:
        return end
    for gap in (_LINE, _WORD):
        boundary = next((match.end() for match in gap.finditer(text, earliest, end) if match.end() < end), None)
        if boundary is not None and is_boundary(text, boundary):
            return boundary
    return next((place for place in range(earliest, end) if is_boundary(text, place)), end)


# Characters -------------------------------------------------------------------------------------------------------

_CONTEXT: Final = 8  # characters before a place to read: only joiners and marks make more than the last one matter
_LONGEST_FLAGS: Final = 4_096  # characters of a row of flags to read


def is_boundary(text: str, place: int) -> bool:
    """Return whether ``text`` may be cut before ``place`` without splitting a grapheme cluster."""
    if not 0 < place < len(text):
        return True
    before, after = text[place - 1], text[place]
    if before < "\u0300" and after < "\u0300":
        return not (before == "\r" and after == "\n")
    at = max(place - _CONTEXT, 0)
    # A flag is two letters, so a row of flags has to be read from its first letter.
    while at and place - at < _LONGEST_FLAGS and "\U0001f1e6" <= text[at] <= "\U0001f1ff":
        at -= 1
    while at < place:
        at = grapheme_next_break(text, at)
    return at == place
