"""In how many of its turns each conversation has a word: what a search adds up, counted once for each word."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from app.index.columns.chunk_columns import ChunkColumns

    Ids = NDArray[np.integer[Any]]
    Counts = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class SessionTermFrequency:
    """The conversations that have a word.

    Args:
        owner: Their numbers, ascending; see ``ChunkColumns``.
        turns: In how many of its turns each has it.
        of_user: In how many of those that a person said.
    """

    owner: "Ids"
    messages: "Counts"
    user_messages: "Counts"


def count_by_session(columns: "ChunkColumns", ids: "Ids") -> SessionTermFrequency:
    """Return the conversations of the chunks ``ids``, of which those that are no turns count for nothing."""
    ids = ids.astype(np.intp)  # as small numbers they would be looked up at half the speed
    whose = columns.conversations(ids)
    is_user = columns.where(ids, [sort.role == "user" for sort in columns.types])
    turns = np.bincount(whose, minlength=1)
    of_user = np.bincount(whose[is_user], minlength=len(turns))
    turns[0] = 0
    owner = np.flatnonzero(turns)
    return SessionTermFrequency(owner.astype(np.int32), turns[owner].astype(np.int32), of_user[owner].astype(np.int32))


def add_frequencies(one: SessionTermFrequency, other: SessionTermFrequency) -> SessionTermFrequency:
    """Return two tallies of different chunks as one."""
    if not len(one.owner) or not len(other.owner):
        return one if len(one.owner) else other
    owner, rows = np.unique(np.concatenate([one.owner, other.owner]), return_inverse=True)
    turns, of_user = np.zeros(len(owner), dtype=np.int32), np.zeros(len(owner), dtype=np.int32)
    np.add.at(turns, rows, np.concatenate([one.messages, other.messages]))
    np.add.at(of_user, rows, np.concatenate([one.user_messages, other.user_messages]))
    return SessionTermFrequency(owner, turns, of_user)


_NONE: Final = np.zeros(0, dtype=np.int32)
EMPTY: Final = SessionTermFrequency(_NONE, _NONE, _NONE)
