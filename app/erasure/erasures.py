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

RECEIPTS: Final = "forever:"
"""The beginning of the keys of receipts in ``meta``."""


def record(connection: apsw.Connection, target: ErasureTarget, actor: str, at_ms: int) -> None:
    """Record in the own lane that a target is forgotten for ever, once.

    To be called in the transaction in which its forgetting begins.
    """
    if is_erased(connection, target.id):
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


def last_numbers(connection: apsw.Connection) -> dict[int, int]:
    """Return for each lane the number of its last erasure."""
    rows = connection.execute("SELECT lane, max(n) FROM erasures GROUP BY lane ORDER BY lane")
    return {int(str(lane)): int(str(n)) for lane, n in rows}


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
