"""Pages in a write-ahead log, read without SQLite."""

import struct

_HEADER, _FRAME = 32, 24
_LITTLE, _BIG = 0x377F0682, 0x377F0683
_MASK = 0xFFFFFFFF


def committed_pages(log: bytes, page_size: int) -> dict[int, int]:
    """Return the position of each page's newest committed state in ``log``.

    Nothing after the first broken frame counts.

    Args:
        log: The whole of ``memory.db-wal``.
        page_size: Bytes of a page.
    """
    if not has_sound_header(log[:_HEADER]) or int.from_bytes(log[8:12]) != page_size:
        return {}
    order = _order(log)
    sums = _checksum((0, 0), log[:24], order)
    committed: dict[int, int] = {}
    pending: dict[int, int] = {}
    for start in range(_HEADER, len(log) - _FRAME - page_size + 1, _FRAME + page_size):
        number, size_after, *salts_and_sums = struct.unpack(">6I", log[start : start + _FRAME])
        body = start + _FRAME
        sums = _checksum(_checksum(sums, log[start : start + 8], order), log[body : body + page_size], order)
        if salts_and_sums != [*struct.unpack(">2I", log[16:24]), *sums]:
            break
        pending[number] = body
        if size_after:
            # A smaller database than before has lost the pages beyond its end.
            committed = {page: place for page, place in {**committed, **pending}.items() if page <= size_after}
            pending = {}
    return committed


def has_sound_header(header: bytes) -> bool:
    """Return whether SQLite accepts ``header``, the first 32 bytes of a log."""
    if len(header) < _HEADER or int.from_bytes(header[:4]) not in {_LITTLE, _BIG}:
        return False
    return _checksum((0, 0), header[:24], _order(header)) == struct.unpack(">2I", header[24:32])


def _order(log: bytes) -> str:
    return "<" if int.from_bytes(log[:4]) == _LITTLE else ">"


def _checksum(sums: tuple[int, int], data: bytes, order: str) -> tuple[int, int]:
    first, second = sums
    words = struct.unpack(f"{order}{len(data) // 4}I", data)
    for even, odd in zip(words[::2], words[1::2], strict=True):
        first = (first + even + second) & _MASK
        second = (second + odd + first) & _MASK
    return first, second
