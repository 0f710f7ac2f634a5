"""Erasure of memories, sessions, schedules and saved searches, down to the bytes of the file.

A receipt says what was removed and what is left.
"""

import asyncio
import json
import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any, Final

import apsw

from app.changes import Area, Changed, ChangeSet
from app.core.clock import Clock, to_datetime, to_ms
from app.core.ids import PREFIXES, new_id
from app.core.text import storable
from app.erasure import erasures, file_residue, fts_vocabulary, references, text_samples
from app.erasure.backup_cleaner import BackupCleaner
from app.erasure.eraser import EntityNameEraser, Eraser, Names
from app.erasure.model import (
    BackupChoice,
    BackupFile,
    ErasureMethod,
    ErasureReceipt,
    ErasureTarget,
    RemainingReference,
    TargetKind,
)
from app.errors import CancelledByPersonError, DiskFullError, InputError, KeepsakeError, MachineError, NotFoundError
from app.part import BackgroundTask, Part
from app.sentence import Sentence
from app.store import meta
from app.store.connection import empty_log
from app.store.store import Store

_log = logging.getLogger(__name__)

OPERATION: Final = "memory.forget_forever"
BATCH = 100  # rows that one transaction removes
WORD_INDEX = "chunks_fts"
_MOST_LEFT = 100
_MOST_KEPT = 1_000  # receipts
_LOG_SECONDS = 15.0
_LOG_PAUSE = 0.1
_NO_LIMIT_S = 24 * 3600.0
_TERM_TEXTS = 200
_TERM_CHARACTERS = 20_000
_READER: Final = Sentence("A reader still held an older state of the vault; the next start of Keepsake finishes this.")
_NO_ROOM: Final = Sentence(
    "There was no room on the disk to write the database anew, which would have removed the last traces."
)
_NAMED: Final = Sentence("Names from it stay with people or things you changed, protected or connected yourself.")
_RESUMED: Final = Sentence("This was interrupted and finished later; the whole file was written anew.")
_OF_COPIES = {
    "kept": Sentence("Backups still hold it."),
    "incomplete": Sentence("Copies that were written anew still hold something of it. Delete these backups."),
    "unreadable": Sentence("Damaged copies hold it and cannot be written anew. Delete these backups."),
}
_AREAS: Final[frozenset[Area]] = frozenset(
    {"memories", "tags", "links", "sessions", "messages", "entities", "index", "schedules", "saved_searches"}
)
_KINDS: Final[dict[str, TargetKind]] = {PREFIXES["schedule"]: "schedule", PREFIXES["search"]: "saved_search"}
"""Kinds of targets that their ids tell."""
_DERIVED = frozenset({"chunks", "meta", references.SCHEMA})


@dataclass(slots=True)
class _Traces:
    """Traces of the erased text, in memory only."""

    samples: tuple[str, ...] = ()
    packed: tuple[bytes, ...] = ()
    terms: frozenset[str] = frozenset()
    names: frozenset[tuple[str, str]] = frozenset()


class ErasureService(Part):
    """Forgets for ever, in short transactions; what is interrupted is finished by ``resume``.

    Args:
        store: The vault's database.
        erasers: Who takes each kind of target away.
        names: Who takes away names that are used no more.
        clock: Where the time comes from.
        forget_caches: Drops what is kept beside the database of texts or their vectors.
        publish: Tells everyone who listens of what no caller's answer tells.
    """

    def __init__(
        self,
        store: Store,
        erasers: Mapping[str, Eraser],
        names: EntityNameEraser,
        clock: Clock,
        forget_caches: Callable[[], Awaitable[None]],
        publish: Callable[[ChangeSet], None],
    ) -> None:
        self._store = store
        self._erasers = erasers
        self._names = names
        self._clock = clock
        self._forget_caches = forget_caches
        self._publish = publish
        self._backups = BackupCleaner(store.vault, erasers, names)
        self._one_at_a_time = asyncio.Lock()
        self._is_resumed = asyncio.Event()
        self.failure = ""

    def tasks(self) -> Sequence[BackgroundTask]:
        """Return the finishing of interrupted erasures."""
        return (BackgroundTask("forever", self.run),)

    @property
    def failures(self) -> Sequence[str]:
        """Why an interrupted erasure is not finished."""
        return (self.failure,)

    async def forget(
        self,
        ids: Sequence[str],
        sessions: Sequence[str],
        *,
        confirm: bool,
        actor: str,
        backups: BackupChoice = "keep",
        progress: Callable[[int], None] = lambda _removed: None,
    ) -> Changed[ErasureReceipt]:
        """Remove memories, conversations and the like so that nothing brings them back, and prove it.

        Raises:
            InputError: It is not confirmed, or nothing is named.
            NotFoundError: One of them is not there; then nothing is removed.
            MachineError: The disk is full, or refuses, after it began: the next start finishes it.
        """
        targets = _targets(ids, sessions)
        if not targets:
            raise InputError("Say what to forget: 'ids' of memories and the like, or 'sessions'.", field="ids")
        if not confirm:
            raise InputError(
                Sentence(
                    "This removes {count} for ever; nothing can bring them back. Ask again with confirm=true.",
                    count=len(targets),
                ),
                field="confirm",
            )
        return await self._forget(targets, actor, backups, progress)

    async def _forget(
        self,
        targets: Sequence[ErasureTarget],
        actor: str,
        backups: BackupChoice = "keep",
        progress: Callable[[int], None] = lambda _removed: None,
    ) -> Changed[ErasureReceipt]:
        changes = ChangeSet(_AREAS, tuple(target.id for target in targets), actor, OPERATION)
        async with self._one_at_a_time:
            await self._require(targets, backups)
            now = to_datetime(self._clock.now_ms())
            sessions, entities = (
                tuple(target.id for target in targets if target.kind == kind) for kind in ("session", "entity")
            )
            ids = tuple(target.id for target in targets if target.kind not in ("session", "entity"))
            receipt = ErasureReceipt(new_id("run"), ids, sessions, actor, now, entities, choice=backups)
            traces = await self._store.write(partial(self._begin, receipt, targets))
            try:
                receipt = await self._finish(receipt, targets, traces, progress, is_resumed=False)
            except MachineError as error:
                self._publish(changes)  # it is hidden already, and a refused call tells of no change
                raise _unfinished(error) from error
        return Changed(receipt, changes)

    async def obey(self, targets: Sequence[ErasureTarget], actor: str) -> None:
        """Forget for ever what was forgotten on another machine, as far as it is here.

        Raises:
            MachineError: The disk is full, or refuses, after it began: the next start finishes it.
        """

        def work(connection: apsw.Connection) -> list[ErasureTarget]:
            return [target for target in targets if self._erasers[target.kind].exists(connection, target.id)]

        while here := await self._store.read(work):
            try:
                done = await self._forget(here, actor)
            except NotFoundError:
                continue  # the person forgot one of them meanwhile, or it was forgotten with another
            self._publish(done.changes)
            return

    async def run(self) -> None:
        """Finish interrupted erasures.

        An error is kept in ``failure``, and the erasure is tried again at the next start.
        """
        try:
            await self.resume()
        except CancelledByPersonError:
            _log.info("forgetting for ever goes on at the next start")
        except KeepsakeError as error:
            self.failure = Sentence("Forgetting for ever could not be finished: {why}", why=error.sentence)
            _log.warning("forgetting for ever could not be finished: %s", error.code)
        finally:
            self._is_resumed.set()

    async def settled(self) -> None:
        """Return once nothing is being forgotten, what an earlier run of Keepsake began among it."""
        await self._is_resumed.wait()
        async with self._one_at_a_time:
            return

    async def resume(self) -> list[ErasureReceipt]:
        """Finish what was interrupted, and return its receipts."""
        done: list[ErasureReceipt] = []
        async with self._one_at_a_time:
            for receipt in await self.receipts():
                if receipt.finished_at is None:
                    targets = _targets(receipt.ids, receipt.sessions, receipt.entities)
                    traces = await self._store.write(partial(self._traces, targets))
                    done.append(await self._finish(receipt, targets, traces, lambda _: None, is_resumed=True))
        return done

    async def receipts(self, limit: int = _MOST_KEPT) -> list[ErasureReceipt]:
        """Return the receipts of all that was forgotten for ever, the newest first."""
        rows = await self._store.read(
            lambda connection: connection.execute(
                "SELECT value FROM meta WHERE key >= ? AND key < ? ORDER BY key DESC LIMIT ?",
                (erasures.RECEIPTS, erasures.RECEIPTS + "~", limit),
            ).fetchall()
        )
        return [_receipt(json.loads(str(row[0]))) for row in rows]

    async def _require(self, targets: Sequence[ErasureTarget], backups: BackupChoice) -> None:
        """Refuse unknown targets.

        Targets erased before may be named again, because of kept copies.
        """

        def work(connection: apsw.Connection) -> list[str]:
            return [target.id for target in targets if not self._erasers[target.kind].exists(connection, target.id)]

        missing = await self._store.read(work)
        if missing and backups != "keep":
            before = {name for receipt in await self.receipts() for name in (*receipt.ids, *receipt.sessions)}
            missing = [name for name in missing if name not in before]
        if missing:
            raise NotFoundError(
                Sentence("There is nothing with the id {id}; nothing was removed.", id=missing[0]), ids=missing
            )

    def _begin(self, receipt: ErasureReceipt, targets: Sequence[ErasureTarget], connection: apsw.Connection) -> _Traces:
        traces = self._traces(targets, connection)
        _keep(connection, receipt)
        for target in targets:
            if target.kind != "entity":  # of which the machine that forgot has said so
                erasures.record(connection, target, receipt.by, to_ms(receipt.at))
            self._erasers[target.kind].hide(connection, target.id, to_ms(receipt.at))
        return traces

    def _traces(self, targets: Sequence[ErasureTarget], connection: apsw.Connection) -> _Traces:
        texts = [text for target in targets for text in self._erasers[target.kind].texts(connection, target.id)]
        names = {name for target in targets for name in self._names.names_in(connection, target.kind, target.id)}
        names.update(self._names.unmentioned_in(connection, texts))
        short = [text[:_TERM_CHARACTERS] for text in texts[:_TERM_TEXTS]]
        terms = fts_vocabulary.terms_of(connection, WORD_INDEX, short)
        packed = [
            sample
            for target in targets
            if target.kind == "memory"
            for sample in references.packed_samples(connection, target.id)
        ]
        return _Traces(text_samples.text_samples(texts), tuple(packed), frozenset(terms), frozenset(names))

    async def _finish(
        self,
        receipt: ErasureReceipt,
        targets: Sequence[ErasureTarget],
        traces: _Traces,
        progress: Callable[[int], None],
        *,
        is_resumed: bool,
    ) -> ErasureReceipt:
        for target in targets:
            while (grown := await self._store.write(partial(self._step, receipt, target))) is not None:
                receipt = grown
                progress(sum(receipt.removed.values()))
        receipt, spellings = await self._store.write(partial(self._drop_names, receipt, traces.names))
        traces.samples = (*traces.samples, *text_samples.names(spellings))
        await self._merge_words()
        receipt = await self._prove(receipt, targets, traces, is_resumed=is_resumed)
        await self._forget_caches()
        files = await asyncio.to_thread(self._backups.clean, targets, traces.samples, receipt.choice)
        notes = [sentence for outcome, sentence in _OF_COPIES.items() if any(file.outcome == outcome for file in files)]
        receipt = replace(receipt, backups=files, notes=tuple(dict.fromkeys((*receipt.notes, *notes))))
        if any(file.outcome == "incomplete" for file in files):
            receipt = replace(receipt, verified=False, how="not verified")
        if not pages_are_pending(receipt):
            receipt = replace(receipt, finished_at=to_datetime(self._clock.now_ms()))
        await self._store.write(lambda connection: _keep(connection, receipt))
        return receipt

    def _step(
        self, receipt: ErasureReceipt, target: ErasureTarget, connection: apsw.Connection
    ) -> ErasureReceipt | None:
        """Remove some rows of a target and count them; ``None`` when all are gone.

        Both happen in one transaction.
        """
        removed = self._erasers[target.kind].step(connection, target.id, BATCH)
        return self._counted(connection, receipt, removed) if removed else None

    def _drop_names(
        self, receipt: ErasureReceipt, names: Names, connection: apsw.Connection
    ) -> tuple[ErasureReceipt, Collection[str]]:
        """Remove names that nothing uses any more, and return how they were written."""
        file_residue.forget_statistics(connection)
        before = self._names.spellings(connection, names)
        dropped = self._names.drop(connection, names)
        for entity in dropped.entities:
            erasures.record(connection, ErasureTarget("entity", entity), receipt.by, to_ms(receipt.at))
        receipt = replace(receipt, entities=tuple(dict.fromkeys((*receipt.entities, *dropped.entities))))
        receipt = self._counted(connection, receipt, dropped.removed)
        after = self._names.spellings(connection, names)
        return receipt, {spelling for spelling in before if spelling not in after}

    @staticmethod
    def _counted(connection: apsw.Connection, receipt: ErasureReceipt, removed: Mapping[str, int]) -> ErasureReceipt:
        counts = Counter(receipt.removed) + Counter(removed)
        grown = replace(receipt, removed=dict(sorted(counts.items())))
        _keep(connection, grown)
        return grown

    async def _merge_words(self) -> None:
        """Merge the full-text index into one segment.

        Until then it only marks words as deleted.
        """
        await self._store.write(lambda connection: file_residue.begin_merging_words(connection, WORD_INDEX))
        while await self._store.write(lambda connection: file_residue.merge_words(connection, WORD_INDEX)):
            pass

    async def _prove(
        self, receipt: ErasureReceipt, targets: Sequence[ErasureTarget], traces: _Traces, *, is_resumed: bool
    ) -> ErasureReceipt:
        """Search the raw bytes for the text; rewrite the file when any is left."""
        gone = traces.terms - await self._store.write(
            lambda connection: fts_vocabulary.known_terms(connection, WORD_INDEX, traces.terms)
        )
        needles = (*traces.samples, *text_samples.term_tails(gone))
        notes = [_RESUMED] if is_resumed else []
        is_empty = await self._empty_log()
        quoted, has_ghosts = await self._look(needles, traces.packed)
        how: ErasureMethod = "overwritten in place" if needles else "nothing to look for"
        if is_resumed or (has_ghosts and is_empty):
            if await asyncio.to_thread(file_residue.has_room_to_rewrite, self._store.path):
                if has_ghosts:
                    await self._store.write(lambda connection: file_residue.rebuild_words(connection, WORD_INDEX))
                await self._store.write_untransacted(file_residue.rewrite)
                is_empty = await self._empty_log()
                quoted, has_ghosts = await self._look(needles, traces.packed)
                how = "file rewritten"
            else:
                notes.append(_NO_ROOM)
        if not is_empty:
            notes.append(_READER)
        named = await self._store.read(lambda connection: list(self._names.kept(connection, traces.names)))
        if named:
            notes.append(_NAMED)
        is_gone = is_empty and not has_ghosts and not named and _NO_ROOM not in notes
        referring = await self._store.read(partial(self._left, targets))
        return replace(
            receipt,
            looked_for=len(needles),
            verified=is_gone,
            how=how if is_gone else "not verified",
            left=tuple(dict.fromkeys((*named, *referring, *quoted)))[:_MOST_LEFT],
            notes=tuple(dict.fromkeys((*receipt.notes, *notes))),
        )

    async def _empty_log(self) -> bool:
        """Cut the log to nothing, waiting for readers for a while; others write in between."""
        waited = 0.0
        while not await self._store.write_untransacted(empty_log):
            if waited >= _LOG_SECONDS:
                return False
            await asyncio.sleep(_LOG_PAUSE)
            waited += _LOG_PAUSE
        return True

    async def _look(self, needles: Sequence[str], packed: Sequence[bytes]) -> tuple[list[RemainingReference], bool]:
        """Return rows that contain ``needles``, and whether some or ``packed`` are only in raw bytes."""
        files = file_residue.files_of(self._store.path)
        hits = await asyncio.to_thread(file_residue.found_in, files, needles)
        blobs = await asyncio.to_thread(file_residue.found_in, files, packed)
        hits |= await self._store.read(
            lambda connection: references.said_when_packed(connection, needles), limit_s=_NO_LIMIT_S
        )
        has_ghosts = bool(blobs) and not await self._store.read(
            lambda connection: all(references.is_stored(connection, blob) for blob in blobs), limit_s=_NO_LIMIT_S
        )
        if not hits:
            return [], has_ghosts
        places = await self._store.read(
            lambda connection: {hit: references.find_quotes(connection, hit) for hit in hits}, limit_s=_NO_LIMIT_S
        )
        unsaid = {hit for hit in hits if not places[hit]}
        spelled = await self._store.write(
            lambda connection: fts_vocabulary.known_substrings(connection, WORD_INDEX, unsaid)
        )
        chance = await self._store.read(
            lambda connection: {hit for hit in unsaid - spelled if references.meets_in_a_row(connection, hit)},
            limit_s=_NO_LIMIT_S,
        )
        places_of_hits = [place for hit in sorted(hits) for place in places[hit] if place.table not in _DERIVED]
        return [
            RemainingReference(place.table, place.key, "quotes it") for place in places_of_hits if not place.is_common
        ], has_ghosts or bool(unsaid - spelled - chance)

    def _left(self, targets: Sequence[ErasureTarget], connection: apsw.Connection) -> list[RemainingReference]:
        return [reference for target in targets for reference in self._erasers[target.kind].left(connection, target.id)]


def pages_are_pending(receipt: ErasureReceipt) -> bool:
    """Return whether another try may remove what is left in the files."""
    return _READER in receipt.notes and not receipt.verified


def _unfinished(error: MachineError) -> MachineError:
    """Return the error of an erasure that has begun, which says what becomes of it."""
    what = Sentence(
        "Forgetting could not be finished. It stands all the same: what is to be forgotten is hidden already, and the"
        " next start at which the disk permits it erases the rest by itself. Free some space if the disk is full, then"
        " start Keepsake again. What happened: {cause}",
        # The error's own sentence says that nothing was lost, which is not what a person who forgets hopes for.
        cause=Sentence("The disk is full.") if isinstance(error, DiskFullError) else error.sentence,
    )
    return type(error)(what, **error.data)


def _targets(ids: Sequence[str], sessions: Sequence[str], entities: Sequence[str] = ()) -> list[ErasureTarget]:
    named = (storable(name)[0] for name in ids)
    memories = (ErasureTarget(_KINDS.get(name.partition("-")[0], "memory"), name) for name in named)
    talks = (ErasureTarget("session", storable(name)[0]) for name in sessions)
    return list(dict.fromkeys((*memories, *talks, *(ErasureTarget("entity", name) for name in entities))))


def _keep(connection: apsw.Connection, receipt: ErasureReceipt) -> None:
    """Keep a receipt as it stands; it holds ids and numbers, nothing of the text."""
    state: dict[str, Any] = asdict(receipt)
    state["at"] = to_ms(receipt.at)
    state["finished_at"] = None if receipt.finished_at is None else to_ms(receipt.finished_at)
    meta.write(connection, erasures.RECEIPTS + receipt.id, json.dumps(state, ensure_ascii=False))


def _receipt(state: dict[str, Any]) -> ErasureReceipt:
    return ErasureReceipt(
        **state
        | {
            "at": to_datetime(state["at"]),
            "finished_at": None if state["finished_at"] is None else to_datetime(state["finished_at"]),
            "ids": tuple(state["ids"]),
            "sessions": tuple(state["sessions"]),
            "entities": tuple(state.get("entities", ())),
            "left": tuple(RemainingReference(**reference) for reference in state["left"]),
            "backups": tuple(BackupFile(**file) for file in state["backups"]),
            "notes": tuple(state["notes"]),
        }
    )
