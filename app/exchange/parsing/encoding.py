"""Bytes of text files that do not say how they are encoded."""

import codecs
from dataclasses import dataclass

from app.sentence import Sentence, counted_sentence

SAMPLE = 64 << 10
MAX_CONTROL = 0.1
_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_CONTROL = bytes(set(range(32)) - set(b"\t\n\r\x0b\x0c\x1b"))


@dataclass(frozen=True, slots=True)
class Decoded:
    """A file's text.

    Args:
        text: The text, without a byte order mark.
        encoding: How it was read.
        bom: Whether it began with a byte order mark.
        repair: What had to be guessed or replaced, a sentence; ``""`` when nothing.
    """

    text: str
    encoding: str = "utf-8"
    bom: bool = False
    repair: str = ""


def decode(data: bytes) -> Decoded | None:
    """Return the text in ``data``, ``None`` when it is not text at all."""
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return _marked(data[len(mark) :], encoding)
    if guess := _guess_utf16(data):
        return Decoded(
            data.decode(guess, "replace"),
            guess,
            False,
            Sentence("It has no encoding mark and was read as {guess}.", guess=guess),
        )
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return None if _share(data, _CONTROL) > MAX_CONTROL else _eight_bit(data)
    return None if _share(data, b"\x00") > MAX_CONTROL else Decoded(text)


def _marked(data: bytes, encoding: str) -> Decoded:
    try:
        return Decoded(data.decode(encoding), encoding, bom=True)
    except UnicodeDecodeError:
        repair = Sentence("Some of it was not valid {encoding} and was replaced with �.", encoding=encoding)
        return Decoded(data.decode(encoding, "replace"), encoding, True, repair)


def _eight_bit(data: bytes) -> Decoded:
    repaired = data.decode("utf-8", "replace")
    bad = repaired.count("\ufffd")
    if sum(character > "\x7f" for character in repaired) > bad * 2:  # its other letters are UTF-8
        repair = counted_sentence(
            bad,
            "1 place in it was not valid UTF-8 and was replaced with �.",
            "{count} places in it were not valid UTF-8 and were replaced with �.",
        )
        return Decoded(repaired, "utf-8", False, repair)
    try:
        text, encoding = data.decode("cp1252"), "cp1252"
    except UnicodeDecodeError:
        text, encoding = data.decode("latin-1"), "latin-1"
    return Decoded(
        text,
        encoding,
        False,
        Sentence("It is not UTF-8 and was read as {encoding}; check its special letters.", encoding=encoding),
    )


def _guess_utf16(data: bytes) -> str | None:
    """Return the UTF-16 variant of text without a mark, ``None`` for other text.

    In UTF-16, every second byte of ASCII letters is zero.
    """
    sample = data[:SAMPLE]
    half = len(sample) // 2
    if half == 0 or len(data) % 2:
        return None
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    if odd > half * 0.4 and even < half * 0.05:
        return "utf-16-le"
    if even > half * 0.4 and odd < half * 0.05:
        return "utf-16-be"
    return None


def _share(data: bytes, wanted_bytes: bytes) -> float:
    """Return how much of the beginning of ``data`` consists of ``wanted_bytes``."""
    sample = data[:SAMPLE]
    return sum(map(sample.count, wanted_bytes)) / max(len(sample), 1)
