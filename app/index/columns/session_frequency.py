"""Session frequency of a term: in how many of its messages each session contains it."""

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
    """Frequencies of a term in the sessions that contain it.

    Args:
        owner: Session numbers, ascending; see ``ChunkColumns``.
        messages: How many messages of each session contain the term.
        user_messages: How many of these have the role ``user``.
    """

    owner: "Ids"
    messages: "Counts"
    user_messages: "Counts"


def count_by_session(columns: "ChunkColumns", ids: "Ids") -> SessionTermFrequency:
    """Return how many of the chunks ``ids`` are messages of each session."""
    ids = ids.astype(np.intp)  # numpy indexes twice as fast with its own integer size
    session = columns.conversations(ids)
    is_user = columns.where(ids, [each.role == "user" for each in columns.types])
    messages = np.bincount(session, minlength=1)
    of_user = np.bincount(session[is_user], minlength=len(messages))
    messages[0] = 0
    owner = np.flatnonzero(messages)
    return SessionTermFrequency(
        owner.astype(np.int32), messages[owner].astype(np.int32), of_user[owner].astype(np.int32)
    )


def add_frequencies(one: SessionTermFrequency, other: SessionTermFrequency) -> SessionTermFrequency:
    """Return the sum of two frequencies that were counted over different chunks."""
    if not len(one.owner) or not len(other.owner):
        return one if len(one.owner) else other
    owner, rows = np.unique(np.concatenate([one.owner, other.owner]), return_inverse=True)
    messages, of_user = np.zeros(len(owner), dtype=np.int32), np.zeros(len(owner), dtype=np.int32)
    np.add.at(messages, rows, np.concatenate([one.messages, other.messages]))
    np.add.at(of_user, rows, np.concatenate([one.user_messages, other.user_messages]))
    return SessionTermFrequency(owner, messages, of_user)


_NONE: Final = np.zeros(0, dtype=np.int32)
EMPTY: Final = SessionTermFrequency(_NONE, _NONE, _NONE)
