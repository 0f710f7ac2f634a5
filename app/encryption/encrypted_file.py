"""Encrypted file of its own: a stream of bytes under a passphrase.

Its first line names the format and its version, its second holds a random key that the passphrase wraps, with the
parameters of the stretching and a checksum. Segments follow, encrypted with that key, which encrypts nothing else.
"""

import hashlib
import json
import secrets
from typing import IO, Any, Final

from app.encryption.data_key import BYTES
from app.encryption.segments import ENCRYPTED_SEGMENT, Buffer, SegmentEncryptor, decrypted_segments
from app.encryption.wrapped_key import WrappedKey, from_fields, wrap
from app.errors import FormatError, WrongPassphraseError
from app.sentence import Sentence

BEGINNING: Final = b"keepsake encrypted export "
MAGIC: Final = BEGINNING + b"1\n"
_MAX_HEADER: Final = 4096


def is_encrypted_file(beginning: bytes) -> bool:
    """Return whether a file that begins so is an encrypted one, of any version."""
    return beginning.startswith(BEGINNING)


class EncryptedWriter:
    """Writes bytes to a file, of which only encrypted ones reach it.

    Args:
        file: The file, empty.
        passphrase: What will open it.

    Raises:
        InputError: The passphrase cannot be used.
    """

    def __init__(self, file: IO[bytes], passphrase: str) -> None:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: PLC0415  (only encryption needs it)

        secret = secrets.token_bytes(BYTES)
        self._file = file
        file.write(MAGIC + _header_line(wrap(secret, passphrase, MAGIC)))
        self._segments = SegmentEncryptor(AESGCM(secret))
        self._digest = hashlib.sha256()

    @property
    def digest(self) -> bytes:
        """Digest of what was written."""
        return self._digest.digest()

    def write(self, data: Buffer) -> int:
        """Append bytes."""
        self._digest.update(data)
        for segment in self._segments.add(data):
            self._file.write(segment)
        return len(data)

    def end(self) -> None:
        """Write the end, without which the file is cut off."""
        self._file.write(self._segments.end())


class EncryptedReader:
    """Reads the bytes of an encrypted file.

    Args:
        file: The file, at its beginning.
        passphrase: What opens it.
        name: What the person calls it, for errors.

    Raises:
        WrongPassphraseError: This is not its passphrase.
        FormatError: Its beginning is damaged, or it is from a newer version.
        OSError: It cannot be read.
    """

    def __init__(self, file: IO[bytes], passphrase: str, name: str) -> None:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: PLC0415

        wrapped = _header(file, name)
        self._begins_at = file.tell()
        try:
            secret = wrapped.unwrap(passphrase, MAGIC)
        except WrongPassphraseError:
            raise WrongPassphraseError(
                Sentence("This is not the passphrase of {name}. Try again.", name=name)
            ) from None
        self._segments = decrypted_segments(AESGCM(secret), file)
        self._rest = memoryview(b"")
        self._digest = hashlib.sha256()

    @property
    def digest(self) -> bytes:
        """Digest of what was read."""
        return self._digest.digest()

    def segments_of(self, size: int) -> int:
        """Return the number of segments in a file of ``size`` bytes."""
        return max(1, -(-(size - self._begins_at) // ENCRYPTED_SEGMENT))

    def read(self, size: int) -> bytes:
        """Return the next bytes, at least one and at most ``size``; none at the end.

        Raises:
            SegmentDamagedError: They were changed, or what follows is cut off.
        """
        while not self._rest:
            segment = next(self._segments, None)
            if segment is None:
                return b""
            self._digest.update(segment)
            self._rest = memoryview(segment)
        piece, self._rest = bytes(self._rest[:size]), self._rest[size:]
        return piece


def _header_line(wrapped: WrappedKey) -> bytes:
    fields = wrapped.fields()
    return json.dumps({**fields, "check": _check(fields)}, separators=(",", ":")).encode() + b"\n"


def _header(file: IO[bytes], name: str) -> WrappedKey:
    magic = file.readline(len(MAGIC) + 8)
    if magic != MAGIC and is_encrypted_file(magic) and magic[len(BEGINNING) :].strip().isdigit():
        raise FormatError(Sentence("{name} was made by a newer Keepsake. Update Keepsake to import it.", name=name))
    try:
        header: dict[str, Any] = json.loads(file.readline(_MAX_HEADER))
        is_whole = magic == MAGIC and header.pop("check") == _check(header)
        wrapped = from_fields(header)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        is_whole, wrapped = False, None
    if not is_whole or wrapped is None:
        raise FormatError(
            Sentence(
                "The beginning of {name} is damaged, which holds its key: nothing of it can be read."
                " Copy the file again, or use another copy.",
                name=name,
            )
        )
    return wrapped


def _check(fields: dict[str, Any]) -> str:
    """Return a checksum that tells a damaged beginning from a wrong passphrase."""
    return hashlib.sha256(MAGIC + json.dumps(fields, sort_keys=True).encode()).hexdigest()[:16]
