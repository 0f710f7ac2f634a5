"""Erasures as changes of a lane: what was forgotten for ever, by ids alone.

Owns erasures.
"""

import apsw

from app.erasure.model import ErasureTarget
from app.store import lanes


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
