"""Writes memories within one transaction: row, tags, links and index.

Each change makes exactly one history entry.
"""

from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from datetime import datetime
from typing import Protocol

import apsw

from app.changes import MAX_NAMED, Area, ChangeSet, joined_scopes
from app.core.clock import to_datetime
from app.core.ids import new_id
from app.errors import StaleError
from app.history import history_repo
from app.history.history_repo import HistoryRow
from app.history.model import Event
from app.history.state_diff import differing
from app.memories import repo
from app.memories.model import Memory
from app.memories.note_links import links
from app.memories.state_codec import to_state
from app.memories.tags import tag_repo

EDIT_BURST_MS = 5 * 60_000  # so long somebody who goes on writing makes one change
_WRITING = frozenset({"content", "title", "tags", "tokens"})


class MemoryIndex(Protocol):
    """Search index of memories, kept in step with every change.

    Its methods are called in the transaction of the change.
    """

    def memory_stored(self, connection: apsw.Connection, memory: Memory) -> None:
        """Index an active memory, replacing what was indexed of it."""

    def memory_removed(self, connection: apsw.Connection, memory_id: str) -> None:
        """Take a memory out of the index."""


class MemoryWriter:
    """The changes that one transaction makes, and what they touched.

    Args:
        connection: The writer's connection, inside the transaction.
        index: Who keeps the search index in step.
        actor: Who makes the changes.
        at_ms: When, milliseconds UTC.
        run_id: What binds the changes of a bulk action or import together, ``None`` for a single one.
    """

    def __init__(
        self, connection: apsw.Connection, index: MemoryIndex, *, actor: str, at_ms: int, run_id: str | None = None
    ) -> None:
        self.connection = connection
        self.at_ms = at_ms
        self.history_ids: list[int] = []
        self.index = index
        self._actor = actor
        self._run_id = run_id
        self._areas: set[Area] = set()
        self._touched: dict[str, dict[str, None]] = {}

    def create(self, memory: Memory, hash_of_text: str | None = None) -> Memory:
        """Store a new memory, with its ``repo.text_hash`` where known.

        An active fact of the same category and key is superseded by it.
        """
        self.supersede_for(memory)
        return self._change(None, memory, "ADD", hash_of_text)

    def update(
        self, before: Memory, after: Memory, updated_at: datetime | None = None, event: Event = "UPDATE"
    ) -> Memory:
        """Store ``after`` in place of ``before`` as its next version.

        It was changed at ``updated_at``: now when ``None``, or as before when only its pin changed.
        """
        self.supersede_for(after)
        pinned_only = replace(after, pinned=before.pinned) == before
        updated = updated_at or (before.updated_at if pinned_only else to_datetime(self.at_ms))
        return self._change(before, replace(after, version=before.version + 1, updated_at=updated), event)

    def mention(self, before: Memory) -> Memory:
        """Count one more mention of a memory.

        An editor that has it open is not disturbed.
        """
        after = replace(before, mention_count=before.mention_count + 1)
        repo.mention(self.connection, before.id)
        return self._record(before, after, "MENTION", {"memories"})

    def begin_run(self) -> None:
        """Let what follows in the transaction be one run, if it is none yet."""
        self._run_id = self._run_id or new_id("run")

    def supersede(self, old: Memory, successor_id: str, event: Event = "UPDATE") -> Memory:
        """Take a memory out of use because another one stands for it from now on.

        This and what follows in the transaction is one run, so that neither is undone without the other.
        """
        self.begin_run()
        superseded = replace(
            old, version=old.version + 1, deleted_at=to_datetime(self.at_ms), superseded_by=successor_id
        )
        return self._change(old, superseded, event)

    def coalesce_update(self, before: Memory, after: Memory) -> Memory:
        """Update a memory like ``update``, with one history entry for a spell of edits.

        An editor that saves every few seconds adds one entry for the whole spell.
        The entry that the spell began with then leads to ``after``, so that undoing it goes back to before the spell.
        """
        begun = self._open_edit_burst(before, after)
        if begun is None:
            return self.update(before, after)
        stored = replace(after, version=before.version + 1, updated_at=to_datetime(self.at_ms))
        write_state(self.connection, self.index, before, stored, touched=self._areas.update)
        history_repo.extend(self.connection, begun.id, to_state(stored))
        self.history_ids.append(begun.id)
        self._touched.setdefault(stored.id, {}).update({before.store: None, stored.store: None})
        return stored

    def _open_edit_burst(self, before: Memory, after: Memory) -> HistoryRow | None:
        """Return the history entry that the change from ``before`` to ``after`` continues, if any.

        A spell ends with anything else that its writer does, so that both are undone in the order in which they were
        done.
        """
        changed = differing(to_state(before), to_state(after))
        latest = next(iter(history_repo.entries(self.connection, target=before.id, limit=1)), None)
        if latest is None or "content" not in changed or not _WRITING.issuperset(changed):
            return None
        follows = latest.actor == self._actor and 0 <= self.at_ms - latest.at_ms <= EDIT_BURST_MS
        single = latest.event == "UPDATE" and (latest.run_id, self._run_id, latest.undone_by) == (None, None, None)
        if not (follows and single) or differing(latest.after, to_state(before)):
            return None
        wrote = differing(latest.before, latest.after)
        if "content" not in wrote or not _WRITING.issuperset(wrote):
            return None
        is_over = (
            not history_repo.is_open(self.connection, latest.id)
            or history_repo.undoes_another(self.connection, latest)
            or history_repo.has_gone_on(self.connection, latest)
        )
        return None if is_over else latest

    def delete(self, before: Memory) -> Memory:
        """Delete a memory softly; its tags and links stay with it."""
        deleted = replace(before, version=before.version + 1, deleted_at=to_datetime(self.at_ms))
        return self._change(before, deleted, "DELETE")

    def restore(self, before: Memory, after: Memory | None = None) -> Memory:
        """Bring a deleted memory back, as it was or as ``after``."""
        restored = replace(after or before, version=before.version + 1, deleted_at=None, superseded_by=None)
        self.supersede_for(restored)
        return self._change(before, restored, "RESTORE")

    def update_each(self, memories: Iterable[Memory], change: Callable[[Memory], Memory]) -> list[str]:
        """Store what ``change`` makes of each memory, and return the ids of those that changed."""
        return [self.update(before, after).id for before in memories if (after := change(before)) != before]

    def supersede_for(self, successor: Memory) -> None:
        """Supersede the active fact with the category and key of ``successor``."""
        old = conflicting_fact(self.connection, successor)
        if old is not None:
            self.supersede(old, successor.id)

    def _change(self, before: Memory | None, after: Memory, event: Event, hash_of_text: str | None = None) -> Memory:
        touched = self._areas.update
        write_state(self.connection, self.index, before, after, touched=touched, hash_of_text=hash_of_text)
        return self._record(before, after, event)

    def _record(self, before: Memory | None, after: Memory, event: Event, areas: Collection[Area] = ()) -> Memory:
        self.enter(after.id, event, recorded_state(before), recorded_state(after), areas)
        return after

    def enter(
        self,
        memory_id: str,
        event: Event,
        before: dict[str, object] | None,
        after: dict[str, object] | None,
        areas: Collection[Area] = (),
    ) -> None:
        """Record a change of a memory that is written already.

        Args:
            memory_id: The memory.
            event: What was done to it.
            before: Its state before, as history knows it; ``None`` for none.
            after: Its state after.
            areas: Areas of the vault that changed.
        """
        self._areas.update(areas)
        entry = history_repo.record(
            self.connection,
            target_kind="memory",
            target=memory_id,
            event=event,
            before=before,
            after=after,
            actor=self._actor,
            at_ms=self.at_ms,
            run_id=self._run_id,
        )
        self.history_ids.append(entry)
        stores = self._touched.setdefault(memory_id, {})
        stores.update((str(state["store"]), None) for state in (before, after) if state is not None)

    def changes(self, operation: str) -> ChangeSet:
        """Return what was touched so far, as the record that everybody hears."""
        scopes = [tuple(stores) for stores in self._touched.values()]
        is_named = len(scopes) <= MAX_NAMED
        return ChangeSet(
            areas=frozenset(self._areas),
            ids=tuple(self._touched) if is_named else (),
            actor=self._actor,
            operation=operation,
            history_ids=tuple(self.history_ids),
            scopes=tuple(scopes) if is_named else joined_scopes(scopes),
        )


def recorded_state(memory: Memory | None) -> dict[str, object] | None:
    """Return the state of a memory for history and undo, none if deleted.

    A superseded memory keeps its state, for it still says what was once held true.
    """
    if memory is None or (memory.deleted_at is not None and memory.superseded_by is None):
        return None
    return to_state(memory)


def conflicting_fact(connection: apsw.Connection, memory: Memory) -> Memory | None:
    """Return the only other active fact with the same category, key and store."""
    if memory.kind != "fact" or not memory.key or memory.deleted_at is not None:
        return None
    fact = repo.active_fact(connection, memory.category, memory.key, memory.store)
    return None if fact is None or fact.id == memory.id else fact


def require_no_conflict(connection: apsw.Connection, memory: Memory) -> None:
    """Refuse to bring a fact back whose category and key another one has; see ``conflicting_fact``.

    Raises:
        StaleError: There is such a fact.
    """
    if (other := conflicting_fact(connection, memory)) is not None:
        raise StaleError(
            "Another fact has taken the place of this one since. Undo or delete that one first.",
            target=memory.id,
            other=other.id,
        )


def write_state(
    connection: apsw.Connection,
    index: MemoryIndex,
    before: Memory | None,
    after: Memory,
    *,
    touched: Callable[[set[Area]], None] = lambda _areas: None,
    hash_of_text: str | None = None,
) -> None:
    """Write a memory's new state ``after`` over ``before``, without history.

    Row, tags, links and index are written, each where it changed.

    Args:
        connection: The writer's connection, inside a transaction.
        index: Who keeps the search index in step.
        before: The memory as stored now, ``None`` when there is no row of that id.
        after: What is to be stored.
        touched: Told which areas of the vault changed.
        hash_of_text: ``repo.text_hash`` of a new memory, where known.
    """
    if before is None:
        repo.insert(connection, after, hash_of_text)
    else:
        repo.update(connection, before, after)
    areas: set[Area] = {"memories"}
    active, was_active = after.deleted_at is None, before is not None and before.deleted_at is None
    if (() if before is None else before.tags) != after.tags:
        tag_repo.write(connection, after.id, after.tags)
    if before is None or _linking(before) != _linking(after):
        links.write(connection, after, is_new=before is None)
    if (() if before is None else before.sources) != after.sources:
        repo.write_sources(connection, after)
    if active != was_active or before is None or before.tags != after.tags:
        areas.add("tags")
    if active != was_active or before is None or _linked(before) != _linked(after):
        areas.add("links")
    if was_active and not active:
        index.memory_removed(connection, after.id)
        areas.add("index")
    elif active and (before is None or not was_active or _searched(before) != _searched(after)):
        index.memory_stored(connection, after)
        areas.add("index")
    touched(areas)


def _linked(memory: Memory) -> tuple[object, ...]:
    return memory.title, *_linking(memory)


def _linking(memory: Memory) -> tuple[object, ...]:
    return memory.content, memory.attributes, memory.files, memory.people


def _searched(memory: Memory) -> tuple[object, ...]:
    named = (memory.kind, memory.category, memory.key, memory.session_id, memory.store)
    return memory.title, memory.content, memory.facts, memory.files, memory.people, *named
