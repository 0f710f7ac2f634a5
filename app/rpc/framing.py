"""How messages stand on the wire: four bytes of length, most significant first, then one JSON object in UTF-8."""

import struct
from typing import Any

import msgspec

from app.errors import InputError

PROTOCOL = 1
HEADER_BYTES = 4
# A stranger may not make the host hold more than this; whoever has shown the token may send a long conversation.
MAX_HELLO = 4096
MAX_FRAME = 64 * 1024 * 1024

_LENGTH = struct.Struct(">I")


class FrameError(InputError):
    """What came over the wire is not a message; the connection cannot go on."""

    code = "bad_frame"


class FrameJsonError(FrameError):
    """What came over the wire is not JSON."""

    code = "bad_json"


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
        FrameError: It is not one JSON object.
    """
    try:
        message = msgspec.json.decode(payload)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise FrameJsonError("A message must be valid JSON in UTF-8.", reason=type(error).__name__) from None
    if not isinstance(message, dict):
        raise FrameError("A message must be one JSON object.", type=type(message).__name__)
    return message
