import asyncio
import os
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import pytest

from app.core.stores import StoreName
from app.errors import CancelledByPersonError, FormatError, InputError, NotFoundError
from app.exchange.formats import markdown
from app.exchange.importing.batches import MAX_RECORDS, Storable
from app.exchange.importing.import_tally import Ingested
from app.exchange.model import ForgottenSession, MessageRecord, Position, VaultDetail
from app.exchange.service import DetailPart, ExchangeService
from app.memories.archive.model import Archived
from app.memories.foreign_record import MemoryRecord, Problem
from app.memories.model import Memory
from app.sessions.model import Message, Session
from tests.unit.app.exchange.reading import chatgpt_talk, write_json

NOW = datetime(2024, 1, 31, tzinfo=UTC)
T = TypeVar("T")


def on_loop(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    @wraps(test)
    def run(**given: Any) -> None:
        asyncio.run(test(**given))

    return run


@dataclass
class FakeVault:
    """A place for records that remembers them, and the arguments they came with."""

    batches: list[list[Storable]] = field(default_factory=list)
    requests: set[tuple[str, str, str, str]] = field(default_factory=set)
    failure: Exception | None = None
    on_batch: Callable[[], None] = lambda: None

    async def ingest(
        self,
        batch: Sequence[Storable],
        *,
        source: str,
        format: str,  # noqa: A002
        store: StoreName,
        actor: str,
    ) -> Ingested:
        self.on_batch()
        if self.failure is not None:
            raise self.failure
        self.batches.append(list(batch))
        self.requests.add((source, format, store, actor))
        turns = sum(isinstance(record, MessageRecord) for record in batch)
        return Ingested(sessions=len(batch) - turns, messages=turns, problems=(Problem("x", "from the vault"),))

    def sessions(self) -> AsyncIterator[Session]:
        return self._each([Session(key, key, "", "", NOW, NOW, 700) for key in ("a", "b")])

    def messages(self, session_id: str) -> AsyncIterator[Message]:
        return self._each([Message(session_id, seq, "user", "", f"{seq}", NOW, 0.5, 1) for seq in range(1, 701)])

    def forgotten(self) -> AsyncIterator[ForgottenSession]:
        return self._each([])

    def session_details(self, session_id: str) -> AsyncIterator[VaultDetail]:
        return self._each([])

    def details(self, part: DetailPart) -> AsyncIterator[VaultDetail]:
        return self._each([])

    def memories(self) -> AsyncIterator[Memory]:
        return self._each([Memory("note-1", "note", "T", "x", "private", "person", NOW, NOW)])

    def removed(self) -> AsyncIterator[Memory | Archived]:
        gone = Memory("note-2", "note", "T", "x", "private", "person", NOW, NOW, deleted_at=NOW)
        return self._each([gone, Archived(replace(gone, id="note-3"), NOW, "old")])

    @staticmethod
    async def _each(values: Sequence[T]) -> AsyncIterator[T]:
        for value in values:
            await asyncio.sleep(0)
            yield value


@dataclass
class RecordingJob:
    """A job that records its progress, and stops when it is set to."""

    progress: list[tuple[int, int | None, str]] = field(default_factory=list)
    stopped: bool = False

    def is_cancelled(self) -> bool:
        return self.stopped

    def advance(self, done: int, total: int | None, detail: str = "") -> None:
        self.progress.append((done, total, detail))


def service(vault: FakeVault) -> ExchangeService:
    return ExchangeService(lambda _: vault, vault)


def export(tmp_path: Path, count: int = 1500) -> Path:
    return write_json(tmp_path / "conversations.json", [chatgpt_talk(f"c{number}", "Hi") for number in range(count)])


@on_loop
async def test_an_import_in_batches(tmp_path: Path) -> None:
    vault, job, path = FakeVault(), RecordingJob(), export(tmp_path)
    report = await service(vault).import_path(path, "auto", "shared", "import:person", job)
    assert (report.format, report.source, report.sessions, report.messages) == ("chatgpt", str(path), 1500, 1500)
    assert not report.cancelled
    assert max(map(len, vault.batches)) <= MAX_RECORDS
    assert vault.requests == {("import:chatgpt", "chatgpt", "shared", "import:person")}
    assert report.problem_count == len(report.problems) == len(vault.batches)
    assert job.progress[-1][:2] == (path.stat().st_size, path.stat().st_size)
    assert "1,500 messages" in job.progress[-1][2]


@on_loop
async def test_the_first_thousand_problems_are_kept_and_all_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text("broken\n" * 3000)
    report = await service(FakeVault()).import_path(path, "keepsake", "private", "a", RecordingJob())
    assert (len(report.problems), report.problem_count) == (1000, 3000)


@on_loop
async def test_a_stopped_import_keeps_what_was_stored(tmp_path: Path) -> None:
    vault, job = FakeVault(), RecordingJob()
    vault.on_batch = lambda: setattr(job, "stopped", len(vault.batches) == 1)
    report = await service(vault).import_path(export(tmp_path), "chatgpt", "private", "a", job)
    assert report.cancelled
    assert len(vault.batches) == 2
    assert report.sessions + report.messages == sum(map(len, vault.batches))


@on_loop
async def test_an_import_stopped_before_it_began(tmp_path: Path) -> None:
    report = await service(FakeVault()).import_path(
        export(tmp_path), "chatgpt", "private", "a", RecordingJob(stopped=True)
    )
    assert (report.cancelled, report.messages) == (True, 0)


@on_loop
async def test_a_failing_vault_ends_the_import_and_its_thread(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no room"):
        await service(FakeVault(failure=InputError("no room"))).import_path(
            export(tmp_path), "chatgpt", "private", "a", RecordingJob()
        )


@on_loop
async def test_a_cancelled_task_lets_go_of_the_file(tmp_path: Path) -> None:
    begun = asyncio.Event()
    vault = FakeVault(on_batch=begun.set)
    task = asyncio.create_task(
        service(vault).import_path(export(tmp_path, 5000), "chatgpt", "private", "a", RecordingJob())
    )
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


@pytest.mark.parametrize(
    ("name", "error"), [("none.json", NotFoundError), ("empty.json", FormatError), ("cut.zip", FormatError)]
)
@on_loop
async def test_what_cannot_be_read_is_said(tmp_path: Path, name: str, error: type[Exception]) -> None:
    (tmp_path / "empty.json").touch()
    (tmp_path / "cut.zip").write_bytes(b"PK\x03\x04" + os.urandom(100))
    for format_name in ("auto", "chatgpt") if name != "empty.json" else ("auto",):
        with pytest.raises(error):
            await service(FakeVault()).import_path(tmp_path / name, format_name, "private", "a", RecordingJob())


@on_loop
async def test_unknown_formats_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="There is no format"):
        await service(FakeVault()).import_path(tmp_path, "word", "private", "a", RecordingJob())
    with pytest.raises(InputError, match="jsonl or markdown"):
        await service(FakeVault()).export_path(tmp_path / "x", "word", RecordingJob())


@on_loop
async def test_reading_happens_outside_the_loop(tmp_path: Path) -> None:
    loop_thread, seen = threading.get_ident(), set[int]()

    class Spy(RecordingJob):
        def is_cancelled(self) -> bool:
            seen.add(threading.get_ident())
            return False

    await service(FakeVault()).import_path(export(tmp_path), "chatgpt", "private", "a", Spy())
    assert seen - {loop_thread}


@on_loop
async def test_an_export_and_its_import(tmp_path: Path) -> None:
    vault, job, path = FakeVault(), RecordingJob(), tmp_path / "out.jsonl"
    report = await service(vault).export_path(path, "jsonl", job)
    assert (report.sessions, report.messages, report.memories) == (2, 1400, 3)
    assert job.progress[-1][0] == 1405
    again = await service(vault).import_path(path, "auto", "private", "a", RecordingJob())
    assert (again.format, again.messages) == ("keepsake", 1400)


@pytest.mark.parametrize("name", ["jsonl", "markdown"])
@on_loop
async def test_a_stopped_export_leaves_nothing(tmp_path: Path, name: str) -> None:
    with pytest.raises(CancelledByPersonError):
        await service(FakeVault()).export_path(tmp_path / "out", name, RecordingJob(stopped=True))
    assert not list(tmp_path.iterdir())


@on_loop
async def test_what_is_gone_stays_out_where_the_format_has_no_mark_or_it_is_not_wanted(tmp_path: Path) -> None:
    report = await service(FakeVault()).export_path(tmp_path / "out.jsonl", "jsonl", RecordingJob(), removed=False)
    assert report.memories == 1
    assert (await service(FakeVault()).export_path(tmp_path / "folder", "markdown", RecordingJob())).memories == 1


@on_loop
async def test_a_preview(tmp_path: Path) -> None:
    path = export(tmp_path, 1)
    assert (await service(FakeVault()).preview(path)).format == "chatgpt"


def deep_folders(tmp_path: Path, count: int = 50) -> Path:
    root = tmp_path / "disk"
    for number in range(count):
        (root / f"{number}" / "below").mkdir(parents=True)
    return root


class StoppedAfter(RecordingJob):
    """A job that is stopped at the so many-th look."""

    def __init__(self, looks: int) -> None:
        super().__init__()
        self.looks = looks

    def is_cancelled(self) -> bool:
        self.looks -= 1
        return self.looks < 0


@on_loop
async def test_a_search_for_notes_says_so_and_can_be_stopped(tmp_path: Path) -> None:
    job = StoppedAfter(5)
    report = await service(FakeVault()).import_path(deep_folders(tmp_path), "auto", "private", "a", job)
    assert (report.cancelled, report.memories) == (True, 0)
    assert job.progress == [(0, None, "finding out what it is")]


@on_loop
async def test_reading_a_large_folder_can_be_stopped_before_the_first_note(tmp_path: Path) -> None:
    root = deep_folders(tmp_path)
    (root / "note.md").write_text("A heron")
    vault, job = FakeVault(), StoppedAfter(5)
    report = await service(vault).import_path(root, "markdown", "private", "a", job)
    assert (report.cancelled, vault.batches) == (True, [])


def test_folders_of_the_system_are_left_out_and_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc" / "note.md").write_text("made up as it is read")
    (tmp_path / "note.md").write_text("A heron")
    monkeypatch.setattr(markdown, "OF_THE_SYSTEM", frozenset({str(tmp_path.resolve() / "proc")}))
    found = list(markdown.read(tmp_path, lambda: False))
    assert [record.content for record in found if isinstance(record, MemoryRecord)] == ["A heron"]
    assert ("proc", "It belongs to the system and was left out.") in {
        (record.place, record.what) for record in found if isinstance(record, Problem)
    }
    assert any(isinstance(record, Position) and "looking for notes" in record.detail for record in found)
