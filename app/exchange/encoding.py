"""Bytes of text files that do not say how they are encoded."""

import codecs
from dataclasses import dataclass

SAMPLE = 64 << 10
_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_CONTROL = frozenset(range(32)) - frozenset(b"\t\n\r\x0b\x0c\x1b\x00")


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
        return Decoded(data.decode(guess, "replace"), guess, False, f"It has no encoding mark and was read as {guess}.")
    if _is_binary(data):
        return None
    try:
        return Decoded(data.decode("utf-8"))
    except UnicodeDecodeError:
        return _eight_bit(data)


def _marked(data: bytes, encoding: str) -> Decoded:
    try:
        return Decoded(data.decode(encoding), encoding, bom=True)
    except UnicodeDecodeError:
        repair = f"Some of it was not valid {encoding} and was replaced with \ufffd."
        return Decoded(data.decode(encoding, "replace"), encoding, True, repair)


def _eight_bit(data: bytes) -> Decoded:
    try:
        said, encoding = data.decode("cp1252"), "cp1252"
    except UnicodeDecodeError:
        said, encoding = data.decode("latin-1"), "latin-1"
    return Decoded(said, encoding, False, f"It is not UTF-8 and was read as {encoding}; check its special letters.")


def _guess_utf16(data: bytes) -> str | None:
    """Return the UTF-16 variant that text without a mark is in: ASCII letters leave every second byte zero."""
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


def _is_binary(data: bytes) -> bool:
    sample = data[:SAMPLE]
    if not sample:
        return False
    control = sum(sample.count(byte) for byte in _CONTROL)
    zero = sample.count(0)
    return control + zero > len(sample) * (0.1 if zero else 0.3)
