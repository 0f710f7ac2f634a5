"""Signed texts: a line of JSON, a line with its signature, and what may follow."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from app.sync.sealing import primitives

MOST_BYTES: Final = 1 << 20
"""No line of JSON is longer."""
_BEGINNING: Final = b'{"'
_SIGNATURE_DIGITS: Final = 2 * primitives.SIGNATURE_BYTES


class TornError(Exception):
    """An object ends too early, as one that is still being copied does."""


class MalformedError(ValueError):
    """An object is none that Keepsake wrote."""


@dataclass(frozen=True, slots=True)
class SignedText:
    """Signed text as it was read; it counts for nothing before ``is_by``.

    Args:
        text: The line of JSON, as it was signed.
        fields: What it says.
        signature: The signature.
        start: Where what follows begins.
    """

    text: bytes
    fields: Mapping[str, Any]
    signature: bytes
    start: int

    def is_by(self, public: bytes, purpose: str) -> bool:
        """Return whether the owner of a public key signed it, for one purpose."""
        return primitives.is_signed(public, purpose, self.text, self.signature)


def signed(private: bytes, purpose: str, fields: Mapping[str, Any]) -> bytes:
    """Return fields as a line of JSON with its signature."""
    text = dumped(fields)
    return text + b"\n" + primitives.sign(private, purpose, text).hex().encode() + b"\n"


def read(data: bytes) -> SignedText:
    """Return the signed text that an object begins with.

    Raises:
        TornError: It ends too early.
        MalformedError: It is no signed text.
    """
    if not data.startswith(_BEGINNING[: len(data)]):
        raise MalformedError
    end = data.find(b"\n", 0, MOST_BYTES)
    start = end + _SIGNATURE_DIGITS + 2
    if end < 0 and len(data) >= MOST_BYTES:
        raise MalformedError
    if end < 0 or len(data) < start:
        raise TornError
    line = data[end + 1 : start]
    try:
        signature = bytes.fromhex(line[:-1].decode("ascii"))
        fields = json.loads(data[:end])
    except (ValueError, RecursionError):
        raise MalformedError from None
    if line != signature.hex().encode() + b"\n" or not isinstance(fields, dict):
        raise MalformedError
    return SignedText(data[:end], fields, signature, start)


def dumped(fields: Mapping[str, Any]) -> bytes:
    """Return fields as JSON in one line, the same for the same fields."""
    return json.dumps(fields, ensure_ascii=True, sort_keys=True, separators=(",", ":")).encode()
