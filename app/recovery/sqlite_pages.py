"""Reader of a database's pages without SQLite, which stops at a broken page.

It never writes.
"""

import os
import struct
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from app.core.files import from_os
from app.errors import VaultDamagedError
from app.sentence import Sentence
from app.store.encryption.cipher import key_of
from app.store.files.database_file import has_log, log_of, open_database_file
from app.store.files.page_cipher import decrypt_page
from app.store.files.wal_frames import committed_pages

MAGIC = b"SQLite format 3\x00"
HEADER_BYTES = 100
_INTERIOR_INDEX, _INTERIOR_TABLE, _LEAF_INDEX, _LEAF_TABLE = 2, 5, 10, 13
_INTERIOR = (_INTERIOR_INDEX, _INTERIOR_TABLE)
_INTEGER_BYTES = (0, 1, 2, 3, 4, 6, 8)
_REAL, _ZERO, _ONE, _FIRST_BLOB = 7, 8, 9, 12
_SMALLEST_PAGE, _LARGEST_PAGE = 512, 65_536

Cell = int | float | str | bytes | None


class BrokenPageError(Exception):
    """A page, a row or an overflow page is malformed."""


@dataclass(frozen=True, slots=True)
class StoredRow:
    """A stored row; ``rowid`` is ``None`` in indexes and tables without rowids."""

    rowid: int | None
    values: tuple[Cell, ...]


@dataclass(slots=True)
class TreeWalk:
    """Record of a walk through a tree: pages seen, and parts that are unreadable."""

    seen: set[int] = field(default_factory=set)
    broken: set[int] = field(default_factory=set)


class PageFile:
    """A database file and the committed part of its log, page by page.

    Args:
        path: The database.

    Raises:
        PassphraseRequiredError: It is encrypted, and its vault is locked.
        VaultDamagedError: Its first page, which says where everything else is, is not one of a database.
        KeepsakeError: The file cannot be read.
    """

    def __init__(self, path: Path) -> None:
        try:
            self._key = _key_of(path)
            self._log = _read_log(log_of(path)) if has_log(path) else b""
            self._file = open_database_file(
                path
            ).detach()  # a page that cannot be read must not take its neighbour along
        except OSError as error:
            raise from_os(error, path) from error
        self._size = self._file.seek(0, os.SEEK_END)
        self.page_size, self._frames = self._layout(path)
        header = self.page(1)
        self._usable = self.page_size - header[20]
        self.schema = int.from_bytes(header[60:64])
        self.application = int.from_bytes(header[68:72])
        whole = (self._size + self.page_size - 1) // self.page_size
        self.pages = max([whole, *self._frames])

    def close(self) -> None:
        """Let the file go."""
        self._file.close()

    def _read(self, offset: int, length: int) -> bytes:
        """Return bytes of the file, none where the disk does not give them."""
        try:
            self._file.seek(offset)
            return self._file.read(length) or b""
        except OSError:
            return b""

    def _layout(self, path: Path) -> tuple[int, dict[int, int]]:
        """Return the page size and the positions of newer pages in the log."""
        claims = (_page_size(self._read(0, HEADER_BYTES)), int.from_bytes(self._log[8:12]))
        for size in claims:
            if _SMALLEST_PAGE <= size <= _LARGEST_PAGE and not size & (size - 1):
                frames = committed_pages(self._log, size)
                stored = self._log[frames[1] : frames[1] + size] if 1 in frames else self._read(0, size)
                first = self._decrypted(1, stored)
                if first.startswith(MAGIC) and len(first) == size:
                    return size, frames
        self.close()
        raise VaultDamagedError(
            Sentence(
                "The beginning of {path} is damaged, and without it nothing in the file can be told apart."
                " Restore a backup: 'keepsake backup list' shows them.",
                path=path,
            ),
            path=str(path),
        )

    def page(self, number: int) -> bytes:
        """Return a page.

        Raises:
            BrokenPageError: The file ends before it, or the disk does not give it.
        """
        offset = self._frames.get(number)
        if offset is not None:
            return self._decrypted(number, self._log[offset : offset + self.page_size])
        page = self._read((number - 1) * self.page_size, self.page_size) if number > 0 else b""
        if len(page) < self.page_size:
            raise BrokenPageError(number)
        return self._decrypted(number, page)

    def _decrypted(self, number: int, page: bytes) -> bytes:
        return page if self._key is None or len(page) < _SMALLEST_PAGE else decrypt_page(self._key, number, page)

    def rows(self, root: int, walk: TreeWalk) -> Iterator[StoredRow]:
        """Yield the readable rows of the tree at page ``root``, in no order."""
        waiting = [root]
        while waiting:
            number = waiting.pop()
            if number in walk.seen:
                continue
            walk.seen.add(number)
            try:
                children, rows = self.read(number, walk)
            except BrokenPageError:
                walk.broken.add(number)
                continue
            waiting += children
            yield from rows

    def read(self, number: int, walk: TreeWalk) -> tuple[list[int], list[StoredRow]]:
        """Return the children of a page of a tree and the rows on it.

        Raises:
            BrokenPageError: It is none.
        """
        page = self.page(number)
        start = HEADER_BYTES if number == 1 else 0
        kind = page[start]
        if kind not in {*_INTERIOR, _LEAF_INDEX, _LEAF_TABLE}:
            raise BrokenPageError(number)
        count = int.from_bytes(page[start + 3 : start + 5])
        first = start + (12 if kind in _INTERIOR else 8)
        if first + 2 * count > self._usable:
            raise BrokenPageError(number)
        children = [_child(page, start + 8)] if kind in _INTERIOR else []
        rows: list[StoredRow] = []
        for offset in struct.unpack_from(f">{count}H", page, first):
            try:
                child, row = self._cell(page, offset, kind, walk)
            except (BrokenPageError, IndexError, UnicodeDecodeError, struct.error):
                walk.broken.add(number)
                continue
            children += child
            rows += row
        return children, rows

    def _cell(self, page: bytes, offset: int, kind: int, walk: TreeWalk) -> tuple[list[int], list[StoredRow]]:
        children = []
        if kind in _INTERIOR:
            children = [_child(page, offset)]
            offset += 4
            if kind == _INTERIOR_TABLE:
                return children, []
        size, offset = _varint(page, offset)
        rowid: int | None = None
        if kind == _LEAF_TABLE:
            unsigned, offset = _varint(page, offset)
            rowid = unsigned - (1 << 64) if unsigned >> 63 else unsigned
        payload = self._payload(page, offset, size, walk, is_table=kind == _LEAF_TABLE)
        return children, [StoredRow(rowid, _record(payload))]

    def _payload(self, page: bytes, offset: int, size: int, walk: TreeWalk, *, is_table: bool) -> bytes:
        local = self._local_bytes(size, is_table=is_table)
        if size > self._size + len(self._log) or offset + local > self._usable:
            raise BrokenPageError
        if local == size:
            return page[offset : offset + size]
        parts = [page[offset : offset + local]]
        following = _child(page, offset + local)
        remaining = size - local
        while remaining > 0:
            further = self.page(following)
            walk.seen.add(following)
            parts.append(further[4 : min(self._usable, 4 + remaining)])
            remaining -= self._usable - 4
            following = _child(further, 0)
        return b"".join(parts)

    def _local_bytes(self, size: int, *, is_table: bool) -> int:
        """Return the bytes of a payload on its own page.

        See "Cell payload overflow pages" in the description of SQLite's file format.
        """
        usable = self._usable
        most = usable - 35 if is_table else (usable - 12) * 64 // 255 - 23
        if size <= most:
            return size
        least = (usable - 12) * 32 // 255 - 23
        fitting = least + (size - least) % (usable - 4)
        return fitting if fitting <= most else least

    def free_pages(self) -> set[int]:
        """Return the free pages, as far as their list can be read."""
        pages: set[int] = set()
        trunk = _child(self.page(1), 32)
        while trunk and trunk not in pages:
            pages.add(trunk)
            try:
                page = self.page(trunk)
            except BrokenPageError:
                break
            count = min(int.from_bytes(page[4:8]), self._usable // 4 - 2)
            pages.update(struct.unpack_from(f">{count}I", page, 8))
            trunk = _child(page, 0)
        return pages


def _read_log(path: Path) -> bytes:
    """Return the log up to the first place that the disk does not give."""
    blocks: list[bytes] = []
    with open_database_file(path) as file, suppress(OSError):
        while block := file.read(_LARGEST_PAGE):
            blocks.append(block)
    return b"".join(blocks)


def _key_of(path: Path) -> bytes | None:
    key = key_of(path)
    return None if key is None else key.database


def _page_size(header: bytes) -> int:
    size = int.from_bytes(header[16:18])
    return _LARGEST_PAGE if size == 1 else size


def _child(page: bytes, offset: int) -> int:
    return int.from_bytes(page[offset : offset + 4])


def _varint(data: bytes, offset: int) -> tuple[int, int]:
    """Return the number at ``offset`` and where it ends."""
    value = 0
    for place in range(offset, offset + 8):
        byte = data[place]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:  # noqa: PLR2004
            return value, place + 1
    return value << 8 | data[offset + 8], offset + 9


def _record(payload: bytes) -> tuple[Cell, ...]:
    """Return the values of a record.

    Raises:
        BrokenPageError: Its lengths do not add up.
    """
    end, offset = _varint(payload, 0)
    kinds = []
    while offset < end:
        kind, offset = _varint(payload, offset)
        kinds.append(kind)
    if offset != end or end + sum(map(_width, kinds)) != len(payload):
        raise BrokenPageError
    values = []
    for kind in kinds:
        width = _width(kind)
        values.append(_value(kind, payload[offset : offset + width]))
        offset += width
    return tuple(values)


def _width(kind: int) -> int:
    if kind < len(_INTEGER_BYTES):
        return _INTEGER_BYTES[kind]
    if kind >= _FIRST_BLOB:
        return (kind - _FIRST_BLOB) // 2
    return 8 if kind == _REAL else 0


def _value(kind: int, data: bytes) -> Cell:
    if kind >= _FIRST_BLOB:
        return data.decode("utf-8") if kind % 2 else data
    if kind == _REAL:
        return float(struct.unpack(">d", data)[0])
    if kind in {_ZERO, _ONE}:
        return kind - _ZERO
    if kind > _ONE:
        raise BrokenPageError
    return int.from_bytes(data, signed=True) if kind else None
