"""Undo, quarantine and release of an agent's writes, each as one undoable run."""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

import apsw

from app.changes import MAX_NAMED, Area, Changed, ChangeSet
from app.core.access import Access
from app.core.clock import Clock
from app.core.ids import new_id
from app.core.item_batches import batched
from app.core.stores import STORES
from app.entities.entity_edits import EntityEdits
from app.errors import InputError, NotFoundError
from app.history.bulk_undo import BulkUndo, BulkUndone
from app.history.model import QUARANTINE, SkippedItem
from app.history.undo import AREAS, UndoService
from app.jobs import Job
from app.memories import repo as memory_repo
from app.memories.unit_of_work import MemoryUnitOfWork
from app.memories.writer import MemoryWriter
from app.quarantine import entity_hiding, repo, withdrawn
from app.quarantine.model import AgentRun, QuarantinedItem, WorkState
from app.quarantine.repo import AgentConversation
from app.quarantine.withdrawn import Item
from app.sentence import Sentence
from app.sessions.parts import SessionParts
from app.store.store import Store

ANY_AREAS: Final[frozenset[Area]] = frozenset().union(*AREAS.values())
"""Areas that may change when what an agent wrote is undone."""
_MOST_SKIPPED = 200  # items named in an answer
_TRANSACTION_S = 0.02
_ENTITIES_AT_ONCE = 20  # that one transaction edits, in about as long
_LONG_S = 120.0
_OWN = frozenset({"person", "owner"})


@dataclass(slots=True)
class _Work:
    """A run under way: what it changed and what it left."""

    run_id: str
    entries: list[int] = field(default_factory=list)
    targets: dict[str, str] = field(default_factory=dict)
    skipped: dict[str, SkippedItem] = field(default_factory=dict)
    left: int = 0
    older: list[Item] = field(default_factory=list)

    def add(self, done: BulkUndone) -> None:
        """Take in what a bulk undo did."""
        self.entries += done.entries
        self.targets |= done.targets
        self.skipped |= done.skipped
        self.left += done.left


class QuarantineService:
    """Undoes or hides what an agent wrote.

    Args:
        store: The vault's database.
        entries: Deletes schedules and saved searches.
        undo: Undoes many entries of the history.
        memories: Opens transactions that write memories.
        sessions: Forgets conversations, and takes turns out of them.
        clock: The source of the time.
    """

    def __init__(
        self,
        store: Store,
        entries: UndoService,
        undo: BulkUndo,
        memories: MemoryUnitOfWork,
        sessions: SessionParts,
        clock: Clock,
    ) -> None:
        self._store = store
        self._entries = entries
        self._undo = undo
        self._memories = memories
        self._sessions = sessions
        self._clock = clock

    async def undo(self, agent: str, since_ms: int, until_ms: int | None, actor: str, job: Job) -> Changed[AgentRun]:
        """Undo all that an agent wrote within a time, as one run.

        One that was cancelled or cut off goes on, as the same run, when it is asked for again.

        Args:
            agent: The agent's name in the history.
            since_ms: From when on.
            until_ms: Until when; until now when ``None``.
            actor: Who undoes.
            job: Shows the progress, and may be cancelled.

        Raises:
            NotFoundError: Nothing is known of such an agent.
        """
        await self._require(agent)
        begun = await self._store.write(partial(self._begin, agent, since_ms, until_ms))
        work, until = _Work(str(begun["run"])), int(begun["until"])
        ids = await self._store.read(partial(repo.entries_of, actor=agent, since_ms=since_ms, until_ms=until))
        work.add(
            await self._undo.run(
                ids,
                work.run_id,
                actor,
                progress=lambda done: job.advance(done, len(ids)),
                is_stopped=job.is_cancelled,
            )
        )
        await self._forget_sessions(work, agent, (since_ms, until), actor, job)
        await self._delete_made(work, agent, (since_ms, until), actor, job, find=_made_before)
        if not job.is_cancelled():
            await self._store.write(partial(repo.drop_unfinished, agent=agent))
        return self._done(work, agent, actor, job, "agent.undo")

    async def preview(self, agent: str, since_ms: int, until_ms: int | None) -> AgentRun:
        """Return what ``undo`` would do; changes nothing."""
        await self._require(agent)
        until = self._clock.now_ms() if until_ms is None else until_ms
        ids = await self._store.read(partial(repo.entries_of, actor=agent, since_ms=since_ms, until_ms=until))
        work = _Work("")
        work.add(await self._undo.preview(ids))
        for conversation in await self._conversations_of(agent, (since_ms, until)):
            if conversation.reason:
                work.skipped[conversation.session] = SkippedItem("session", conversation.session, conversation.reason)
            else:
                work.targets[conversation.session] = "session"
                work.entries.append(0)
        for kind, item in await self._store.read(partial(_made_before, agent=agent, since_ms=since_ms, until_ms=until)):
            work.targets[item] = kind
            work.entries.append(0)
        return _answer(work, agent, "preview")

    async def hide(self, agent: str, since_ms: int, actor: str, job: Job) -> Changed[AgentRun]:
        """Hide the memories, conversations, entities and relations that an agent made, until ``release``.

        The entities that it merged are apart meanwhile.

        What it changed of other memories stays; ``undo`` takes that back.

        Raises:
            NotFoundError: Nothing is known of such an agent.
        """
        await self._require(agent)
        until = self._clock.now_ms()
        work = _Work(repo.run_prefix(agent) + new_id("run"))
        ids = await self._store.read(
            partial(repo.created_memories, actor=agent, since_ms=since_ms, until_ms=until), limit_s=_LONG_S
        )
        place = 0
        while place < len(ids) and not job.is_cancelled():
            some = partial(_hide_some, ids=ids, place=place)
            done = await self._memories.run(Access.everything(actor, "agent.quarantine", work.run_id), some)
            place = done.value
            work.entries += done.changes.history_ids
            work.targets.update(dict.fromkeys(done.changes.ids, "memory"))
            job.advance(place, len(ids))
        work.left = len(ids) - place
        if not job.is_cancelled():
            await self._hide_entities(work, agent, (since_ms, until), actor, job)
        await self._forget_sessions(work, agent, (since_ms, until), actor, job)
        await self._delete_made(work, agent, (since_ms, until), actor, job)
        return self._done(work, agent, actor, job, "agent.quarantine")

    async def release(self, agent: str, actor: str, job: Job) -> Changed[AgentRun]:
        """Bring back what ``hide`` hid of an agent, exactly as it was.

        Raises:
            NotFoundError: Nothing of it is hidden.
        """
        ids = await self._store.read(partial(repo.hiding_entries, agent=agent), limit_s=_LONG_S)
        runs = await self._store.read(partial(withdrawn.runs_of, prefix=repo.run_prefix(agent)))
        if not ids and not runs:
            raise NotFoundError(Sentence("Nothing that {agent} wrote is in quarantine.", agent=agent), agent=agent)
        work = _Work(new_id("run"))
        work.add(
            await self._undo.run(
                ids,
                work.run_id,
                actor,
                progress=lambda done: job.advance(done, len(ids)),
                is_stopped=job.is_cancelled,
            )
        )
        await self._bring_back_relations(ids, work, actor, job)
        for run in runs:
            work.older += await self._store.write(partial(withdrawn.bring_back, run_id=run))
        return self._done(work, agent, actor, job, "agent.release")

    async def undo_withdrawal(self, run_id: str) -> frozenset[Area]:
        """Put back the schedules and searches that a run took away; return the changed areas."""
        is_quarantine = run_id.startswith(QUARANTINE)  # which only the person ends
        if is_quarantine or run_id not in await self._store.read(partial(withdrawn.runs_of, prefix=run_id)):
            return frozenset()
        await self._store.write(partial(withdrawn.bring_back, run_id=run_id))
        return AREAS["schedule"] | AREAS["saved_search"]

    async def _delete_made(
        self,
        work: "_Work",
        agent: str,
        span: tuple[int, int],
        actor: str,
        job: Job,
        find: Callable[[apsw.Connection, str, int, int], list[Item]] = withdrawn.made_by,
    ) -> None:
        """Delete the schedules and saved searches that an agent made within a time."""
        if job.is_cancelled():
            return

        def write(connection: apsw.Connection) -> list[Item]:
            items = find(connection, agent, *span)
            for kind, identity in items:
                work.entries.append(self._entries.delete_in(connection, kind, identity, actor, work.run_id))
            return items

        for kind, identity in await self._store.write(write):
            work.targets[identity] = kind

    async def hidden(self, agent: str) -> list[QuarantinedItem]:
        """Return what is hidden of an agent, the last hidden first."""
        return await self._store.read(partial(repo.quarantined, agent=agent), limit_s=_LONG_S)

    async def holds_memory(self, access: Access, memory: str) -> bool:
        """Return whether a memory that the caller sees is in quarantine."""

        def work(connection: apsw.Connection) -> bool:
            memory_row = memory_repo.get(connection, memory, stores=access.stores)
            return memory_row is not None and repo.is_quarantined(connection, memory)

        return await self._store.read(work)

    async def holds_entries(self, history_ids: Sequence[int], run_id: str) -> bool:
        """Return whether entries of the history, or a run, concern something in quarantine."""
        return await self._store.read(
            partial(repo.concerns_quarantined, history_ids=history_ids, run_id=run_id), limit_s=_LONG_S
        )

    def _begin(self, agent: str, since_ms: int, until_ms: int | None, connection: apsw.Connection) -> dict[str, Any]:
        """Return the run of an undo, that of an unfinished one of the same span."""
        before = repo.unfinished(connection, agent)
        if before is not None and (before["since"], before["asked"]) == (since_ms, until_ms):
            return before
        until = self._clock.now_ms() if until_ms is None else until_ms
        begun = {"run": new_id("run"), "since": since_ms, "asked": until_ms, "until": until}
        repo.keep_unfinished(connection, agent, begun)
        return begun

    async def _require(self, agent: str) -> None:
        # Conversations without an agent are the person's, too.
        if not agent or agent.casefold() in _OWN:
            raise InputError("Name an agent; what the person did is undone with 'memory.undo'.", field="name")
        if not await self._store.read(partial(_is_known, agent=agent)):
            raise NotFoundError(
                Sentence("There is no agent named '{agent}', and nothing was written by one.", agent=agent), agent=agent
            )

    async def _hide_entities(self, work: _Work, agent: str, span: tuple[int, int], actor: str, job: Job) -> None:
        """Take an agent's merges apart, and hide the entities and relations that it stated."""
        find = partial(entity_hiding.merges_of, agent=agent, since_ms=span[0], until_ms=span[1])
        merges = await self._store.read(find, limit_s=_LONG_S)
        work.add(await self._undo.run(merges, work.run_id, actor, is_stopped=job.is_cancelled))

        stated = await self._store.read(
            partial(entity_hiding.stated_by, agent=agent, since_ms=span[0], until_ms=span[1]), limit_s=_LONG_S
        )

        def hide_relations(edits: EntityEdits, entity: str) -> None:
            entity_hiding.hide_relations(edits, entity, agent, *span)

        def hide_entity(edits: EntityEdits, entity: str) -> None:
            entity_hiding.hide_entity(edits, entity, agent, is_made=entity in stated.made)

        listed = stated.made | stated.marked
        # Relations go first: then what is left of an entity is what others stated.
        for entities, hide in ((listed | stated.related, hide_relations), (listed, hide_entity)):
            await self._edit_entities(work, sorted(entities), hide, actor, job)

    async def _edit_entities(
        self,
        work: _Work,
        entities: Sequence[str],
        edit: Callable[[EntityEdits, str], None],
        actor: str,
        job: Job,
    ) -> None:
        """Edit entities in short transactions, until the job is cancelled."""
        for number, some in enumerate(batched(entities, _ENTITIES_AT_ONCE)):
            if job.is_cancelled():
                work.left += len(entities) - number * _ENTITIES_AT_ONCE
                return

            def write(connection: apsw.Connection, some: Sequence[str] = some) -> ChangeSet:
                edits = self._entity_edits(connection, actor, work)
                for entity in some:
                    edit(edits, entity)
                return edits.changes("agent.quarantine")

            done = await self._store.write(write)
            work.entries += done.history_ids
            work.targets.update(dict.fromkeys(done.ids, "entity"))

    async def _bring_back_relations(self, ids: Sequence[int], work: _Work, actor: str, job: Job) -> None:
        """Bring relations back to entities that others changed since."""
        find = partial(entity_hiding.entity_entries, history_ids=ids, targets=frozenset(work.skipped))
        for entry in await self._store.read(find, limit_s=_LONG_S) if work.skipped else ():
            if job.is_cancelled():
                return

            def write(connection: apsw.Connection, entry: int = entry) -> ChangeSet | None:
                edits = self._entity_edits(connection, actor, work)
                return edits.changes("") if entity_hiding.bring_back_relations(edits, entry) else None

            done = await self._store.write(write)
            if done is not None:
                work.entries += done.history_ids
                for target in done.ids:
                    work.targets[target] = "entity"
                    work.skipped.pop(target, None)

    def _entity_edits(self, connection: apsw.Connection, actor: str, work: _Work) -> EntityEdits:
        return EntityEdits(connection, actor=actor, now_ms=self._clock.now_ms(), run_id=work.run_id)

    async def _conversations_of(self, agent: str, span: tuple[int, int]) -> list[AgentConversation]:
        read = partial(
            repo.conversations_of, agent=agent, since_ms=span[0], until_ms=span[1], now_ms=self._clock.now_ms()
        )
        return await self._store.read(read, limit_s=_LONG_S)

    async def _forget_sessions(self, work: _Work, agent: str, span: tuple[int, int], actor: str, job: Job) -> None:
        """Forget an agent's conversations, and withhold its messages in shared ones."""
        turns = await self._conversations_of(agent, span)
        for number, turn in enumerate(turns):
            if job.is_cancelled():
                work.left += len(turns) - number
                return
            if turn.reason:
                work.skipped[turn.session] = SkippedItem("session", turn.session, turn.reason)
                continue
            if turn.seqs:
                withheld = await self._sessions.withheld.withhold(turn.session, agent, turn.seqs, actor, work.run_id)
                work.entries += withheld.changes.history_ids
            else:
                forgotten = await self._sessions.service.forget(turn.session, actor, work.run_id)
                work.entries += forgotten.changes.history_ids
            work.targets[turn.session] = "session"

    @staticmethod
    def _done(work: _Work, agent: str, actor: str, job: Job, operation: str) -> Changed[AgentRun]:
        state: WorkState = "cancelled" if job.is_cancelled() else "finished"
        work.targets |= {identity: kind for kind, identity in work.older}
        ids = tuple(work.targets) if len(work.targets) <= MAX_NAMED else ()
        areas = frozenset[Area]().union(*(AREAS[kind] for kind in set(work.targets.values())))
        changes = ChangeSet(areas, ids, actor, operation, tuple(work.entries))
        return Changed(_answer(work, agent, state), changes)


def _hide_some(writer: MemoryWriter, ids: Sequence[str], place: int) -> int:
    """Delete memories from ``place`` on for a short time; return where it stopped."""
    ends = time.perf_counter() + _TRANSACTION_S
    while place < len(ids):
        for memory in memory_repo.many(writer.connection, ids[place : place + 1], stores=STORES):
            if memory.deleted_at is None:
                writer.delete(memory)
        place += 1
        if time.perf_counter() > ends:
            break
    return place


def _made_before(connection: apsw.Connection, agent: str, since_ms: int, until_ms: int) -> list[Item]:
    """Return an agent's schedules and saved searches that are older than their history."""
    return withdrawn.without_history(connection, withdrawn.made_by(connection, agent, since_ms, until_ms))


def _is_known(connection: apsw.Connection, agent: str) -> bool:
    known = (
        "SELECT 1 FROM agents WHERE name = ?1 UNION ALL SELECT 1 FROM sessions WHERE agent = ?1"
        " UNION ALL SELECT 1 FROM schedules WHERE user_id = ?1 LIMIT 1"
    )
    return connection.execute(known, (agent,)).fetchone() is not None or repo.has_written(connection, agent)


def _answer(work: _Work, agent: str, state: WorkState) -> AgentRun:
    kinds = Counter(work.targets.values())
    return AgentRun(
        agent=agent,
        run_id=work.run_id if work.entries or work.older else "",
        changes=len(work.entries) + len(work.older),
        memories=kinds["memory"],
        sessions=kinds["session"],
        entities=kinds["entity"],
        schedules=kinds["schedule"],
        searches=kinds["saved_search"],
        skipped=_first(work.skipped.values()),
        skipped_count=len(work.skipped),
        left=work.left,
        state=state,
    )


def _first(skipped: Iterable[SkippedItem]) -> tuple[SkippedItem, ...]:
    return tuple(skipped)[:_MOST_SKIPPED]
