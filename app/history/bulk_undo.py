"""Bulk undo: many history entries undone as one run, passing over what was changed since.

Short transactions, so that others can write in between. What is left when it is stopped can be undone later, under the
same run.
"""

import asyncio
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

import apsw

from app.errors import StaleError
from app.history import history_repo, undo_chain
from app.history.history_repo import HistoryRow
from app.history.model import SkippedItem
from app.history.undo import UndoService
from app.store.store import Store

_TRANSACTION_S = 0.005
_LONG_S = 120.0  # for reading the entries of years


@dataclass(slots=True)
class BulkUndone:
    """Outcome of a bulk undo.

    Args:
        entries: The entries of the history that it made.
        targets: What it put back.
        skipped: What it left, by kind and id.
        left: Entries that were not looked at because it was stopped.
    """

    entries: list[int] = field(default_factory=list)
    targets: dict[str, str] = field(default_factory=dict)
    skipped: dict[str, SkippedItem] = field(default_factory=dict)
    left: int = 0


class BulkUndo:
    """Undoes many entries, a few in a transaction.

    Args:
        store: The vault's database.
        undo: Undoes the entries of one transaction.
    """

    def __init__(self, store: Store, undo: UndoService) -> None:
        self._store = store
        self._undo = undo

    async def run(
        self,
        history_ids: Sequence[int],
        run_id: str,
        actor: str,
        *,
        progress: Callable[[int], None] = lambda _done: None,
        is_stopped: Callable[[], bool] = lambda: False,
    ) -> BulkUndone:
        """Undo the entries that stand, the latest first.

        An item that was changed since by somebody else stays as it is, with all that was done to it before.

        Args:
            history_ids: The entries.
            run_id: The run that the undoing belongs to, by which it can be undone in turn.
            actor: Who undoes.
            progress: Told how many entries are dealt with.
            is_stopped: Whether to leave the rest.
        """
        units = await self._store.read(partial(_units, history_ids=history_ids), limit_s=_LONG_S)
        done, place = BulkUndone(), 0
        while place < len(units) and not is_stopped():
            place = await self._store.write(partial(self._some, units, place, run_id, actor, done))
            progress(sum(map(len, units[:place])))
            await asyncio.sleep(0)
        done.left = sum(map(len, units[place:]))
        return done

    async def preview(self, history_ids: Sequence[int]) -> BulkUndone:
        """Return what ``run`` would do, as far as reading tells; changes nothing."""

        def work(connection: apsw.Connection) -> BulkUndone:
            undone = BulkUndone()
            for unit in _units(connection, history_ids):
                for history_id in unit:
                    self._foresee(connection, history_id, undone)
            return undone

        return await self._store.read(work, limit_s=_LONG_S)

    def _foresee(self, connection: apsw.Connection, history_id: int, found: BulkUndone) -> None:
        entry = history_repo.entry(connection, history_id)
        if entry is None:
            return
        # Only the latest change of an item has to be there still: what came before it is not there any more.
        if entry.target not in found.targets and entry.target not in found.skipped:
            reason = self._undo.later_changes(connection, history_id)
            if reason:
                found.skipped[entry.target] = SkippedItem(entry.target_kind, entry.target, reason)
        if entry.target not in found.skipped:
            found.targets[entry.target] = entry.target_kind
            found.entries.append(history_id)

    def _some(
        self,
        units: Sequence[list[int]],
        place: int,
        run_id: str,
        actor: str,
        done: BulkUndone,
        connection: apsw.Connection,
    ) -> int:
        """Undo units from ``place`` on for a short time; return where it stopped."""
        ends = time.perf_counter() + _TRANSACTION_S
        while place < len(units):
            self._one(connection, units[place], run_id, actor, done)
            place += 1
            if time.perf_counter() > ends:
                break
        return place

    def _one(self, connection: apsw.Connection, unit: list[int], run_id: str, actor: str, done: BulkUndone) -> None:
        entries = [entry for one in unit if (entry := history_repo.entry(connection, one)) is not None]
        earlier = next((done.skipped[entry.target] for entry in entries if entry.target in done.skipped), None)
        if earlier is not None:
            _skip(done, entries, earlier.reason)
            return
        try:
            with connection:  # what belongs together is undone together or not at all
                ids = self._undo.undo_in(connection, unit, actor, run_id)
        except StaleError as error:
            _skip(done, entries, error.message)
            return
        if ids:
            done.entries += ids
            done.targets.update((entry.target, entry.target_kind) for entry in entries)


def _skip(done: BulkUndone, entries: Sequence[HistoryRow], reason: str) -> None:
    for entry in entries:
        done.skipped.setdefault(entry.target, SkippedItem(entry.target_kind, entry.target, reason))


def _units(connection: apsw.Connection, history_ids: Sequence[int]) -> list[list[int]]:
    """Return the standing entries, latest first, each with its partners."""
    own = _without_cancelled(connection, history_ids)
    wanted = [one for one in own if undo_chain.stands(connection, one)]
    ordered = undo_chain.latest_first(connection, wanted)
    partners = undo_chain.partners_of(connection, ordered)
    units: list[list[int]] = []
    placed: set[int] = set()
    for history_id in ordered:
        unit, waiting = [], [history_id]
        while waiting:
            one = waiting.pop()
            if one not in placed:
                placed.add(one)
                unit.append(one)
                waiting += [other for other in sorted(partners.get(one, ())) if undo_chain.stands(connection, other)]
        if unit:
            units.append(unit)
    return units


def _without_cancelled(connection: apsw.Connection, history_ids: Sequence[int]) -> list[int]:
    """Return the entries without those that undid or redid another one among them.

    Such a pair changes nothing.
    """
    listed = set(history_ids)
    rows = connection.execute(
        "SELECT undone_by FROM memory_history WHERE undone_by IS NOT NULL AND id IN (SELECT value FROM json_each(?))",
        (json.dumps(list(listed)),),
    )
    return sorted(listed.difference(int(str(row[0])) for row in rows))
