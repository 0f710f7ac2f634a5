"""Entities on a real vault: sessions, memories and the background reading, without waiting for it in the test."""

import asyncio
from collections.abc import Callable, Coroutine, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

import apsw
import pytest

from app.changes import ChangeSet
from app.core.paths import migrations
from app.core.stores import STORES
from app.entities import entity_state
from app.entities.entity_state import EntityApplier
from app.entities.mention_worker import MentionWorker
from app.entities.model import Entity, EntityFilter, EntityRow
from app.entities.queries.entity_queries import EntityQueries
from app.entities.service import EntityService
from app.history.undo import UndoService
from app.index.indexer import Indexer
from app.memories.history_applier import MemoryApplier
from app.memories.model import Memory, NewMemory
from app.memories.queries.title_links import links_of_titles
from app.memories.service import MemoryService
from app.memories.unit_of_work import MemoryUnitOfWork
from app.sessions.model import NewMessage
from app.sessions.service import NewSession, SessionService
from app.sessions.session_applier import SessionApplier
from app.store.store import Store
from tests.helpers.access import EVERYTHING

T = TypeVar("T")


class SetClock:
    """A clock that says what it was set to."""

    def __init__(self) -> None:
        self.ms = 1_700_000_000_000

    def now_ms(self) -> int:
        return self.ms


async def at_once() -> None:
    """Nothing more urgent is there."""


class EntityHarness:
    """Everything a test does, with the answers at once."""

    def __init__(self, vault: Path) -> None:
        self.store = Store.open(vault, migrations())
        self.clock = SetClock()
        indexer = Indexer()
        self.sessions = SessionService(self.store, indexer, self.clock)
        self.memories = MemoryService(MemoryUnitOfWork(self.store, indexer, self.clock))
        self.service = EntityService(self.store, self.clock)
        self.reads = EntityQueries(self.store, links_of_titles)
        self.published: list[ChangeSet] = []
        self.sync = MentionWorker(self.store, self.clock, self.published.append, at_once)
        appliers = {"session": SessionApplier(indexer), "memory": MemoryApplier(indexer), "entity": EntityApplier()}
        self.undoing = UndoService(self.store, appliers, self.clock)
        self._runner = asyncio.Runner()

    def do(self, coroutine: Coroutine[Any, Any, T]) -> T:
        return self._runner.run(coroutine)

    def write(self, work: Callable[[apsw.Connection], T]) -> T:
        return self.do(self.store.write(work))

    def rows(self, sql: str, values: Sequence[Any] = ()) -> list[Any]:
        return self.do(self.store.read(lambda connection: connection.execute(sql, tuple(values)).fetchall()))

    def say(self, *texts: str, session: str = "s", author: str = "", role: Any = "user") -> None:
        turns = [NewMessage(role, text, author) for text in texts]
        self.do(self.sessions.append(turns, session, NewSession(), "person", owner=None))

    def note(self, content: str, **fields: Any) -> Memory:
        return self.do(self.memories.save(EVERYTHING, NewMemory(content, **fields))).value

    def read_all(self) -> None:
        """Let the background work read what is new."""

        async def work() -> None:
            self.sync.wake(decided=True)
            task = asyncio.create_task(self.sync.run())
            await self.sync.wait_idle()
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

        self.do(work())
        assert self.sync.failure == ""

    def listed(self, stores: Sequence[str] = STORES, **fields: Any) -> list[EntityRow]:
        return self.do(self.reads.listed(EVERYTHING.within(stores), EntityFilter(**fields), limit=500))

    def names(self, stores: Sequence[str] = STORES, **fields: Any) -> dict[str, int]:
        return {row.name: row.mentions for row in self.listed(stores, **fields)}

    def id(self, name: str) -> str:
        return next(row.id for row in self.listed() if row.name == name)

    def get(self, entity_id: str) -> Entity:
        return self.do(self.reads.get(EVERYTHING, entity_id))

    def undo(self, changes: ChangeSet) -> ChangeSet:
        return self.do(self.undoing.undo(EVERYTHING, changes.history_ids)).changes

    def picture(self) -> tuple[Any, ...]:
        """Everything the registry says: each entity's state and count, and what each mention means."""

        def work(connection: apsw.Connection) -> tuple[Any, ...]:
            counts = dict(connection.execute("SELECT id, mention_count FROM entities ORDER BY id").fetchall())
            states = {one: entity_state.read(connection, one) for one in counts}
            there = {one: (states[one], counts[one]) for one in counts if states[one] is not None}
            mentions = connection.execute(
                "SELECT owner_kind, owner_id, start, length, entity_id FROM mentions"
                " WHERE entity_id IS NOT NULL ORDER BY 1, 2, 3, 4"
            ).fetchall()
            return there, mentions

        return self.do(self.store.read(work))

    def close(self) -> None:
        self._runner.close()
        self.store.close()


@pytest.fixture
def harness(vault: Path) -> Iterator[EntityHarness]:
    made = EntityHarness(vault)
    yield made
    made.close()
