"""A call of one operation, with the type of its answer."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

Answer_co = TypeVar("Answer_co", covariant=True)


@dataclass(frozen=True, slots=True)
class TypedCall(Generic[Answer_co]):
    """A call that ``Bridge`` carries out; made by ``ui.operations`` alone, where its types are checked."""

    operation: str
    arguments: Mapping[str, Any]
