"""Segments of an encrypted stream: 64 KiB each, under AES-256-GCM.

A segment's number and whether it is the last are its nonce: the STREAM construction of Hoang, Reyhanitabar, Rogaway
and Vizár (2015). A segment that is changed, moved, left out, added or cut off is noticed. A key encrypts one stream.
"""

import struct
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

Buffer = bytes | bytearray | memoryview

SEGMENT: Final = 64 * 1024
TAG: Final = 16
ENCRYPTED_SEGMENT: Final = SEGMENT + TAG


class SegmentDamagedError(Exception):
    """A segment was changed, or what follows it is missing.

    Args:
        number: The segment, the first being 0.
    """

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


class Readable(Protocol):
    """A stream of bytes to read from."""

    def read(self, size: int, /) -> bytes:
        """Return the next bytes, fewer than ``size`` only at the end."""


class SegmentEncryptor:
    """Encrypts a stream that is given piece by piece.

    Args:
        cipher: The cipher of a key that encrypts nothing else.
    """

    def __init__(self, cipher: "AESGCM") -> None:
        self._cipher = cipher
        self._waiting = bytearray()
        self._number = 0

    def add(self, data: Buffer) -> Iterator[bytes]:
        """Take the next bytes, and yield the segments that are complete."""
        view, start = memoryview(data).cast("B"), 0
        while start < len(view):
            if len(self._waiting) == SEGMENT:  # the last segment is known only when nothing follows
                yield self._encrypted(is_last=False)
            end = min(len(view), start + SEGMENT - len(self._waiting))
            self._waiting += view[start:end]
            start = end

    def end(self) -> bytes:
        """Return the last segment."""
        return self._encrypted(is_last=True)

    def _encrypted(self, *, is_last: bool) -> bytes:
        sealed = self._cipher.encrypt(nonce(self._number, is_last=is_last), self._waiting, None)
        self._number += 1
        self._waiting = bytearray()
        return sealed


def decrypted_segments(cipher: "AESGCM", file: Readable) -> Iterator[bytes]:
    """Yield the segments of a stream, from its beginning.

    Raises:
        SegmentDamagedError: It was changed or cut off, or is of another key.
        OSError: It cannot be read.
    """
    from cryptography.exceptions import InvalidTag  # noqa: PLC0415  (only encrypted files need it)

    segment, number = file.read(ENCRYPTED_SEGMENT), 0
    while True:
        following = file.read(ENCRYPTED_SEGMENT)
        try:
            yield cipher.decrypt(nonce(number, is_last=not following), segment, None)
        except (InvalidTag, ValueError):
            raise SegmentDamagedError(number) from None
        if not following:
            return
        segment, number = following, number + 1


def nonce(number: int, *, is_last: bool) -> bytes:
    """Return the nonce of a segment; see the module."""
    return struct.pack(">IIxxx?", 0, number, is_last)
