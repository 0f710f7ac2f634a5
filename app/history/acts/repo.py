"""SQL of acts: which there are, newest first, and what each did."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import apsw

from app.core.text import excerpt
from app.core.text_rules.project_name import ATTRIBUTE
from app.history import history_repo, undo_chain
from app.history.acts.model import ENTRY, ActPart, Who
from app.history.as_of import MAX_SPELL_MS
from app.history.history_repo import HistoryRow
from app.history.model import UNDO
from app.history.state_diff import differing

_TITLE: Final = 80
_SAMPLE: Final = 200
_PAGE: Final = 200
# Each run by one step through the index from the one before; a list of all rows would take as long as they are many.
_RUNS: Final = (
    "WITH RECURSIVE runs (run) AS (SELECT min(run_id) FROM memory_history WHERE run_id IS NOT NULL UNION ALL"
    " SELECT (SELECT min(h.run_id) FROM memory_history h WHERE h.run_id > runs.run) FROM runs WHERE run IS NOT NULL)"
    " SELECT run, (SELECT max(h.id) FROM memory_history h WHERE h.run_id = runs.run),"
    " (SELECT h.at FROM memory_history h WHERE h.run_id = runs.run ORDER BY h.id DESC LIMIT 1)"
    " FROM runs WHERE run IS NOT NULL"
)
# Each entry with what undid it, what did that again, and so on: it stands when their number is even.
_CHAINS: Final = (
    "WITH RECURSIVE chain (first, id, next, stands) AS ("
    " SELECT id, id, undone_by, 1 FROM memory_history WHERE run_id = ? UNION ALL"
    " SELECT chain.first, h.id, h.undone_by, 1 - chain.stands FROM chain JOIN memory_history h ON h.id = chain.next)"
)
_UNDONE: Final = f"{_CHAINS} SELECT count(*) FROM chain WHERE next IS NULL AND NOT stands"
_LAST_UNDOING: Final = f"{_CHAINS} SELECT id FROM chain WHERE next IS NULL AND NOT stands ORDER BY first DESC LIMIT 1"
_THINGS: Final = {"note": "note", "fact": "fact", "obs": "observation", "ref": "reflection", "dig": "digest"}
_SINGLE_BY: Final[dict[Who | None, str]] = {
    None: "TRUE",
    "me": "actor = 'person'",
    "imports": "actor = 'folder'",
    "agents": "actor NOT IN ('person', 'folder')",
    "upkeep": "actor NOT IN ('person', 'folder')",
}
"""Conditions by which a single change counts as the person's, an agent's or the upkeep's."""
_NAMES: Final = {"schedule": "SELECT name FROM schedules WHERE schedule_id = ?"}
"""Kinds of targets whose entries may lack their names."""
_FIELDS: Final = frozenset({"tags", "store", "pinned", "title"})


@dataclass(frozen=True, slots=True, order=True)
class ActPlace:
    """Place of an act in the history.

    Args:
        at_ms: When its latest change was made, milliseconds UTC.
        entry: The number of that change; 0 of a run that made none.
        run_id: Its run, ``""`` for a single change.
    """

    at_ms: int
    entry: int
    run_id: str = ""

    @property
    def id(self) -> str:
        """The act's id."""
        return self.run_id or f"{ENTRY}{self.entry}"


def run_places(connection: apsw.Connection) -> list[ActPlace]:
    """Return the runs that made changes, in no order."""
    return [ActPlace(int(at), int(entry), str(run)) for run, entry, at in connection.execute(_RUNS)]


def single_places(
    connection: apsw.Connection, before: ActPlace | None = None, who: Who | None = None
) -> Iterator[ActPlace]:
    """Yield the changes that belong to no run, newest first, reading page by page."""
    while True:
        last = before or ActPlace(1 << 62, 1 << 62)
        rows = connection.execute(
            "SELECT at, id FROM memory_history WHERE run_id IS NULL AND (at, id) < (?1, ?2)"
            f" AND {_SINGLE_BY[who]} ORDER BY at DESC, id DESC LIMIT ?3",
            (last.at_ms, last.entry, _PAGE),
        ).fetchall()
        for at, entry in rows:
            before = ActPlace(int(str(at)), int(str(entry)))
            yield before
        if len(rows) < _PAGE:
            return


def newest_entry(connection: apsw.Connection, run_id: str) -> HistoryRow | None:
    """Return the latest entry of a run."""
    return next(iter(history_repo.entries(connection, run_id=run_id, limit=1)), None)


def first_entry(connection: apsw.Connection, run_id: str) -> HistoryRow | None:
    """Return the first entry of a run."""
    row = connection.execute("SELECT min(id) FROM memory_history WHERE run_id = ?", (run_id,)).fetchone()
    return None if row is None or row[0] is None else history_repo.entry(connection, int(str(row[0])))


def undone_entry(connection: apsw.Connection, history_id: int) -> HistoryRow | None:
    """Return the entry that an entry undid, ``None`` where it undid none."""
    row = connection.execute("SELECT id FROM memory_history WHERE undone_by = ? LIMIT 1", (history_id,)).get
    return None if row is None else history_repo.entry(connection, int(row))


def place_of_entry(row: HistoryRow) -> ActPlace:
    """Return the place of the act that an entry belongs to."""
    return ActPlace(row.at_ms, row.id, row.run_id or "")


def counts(connection: apsw.Connection, run_id: str) -> tuple[int, int]:
    """Return how many entries a run has, and how many of them do not stand."""
    total, undone = connection.execute(
        "SELECT count(*), count(undone_by) FROM memory_history WHERE run_id = ?", (run_id,)
    ).get
    if undone:
        undone = connection.execute(_UNDONE, (run_id,)).get
    return int(total), int(undone)


def latest_undoing(connection: apsw.Connection, run_id: str) -> HistoryRow | None:
    """Return the entry that undid the latest change of a run that does not stand."""
    last = connection.execute(_LAST_UNDOING, (run_id,)).get
    return None if last is None else history_repo.entry(connection, int(last))


def is_undone(connection: apsw.Connection, history_id: int) -> bool:
    """Return whether the effect of an entry does not stand."""
    return not undo_chain.stands(connection, history_id)


def parts_of_run(connection: apsw.Connection, run_id: str) -> tuple[ActPart, ...]:
    """Return what a run did, the largest part first.

    The kinds of its memories are those of the first ones.
    """
    rows = connection.execute(
        "SELECT target_kind, event, count(*) FROM memory_history WHERE run_id = ? GROUP BY target_kind, event",
        (run_id,),
    ).fetchall()
    known = {(str(kind), str(event)): int(str(count)) for kind, event, count in rows}
    if any(kind == "memory" for kind, _ in known):
        known = _by_thing(connection, run_id, known)
    if len(known) > 1:  # a count of how often something was said is no news beside others
        known = {name: count for name, count in known.items() if name[1] != "MENTION"} or known
    if any(event in ("ACCEPT", "REJECT") for _, event in known):
        known = {name: count for name, count in known.items() if name[1] in ("ACCEPT", "REJECT")}
    parts = [ActPart(event, thing, count) for (thing, event), count in known.items()]
    return tuple(sorted(parts, key=lambda part: (-part.count, part.event, part.thing)))


def _by_thing(
    connection: apsw.Connection, run_id: str, known: dict[tuple[str, str], int]
) -> dict[tuple[str, str], int]:
    sample = connection.execute(
        "SELECT target_kind, event, target FROM memory_history WHERE run_id = ? ORDER BY id LIMIT ?", (run_id, _SAMPLE)
    ).fetchall()
    counted: dict[tuple[str, str], int] = Counter(
        (_thing(str(kind), str(target)), str(event)) for kind, event, target in sample
    )
    if len(sample) < _SAMPLE:
        return counted
    things = {event: {thing for thing, one in counted if one == event} for _, event in counted}
    result: dict[tuple[str, str], int] = {}
    for (kind, event), count in known.items():
        named = [thing for thing in things.get(event, ()) if (thing in _THINGS.values()) == (kind == "memory")]
        result[(named[0] if len(named) == 1 else kind, event)] = count
    return result


def part_of_entry(row: HistoryRow) -> ActPart:
    """Return what one entry did."""
    event = row.event
    if event == "UPDATE" and row.target_kind == "schedule" and differing(row.before, row.after) == ("status",):
        event = "off" if (row.after or {}).get("status") == "paused" else "on"
    if event == "UPDATE" and row.target_kind == "session" and differing(row.before, row.after) == (ATTRIBUTE,):
        event = "project"
    if event == "UPDATE" and row.target_kind == "memory":
        fields = differing(row.before, row.after)
        event = fields[0] if len(fields) == 1 and fields[0] in _FIELDS else event
        event = "unpinned" if event == "pinned" and not (row.after or {}).get("pinned") else event
    return ActPart(event, _kind(row), 1)


def title_of(connection: apsw.Connection, row: HistoryRow) -> str:
    """Return the title or first words of what an entry changed."""
    state = row.after or row.before or {}
    if row.target_kind == "memory":
        known = (row.before or {}) | (row.after or {})
        return _short(known.get("title") or known.get("content"))
    if row.target_kind == "session":
        if row.event == "RENAME" and state.get("title"):
            return _short(state["title"])
        return _short(_text(connection, "SELECT coalesce(nullif(title, ''), preview) FROM sessions WHERE id = ?", row))
    if row.target_kind == "proposal":
        return _short(proposal_title(connection, row.target))
    if row.target_kind in _NAMES and not state.get("name"):
        return _short(_text(connection, _NAMES[row.target_kind], row))
    # A rule of the inbox has no name but what it is for.
    return _short(state.get("name") or ", ".join(state[name] for name in ("agent", "kind") if state.get(name)))


def proposal_title(connection: apsw.Connection, target: str) -> str:
    """Return the title or first words of what a proposal would change."""
    preview = json.loads(connection.execute("SELECT preview FROM inbox WHERE id = ?", (target,)).get or "{}")
    change: dict[str, Any] = next(iter(preview.get("changes", ())), {})
    state = change.get("after") or change.get("before") or {}
    return str(change.get("title") or state.get("content") or "")


def proposing_agent(connection: apsw.Connection, target: str) -> str:
    """Return who made a proposal."""
    return str(connection.execute("SELECT agent FROM inbox WHERE id = ?", (target,)).get or "")


def source_of(connection: apsw.Connection, row: HistoryRow) -> str:
    """Return the format of what an import brought."""
    if row.target_kind == "session":
        sql = "SELECT coalesce(attributes ->> 'source', '') FROM sessions WHERE id = ?"
        return _text(connection, sql, row).removeprefix("import:")
    return str((row.after or {}).get("source") or "").removeprefix("import:")


def is_import(row: HistoryRow) -> bool:
    """Return whether an entry is of an import, as far as it says."""
    if (row.run_id or "").removeprefix(UNDO).startswith("import:"):
        return True
    source = str((row.after or {}).get("source") or "")
    return row.event == "ADD" and (row.target_kind == "session" or source.startswith("import:"))


def is_agent(connection: apsw.Connection, name: str) -> bool:
    """Return whether a name is that of an agent, known now or before."""
    return connection.execute("SELECT 1 FROM agents WHERE name = ?", (name,)).fetchone() is not None


def _kind(row: HistoryRow) -> str:
    kind = str(((row.before or {}) | (row.after or {})).get("kind") or "")
    return kind if row.target_kind == "memory" and kind in _THINGS.values() else _thing(row.target_kind, row.target)


def _thing(kind: str, target: str) -> str:
    return _THINGS.get(target.partition("-")[0], "memory") if kind == "memory" else kind


def _text(connection: apsw.Connection, sql: str, row: HistoryRow) -> str:
    return str(connection.execute(sql, (row.target,)).get or "")


def _short(value: Any) -> str:
    return excerpt(" ".join(str(value or "").split()), _TITLE)


def newest_first(places: Iterable[ActPlace]) -> list[ActPlace]:
    """Return acts in the order of a page."""
    return sorted(places, reverse=True)


def actor_of(connection: apsw.Connection, history_id: int) -> str:
    """Return who made an entry."""
    return str(connection.execute("SELECT actor FROM memory_history WHERE id = ?", (history_id,)).get or "")


def own_singles(connection: apsw.Connection, actor: str, limit: int) -> list[tuple[ActPlace, int]]:
    """Return an actor's latest changes that belong to no run, each with its end.

    Writing goes on for a while under one entry.
    """
    rows = connection.execute(
        "SELECT at, id, max(at, min(at + ?3, coalesce(CASE event WHEN 'UPDATE'"
        " THEN state_json(after) ->> 'updated_at' END, at)))"
        " FROM memory_history WHERE run_id IS NULL AND actor = ?1 AND event <> 'MENTION'"
        " ORDER BY at DESC, id DESC LIMIT ?2",
        (actor, limit, MAX_SPELL_MS),
    )
    return [(ActPlace(int(at), int(entry)), int(ended)) for at, entry, ended in rows]
