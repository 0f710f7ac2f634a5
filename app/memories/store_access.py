"""Answers of writes, as a caller sees them who does not read every store."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeVar, cast

from app.core.stores import sees_all
from app.memories.model import BatchWritten, FactSet, Memory, Written
from app.memories.repo import as_seen

T = TypeVar("T")


def answer_as_seen(answer: T, stores: Sequence[str]) -> T:
    """Return the answer of a write with its memories as ``as_seen`` gives them."""
    return answer if sees_all(stores) else cast("T", _seen(answer, stores))


def _seen(answer: Any, stores: Sequence[str]) -> Any:
    if isinstance(answer, Memory):
        return as_seen(answer, stores)
    if isinstance(answer, Written):
        return replace(answer, memory=as_seen(answer.memory, stores))
    if isinstance(answer, FactSet):
        gone = answer.superseded
        return FactSet(as_seen(answer.fact, stores), None if gone is None else as_seen(gone, stores))
    if isinstance(answer, BatchWritten):
        return replace(answer, written=tuple(_seen(one, stores) for one in answer.written))
    return [_seen(one, stores) for one in answer] if isinstance(answer, list) else answer
