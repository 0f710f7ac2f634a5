"""Capsule: chosen memories for another person or agent, signed, and valid until a day.

The first line says who made it and until when it may be imported; the others are memories in Keepsake's own format.
It is signed with Ed25519 (RFC 8032) over the first line without its signature, which holds a digest of all others.
"""

import base64
import binascii
import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from app.core.clock import SystemClock
from app.core.text import excerpt, without_controls
from app.errors import FormatError, InputError
from app.exchange.formats.format_spec import FormatSpec
from app.exchange.formats.own import keepsake
from app.exchange.model import Position, Record
from app.memories.foreign_record import MemoryRecord, Problem
from app.sentence import Sentence

NAME: Final = "capsule"
TYPE: Final = "keepsake_capsule"
VERSION: Final = 1
MAX_HEADER: Final = 64 << 10
BEGINNING: Final = b'{"type":"keepsake_capsule"'
_PART: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class CapsuleHeader:
    """First line of a capsule.

    Args:
        sender: Who made it, in their own words.
        made_at: When, in milliseconds since 1970 UTC.
        expires_at: When it ceases to be valid, likewise.
        count: Memories in it.
        digest: BLAKE2b of all bytes after the first line, in hexadecimal digits.
        key: The public key, in base64.
        signature: The signature, in base64; ``""`` before it is signed.
        recipient: For whom it is, in the sender's words; ``""`` where that is not said.
    """

    sender: str
    made_at: int
    expires_at: int
    count: int
    digest: str
    key: str
    signature: str = ""
    recipient: str = ""

    @property
    def fingerprint(self) -> str:
        """The key in short, to compare with what its owner says."""
        return fingerprint_of(base64.b64decode(self.key))

    def signed_bytes(self) -> bytes:
        """Return what is signed."""
        return _line(replace(self, signature=""))

    def line(self) -> bytes:
        """Return the first line with its end."""
        return _line(self) + b"\n"


def _line(header: CapsuleHeader) -> bytes:
    fields = {
        "type": TYPE, "version": VERSION, "sender": header.sender, "made_at": header.made_at,
        "expires_at": header.expires_at, "count": header.count, "digest": header.digest, "key": header.key,
    }  # fmt: skip
    if header.recipient:
        fields["recipient"] = header.recipient
    if header.signature:
        fields["signature"] = header.signature
    return json.dumps(fields, ensure_ascii=True, separators=(",", ":")).encode()


def fingerprint_of(key: bytes) -> str:
    """Return a public key in short: five groups of four hexadecimal digits."""
    digits = hashlib.blake2b(key, digest_size=10).hexdigest()
    return "-".join(digits[place : place + 4] for place in range(0, len(digits), 4))


def open_capsule(path: Path, now_ms: int) -> CapsuleHeader:
    """Verify a capsule and return its first line.

    Raises:
        FormatError: It is none, was changed, has expired, or is from a newer version.
    """
    from cryptography.exceptions import InvalidSignature  # noqa: PLC0415  (only capsules need it)
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey  # noqa: PLC0415

    with path.open("rb") as stream:
        header = _header(stream.readline(MAX_HEADER), path)
        digest = hashlib.blake2b()
        while part := stream.read(_PART):
            digest.update(part)
    try:
        key = Ed25519PublicKey.from_public_bytes(base64.b64decode(header.key, validate=True))
        key.verify(base64.b64decode(header.signature, validate=True), header.signed_bytes())
    except (InvalidSignature, ValueError, binascii.Error):
        raise _changed(path) from None
    if digest.hexdigest() != header.digest:
        raise _changed(path)
    if header.expires_at <= now_ms:
        day = datetime.fromtimestamp(header.expires_at / 1000, UTC).date().isoformat()
        raise FormatError(
            Sentence(
                "{name} could be imported until {day}. Ask {sender} for a new one.",
                name=path.name,
                day=day,
                sender=header.sender or Sentence("its sender"),
            ),
            path=str(path),
        )
    return header


def describe(path: Path) -> str:
    """Return who made a capsule and until when it is valid, for a person.

    Raises:
        FormatError: See ``open_capsule``.
    """
    header = open_capsule(path, SystemClock().now_ms())
    day = datetime.fromtimestamp(header.expires_at / 1000, UTC).date().isoformat()
    sender = excerpt(header.sender, 80) or "somebody without a name"
    return f"signed by {sender} with the key {header.fingerprint}, valid until {day}"


def read(path: Path, cancelled: Callable[[], bool]) -> Iterator[Record]:
    """Read the memories of a capsule.

    They get ids of their own here, and nothing of it is pinned or said to come from a conversation of yours.

    Args:
        path: The file.
        cancelled: Asked before every line; reading stops when it says so.

    Raises:
        FormatError: See ``open_capsule``.
    """
    header = open_capsule(path, SystemClock().now_ms())
    for record in keepsake.read(path, cancelled, first_line=2):
        if isinstance(record, MemoryRecord):
            yield replace(
                record,
                key=f"{header.fingerprint}/{record.key}",
                keeps_id=False,
                session_key=None,
                sources=(),
                pinned=False,
                store=None,
                source="",
                superseded_by=None,
                deleted_ms=None,
                archived_ms=None,
            )
        elif isinstance(record, Position | Problem):
            yield record
        else:
            yield Problem(path.name, Sentence("A capsule holds memories; something else in it was left out."))


def _header(line: bytes, path: Path) -> CapsuleHeader:
    try:
        fields: Any = json.loads(line)
        version = fields["version"]
        if version != VERSION and isinstance(version, int) and fields["type"] == TYPE:
            raise FormatError(
                Sentence("{name} was made by a newer Keepsake. Update Keepsake to import it.", name=path.name),
                path=str(path),
            )
        texts = (fields["sender"], fields["digest"], fields["key"], fields["signature"])
        recipient = fields.get("recipient", "")
        numbers = (fields["made_at"], fields["expires_at"], fields["count"])
        if fields["type"] != TYPE or not all(isinstance(value, str) for value in (*texts, recipient)):
            raise _changed(path)
        if any(type(number) is not int or number < 0 for number in numbers):
            raise _changed(path)
    except (ValueError, KeyError, TypeError, RecursionError):
        raise _changed(path) from None
    sender, digest, key, signature = texts
    created, expires, count = numbers
    return CapsuleHeader(sender, created, expires, count, digest, key, signature, recipient)


def _changed(path: Path) -> FormatError:
    return FormatError(
        Sentence(
            "{name} is not what its sender signed: it was changed, or is damaged. Nothing was imported.", name=path.name
        ),
        path=str(path),
    )


def clean_sender(name: str) -> str:
    """Return a sender's name for the first line.

    Raises:
        InputError: It is too long.
    """
    name = " ".join(without_controls(name).split())
    if len(name) > 200:  # noqa: PLR2004
        raise InputError("The names of sender and receiver may have 200 characters each.", field="sender")
    return name


SPEC = FormatSpec(name=NAME, title="Capsule", read=read, kind="memories", noise=keepsake.NOISE, needs_secret=True)
