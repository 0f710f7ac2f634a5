"""Reader of lists of memories as JSON: mem0 and the MCP memory service.

mem0 answers with ``{"results": [{"id", "memory", "categories", "metadata", …}]}``; the MCP memory service exports
``{"memories": [{"content", "content_hash", "tags", "memory_type", …}]}``. A bare list of either is read too.
"""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, Final

from app.core.clock import parse_instant
from app.core.text import content_hash, storable
from app.exchange.model import Record
from app.exchange.parsing.json_items import JsonItem, items
from app.exchange.parsing.lenient import clean, filled, first_text, row, table, text
from app.memories.foreign_record import MemoryRecord, Problem

MEM0: Final = "mem0"
MEMORY_SERVICE: Final = "mcp-memory-service"
_OWN: Final = (
    "id", "memory", "content", "content_hash", "data", "created_at", "updated_at", "created_at_iso", "updated_at_iso",
    "expiration_date", "score", "embedding", "hash", "event", "tags", "categories",
)  # fmt: skip


def read(path: Path, cancelled: Callable[[], bool], fmt: str) -> Iterator[Record]:
    """Read a list of memories.

    Args:
        path: The file.
        cancelled: Asked now and then; reading stops when it says so.
        fmt: ``MEM0`` or ``MEMORY_SERVICE``.
    """
    for thing in items(path, cancelled, "memory"):
        yield _memory(thing, fmt) if isinstance(thing, JsonItem) else thing


def _memory(item: JsonItem, fmt: str) -> Record:
    fields = table(item.value)
    said = first_text(fields, "memory", "content") or first_text(table(fields.get("data")), "memory")
    if not said:
        return Problem(item.place, "It holds no text and was left out.")
    said, _ = storable(said)
    return memory_record(fields, said, fmt)


def memory_record(fields: dict[str, Any], said: str, fmt: str) -> MemoryRecord:
    """Return the record of a memory.

    Args:
        fields: Its fields as the other system names them.
        said: Its text.
        fmt: The format, for its key.
    """
    key = first_text(fields, "id", "content_hash", "hash") or content_hash(said, text(fields.get("user_id")))
    return MemoryRecord(
        storable(f"{fmt}/{key}")[0],
        said,
        kind="fact",
        category=_category(fields),
        tags=tags_of(fields),
        created_ms=parse_instant(fields.get("created_at")) or parse_instant(fields.get("created_at_iso")),
        updated_ms=parse_instant(fields.get("updated_at")) or parse_instant(fields.get("updated_at_iso")),
        expires_ms=parse_instant(fields.get("expiration_date")),
        attributes=filled(fields, without=_OWN),
    )


def tags_of(fields: dict[str, Any]) -> tuple[str, ...]:
    """Return the tags of a memory: a list, or words between commas."""
    given = fields.get("tags") or fields.get("categories")
    named = given.split(",") if isinstance(given, str) else [one for one in row(given) if isinstance(one, str)]
    return tuple(dict.fromkeys(clean(one.strip()) for one in named if one.strip()))


def _category(fields: dict[str, Any]) -> str:
    metadata = table(fields.get("metadata"))
    return str(clean(first_text(fields, "memory_type") or first_text(metadata, "category", "type")))


READERS: Final = {name: partial(read, fmt=name) for name in (MEM0, MEMORY_SERVICE)}
