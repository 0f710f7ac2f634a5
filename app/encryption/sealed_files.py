"""Sealed files: contents and names of a vault's files other than databases.

The contents are encrypted in segments, each file's with a key of its own, so that a change or a cut is noticed. A file
is called by a keyed hash of its name; the name itself stands, encrypted, before the contents.
"""

import hashlib
import hmac
import secrets
import struct
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, BinaryIO, Final

from app.encryption.data_key import DataKey, expand
from app.encryption.segments import (
    ENCRYPTED_SEGMENT,
    TAG,
    Buffer,
    SegmentDamagedError,
    SegmentEncryptor,
    decrypted_segments,
    nonce,
)
from app.errors import VaultDamagedError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

MAGIC: Final = b"keepsake sealed 1\n"
SUFFIX: Final = ".sealed"
_NAME_LENGTH: Final = 40
_SALT: Final = 32
_HEADER: Final = len(MAGIC) + _SALT + 2
_NAME_PLACE: Final = (1 << 32) - 1  # the number of the segment that is the name


def is_sealed(beginning: bytes) -> bool:
    """Return whether a file that begins so is sealed."""
    return beginning.startswith(MAGIC)


def sealed_parts(key: DataKey, data: Iterable[Buffer], name: str = "") -> Iterator[bytes]:
    """Yield the bytes of a sealed file.

    Args:
        key: The vault's data key.
        data: The contents, in parts of any size.
        name: What the file is called, for ``open_name``.
    """
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: PLC0415  (only encrypted vaults need it)

    salt = secrets.token_bytes(_SALT)
    cipher = AESGCM(_file_key(key, salt))
    called = cipher.encrypt(nonce(_NAME_PLACE, is_last=False), name.encode("utf-8", "surrogateescape"), None)
    yield MAGIC + salt + struct.pack(">H", len(called)) + called
    segments = SegmentEncryptor(cipher)
    for part in data:
        yield from segments.add(part)
    yield segments.end()


def open_parts(key: DataKey, file: BinaryIO) -> Iterator[bytes]:
    """Yield the contents of a sealed file, from its beginning.

    Raises:
        VaultDamagedError: It was changed or cut off, or is of another vault.
        OSError: It cannot be read.
    """
    cipher, _name = _header(key, file)
    try:
        yield from decrypted_segments(cipher, file)
    except SegmentDamagedError:
        raise _damaged() from None


def open_name(key: DataKey, file: BinaryIO) -> str:
    """Return the name in a sealed file; see ``open_parts`` for errors."""
    return _header(key, file)[1]


def sealed_size(file: BinaryIO, size: int) -> int:
    """Return the size of the contents of a sealed file.

    Args:
        file: The file, at its beginning.
        size: Its own size in bytes.
    """
    header = file.read(_HEADER)
    if len(header) < _HEADER:
        return 0
    body = size - _HEADER - int.from_bytes(header[-2:])
    return max(0, body - TAG * max(1, -(-body // ENCRYPTED_SEGMENT)))


def sealed_name(key: DataKey, name: str) -> str:
    """Return what the file called ``name`` is called on the disk."""
    digest = hmac.new(key.names, name.encode("utf-8", "surrogateescape"), hashlib.sha256).hexdigest()
    return digest[:_NAME_LENGTH] + SUFFIX


def _header(key: DataKey, file: BinaryIO) -> "tuple[AESGCM, str]":
    """Return the cipher of a sealed file and its name, with ``file`` at the contents."""
    from cryptography.exceptions import InvalidTag  # noqa: PLC0415
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: PLC0415

    header = file.read(_HEADER)
    if len(header) < _HEADER or not is_sealed(header):
        raise _damaged()
    cipher = AESGCM(_file_key(key, header[len(MAGIC) : -2]))
    called = file.read(int.from_bytes(header[-2:]))
    try:
        name = cipher.decrypt(nonce(_NAME_PLACE, is_last=False), called, None)
    except (InvalidTag, ValueError):
        raise _damaged() from None
    return cipher, name.decode("utf-8", "surrogateescape")


def _file_key(key: DataKey, salt: bytes) -> bytes:
    return expand(key.files, salt, 32)


def _damaged() -> VaultDamagedError:
    return VaultDamagedError("An encrypted file of the vault is damaged or cut off.", state="sealed")
