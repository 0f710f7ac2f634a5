"""Chains of history entries that undo and redo each other, and partner entries.

Partners are entries of one run that belong together: one superseded, or was merged into, what the other changed.

Reads ids and links only, for a run may have very many entries.
"""

import json
from collections.abc import Iterator, Sequence
from itertools import takewhile

import apsw

from app.errors import InputError
from app.history.model import UNDO
from app.store.lanes import ORDER, ChangePlace

# What a memory supersedes stands in the row of the other one, or in a list among its own attributes; what an entity was
# merged into stands in its row.
_LINKS = (
    "WITH changes AS MATERIALIZED (SELECT id, target, state_json(before) AS before, state_json(after) AS after"
    " FROM memory_history WHERE run_id = ? AND target_kind IN ('memory', 'entity'))"
    " SELECT id, target, coalesce(before ->> 'superseded_by', before ->> 'merged_into', ''),"
    " coalesce(after ->> 'superseded_by', after ->> 'merged_into', ''),"
    " coalesce(before -> '$.attributes.supersedes', '[]'), coalesce(after -> '$.attributes.supersedes', '[]')"
    " FROM changes"
)


def latest_entry(connection: apsw.Connection, history_id: int) -> tuple[int, bool]:
    """Follow an entry over its undoing, its redoing and so on to the last.

    Returns:
        The last entry's id, and whether the effect of ``history_id`` stands.
    """
    chain = list(_chain(connection, history_id))
    return chain[-1], len(chain) % 2 == 1


def stands(connection: apsw.Connection, history_id: int) -> bool:
    """Return whether the effect of an entry stands."""
    return latest_entry(connection, history_id)[1]


def _chain(connection: apsw.Connection, history_id: int) -> Iterator[int]:
    """Yield an entry, what undid it, what redid it, and so on."""
    following: int | None = history_id
    while following is not None:
        yield following
        following = connection.execute("SELECT undone_by FROM memory_history WHERE id = ?", (following,)).get


def base_entry(connection: apsw.Connection, history_id: int) -> int:
    """Return the id of the first entry that an entry undid or redid."""
    while (
        undone := connection.execute("SELECT id FROM memory_history WHERE undone_by = ?", (history_id,)).get
    ) is not None:
        history_id = int(undone)
    return history_id


def has_turned(connection: apsw.Connection, history_id: int, since: int) -> bool:
    """Return whether the effect of an entry stands now but not then, or the reverse.

    Of an undoing or redoing, that is the effect of the first entry that it undid or redid.

    Args:
        connection: Any connection.
        history_id: The entry.
        since: The entry that was the last one then.
    """
    chain = list(_chain(connection, base_entry(connection, history_id)))
    then = _place(connection, since)
    return sum(_place(connection, one) > then for one in chain) % 2 == 1


def standing_of_run(connection: apsw.Connection, run_id: str) -> list[int]:
    """Return the ids of a run's entries in effect, oldest first."""
    rows = connection.execute(f"SELECT id FROM memory_history WHERE run_id = ? ORDER BY {ORDER}", (run_id,))
    ids = [int(str(row[0])) for row in rows]
    return [one for one in ids if stands(connection, one)]


def undoing_run(connection: apsw.Connection, run_id: str) -> str:
    """Return the run that undoing another one belongs to.

    A run that was undone and done again is undone by another run than the first time; one whose undoing was cut off
    goes on with the same.
    """
    done = run_id
    while _has_entries(connection, f"{UNDO}{UNDO}{done}"):
        done = f"{UNDO}{UNDO}{done}"
    return f"{UNDO}{done}"


def _has_entries(connection: apsw.Connection, run_id: str) -> bool:
    return connection.execute("SELECT 1 FROM memory_history WHERE run_id = ? LIMIT 1", (run_id,)).fetchone() is not None


def with_partners(connection: apsw.Connection, history_ids: Sequence[int]) -> list[int]:
    """Return history entries, followed by their partners, the partners of those, and so on.

    Partners are the entries of the same run that superseded, or were superseded by, what these changed. What was merged
    in a row comes apart together, as far as its effect stands where theirs does.
    """
    wanted = dict.fromkeys(history_ids)
    partners = partners_of(connection, history_ids)
    waiting = list(wanted)
    for history_id in waiting:  # which grows
        others = [other for other in sorted(partners.get(history_id, ())) if other not in wanted]
        is_standing = bool(others) and stands(connection, history_id)
        standing_partners = [other for other in others if stands(connection, other) == is_standing]
        wanted |= dict.fromkeys(standing_partners)
        waiting += standing_partners
    return list(wanted)


def partners_of(connection: apsw.Connection, history_ids: Sequence[int]) -> dict[int, set[int]]:
    """Return the partner entries within the runs of ``history_ids``, by the id of an entry."""
    rows = connection.execute(
        "SELECT DISTINCT run_id FROM memory_history"
        " WHERE run_id IS NOT NULL AND id IN (SELECT value FROM json_each(?))",
        (json.dumps(list(history_ids)),),
    ).fetchall()
    partners: dict[int, set[int]] = {}
    for (run_id,) in rows:
        partners |= _partners_of_run(connection, str(run_id))
    return partners


def _partners_of_run(connection: apsw.Connection, run_id: str) -> dict[int, set[int]]:
    """Return the partner entries within a run, by the id of an entry.

    An entry through which one memory superseded another, or ceased to, is a partner of the other memory's entries.
    """
    rows = [tuple(map(str, row)) for row in connection.execute(_LINKS, (run_id,))]
    by_target: dict[str, list[int]] = {}
    for row in rows:
        by_target.setdefault(row[1], []).append(int(row[0]))
    partners: dict[int, set[int]] = {}
    for entry, _, *links in rows:
        for other in (other for target in _linked(*links) for other in by_target.get(target, ())):
            partners.setdefault(int(entry), set()).add(other)
            partners.setdefault(other, set()).add(int(entry))
    return partners


def _linked(before: str, after: str, superseded_before: str, superseded_after: str) -> set[str]:
    """Return the memories to which an entry made or cut a link."""
    return ({before} ^ {after}) | (_ids(superseded_before) ^ _ids(superseded_after))


def _ids(listed: str) -> set[str]:
    ids = json.loads(listed)
    return {str(one) for one in ids} if isinstance(ids, list) else set()


def latest_first(connection: apsw.Connection, history_ids: Sequence[int]) -> list[int]:
    """Return history entries in the order in which they are undone.

    Each is placed by the last change through which its effect stands. An entry and what undid or redid it may both be
    among them; each of these is then a change of its own.
    """
    listed = set(history_ids)

    def position(history_id: int) -> ChangePlace:
        chain = _chain(connection, history_id)
        return _place(connection, [next(chain), *takewhile(lambda one: one not in listed, chain)][-1])

    return sorted(history_ids, key=position, reverse=True)


def _place(connection: apsw.Connection, history_id: int) -> ChangePlace:
    row = connection.execute("SELECT hlc, lane, n FROM memory_history WHERE id = ?", (history_id,)).fetchone()
    return ChangePlace(*row) if row is not None else ChangePlace(0, 0, history_id)


def effective_entry(connection: apsw.Connection, history_id: int) -> int:
    """Return the entry through which the effect of ``history_id`` stands.

    This is the entry itself, or the last one that redid it.

    Raises:
        InputError: It is undone already.
    """
    last, stands = latest_entry(connection, history_id)
    if not stands:
        raise InputError("That change is undone already.", history=history_id, undone_by=last)
    return last
