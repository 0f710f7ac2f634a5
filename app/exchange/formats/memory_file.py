"""JSONL of the MCP reference memory server, a line for each entity and relation.

Forks of it leave ``type`` out or begin with a line that names themselves; both are read too.
"""

import json
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from app.core.text import content_hash, storable
from app.entities.linking import MAX_NAME
from app.entities.model import registry_type
from app.exchange.formats.format_spec import FormatSpec
from app.exchange.importing.accounting import read_item
from app.exchange.model import Position, Record, VaultDetail
from app.exchange.parsing.item_places import numbered
from app.exchange.parsing.lines import TextLine, read_lines
from app.knowledge_graph.repo import MARK, OF_ENTITY
from app.memories.foreign_record import MemoryRecord, Problem
from app.sentence import Sentence, counted_sentence

NAME: Final = "mcp-memory"
_SPACE: Final = uuid.UUID("5b0f6c9e-6f1d-5f0e-9a53-6d656d6f7279")
_SOURCE: Final = f"import:{NAME}"
_LONGEST: Final = 1 << 24


def is_graph_line(value: object) -> bool:
    """Return whether a JSON value is a line of this format."""
    if not isinstance(value, dict):
        return False
    if value.get("type") == "_aim":
        return True
    return {"name", "entityType"} <= value.keys() or {"from", "to", "relationType"} <= value.keys()


def read(path: Path, cancelled: Callable[[], bool]) -> Iterator[Record]:
    """Read a memory file.

    Args:
        path: The file, such as ``memory.jsonl``.
        cancelled: Asked at every line; reading stops when it says so.
    """
    made_ms = int(path.stat().st_mtime * 1000)
    relations: list[tuple[Sentence, dict[str, Any]]] = []
    known: dict[str, str] = {}
    for line in read_lines(path):
        if cancelled():
            return
        place = numbered(path.name, "line", line.number)
        value = _value(line, path.name)
        if value is None:
            yield Problem(place, Sentence("It is no line of JSON that a memory server writes and was left out."))
        elif {"from", "to", "relationType"} <= value.keys():
            relations.append((place, value))
        elif {"name", "entityType"} <= value.keys():
            yield from _entity(place, value, known, made_ms)
        yield Position(line.done, path.stat().st_size, path.name)
    for place, value in relations:
        yield from _relation(place, value, known, made_ms)


def _value(line: TextLine, name: str) -> dict[str, Any] | None:
    if line.data is None or len(line.data) > _LONGEST:
        return None
    if not line.data.strip():
        return {}
    try:
        value = json.loads(line.data)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict):
        return None
    read_item(numbered(name, "line", line.number), value, "line")
    return value


def _entity(place: str, value: dict[str, Any], known: dict[str, str], made_ms: int) -> Iterator[Record]:
    name = _name(value["name"])
    if not name:
        yield Problem(place, Sentence("Its entity has no name that can be stored and was left out."))
        return
    kind = _name(value["entityType"])
    known[name] = entity_id = _id(name)
    yield _head(entity_id, name, kind, made_ms, is_listed=True)
    statements = value.get("observations")
    observations = statements if isinstance(statements, list) else []
    for text in dict.fromkeys(
        observation for observation in observations if isinstance(observation, str) and observation.strip()
    ):
        yield MemoryRecord(
            f"{entity_id}#{content_hash(text)}",
            text,
            kind="observation",
            title=name,
            created_ms=made_ms,
            attributes={OF_ENTITY: entity_id},
        )
    if lost := sum(not isinstance(observation, str) for observation in observations):
        what = counted_sentence(
            lost,
            "1 of its observations is no text and was left out.",
            "{count} of its observations are no texts and were left out.",
        )
        yield Problem(place, what)


def _relation(place: str, value: dict[str, Any], known: dict[str, str], made_ms: int) -> Iterator[Record]:
    subject, target, predicate = (_name(value[name]) for name in ("from", "to", "relationType"))
    if not subject or not target or not predicate:
        yield Problem(place, Sentence("Its relation has no two ends with names and was left out."))
        return
    for name in (subject, target):
        if name not in known:
            known[name] = _id(name)
            yield _head(known[name], name, "", made_ms, is_listed=False)
    fields = {"subject": known[subject], "predicate": predicate, "object": known[target], "weight": 1.0}
    yield VaultDetail("relation", {**fields, "source": _SOURCE, "created_at": made_ms})


def _head(entity_id: str, name: str, kind: str, made_ms: int, *, is_listed: bool) -> VaultDetail:
    mark = {"name": name, "type": kind, "store": "private", "listed": is_listed}
    return VaultDetail(
        "entity",
        {
            "id": entity_id,
            "name": name,
            "entity_type": registry_type(kind),
            "summary": "",
            "protected": False,
            "touched": True,
            "created_at": made_ms,
            "updated_at": made_ms,
            "merged_into": None,
            "x": None,
            "y": None,
            "attributes": {MARK: mark, "graph_made": True},
            "aliases": [name],
        },
    )


def _name(value: object) -> str:
    text = " ".join(storable(value)[0].split()) if isinstance(value, str) else ""
    return text if len(text) <= MAX_NAME else ""


def _id(name: str) -> str:
    return f"ent-{uuid.uuid5(_SPACE, name)}"


SPEC = FormatSpec(
    name=NAME,
    title="MCP memory server",
    read=read,
    kind="memories",
    help="the MCP memory server",
    suffixes=(".json", ".jsonl"),
)
