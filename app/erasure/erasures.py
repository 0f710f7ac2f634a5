"""Erasures as changes of a lane: what was forgotten for ever, by ids alone.

Owns erasures.
"""

import hashlib
import json
from collections.abc import Sequence
from typing import Final

import apsw

from app.erasure.model import ErasureTarget
from app.store import lanes
from app.store.lanes import ChangePlace

RECEIPTS: Final = "forever:"
"""The beginning of the keys of receipts in ``meta``."""
IS_FORGOTTEN: Final = (
    "(NOT EXISTS (SELECT 1 FROM erasures e WHERE e.target = h.target) OR EXISTS (SELECT 1 FROM erasures e"
    " WHERE e.target = h.target AND CASE WHEN e.lane = h.lane THEN h.n < e.n ELSE coalesce((SELECT max(k.known)"
    " FROM lane_knowledge k WHERE k.lane = h.lane AND k.of_lane = e.lane AND k.n <= h.n), 0) < e.n END))"
)
"""In SQL, whether an entry ``h`` of a forgotten entity's history goes: its writer did not know of all erasures.

A copy of the vault may have none of them.
"""


def record(connection: apsw.Connection, target: ErasureTarget, actor: str, at_ms: int) -> None:
    """Record in the own lane that a target is forgotten for ever.

    That is recorded once, and of an entity each time. To be called in the transaction in which its forgetting begins.
    """
    if target.kind != "entity" and is_erased(connection, target.id):
        return
    place = lanes.next_place(connection, at_ms)
    connection.execute(
        "INSERT INTO erasures (lane, n, hlc, at, actor, target_kind, target) VALUES (?, ?, ?, ?, ?, ?, ?)",
        (place.lane, place.n, place.hlc, at_ms, actor, target.kind, target.id),
    )


def all_targets(connection: apsw.Connection) -> list[ErasureTarget]:
    """Return all that was forgotten for ever, on this machine or another."""
    rows = connection.execute("SELECT DISTINCT target_kind, target FROM erasures ORDER BY target_kind, target")
    return [ErasureTarget(kind, str(target)) for kind, target in rows]


def is_erased(connection: apsw.Connection, target: str) -> bool:
    """Return whether a target was forgotten for ever, on this machine or another."""
    return connection.execute("SELECT 1 FROM erasures WHERE target = ? LIMIT 1", (target,)).fetchone() is not None


def forgets(connection: apsw.Connection, kind: str, target: str, place: ChangePlace) -> bool:
    """Return whether a change of a target is forgotten for ever.

    Of an entity those changes are whose writer did not know of its erasure.
    """
    places = places_of_target(connection, target)
    if kind != "entity" or not places:
        return bool(places)
    known = {**lanes.known_at(connection, place.lane, place.n), place.lane: place.n - 1}
    return any(known.get(erasure.lane, 0) < erasure.n for erasure in places)


def places_of_target(connection: apsw.Connection, target: str) -> list[ChangePlace]:
    """Return the places of all erasures of a target."""
    rows = connection.execute("SELECT hlc, lane, n FROM erasures WHERE target = ?", (target,)).fetchall()
    return [ChangePlace(*(int(str(value)) for value in row)) for row in rows]


def entities_until(connection: apsw.Connection, lane: int) -> dict[str, int]:
    """Return for each erased entity the last number in a lane that is forgotten.

    Only that part of the lane is looked at which is here.
    """
    rows = connection.execute(
        "SELECT e.target, min(l.n, max(CASE WHEN e.lane = l.lane THEN e.n - 1 ELSE coalesce((SELECT min(k.n) - 1"
        " FROM lane_knowledge k WHERE k.lane = l.lane AND k.of_lane = e.lane AND k.known >= e.n), l.n) END))"
        " FROM erasures e JOIN lanes l ON l.lane = ? WHERE e.target_kind = 'entity' GROUP BY e.target",
        (lane,),
    )
    return {str(target): int(str(n)) for target, n in rows}


def are_entities_left(connection: apsw.Connection) -> bool:
    """Return whether the history has entries of entities that are to be forgotten still."""
    cursor = connection.execute(
        "SELECT 1 FROM erasures x CROSS JOIN memory_history h ON h.target = x.target AND h.target_kind = 'entity'"
        f" WHERE x.target_kind = 'entity' AND {IS_FORGOTTEN} LIMIT 1"
    )
    return cursor.fetchone() is not None


def count(connection: apsw.Connection) -> int:
    """Return how many erasures are known here."""
    return int(connection.execute("SELECT count(*) FROM erasures").get)


def last_numbers(connection: apsw.Connection) -> dict[int, int]:
    """Return for each lane the number of its last erasure."""
    rows = connection.execute("SELECT lane, max(n) FROM erasures GROUP BY lane ORDER BY lane")
    return {int(str(lane)): int(str(n)) for lane, n in rows}


def places_by_target(connection: apsw.Connection) -> dict[str, dict[int, int]]:
    """Return the numbers of the last erasures in each lane, by what was erased.

    Names that only an erased text gave are not among them.
    """
    rows = connection.execute(
        "SELECT target, lane, max(n) FROM erasures WHERE target_kind <> 'entity' GROUP BY target, lane"
    )
    places: dict[str, dict[int, int]] = {}
    for target, lane, n in rows:
        places.setdefault(str(target), {})[int(str(lane))] = int(str(n))
    return places


def places_of(connection: apsw.Connection, targets: Sequence[str]) -> dict[int, int]:
    """Return for each lane the number of its last erasure of some targets."""
    rows = connection.execute(
        "SELECT lane, max(n) FROM erasures WHERE target IN (SELECT value FROM json_each(?)) GROUP BY lane",
        (json.dumps(list(targets)),),
    )
    return {int(str(lane)): int(str(n)) for lane, n in rows}


def receipts_digest(connection: apsw.Connection) -> str | None:
    """Return the digest of all receipts, ``None`` while an erasure is not finished."""
    digest = hashlib.sha256()
    rows = connection.execute(
        "SELECT value FROM meta WHERE key >= ? AND key < ? ORDER BY key", (RECEIPTS, RECEIPTS + "~")
    )
    for (value,) in rows:
        if json.loads(str(value))["finished_at"] is None:
            return None
        digest.update(str(value).encode())
    return digest.hexdigest()
