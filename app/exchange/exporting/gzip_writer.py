"""Gzip stream, for writing, that holds nothing back when it is given up.

``gzip.GzipFile`` writes what it still holds when it is collected, after a disk was full too.
"""

import zlib
from typing import Final

from app.exchange.formats.own.keepsake_writer import Writable

_GZIP: Final = 16 + zlib.MAX_WBITS  # with gzip's head, without a name or time


class GzipWriter:
    """Writes the compressed form of what is written to it.

    Args:
        stream: Where that goes; it stays open.
    """

    def __init__(self, stream: Writable) -> None:
        self._stream = stream
        self._compressor = zlib.compressobj(wbits=_GZIP)
        self._is_closed = False

    def write(self, data: bytes) -> None:
        """Write bytes."""
        self._put(self._compressor.compress(data))

    def close(self) -> None:
        """Write what is left; safe to call twice."""
        if not self._is_closed:
            self._is_closed = True
            self._put(self._compressor.flush())

    def _put(self, compressed: bytes) -> None:
        if compressed:
            self._stream.write(compressed)
