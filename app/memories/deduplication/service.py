"""Writes memories without duplicates: equal ones are counted, similar ones judged, others added."""

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal, TypeVar

import apsw

from app.changes import Changed
from app.core.access import Access
from app.core.stores import STORES, StoreName
from app.errors import InputError, KeepsakeError, ModelUnavailableError
from app.memories import repo, validation
from app.memories.deduplication.memory_merge import merge_memory, new_details, with_details
from app.memories.deduplication.reconciler import (
    MAX_CANDIDATES,
    CandidateFinder,
    Decision,
    Reconciler,
    build_request,
    read_decision,
)
from app.memories.deduplication.similar import SimilarFinder, SimilarMemory, text_of
from app.memories.deduplication.word_sets import restates
from app.memories.model import Memory, NewMemory, Written
from app.memories.store_access import require_store
from app.memories.text.echo_filter import without_recalled_text
from app.memories.unit_of_work import MemoryUnitOfWork
from app.memories.writer import MemoryWriter
from app.sentence import Sentence
from app.trace.trace import Trace

T = TypeVar("T")
Judging = Literal["text", "model", "words"]

_ATTEMPTS = 2
_NO_ANSWER = "no_answer"  # the reason of a failure after which the reconciler is left alone
_RESTING = "The language model does not answer at present, so it was stored by the rules."
_OTHER_DETAILS = "It is known in other words, but of another time or kind."
_LEAST = 0.01  # a similarity of nothing would take in every memory


@dataclass(frozen=True, slots=True)
class DeduplicationOptions:
    """Settings of writing.

    Args:
        similarity: Share of words in common from which two memories count as the same, where nobody else decides.
        candidate_similarity: The share from which a memory is shown to the reconciler.
        seconds: How long the reconciler may take for one memory, all attempts together.
    """

    similarity: float = 0.75
    candidate_similarity: float = 0.3
    seconds: float = 10.0


class DeduplicatingWriter:
    """Writes memories through the search for equal and similar ones.

    Args:
        transactions: Opens transactions.
        finder: Finds memories of similar words.
        trace: Told what was decided, never about what.
        options: Returns the settings as they are now.
        reconciler: Decides over similar memories; ``None`` leaves that to the words they share, as does one that
            cannot decide now.
        candidates: Finds what the reconciler is shown; the words they share where ``None`` or where it fails.
    """

    def __init__(
        self,
        transactions: MemoryUnitOfWork,
        finder: SimilarFinder,
        trace: Trace,
        options: Callable[[], DeduplicationOptions] = DeduplicationOptions,
        *,
        reconciler: Reconciler | None = None,
        candidates: CandidateFinder | None = None,
    ) -> None:
        self._transactions = transactions
        self._finder = finder
        self._trace = trace
        self._options = options
        self._reconciler = reconciler
        self._search = candidates

    def is_reconciled(self, store: StoreName) -> bool:
        """Return whether similar memories of a store go to a reconciler now, which takes time."""
        return self._available(store) is not None

    def _available(self, store: StoreName) -> Reconciler | None:
        """Return the reconciler if it may decide over memories of a store now."""
        reconciler = self._reconciler
        return reconciler if reconciler is not None and reconciler.can_decide(store) else None

    async def write(self, access: Access, draft: NewMemory, *, judging: Judging = "words") -> Changed[Written]:
        """Store the memory ``draft`` unless an active one already says it.

        Only memories of its kind and store are compared.

        Args:
            access: What the caller may see, and what the change is recorded as.
            draft: What is to be stored.
            judging: What may keep it from being stored: the same ``text`` or key alone; a ``model``'s decision too,
                where there is one; or else shared ``words``, which is for what nobody asked to store in these words.

        Raises:
            AccessDeniedError: The caller does not see the draft's store.
            InputError: Its id is taken, it is empty or too large, or a field cannot be stored.
        """
        begun = time.perf_counter()
        memory = self.composed(draft, access.stores)
        commit = _Commit(self._transactions, access)
        reconciler = None if judging == "text" else self._available(memory.store)
        if judging == "text" or (reconciler is None and judging == "model"):
            is_left_alone = judging == "model" and self._reconciler is not None and self._reconciler.is_resting
            reason = _RESTING if is_left_alone else ""
            changed = await commit.run(partial(self._plain, memory=memory, reason=reason))
        elif reconciler is None:
            changed = await commit.run(partial(self.write_in, memory=memory))
        else:
            changed = await self._reconciled(memory, reconciler, commit)
        self._trace.event(
            "memory.write",
            kind=memory.kind,
            outcome=changed.value.outcome,
            decided_by=changed.value.decided_by,
            ms=round((time.perf_counter() - begun) * 1000, 2),
        )
        return changed

    def composed(self, draft: NewMemory, stores: Sequence[str]) -> Memory:
        """Return the memory that ``draft`` asks for; raises what ``write`` raises of it."""
        memory = validation.compose(without_recalled_text(draft), self._transactions.clock.now_ms())
        require_store(memory.store, stores)
        validation.require_category(memory)
        if repo.is_expired(memory, self._transactions.clock.now_ms()):
            raise InputError("The time until which this is to be kept has passed.", expires_at=str(memory.expires_at))
        return memory

    def write_in(self, writer: MemoryWriter, memory: Memory) -> Written:
        """Store ``memory`` inside the caller's transaction, judged by its words alone.

        What a stored memory would lose of it, such as tags or another time, keeps it from being counted as that.
        """
        if (known := self._known(writer, memory)) is not None:
            return known
        similar = self._similar(writer, memory)
        restated = _restated(similar, memory)
        joined = None if restated is None else with_details(restated.memory, memory)
        if restated is not None and joined is not None:
            reason = f"{restated.score:.0%} of the words are the same, and it says nothing more."
            after, added = _counted(writer, restated.memory, joined)
            return Written("NONE", after, restated.memory.id, "words", f"{reason}{added}")
        reason = "Nearly the same words, but not all of what it says is stored." if similar else ""
        return Written("ADD", writer.create(memory), decided_by="words" if similar else "nobody", reason=reason)

    def said_before(self, writer: MemoryWriter, memory: Memory) -> Memory | None:
        """Return the active memory that says the same, perhaps under another key."""
        for equal in repo.all_equal(writer.connection, memory, writer.at_ms):
            if equal.said_by == memory.said_by:
                return equal
        memories = _restated(self._similar(writer, memory), memory)
        return None if memories is None else memories.memory

    def _similar(self, writer: MemoryWriter, memory: Memory) -> list[SimilarMemory]:
        return self._finder.find(
            writer.connection,
            text_of(memory),
            max(self._options().similarity, _LEAST),
            kind=memory.kind,
            stores=(memory.store,),
            now_ms=writer.at_ms,
            limit=MAX_CANDIDATES,
        )

    def _known(self, writer: MemoryWriter, memory: Memory) -> Written | None:
        """Return the memory outcome if its text or key decides, else ``None``."""
        connection = writer.connection
        for equal in repo.all_equal(connection, memory, writer.at_ms):
            joined = with_details(equal, memory)
            if joined is not None:
                after, added = _counted(writer, equal, joined)
                return Written("EXACT_DUP", after, equal.id, "hash", f"It is stored in these very words.{added}")
        if repo.exists(connection, memory.id):
            raise InputError(Sentence("There is already a memory with the id {id}.", id=memory.id), id=memory.id)
        if memory.kind != "fact" or not memory.key:
            return None
        old = repo.active_fact(connection, memory.category, memory.key, memory.store)
        if old is None:
            return Written("ADD", writer.create(memory), decided_by="key")
        return Written(
            "DELETE", replace_memory(writer, old, memory)[0], old.id, "key", "It has the same category and key."
        )

    def _plain(self, writer: MemoryWriter, memory: Memory, reason: str = "") -> Written:
        """Add ``memory`` unless its text or key decides."""
        return self._known(writer, memory) or Written("ADD", writer.create(memory), reason=reason)

    async def _reconciled(self, memory: Memory, reconciler: Reconciler, commit: "_Commit") -> Changed[Written]:
        await reconciler.prepare()
        reason, until = "", time.monotonic() + self._options().seconds
        for _ in range(_ATTEMPTS):
            candidates = await self._candidates(commit.access, memory)
            if not candidates:
                break
            decision, reason = await self._decision(reconciler, memory, candidates, until - time.monotonic())
            if decision is None:
                break
            matched = None if decision.index is None else candidates[decision.index]
            changed = await commit.run(partial(self._decided, memory=memory, matched=matched, decision=decision))
            if changed.value is not None:
                return Changed(changed.value, changed.changes)
            reason = "What it resembles was changed while that was decided."
        return await commit.run(partial(self._plain, memory=memory, reason=reason))

    async def _candidates(self, access: Access, memory: Memory) -> list[Memory]:
        """Return active memories of the same kind and store that resemble ``memory``.

        There are none where its text or key decides.
        """
        settings, text, ids = self._options(), text_of(memory), list[str]()
        threshold = settings.candidate_similarity
        if self._search is not None:
            try:
                own_store = access.within((memory.store,))
                ids = await self._search.find(own_store, text, kind=memory.kind, limit=MAX_CANDIDATES)
                threshold = settings.similarity
            except KeepsakeError as error:
                self._trace.event("memory.write.candidates", error=error.code)

        def work(connection: apsw.Connection) -> list[Memory]:
            now_ms = self._transactions.clock.now_ms()
            if (memory.kind == "fact" and memory.key) or repo.find_equal(connection, memory, now_ms) is not None:
                return []
            alike = [other for other in repo.many(connection, ids, stores=STORES) if _is_alike(other, memory, now_ms)]
            similar = self._finder.find(
                connection, text, max(threshold, _LEAST), kind=memory.kind, stores=(memory.store,), now_ms=now_ms
            )
            known = {other.id for other in alike}
            return [*alike, *(neighbour.memory for neighbour in similar if neighbour.memory.id not in known)][
                :MAX_CANDIDATES
            ]

        return await self._transactions.store.read(work)

    async def _decision(
        self, reconciler: Reconciler, memory: Memory, candidates: Sequence[Memory], seconds: float
    ) -> tuple[Decision | None, str]:
        """Return the decision, ``None`` if the answer cannot be used, and its reason."""
        asking = asyncio.wait_for(reconciler.decide(build_request(memory, candidates)), seconds)
        # Whatever a reconciler breaks on, the memory must be stored.
        (answer,) = await asyncio.gather(asking, return_exceptions=True)
        if isinstance(answer, TimeoutError) or _is_without_answer(answer):
            reconciler.rest()
        try:
            decision = read_decision(_answered(answer), len(candidates))
        except InputError as error:
            self._trace.event("memory.write.reconciler", candidates=len(candidates), error=error.code)
            return None, error.message
        self._trace.event("memory.write.reconciler", candidates=len(candidates), action=decision.action)
        return decision, decision.reason

    def _decided(
        self, writer: MemoryWriter, memory: Memory, matched: Memory | None, decision: Decision
    ) -> Written | None:
        """Apply the decision on a memory and return the outcome.

        If the matched memory is no longer the one decided on, change nothing and return ``None``.
        """
        if (known := self._known(writer, memory)) is not None:
            return known
        if matched is None or decision.action == "ADD":
            return Written("ADD", writer.create(memory), decided_by="reconciler", reason=decision.reason)
        now = repo.get(writer.connection, matched.id, stores=STORES)
        if now is None or not _is_alike(now, memory, writer.at_ms) or now.version != matched.version:
            return None
        if now.pinned and decision.action != "NONE":
            return Written("ADD", writer.create(memory), reason="It resembles a pinned memory, which stays as it is.")
        try:
            return self._applied(writer, memory, now, decision)
        except InputError as error:  # what the reconciler merged cannot be stored
            return Written("ADD", writer.create(memory), reason=error.message)

    @staticmethod
    def _applied(writer: MemoryWriter, memory: Memory, old: Memory, decision: Decision) -> Written:
        if decision.action == "NONE":
            joined = with_details(old, memory)
            if joined is None:
                return Written("ADD", writer.create(memory), decided_by="reconciler", reason=_OTHER_DETAILS)
            after, added = _counted(writer, old, joined)
            return Written("NONE", after, old.id, "reconciler", f"{decision.reason}{added}")
        if decision.action == "UPDATE":
            after = writer.update(old, merge_memory(old, memory, decision))
            return Written("UPDATE", after, old.id, "reconciler", decision.reason)
        statement = memory if decision.content is None else validation.with_content(memory, decision.content)
        validation.require_text(statement.content, statement.title, statement.facts)
        return Written("DELETE", replace_memory(writer, old, statement)[0], old.id, "reconciler", decision.reason)


@dataclass(frozen=True, slots=True)
class _Commit:
    """Runs transactions of one caller."""

    transactions: MemoryUnitOfWork
    access: Access

    async def run(self, work: Callable[[MemoryWriter], T]) -> Changed[T]:
        return await self.transactions.run(self.access, work)


def replace_memory(writer: MemoryWriter, old: Memory, new: Memory) -> tuple[Memory, Memory]:
    """Replace the memory ``old`` by ``new``; return new and old.

    ``old`` goes out of use, and ``new`` names it as superseded.
    """
    gone = writer.supersede(old, new.id, "DELETE")
    return writer.create(superseding(new, old)), gone


def superseding(new: Memory, old: Memory) -> Memory:
    """Return the memory ``new`` with ``old`` among the ids it supersedes.

    An ``old`` in another store is left out, as not everyone sees each store.
    """
    if new.store != old.store:
        return new
    before = new.attributes.get("supersedes")
    ids = before if isinstance(before, list) else []
    return replace(new, attributes={**new.attributes, "supersedes": list(dict.fromkeys([*ids, old.id]))})


def _restated(similar: Sequence[SimilarMemory], memory: Memory) -> SimilarMemory | None:
    text = text_of(memory)
    return next((neighbour for neighbour in similar if restates(text, text_of(neighbour.memory))), None)


def _counted(writer: MemoryWriter, old: Memory, joined: Memory) -> tuple[Memory, str]:
    """Count a memory once more; return it with a sentence on what was added."""
    details = new_details(old, joined)
    if not details:
        return writer.mention(old), ""
    after = writer.update(old, replace(joined, mention_count=old.mention_count + 1))
    return after, f" What was new beside them was added: {', '.join(details)}."


def _is_alike(other: Memory, memory: Memory, now_ms: int) -> bool:
    is_there = other.deleted_at is None and not repo.is_expired(other, now_ms)
    return is_there and (other.kind, other.store) == (memory.kind, memory.store)


def _answered(answer: str | Decision | BaseException) -> str | Decision:
    if not isinstance(answer, BaseException):
        return answer
    if isinstance(answer, TimeoutError):
        raise InputError("The language model took too long, so it was stored by the rules.") from answer
    sentence = answer.message if isinstance(answer, KeepsakeError) else f"It broke with {type(answer).__name__}."
    raise InputError(
        Sentence("The language model failed, so it was stored by the rules. {said}", said=sentence)
    ) from answer


def _is_without_answer(answer: str | Decision | BaseException) -> bool:
    return isinstance(answer, ModelUnavailableError) and answer.data.get("reason") == _NO_ANSWER
