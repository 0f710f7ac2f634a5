"""The candidates of the learned recipe with the turns around them, as their features need them."""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import apsw
import numpy as np

from app.index.heads import Heads
from app.index.manner import READ_CHARACTERS as BEGUN
from app.index.postings import Postings
from app.index.texts import Text
from app.retrieval.asked import Asked
from app.retrieval.candidates import Conditions
from app.retrieval.context_rows import frequencies
from app.retrieval.fts import fold
from app.retrieval.passing import is_plain, passing
from app.retrieval.pool import WHOLE, Gathered, Places, Read, Said, Standing, named, spans

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ids = NDArray[np.integer[Any]]

READ_CHARACTERS: Final = 4_000
"""How much of a text the features read."""


def read_around(
    connection: apsw.Connection,
    found: Standing,
    places: Places,
    question: Asked,
    where: Conditions,
    postings: Postings,
    said: Said | None = None,
) -> Gathered:
    """Return the candidates at ``places`` with all that their features need.

    Args:
        connection: A reader.
        found: The scores of what the legs found.
        places: The candidates.
        question: What is asked.
        where: What a turn must satisfy to be an answer.
        postings: Knows how many chunks have a word, and texts that were read before.
        said: What the conversations of the candidates say; nothing when not given.
    """
    candidates = named(found.heads, places)
    turns = _turns(connection, spans(candidates))
    pieces = _pieces(connection, [owner for owner, seq in candidates if seq == WHOLE])
    ids = np.concatenate([turns, pieces])
    allowed = np.ones(len(ids), dtype=np.bool_)
    if not is_plain(connection, where):
        allowed[: len(turns)] = passing(connection, found.heads, turns, where)
    texts = _texts(connection, ids.tolist(), postings)
    read = Read(found.heads, ids, _places(found.heads, ids), allowed, texts)
    total, counts = frequencies(connection, [sought.expression for sought in question.sought], postings)
    return Gathered(found, places, read, total, counts, said or Said(*[np.zeros(len(places))] * 4))


def _places(heads: Heads, ids: "Ids") -> Places:
    owner = heads.owner[ids].astype(np.int64)
    return Places(owner, np.where(owner < 0, WHOLE, heads.first[ids].astype(np.int64)))


def _turns(connection: apsw.Connection, ranges: Sequence[tuple[str, int, int]]) -> "Ids":
    """Return the chunks of the turns in the ``ranges`` of (session, first seq, last seq)."""
    # All of it stands in the index, so that no text is read.
    return _ids(
        connection,
        "WITH wanted (session, low, high) AS (SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?))"
        " SELECT group_concat(c.id, ' ') FROM wanted w CROSS JOIN chunks c INDEXED BY chunks_by_session"
        " WHERE c.session_id = w.session AND c.kind = 'message' AND c.seq_start BETWEEN w.low AND w.high",
        ranges,
    )


def _pieces(connection: apsw.Connection, memories: Sequence[str]) -> "Ids":
    """Return the chunks of memories."""
    return _ids(
        connection,
        "SELECT group_concat(c.id, ' ') FROM chunks c WHERE c.memory_id IN (SELECT value FROM json_each(?))",
        memories,
    )


def _ids(connection: apsw.Connection, sql: str, wanted: Sequence[object]) -> "Ids":
    found = connection.execute(sql, (json.dumps(wanted),)).get if wanted else None
    return np.fromstring(str(found or ""), dtype=np.int64, sep=" ")


def _texts(connection: apsw.Connection, ids: Sequence[int], postings: Postings) -> list[Text]:
    """Return the texts of chunks, those that were not read before from the database."""
    kept = postings.texts
    texts = kept.known(ids)
    lacking = [chunk for chunk, text in zip(ids, texts, strict=True) if text is None]
    if not lacking:
        return [text for text in texts if text is not None]
    fresh: dict[int, Text] = {}
    for chunk, content, author in connection.execute(_READ, (json.dumps(sorted(lacking)),)):
        folded = content.lower() if content.isascii() else fold(content)
        fresh[chunk] = Text(content[:BEGUN], folded, "?" in folded, author)
        kept.keep(chunk, fresh[chunk])
    return [text or fresh[chunk] for chunk, text in zip(ids, texts, strict=True)]


# Counting the characters of a text costs more than reading it, so only long ones are counted.
_READ: Final = (
    f"SELECT c.id, CASE WHEN octet_length(c.text) <= {READ_CHARACTERS} THEN c.text"
    f" ELSE substr(c.text, 1, {READ_CHARACTERS}) END, coalesce(CASE c.kind WHEN 'message' THEN"
    " (SELECT m.author FROM messages m WHERE m.session_id = c.session_id AND m.seq = c.seq_start) END, '')"
    " FROM json_each(?) wanted CROSS JOIN chunks c ON c.id = wanted.value"
)
