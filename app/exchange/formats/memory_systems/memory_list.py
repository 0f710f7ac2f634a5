"""Reader of lists of memories as JSON: mem0 and the MCP memory service.

mem0 answers with ``{"results": [{"id", "memory", "categories", "metadata", …}]}``; the MCP memory service exports
``{"memories": [{"content", "content_hash", "tags", "memory_type", …}]}``. A bare list of either is read too. What mem0
keeps as a graph stands beside the memories: ``"relations": [{"source", "relationship", "destination"}]``.
"""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, Final

from app.core.clock import parse_instant
from app.core.text import content_hash, storable
from app.exchange.formats.format_spec import FormatSpec, fields
from app.exchange.formats.memory_systems.foreign_entity import foreign_entity
from app.exchange.importing.accounting import read_item
from app.exchange.model import Record, VaultDetail
from app.exchange.parsing.item_places import numbered
from app.exchange.parsing.json_items import MAX_ITEM, JsonItem, decode, items
from app.exchange.parsing.lenient import clean, filled, first_text, row, table, text
from app.memories.foreign_record import MemoryRecord, Problem
from app.sentence import Sentence

MEM0: Final = "mem0"
MEMORY_SERVICE: Final = "mcp-memory-service"
_RELATIONS: Final = "relations"
_ENTITIES: Final = "entities"
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
    if not cancelled() and path.is_file() and path.stat().st_size <= MAX_ITEM:
        yield from _graph(path, f"import:{fmt}")


def _graph(path: Path, source: str) -> Iterator[Record]:
    """Yield the entities and relations that stand beside the memories."""
    data = path.read_bytes()
    if not any(f'"{name}"'.encode() in data for name in (_RELATIONS, _ENTITIES)):
        return
    try:
        value = table(decode(data)[0])
    except ValueError:
        return  # named where the memories were read
    made_ms = int(path.stat().st_mtime * 1000)
    known: dict[str, VaultDetail] = {}
    for number, entity_fields in enumerate(_parts_of(value, _ENTITIES), 1):
        place = numbered(path.name, "entity", number)
        read_item(place, entity_fields, "entity")
        entity = _entity(entity_fields, made_ms)
        if entity is not None:
            known.setdefault(entity.fields["name"].casefold(), entity)
        yield entity or Problem(place, Sentence("It has no name that can be stored, and was left out."))
    for number, entity_fields in enumerate(_parts_of(value, _RELATIONS), 1):
        read_item(numbered(path.name, "relation", number), entity_fields, "relation")
        relation = table(entity_fields)
        ends = [
            _end(_word(first_text(relation, *names)), text(relation.get(f"{names[0]}_type")), known, made_ms)
            for names in (("source", "subject", "from"), ("destination", "target", "object", "to"))
        ]
        predicate = _word(first_text(relation, "relationship", "relation", "predicate"))
        subject, target = ends
        if subject is None or target is None or not predicate:
            yield Problem(
                numbered(path.name, "relation", number), Sentence("It has no two ends with names and was left out.")
            )
            continue
        yield subject
        yield target
        fields = {"subject": subject.fields["id"], "predicate": predicate, "object": target.fields["id"], "weight": 1.0}
        yield VaultDetail("relation", {**fields, "source": source, "created_at": made_ms})


def _end(name: str, kind: str, known: dict[str, VaultDetail], made_ms: int) -> VaultDetail | None:
    """Return the entity at an end of a relation, if possible a known one."""
    return (None if kind else known.get(name.casefold())) or foreign_entity(name, kind, (), "", made_ms)


def _entity(given: object, made_ms: int) -> VaultDetail | None:
    """Return an entity of the graph, ``None`` for one without a name."""
    fields = table(given)
    name = given if isinstance(given, str) else first_text(fields, "name", "entity", "entity_name", "label", "id")
    kind = first_text(fields, "entity_type", "type", "entityType", "category")
    aliases = [_word(alias) for alias in row(fields.get("aliases")) if isinstance(alias, str)]
    notes = [note for note in row(fields.get("observations")) if isinstance(note, str)]
    summary = [first_text(fields, "summary", "description"), *notes]
    return foreign_entity(_word(name), kind, aliases, "\n".join(filter(None, summary)), made_ms)


def _parts_of(value: dict[str, Any], name: str) -> Iterator[object]:
    """Yield the entities or relations in an answer, without removed ones."""
    items = value.get(name)
    waiting = [table(items).get("added_entities") if isinstance(items, dict) else items]
    waiting += [table(inner).get(name) for part in value.values() for inner in (part, *row(part))]
    while waiting:
        part = waiting.pop(0)
        is_triple = name == _RELATIONS and isinstance(part, list) and any(isinstance(inner, str) for inner in part)
        if isinstance(part, list) and not is_triple:
            waiting = [*part, *waiting]
        elif part:
            yield part


def _word(name: str) -> str:
    """Return a name as a person writes it; mem0 joins its words."""
    return " ".join(storable(name)[0].replace("_", " ").split())


def _memory(item: JsonItem, fmt: str) -> Record:
    fields = table(item.value)
    words = first_text(fields, "memory", "content") or first_text(table(fields.get("data")), "memory")
    if not words:
        return Problem(item.place, Sentence("It holds no text and was left out."))
    words, _ = storable(words)
    return memory_record(fields, words, fmt)


def memory_record(fields: dict[str, Any], content: str, fmt: str) -> MemoryRecord:
    """Return the record of a memory.

    Args:
        fields: Its fields as the other system names them.
        content: Its text.
        fmt: The format, for its key.
    """
    key = first_text(fields, "id", "content_hash", "hash") or content_hash(content, text(fields.get("user_id")))
    return MemoryRecord(
        storable(f"{fmt}/{key}")[0],
        content,
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
    tags = fields.get("tags") or fields.get("categories")
    named = tags.split(",") if isinstance(tags, str) else [tag for tag in row(tags) if isinstance(tag, str)]
    return tuple(dict.fromkeys(clean(tag.strip()) for tag in named if tag.strip()))


def _category(fields: dict[str, Any]) -> str:
    metadata = table(fields.get("metadata"))
    return str(clean(first_text(fields, "memory_type") or first_text(metadata, "category", "type")))


MEM0_SPEC = FormatSpec(
    name=MEM0,
    title="mem0",
    read=partial(read, fmt=MEM0),
    kind="memories",
    help="mem0",
    suffixes=(".json",),
    fields=fields("results.item.memory", "results.item.data.memory", "item.memory item.id"),
    keys="file",
)
SERVICE_SPEC = FormatSpec(
    name=MEMORY_SERVICE,
    title="MCP memory service",
    read=partial(read, fmt=MEMORY_SERVICE),
    kind="memories",
    help="the MCP memory service",
    suffixes=(".json",),
    fields=fields("memories.item.content memories.item.content_hash", "item.content item.content_hash"),
)
