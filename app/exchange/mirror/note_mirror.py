"""Mirror of a folder of Markdown notes, one way or both ways.

What both agreed on is remembered for each file, so that an edit on one side follows to the other, and an edit on both
keeps both. Nothing is deleted: files go to the folder's trash, notes to ours.
"""

import asyncio
import logging
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, Final

import apsw

from app.attachments.model import FOLDER as ATTACHMENTS
from app.changes import Area, ChangeSet
from app.core.access import Access
from app.core.clock import Clock
from app.core.error_location import error_location
from app.core.stores import STORES
from app.errors import KeepsakeError
from app.exchange import attachment_files
from app.exchange.formats import markdown
from app.exchange.formats.notebooks.obsidian import VaultFiles
from app.exchange.mirror import mirror_repo, mirrored_files, mirrored_text
from app.exchange.mirror.mirror_decision import Step, decide
from app.exchange.mirror.mirror_repo import Agreement, NoteState
from app.exchange.mirror.mirrored_files import TRASH, FolderScan, Mark
from app.exchange.model import AttachmentRecord
from app.memories import repo
from app.memories.foreign_record import MemoryRecord, Problem
from app.memories.importing import import_sources
from app.memories.importing.ingest import ingest
from app.memories.model import Memory, NewMemory
from app.memories.service import MemoryService
from app.memories.writer import MemoryIndex
from app.sentence import Sentence, as_sentence
from app.store.store import Store

_log = logging.getLogger(__name__)

ACTOR: Final = "folder"
CONFLICT_TAG: Final = "conflict"
_FORMAT: Final = "markdown"
_SEEN: Final[frozenset[Area]] = frozenset({"memories", "tags", "links"})
_FEW: Final = 3
_MANY: Final = 50
_SHARES: Final = {Step.DELETE_NOTE: 0.1, Step.DELETE_FILE: 0.5}
"""Shares of a folder that count as many: of files that are gone, and of notes that were deleted."""
_MANY_GONE: Final = {
    Step.DELETE_NOTE: Sentence(
        "{count} notes are missing from the folder {root} at once, so none was moved to the trash. Put the files back,"
        " or delete the notes here."
    ),
    Step.DELETE_FILE: Sentence(
        "{count} notes of the folder {root} were deleted here at once, so their files were left there. Restore the"
        " notes, or delete the files."
    ),
}
_NEW_AT_ONCE: Final = 500


@dataclass(slots=True)
class MirrorCounts:
    """Counts since the start: notes read from files, files written, conflicts kept twice."""

    read: int = 0
    written: int = 0
    conflicts: int = 0


@dataclass(slots=True)
class _Look:
    """One look at the folder, and what it found."""

    root: Path
    scan: FolderScan
    others: VaultFiles
    writes: bool
    problems: list[str] = field(default_factory=list)
    failures: dict[str, list[str]] = field(default_factory=dict)
    """By reason, the places and new notes that could not be carried over."""

    def sentences(self) -> tuple[str, ...]:
        """Return the problems: one sentence for many notes that failed for one reason."""
        failed = (_failures(self.root, reason, places) for reason, places in self.failures.items())
        return (*self.problems, *chain.from_iterable(failed))


class NoteMirror:
    """Makes a folder and its notes agree. Belongs to one event loop.

    Args:
        store: The vault's database.
        memories: Writes notes.
        index: Indexes what is read.
        clock: The current time.
        vault: The vault's folder, for attachments.
        publish: Tells of what was taken in.
    """

    def __init__(
        self,
        store: Store,
        memories: MemoryService,
        index: MemoryIndex,
        clock: Clock,
        vault: Path,
        publish: Callable[[ChangeSet], object],
    ) -> None:
        self._store = store
        self._memories = memories
        self._index = index
        self._clock = clock
        self._vault = vault
        self._publish = publish
        self._hashes: dict[str, tuple[Mark, str]] = {}
        self._others: tuple[tuple[Path, int], ...] = ()
        self._refused: Sequence[Problem] = ()
        self._since_ms = clock.now_ms()
        self.counts = MirrorCounts()
        self.problems: tuple[str, ...] = ()

    def note_time(self) -> None:
        """Take note of the time: a folder named from now on is mirrored since then."""
        self._since_ms = self._clock.now_ms()

    async def begin(self, root: Path) -> None:
        """Let the notes written since the folder was named get a file.

        It is begun before the folder is read for the first time, which takes long.

        Raises:
            KeepsakeError: The vault cannot be written.
        """
        folder = str(await asyncio.to_thread(root.resolve))
        await self._store.write(partial(mirror_repo.begin, folder=folder, since_ms=self._since_ms))

    def forget(self) -> None:
        """Forget what was seen: another folder is looked at."""
        self._hashes.clear()
        self._others, self._refused, self.problems = (), (), ()

    async def settle(self, root: Path, scan: FolderScan, *, writes: bool) -> None:
        """Carry edits over, from files to notes and, where ``writes``, from notes to files.

        Raises:
            OSError: The folder cannot be read.
            KeepsakeError: The vault cannot be written.
        """
        root = await asyncio.to_thread(root.resolve)
        look = _Look(root, scan, await asyncio.to_thread(_other_files, root, scan), writes)
        folder = str(root)
        if scan.others != self._others:
            self._refused = await asyncio.to_thread(attachment_files.bring_in, root, self._vault)
            self._others = scan.others
        look.problems += _files_left_out(root, self._refused)
        agreed = {
            agreement.place: agreement
            for agreement in await self._store.read(partial(mirror_repo.agreements, folder=folder))
        }
        states = await self._store.read(partial(mirror_repo.states, folder=folder))
        hashes = await asyncio.to_thread(self._hash_all, root, scan.notes)
        await self._follow_renames(look, agreed, hashes)
        unknown = scan.notes.keys() - hashes.keys()  # there, and not to be read: neither edited nor gone
        if len(unknown) > _FEW:
            look.problems.append(
                Sentence("{count} files of the folder {root} cannot be read.", count=len(unknown), root=root)
            )
        else:
            look.problems += [
                Sentence("The file {place} of the folder {root} cannot be read.", place=place, root=root)
                for place in sorted(unknown)
            ]
        look.problems += [
            Sentence("The folder {place} cannot be read.", place=root / place) for place in scan.unreadable
        ]
        steps: list[tuple[str, Step]] = [
            (place, step)
            for place in sorted((scan.notes.keys() | agreed.keys()) - unknown)
            if not scan.is_hidden(place)
            and (step := _step(agreed.get(place), hashes.get(place), states)) is not Step.NOTHING
        ]
        if not writes:
            steps = [(place, Step.READ) for place, step in steps if step in {Step.READ, Step.KEEP_BOTH}]
        else:
            steps = _without_many_deletions(look, steps, len(agreed))
        for place, step in steps:
            await self._guarded(look, place, self._take(look, place, step, agreed.get(place)))
        if writes:
            await self._write_new(look, folder)
        self.problems = look.sentences()

    async def _follow_renames(self, look: _Look, agreed: dict[str, Agreement], hashes: Mapping[str, str]) -> None:
        """Recognise renamed files by their bytes."""
        gone = {
            agreement.file_hash: agreement
            for place, agreement in agreed.items()
            if agreement.file_hash and place not in look.scan.notes and not look.scan.is_hidden(place)
        }
        for place in sorted(hashes.keys() - agreed.keys()):
            before = gone.pop(hashes[place], None)
            if before is not None:
                # As not agreed on: the file's name may be the note's title.
                agreed[place] = moved = replace(before, place=place, file_hash="-")
                del agreed[before.place]
                await self._store.write(partial(self._register, look=look, agreement=moved), is_derived=True)

    def _register(self, connection: apsw.Connection, look: _Look, agreement: Agreement) -> None:
        """Remember which note a place belongs to, for an import of the folder too."""
        mirror_repo.keep(connection, str(look.root), agreement)
        uri = import_sources.uri(_FORMAT, markdown.key_of(look.root, agreement.place))
        origin = import_sources.Origin("", agreement.memory_id, import_sources.text_hash(str(look.root)))
        import_sources.write(connection, uri, origin, fmt=_FORMAT, at_ms=self._clock.now_ms())

    async def _guarded(self, look: _Look, place: str, work: Coroutine[Any, Any, None]) -> None:
        try:
            await work
        except (OSError, KeepsakeError) as error:
            reason = error.sentence if isinstance(error, KeepsakeError) else error.strerror or str(error)
            look.failures.setdefault(as_sentence(reason), []).append(place)
            _log.info("a mirrored note failed: %s", error_location(error))

    def _hash_all(self, root: Path, notes: Mapping[str, Mark]) -> dict[str, str]:
        """Return the hashes of all files, reading those that changed."""
        hashes: dict[str, str] = {}
        for place, mark in notes.items():
            known = self._hashes.get(place)
            if known is None or known[0] != mark:
                data = mirrored_files.contents(root, place)
                if data is None:
                    continue
                known = self._hashes[place] = (mark, mirrored_files.hash_of(data))
            hashes[place] = known[1]
        for place in self._hashes.keys() - notes.keys():
            del self._hashes[place]
        return hashes

    async def _take(self, look: _Look, place: str, step: Step, agreed: Agreement | None) -> None:
        if step is Step.READ:
            await self._read(look, place, agreed)
        elif step is Step.KEEP_BOTH and agreed is not None:
            await self._keep_both(look, place, agreed)
        elif step is Step.WRITE and agreed is not None:
            await self._write(look, agreed)
        elif step is Step.DELETE_NOTE and agreed is not None:
            changed = await self._memories.delete(Access.everything(ACTOR, "note.delete"), agreed.memory_id)
            self._publish(changed.changes)
            await self._forget(look, place)
        elif step is Step.DELETE_FILE and agreed is not None:
            await asyncio.to_thread(mirrored_files.move, look.root, place, f"{TRASH}/{place.rpartition('/')[2]}")
            await self._agree(look, replace(agreed, file_hash=""))
        elif step in {Step.ERASE_FILE, Step.FORGET}:
            await asyncio.to_thread(mirrored_files.remove, look.root, place)
            await self._forget(look, place)

    # From files to notes ------------------------------------------------------------------------------------------

    async def _read(self, look: _Look, place: str, agreed: Agreement | None) -> None:
        """Store what a file says in its note."""
        data = await asyncio.to_thread(mirrored_files.contents, look.root, place)
        record = await self._record(look, place)
        if data is None or record is None:
            return

        def work(connection: apsw.Connection) -> tuple[ChangeSet | None, str]:
            known = repo.get(connection, agreed.memory_id, stores=STORES) if agreed is not None else None
            if known is not None and known.deleted_at is None and mirrored_text.says(known, record):
                self._note(connection, look, place, known, data, record)
                return None, known.id
            now = self._clock.now_ms()
            outcome = ingest(
                connection, [record], source=f"import:{_FORMAT}", fmt=_FORMAT, store="private", actor=ACTOR,
                now_ms=now, index=self._index,
            )  # fmt: skip
            origin = import_sources.find(connection, import_sources.uri(_FORMAT, record.key))
            memory = None if origin is None else repo.get(connection, origin.memory_id, stores=STORES)
            if memory is None:
                return outcome.changes, ""
            if not outcome.added and not outcome.updated and not mirrored_text.says(memory, record):
                memory = replace(memory, version=memory.version - 1)  # edited here while nobody wrote the file
            self._note(connection, look, place, memory, data, record)
            return outcome.changes, memory.id

        changes, memory_id = await self._store.write(work)
        if changes is not None and changes.history_ids:
            self.counts.read += 1
            self._publish(replace(changes, areas=changes.areas | _SEEN))
        # Read only, a note that was deleted before the folder was followed stays deleted.
        if memory_id and (look.writes or agreed is not None):
            await self._revive(memory_id)

    async def _revive(self, memory_id: str) -> None:
        """Bring a deleted note back, whose file is there again."""
        memory = await self._memory(memory_id)
        if memory is not None and memory.deleted_at is not None:
            restored = await self._memories.restore(Access.everything(ACTOR, "note.restore"), memory_id)
            self._publish(restored.changes)

    async def _record(self, look: _Look, place: str) -> MemoryRecord | None:
        """Return what a file says; its pictures are kept."""

        def read() -> tuple[MemoryRecord | None, list[AttachmentRecord]]:
            note, files = None, list[AttachmentRecord]()
            for record in markdown.read_one(look.root, look.root / place, look.others):
                if isinstance(record, MemoryRecord):
                    note = record
                elif isinstance(record, AttachmentRecord):
                    files.append(record)
            return note, files

        record, files = await asyncio.to_thread(read)
        kept = [await asyncio.to_thread(attachment_files.keep, file, self._vault) for file in files]
        look.problems += _files_left_out(look.root, [problem for problem in kept if problem is not None])
        return record

    async def _keep_both(self, look: _Look, place: str, agreed: Agreement) -> None:
        """Let the note take the file's text, and keep its own as a second note."""
        memory, record = await self._memory(agreed.memory_id), await self._record(look, place)
        if memory is None or record is None:
            return
        if not mirrored_text.says(memory, record):
            title = f"{memory.title} (conflict {date.fromtimestamp(self._clock.now_ms() / 1000).isoformat()})"  # noqa: DTZ012
            copy = NewMemory(
                content=memory.content, title=title, tags=(*memory.tags, CONFLICT_TAG), store=memory.store, source=ACTOR
            )
            if not await self._store.read(partial(_has_note, title=title, content=memory.content)):
                saved = await self._memories.save(Access.everything(ACTOR, "note.save"), copy)
                self._publish(saved.changes)
                self.counts.conflicts += 1
        await self._read(look, place, agreed)

    # From notes to files ------------------------------------------------------------------------------------------

    async def _write(self, look: _Look, agreed: Agreement) -> None:
        """Write what a note says into its file, which is renamed with it."""
        memory = await self._memory(agreed.memory_id)
        if memory is None:
            return
        if not agreed.file_hash:
            await asyncio.to_thread(mirrored_files.take_back, look.root, agreed.place)
        data = await asyncio.to_thread(mirrored_files.contents, look.root, agreed.place)
        before = "" if data is None else mirrored_files.hash_of(data)
        if data is not None and agreed.file_hash and before != agreed.file_hash:
            return  # edited a moment ago; the next look sees both
        record = None if data is None else await self._record(look, agreed.place)
        free = partial(mirrored_files.free_place, look.root, but=agreed.place)
        text = await asyncio.to_thread(mirrored_text.edited, data, record, memory, agreed.place, free)
        if text.data != data:
            await self._write_attachments(look, agreed.place, memory)
            if not await asyncio.to_thread(mirrored_files.write, look.root, agreed.place, text.data, before):
                return
            self.counts.written += 1
        place = agreed.place
        if text.place != place:
            # Known before it is there: cut off in between, the file is still that of this note.
            renamed = Agreement(text.place, memory.id, "", memory.version)
            await self._store.write(partial(self._register, look=look, agreement=renamed), is_derived=True)
            place = await asyncio.to_thread(mirrored_files.move, look.root, place, text.place)
        await self._note_written(look, place, memory, text.data)

    async def _write_attachments(self, look: _Look, place: str, memory: Memory) -> None:
        """Copy the attachments of a note into the folder."""
        for name in mirrored_text.attachments_in(memory.content):
            target = f"{place.rpartition('/')[0]}/{ATTACHMENTS}/{name}".lstrip("/")
            await asyncio.to_thread(mirrored_files.copy_attachment, self._vault / ATTACHMENTS, name, look.root, target)

    async def _write_new(self, look: _Look, folder: str) -> None:
        """Write a file for each new note of the person."""
        since = await self._store.read(partial(mirror_repo.begun_at, folder=folder))
        unwritten = partial(mirror_repo.unwritten, folder=folder, since_ms=since, limit=_NEW_AT_ONCE)
        for memory_id in await self._store.read(unwritten):
            await self._guarded(look, memory_id, self._begin_file(look, memory_id))

    async def _begin_file(self, look: _Look, memory_id: str) -> None:
        memory = await self._memory(memory_id)
        if memory is None:
            return
        wanted = mirrored_files.place_of(memory.title or mirrored_text.first_words(memory.content))
        place = await asyncio.to_thread(mirrored_files.free_place, look.root, wanted)
        # Known before it is there: cut off in between, the file is still that of this note.
        agreed = Agreement(place, memory_id, "", memory.version)
        await self._agree(look, agreed)
        await self._write(look, agreed)

    async def _note_written(self, look: _Look, place: str, memory: Memory, data: bytes) -> None:
        """Remember that a file says what its note says."""
        record = await self._record(look, place)
        if record is not None:
            await self._store.write(
                lambda connection: self._note(connection, look, place, memory, data, record), is_derived=True
            )

    def _note(
        self, connection: apsw.Connection, look: _Look, place: str, memory: Memory, data: bytes, record: MemoryRecord
    ) -> None:
        mirror_repo.keep(
            connection, str(look.root), Agreement(place, memory.id, mirrored_files.hash_of(data), memory.version)
        )
        # An import of the folder by the person then finds nothing new either.
        place = import_sources.text_hash(str(look.root))
        origin = import_sources.Origin(import_sources.record_hash(record), memory.id, place)
        uri = import_sources.uri(_FORMAT, record.key)
        import_sources.write(connection, uri, origin, fmt=_FORMAT, at_ms=self._clock.now_ms())

    async def _agree(self, look: _Look, agreement: Agreement) -> None:
        memory = await self._memory(agreement.memory_id)
        current = agreement if memory is None else replace(agreement, version=memory.version)
        await self._store.write(partial(mirror_repo.keep, folder=str(look.root), agreement=current), is_derived=True)

    async def _forget(self, look: _Look, place: str) -> None:
        await self._store.write(partial(mirror_repo.drop, folder=str(look.root), place=place), is_derived=True)

    async def _memory(self, memory_id: str) -> Memory | None:
        return await self._store.read(partial(repo.get, memory_id=memory_id, stores=STORES))


def _other_files(root: Path, scan: FolderScan) -> VaultFiles:
    there = ((path, path.lstat()) for path, _ in scan.others if path.exists())
    return markdown.other_files(root, there)


def _step(agreed: Agreement | None, file_hash: str | None, states: Mapping[str, NoteState]) -> Step:
    return decide(agreed, file_hash, None if agreed is None else states.get(agreed.memory_id))


def _failures(root: Path, reason: str, places: Sequence[str]) -> Iterator[Sentence]:
    """Yield what to say of notes that failed for one reason."""
    if len(places) > _FEW:
        yield Sentence(
            "{count} notes of the folder {root} could not be mirrored: {reason}",
            count=len(places),
            root=root,
            reason=reason,
        )
        return
    for place in places:
        yield Sentence(
            "The note {place} of the folder {root} could not be mirrored: {reason}",
            place=place,
            root=root,
            reason=reason,
        )


def _files_left_out(root: Path, problems: Sequence[Problem]) -> list[Sentence]:
    """Return what to say of attachments that did not come into the vault."""
    if len(problems) > _FEW:
        return [Sentence("{count} attachments of the folder {root} were left out.", count=len(problems), root=root)]
    return [
        Sentence(
            "The attachment {place} of the folder {root} was left out: {reason}",
            place=problem.place,
            root=root,
            reason=as_sentence(problem.what),
        )
        for problem in problems
    ]


def _without_many_deletions(look: _Look, steps: list[tuple[str, Step]], known: int) -> list[tuple[str, Step]]:
    """Leave deletions out, on either side, where there are suspiciously many."""
    for deletion, share in _SHARES.items():
        count = sum(step is deletion for _, step in steps)
        if count > max(_FEW, min(known * share, _MANY)) or (count > 1 and count == known):
            look.problems.append(Sentence(_MANY_GONE[deletion], count=count, root=look.root))
            steps = [(place, step) for place, step in steps if step is not deletion]
    return steps


def _has_note(connection: apsw.Connection, title: str, content: str) -> bool:
    sql = "SELECT 1 FROM memories WHERE kind = 'note' AND title = ? AND content = ? AND valid_until IS NULL"
    return connection.execute(sql, (title, content)).fetchone() is not None
