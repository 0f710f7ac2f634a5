"""Terminal output that no encoding and no control character can break."""

import json
import os
import re
import sys
from collections.abc import Iterable
from typing import Any, TextIO

import msgspec

from app.core.text import has_controls
from app.sentence import plain_text

REPLACED = "The input is not UTF-8: characters that could not be read were replaced by \N{REPLACEMENT CHARACTER}."

_BOLD, _DIM, _PLAIN = "\x1b[1m", "\x1b[2m", "\x1b[0m"
_KEPT = {"\n", "\t"}
_STYLES = re.compile("(\x1b\\[[012]m)")


def prepare() -> None:
    """Write what the terminal's encoding lacks as escapes instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        if stream is not None and hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def say(text: str = "") -> None:
    """Write a line to standard output.

    Control characters are removed, except those of ``bold`` and ``dim``.
    """
    pieces = _STYLES.split(text) if is_styled() else [text]
    _write(sys.stdout, "".join(piece if at % 2 else printable(piece) for at, piece in enumerate(pieces)) + "\n")


def say_json(value: Any) -> None:
    """Write a JSON value to standard output, with control characters as escapes."""
    encoding = (getattr(sys.stdout, "encoding", None) or "ascii").lower().replace("-", "")
    if encoding != "utf8":
        say(ascii_json(value))
        return
    say_encoded(msgspec.json.format(msgspec.json.encode(value, enc_hook=plain_text)).decode())


def say_encoded(text: str) -> None:
    """Write a text that is JSON already to standard output, with control characters as escapes."""
    say(_escaped(text))


def say_all(lines: Iterable[str]) -> None:
    """Write lines to standard output."""
    for line in lines:
        say(line)


def piped(data: bytes) -> str:
    """Return piped bytes as text; say on standard error where they are not UTF-8."""
    text = data.decode("utf-8", "replace")
    if text.encode() != data:
        tell(REPLACED)
    return text


def tell(text: str) -> None:
    """Write a line to standard error, in place of the progress line."""
    show_line("")
    _write(sys.stderr, printable(text) + "\n")


def show_line(text: str) -> None:
    """Show a progress line on a terminal; the next one replaces it."""
    if sys.stderr is not None and sys.stderr.isatty():
        _write(sys.stderr, f"\r\x1b[K{one_line(text)}")
        sys.stderr.flush()


def flush() -> None:
    """Flush the output now, while a failure can still be reported."""
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()


def printable(text: str) -> str:
    """Return ``text`` without characters that steer a terminal or turn its direction."""
    return "".join(char for char in text if char in _KEPT or not _steers(char))


def _steers(char: str) -> bool:
    return has_controls(char)


def one_line(text: str) -> str:
    """Return ``text`` printable, with every run of white space as one blank."""
    return printable(" ".join(text.split()))


def can_ask() -> bool:
    """Return whether a person at a terminal can be asked."""
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stderr))


def is_styled() -> bool:
    """Return whether standard output shows bold."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return not plain and sys.stdout is not None and sys.stdout.isatty()


def bold(text: str, *, styled: bool) -> str:
    """Return ``text`` in bold."""
    return f"{_BOLD}{text}{_PLAIN}" if styled and text else text


def dim(text: str, *, styled: bool) -> str:
    """Return ``text`` in grey."""
    return f"{_DIM}{text}{_PLAIN}" if styled and text else text


def given(text: str) -> str:
    """Return an argument with bytes that were no text replaced."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def ascii_json(value: Any) -> str:
    """Return ``value`` as JSON that every encoding can carry."""
    return _escaped(json.dumps(value, indent=2))


def _escaped(encoded: str) -> str:
    """Return JSON with the control characters in its strings as escapes."""
    if not has_controls(encoded.replace("\n", "")):
        return encoded
    return "".join(f"\\u{ord(char):04x}" if char not in _KEPT and has_controls(char) else char for char in encoded)


def _write(stream: TextIO | None, text: str) -> None:
    # A program started without streams has none; there is nobody to tell then.
    if stream is not None:
        stream.write(text)
