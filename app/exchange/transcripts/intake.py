"""Intake of transcripts: parts sent by hooks and files on disk, each message stored once."""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

from app.changes import Area, ChangeSet, session_scope
from app.core.clock import Clock, to_ms
from app.core.text import has_controls, storable
from app.core.whole_lines import FilePosition, read_whole_lines
from app.errors import InputError
from app.exchange.formats.transcripts import claude_code, codex, cursor, gemini
from app.exchange.formats.transcripts.transcript_records import LineParser
from app.exchange.importing.batches import Storable
from app.exchange.importing.import_tally import Ingested
from app.exchange.model import AttachmentRecord, MessageRecord, Position, Record
from app.exchange.transcripts import repo
from app.exchange.transcripts.model import CaptureCounts, CapturePosition, TranscriptFile, TranscriptFormat
from app.exchange.transcripts.transcript_sink import Capture, TranscriptSink
from app.memories.foreign_record import Problem
from app.sentence import Sentence
from app.sessions.capture.capture_policy import CapturePolicy
from app.store.store import Store

PART_BYTES: Final = 2 << 20
MAX_PATH: Final = 4096
MAX_OFFSET: Final = 1 << 53
MAX_TAIL: Final = 64
_BATCH: Final = 200
_BATCH_CHARACTERS: Final = 1 << 20
# What a parser must know that is not what was said.
_KEPT_STATE: Final = frozenset({"session", "is_begun", "begun", "tools", "model", "queued", "due", "source", "events"})
_PARSERS: dict[str, Callable[[str, dict[str, Any]], LineParser]] = {
    "claude-code": claude_code.ClaudeCodeParser,
    "codex": codex.CodexParser,
    "gemini": gemini.GeminiParser,
}


@dataclass(frozen=True, slots=True)
class Sender:
    """Sender of a transcript.

    Args:
        actor: The actor in the history.
        agent: The agent it is limited to, ``None`` for the person and full trust.
        writer: The agent whose connection it is, ``""`` for the person.
    """

    actor: str
    agent: str | None = None
    writer: str = ""


class TranscriptIntake:
    """Takes transcripts in. Belongs to one event loop.

    Args:
        store: The vault's database.
        clock: The source of the time.
        policy: Which agents' conversations are kept.
        new_sink: Makes where the messages of a sender's transcripts go.
        publish: Tells of new messages.
        is_private: Returns whether the person was incognito at any moment between two times in milliseconds since 1970.
    """

    def __init__(
        self,
        store: Store,
        clock: Clock,
        policy: CapturePolicy,
        new_sink: Callable[[Capture], TranscriptSink],
        publish: Callable[[ChangeSet], None],
        is_private: Callable[[int, int], bool],
    ) -> None:
        self._is_private = is_private
        self._store = store
        self._clock = clock
        self._policy = policy
        self._new_sink = new_sink
        self._publish = publish
        self._sinks: dict[Sender, TranscriptSink] = {}
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self.totals = CaptureCounts()

    async def position(self, path: str, sender: Sender) -> CapturePosition:
        """Return how far a transcript was taken in."""
        _check_path(path)
        file = await self._store.read(partial(repo.transcript_file, path=path))
        if file is None:
            return CapturePosition(0)
        return CapturePosition(-1) if _is_others(file, sender) else CapturePosition(file.offset, file.tail)

    async def take_part(
        self, path: str, form: TranscriptFormat, text: str, start: int, end: FilePosition, sender: Sender
    ) -> CaptureCounts:
        """Take in whole lines of a transcript that its client sends.

        Args:
            path: Where the client keeps it; only names it, the file is not read.
            form: Its format.
            text: Lines, the last with its end.
            start: Where they begin: at 0, or at the position that was told last.
            end: Where they end, told to the client the next time.
            sender: Who sends them.

        Raises:
            InputError: The path is none, the format has no lines, or the part begins elsewhere.
        """
        _check_path(path)
        if form not in _PARSERS:
            raise InputError("Transcripts of Cursor are not sent in lines. Import its state.vscdb.", field="format")
        if not 0 <= start <= end.offset <= MAX_OFFSET or len(end.tail) > MAX_TAIL or (text and not text.endswith("\n")):
            raise InputError("A part has whole lines, and ends behind its start.", field="end")
        async with self._locks[path]:
            file = await self._store.read(partial(repo.transcript_file, path=path))
            if file is not None and _is_others(file, sender):
                return CaptureCounts(offset=-1)
            if start == 0 or file is None:
                file = TranscriptFile(path, form)
            if start != file.offset:
                raise InputError(
                    "This part does not begin where the last one ended. Ask for the position first.", field="start"
                )
            file = replace(file, format=form, agent=sender.agent or "")
            now = self._clock.now_ms()
            done, file = await self._take_lines(file, text.encode("utf-8", "surrogatepass"), end, sender, now)
            return replace(done, offset=file.offset, tail=file.tail)

    async def take_file(self, path: Path, form: str, sender: Sender) -> CaptureCounts:
        """Take in what is new in a file on disk.

        Raises:
            OSError: It cannot be read.
            FormatError: It is a damaged database.
        """
        name = str(path)
        async with self._locks[name]:
            status = await asyncio.to_thread(path.stat)
            known = await self._store.read(partial(repo.transcript_file, path=name)) or TranscriptFile(name, form)
            since_ms = known.changed_ns // 1_000_000
            seen = replace(known, size=status.st_size, changed_ns=status.st_mtime_ns)
            if form in _PARSERS and path.suffix == ".jsonl":
                return await self._take_new_lines(path, seen, sender, since_ms)
            return await self._take_document(path, form, seen, sender, since_ms)

    async def _take_new_lines(self, path: Path, file: TranscriptFile, sender: Sender, since_ms: int) -> CaptureCounts:
        total = CaptureCounts()
        while True:
            part = await asyncio.to_thread(read_whole_lines, path, FilePosition(file.offset, file.tail), PART_BYTES)
            if part.start != file.offset:
                file = replace(file, offset=0, tail="", state={})
            done, file = await self._take_lines(file, part.data, part.position, sender, since_ms)
            total = _sum(total, done)
            if not part.has_more:
                return total

    async def _take_lines(
        self, file: TranscriptFile, data: bytes, end: FilePosition, sender: Sender, since_ms: int
    ) -> tuple[CaptureCounts, TranscriptFile]:
        parser = _PARSERS[file.format](Path(file.path).stem, file.state)
        records = await asyncio.to_thread(_parse, parser, data, Path(file.path).name)
        done = await self._store_records(records, file.format, sender, since_ms)
        state = {name: value for name, value in parser.state.items() if name in _KEPT_STATE}
        file = replace(file, offset=end.offset, tail=end.tail, state=state)
        await self._store.write(partial(repo.put_file, file=file, now_ms=self._clock.now_ms()))
        return done, file

    async def _take_document(
        self, path: Path, form: str, file: TranscriptFile, sender: Sender, since_ms: int
    ) -> CaptureCounts:
        now = self._clock.now_ms()
        since = int(file.state.get("since_ms", 0))
        read = (
            partial(cursor.read_database, path, _never, since)
            if form == cursor.FORMAT
            else partial(gemini.read, path, _never)
        )
        records = await asyncio.to_thread(lambda: list(read()))
        done = await self._store_records(records, form, sender, since_ms)
        # With some room: the other program's clock is the same, but it writes later than it dates.
        state = {"since_ms": max(0, now - 600_000)} if form == cursor.FORMAT and records else {}
        await self._store.write(partial(repo.put_file, file=replace(file, state=state), now_ms=now))
        return done

    async def _store_records(
        self, records: Sequence[Record], form: str, sender: Sender, since_ms: int
    ) -> CaptureCounts:
        """Store what was not said while the person was incognito.

        Args:
            records: What a transcript says.
            form: Its format.
            sender: Who sends it.
            since_ms: When it was taken in last: messages without a time were said between that and now.
        """
        records = list(self._without_private(records, since_ms))
        sink = self._sinks.get(sender)
        if sink is None:
            capture = Capture(sender.agent, sender.agent is not None, self._policy, sender.writer)
            sink = self._sinks[sender] = self._new_sink(capture)
        total = CaptureCounts(problems=sum(isinstance(record, Problem) for record in records))
        for batch in _batches(records):
            done = await sink.ingest(batch, source=f"capture:{form}", format=form, store="private", actor=sender.actor)
            total = _sum(total, _captured(done))
        changed, sink.changed = sink.changed, {}
        if changed:
            areas: frozenset[Area] = frozenset({"sessions", "messages"})
            scopes = tuple(map(session_scope, changed.values()))
            changes = ChangeSet(areas, tuple(changed), sender.actor, "session.append", scopes=scopes, only_appends=True)
            self._publish(changes)
        self.totals = _sum(self.totals, total)
        return total

    def _without_private(self, records: Sequence[Record], since_ms: int) -> Iterator[Record]:
        now, said_ms = self._clock.now_ms(), None
        for record in records:
            if isinstance(record, MessageRecord):
                at = record.message.created_at
                said_ms = said_ms if at is None else to_ms(at)
                begin, end = (since_ms, now) if said_ms is None else (said_ms, said_ms)
                if self._is_private(begin, end):
                    continue
            yield record


def _parse(parser: LineParser, data: bytes, name: str) -> list[Record]:
    lines = data.split(b"\n")
    parser.look_ahead(lines)
    return [record for number, line in enumerate(lines, 1) for record in parser.records(line, f"{name}, {number}")]


def _batches(records: Sequence[Record]) -> Iterator[list[Storable]]:
    batch: list[Storable] = []
    size = 0
    for record in records:
        if isinstance(record, AttachmentRecord | Problem | Position):
            continue
        batch.append(record)
        size += len(getattr(getattr(record, "message", None), "content", ""))
        if len(batch) >= _BATCH or size >= _BATCH_CHARACTERS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _captured(done: Ingested) -> CaptureCounts:
    return CaptureCounts(done.messages, done.unchanged, done.secrets, done.recalled, len(done.problems))


def _sum(total: CaptureCounts, more: CaptureCounts) -> CaptureCounts:
    return CaptureCounts(
        total.messages + more.messages,
        total.unchanged + more.unchanged,
        total.secrets + more.secrets,
        total.recalled + more.recalled,
        total.problems + more.problems,
    )


def _is_others(file: TranscriptFile, sender: Sender) -> bool:
    """Return whether a transcript that another sends is none of the sender's business."""
    return sender.agent is not None and file.agent != sender.agent


def _check_path(path: str) -> None:
    if not path.strip() or len(path) > MAX_PATH or has_controls(path) or storable(path)[1]:
        raise InputError(
            Sentence("'path' must name the transcript, in 1 to {most} ordinary characters.", most=MAX_PATH),
            field="path",
        )


def _never() -> bool:
    return False
