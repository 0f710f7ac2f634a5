"""The lists of words that many chunks have, read before anyone asks: those take longest, and are asked for most."""

import json
import re
from collections import Counter
from collections.abc import Iterable
from typing import Final

import apsw

from app.core.stopwords import stop_words
from app.index.columns.chunk_lengths import last_chunk
from app.index.columns.index_cache import IndexCache
from app.retrieval.query.match_expression import fold, quote, stem

MIN_CHUNKS: Final = 50_000
"""Of fewer chunks every word is read soon enough when it is asked for."""
SAMPLED: Final = 300
"""So many chunks, from all over the vault, tell which words are frequent; to take more apart would hold searches up."""
MIN_SHARE: Final = 3
"""A word of fewer of these is not frequent."""
MOST_SHARE: Final = 1 / 4
"""A word of more of all chunks says too little to be asked for much."""
_IDS_A_CHUNK: Final = 4  # a quarter of what is kept; the rest is for what is asked for
_READ_CHARACTERS: Final = 2_000
_WORD: Final = re.compile(r"[a-z0-9]+")


def preload_frequent_words(connection: apsw.Connection, index_cache: IndexCache) -> int:
    """Read the lists of the words that most chunks have, as far as there is room, and return how many words.

    Args:
        connection: A reader.
        index_cache: Keeps them.
    """
    last = last_chunk(connection)
    if last < MIN_CHUNKS:
        return 0
    texts = _sample(connection, last)
    room, known = _IDS_A_CHUNK * last, 0
    for word, count in _frequent(texts):
        if count < MIN_SHARE or room <= 0:
            break
        if count <= MOST_SHARE * len(texts):
            room -= len(index_cache.posting(connection, quote(word), stem(word), last).ids)
            known += 1
    return known


def _sample(connection: apsw.Connection, last: int) -> list[str]:
    step = max(last // SAMPLED, 1)
    rows = connection.execute(
        f"SELECT substr(c.text, 1, {_READ_CHARACTERS}) FROM json_each(?) wanted CROSS JOIN chunks c"
        " ON c.id = wanted.value",
        (json.dumps([*range(1, last + 1, step)]),),
    )
    return [str(row[0]) for row in rows]


def _frequent(texts: Iterable[str]) -> list[tuple[str, int]]:
    """Return a word of each stem with how many of ``texts`` have it, the most frequent first, without stop words."""
    counts, words = Counter[str](), dict[str, str]()
    for text in texts:
        said = set(_WORD.findall(fold(text)))
        said -= stop_words(said)
        roots = {stem(word): word for word in said}
        counts.update(roots.keys())
        words.update(roots)
    return [(words[root], count) for root, count in counts.most_common()]
