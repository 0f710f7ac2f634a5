"""Owner of a vault's lock, as its file tells."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

LOCK: Final = "lock"
OPENING: Final = "opening"


@dataclass(frozen=True, slots=True)
class LockOwner:
    """The process that a lock file names; it may have ended since.

    Args:
        process: Its number, ``""`` where none is written.
        is_opening: It had not opened the vault yet.
    """

    process: str
    is_opening: bool


def owner_in(text: bytes) -> LockOwner:
    """Return the owner that the text of a lock file names."""
    process, _, state = text.decode("ascii", "replace").strip().partition(" ")
    return LockOwner(process, state == OPENING)


def lock_owner(vault: Path) -> LockOwner:
    """Return the owner that a vault's lock file names; none where it cannot be read."""
    try:
        with (vault / LOCK).open("rb", buffering=0) as file:
            file.seek(1)  # the first byte is locked where ranges are mandatory (Windows)
            return owner_in(file.read(64))
    except OSError:
        return LockOwner("", is_opening=False)
