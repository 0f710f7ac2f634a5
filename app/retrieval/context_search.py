"""What a context looks for: turns and memories on a prompt, in one go on one connection.

Each of the two is gathered and ranked by itself, so that a vault of many turns does not crowd its memories out. What
only a page of results needs, such as counts of facets and hits far down, is not made.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import apsw

from app.memories.model import Kind
from app.retrieval.answering import Answering, Meaning, Request, Stopwatch, answer, narrowed
from app.retrieval.context_rows import MOST, VECTOR_DEPTH, deep_legs
from app.retrieval.hits import Ranked, hits_of, rows_of
from app.retrieval.model import Hit

REMEMBERED: Final[tuple[Kind, ...]] = ("note", "fact", "observation", "digest")
SAID: Final = ("message",)


_WORDS_DEPTH: Final = 400
"""Half of what a search reads, of which a person may see the hundredth hit: here a few are told."""


def turns_on(connection: apsw.Connection, request: Request, meaning: Meaning | None, limit: int) -> tuple[Hit, ...]:
    """Return the turns that are best on a prompt.

    Args:
        connection: A reader.
        request: The prompt as a search of every kind; how many it wants plays no part.
        meaning: The vectors; ``None`` leaves their leg out.
        limit: How many at most.

    Raises:
        VectorsFailedError: The vector leg failed.
    """
    return _found(connection, request, meaning, SAID, limit)


def memories_on(connection: apsw.Connection, request: Request, meaning: Meaning | None, limit: int) -> tuple[Hit, ...]:
    """Return the memories that are best on a prompt; see ``turns_on``."""
    return _found(connection, request, meaning, REMEMBERED, limit)


def _found(
    connection: apsw.Connection, request: Request, meaning: Meaning | None, kinds: Sequence[str], limit: int
) -> tuple[Hit, ...]:
    if limit < 1:
        return ()
    asked = replace(request, query=replace(request.query, kinds=tuple(kinds)), offset=0, limit=limit)
    if request.recipe.fusion != "learned" or "words" not in request.wanted:
        return answer(connection, asked, meaning, Stopwatch()).found.hits
    ranked = _ranked(connection, asked, meaning)
    rows = rows_of(connection, [item.chunk_id for item in ranked])
    return hits_of(connection, ranked, rows, asked.query)


def _ranked(connection: apsw.Connection, request: Request, meaning: Meaning | None) -> Sequence[Ranked]:
    """Return the best of what was looked at closely, as many as wanted."""
    # Here, for numpy waits for the first search and does not hold up the loop.
    from app.index.columns.posting_cache import last_chunk  # noqa: PLC0415
    from app.retrieval.around import read_around  # noqa: PLC0415
    from app.retrieval.asked import asked  # noqa: PLC0415
    from app.retrieval.conversations import gathered, with_mentions  # noqa: PLC0415
    from app.retrieval.deep import nothing  # noqa: PLC0415
    from app.retrieval.learned import load_ranker, mentions_at, rank  # noqa: PLC0415
    from app.retrieval.pool import pool, standing  # noqa: PLC0415

    of_turns = request.query.kinds == SAID
    where = narrowed(connection, request)
    answering = Answering(connection, request, where, meaning)
    postings = answering.postings()
    legs = answering.gathered(deep_legs(_WORDS_DEPTH, VECTOR_DEPTH, postings))
    words = legs.get("words", nothing())
    heads = postings.heads(connection, last_chunk(connection))
    found = standing(heads, words, legs.get("vector", nothing()))
    mentions = mentions_at(heads, answering.mentioned(MOST))
    question = asked(request.query)
    if of_turns:
        read = gathered(connection, request.query, question, found, where, postings, words.matches, mentions.places)
    else:  # around a memory is nothing, and no conversation to weigh
        places = with_mentions(pool(found), mentions.places)
        read = read_around(connection, found, places, question, where, postings)
    weights = load_ranker().weights(legs, is_model=meaning is not None and meaning.is_model)
    ranking = rank(question, read, weights, most=0, vectors=answering.vectors(legs), mentions=mentions)
    return ranking.shown(ranking.spread(None)[: request.limit])
