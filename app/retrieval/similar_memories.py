"""Similar memories, found by the ordinary search."""

import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from app.core.access import Access
from app.core.text_rules.stopwords import stop_words
from app.core.time_rules.timespans import WEEKDAYS
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
# A hint interrupts. Over a vault of linked notes, this floor halves how many hints there are and how often they change,
# and as many of them are linked; without vectors the shared words must be a good part of what is written.
_LEAST_COSINE_OF_HINT = 0.6
_LEAST_SHARE = 0.4
_ADDRESS = re.compile(r"\]\([^)\s]*\)?|https?://\S+")  # where a link or picture is
# Words that texts on any matter share.
_ENGLISH = """ask back bring call called come day days get give go going good great help keep let like look looking make
    month need needs new next now old plan put read say says see still take takes thing things think time times today
    tomorrow try use want wanted wants way week weeks well work write year years yesterday"""
_GERMAN = """heute morgen gestern tag woche monat jahr gut neu machen gehen kommen geben sehen will wollen muss
    montag dienstag mittwoch donnerstag freitag samstag sonntag"""
_SPANISH = """hoy mañana ayer día días semana mes año bueno nuevo hacer ir ver quiero quiere
    lunes martes miércoles jueves viernes sábado domingo"""
_COMMON_WORDS = frozenset(f"{_ENGLISH} {_GERMAN} {_SPANISH}".split()).union(WEEKDAYS, (f"{day}s" for day in WEEKDAYS))


class SimilarMemories:
    """Search for memories similar to a text.

    Args:
        search: The search.
    """

    def __init__(self, search: SearchService) -> None:
        self._search = search

    async def find(self, access: Access, text: str, *, kind: Kind, limit: int) -> list[str]:
        """Return ids of memories of a kind that are similar to ``text``, best first.

        A memory is similar if it is near in meaning, or shares words and is not far in meaning.

        Raises:
            KeepsakeError: Search cannot answer now.
        """
        # Words alone: nothing in the text is an operator of the query language.
        words = sorted(word_set(text), key=lambda word: (-len(word), word))[:_MAX_WORDS]
        if not words or limit < 1 or not access.stores:
            return []
        result = await self._search.search(
            access, f"kind:{kind} {' '.join(words)}", limit=limit, is_internal=True, needs_meaning=True
        )
        return [hit.id for hit in result.hits if hit.target == "memory" and _is_similar(hit)]

    async def related(self, access: Access, text: str, *, limit: int, without: Sequence[str] = ()) -> list[Hit]:
        """Return memories and messages on the matter of ``text``, best first.

        Args:
            text: What is being written; its last words count.
            access: What the caller may see; messages are private.
            limit: How many at most.
            without: Ids of memories that are left out, such as what is being written itself.

        Raises:
            KeepsakeError: Search cannot answer now.
        """
        telling = _telling(word_set(_ADDRESS.sub(" ", text[-_LAST_CHARACTERS:])))
        words = sorted(telling, key=lambda word: (-len(word), word))[:_MAX_RELATED_WORDS]
        if len(words) < _LEAST_RELATED_WORDS or limit < 1 or not access.stores:
            return []
        result = await self._search.search(
            access, " ".join(words), limit=limit + len(without) + _SPARE, is_internal=True, needs_meaning=True
        )
        by_meaning = "vector" in result.legs
        hits = [hit for hit in result.hits if hit.id not in without and _is_related(hit, len(words), by_meaning)]
        return [hit for hit in hits if hit.target == "memory" or "private" in access.stores][:limit]


def _telling(words: AbstractSet[str]) -> frozenset[str]:
    """Return the words that tell what a text is about; numbers do not."""
    return frozenset(word for word in words - stop_words(words) - _COMMON_WORDS if not word.isdecimal())


def _is_related(hit: Hit, words: int, by_meaning: bool) -> bool:
    """Return whether a hit is of interest to a text of ``words`` telling words."""
    terms = {term.casefold() for term in hit.why.terms}
    shared = len(_telling(terms))
    if shared < _LEAST_SHARED_WORDS:
        return False
    if by_meaning:
        return (_cosine(hit) or 0.0) >= _LEAST_COSINE_OF_HINT
    return shared >= _LEAST_SHARE * words


def _is_similar(hit: Hit) -> bool:
    cosine = _cosine(hit)
    if hit.why.terms:
        return cosine is None or cosine >= _LEAST_COSINE
    return cosine is not None and cosine >= _LEAST_COSINE_ALONE


def _cosine(hit: Hit) -> float | None:
    """Return the cosine of a hit, ``None`` where vector search did not find it."""
    return next((score.score for score in hit.why.legs if score.leg == "vector"), None)
