"""Storage of the facts of a page, together with the place to read on.

Both happen in the same transaction, so that no message is read twice after a crash.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from itertools import groupby
from typing import Final

import apsw

from app.changes import ChangeSet
from app.core.access import Access
from app.core.clock import to_ms
from app.core.ids import derived_id
from app.core.stores import STORES
from app.core.text import excerpt
from app.errors import InputError
from app.history.history_repo import HistoryRow
from app.inbox.model import NewProposal
from app.inbox.preview import preview_of
from app.inbox.service import AREA as INBOX
from app.inbox.service import KEEPSAKE, InboxService
from app.memories import repo
from app.memories.deduplication.derived_ids import is_known
from app.memories.deduplication.service import DeduplicatingWriter, replace_memory, superseding
from app.memories.fact_service import hold_against
from app.memories.model import Memory, NewMemory, Source
from app.memories.state_codec import to_state
from app.memories.unit_of_work import MemoryUnitOfWork
from app.memories.writer import MemoryWriter
from app.sessions.compaction.rolling_summary import touched
from app.sessions.consolidation_queue import mark_in
from app.sync.segments import turn_log
from app.upkeep.consolidation.model import ConversationPage, FactOutcome, FoundFact

ACTOR: Final = "consolidation"
_TOGETHER: Final = 4  # facts in one transaction, unless more stand in one message
_CURSOR: Final = (
    "SELECT t.consolidated_seq FROM sessions s JOIN session_state t ON t.session_id = s.id"
    " WHERE s.id = ? AND s.forgotten_at IS NULL"
)


@dataclass(slots=True)
class PageWritten:
    """Outcome of writing a page.

    Args:
        is_overtaken: Whether somebody else read it meanwhile, or the conversation is gone; the rest was left out.
    """

    outcomes: list[FactOutcome] = field(default_factory=list)
    is_overtaken: bool = False


@dataclass(frozen=True, slots=True)
class _Draft:
    memory: Memory
    last_seq: int
    contradicts: tuple[str, ...]


class FactWriter:
    """Stores facts of conversations.

    Args:
        transactions: Opens transactions that write memories.
        writing: Finds what is stored already.
        inbox: Takes what contradicts a protected fact.
        doubt: Returns the confidence left to a fact that a newer one contradicts.
        decay_rate: Returns the share of its confidence that a new fact loses in a day without use.
    """

    def __init__(
        self,
        transactions: MemoryUnitOfWork,
        writing: DeduplicatingWriter,
        inbox: InboxService,
        doubt: Callable[[], float],
        decay_rate: Callable[[], float],
    ) -> None:
        self._transactions = transactions
        self._writing = writing
        self._inbox = inbox
        self._doubt = doubt
        self._decay_rate = decay_rate

    async def write(
        self, page: ConversationPage, facts: Sequence[FoundFact], run_id: str, publish: Callable[[ChangeSet], None]
    ) -> PageWritten:
        """Store the facts of a page and note that it was read.

        Changes are published once they are committed.
        """
        done = PageWritten()
        drafts = self._drafts(page, facts, done)
        after = page.after
        groups = _groups(drafts)
        for number, group in enumerate(groups or [[]]):
            upper = page.upper_seq if number >= len(groups) - 1 else group[-1].last_seq
            work = partial(self._write_group, page.session_id, after, upper, group)
            changed = await self._transactions.run(Access.everything(ACTOR, ACTOR, run_id), work)
            if changed.value is None:
                done.is_overtaken = True
                break
            outcomes, is_marked = changed.value
            done.outcomes += outcomes
            for changes in (changed.changes, touched(page.session_id, ACTOR, is_written=is_marked)):
                if changes.areas:
                    publish(changes)
            if "proposed" in outcomes:
                publish(ChangeSet(frozenset({INBOX}), (), KEEPSAKE))
            after = upper
        return done

    def _drafts(self, page: ConversationPage, facts: Sequence[FoundFact], done: PageWritten) -> list[_Draft]:
        """Return the facts as memories, each of a speaker once.

        The first message that says it counts.
        """
        drafts: dict[tuple[str, str], _Draft] = {}
        if page.store is None:
            return []
        times = {line.seq: line.at for line in page.lines}
        for fact in sorted(facts, key=lambda candidate: max(candidate.seqs)):
            said_at = times.get(max(fact.seqs))
            try:
                memory = self._writing.composed(self._draft(page, fact, said_at), STORES)
            except InputError:
                done.outcomes.append("refused")
                continue
            drafts.setdefault(
                (memory.said_by, repo.text_key(memory.content)), _Draft(memory, max(fact.seqs), fact.contradicts)
            )
        return list(drafts.values())

    def _draft(self, page: ConversationPage, fact: FoundFact, said_at: datetime | None) -> NewMemory:
        attributes = dict(fact.attributes)
        if said_at is not None:
            attributes["said_at"] = said_at.isoformat()
        return NewMemory(
            fact.content,
            kind="fact",
            category=fact.category,
            key=fact.key if fact.category else "",
            tags=fact.tags,
            store=page.store or "private",
            source=fact.source,
            session_id=page.session_id,
            confidence=fact.confidence,
            decay_rate=self._decay_rate(),
            event_time=fact.event_time,
            attributes=attributes,
            sources=tuple(Source("message", f"{page.session_id}#{seq}") for seq in fact.seqs),
        )

    def _write_group(
        self, session: str, after: int, upper: int, group: Sequence[_Draft], writer: MemoryWriter
    ) -> tuple[list[FactOutcome], bool] | None:
        """Store some facts and move on, unless the place is not where it was."""
        row = writer.connection.execute(_CURSOR, (session,)).fetchone()
        if row is None or row[0] != after:
            return None
        outcomes = [self._store(writer, _named(writer.connection, draft)) for draft in group]
        _, is_marked = mark_in(writer.connection, session, upper, writer.at_ms)
        return outcomes, is_marked

    def _store(self, writer: MemoryWriter, draft: _Draft) -> FactOutcome:
        memory = draft.memory
        known = self._writing.said_before(writer, memory)
        if known is not None:
            writer.mention(known)
            return "known"
        if is_known(writer.connection, memory.id):  # a person did away with it
            return "known"
        keyed = repo.active_fact(writer.connection, memory.category, memory.key, memory.store) if memory.key else None
        rivals = self._rivals(writer.connection, draft, keyed)
        guarded = next((rival for rival in (keyed, *rivals) if rival is not None and is_protected(rival)), None)
        if guarded is not None:
            try:
                self._propose(writer, guarded, memory)
            except InputError:  # too much waits for the person already
                return "refused"
            return "proposed"
        outcome: FactOutcome = "added"
        if keyed is not None:
            memory, outcome = self._against_key(writer, memory, keyed)
        else:
            memory = writer.create(memory)
        for rival in rivals:
            if _said_ms(rival) > _said_ms(memory):
                memory = hold_against(writer, rival, memory, self._doubt()).superseded or memory
                outcome = "outdated"
            else:
                memory = hold_against(writer, memory, rival, self._doubt()).fact
                outcome = "replaced" if outcome == "added" else outcome
        return outcome

    def _rivals(self, connection: apsw.Connection, draft: _Draft, keyed: Memory | None) -> list[Memory]:
        """Return the active facts that this one contradicts, except the one of its key."""
        ids = [fact_id for fact_id in draft.contradicts if keyed is None or fact_id != keyed.id]
        store = draft.memory.store
        return [
            memory_with_sources
            for memory_with_sources in map(partial(repo.get_with_sources, connection, stores=STORES), ids)
            if memory_with_sources is not None
            and memory_with_sources.deleted_at is None
            and (memory_with_sources.kind, memory_with_sources.store) == ("fact", store)
        ]

    def _against_key(self, writer: MemoryWriter, new: Memory, old: Memory) -> tuple[Memory, FactOutcome]:
        """Store a fact whose category and key are taken; the later statement stands."""
        doubt = self._doubt()
        if _said_ms(old) > _said_ms(new):
            outdated = writer.create(replace(new, key="", confidence=min(new.confidence, doubt)))
            writer.update(old, superseding(old, outdated))
            return outdated, "outdated"
        doubted = replace(old, confidence=min(old.confidence, doubt))
        return replace_memory(writer, old if doubted == old else writer.update(old, doubted), new)[0], "replaced"

    def _propose(self, writer: MemoryWriter, old: Memory, new: Memory) -> None:
        """Leave it to the person whether a fact holds against one that they protect."""
        sources = ", ".join(source.id for source in new.sources)
        self._inbox.propose_in(
            writer.connection,
            NewProposal(
                KEEPSAKE,
                "fact.correct",
                {"id": old.id, "content": new.content},
                "fact",
                old.id,
                excerpt(f"A conversation says otherwise ({sources}).", 400),
                preview_of(
                    [_row("DELETE", old, None, writer.at_ms), _row("ADD", None, new, writer.at_ms)], "protected"
                ),
            ),
        )


def is_protected(fact: Memory) -> bool:
    """Return whether only the person changes a fact: pinned, confirmed, or written by the person."""
    return fact.pinned or (fact.decay_rate == 0 and fact.confidence == 1) or fact.source == "person"


def _groups(drafts: Sequence[_Draft]) -> list[list[_Draft]]:
    """Part drafts for short transactions; those that end with the same message stay together."""
    groups: list[list[_Draft]] = []
    for _, together in groupby(drafts, key=lambda draft: draft.last_seq):
        some = list(together)
        if groups and len(groups[-1]) + len(some) <= _TOGETHER:
            groups[-1] += some
        else:
            groups.append(some)
    return groups


def _named(connection: apsw.Connection, draft: _Draft) -> _Draft:
    """Return a draft with the id that its fact has on every machine."""
    memory = draft.memory
    turns = sorted(_turn_name(connection, source.id) for source in memory.sources)
    key = (*turns, memory.said_by, memory.category, memory.key, repo.text_key(memory.content))
    return replace(draft, memory=replace(memory, id=derived_id("fact", _said_ms(memory), *key)))


def _turn_name(connection: apsw.Connection, reference: str) -> str:
    """Return the name that a message has on every machine.

    It is that of its transcript, or its lane and number there.
    """
    session, _, seq = reference.rpartition("#")
    row = connection.execute(
        "SELECT m.payload ->> 'id', m.created_at FROM messages m WHERE m.session_id = ? AND m.seq = ?",
        (session, int(seq)),
    ).fetchone()
    if row is not None and row[0] is not None:
        return json.dumps([session, str(row[0]), row[1]])
    name = turn_log.global_name(connection, session, int(seq))
    return reference if name is None else json.dumps([session, *name])


def _said_ms(fact: Memory) -> int:
    """Return when a fact was said, or stored where that is not known, milliseconds UTC."""
    return to_ms(fact.said_at or fact.created_at)


def _row(event: str, before: Memory | None, after: Memory | None, at_ms: int) -> HistoryRow:
    """Return the history entry that a change would make."""
    target = before or after
    return HistoryRow(
        0,
        "memory",
        "" if target is None else target.id,
        event,
        None if before is None else to_state(before),
        None if after is None else to_state(after),
        KEEPSAKE,
        None,
        at_ms,
        None,
    )
