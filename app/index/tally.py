"""In how many of its turns each conversation has a word: what a search adds up, counted once for each word."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from app.index.heads import Heads

    Ids = NDArray[np.integer[Any]]
    Counts = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Tally:
    """The conversations that have a word.

    Args:
        owner: Their numbers, ascending; see ``Heads``.
        turns: In how many of its turns each has it.
        of_user: In how many of those that a person said.
    """

    owner: "Ids"
    turns: "Counts"
    of_user: "Counts"


def tally(heads: "Heads", ids: "Ids") -> Tally:
    """Return the conversations of the chunks ``ids``, of which those that are no turns count for nothing."""
    ids = ids.astype(np.intp)  # as small numbers they would be looked up at half the speed
    whose = heads.conversations(ids)
    is_user = heads.where(ids, [sort.role == "user" for sort in heads.sorts])
    turns = np.bincount(whose, minlength=1)
    of_user = np.bincount(whose[is_user], minlength=len(turns))
    turns[0] = 0
    owner = np.flatnonzero(turns)
    return Tally(owner.astype(np.int32), turns[owner].astype(np.int32), of_user[owner].astype(np.int32))
