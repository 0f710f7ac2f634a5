"""What the engine does of itself: memory is given back once a change or long work is through."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from app.agents.isolated_vaults import IsolatedVaults
from app.agents.ledger.service import LedgerService
from app.api.caller import OWNER
from app.api.catalogue import build_catalogue
from app.background_tasks import BackgroundTasks
from app.changes import Feed
from app.config.config import Config
from app.core.clock import SystemClock
from app.engine import Engine
from app.index.worker import IndexWorker
from app.llm.openai_model import OpenAiModel
from app.memories.access_counts import AccessCounter
from app.retrieval.parts import SearchParts
from app.sessions.capture.write_behind import WriteBehind
from app.store.store import Store
from app.trace.trace import Trace
from app.upkeep.memory_trimmer import WORTH_BYTES, MemoryTrimmer
from tests.helpers.guards.unexpected_logs import AllowLogs

_LIMIT_S = 30.0


class Growing:
    """A process that holds more each time it is looked at."""

    def __init__(self) -> None:
        self._held = 0
        self._loop = asyncio.get_running_loop()
        self.released = asyncio.Event()

    def held(self) -> int:
        """Return how much it holds."""
        self._held += WORTH_BYTES
        return self._held

    def release(self) -> None:
        """Note that it was asked to give back; called in a worker thread."""
        self._loop.call_soon_threadsafe(self.released.set)

    def care(self, trimmer: MemoryTrimmer, quiet: Callable[[], Awaitable[None]]) -> None:
        """Let its memory be given back, without a rest."""
        trimmer.quiet, trimmer.rest_s, trimmer.release, trimmer.held = quiet, 0.0, self.release, self.held


async def _at_once() -> None:
    pass


@pytest.mark.parametrize(
    ("operation", "arguments"),
    [("note.save", {"content": "bought bread"}), ("exchange.export", {"path": "out.jsonl"})],
)
def test_memory_is_given_back_after_a_change_and_after_a_job(
    vault: Path, tmp_path: Path, operation: str, arguments: dict[str, str]
) -> None:
    if "path" in arguments:
        arguments = {"path": str(tmp_path / arguments["path"])}

    async def work() -> None:
        engine, process = Engine(vault, Config(vault), SystemClock(), Feed()), Growing()
        process.care(engine.memory_trimmer, _at_once)
        caring = asyncio.create_task(engine.memory_trimmer.run())
        try:
            await build_catalogue(engine).call(operation, arguments, OWNER)
            await asyncio.wait_for(process.released.wait(), _LIMIT_S)
        finally:
            caring.cancel()
            await engine.stop()

    asyncio.run(work())


def test_a_started_engine_gives_memory_back_once_what_changed_is_indexed(vault: Path) -> None:
    async def work() -> list[int]:
        engine, process = Engine(vault, Config(vault), SystemClock(), Feed()), Growing()
        pending: list[int] = []

        async def quiet() -> None:
            await engine.index.worker.wait_quiet()
            pending.append((await engine.index.worker.state()).pending)

        process.care(engine.memory_trimmer, quiet)
        try:
            await engine.start()
            await build_catalogue(engine).call("note.save", {"content": "bought bread"}, OWNER)
            await asyncio.wait_for(process.released.wait(), _LIMIT_S)
            return pending
        finally:
            await engine.stop()

    assert set(asyncio.run(work())) == {0}


def test_broken_background_work_is_reported(
    vault: Path, monkeypatch: pytest.MonkeyPatch, allow_logs: AllowLogs
) -> None:
    allow_logs("background work warming broke: ZeroDivisionError")

    async def work() -> list[str]:
        engine, broke = Engine(vault, Config(vault), SystemClock(), Feed()), asyncio.Event()

        async def breaking() -> None:
            broke.set()
            raise ZeroDivisionError

        monkeypatch.setattr("app.retrieval.warming.WARM_AFTER_S", 0.0)
        engine.search.service.warm = breaking  # type: ignore[method-assign]
        try:
            await engine.start()
            await asyncio.wait_for(broke.wait(), _LIMIT_S)
            await asyncio.sleep(0)
            found = await build_catalogue(engine).call("vault.status", {}, OWNER)
            return [*found.value.notes]
        finally:
            await engine.stop()

    assert any("“warming”" in note for note in asyncio.run(work()))


_BOTH = {
    *("care", "backups", "index", "entities", "forever", "import-copies", "accesses", "ledger"),
    *("ledger-pruning", "expiry", "after-turn", "inbox", "spending", "write-receipts"),
    *("unfinished-imports", "imported-files", "heap", "token-vectors"),
}
_NOT_IN_SAFE_MODE = {
    *("left-conversations", "earlier-projects", "schedules", "warming", "vectors"),
    *("sync", "sync news", "join requests"),
}
_OF_THE_PERSON = {"transcripts", "note-folder"}
_SERVED = {"projection", "projection proposals"}

_CLOSERS: list[tuple[type, str]] = [
    (WriteBehind, "drain"),
    (IsolatedVaults, "close"),
    (BackgroundTasks, "close"),
    (AccessCounter, "flush"),
    (LedgerService, "flush"),
    (OpenAiModel, "close"),
    (Store, "close"),
    (SearchParts, "close"),
    (IndexWorker, "close"),
    (Trace, "close"),
]


@pytest.mark.parametrize(
    ("is_isolated", "is_safe_mode", "expected"),
    [
        (False, False, _BOTH | _NOT_IN_SAFE_MODE | _OF_THE_PERSON | _SERVED | {"isolated-backups"}),
        (False, True, _BOTH | {"isolated-backups"}),
        (True, False, _BOTH | _NOT_IN_SAFE_MODE),
    ],
    ids=["of the person", "in safe mode", "of an isolated agent"],
)
def test_the_background_work_of_a_vault(vault: Path, is_isolated: bool, is_safe_mode: bool, expected: set[str]) -> None:
    async def work() -> set[str]:
        config = Config(vault, {"index.vectors": True}, safe_mode=is_safe_mode)
        person = Engine(vault.parent / "person", config, SystemClock(), Feed()) if is_isolated else None
        engine = Engine(vault, config, SystemClock(), Feed(), person=person)
        try:
            others = asyncio.all_tasks()
            await engine.start()
            return {task.get_name() for task in asyncio.all_tasks() - others}
        finally:
            await engine.stop()
            if person is not None:
                await person.stop()

    assert asyncio.run(work()) == expected


def test_shutting_down_writes_what_waits_before_the_database_closes(
    vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed: list[str] = []

    def note(owner: type, method: str) -> None:
        close = getattr(owner, method)

        def noting(part: object) -> object:
            closed.append(owner.__name__)
            return close(part)

        monkeypatch.setattr(owner, method, noting)

    async def work() -> None:
        for owner, method in _CLOSERS:
            note(owner, method)
        engine = Engine(vault, Config(vault), SystemClock(), Feed())
        await engine.start()
        closed.clear()
        await engine.stop()

    asyncio.run(work())
    assert closed == [owner.__name__ for owner, _ in _CLOSERS]
