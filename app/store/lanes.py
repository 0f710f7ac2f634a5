"""Lanes: the changes of each installation that wrote to a vault.

A lane has one writer, which numbers its changes 1, 2, 3 … without a gap; a number is never given twice. All changes of
all lanes have one order, the same on every machine: hybrid clock, lane, number. A number without a change is that of
one that was forgotten. Owns lanes and lane_knowledge.
"""

import random
from dataclasses import dataclass
from typing import Final

import apsw

from app.core.time_rules import hybrid_clock
from app.errors import InternalError

ORDER: Final = "hlc, lane, n"
"""The columns by which changes are ordered, oldest first."""
NEWEST_FIRST: Final = "hlc DESC, lane DESC, n DESC"
OWN_NUMBER: Final = "(SELECT number FROM lanes WHERE is_own)"
"""In SQL, the number of the lane that is written here."""
_MOST_LANE: Final = (1 << 63) - 1
# Of a random lane, two of a thousand are alike once in 10^13 vaults.
_random: Final = random.SystemRandom()


@dataclass(frozen=True, slots=True, order=True)
class ChangePlace:
    """Place of a change among all changes of all lanes.

    Args:
        hlc: The hybrid clock; see ``app.core.time_rules.hybrid_clock``.
        lane: The lane, a random number.
        n: The number of the change within the lane, from 1.
    """

    hlc: int
    lane: int
    n: int


UNPLACED: Final = ChangePlace(0, 0, 0)
"""The place of what was not made."""


@dataclass(frozen=True, slots=True)
class OwnLane:
    """The lane that is written here.

    Args:
        lane: The lane, a random number.
        n: The number of its last change, 0 before the first.
        hlc: The hybrid clock of that change.
    """

    lane: int
    n: int
    hlc: int


def next_place(connection: apsw.Connection, wall_ms: int) -> ChangePlace:
    """Return the place of the next change that is written here.

    To be called in the transaction of that change.

    Args:
        connection: The writer's connection.
        wall_ms: The wall time, milliseconds since 1970 UTC.
    """
    row = connection.execute(
        "UPDATE lanes SET n = n + 1, hlc = max(?, (SELECT max(hlc) FROM lanes WHERE is_own OR hlc < ?) + 1)"
        " WHERE is_own RETURNING hlc, lane, n",
        # A lane whose clock is beyond all times is not followed: nothing could be written after it.
        (hybrid_clock.at_wall(wall_ms), hybrid_clock.END),
    ).fetchone()
    if row is None:
        raise InternalError("The vault has no lane to write in.")
    return ChangePlace(*row)


def own(connection: apsw.Connection) -> OwnLane | None:
    """Return the lane that is written here, ``None`` where none was begun."""
    row = connection.execute("SELECT lane, n, hlc FROM lanes WHERE is_own").fetchone()
    return None if row is None else OwnLane(*row)


def number_of(connection: apsw.Connection, lane: int) -> int:
    """Return the number by which the rows of this vault name a lane."""
    return int(connection.execute("SELECT number FROM lanes WHERE lane = ?", (lane,)).get)


def are_known(connection: apsw.Connection) -> bool:
    """Return whether the schema has lanes; an older one has none."""
    return _has_table(connection, "lanes")


def _has_table(connection: apsw.Connection, table: str) -> bool:
    return bool(
        connection.execute("SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = ?", (table,)).get
    )


def begin(connection: apsw.Connection, wall_ms: int) -> OwnLane:
    """Begin a new lane, in which all is written from now on.

    What the lane before has is sealed.

    Args:
        connection: The writer's connection, inside a transaction.
        wall_ms: The wall time, milliseconds since 1970 UTC.
    """
    disown(connection)
    lane = _random.randint(1, _MOST_LANE)
    connection.execute("INSERT INTO lanes (lane, is_own, was_own, began_at) VALUES (?, 1, 1, ?)", (lane, wall_ms))
    learn(connection)
    return OwnLane(lane, 0, 0)


def learn(connection: apsw.Connection) -> None:
    """Note that the own lane knows the others as far as they are here."""
    connection.execute(
        "INSERT INTO lane_knowledge (lane, n, of_lane, known)"
        " SELECT own.lane, own.n + 1, other.lane, other.n FROM lanes own JOIN lanes other ON NOT other.is_own"
        " WHERE own.is_own AND other.n > coalesce((SELECT max(known) FROM lane_knowledge"
        " WHERE lane = own.lane AND of_lane = other.lane), 0)"
        " ON CONFLICT (lane, of_lane, n) DO UPDATE SET known = excluded.known"
    )


def known_at(connection: apsw.Connection, lane: int, n: int) -> dict[int, int]:
    """Return up to which number a lane knew the others at its change ``n``."""
    rows = connection.execute(
        "SELECT l.lane, (SELECT known FROM lane_knowledge k WHERE k.lane = ?1 AND k.of_lane = l.lane AND k.n <= ?2"
        " ORDER BY k.n DESC LIMIT 1) FROM lanes l",
        (lane, n),
    )
    return {int(str(of_lane)): int(str(known)) for of_lane, known in rows if known is not None}


def disown(connection: apsw.Connection) -> None:
    """Seal the lane that was written here; from now on none is."""
    # An upgrade that ended between two of its steps leaves lanes that know nothing of others.
    if _has_table(connection, "lane_knowledge"):
        # What its next change would have known is not what a change knows that a lost vault wrote in its place.
        connection.execute(
            "DELETE FROM lane_knowledge WHERE (lane, n) IN (SELECT lane, lanes.n + 1 FROM lanes WHERE is_own)"
        )
    connection.execute("UPDATE lanes SET sealed = n, is_own = 0 WHERE is_own")


def seal(connection: apsw.Connection) -> int:
    """Seal all changes that were written here, and return the number of the last.

    A sealed change stays as it is: who goes on writing begins a new one. Only forgetting for ever changes it still. Not
    while an import runs, whose entries grow until it ends.
    """
    return int(connection.execute("UPDATE lanes SET sealed = n WHERE is_own RETURNING sealed").get or 0)
