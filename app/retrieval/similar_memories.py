"""Similar memories, found by the ordinary search."""

from collections.abc import Sequence

from app.core.stopwords import stop_words
from app.memories.deduplication.word_sets import word_set
from app.memories.model import Kind
from app.retrieval.model import Hit
from app.retrieval.service import SearchService

_MAX_WORDS = 60
_LAST_CHARACTERS = 400
_MAX_RELATED_WORDS = 24
_LEAST_RELATED_WORDS = 3
_LEAST_SHARED_WORDS = 2
_SPARE = 6
# Unrelated sentences have a cosine of up to 0.25 with the built-in embedder, and of up to 0.6 with others.
_LEAST_COSINE = 0.3
_LEAST_COSINE_ALONE = 0.65


class SimilarMemories:
    """Search for memories similar to a text.

    Args:
        search: The search.
    """

    def __init__(self, search: SearchService) -> None:
        self._search = search

    async def find(self, text: str, *, kind: Kind, stores: Sequence[str], limit: int) -> list[str]:
        """Return ids of memories of a kind that are similar to ``text``, best first.

        A memory is similar if it is near in meaning, or shares words and is not far in meaning.

        Raises:
            KeepsakeError: Search cannot answer now.
        """
        # Words alone: nothing in the text is an operator of the query language.
        words = sorted(word_set(text), key=lambda word: (-len(word), word))[:_MAX_WORDS]
        if not words or limit < 1 or not stores:
            return []
        found = await self._search.search(
            f"kind:{kind} {' '.join(words)}", limit=limit, stores=stores, is_internal=True, needs_meaning=True
        )
        return [hit.id for hit in found.hits if hit.target == "memory" and _is_similar(hit)]

    async def related(self, text: str, *, stores: Sequence[str], limit: int, without: Sequence[str] = ()) -> list[Hit]:
        """Return memories and messages on the matter of ``text``, best first.

        Args:
            text: What is being written; its last words count.
            stores: Those that the caller may see; messages are private.
            limit: How many at most.
            without: Ids of memories that are left out, such as what is being written itself.

        Raises:
            KeepsakeError: Search cannot answer now.
        """
        all_words = word_set(text[-_LAST_CHARACTERS:])
        words = sorted(all_words - stop_words(all_words), key=lambda word: (-len(word), word))[:_MAX_RELATED_WORDS]
        if len(words) < _LEAST_RELATED_WORDS or limit < 1 or not stores:
            return []
        found = await self._search.search(
            " ".join(words), limit=limit + len(without) + _SPARE, stores=stores, is_internal=True, needs_meaning=True
        )
        hits = [hit for hit in found.hits if hit.id not in without and _is_related(hit)]
        return [hit for hit in hits if hit.target == "memory" or "private" in stores][:limit]


def _is_related(hit: Hit) -> bool:
    """Return whether a hit is similar enough to be of interest."""
    return _is_similar(hit) and (len(hit.why.terms) >= _LEAST_SHARED_WORDS or not hit.why.terms)


def _is_similar(hit: Hit) -> bool:
    cosine = next((score.score for score in hit.why.legs if score.leg == "vector"), None)
    if hit.why.terms:
        return cosine is None or cosine >= _LEAST_COSINE
    return cosine is not None and cosine >= _LEAST_COSINE_ALONE
