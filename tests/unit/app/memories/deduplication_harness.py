"""Harness of memory deduplication: the real index, and the services that store nothing twice."""

import asyncio
from pathlib import Path
from typing import Any

from app.changes import Changed, ChangeSet
from app.core.access import Access
from app.core.stores import STORES, StoreName
from app.history.bulk_undo import BulkUndo
from app.history.run_undo import RunUndo
from app.history.undo import UndoService
from app.index.indexer import Indexer
from app.memories.deduplication.batch import BatchService
from app.memories.deduplication.reconciler import CandidateFinder, Decision, Reconciler, ReconcileRequest
from app.memories.deduplication.service import DeduplicatingWriter, DeduplicationOptions
from app.memories.deduplication.similar import SimilarFinder
from app.memories.digests.reflections import ReflectionService
from app.memories.expiry import ExpiryService
from app.memories.fact_service import FactService
from app.memories.history_applier import MemoryApplier
from app.memories.model import Kind, Memory, NewMemory, Written
from app.memories.queries.fact_queries import FactQueries
from app.memories.service import MemoryService
from app.memories.unit_of_work import MemoryUnitOfWork
from app.trace.trace import Trace
from tests.helpers.access import EVERYTHING
from tests.unit.app.memories.conftest import MemoryHarness


class ScriptedReconciler:
    """A reconciler that answers from a list, an exception by raising it and ``None`` never; keeps what it was asked."""

    def __init__(self, *answers: str | Decision | BaseException | None) -> None:
        self.answers = list(answers)
        self.requested: list[ReconcileRequest] = []
        self.meanwhile: Any = None
        self.rested = 0
        self.preparing_s = 0.0

    @property
    def is_resting(self) -> bool:
        return self.rested > 0

    def can_decide(self, store: StoreName) -> bool:
        return not self.rested

    def rest(self) -> None:
        self.rested += 1

    async def prepare(self) -> None:
        await asyncio.sleep(self.preparing_s)

    async def decide(self, request: ReconcileRequest) -> str | Decision:
        self.requested.append(request)
        if self.meanwhile is not None:
            await self.meanwhile()
        answer = self.answers.pop(0)
        if answer is None:
            await asyncio.Event().wait()
        if isinstance(answer, BaseException):
            raise answer
        assert answer is not None
        return answer


class FixedCandidates:
    """Candidates that are always the same, whatever is asked; or fail."""

    def __init__(self, *ids: str, error: Exception | None = None) -> None:
        self.ids = list(ids)
        self.error = error

    async def find(self, access: Access, text: str, *, kind: Kind, limit: int) -> list[str]:
        if self.error is not None:
            raise self.error
        return self.ids


class DeduplicationHarness(MemoryHarness):
    """Everything a test does to facts and observations."""

    def __init__(self, vault: Path) -> None:
        super().__init__(vault)
        indexer = Indexer()
        self.service = MemoryService(MemoryUnitOfWork(self.store, indexer, self.clock))
        self.undoing = UndoService(self.store, {"memory": MemoryApplier(indexer)}, self.clock)
        self.runs = RunUndo(self.store, self.undoing, BulkUndo(self.store, self.undoing))
        self.finder = SimilarFinder()
        self.transactions = MemoryUnitOfWork(self.store, indexer, self.clock)
        self.trace = Trace(vault / "trace")
        self.terms = DeduplicationOptions(seconds=5)
        self.reported: list[ChangeSet] = []
        self.facts = FactService(self.transactions)
        self.fact_reads = FactQueries(self.store, self.finder, self.clock)
        self.reflections = ReflectionService(self.transactions)
        self.expiry = ExpiryService(self.transactions, self.reported.append)

    def writing(
        self, reconciler: Reconciler | None = None, candidates: CandidateFinder | None = None
    ) -> DeduplicatingWriter:
        return DeduplicatingWriter(
            self.transactions, self.finder, self.trace, lambda: self.terms, reconciler=reconciler, candidates=candidates
        )

    def batches(self, reconciler: Reconciler | None = None) -> BatchService:
        return BatchService(self.transactions, self.writing(reconciler))

    def changed(self, content: str, reconciler: Reconciler | None = None, **fields: Any) -> Changed[Written]:
        candidates, stores = fields.pop("candidates", None), fields.pop("stores", STORES)
        draft = NewMemory(content, **{"kind": "observation", **fields})
        return self.do(self.writing(reconciler, candidates).write(EVERYTHING.within(stores), draft))

    def write(self, content: str, reconciler: Reconciler | None = None, **fields: Any) -> Written:
        return self.changed(content, reconciler, **fields).value

    def fact(self, content: str, **fields: Any) -> Memory:
        return self.write(content, kind="fact", **fields).memory

    def contents(self) -> list[str]:
        rows = self.rows("SELECT content FROM memories WHERE valid_until IS NULL ORDER BY rowid")
        return [row[0] for row in rows]

    def state(self) -> list[Any]:
        """What the vault says now, counters that only go up left out."""
        rows = self.rows(
            "SELECT id, content, title, facts, files, people, attributes, confidence, decay_rate, mention_count,"
            " superseded_by, valid_until, (SELECT group_concat(relation || target) FROM memory_links l"
            " WHERE l.memory_id = m.id), (SELECT group_concat(source_kind || source_id) FROM memory_sources s"
            " WHERE s.memory_id = m.id) FROM memories m WHERE valid_until IS NULL ORDER BY rowid"
        )
        return [tuple(row) for row in rows]

    def close(self) -> None:
        self.trace.close()
        super().close()
