"""Access to memories by store: requirements of a caller, and answers as it sees them."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, TypeVar, cast

import apsw

from app.core.stores import STORES, sees_all
from app.errors import AccessDeniedError, NotFoundError
from app.memories import repo
from app.memories.model import BatchWritten, FactSet, Memory, Written
from app.sentence import Sentence

T = TypeVar("T")


def require_store(store: str, stores: Sequence[str]) -> None:
    """Refuse to write memories into a store that the caller does not see.

    The content of such a store must not show in the answer.

    Raises:
        AccessDeniedError: The caller does not see ``store``.
    """
    if store in STORES and store not in stores:
        raise AccessDeniedError(
            Sentence(
                "This caller stores in {names}, not in {store}.", names=" or ".join(stores) or "no store", store=store
            ),
            store=store,
        )


def require(connection: apsw.Connection, memory_id: str, stores: Sequence[str], kind: str = "memory") -> Memory:
    """Return a memory with its sources, deleted ones included.

    ``kind`` narrows it where it is one of the kinds.

    Raises:
        NotFoundError: There is none of that id that the caller may see.
    """
    memory = repo.get_with_sources(connection, memory_id, stores=stores)
    if memory is None or kind not in ("memory", memory.kind):
        raise NotFoundError(
            Sentence("There is no {kind} with the id {memory_id}.", kind=kind, memory_id=memory_id), id=memory_id
        )
    return memory


def require_active(connection: apsw.Connection, memory_id: str, stores: Sequence[str], kind: str = "memory") -> Memory:
    """Return an active memory with its sources; see ``require``.

    Raises:
        NotFoundError: There is none of that id that the caller may see.
    """
    memory = require(connection, memory_id, stores, kind)
    if memory.deleted_at is not None:
        raise NotFoundError(
            Sentence("This {kind} was deleted. Restore it first, or look in its history.", kind=kind), id=memory_id
        )
    return memory


def active_memories(connection: apsw.Connection, ids: Iterable[str], stores: Sequence[str]) -> Iterator[Memory]:
    """Yield the active memories of ``ids`` that the caller may see, with their sources.

    Each is read when it is asked for, because a change of the one before may have superseded it.
    """
    for memory_id in dict.fromkeys(ids):
        memory = repo.get_with_sources(connection, memory_id, stores=stores)
        if memory is not None and memory.deleted_at is None:
            yield memory


def answer_as_seen(answer: T, stores: Sequence[str]) -> T:
    """Return the answer of a write with its memories as ``as_seen`` gives them."""
    return answer if sees_all(stores) else cast("T", _seen(answer, stores))


def _seen(answer: Any, stores: Sequence[str]) -> Any:
    if isinstance(answer, Memory):
        return repo.as_seen(answer, stores)
    if isinstance(answer, Written):
        return replace(answer, memory=repo.as_seen(answer.memory, stores))
    if isinstance(answer, FactSet):
        gone = answer.superseded
        return FactSet(repo.as_seen(answer.fact, stores), None if gone is None else repo.as_seen(gone, stores))
    if isinstance(answer, BatchWritten):
        return replace(answer, written=tuple(_seen(outcome, stores) for outcome in answer.written))
    return [_seen(outcome, stores) for outcome in answer] if isinstance(answer, list) else answer
