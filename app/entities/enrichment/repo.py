"""SQL of enrichment: texts with few names, and names found in them.

Owns enriched_texts.
"""

import json
from collections.abc import Iterable, Sequence
from typing import Any

import apsw

from app.core.stores import StoreName
from app.entities.ner.provider import NameSpan
from app.history.acts.model import ActPart
from app.history.acts.reader import SideEffects

SHORTEST = 12  # characters; nothing is to be found in what is shorter
_KINDS = "('fact', 'note', 'observation', 'reflection', 'digest')"
_ROLES = "('user', 'assistant')"
_TURN = "m.session_id || '#' || m.seq"
# What not all readers of a text find in it must not decide whether more is looked for.
_COUNT = (
    "(SELECT count(DISTINCT x.surface) FROM mentions x WHERE x.owner_kind = '{kind}' AND x.owner_id = {owner}"
    " AND x.store <> '')"
)


def memories(connection: apsw.Connection, stores: Sequence[StoreName], most_names: int, limit: int) -> list[str]:
    """Return ids of memories with few names, not searched yet, the newest first.

    Those still to be read by the fast rules are left out.
    """
    rows = connection.execute(
        f"SELECT m.id FROM memories m WHERE m.valid_until IS NULL AND m.kind IN {_KINDS}"
        " AND m.store IN (SELECT value FROM json_each(:stores))"
        " AND length(m.title) + length(m.content) + length(m.facts) >= :shortest"
        " AND NOT EXISTS (SELECT 1 FROM enriched_texts e WHERE e.owner_kind = 'memory' AND e.owner_id = m.id)"
        " AND NOT EXISTS (SELECT 1 FROM pending_mentions p WHERE p.owner_kind = 'memory' AND p.owner_id = m.id)"
        f" AND {_COUNT.format(kind='memory', owner='m.id')} <= :most ORDER BY m.rowid DESC LIMIT :limit",
        {"stores": json.dumps(list(stores)), "shortest": SHORTEST, "most": most_names, "limit": limit},
    )
    return [str(row[0]) for row in rows]


def messages(connection: apsw.Connection, read_up_to: int, most_names: int, limit: int) -> list[str]:
    """Return messages with few names, not searched yet, the newest first, as ``session#seq``.

    Args:
        connection: A connection.
        read_up_to: The last row that the fast rules have read.
        most_names: Entities up to which a message has few.
        limit: How many at most.
    """
    rows = connection.execute(
        "SELECT m.session_id || '#' || m.seq FROM messages m CROSS JOIN sessions s ON s.id = m.session_id"
        f" WHERE m.rowid <= :read AND s.forgotten_at IS NULL AND m.role IN {_ROLES}"
        " AND length(m.content) >= :shortest AND NOT EXISTS (SELECT 1 FROM enriched_texts e"
        " WHERE e.owner_kind = 'message' AND e.owner_id = m.session_id || '#' || m.seq)"
        " AND NOT EXISTS (SELECT 1 FROM pending_mentions p WHERE p.owner_kind = 'session' AND p.owner_id = s.id)"
        f" AND {_COUNT.format(kind='message', owner=_TURN)} <= :most"
        " ORDER BY m.rowid DESC LIMIT :limit",
        {"read": read_up_to, "shortest": SHORTEST, "most": most_names, "limit": limit},
    )
    return [str(row[0]) for row in rows]


def put(
    connection: apsw.Connection, owner: tuple[str, str], names: Iterable[tuple[bool, NameSpan]], run_id: str, at_ms: int
) -> None:
    """Store the names found in an owner (kind and id), replacing earlier ones.

    ``names`` are given with whether they stand in the heading.
    """
    kept = [
        [int(is_heading), one.start, one.end, one.text, one.type, one.confidence, one.provider]
        for is_heading, one in names
    ]
    connection.execute(
        "INSERT INTO enriched_texts (owner_kind, owner_id, run_id, at, names) VALUES (?, ?, ?, ?, ?) ON CONFLICT"
        " DO UPDATE SET run_id = excluded.run_id, at = excluded.at, names = excluded.names",
        (*owner, run_id, at_ms, json.dumps(kept, ensure_ascii=False)),
    )


def names(
    connection: apsw.Connection, kind: str, owners: Iterable[str]
) -> dict[str, tuple[tuple[bool, NameSpan], ...]]:
    """Return the names found in owners of a kind, by id."""
    rows = connection.execute(
        "SELECT e.owner_id, e.names FROM json_each(?) w CROSS JOIN enriched_texts e ON e.owner_kind = ?"
        " AND e.owner_id = w.value WHERE e.names <> '[]'",
        (json.dumps(list(owners)), kind),
    )
    return {str(owner): tuple(map(_name, json.loads(str(kept)))) for owner, kept in rows}


def _name(kept: list[Any]) -> tuple[bool, NameSpan]:
    is_heading, start, end, text, kind, confidence, provider = kept
    return bool(is_heading), NameSpan(start, end, text, kind, confidence, provider)


def forget_run(connection: apsw.Connection, run_id: str) -> list[tuple[str, str]]:
    """Forget the names that a run found; return the owners.

    The texts count as searched, so that the same is not found again.
    """
    rows = connection.execute(
        "UPDATE enriched_texts SET names = '[]' WHERE run_id = ? AND names <> '[]' RETURNING owner_kind, owner_id",
        (run_id,),
    ).fetchall()
    return [(str(kind), str(owner)) for kind, owner in rows]


def standing_runs(connection: apsw.Connection) -> list[SideEffects]:
    """Return in how many texts each run found names that stand."""
    rows = connection.execute(
        "SELECT run_id, max(at), count(*) FROM enriched_texts WHERE names <> '[]' GROUP BY run_id"
    )
    return [SideEffects(str(run), int(str(at)), ActPart("names", "text", int(str(count)))) for run, at, count in rows]
