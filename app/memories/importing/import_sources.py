"""The files table of memories: which foreign record became which memory.

Each row also has a hash of what the record said then.
"""

import hashlib
import json
from dataclasses import asdict, dataclass, fields
from typing import Any

import apsw

from app.core.json_values import plain
from app.memories.foreign_record import MemoryRecord

_UNSAID = frozenset(
    {
        "key",
        "place",
        "collection",
        "created_ms",
        "updated_ms",
        "mention_count",
        "access_count",
        "accessed_ms",
        "keeps_id",
        "version",
    }
)


@dataclass(frozen=True, slots=True)
class Origin:
    """Imported record of an earlier import.

    Args:
        content_hash: A hash of what it said, see ``record_hash``.
        memory_id: The memory it became.
        place: A hash of the folder or file it lay in, ``""`` where that is not known.
        collection: The notebook it lay in, ``""`` where that is not known.
        text_hash: A hash of its text alone, ``""`` where that is not known.
        changed_ms: When it was changed last, milliseconds UTC, ``None`` where it did not say.
    """

    content_hash: str
    memory_id: str
    place: str = ""
    collection: str = ""
    text_hash: str = ""
    changed_ms: int | None = None


def uri(fmt: str, key: str) -> str:
    """Return the name under which a foreign record is known, such as ``markdown:notes/a.md``."""
    return f"{fmt}:{key}"


def find(connection: apsw.Connection, source_uri: str) -> Origin | None:
    """Return what an earlier import made of the record, ``None`` when it is new."""
    row = connection.execute(
        "SELECT content_hash, target, attributes ->> 'place', attributes ->> 'collection', attributes ->> 'text',"
        " attributes ->> 'changed_ms' FROM files WHERE source_uri = ? AND target <> ''",
        (source_uri,),
    ).fetchone()
    if row is None:
        return None
    digest, memory_id, place, collection, text = (str(value or "") for value in row[:5])
    return Origin(digest, memory_id, place, collection, text, row[5] if isinstance(row[5], int) else None)


def write(connection: apsw.Connection, source_uri: str, origin: Origin, *, fmt: str, at_ms: int) -> None:
    """Note what this import made of the record.

    What ``origin`` does not say of the record's place stays as it was.
    """
    fields = {
        "place": origin.place,
        "collection": origin.collection,
        "text": origin.text_hash,
        "changed_ms": origin.changed_ms,
    }
    attributes = {name: value for name, value in fields.items() if value not in ("", None)}
    connection.execute(
        "INSERT INTO files (source_uri, content_hash, format, target, imported_at, attributes)"
        " VALUES (?, ?, ?, ?, ?, ?)"
        " ON CONFLICT (source_uri) DO UPDATE SET content_hash = excluded.content_hash, format = excluded.format,"
        " target = excluded.target, imported_at = excluded.imported_at,"
        " attributes = json_patch(attributes, excluded.attributes)",
        (source_uri, origin.content_hash, fmt, origin.memory_id, at_ms, json.dumps(attributes, ensure_ascii=False)),
    )


def page(connection: apsw.Connection, after: int, limit: int) -> list[tuple[int, dict[str, Any]]]:
    """Return what was imported from foreign files, by the id of its row, for exports."""
    rows = connection.execute(
        "SELECT id, source_uri, content_hash, format, target, attributes, imported_at FROM files"
        " WHERE id > ? AND format <> 'keepsake' ORDER BY id LIMIT ?",
        (after, limit),
    )
    names = ("source_uri", "content_hash", "format", "target", "attributes", "imported_at")
    page_rows = []
    for row_id, *values in rows:
        fields = dict(zip(names, values, strict=True))
        page_rows.append((int(row_id), fields | {"attributes": json.loads(fields["attributes"])}))
    return page_rows


def add(connection: apsw.Connection, imported: dict[str, Any]) -> None:
    """Note what another vault imported, unless an import here knows that record."""
    connection.execute(
        "INSERT INTO files (source_uri, content_hash, format, target, attributes, imported_at)"
        " VALUES (:source_uri, :content_hash, :format, :target, :attributes, :imported_at) ON CONFLICT DO NOTHING",
        imported | {"attributes": json.dumps(imported["attributes"], ensure_ascii=False)},
    )


def text_hash(text: str) -> str:
    """Return a hash of a record's text, or of the path of its place."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def record_hash(record: MemoryRecord) -> str:
    """Return a hash of what a record says.

    The time at which it was written does not count: a copied file has a new time.
    """
    values = {field.name: getattr(record, field.name) for field in fields(record) if field.name not in _UNSAID}
    text = json.dumps(values | {"attributes": plain(record.attributes)}, sort_keys=True, default=asdict)
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
