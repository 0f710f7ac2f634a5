"""Similar memories, found by the ordinary search."""

from collections.abc import Sequence

from app.memories.deduplication.word_sets import word_set
from app.memories.model import Kind
from app.retrieval.model import Hit
from app.retrieval.service import SearchService

_MAX_WORDS = 60
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


def _is_similar(hit: Hit) -> bool:
    cosine = next((score.score for score in hit.why.legs if score.leg == "vector"), None)
    if hit.why.terms:
        return cosine is None or cosine >= _LEAST_COSINE
    return cosine is not None and cosine >= _LEAST_COSINE_ALONE
