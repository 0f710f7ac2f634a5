"""Sessions and memories of a real vault with its index, and an embedder that can be told to fail."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any, TypeVar

import apsw

from app.core.paths import migrations
from app.embed.hashed_embedder import HashedEmbedder
from app.embed.model import EmbeddingIdentity
from app.errors import ModelUnavailableError
from app.history.undo import UndoService
from app.index.generations.active import GenerationManager
from app.index.indexer import Indexer
from app.index.repo import NOT_HIDDEN
from app.index.vectors.vector_repo import HAS_VECTOR
from app.index.worker import IndexWorker
from app.memories.history_applier import MemoryApplier
from app.memories.model import Memory, NewMemory
from app.memories.service import MemoryService
from app.memories.unit_of_work import MemoryUnitOfWork
from app.sessions.model import NewMessage
from app.sessions.service import NewSession, SessionService
from app.sessions.session_applier import SessionApplier
from app.store.store import Store
from app.store.vector_bytes import encode
from app.upkeep.checks.integrity_check import findings
from app.upkeep.checks.word_index_check import is_word_index_sound
from app.upkeep.model import Finding
from tests.helpers.access import EVERYTHING

T = TypeVar("T")


class SetClock:
    """A clock that says what it was set to."""

    def __init__(self) -> None:
        self.ms = 1_700_000_000_000

    def now_ms(self) -> int:
        return self.ms


class MoodyEmbedder(HashedEmbedder):
    """Embeds like ``hashed`` under a name of its own, and fails when told to."""

    def __init__(self, name: str = "moody") -> None:
        self.identity = EmbeddingIdentity("test", name, HashedEmbedder.identity.dimensions, "1")
        self.fails: str | BaseException | None = None
        self.texts = 0
        self.before: Callable[[], None] = lambda: None

    def embed(self, texts: Sequence[str]) -> Any:
        self.before()
        if isinstance(self.fails, BaseException):
            raise self.fails
        if self.fails:
            raise ModelUnavailableError(self.fails)
        self.texts += len(texts)
        return super().embed(texts)


class VaultHarness:
    """A vault's services, and its index brought up to date on request."""

    def __init__(self, vault: Path) -> None:
        self.store = Store.open(vault, migrations())
        self.clock = SetClock()
        self.indexer = Indexer()
        self.sessions = SessionService(self.store, self.indexer, self.clock)
        self.memories = MemoryService(MemoryUnitOfWork(self.store, self.indexer, self.clock))
        appliers = {"session": SessionApplier(self.indexer), "memory": MemoryApplier(self.indexer)}
        self.undoing = UndoService(self.store, appliers, self.clock)
        self.embedder = MoodyEmbedder()
        self.open_embedder: Callable[[], MoodyEmbedder] = lambda: self.embedder
        self.reported: list[int] = []
        self.runner = asyncio.Runner()

    def do(self, work: Coroutine[Any, Any, T]) -> T:
        return self.runner.run(work)

    def say(self, *texts: str, session: str = "s", agent: str = "", role: str = "user") -> None:
        messages = [NewMessage(role, text) for text in texts]
        self.do(self.sessions.append(messages, session, NewSession(agent=agent), "person", owner=None))

    def forget(self, session: str) -> int:
        return self.do(self.sessions.forget(session, "person")).changes.history_ids[0]

    def save(self, content: str, **fields: Any) -> Memory:
        return self.do(self.memories.save(EVERYTHING, NewMemory(content, **fields))).value

    def undo(self, *history_ids: int) -> list[int]:
        return self.do(self.undoing.undo(EVERYTHING, history_ids)).value

    def syncing(self, **options: Any) -> IndexWorker:
        generations = GenerationManager(self.store, self.clock, self.open_embedder)
        return IndexWorker(self.store, self.clock, generations, lambda _, left: self.reported.append(left), **options)

    def sync(self, **options: Any) -> IndexWorker:
        """Run the background work until it is idle."""

        async def until_idle(sync: IndexWorker) -> None:
            task = asyncio.create_task(sync.run())
            await sync.wait_idle()
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

        sync = self.syncing(**options)
        self.do(until_idle(sync))
        return sync

    def rows(self, sql: str, *values: Any) -> list[Any]:
        def work(connection: apsw.Connection) -> list[Any]:
            return connection.execute(sql, values).fetchall()

        return self.do(self.store.read(work))

    def passages(self, session: str = "s") -> list[tuple[int, int, str]]:
        return self.rows(
            "SELECT seq_start, seq_end, text FROM chunk_texts WHERE kind = 'passage' AND session_id = ?"
            " ORDER BY seq_start, id",
            session,
        )

    def vectors(self) -> dict[int, bytes]:
        """Return the vectors of the generation in use, by chunk."""
        numbers = self.rows("SELECT value FROM meta WHERE key = 'generation'")
        return dict(self.rows(f"SELECT chunk_id, embedding FROM vectors_{int(numbers[0][0])}")) if numbers else {}

    def wrong_vectors(self) -> list[int]:
        """Return chunks whose vector is not that of their text."""
        texts = dict(self.rows(f"SELECT id, text FROM chunk_texts WHERE {HAS_VECTOR}"))
        shown = {row[0] for row in self.rows(f"SELECT id FROM chunks c WHERE {HAS_VECTOR} AND {NOT_HIDDEN}")}
        stored = self.vectors()
        assert shown <= stored.keys() <= texts.keys()  # hidden texts get none
        made = HashedEmbedder().embed([texts[key] for key in stored])
        right = encode([row.tobytes() for row in made])
        return [key for key, row in zip(stored, right, strict=True) if stored[key] != row]

    def check(self) -> list[Finding]:
        found = self.do(self.store.read(lambda connection: findings(connection, self.store.vault)))
        words = self.do(self.store.write(is_word_index_sound))
        return found + ([] if words is None else [words])

    def close(self) -> None:
        self.runner.close()
        self.store.close()
