"""History entries for exports and imports.

An entry says who changed what and when, with the states before and after.
"""

import hashlib
import json
from collections import Counter
from typing import Any

import apsw

from app.history import history_repo
from app.history.history_repo import COLUMNS, FIELDS, dump_state

_SAID = tuple(name for name in FIELDS if name not in ("id", "undone_by"))


def page(connection: apsw.Connection, after: int, limit: int) -> list[tuple[int, dict[str, Any]]]:
    """Return history entries of content with a greater id than ``after``, oldest first."""
    rows = connection.execute(
        f"SELECT {COLUMNS} FROM memory_history WHERE id > ? AND target_kind IN ('memory', 'session', 'entity')"
        " ORDER BY id LIMIT ?",
        (after, limit),
    )
    page_rows = []
    for row in rows:
        fields = dict(zip(FIELDS, row, strict=True))
        for name in ("before", "after"):
            fields[name] = None if fields[name] is None else json.loads(fields[name])
        page_rows.append((int(fields["id"]), fields))
    return page_rows


class HistoryImport:
    """Import of exported history entries, oldest first; each import needs a new instance.

    Entries get new ids; an entry that is there already, by all it says, is not stored again.
    """

    def __init__(self) -> None:
        self._met: Counter[bytes] = Counter()
        self._undone: dict[int, list[int]] = {}

    def put(self, connection: apsw.Connection, imported: dict[str, Any]) -> None:
        """Store one entry, and link the entries that it undid to it."""
        values = imported | {name: dump_state(imported[name]) for name in ("before", "after")}
        mark = json.dumps([values[name] for name in _SAID]).encode()
        digest = hashlib.blake2b(mark, digest_size=16).digest()
        stored = self._stored(connection, values, self._met[digest])
        self._met[digest] += 1
        if stored is None:
            # The exported time is of another machine's clock.
            stored = history_repo.insert(connection, tuple(values[name] for name in _SAID), 0)
        if imported["undone_by"] is not None:
            self._undone.setdefault(imported["undone_by"], []).append(stored)
        for entry in self._undone.pop(imported["id"], ()):
            history_repo.mark_undone(connection, entry, stored)

    @staticmethod
    def _stored(connection: apsw.Connection, values: dict[str, Any], skipped: int) -> int | None:
        row = connection.execute(
            "SELECT id FROM memory_history WHERE target = :target AND at = :at AND target_kind = :target_kind"
            " AND event = :event AND actor = :actor AND run_id IS :run_id"
            " AND state_json(before) IS :before AND state_json(after) IS :after"
            " ORDER BY id LIMIT 1 OFFSET :skipped",
            {name: values[name] for name in _SAID} | {"skipped": skipped},
        ).fetchone()
        return None if row is None else int(str(row[0]))
