"""Receipts of writes."""

from dataclasses import dataclass
from typing import Final

KEPT_MS: Final = 86_400_000
MAX_KEY: Final = 200


@dataclass(frozen=True, slots=True)
class Receipt:
    """Receipt of a write with a key: ids and decisions only, never content.

    Args:
        memory_id: The memory that holds it now, or the id that a new one gets.
        is_done: False while the write is under way, or when the program ended in the middle.
        outcome: What was done with it, as ``memory.write`` says.
        matched: The old memory that decided, ``""`` for none.
        decided_by: What decided.
    """

    memory_id: str
    is_done: bool = False
    outcome: str = "ADD"
    matched: str = ""
    decided_by: str = "nobody"
