"""Texts of many chunks at once, for which each memory is read once."""

import json
from collections.abc import Iterable, Iterator
from typing import Any, Final

import apsw

# Counting characters costs more than reading them, so only long texts are counted.
_READ: Final = (
    "SELECT c.id, iif(octet_length(c.own_text) > ?2, substr(c.own_text, 1, ?2), c.own_text),"
    " iif(c.content_start IS NULL, NULL, c.memory_id), c.content_start, c.content_length"
    " FROM json_each(?1) wanted CROSS JOIN chunks c ON c.id = wanted.value"
)
_MEMORIES: Final = (
    "SELECT m.id, iif(m.title = '', '', m.title || char(10)), CAST(m.content AS BLOB)"
    " FROM json_each(?) wanted CROSS JOIN memories m ON m.id = wanted.value"
)


def read_texts(connection: apsw.Connection, ids: Iterable[int], characters: int) -> dict[int, str]:
    """Return the beginnings of the texts of chunks by id; of those that are there.

    Args:
        connection: Any connection.
        ids: The chunks.
        characters: So much of each text is enough; a part of a memory comes whole.
    """
    texts: dict[int, str] = {}
    parts: dict[str, list[tuple[int, int, int]]] = {}
    rows: Iterator[tuple[Any, ...]] = connection.execute(_READ, (json.dumps(sorted(ids)), characters))
    for chunk, text, memory, start, length in rows:
        texts[chunk] = text
        if memory is not None:
            parts.setdefault(memory, []).append((chunk, start - 1, length))
    rows = connection.execute(_MEMORIES, (json.dumps(list(parts)),)) if parts else iter(())
    for memory, head, content in rows:
        for chunk, start, length in parts[memory]:
            texts[chunk] = head + content[start : start + length].decode()
    return texts
