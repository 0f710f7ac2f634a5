"""A prompt as a search: its words only, so that nothing in it is an operator. Pure functions."""

import re
from collections.abc import Sequence
from typing import Final

from app.core.recalled import without_recalled
from app.core.stopwords import stop_words
from app.core.text import storable
from app.retrieval.model import Hit, Query, Term

MAX_WORDS: Final = 24
"""Words asked for at most; of a longer prompt the longest, which are likely the rarest."""
NOT_FAR: Final = 0.6
_READ: Final = 20_000
_WORD: Final = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")


def words_of(prompt: str) -> tuple[Term, ...]:
    """Return what ``prompt`` asks for; nothing when it has only words like "the"."""
    text, _ = storable(without_recalled(prompt)[:_READ])
    found: dict[str, str] = {}
    for word in _WORD.findall(text):
        found.setdefault(word.casefold(), word)
    dropped = stop_words(found)
    kept = [word for key, word in found.items() if key not in dropped]
    chosen = set(sorted(kept, key=len, reverse=True)[:MAX_WORDS])
    return tuple(Term(word) for word in kept if word in chosen)


def query_of(terms: Sequence[Term], but_session: str) -> Query:
    """Return the search for ``terms``, leaving out one conversation."""
    excluded = (("session_is", but_session),) if but_session else ()
    return Query(" ".join(term.text for term in terms), tuple(terms), excluded=excluded)


def cosine_of(hit: Hit) -> float | None:
    """Return how near in meaning a hit is, ``None`` where meaning did not find it."""
    return next((score.score for score in hit.why.legs if score.leg == "vector"), None)


def on_question(hits: Sequence[Hit], similarity: float) -> list[Hit]:
    """Return the hits that bear on the prompt, in order, rather than merely being the best there are.

    They are near in meaning, or have a word of the prompt and a score not far below the best one's. How near is near
    depends on the embedder: few texts are above 0.65 for the built-in one.
    """
    best = max((hit.score for hit in hits), default=0.0)
    return [hit for hit in hits if _is_near(hit, similarity) or (hit.why.terms and hit.score >= NOT_FAR * best)]


def touching(hits: Sequence[Hit], similarity: float) -> list[Hit]:
    """Return the hits that have any word of the prompt, or are near in meaning."""
    return [hit for hit in hits if hit.why.terms or _is_near(hit, similarity)]


def _is_near(hit: Hit, similarity: float) -> bool:
    return (cosine_of(hit) or 0.0) > similarity
