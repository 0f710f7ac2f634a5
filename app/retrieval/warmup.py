"""Preloading of the posting lists of frequent words, which take longest to read."""

import re
from collections import Counter
from collections.abc import Iterable
from typing import Final

from app.core.text_rules.spellings import fold
from app.core.text_rules.stopwords import stop_words
from app.index.chunk_texts import read_texts
from app.retrieval.query.match_expression import word_expression
from app.retrieval.snapshot import SearchSnapshot
from app.store.words.tokenizer import root

MIN_CHUNKS: Final = 50_000
"""With fewer chunks, posting lists are read fast enough on demand."""
SAMPLED: Final = 300
"""Number of sampled chunks; tokenising more would delay searches."""
MIN_SHARE: Final = 3
"""A word in fewer sampled chunks is not frequent."""
MOST_SHARE: Final = 1 / 4
"""A word in a larger share of chunks is too common to be searched often."""
_IDS_A_CHUNK: Final = 4  # a quarter of the cache; the rest is for actual searches
_READ_CHARACTERS: Final = 2_000
_WORD: Final = re.compile(r"[a-z0-9]+")


def preload_frequent_words(snapshot: SearchSnapshot) -> int:
    """Read the posting lists of frequent words into the cache, and return their number."""
    last, read = snapshot.last_chunk, snapshot.index_cache.posting
    if last < MIN_CHUNKS:
        return 0
    texts = _sample(snapshot)
    room, known = _IDS_A_CHUNK * last, 0
    for word, count in _frequent(texts):
        if count < MIN_SHARE or room <= 0:
            break
        if count <= MOST_SHARE * len(texts):
            room -= len(read(snapshot.connection, word_expression(word), root(word), last).ids)
            known += 1
    return known


def _sample(snapshot: SearchSnapshot) -> list[str]:
    last = snapshot.last_chunk
    step = max(last // SAMPLED, 1)
    return list(read_texts(snapshot.connection, range(1, last + 1, step), _READ_CHARACTERS).values())


def _frequent(texts: Iterable[str]) -> list[tuple[str, int]]:
    """Return a word of each stem with its document frequency, most frequent first."""
    counts, words = Counter[str](), dict[str, str]()
    for text in texts:
        known = set(_WORD.findall(fold(text)))
        known -= stop_words(known)
        roots = {root(word): word for word in known}
        counts.update(roots.keys())
        words.update(roots)
    return [(words[root], count) for root, count in counts.most_common()]
