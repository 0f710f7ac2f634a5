"""Similar memories, found by the ordinary search."""

from collections.abc import Sequence

from app.memories.deduplication.word_sets import word_set
from app.memories.model import Kind
from app.retrieval.service import SearchService

_MAX_WORDS = 60


class SimilarMemories:
    """Search for memories similar to a text.

    Args:
        search: The search.
    """

    def __init__(self, search: SearchService) -> None:
        self._search = search

    async def find(self, text: str, *, kind: Kind, stores: Sequence[str], limit: int) -> list[str]:
        """Return ids of memories of a kind that are similar to ``text``, best first.

        Raises:
            KeepsakeError: Search cannot answer now.
        """
        # Words alone: nothing in the text is an operator of the query language.
        words = sorted(word_set(text), key=lambda word: (-len(word), word))[:_MAX_WORDS]
        if not words or limit < 1 or not stores:
            return []
        found = await self._search.search(
            f"kind:{kind} {' '.join(words)}", limit=limit, stores=stores, is_internal=True
        )
        return [hit.id for hit in found.hits if hit.target == "memory"]
