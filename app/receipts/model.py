"""Receipts of writes."""

from dataclasses import dataclass
from typing import Final

from app.core.text import has_controls, storable
from app.errors import InputError
from app.sentence import Sentence

MAX_KEY: Final = 500


@dataclass(frozen=True, slots=True)
class Receipt:
    """Receipt of the write of a memory: ids and decisions only, never content.

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


def check_key(key: str) -> None:
    """Check a caller's key.

    Raises:
        InputError: It is empty, too long or cannot be stored.
    """
    if not key.strip() or len(key) > MAX_KEY or storable(key)[1] or has_controls(key):
        raise InputError(
            Sentence("'key' must have 1 to {most} ordinary characters, without control characters.", most=MAX_KEY),
            field="key",
            allowed=MAX_KEY,
        )
