"""All pairs of texts with a Jaccard similarity, by the prefix filter of Bayardo et al. (WWW 2007).

datasketch (MinHash) was looked at: it is approximate, needs scipy, and here texts are short and the filter exact.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import Final

MAX_COMPARED: Final = 2_000_000  # comparisons, some two seconds; texts made to resemble each other would take hours


def similar_pairs(
    texts: Sequence[frozenset[int]], threshold: float, most_compared: int = MAX_COMPARED
) -> Iterator[tuple[int, int]]:
    """Yield pairs of places of similar texts, the smaller place first.

    Of equal texts only the first is compared with others; each of the rest is yielded with it.

    Args:
        texts: The numbers of each text's words; empty ones are like nothing.
        threshold: Least Jaccard similarity, above 0.
        most_compared: Comparisons after which it stops.
    """
    first: dict[frozenset[int], int] = {}
    for place, words in enumerate(texts):
        if words and (known := first.setdefault(words, place)) != place:
            yield known, place
    counts = Counter(word for words in first for word in words)
    by_prefix: dict[int, list[int]] = defaultdict(list)
    compared = 0
    for words, place in sorted(first.items(), key=lambda item: (len(item[0]), item[1])):
        prefix = _prefix(words, counts, threshold)
        seen: set[int] = set()
        for word in prefix:
            for other in by_prefix[word]:
                if other in seen:
                    continue
                seen.add(other)
                compared += 1
                if compared > most_compared:
                    return
                if _is_similar(words, texts[other], threshold):
                    yield min(place, other), max(place, other)
        for word in prefix:
            by_prefix[word].append(place)


def _prefix(words: frozenset[int], counts: Counter[int], threshold: float) -> list[int]:
    """Return so many of the rarest words that a similar text has one of them among its own."""
    length = len(words) - math.ceil(threshold * len(words) - 1e-9) + 1
    return sorted(words, key=lambda word: (counts[word], word))[:length]


def _is_similar(first: frozenset[int], second: frozenset[int], threshold: float) -> bool:
    if len(second) < threshold * len(first) - 1e-9:
        return False
    shared = len(first & second)
    return shared / (len(first) + len(second) - shared) >= threshold
