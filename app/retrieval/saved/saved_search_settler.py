"""Settling of saved searches: each becomes what the changes of all machines made of it.

No two have the same query: of those that were saved apart, the one of the smallest id stays.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import apsw

from app.core.clock import to_datetime
from app.retrieval.saved import repo
from app.retrieval.saved.model import SavedSearch
from app.store import meta
from app.sync.folding.fold import FoldedRow, fold_row
from app.sync.segments import capture
from app.sync.segments.change import Change

MADE_BY = "saved_search_by:"
"""Before the id of a saved search: the key in meta of the agent that saved it."""
_PERSON = "person"


class SavedSearchSettler:
    """Settler of saved searches."""

    def settle(self, connection: apsw.Connection, targets: Sequence[str], now_ms: int) -> Sequence[str]:
        """Make saved searches what all their changes say; return those that are another now."""
        settled: dict[str, None] = {}
        for target in targets:
            whole = fold_row(capture.changes_of_row(connection, "saved_search", target)).whole
            if whole is not None:
                settled.update(dict.fromkeys(_settle_query(connection, str(whole["query"]))))
        return list(settled)


def _settle_query(connection: apsw.Connection, query: str) -> Sequence[str]:
    """Store the one search of a query that stays, and return it if it changed."""
    ids = connection.execute(
        "SELECT DISTINCT target FROM memory_history WHERE target_kind = 'saved_search'"
        " AND ?1 IN (before ->> 'query', after ->> 'query') ORDER BY target",
        (query,),
    ).fetchall()
    changes = {str(row[0]): capture.changes_of_row(connection, "saved_search", str(row[0])) for row in ids}
    rows = {target: fold_row(versions) for target, versions in changes.items()}
    kept = min(rows, key=lambda target: (not _is_there(target, rows, changes), target))
    for target in rows:
        if target != kept:
            repo.remove(connection, target)
    state = rows[kept].state if _is_there(kept, rows, changes) else None
    return [kept] if _store(connection, kept, state, changes[kept]) else []


def _is_there(target: str, rows: Mapping[str, FoldedRow], changes: Mapping[str, Sequence[Change]]) -> bool:
    """Return whether a search is saved.

    Who deletes one deletes all of its query that they know of.
    """
    if rows[target].state is None:
        return False
    deletions = [changes[other][-1] for other, row in rows.items() if row.state is None]
    return not any(all(deletion.saw(change.place) for change in changes[target]) for deletion in deletions)


def _store(
    connection: apsw.Connection, target: str, fields: Mapping[str, Any] | None, changes: Sequence[Change]
) -> bool:
    now = repo.get(connection, target)
    if fields is None:
        if now is not None:
            repo.delete(connection, target, changes[-1].at_ms)
        return now is not None
    if now is not None and (now.name, now.query) == (fields["name"], fields["query"]):
        return False
    if now is None:
        repo.bring_back(connection, target)
    if repo.get(connection, target) is None:
        search = SavedSearch(target, str(fields["name"]), str(fields["query"]), to_datetime(changes[0].at_ms))
        repo.add(connection, search)
        if changes[0].actor != _PERSON:
            meta.write(connection, MADE_BY + target, changes[0].actor)
    repo.rename(connection, target, str(fields["name"]))
    return True
