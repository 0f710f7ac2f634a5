"""All pairs of similar texts, by their Jaccard similarity.

The prefix filter is that of Bayardo, Ma and Srikant, Scaling up all pairs similarity search (WWW 2007).
datasketch (MinHash) was looked at: it is approximate, needs scipy, and here texts are short and the filter exact.
Texts are kept as bytes, for a hundred thousand sets would hold up the collector of garbage.
"""

import math
from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Final

MAX_COMPARED: Final = 1_500_000  # comparisons, some two seconds; texts made to resemble each other would take hours
_SCANNED: Final = 20  # entries of the index that cost as much as one comparison
_SHARED: Final = 2  # words of the prefixes that similar texts share
_WIDTH: Final = array("I").itemsize


def packed(words: Iterable[int]) -> bytes:
    """Return the numbers of a text's words, each once, as ``similar_pairs`` takes them."""
    return array("I", sorted(set(words))).tobytes()


def similar_pairs(
    texts: Sequence[bytes],
    threshold: float,
    most_compared: int = MAX_COMPARED,
    check: Callable[[], object] = bool,
) -> Iterator[tuple[int, int]]:
    """Yield pairs of places of similar texts, the smaller place first.

    Of equal texts only the first is compared with others; each of the rest is yielded with it.

    Args:
        texts: The words of each text, as ``packed`` gives them; empty ones are like nothing.
        threshold: Least Jaccard similarity, above 0.
        most_compared: Comparisons after which it stops.
        check: Called for each text; an error that it raises ends the search.
    """
    first: dict[bytes, int] = {}
    by_length: dict[int, list[int]] = defaultdict(list)
    counts: Counter[int] = Counter()
    for place, text in enumerate(texts):
        known = first.setdefault(text, place) if text else place
        if known != place:
            yield known, place
        elif text:
            by_length[len(text) // _WIDTH].append(place)
            counts.update(_numbers(text))
    by_prefix: dict[int, list[int]] = defaultdict(list)
    compared = scanned = 0
    for length in sorted(by_length):
        shortest = math.ceil(threshold * length - 1e-9)
        for place in by_length[length]:
            check()
            words = frozenset(_numbers(texts[place]))
            # The rarest words, by number where they are as rare: two of them are among those of a similar text, too.
            prefix = sorted(words, key=lambda word: (counts[word], word))[: length - shortest + _SHARED]
            lists = [by_prefix[word] for word in prefix]
            met = Counter(chain.from_iterable(lists))
            least = min(_SHARED, shortest)
            others = [
                other for other, times in met.items() if times >= least and len(texts[other]) >= shortest * _WIDTH
            ]
            compared += len(others)
            scanned += sum(map(len, lists))
            if compared > most_compared or scanned > _SCANNED * most_compared:
                return
            for other in others:
                shared = len(words.intersection(_numbers(texts[other])))
                if shared >= threshold * (length + len(texts[other]) // _WIDTH - shared) - 1e-9:
                    yield min(place, other), max(place, other)
            for word in prefix:
                by_prefix[word].append(place)


def _numbers(text: bytes) -> memoryview:
    return memoryview(text).cast("I")
