"""Which conversation each turn's chunk belongs to, as arrays: read once, and later chunks added to it.

Of chunks that went nothing is taken back: whoever looks a conversation up finds nothing there, and the rest of what is
counted here only weighs conversations against each other.
"""

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import apsw
import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from app.index.postings import Lengths

    Ids = NDArray[np.integer[Any]]
    Floats = NDArray[np.float64]
    Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Owned:
    """What is known up to a chunk.

    Args:
        numbers: Of each conversation's id, from 1.
        owner: The conversation's number by chunk id; 0 for what is no turn.
        user: Whether a person said it, by chunk id.
        words, user_words: Words of each conversation, by number.
    """

    numbers: dict[str, int]
    owner: "Ids"
    user: "Flags"
    words: "Floats"
    user_words: "Floats"


class Owners:
    """Reads and keeps them; safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known = Owned({}, np.zeros(1, np.int32), np.zeros(1, np.bool_), np.zeros(1), np.zeros(1))

    def upto(self, connection: apsw.Connection, last: int, lengths: "Lengths") -> Owned:
        """Return the owners of chunks up to the id ``last`` at least.

        Args:
            connection: A reader.
            last: The highest chunk id there is.
            lengths: Of chunks up to it.
        """
        with self._lock:
            if len(self._known.owner) <= last:
                self._known = _longer(connection, self._known, last, lengths)
            return self._known


def _longer(connection: apsw.Connection, known: Owned, last: int, lengths: "Lengths") -> Owned:
    numbers = dict(known.numbers)
    after, size = len(known.owner), last + 1
    owner, user = np.zeros(size, np.int32), np.zeros(size, np.bool_)
    owner[:after], user[:after] = known.owner, known.user
    rows = connection.execute(
        "SELECT session_id, role = 'user', group_concat(id, ' ') FROM chunks"
        " WHERE id >= ? AND id <= ? AND +kind = 'message' AND session_id IS NOT NULL GROUP BY 1, 2",
        (after, last),
    )
    for session, is_user, found in rows:
        ids = np.fromstring(str(found), dtype=np.int64, sep=" ")
        owner[ids] = numbers.setdefault(str(session), len(numbers) + 1)
        user[ids] = bool(is_user)
    words, user_words = np.zeros(len(numbers) + 1), np.zeros(len(numbers) + 1)
    words[: len(known.words)], user_words[: len(known.words)] = known.words, known.user_words
    new = slice(after, size)
    count = lengths.words[new].astype(np.float64)
    words += np.bincount(owner[new], count, len(words))
    user_words += np.bincount(owner[new], count * user[new], len(words))
    return Owned(numbers, owner, user, words, user_words)
