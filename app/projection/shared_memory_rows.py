"""Live memories of the store ``shared``, as the database has them."""

import hashlib
import json
from collections.abc import Iterator, Sequence
from typing import Any, Final

import apsw
import msgspec

from app.core.text import storable
from app.projection.model import SharedRow

_LIVE: Final = "m.store = 'shared' AND m.valid_until IS NULL AND (m.expires_at IS NULL OR m.expires_at > :now)"
_READ: Final = (
    "SELECT m.id, m.kind, m.title, m.content, m.facts, m.category, m.key, m.confidence, m.event_time, m.created_at,"
    " m.updated_at, (SELECT json_group_array(t.tag ORDER BY t.position) FROM memory_tags t WHERE t.memory_id = m.id)"
    f" FROM memories m WHERE {_LIVE}"
)


def all_rows(connection: apsw.Connection, now_ms: int) -> Iterator[SharedRow]:
    """Yield every live shared memory."""
    for row in connection.execute(f"{_READ} ORDER BY m.id", {"now": now_ms}):
        yield _shared(row)


def rows_of(connection: apsw.Connection, ids: Sequence[str], now_ms: int) -> list[SharedRow]:
    """Return those of some memories that are shared and live."""
    named = f"{_READ} AND m.id IN (SELECT value FROM json_each(:ids)) ORDER BY m.id"
    return [_shared(row) for row in connection.execute(named, {"now": now_ms, "ids": json.dumps(list(ids))})]


def last_entry(connection: apsw.Connection) -> int:
    """Return the number of the history's last entry."""
    return int(connection.execute("SELECT coalesce(max(id), 0) FROM memory_history").get)


def changed_since(connection: apsw.Connection, entry: int, since_ms: int, now_ms: int) -> set[str]:
    """Return the memories that changed after an entry of the history, or expired meanwhile."""
    rows = connection.execute(
        "SELECT target FROM memory_history WHERE id > ? AND target_kind = 'memory' UNION"
        " SELECT id FROM memories WHERE expires_at > ? AND expires_at <= ? AND valid_until IS NULL",
        (entry, since_ms, now_ms),
    )
    return {str(target) for (target,) in rows}


def _shared(row: Sequence[Any]) -> SharedRow:
    memory_id, kind, title, content, facts, category, key, confidence, event, created, updated, tags = row
    values = {
        "id": _text(memory_id),
        "kind": _text(kind),
        "title": _text(title),
        "content": _text("\n".join(filter(None, (content, *json.loads(facts))))),
        "tags": [_text(tag) for tag in json.loads(tags)],
        "category": _text(category),
        "key": _text(key),
        "confidence": confidence,
        "event_time": event,
        "created_at": created,
        "updated_at": updated,
    }
    version = hashlib.blake2b(msgspec.json.encode(values), digest_size=16).hexdigest()
    return SharedRow(values["id"], version, {**values, "version": version})


def _text(value: object) -> str:
    return storable(str(value or ""))[0]
