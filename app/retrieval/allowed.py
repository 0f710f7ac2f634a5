"""Which chunks the operators of a search leave, as an array, so that the legs pass over the others at once.

Operators that are not known here leave all; whoever finds a chunk looks in the database whether it really satisfies
what was asked.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import apsw
import numpy as np

from app.index.columns import Sort
from app.index.postings import Postings, last_chunk
from app.memories.model import STORES
from app.retrieval.candidates import MESSAGE_KINDS, conditions, few_allowed
from app.retrieval.model import Query

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Mask = NDArray[np.bool_]

_SESSIONS: Final = "SELECT rowid FROM sessions WHERE "
_BY_SESSION: Final = {
    "session": f"{_SESSIONS}id = ?1 OR instr(lower(title), lower(?1))",
    "session_is": f"{_SESSIONS}id = ?1",
    "agent": f"{_SESSIONS}agent = ?1 COLLATE NOCASE",
}


def left(connection: apsw.Connection, query: Query, postings: Postings) -> "Mask | None":
    """Return which chunks may satisfy the operators of ``query``, by id; ``None`` where that is not known."""
    asked = [("kind", query.kinds), ("role", query.roles), ("session", query.sessions), ("agent", query.agents)]
    last = last_chunk(connection)
    masks = [_any_of(connection, postings, last, name, wanted) for name, wanted in asked if wanted]
    for name, unwanted in query.excluded:
        # Memories of an agent are not told from others here, so without them nothing can be left out for certain.
        mask = None if name == "agent" else _any_of(connection, postings, last, name, (unwanted,))
        masks.append(None if mask is None else ~mask)
    masks += [_few(connection, last, Query("", tags=(tag,))) for tag in query.tags]
    masks += [_few(connection, last, Query("", entities=(entity,))) for entity in query.entities]
    known = [mask for mask in masks if mask is not None]
    return np.logical_and.reduce(known) if known else None


def _any_of(
    connection: apsw.Connection, postings: Postings, last: int, name: str, wanted: Sequence[str]
) -> "Mask | None":
    columns = postings.columns
    if name == "kind":
        return columns.of_sorts(connection, last, lambda sort: any(_is_kind(sort, value) for value in wanted))
    if name == "role":
        roles = {value.lower() for value in wanted}
        return columns.of_sorts(connection, last, lambda sort: sort[0] != "memory" and sort[1] in roles)
    if name not in _BY_SESSION:
        return None
    rows = [row[0] for value in wanted for row in connection.execute(_BY_SESSION[name], (value,))]
    mask = columns.of_sessions(connection, last, np.array(rows, dtype=np.int64))
    if name == "agent":
        memories = columns.of_sorts(connection, last, lambda sort: sort[0] == "memory")
        return None if memories is None else mask | memories
    return mask


def _few(connection: apsw.Connection, last: int, alone: Query) -> "Mask | None":
    """Return which chunks satisfy one operator, looked up once for all legs; ``None`` when they are many."""
    few = few_allowed(connection, conditions(alone, STORES))
    if few is None:
        return None
    mask = np.zeros(last + 1, dtype=np.bool_)
    mask[few] = True
    return mask


def _is_kind(sort: Sort, value: str) -> bool:
    kind, role = sort
    return kind != "memory" if value.lower() in MESSAGE_KINDS else (kind, role) == ("memory", value.lower())
