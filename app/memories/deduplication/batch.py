"""A memory batch: many facts stored as one run, none of them twice.

Equal facts are found among themselves first, then against the vault.
"""

from collections.abc import Sequence

from app.changes import Changed
from app.core.access import Access
from app.core.ids import new_id
from app.errors import InputError
from app.memories import repo
from app.memories.deduplication.service import DeduplicatingWriter
from app.memories.model import BatchWritten, Memory, NewMemory, Written
from app.memories.unit_of_work import MemoryUnitOfWork, join_changes
from app.memories.writer import MemoryWriter
from app.sentence import Sentence

MAX_BATCH = 1_000
_TOGETHER = 10  # facts in one transaction


class BatchService:
    """Stores many memories at once.

    Args:
        transactions: Opens transactions.
        writing: Stores one memory.
    """

    def __init__(self, transactions: MemoryUnitOfWork, writing: DeduplicatingWriter) -> None:
        self._transactions = transactions
        self._writing = writing

    async def write(self, access: Access, drafts: Sequence[NewMemory]) -> Changed[BatchWritten]:
        """Store the memories of ``drafts`` that are new; return each outcome, in order.

        All are checked before the first is stored. What was stored is undone by the run's id.

        Raises:
            AccessDeniedError: The caller does not see the store of one.
            InputError: There are too many, or one cannot be stored; ``data`` says which.
        """
        if len(drafts) > MAX_BATCH:
            raise InputError(
                Sentence("At most {max_batch} can be stored at once.", max_batch=MAX_BATCH), allowed=MAX_BATCH
            )
        memories = [self._composed(draft, number, access.stores) for number, draft in enumerate(drafts)]
        run = access.run_id or new_id("run")
        first = {_identity(memory): memory for memory in reversed(memories)}
        fresh = [(memory, draft) for memory, draft in zip(memories, drafts, strict=True) if _is_first(first, memory)]
        done = await self._write_all(access.in_run(run), fresh)
        outcomes = {_identity(memory): outcome for (memory, _), outcome in zip(fresh, done.value, strict=True)}
        results = tuple(
            outcomes[_identity(memory)] if _is_first(first, memory) else _repeated(outcomes[_identity(memory)])
            for memory in memories
        )
        return Changed(BatchWritten(run, results), done.changes)

    def _composed(self, draft: NewMemory, number: int, stores: Sequence[str]) -> Memory:
        try:
            return self._writing.composed(draft, stores)
        except InputError as error:
            error.data["item"] = number
            raise

    async def _write_all(self, access: Access, fresh: Sequence[tuple[Memory, NewMemory]]) -> Changed[list[Written]]:
        if any(self._writing.is_reconciled(memory.store) for memory, _ in fresh):
            done = [await self._writing.write(access, draft) for _, draft in fresh]
            changes = join_changes([change.changes for change in done], access.actor, access.operation)
            return Changed([change.value for change in done], changes)

        def work(batch: Sequence[Memory], writer: MemoryWriter) -> list[Written]:
            return [self._writing.write_in(writer, memory) for memory in batch]

        memories = [memory for memory, _ in fresh]
        return await self._transactions.run_batches(access, memories, _TOGETHER, work)


_Identity = tuple[str, ...]


def _identity(memory: Memory) -> _Identity:
    """Return what equal memories of a batch share: words, tags, times and attributes."""
    details = (memory.type, memory.category, memory.tags, memory.files, memory.people, memory.sources)
    times = (memory.event_time, memory.expires_at, memory.confidence, memory.decay_rate)
    return memory.kind, memory.store, repo.text_hash(memory), repr((details, times, sorted(memory.attributes.items())))


def _is_first(first: dict[_Identity, Memory], memory: Memory) -> bool:
    return first[_identity(memory)] is memory


def _repeated(outcome: Written) -> Written:
    return Written("EXACT_DUP", outcome.memory, outcome.memory.id, "hash", "It stands in the batch more than once.")
