"""Values of the index: its progress, and the size of a step of its worker."""

from dataclasses import dataclass
from enum import IntEnum


class StepSize(IntEnum):
    """Share of the waiting work that a step did: none, the rest, or a part."""

    NOTHING = 0
    REST = 1
    PART = 2


@dataclass(frozen=True, slots=True)
class IndexState:
    """Progress of the index.

    Args:
        chunks: The number of chunks.
        pending: The number of chunks that wait for a vector, none while vectors are off.
        failure: The message of the last failure.
        withheld: The number of chunks without a vector because private text is not sent to a remote service.
    """

    chunks: int
    pending: int
    failure: str = ""
    withheld: int = 0
