"""Unlinked mentions: notes that name another note's title without a link, and linking them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Final

import apsw

from app.changes import Changed
from app.core.access import Access
from app.core.text import storable
from app.errors import InputError
from app.memories import validation
from app.memories.model import Link, Memory
from app.memories.note_links import links
from app.memories.repo import store_condition
from app.memories.store_access import require_active
from app.memories.text.code_spans import CodeRanges, code_ranges
from app.memories.text.markdown_links import title_key
from app.memories.unit_of_work import MemoryUnitOfWork
from app.memories.writer import MemoryWriter

MAX_FOUND: Final = 50
_LOOKED_AT: Final = 400  # texts whose words fit, of which some name the title only in a link or in code
_MATCHING: Final = 2_000  # texts that have the words of a title, the newest first
_SHORTEST: Final = 3  # letters of a title that is looked for
_AROUND: Final = 80
_UNLINKABLE = re.compile(r"[\[\]|#\n]")
_LINKS = re.compile(r"\[\[[^\[\]\n]*\]\]|!?\[[^\[\]\n]*\]\([^()\n]*\)|https?://\S+")


@dataclass(frozen=True, slots=True)
class _Place:
    """Position of a name in a text."""

    start: int
    end: int


class UnlinkedMentionService:
    """Finds notes that name a title without a link, and links them.

    Args:
        transactions: Opens transactions.
    """

    def __init__(self, transactions: MemoryUnitOfWork) -> None:
        self._transactions = transactions

    async def of(self, access: Access, memory_id: str, *, limit: int = MAX_FOUND) -> list[Link]:
        """Return the notes that name a memory's title without a link, latest first.

        Raises:
            NotFoundError: There is no active memory of that id.
        """
        return await self._transactions.store.read(
            partial(_found, memory_id, min(limit, MAX_FOUND), tuple(access.stores))
        )

    async def link(self, access: Access, source_id: str, target_id: str) -> Changed[Memory]:
        """Make the first mention of a memory's title in a note a link.

        Raises:
            NotFoundError: One of them is no active memory.
            InputError: The note does not name the title, or the title cannot be linked.
        """

        def work(writer: MemoryWriter) -> Memory:
            source = require_active(writer.connection, source_id, access.stores, "note")
            target = require_active(writer.connection, target_id, access.stores)
            place = next(places(source.content, target.title), None)
            if place is None:
                raise InputError("The note no longer names that title without a link.", id=source_id)
            text = source.content
            words = text[place.start : place.end]
            link = f"[[{target.title}]]" if words == target.title else f"[[{target.title}|{words}]]"
            linked = validation.with_content(source, text[: place.start] + link + text[place.end :])
            return writer.update(source, linked)

        return await self._transactions.run(access, work)


def places(text: str, title: str) -> Iterator[_Place]:
    """Yield where a text names a title as whole words, outside links, addresses and code."""
    pattern = _pattern(title)
    if pattern is None:
        return
    ranges: CodeRanges | None = None
    for match in pattern.finditer(text):
        ranges = ranges or CodeRanges(_taken(text))
        if not ranges.touch(*match.span()):
            yield _Place(*match.span())


def _taken(text: str) -> list[tuple[int, int]]:
    """Return the ranges of links and code, ascending and disjoint."""
    ranges = sorted([*code_ranges(text), *(match.span() for match in _LINKS.finditer(text))])
    united: list[tuple[int, int]] = []
    for start, end in ranges:
        if united and start <= united[-1][1]:
            united[-1] = (united[-1][0], max(end, united[-1][1]))
        else:
            united.append((start, end))
    return united


def _pattern(title: str) -> re.Pattern[str] | None:
    words = title.split()
    if len("".join(words)) < _SHORTEST or _UNLINKABLE.search(title):
        return None
    return re.compile(r"(?<!\w)" + r"[ \t]+".join(map(re.escape, words)) + r"(?!\w)", re.IGNORECASE)


def _found(memory_id: str, limit: int, stores: tuple[str, ...], connection: apsw.Connection) -> list[Link]:
    target = require_active(connection, memory_id, stores)
    if _pattern(target.title) is None or not re.search(r"\w", target.title):
        return []
    linking = {link.memory_id for link in links.of(connection, memory_id, stores=stores).backlinks}
    rows = connection.execute(
        "WITH matching (chunk) AS MATERIALIZED"
        " (SELECT rowid FROM chunks_fts WHERE chunks_fts MATCH ? ORDER BY rowid DESC LIMIT ?)"
        " SELECT m.id, m.title, m.content FROM matching CROSS JOIN chunks c ON c.id = matching.chunk"
        " CROSS JOIN memories m ON m.id = c.memory_id WHERE m.kind = 'note' AND m.valid_until IS NULL AND m.id <> ?"
        f" AND {store_condition(stores)} GROUP BY m.rowid ORDER BY m.updated_at DESC, m.rowid DESC LIMIT ?",
        (_phrase(target.title), _MATCHING, memory_id, _LOOKED_AT),
    )
    mentions: list[Link] = []
    for source, title, content in rows:
        text = str(content)
        if source in linking or title_key(str(title)) == title_key(target.title):
            continue
        place = next(places(text, target.title), None)
        if place is not None:
            mentions.append(Link(str(source), links.title_or_start(str(title), text), _context(text, place)))
        if len(mentions) >= limit:
            break
    return mentions


def _phrase(title: str) -> str:
    """Return a title as a quoted FTS5 string."""
    return 'text:"' + storable(title)[0].replace('"', '""') + '"'


def _context(text: str, place: _Place) -> str:
    start = max(text.rfind("\n", 0, place.start) + 1, place.start - _AROUND)
    stop = text.find("\n", place.end)
    end = min(len(text) if stop < 0 else stop, place.end + _AROUND)
    return " ".join(text[start:end].split())
