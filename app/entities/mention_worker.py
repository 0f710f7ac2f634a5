"""Background worker that finds names in messages and memories, batch by batch.

It can be resumed at any point.
"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import cast

import apsw

from app.changes import ChangeSet
from app.core.clock import Clock
from app.core.error_location import error_location
from app.entities import ner_backlog, repo
from app.entities.linking import FoundName, surface
from app.entities.model import EntityType
from app.entities.ner.overlap import resolve_overlaps
from app.entities.ner.provider import KNOWN_CONFIDENCE, NO_NAMES, NOTHING_KNOWN, KnownNames, NameSpan, StoreNames
from app.entities.ner.strategy import NerStrategy, fast_strategy
from app.errors import KeepsakeError
from app.jobs import BackgroundJob
from app.sentence import Sentence
from app.store.store import Store
from app.trace.trace import Trace

_log = logging.getLogger(__name__)

ACTOR = "entities"
MOST_AT_ONCE = 200
_FIRST_BATCH = 50
_LEAST_AT_ONCE = 10
_WRITER_S = 0.02  # the writer is to be held no longer by one batch
UNUSED_A_STEP = 2_000
_DELETED_AT_ONCE = 200
_TELL_EVERY = 1_000  # texts between two notices of what was found
_LEARN_EVERY = 1_000  # private texts after which the frequent names are counted anew
_MAX_KNOWN = 20_000
_NAMING = ("person", "organization", "location", "project", "other")  # types that are looked for by name
_IS_ADDRESS = "(instr(a.alias_key, '@') > 1 OR instr(a.alias_key, '://') OR a.alias_key LIKE 'www.%')"
_LEARNT = 3  # mentions after which a name of several words is looked for everywhere
# A statement leaves none of these; its name may have been the entity's before.
_IS_DECIDED = (
    "(e.protected = 1 OR e.touched = 1 AND (e.summary <> '' OR e.attributes ->> '$.absorbed' IS NOT NULL"
    " OR e.attributes ->> '$.split_from' IS NOT NULL"
    " OR EXISTS (SELECT 1 FROM entity_claims c WHERE c.to_id = e.id)"
    " OR EXISTS (SELECT 1 FROM entity_aliases o WHERE o.entity_id = e.id AND o.alias_key <> e.name_key)"
    " OR EXISTS (SELECT 1 FROM memory_history h WHERE h.target = e.id AND h.event IN ('RENAME', 'MERGE'))))"
)
# By surfaces alone: what the registry makes of them may follow from what not every reader sees.
_FREQUENT = (
    "WITH said (surface) AS MATERIALIZED (SELECT surface FROM mentions INDEXED BY mentions_by_surface"
    f" GROUP BY surface HAVING count(*) >= {_LEARNT}),"
    " frequent (surface, kind, key) AS (SELECT surface, substr(surface, 1, instr(surface, ':') - 1),"
    " substr(surface, instr(surface, ':') + 1) FROM said s WHERE (instr(surface, ' ') OR EXISTS"
    " (SELECT 1 FROM mentions m WHERE m.surface = s.surface AND m.provider = 'author' AND m.store = 'private'))"
    f" AND {_LEARNT} = (SELECT count(*) FROM (SELECT 1 FROM mentions m WHERE m.surface = s.surface"
    f" AND m.store = 'private' AND m.confidence < {KNOWN_CONFIDENCE} LIMIT {_LEARNT})))"
    # Of two types of a name the more frequent one holds.
    f" SELECT key, kind FROM frequent f WHERE kind IN {_NAMING} ORDER BY CASE count(*) OVER (PARTITION BY key)"
    " WHEN 1 THEN 0 ELSE (SELECT count(*) FROM mentions m WHERE m.surface = f.surface AND m.store = 'private'"
    f" AND m.confidence < {KNOWN_CONFIDENCE}) END, surface LIMIT ?"
)
_IS_STATED = f"(e.touched = 1 OR {_IS_ADDRESS} AND EXISTS (SELECT 1 FROM relations r WHERE r.object_id = e.id))"


class MentionWorker:
    """Worker that reads new messages and memories for names when woken.

    Args:
        store: The vault's database.
        clock: Where the time comes from.
        publish: Hears that entities changed.
        ready: Waits until more urgent background work is done; asked before each batch.
        strategy: Who finds the names.
        batch: Texts read at once at most; as many as the writer records within some 20 ms.
        trace: Told of each batch and failure.
        job: Told how far reading has come; pauses it.
    """

    def __init__(
        self,
        store: Store,
        clock: Clock,
        publish: Callable[[ChangeSet], None],
        ready: Callable[[], Awaitable[None]],
        strategy: NerStrategy | None = None,
        *,
        batch: int = MOST_AT_ONCE,
        trace: Trace | None = None,
        job: BackgroundJob | None = None,
    ) -> None:
        self._store = store
        self._clock = clock
        self._publish = publish
        self._ready = ready
        self._strategy = strategy or fast_strategy()
        self._batch = batch
        self._size = min(_FIRST_BATCH, batch)
        self._trace = trace or Trace()
        self._job = job
        self._known: Mapping[str, StoreNames] = {}
        self._stated: Mapping[str, Mapping[str, EntityType]] = {}
        self._frequent: Mapping[str, EntityType] = {}
        self._uncounted = _LEARN_EVERY
        self._stale = True
        self._untold = 0
        self._unannounced = 0
        self._begun = False
        self._wake = asyncio.Event()
        self._idle = asyncio.Event()
        self._is_broken = False
        self.failure = ""

    def wake(self, *, decided: bool = False) -> None:
        """Wake the worker, because there may be something to read.

        ``decided`` says that a person decided something about an entity.
        """
        self._stale = self._stale or decided
        if not self._is_broken:  # otherwise it would never be reported as idle again
            self._idle.clear()
        self._wake.set()

    async def wait_idle(self) -> None:
        """Return once everything has been read, or what is left cannot be read now."""
        await self._idle.wait()

    async def left(self) -> int:
        """Return about how many messages and memories are left to read."""
        return await self._store.read(ner_backlog.left)

    async def start_over(self) -> None:
        """Read everything again in the background; what a person decided stays."""
        await self._store.write(ner_backlog.start_over)
        self._uncounted = _LEARN_EVERY
        self.wake(decided=True)

    async def run(self) -> None:
        """Work until cancelled."""
        self._is_broken = False
        self._wake.set()
        try:
            while True:
                await self._wake.wait()
                self._wake.clear()
                # Hours, after a large import: no part of the work, as long as which it rests.
                await self._ready()
                begun = time.perf_counter()
                if await self._guarded_step():
                    # Finding names holds Python's lock: resting as long leaves the window and searches their turn.
                    await asyncio.sleep(time.perf_counter() - begun)
                    self._wake.set()
                elif not self._wake.is_set():
                    self._idle.set()
        except Exception as error:
            self._is_broken = True
            # Our bug: no names are read any more, which must show and must not leave anyone waiting.
            self.failure = Sentence(
                "Reading for names stopped after an error inside Keepsake ({error}). Restart it.",
                error=type(error).__name__,
            )
            _log.error("reading for names broke: %s", error_location(error))
            raise
        finally:
            self._idle.set()

    async def _guarded_step(self) -> bool:
        try:
            return await self._step()
        except KeepsakeError as error:
            # Names are a convenience: the failure shows in the status, and the next change tries again.
            self.failure = error.sentence
            _log.info("reading for names stopped: %s", error.code)
            self._trace.event("entities.failed", error=error.code)
            return False

    async def _step(self) -> bool:
        if self._store.read_only is not None or (self._job is not None and self._job.is_paused):
            return False
        if not self._begun:
            await self._store.write(ner_backlog.begin)
            self._begun = True
        batch = await self._store.read(partial(ner_backlog.next_batch, limit=self._size), is_background=True)
        if batch is None:
            return await self._finish()
        await self._learn()
        self._uncounted += sum(reading.owner.store == "private" for reading in batch.readings)
        begun = time.perf_counter()
        found = await asyncio.to_thread(read_names, self._strategy, self._known, batch.readings)
        ms = round((time.perf_counter() - begun) * 1000, 2)
        self._trace.event("entities.batch", texts=len(batch.readings), names=sum(map(len, found)), ms=ms)
        await self._record(batch, found)
        self._unannounced += len(batch.readings)
        if self._job is not None:
            self._job.advance(len(batch.readings), await self._store.read(ner_backlog.left, is_background=True))
        if self._unannounced >= _TELL_EVERY:
            self._unannounced = 0
            self._tell()
        self.failure = ""
        return True

    async def _record(self, batch: ner_backlog.NameBatch, found: list[list[FoundName]]) -> None:
        """Store the names found, and size the next batch by the writer's time."""

        def work(connection: apsw.Connection) -> tuple[int, float]:
            begun = time.perf_counter()
            return ner_backlog.record(connection, batch, found, self._clock.now_ms()), begun

        stored, begun = await self._store.write(work, is_derived=True)
        self._untold += stored
        if len(batch.readings) >= self._size:
            fitting = self._size * _WRITER_S / max(time.perf_counter() - begun, _WRITER_S / 2)
            self._size = min(max(round(fitting), self._size // 2, _LEAST_AT_ONCE), self._batch)

    async def _finish(self) -> bool:
        """Delete entities without mentions and publish changes; return whether more is left."""
        if self._job is not None:
            self._job.finish()
        unused = await self._store.read(partial(ner_backlog.unused, limit=UNUSED_A_STEP), is_background=True)
        for at in range(0, len(unused), _DELETED_AT_ONCE):
            some = unused[at : at + _DELETED_AT_ONCE]
            self._untold += await self._store.write(partial(ner_backlog.drop_unused, entities=some), is_derived=True)
        self._tell()
        return len(unused) == UNUSED_A_STEP

    def _tell(self) -> None:
        if self._untold:
            self._untold = 0
            self._publish(ChangeSet(frozenset({"entities"}), (), ACTOR))

    async def _learn(self) -> None:
        # Not when something is decided: that would tell those who do not see it by what is found from then on.
        is_due = self._uncounted >= _LEARN_EVERY
        if is_due:
            self._uncounted = 0
            self._frequent = await self._store.read(frequent_names, is_background=True)
        # Not only when something was decided: that may have been about what not every reader sees.
        stated = await self._store.read(repo.stated_names, is_background=True)
        if self._stale or is_due or stated != self._stated:
            self._stale, self._stated = False, stated
            self._known = await self._store.read(partial(known_names, frequent=self._frequent), is_background=True)


def frequent_names(connection: apsw.Connection) -> dict[str, EntityType]:
    """Return the names of authors and of several words that are frequent in private texts.

    Who reads those alone must not learn how often other texts say a name. Only mentions count that were found without
    knowing the name: what other rules found once is not known for ever.
    """
    return {str(key): cast("EntityType", kind) for key, kind in connection.execute(_FREQUENT, (_MAX_KNOWN,)) if key}


def known_names(connection: apsw.Connection, frequent: Mapping[str, EntityType]) -> dict[str, StoreNames]:
    """Return the names to look for in the texts of each store.

    What a caller finds who may not read every store rests on what every reader of the text's store sees: names that
    were stated there and, in private texts, ``frequent`` ones. What a person decided, and what was stated elsewhere or
    in relations, counts for those alone who may read every store. Of web and e-mail addresses, these find the ones that
    something was decided or stated about.

    A name that came by a merge is still found as what it was, so that undoing the merge finds it again.
    """
    stated = repo.stated_names(connection)
    decided = _names(connection, _IS_DECIDED)
    everything = _names(connection, _IS_STATED)
    common = {**stated, "private": {**frequent, **stated["private"]}}
    return {store: StoreNames(names, {**frequent, **names, **decided}, everything) for store, names in common.items()}


def _names(connection: apsw.Connection, condition: str) -> dict[str, EntityType]:
    rows = connection.execute(
        "SELECT a.alias_key, coalesce((SELECT x.type FROM entities x WHERE x.name_key = a.alias_key"
        " AND x.merged_into IS NOT NULL ORDER BY x.rowid LIMIT 1), e.type)"
        " FROM entities e CROSS JOIN entity_aliases a ON a.entity_id = e.id"
        f" WHERE e.merged_into IS NULL AND (e.type IN {_NAMING} OR {_IS_ADDRESS})"
        f" AND {condition} ORDER BY e.touched, e.mention_count LIMIT ?",
        (_MAX_KNOWN,),
    )
    return {str(key): cast("EntityType", kind) for key, kind in rows if key}


def read_names(
    strategy: NerStrategy, known: Mapping[str, StoreNames], readings: Sequence[ner_backlog.Reading]
) -> list[list[FoundName]]:
    """Return what each of ``readings`` mentions, by the names that are known in its store."""
    return [_read(strategy, known.get(reading.owner.store, NO_NAMES), reading) for reading in readings]


def _read(strategy: NerStrategy, known: StoreNames, reading: ner_backlog.Reading) -> list[FoundName]:
    found = _said(strategy, known.common, reading)
    if not any(map(known.may_tell_readers_apart, (reading.text, reading.heading, reading.author))):
        return found
    return _by_readers(found, _said(strategy, known.whole, reading, known.reserved))


def _said(
    strategy: NerStrategy, known: KnownNames, reading: ner_backlog.Reading, reserved: KnownNames = NOTHING_KNOWN
) -> list[FoundName]:
    """Return what a reading mentions.

    Args:
        strategy: Who finds the names.
        known: Names to look for.
        reading: The text.
        reserved: Names that count where nothing else is found.
    """
    found = []
    for is_heading in (False, True) if reading.heading.strip() else (False,):
        text = reading.heading if is_heading else reading.text
        spans = _spans(strategy, known, reading, is_heading=is_heading)
        spans += _reserved(strategy, reserved, text, spans)
        found += [_found(span, -1 if is_heading else span.start) for span in spans]
    author = reading.author.strip()
    if author and (reading.spoken_by_person or _is_person(strategy.extract(author, known), author)):
        found.append(FoundName(author, "person", -1, 0, 0.9, "author"))
    # Who is named in the text as well is mentioned there.
    met = {surface(name.type, name.name) for name in found}
    stated: list[tuple[str, EntityType]] = [(name, "person") for name in reading.people]
    stated += [(reading.project, "project")] if reading.project else []
    found += [FoundName(name, kind, -1, 0, 0.9, "stated") for name, kind in stated if surface(kind, name) not in met]
    return found


def _by_readers(narrowed: Sequence[FoundName], full: Sequence[FoundName]) -> list[FoundName]:
    """Return what either kind of reader finds in a text, each name with its readers."""
    both = {_place(one) for one in narrowed} & {_place(one) for one in full}
    return [
        *(one if _place(one) in both else replace(one, readers="narrowed") for one in narrowed),
        *(replace(one, readers="full") for one in full if _place(one) not in both),
    ]


def _place(name: FoundName) -> tuple[int, str]:
    return name.start, surface(name.type, name.name)


def _spans(
    strategy: NerStrategy, known: KnownNames, reading: ner_backlog.Reading, *, is_heading: bool
) -> list[NameSpan]:
    """Return the names of a reading's text or heading, accurately found ones included."""
    text = reading.heading if is_heading else reading.text
    found = strategy.extract(text, known)
    kept = [one for held, one in reading.kept if held == is_heading and text[one.start : one.end] == one.text]
    return resolve_overlaps([*found, *kept]) if kept else found


def _reserved(strategy: NerStrategy, names: KnownNames, text: str, spans: Sequence[NameSpan]) -> list[NameSpan]:
    """Return the reserved names of a text, where nothing else was found."""
    if not names.may_be_in(text):
        return []
    taken = resolve_overlaps([*(replace(span, confidence=2) for span in spans), *strategy.extract(text, names)])
    return [span for span in taken if span.confidence <= 1 and names.holds(span.text)]


def _found(span: NameSpan, start: int) -> FoundName:
    return FoundName(span.text, span.type, start, span.end - span.start, span.confidence, span.provider)


def _is_person(spans: list[NameSpan], author: str) -> bool:
    return any(span.type == "person" and len(span.text) == len(author) for span in spans)
