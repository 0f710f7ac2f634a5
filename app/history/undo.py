"""Undo of history entries: targets go back to the state before an entry.

Each undo is recorded as a change of its own.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Protocol

import apsw

from app.changes import MAX_NAMED, Area, Changed, ChangeSet
from app.core.access import Access
from app.core.clock import Clock, to_datetime
from app.core.stores import STORES, sees_all
from app.core.text import storable
from app.errors import InternalError, NotFoundError, StaleError
from app.history import history_repo, undo_chain
from app.history.history_repo import HistoryRow
from app.history.model import UNDO, Event, HistoryEntry, TargetKind
from app.history.obstacle import Reason, refusal
from app.history.shared_rows import OwnRows, SharedRows, TakenBack
from app.history.state_diff import differing
from app.sentence import Sentence
from app.store.store import Store

State = dict[str, Any]

AREAS: Final[dict[str, frozenset[Area]]] = {
    "memory": frozenset({"memories", "tags", "links", "index"}),
    "session": frozenset({"sessions", "messages", "index"}),
    "entity": frozenset({"entities"}),
    "proposal": frozenset({"inbox"}),
    "schedule": frozenset({"schedules"}),
    "saved_search": frozenset({"saved_searches"}),
    "inbox_rule": frozenset({"inbox"}),
}
OWNER_KINDS: Final = frozenset({"proposal", "inbox_rule"})
"""Kinds of targets that only the owner of the vault sees."""
_DECISIONS: Final[dict[str, Event]] = {"accepted": "ACCEPT", "rejected": "REJECT"}
_IN_PARTS = frozenset({"session", "proposal", "schedule", "saved_search", "inbox_rule"})
"""Kinds of targets whose entries are about a part of their state."""

_EVENT_NOUNS = {
    "ADD": "the creation",
    "UPDATE": "an edit",
    "DELETE": "a deletion",
    "RESTORE": "a restoration",
    "FORGET": "a deletion",
    "RENAME": "a renaming",
    "ARCHIVE": "a move to the archive",
    "MERGE": "a merge",
    "COMPRESS": "a compression",
    "CLEAN": "a deletion from the archive",
    "ACCEPT": "an acceptance",
    "REJECT": "a rejection",
}


@dataclass(frozen=True, slots=True)
class Obstacle:
    """Later change that prevents the undo of an entry now.

    Args:
        reason: What happened since.
        kind: The kind of the memory, or else of the target.
        changed: The fields that were changed since.
        later: The entry to undo first, where one is known.
    """

    reason: Reason
    kind: str
    changed: tuple[str, ...] = ()
    later: HistoryRow | None = None

    @property
    def sentence(self) -> str:
        """The reason in words, with what to undo first."""
        first = "" if self.later is None else _in_words(self.later)
        return refusal(self.reason, self.kind, self.changed, first)


class StateApplier(Protocol):
    """Reader and writer of states, for one kind of target.

    A target that does not exist has the state ``None``.
    """

    def current(self, connection: apsw.Connection, target: str) -> State | None:
        """Return the state of ``target`` now."""

    def apply(
        self, connection: apsw.Connection, target: str, state: State | None, at_ms: int, current: State | None
    ) -> State | None:
        """Make ``state`` the state of ``target`` and return the state that ``current`` would then return.

        Args:
            connection: The writer's connection, inside a transaction.
            target: Id of what is changed.
            state: The state to write; ``None`` deletes the target softly at ``at_ms``.
            at_ms: Milliseconds UTC.
            current: The state that ``current`` returned in this transaction, so that it is not read again.
        """


class UndoService:
    """Undoes entries of the history and reads it.

    Args:
        store: The vault's database.
        appliers: The state applier of each kind of target.
        clock: Source of the time.
        shared: Takes changes of targets back that several machines changed.
    """

    def __init__(
        self, store: Store, appliers: Mapping[str, StateApplier], clock: Clock, shared: SharedRows | None = None
    ) -> None:
        self._store = store
        self._appliers = appliers
        self._clock = clock
        self._shared = shared or OwnRows()

    async def undo(self, access: Access, history_ids: Sequence[int]) -> Changed[list[int]]:
        """Undo history entries, the latest first, all or none.

        An entry that was undone and redone stands again and can be undone again by its own id. An entry that took a
        memory's place for another is undone together with the entry of that other one.

        Returns:
            The ids of the new entries, which can be undone in turn.

        Raises:
            NotFoundError: There is no such entry.
            InputError: One is undone already.
            StaleError: Its target was changed again since; the sentence names the fields and the entry to undo first.
        """
        return await self._store.write(
            partial(self._undo_all, list(dict.fromkeys(history_ids)), access.stores, access.actor, access.operation)
        )

    async def history(self, access: Access, target: str | None = None, limit: int = 50) -> list[HistoryEntry]:
        """Return history entries of content, newest first, of one target where named.

        Entries of memories that the caller does not see are left out. ``undone_by`` is ``None`` for an entry whose
        effect stands, after a redo too.
        """
        named = None if target is None else storable(target)[0]

        def work(connection: apsw.Connection) -> list[HistoryEntry]:
            entries: list[HistoryEntry] = []
            before: int | None = None
            while len(entries) < limit:
                rows = history_repo.entries(connection, target=named, limit=max(limit, 20), before_id=before)
                shown = (row for row in rows if row.target_kind not in OWNER_KINDS and _is_visible(row, access.stores))
                entries.extend(_shown(connection, row) for row in shown)
                if not rows:
                    break
                before = rows[-1].id
            return entries[: max(limit, 0)]

        return await self._store.read(work)

    async def require_content(self, history_ids: Sequence[int], run_id: str = "") -> None:
        """Check that entries, or those of a run, are about content.

        Others than the owner may undo those alone.

        Raises:
            NotFoundError: One is about a decision of the owner.
        """
        run = storable(run_id)[0]

        def work(connection: apsw.Connection) -> None:
            for history_id in history_ids:
                entry = history_repo.entry(connection, history_id)
                if entry is not None and entry.target_kind in OWNER_KINDS:
                    raise _no_entry(history_id)
            if run and not OWNER_KINDS.isdisjoint(history_repo.kinds_of_run(connection, run)):
                raise nothing_left(run)

        await self._store.read(work)

    def _undo_all(
        self, history_ids: list[int], stores: Sequence[str], actor: str, operation: str, connection: apsw.Connection
    ) -> Changed[list[int]]:
        entry_ids: list[int] = []
        touched: dict[str, None] = {}
        areas: set[Area] = set()
        for history_id in undo_chain.latest_first(connection, undo_chain.with_partners(connection, history_ids)):
            entry = _visible(connection, undo_chain.effective_entry(connection, history_id), stores)
            entry_ids.append(self._undo_one(connection, entry, actor))
            touched[entry.target] = None
            areas |= AREAS[entry.target_kind]
        ids = tuple(touched) if len(touched) <= MAX_NAMED else ()
        changes = ChangeSet(frozenset(areas), ids, actor, operation, tuple(entry_ids))
        return Changed(entry_ids, changes)

    def undo_in(self, connection: apsw.Connection, history_ids: Sequence[int], actor: str, run_id: str) -> list[int]:
        """Undo the standing entries as part of a run, inside the caller's transaction.

        Raises:
            StaleError: Something they changed was changed again since.
        """
        ids = []
        for history_id in undo_chain.latest_first(connection, history_ids):
            latest, stands = undo_chain.latest_entry(connection, history_id)
            if stands:
                ids.append(self._undo_one(connection, _visible(connection, latest, STORES), actor, run_id))
        return ids

    def delete_in(
        self, connection: apsw.Connection, target_kind: TargetKind, target: str, actor: str, run_id: str
    ) -> int:
        """Delete a target as part of a run, inside the caller's transaction; return the entry."""
        applier, at_ms = self._appliers[target_kind], self._clock.now_ms()
        before = applier.current(connection, target)
        after = applier.apply(connection, target, None, at_ms, before)
        return history_repo.record(
            connection,
            target_kind=target_kind,
            target=target,
            event="DELETE",
            before=before,
            after=after,
            actor=actor,
            at_ms=at_ms,
            run_id=run_id,
        )

    def later_changes(self, connection: apsw.Connection, history_id: int) -> str:
        """Return why an entry cannot be undone now, ``""`` when it can."""
        obstacle = self.obstacle(connection, history_id)
        return "" if obstacle is None else obstacle.sentence

    def obstacle(self, connection: apsw.Connection, history_id: int) -> Obstacle | None:
        """Return what is in the way of undoing an entry, ``None`` for nothing."""
        entry = _visible(connection, undo_chain.latest_entry(connection, history_id)[0], STORES)
        current = self._appliers[entry.target_kind].current(connection, entry.target)
        now = _concerned(current, entry)
        taken_back = self._shared.taken_back(connection, entry, now)
        return _obstacle(connection, entry, now) if taken_back is None else _obstacle_of(entry, taken_back)

    def _undo_one(self, connection: apsw.Connection, entry: HistoryRow, actor: str, run_id: str | None = None) -> int:
        applier = self._appliers.get(entry.target_kind)
        if applier is None:
            raise InternalError("Changes of this kind cannot be undone.", target_kind=entry.target_kind)
        current, at_ms = applier.current(connection, entry.target), self._clock.now_ms()
        before = _concerned(current, entry)
        taken_back = self._shared.taken_back(connection, entry, before)
        obstacle = _obstacle(connection, entry, before) if taken_back is None else _obstacle_of(entry, taken_back)
        if obstacle is not None:
            raise StaleError(
                obstacle.sentence,
                history=entry.id,
                target=entry.target,
                changed=list(obstacle.changed),
                later=None if obstacle.later is None else obstacle.later.id,
            )
        wanted = _with_decay(entry, before) if taken_back is None else taken_back.state
        after = _concerned(applier.apply(connection, entry.target, wanted, at_ms, current), entry)
        entry_id = history_repo.record(
            connection,
            target_kind=entry.target_kind,
            target=entry.target,
            event=_event(entry, before, after),
            before=before,
            after=after,
            actor=actor,
            at_ms=at_ms,
            run_id=run_id or (entry.run_id if entry.run_id is None else f"{UNDO}{entry.run_id}"),
        )
        history_repo.mark_undone(connection, entry.id, entry_id)
        return entry_id


def _obstacle(connection: apsw.Connection, entry: HistoryRow, now: State | None) -> Obstacle | None:
    """Return what prevents the undo of an entry whose target is in a state."""
    if changed := _changed_since(entry, now):
        return _stale(entry, changed, now, _in_the_way(connection, entry, changed))
    # A deletion and a restoration cancel each other out; after an undo of the creation, neither could be undone.
    makes_or_deletes = entry.target_kind == "memory" and _is_gone(entry.before) != _is_gone(entry.after)
    if makes_or_deletes and (later := _later_change(connection, entry)) is not None:
        return Obstacle("changed_back", _kind(entry), (), later)
    return None


def _obstacle_of(entry: HistoryRow, taken_back: TakenBack) -> Obstacle | None:
    """Return what prevents the undo of an entry of a target that several machines changed."""
    later = taken_back.later
    if later is None:
        return None
    if "existence" not in taken_back.fields:
        return Obstacle("changed", _kind(entry), taken_back.fields, later)
    return Obstacle("deleted" if _is_gone(later.after) else "restored", _kind(entry), taken_back.fields, later)


def _in_the_way(connection: apsw.Connection, entry: HistoryRow, fields: Sequence[str]) -> HistoryRow | None:
    """Return the later entry to undo before an entry, ``None`` where none is known.

    It is the latest that changed one of the fields; without one, the latest that made or deleted the target, which may
    have come back as something else. One whose effect is what it was at the time of ``entry`` is not in its way: it
    undid what came after that, or brought back what came before.
    """
    made_or_deleted = None
    for later in history_repo.later_entries(connection, entry, with_undoing=True):
        changed = differing(later.before, later.after)
        is_about = not set(changed).isdisjoint(fields)
        if not is_about and (made_or_deleted is not None or "existence" not in changed):
            continue
        if undo_chain.has_turned(connection, later.id, entry.id):
            if is_about:
                return later
            made_or_deleted = later
    return made_or_deleted


def _changed_since(entry: HistoryRow, now: State | None) -> tuple[str, ...]:
    """Return the fields that were changed since an entry.

    What decay took of a fact's confidence is no change.
    """
    ignored = {"confidence"} if _has_decayed(entry, now) else set()
    if _is_gone(entry.after):  # what was said in it meanwhile does not keep a conversation from coming back
        ignored.add("message_count")
    return tuple(name for name in differing(now, entry.after) if name not in ignored)


def _with_decay(entry: HistoryRow, now: State | None) -> State | None:
    """Return the state before an entry.

    It has the confidence of now where only decay changed that.
    """
    if entry.before is None or now is None or not _has_decayed(entry, now):
        return entry.before
    is_confidence_kept = entry.after is not None and entry.before.get("confidence") == entry.after.get("confidence")
    return {**entry.before, "confidence": now["confidence"]} if is_confidence_kept else entry.before


def _has_decayed(entry: HistoryRow, now: State | None) -> bool:
    if now is None or entry.after is None or now.get("kind") != "fact" or not now.get("decay_rate"):
        return False
    return float(now["confidence"]) < float(entry.after.get("confidence", 0.0))


def _concerned(state: State | None, entry: HistoryRow) -> State | None:
    """Return the part of a state that an entry is about.

    Title and summary of a conversation may change one without the other.
    """
    recorded = (entry.before or {}) | (entry.after or {})
    if state is None or entry.target_kind not in _IN_PARTS or not recorded:
        return state
    return {name: state.get(name) for name in recorded}


def _visible(connection: apsw.Connection, history_id: int, stores: Sequence[str]) -> HistoryRow:
    entry = history_repo.entry(connection, history_id)
    if entry is None or not _is_visible(entry, stores):
        raise _no_entry(history_id)
    return entry


def nothing_left(run_id: str) -> NotFoundError:
    """Return the error for a run of which nothing can be undone."""
    return NotFoundError("Nothing is left to undo of that run.", run=run_id)


def _no_entry(history_id: int) -> NotFoundError:
    return NotFoundError(
        Sentence("The history has no entry {history_id}.", history_id=str(history_id)), history=history_id
    )


def _is_visible(entry: HistoryRow, stores: Sequence[str]) -> bool:
    """Return whether the entry is visible to a caller who sees ``stores``.

    Only callers who see all stores see entries of sessions and entities.
    """
    if sees_all(stores):
        return True
    states = [state for state in (entry.before, entry.after) if state is not None]
    return entry.target_kind == "memory" and bool(states) and all(state.get("store") in stores for state in states)


def _shown(connection: apsw.Connection, row: HistoryRow) -> HistoryEntry:
    latest, stands = undo_chain.latest_entry(connection, row.id)
    return HistoryEntry(
        id=row.id,
        target_kind=row.target_kind,
        target=row.target,
        event=row.event,  # type: ignore[arg-type]
        at=to_datetime(row.at_ms),
        actor=row.actor,
        before=row.before,
        after=row.after,
        run_id=row.run_id,
        undone_by=None if stands else latest,
    )


def _event(entry: HistoryRow, before: State | None, after: State | None) -> Event:
    if _is_archived(before) != _is_archived(after):
        return "ARCHIVE" if _is_archived(after) else "RESTORE"
    if _is_gone(after) and not _is_gone(before):
        return "FORGET" if entry.target_kind == "session" else "DELETE"
    if _is_gone(before) and not _is_gone(after):
        return "RESTORE"
    if entry.target_kind == "proposal":
        return _DECISIONS.get(str((after or {}).get("state")), "UPDATE")
    return "RENAME" if entry.event == "RENAME" else "UPDATE"


def _is_archived(state: State | None) -> bool:
    return state is not None and "archived_at" in state


def _is_gone(state: State | None) -> bool:
    return state is None or state.get("deleted_at") is not None or state.get("forgotten_at") is not None


def _later_change(connection: apsw.Connection, entry: HistoryRow) -> HistoryRow | None:
    """Return the latest change of the same target that still stands, ``None`` without one.

    A change of counters only, such as one more mention of a fact, does not count.
    """
    later = history_repo.later_entries(connection, entry, with_undoing=False)
    return next((row for row in later if differing(row.before, row.after)), None)


def _in_words(entry: HistoryRow) -> str:
    """Return an entry by its number, with what it did, by whom and when."""
    done = _EVENT_NOUNS.get(entry.event, "a change")
    return f"entry {entry.id} of the history, {done} by {entry.actor} at {to_datetime(entry.at_ms):%Y-%m-%d %H:%M} UTC"


def _kind(entry: HistoryRow) -> str:
    """Return the kind of a memory, or else that of an entry's target."""
    state = entry.after or entry.before or {}
    return str(state.get("kind") or entry.target_kind) if entry.target_kind == "memory" else entry.target_kind


def _stale(entry: HistoryRow, changed: tuple[str, ...], now: State | None, later: HistoryRow | None) -> Obstacle:
    if _is_archived(now):
        return Obstacle("archived", _kind(entry), changed)
    if later is None and changed == ("message_count",):
        return Obstacle("went_on", _kind(entry), changed)
    if "existence" not in changed and "forgotten_at" not in changed:
        return Obstacle("changed", _kind(entry), changed, later)
    is_gone = entry.after is not None if "existence" in changed else _is_gone(now)
    return Obstacle("deleted" if is_gone else "restored", _kind(entry), changed, later)
