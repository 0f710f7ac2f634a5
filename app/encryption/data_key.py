"""Data key of a vault, with the keys derived from it."""

from dataclasses import dataclass, field
from typing import Final

BYTES: Final = 32


@dataclass(frozen=True, slots=True)
class DataKey:
    """The random key that encrypts a vault; the passphrase only wraps it.

    The keys for the database, for files and for their names are derived from it, so that none can be used for another.

    Args:
        secret: Its 32 bytes.
    """

    secret: bytes = field(repr=False)

    @property
    def database(self) -> bytes:
        """Key of the database's pages; 32 bytes."""
        return self._derive(b"database")

    @property
    def files(self) -> bytes:
        """Key from which each sealed file's own key is derived; 32 bytes."""
        return self._derive(b"files")

    @property
    def names(self) -> bytes:
        """Key of the hashes that sealed files are called by; 32 bytes."""
        return self._derive(b"names")

    @property
    def key_file(self) -> bytes:
        """Key of the tag that shows changes to the key file; 32 bytes."""
        return self._derive(b"key file")

    def _derive(self, purpose: bytes) -> bytes:
        return expand(self.secret, b"keepsake " + purpose, BYTES)


def expand(secret: bytes, purpose: bytes, length: int) -> bytes:
    """Derive a key by HKDF-Expand with SHA-256 (RFC 5869, section 2.3).

    Args:
        secret: A key of at least 32 random bytes; the extracting step is not needed for one.
        purpose: Tells derived keys apart.
        length: Bytes wanted.
    """
    from cryptography.hazmat.primitives.hashes import SHA256  # noqa: PLC0415  (only encrypted vaults need it)
    from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand  # noqa: PLC0415

    return HKDFExpand(SHA256(), length, purpose).derive(secret)
