"""A memory service on a real vault, with a clock that stands still until told and an index of whole texts."""

import asyncio
from collections.abc import Callable, Coroutine, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

import apsw
import pytest

from app.core.paths import migrations
from app.core.stores import StoreName
from app.history.bulk_undo import BulkUndo
from app.history.run_undo import RunUndo
from app.history.undo import UndoService
from app.index.repo import Chunk, insert_chunks
from app.memories.foreign_record import MemoryRecord
from app.memories.history_applier import MemoryApplier
from app.memories.importing.ingest import IngestResult, ingest
from app.memories.model import Memory, NewMemory
from app.memories.queries.memory_queries import MemoryQueries
from app.memories.service import MemoryService
from app.memories.unit_of_work import MemoryUnitOfWork
from app.store.store import Store
from tests.helpers.access import EVERYTHING

T = TypeVar("T")


class SetClock:
    """A clock that says what it was set to."""

    def __init__(self) -> None:
        self.ms = 1_700_000_000_000

    def now_ms(self) -> int:
        return self.ms


class WholeIndex:
    """Makes one chunk of a memory; kept in the vault, so what is rolled back is gone from it too."""

    def __init__(self) -> None:
        self.stored = 0

    def memory_stored(self, connection: apsw.Connection, memory: Memory) -> None:
        self.memory_removed(connection, memory.id)
        insert_chunks(connection, [Chunk("memory", memory.content, "", 0, memory_id=memory.id)])
        self.stored += 1

    def memory_removed(self, connection: apsw.Connection, memory_id: str) -> None:
        connection.execute("DELETE FROM chunks WHERE memory_id = ?", (memory_id,))


class MemoryHarness:
    """Everything a test does to memories, without waiting for it."""

    def __init__(self, vault: Path) -> None:
        self.store = Store.open(vault, migrations())
        self.clock = SetClock()
        self.index = WholeIndex()
        self.service = MemoryService(MemoryUnitOfWork(self.store, self.index, self.clock))
        self.reads = MemoryQueries(self.store)
        self.undoing = UndoService(self.store, {"memory": MemoryApplier(self.index)}, self.clock)
        self.runs = RunUndo(self.store, self.undoing, BulkUndo(self.store, self.undoing))
        self._runner = asyncio.Runner()

    def do(self, coroutine: Coroutine[Any, Any, T]) -> T:
        return self._runner.run(coroutine)

    def read(self, work: Callable[[apsw.Connection], T]) -> T:
        return self.do(self.store.read(work))

    def save(self, content: str = "", **fields: Any) -> Memory:
        return self.do(self.service.save(EVERYTHING, NewMemory(content, **fields))).value

    def get(self, memory_id: str) -> Memory:
        return self.do(self.reads.get(EVERYTHING, memory_id))

    def undo(self, *history_ids: int) -> list[int]:
        return self.do(self.undoing.undo(EVERYTHING, history_ids)).value

    def ingest(self, *records: MemoryRecord, fmt: str = "markdown", store: StoreName = "private") -> IngestResult:
        def work(connection: apsw.Connection) -> IngestResult:
            return ingest(
                connection,
                records,
                source=f"import:{fmt}",
                fmt=fmt,
                store=store,
                actor="import",
                now_ms=self.clock.ms,
                index=self.index,
            )

        return self.do(self.store.write(work))

    def rows(self, sql: str, values: Sequence[Any] = ()) -> list[Any]:
        return self.read(lambda connection: connection.execute(sql, tuple(values)).fetchall())

    @property
    def held(self) -> dict[str, str]:
        """The searchable text of each indexed memory."""
        return dict(self.rows("SELECT memory_id, text FROM chunk_texts ORDER BY memory_id"))

    def close(self) -> None:
        self._runner.close()
        self.store.close()


@pytest.fixture
def harness(vault: Path) -> Iterator[MemoryHarness]:
    harness = MemoryHarness(vault)
    yield harness
    harness.close()
