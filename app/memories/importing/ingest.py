"""Import of foreign records into memories.

The same record again adds nothing, a changed one updates its memory, a deleted one stays deleted.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import apsw

from app.changes import ChangeSet
from app.core.clock import optional_datetime, to_datetime
from app.core.ids import PREFIXES
from app.core.stores import STORES, StoreName
from app.core.text import excerpt, without_controls
from app.core.text_rules.tag_names import normalise_tags
from app.errors import InputError
from app.history import history_repo
from app.memories import repo, validation
from app.memories.archive import archive_moves, archive_repo
from app.memories.deduplication.memory_merge import with_details
from app.memories.foreign_record import MemoryRecord, Problem
from app.memories.importing import import_sources, record_identity
from app.memories.model import KINDS, Memory, NewMemory
from app.memories.writer import MemoryIndex, MemoryWriter, conflicting_fact, recorded_state

_OWN_ID = re.compile(
    rf"(?:{'|'.join(PREFIXES[kind] for kind in KINDS)})-[0-9a-f]{{8}}(?:-[0-9a-f]{{4}}){{3}}-[0-9a-f]{{12}}"
)


@dataclass(frozen=True, slots=True)
class IngestResult:
    """Result of importing foreign records.

    Args:
        added: New memories, those brought back after their import was undone included.
        updated: Memories whose record has changed.
        unchanged: Records that said nothing new.
        problems: Records that could not be stored, with the reason.
    """

    added: int
    updated: int
    unchanged: int
    problems: tuple[Problem, ...]
    changes: ChangeSet


def ingest(
    connection: apsw.Connection,
    records: Sequence[MemoryRecord],
    *,
    source: str,
    fmt: str,
    store: StoreName,
    actor: str,
    now_ms: int,
    index: MemoryIndex,
    run_id: str | None = None,
    taken: set[tuple[str, str]] | None = None,
) -> IngestResult:
    """Store foreign records inside the caller's transaction.

    Args:
        connection: The writer's connection, inside the transaction.
        records: What a reader of the foreign format yielded.
        source: Who stored them, as memories name it: ``import:<format>``.
        fmt: The foreign format; with a record's key it names the record over imports.
        store: Where memories go whose record names no store.
        actor: Who imports, as history names it.
        now_ms: When, milliseconds UTC.
        index: Who keeps the search index in step.
        run_id: What binds the changes of one import together.
        taken: Which records of notebooks the import has met so far; those of this call are added.
    """
    writer = MemoryWriter(connection, index, actor=actor, at_ms=now_ms, run_id=run_id)
    importer = _Import(writer, index, source, fmt, store, set() if taken is None else taken)
    counts = {"added": 0, "updated": 0, "unchanged": 0}
    problems: list[Problem] = []
    for record in records:
        try:
            counts[importer.take(record)] += 1
        except InputError as error:
            problems.append(Problem(record.key, error.sentence))
    return IngestResult(**counts, problems=tuple(problems), changes=writer.changes("exchange.import"))


class _Import:
    """Decides for one record after the other what it becomes."""

    def __init__(
        self,
        writer: MemoryWriter,
        index: MemoryIndex,
        source: str,
        fmt: str,
        store: StoreName,
        taken: set[tuple[str, str]],
    ) -> None:
        self._taken = taken
        self._writer = writer
        self._index = index
        self._connection = writer.connection
        self._source = source
        self._fmt = fmt
        self._store = store

    def take(self, record: MemoryRecord) -> str:
        """Store a record and return which count it belongs to."""
        identified = record_identity.identify(self._connection, record, self._fmt, self._taken)
        known, digest = identified.origin, import_sources.record_hash(record)
        is_same = known is not None and known.content_hash == digest
        if (
            known is not None
            and record_identity.is_in_another_notebook(record, known)
            and (is_same or known.collection)
        ):
            outcome, memory_id = self._seen_again(record, known)
        elif known is not None and is_same:
            memory = repo.get(self._connection, known.memory_id, stores=STORES)
            if memory is None or not is_import_undone(self._connection, memory):
                if record_identity.is_moved(record, known):
                    self._note(identified, record, known.memory_id)
                return "unchanged"
            outcome, memory_id = self._store_record(record, memory, again=True)
        else:
            named = known.memory_id if known else without_controls(record.key) if _is_own(record) else None
            memory = None if named is None else repo.get(self._connection, named, stores=STORES)
            if named is not None and archive_repo.holds(self._connection, named):
                return "unchanged"  # it was put out of the way, which no import turns back
            outcome, memory_id = self._store_record(record, memory, again=known is not None)
        self._note(identified, record, memory_id)
        return outcome

    def _note(self, identified: record_identity.RecordOrigin, record: MemoryRecord, memory_id: str) -> None:
        origin = record_identity.origin_of(record, memory_id, identified.origin)
        import_sources.write(self._connection, identified.uri, origin, fmt=self._fmt, at_ms=self._writer.at_ms)

    def _seen_again(self, record: MemoryRecord, known: import_sources.Origin) -> tuple[str, str]:
        """Give a note the tag of another notebook that has the same note."""
        memory = repo.get(self._connection, known.memory_id, stores=STORES)
        if memory is None or (memory.deleted_at is not None and not is_import_undone(self._connection, memory)):
            return "unchanged", known.memory_id
        fresh = self._composed(record)
        if memory.deleted_at is not None:
            return self._store_record(record, memory, again=True)
        after = replace(memory, tags=normalise_tags((*memory.tags, *fresh.tags)))
        if after == memory:
            return "unchanged", memory.id
        self._writer.update(memory, after, None)
        return "updated", memory.id

    def _store_record(self, record: MemoryRecord, memory: Memory | None, *, again: bool) -> tuple[str, str]:
        """Write what the record says into its memory, or into a new one.

        Args:
            record: What is imported.
            memory: What an earlier import made of it, or the memory whose id is the record's key.
            again: True when an earlier import knew the record.
        """
        fresh = self._composed(record)
        if memory is None:
            same = conflicting_fact(self._connection, fresh)
            stored_record = replace(fresh, attributes={k: v for k, v in fresh.attributes.items() if k != "origin"})
            joined = with_details(same, stored_record) if same is not None and same.content == fresh.content else None
            if same is not None and joined is not None:
                is_known = joined == same
                return ("unchanged", same.id) if is_known else ("updated", self._writer.update(same, joined).id)
            return "added", self._created(fresh, record)
        after = _merged(memory, fresh, own=_is_own(record))
        older = not again and record.updated_ms is not None and fresh.updated_at <= memory.updated_at
        if record.deleted_ms is not None or record.archived_ms is not None:  # no import deletes what is there
            return "unchanged", memory.id
        if memory.deleted_at is not None:
            brought_back = not again or is_import_undone(self._connection, memory)
            self._writer.restore(memory, replace(after, updated_at=fresh.updated_at))
            return ("added" if brought_back else "updated"), memory.id
        if after == memory or older:
            return "unchanged", memory.id
        self._writer.update(memory, after, None if record.updated_ms is None else fresh.updated_at)
        return "updated", memory.id

    def _created(self, fresh: Memory, record: MemoryRecord) -> str:
        """Store a new memory and return its id.

        A memory whose record lay in the archive is put there.
        """
        memory = self._writer.create(fresh)
        if fresh.access_count or fresh.last_accessed is not None:
            repo.set_accesses(self._connection, memory)
        if record.archived_ms is not None:
            before, at_ms = recorded_state(memory), record.archived_ms
            archive_moves.put_in(self._connection, self._index, memory.id, record.archive_reason, at_ms)
            self._writer.enter(memory.id, "ARCHIVE", before, archive_moves.state(self._connection, memory.id))
        return memory.id

    def _composed(self, record: MemoryRecord) -> Memory:
        title, attributes = " ".join(record.title.split()), dict(record.attributes)
        if len(title) > validation.MAX_TITLE:
            attributes["full_title"] = title
            title = excerpt(title, validation.MAX_TITLE - 1)
        if not _is_own(record):
            attributes.setdefault("origin", {"format": self._fmt, "key": record.key})
        if record.collection:
            attributes.setdefault("notebook", record.collection)
        superseded_by = record.superseded_by
        created = self._writer.at_ms if record.created_ms is None else record.created_ms
        draft = NewMemory(
            content=record.content,
            title=title,
            kind=record.kind,
            tags=normalise_tags((*record.tags, record.collection)) if record.collection else record.tags,
            store=record.store or self._store,
            source=without_controls(record.source or self._source),
            id=without_controls(record.key) if _is_own(record) else None,
            facts=record.facts,
            category=without_controls(record.category),
            key=without_controls(record.fact_key),
            type=without_controls(record.type),
            session_id=None if record.session_key is None else without_controls(record.session_key),
            confidence=1.0 if record.confidence is None else record.confidence,
            decay_rate=record.decay_rate or 0.0,
            pinned=record.pinned,
            created_at=to_datetime(created),
            updated_at=to_datetime(created if record.updated_ms is None else record.updated_ms),
            event_time=optional_datetime(record.event_ms),
            expires_at=optional_datetime(record.expires_ms),
            attributes=attributes,
            files=tuple(map(without_controls, record.files)),
            people=tuple(map(without_controls, record.people)),
            sources=tuple(replace(source, id=without_controls(source.id)) for source in record.sources),
        )
        return replace(
            validation.compose(draft, self._writer.at_ms),
            mention_count=record.mention_count,
            version=record.version,
            access_count=record.access_count,
            last_accessed=optional_datetime(record.accessed_ms),
            deleted_at=optional_datetime(record.deleted_ms),
            superseded_by=None
            if superseded_by is None
            else validation.clean_name("id", without_controls(superseded_by)),
        )


def is_import_undone(connection: apsw.Connection, memory: Memory) -> bool:
    """Return whether ``memory`` is gone because its import was undone, not by a deletion."""
    return memory.deleted_at is not None and history_repo.is_addition_undone(connection, memory.id)


def _is_own(record: MemoryRecord) -> bool:
    """Return whether the record comes from an export of ours.

    Its key is then a memory's id, which it keeps.
    """
    return record.keeps_id or _OWN_ID.fullmatch(record.key) is not None


def _merged(memory: Memory, fresh: Memory, *, own: bool) -> Memory:
    """Return ``memory`` with the content of ``fresh``.

    Fields that only our own format has stay as they are, unless ``fresh`` comes from it (``own``).
    """
    statement = replace(
        memory,
        kind=fresh.kind,
        title=fresh.title,
        content=fresh.content,
        store=fresh.store,
        tags=fresh.tags,
        category=fresh.category,
        key=fresh.key,
        tokens=fresh.tokens,
        attributes=fresh.attributes,
    )
    if not own:
        return statement
    return replace(
        statement,
        facts=fresh.facts,
        type=fresh.type,
        session_id=fresh.session_id,
        confidence=fresh.confidence,
        decay_rate=fresh.decay_rate,
        pinned=fresh.pinned,
        event_time=fresh.event_time,
        expires_at=fresh.expires_at,
        mention_count=max(memory.mention_count, fresh.mention_count),
        files=fresh.files,
        people=fresh.people,
        sources=fresh.sources,
    )
