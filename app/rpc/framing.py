"""Framing: four bytes of length, most significant first, then JSON in UTF-8."""

import json
import re
import struct
from typing import Any

import msgspec

from app.errors import InputError

PROTOCOL = 1
HEADER_BYTES = 4
# A stranger may not make the host hold more than this; whoever has shown the token may send a long conversation.
MAX_HELLO = 4096
MAX_FRAME = 64 * 1024 * 1024
# Longer ones take turns, so that half-received frames of many clients together stay small.
MAX_SHORT_FRAME = 4 * 1024 * 1024

_LENGTH = struct.Struct(">I")
_ESCAPED_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


class FrameError(InputError):
    """A frame is malformed; the connection cannot go on."""

    code = "bad_frame"


class FrameJsonError(FrameError):
    """The content of a frame is not JSON."""

    code = "bad_json"


class FrameTextError(FrameJsonError):
    """A message whose texts hold half a character; the connection can go on.

    Args:
        content: The message as far as it could be read.
    """

    code = "invalid_input"

    def __init__(self, content: dict[str, Any]) -> None:
        super().__init__("A text holds half a character (a lone surrogate). Send it as proper Unicode.")
        self.content = content


def encode(message: dict[str, Any]) -> bytes:
    """Return ``message`` as a frame.

    Raises:
        InputError: It holds what JSON cannot, or is too large.
    """
    try:
        payload = msgspec.json.encode(message)
    except (UnicodeEncodeError, TypeError, RecursionError) as error:
        raise InputError("This cannot be sent: it holds bytes that are no text, or values that JSON lacks.") from error
    if len(payload) > MAX_FRAME:
        raise InputError(
            f"This is {len(payload):,} bytes long and a message may have {MAX_FRAME:,}. Ask for less at once.",
            bytes=len(payload),
            allowed=MAX_FRAME,
        )
    return _LENGTH.pack(len(payload)) + payload


def length_of(header: bytes, limit: int = MAX_FRAME) -> int:
    """Return how many bytes follow a header.

    Raises:
        FrameError: None, or more than ``limit``.
    """
    length: int = _LENGTH.unpack(header)[0]
    if not 0 < length <= limit:
        raise FrameError(f"A message must have 1 to {limit} bytes, not {length}.", bytes=length, allowed=limit)
    return length


def decode(payload: bytes) -> dict[str, Any]:
    """Return the message in a frame.

    Raises:
        FrameTextError: It is one JSON object with a lone surrogate in it.
        FrameError: It is not one JSON object.
    """
    try:
        message = msgspec.json.decode(payload)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        if (content := _with_lone_surrogates(payload)) is not None:
            raise FrameTextError(content) from None
        raise FrameJsonError("A message must be valid JSON in UTF-8.", reason=type(error).__name__) from None
    if not isinstance(message, dict):
        raise FrameError("A message must be one JSON object.", type=type(message).__name__)
    return message


def _with_lone_surrogates(payload: bytes) -> dict[str, Any] | None:
    """Return the JSON object in ``payload`` if lone surrogates are its only fault."""
    if not _ESCAPED_SURROGATE.search(payload):
        return None
    try:
        content = json.loads(payload)
        written = json.dumps(content, ensure_ascii=False, allow_nan=False)
    except (ValueError, RecursionError):
        return None
    return content if isinstance(content, dict) and _LONE_SURROGATE.search(written) else None
