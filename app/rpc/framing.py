"""Framing of JSON in UTF-8: four bytes of length first, or one message a line."""

import json
import re
import struct
from functools import partial
from typing import Any

import msgspec

from app.errors import InputError
from app.sentence import Sentence, plain_text
from app.sentence_codec import MAX_SENTENCES, sentence_to_wire

PROTOCOL = 1
HEADER_BYTES = 4
# An unknown client may not make the host hold more than this; one with a token may send a long conversation.
MAX_HELLO = 4096
MAX_FRAME = 64 * 1024 * 1024
# An agent's frames. The longer ones of the person's programs take turns, so that all of them together stay small.
MAX_SHORT_FRAME = 4 * 1024 * 1024
MAX_DEPTH = 64  # lists and objects within each other
NEWLINE = b"\n"
FIRST_OF_LINE = b"{"  # no length begins with it: it would be 2 GB

_LENGTH = struct.Struct(">I")
_NO_BRACKETS = bytes(set(range(256)) - set(b"[]"))
_AS_LISTS = bytes.maketrans(b"{}", b"[]")
_STRING = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_ESCAPED_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


Message = dict[str, Any]


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


def payload_of(message: Message | list[Message]) -> bytes:
    """Return a message, or a batch of them, as JSON.

    Raises:
        InputError: It holds what JSON cannot, or is too large.
    """
    sentences: dict[str, Any] = {}
    try:
        payload = msgspec.json.encode(message, enc_hook=partial(_noted, sentences))
    except (UnicodeEncodeError, TypeError, RecursionError) as error:
        raise InputError("This cannot be sent: it holds bytes that are no text, or values that JSON lacks.") from error
    if len(payload) > MAX_FRAME:
        raise InputError(
            Sentence(
                "This is {size} bytes long and a message may have {max_frame}. Ask for less at once.",
                size=len(payload),
                max_frame=MAX_FRAME,
            ),
            bytes=len(payload),
            allowed=MAX_FRAME,
        )
    if sentences and isinstance(message, dict) and "result" in message:
        answer = message | {"result": message["result"] | {"sentences": sentences}}
        longer = msgspec.json.encode(answer, enc_hook=plain_text)
        payload = longer if len(longer) <= MAX_FRAME else payload
    return payload


def _noted(sentences: dict[str, Any], value: object) -> str:
    """Return a sentence as a text, and keep its template and values by that text."""
    text = plain_text(value)
    if len(sentences) < MAX_SENTENCES and isinstance(value, Sentence) and (wire := sentence_to_wire(value)) is not None:
        sentences[text] = wire
    return text


def with_length(payload: bytes) -> bytes:
    """Return a frame that begins with its length."""
    return _LENGTH.pack(len(payload)) + payload


def encode(message: Message) -> bytes:
    """Return a message as a frame that begins with its length.

    Raises:
        InputError: It holds what JSON cannot, or is too large.
    """
    return with_length(payload_of(message))


def call_payload(message: Message, limit: int = MAX_FRAME) -> bytes:
    """Return a call as JSON; refuse one that the host would not take.

    Args:
        message: The call.
        limit: Bytes that the caller's messages may have.

    Raises:
        InputError: It cannot be put on the wire, or is too long.
    """
    payload = payload_of(message)
    if len(payload) > limit:
        raise InputError(
            Sentence(
                "This call is {size} bytes long, and {limit} are allowed. Shorten it, or send it in parts.",
                size=len(payload),
                limit=limit,
            ),
            bytes=len(payload),
            allowed=limit,
        )
    return payload


def length_of(header: bytes, limit: int = MAX_FRAME) -> int:
    """Return how many bytes follow a header.

    Raises:
        FrameError: None, or more than ``limit``.
    """
    length: int = _LENGTH.unpack(header)[0]
    if not 0 < length <= limit:
        raise FrameError(
            Sentence("A message must have 1 to {limit} bytes, not {length}.", limit=limit, length=length),
            bytes=length,
            allowed=limit,
        )
    return length


def decode(payload: bytes) -> Message:
    """Return the message in a frame.

    Raises:
        FrameTextError: It is one JSON object with a lone surrogate in it.
        FrameError: It is not one JSON object.
    """
    message = _decoded(payload)
    if not isinstance(message, dict):
        raise FrameError("A message must be one JSON object.", type=type(message).__name__)
    return message


def decode_batch(payload: bytes) -> Message | list[Any]:
    """Return the message in a frame, or the list of what a batch holds.

    Raises:
        FrameTextError: It is one JSON object with a lone surrogate in it.
        FrameError: It is neither an object nor a list, or nested too deeply.
    """
    if is_deeper(payload, MAX_DEPTH):
        raise FrameError(
            Sentence("A message may nest lists and objects {most} deep.", most=MAX_DEPTH), allowed=MAX_DEPTH
        )
    message = _decoded(payload)
    if not isinstance(message, (dict, list)):
        raise FrameError("A message must be one JSON object, or a list of them.", type=type(message).__name__)
    return message


def is_deeper(payload: bytes, limit: int) -> bool:
    """Return whether a JSON text nests lists and objects deeper than ``limit``.

    It is asked before the text is read as JSON; each pass over the brackets removes the innermost pairs.
    """
    if payload.count(b"[") + payload.count(b"{") <= limit:
        return False
    brackets = _STRING.sub(b"", payload).translate(_AS_LISTS).translate(None, _NO_BRACKETS)
    for _ in range(limit):
        inner = brackets
        brackets = inner.replace(b"[]", b"")
        if len(brackets) == len(inner):
            return False
    return b"[]" in brackets


def _decoded(payload: bytes) -> Any:
    try:
        return msgspec.json.decode(payload)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        if (content := _with_lone_surrogates(payload)) is not None:
            raise FrameTextError(content) from None
        raise FrameJsonError("A message must be valid JSON in UTF-8.", reason=type(error).__name__) from None


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
