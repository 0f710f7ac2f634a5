"""Decryption of single database pages without SQLite, which stops at a damaged one.

The format is that of SQLite3 Multiple Ciphers' cipher ``chacha20`` (sqleet): the last 32 bytes of a page are a nonce
and a tag, and a page's key is the second half of the first block of ChaCha20 under the database's key and that nonce.
Of the first page, the first 16 bytes are a salt, and the next eight are plain.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from app.store.encryption.cipher import PLAIN_HEADER
from app.store.files.database_file import open_database_file

RESERVED: Final = 32
"""Bytes at the end of each page that are no part of the database."""
_NONCE: Final = 16
_PLAIN_BYTES: Final = 24
_COUNTER: Final = 0xFFFF_FFFF
_FRAME_HEADER: Final = 24
_LOG_HEADER: Final = 32
_SMALLEST_PAGE: Final = 512
LARGEST_PAGE: Final = 65_536


def decrypt_page(key: bytes, number: int, page: bytes) -> bytes:
    """Return a page decrypted; a damaged one has damaged bytes.

    Its tag is not verified: of a page that is damaged, what can be read is wanted.

    Args:
        key: The database's key; 32 bytes.
        number: The number of the page, from 1.
        page: The page as it stands in the file.
    """
    end = len(page) - RESERVED
    nonce = page[end : end + _NONCE]
    counter = int.from_bytes(nonce[12:], "little") ^ number
    page_key = _stream(key, counter, nonce[:12], bytes(64))[32:]
    start = _PLAIN_BYTES if number == 1 else 0
    data = _stream(page_key, counter + 1, nonce[:12], page[start:end])
    beginning = PLAIN_HEADER + page[len(PLAIN_HEADER) : start] if number == 1 else b""
    return beginning + data + page[end:]


def page_size_of(header: bytes) -> int:
    """Return the size of a page in bytes.

    Args:
        header: The beginning of a database, of which these two bytes are never encrypted.
    """
    size = int.from_bytes(header[16:18])
    return LARGEST_PAGE if size == 1 else size


def decrypted_blocks(path: Path, key: bytes, block: int) -> Iterator[bytes]:
    """Yield the bytes of an encrypted database or of its log, decrypted.

    Args:
        path: The file; a log has ``-wal`` in its name, also one that was set aside.
        key: The database's key.
        block: About how many bytes at once.

    Raises:
        OSError: It cannot be read.
    """
    is_log = "-wal" in path.name
    with open_database_file(path) as file:
        header = file.read(_LOG_HEADER)
        size = int.from_bytes(header[8:12]) if is_log else page_size_of(header)
        if not _SMALLEST_PAGE <= size <= LARGEST_PAGE:
            return
        before = _FRAME_HEADER if is_log else 0
        if not is_log:
            file.seek(0)
        content, number = bytearray(), 0
        while len(data := file.read(before + size)) == before + size:
            number = int.from_bytes(data[:4]) if is_log else number + 1
            content += decrypt_page(key, number, data[before:])
            if len(content) >= block:
                yield bytes(content)
                content.clear()
        yield bytes(content)


def _stream(key: bytes, counter: int, nonce: bytes, data: bytes) -> bytes:
    from cryptography.hazmat.primitives.ciphers import Cipher  # noqa: PLC0415  (only encrypted vaults need it)
    from cryptography.hazmat.primitives.ciphers.algorithms import ChaCha20  # noqa: PLC0415

    start = (counter & _COUNTER).to_bytes(4, "little") + nonce
    return Cipher(ChaCha20(key, start), mode=None).encryptor().update(data)
