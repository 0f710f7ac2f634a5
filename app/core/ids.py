"""Ids that carry their kind and sort by time of making: ``note-0197…`` (UUIDv7, RFC 9562)."""

import json
import os
import re
import threading
import time
from hashlib import blake2b
from typing import NewType

SessionId = NewType("SessionId", str)
MemoryId = NewType("MemoryId", str)
RunId = NewType("RunId", str)

PREFIXES = {
    "session": "ses",
    "note": "note",
    "fact": "fact",
    "observation": "obs",
    "reflection": "ref",
    "digest": "dig",
    "entity": "ent",
    "schedule": "sch",
    "run": "run",
    "agent": "agt",
    "search": "srch",
}

_SEEN = re.compile(r"ent-[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
_DERIVED = re.compile(r"[a-z]+-[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
_last_lock = threading.Lock()
_last = 0


def uuid7() -> str:
    """Return a UUIDv7.

    It has 48 bits of milliseconds, a 12-bit counter that keeps order within one, and 62 random bits.
    """
    global _last  # noqa: PLW0603  (one counter for the process keeps ids strictly increasing)
    with _last_lock:
        stamp = (time.time_ns() // 1_000_000) << 12
        _last = stamp if stamp > _last else _last + 1
        head = _last
    tail = int.from_bytes(os.urandom(8)) & ((1 << 62) - 1)
    value = (head >> 12 & ((1 << 48) - 1)) << 80 | 0x7 << 76 | (head & 0xFFF) << 64 | 0b10 << 62 | tail
    return _uuid_text(value)


def new_vault_id() -> str:
    """Return a fresh id that all machines call one vault by, of 128 random bits."""
    return os.urandom(16).hex()


def derived_id(kind: str, at_ms: int, *parts: str) -> str:
    """Return the id of something that follows from other things, the same on every machine.

    UUIDv8, RFC 9562: it sorts by its time, and the rest is made of the parts.

    Args:
        kind: A key of ``PREFIXES``.
        at_ms: A time that belongs to what it follows from, milliseconds UTC.
        parts: What it follows from, as all machines name it.
    """
    text = json.dumps([kind, *parts], ensure_ascii=True).encode()
    tail = int.from_bytes(blake2b(text, digest_size=16, person=b"derived").digest()) & ((1 << 80) - 1)
    head = max(at_ms, 0) & ((1 << 48) - 1)
    value = (head << 80 | tail) & ~(0xF << 76) & ~(0b11 << 62) | 0x8 << 76 | 0b10 << 62
    return f"{PREFIXES[kind]}-{_uuid_text(value)}"


def is_derived_id(text: str) -> bool:
    """Return whether a text has the form of ids that ``derived_id`` makes."""
    return _DERIVED.fullmatch(text) is not None


def _uuid_text(value: int) -> str:
    text = f"{value:032x}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def seen_entity_id(surface: str) -> str:
    """Return the id of an entity for callers who may not read every store.

    It is made of the type and name that stand in their stores (``type:key``) and of nothing else, so it tells neither
    when the entity was made nor whether the name stands elsewhere too. UUIDv8, RFC 9562.
    """
    value = int.from_bytes(blake2b(surface.encode("utf-8", "surrogatepass"), digest_size=16, person=b"entity").digest())
    value = value & ~(0xF << 76) & ~(0b11 << 62) | 0x8 << 76 | 0b10 << 62
    return f"{PREFIXES['entity']}-{_uuid_text(value)}"


def is_seen_entity_id(text: str) -> bool:
    """Return whether a text has the form of ids that ``seen_entity_id`` makes."""
    return _SEEN.fullmatch(text) is not None


def new_id(kind: str) -> str:
    """Return a fresh id of ``kind``, a key of ``PREFIXES``."""
    return f"{PREFIXES[kind]}-{uuid7()}"
