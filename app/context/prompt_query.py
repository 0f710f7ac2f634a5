"""Prompt query: a prompt as a search without operators. Pure functions."""

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from app.core.text import storable
from app.core.text_rules.recall_fence import without_recalled
from app.core.text_rules.stopwords import stop_words
from app.retrieval.model import Hit, Query, Term
from app.retrieval.query.parser import parse_plain

MAX_WORDS: Final = 24
"""Maximum number of highlighted words; of a longer prompt the longest, which are likely the rarest."""
LEAST_SHARE: Final = 0.6
"""Minimum share of the best score, for recipes with linear scores."""
LEAST_ODDS: Final = 1 / 40
"""Minimum share of the best hit's odds, for the learned recipe, whose scores are log odds.

Of the right answers in the training data among a context's first hits, 95 to 99 % exceed it.
"""
_AROUND: Final = "coverage_window"
_READ: Final = 20_000
_WIDE: Final = re.compile("[\u0e00-\u0fff\u1100-\u11ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_WORD: Final = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")


def prompt_text(prompt: str) -> str:
    """Return the searchable text of ``prompt``, without recalled context and limited in length."""
    return storable(without_recalled(prompt)[:_READ])[0]


def prompt_terms(text: str) -> tuple[Term, ...]:
    """Return the distinct words of ``text`` without stop words."""
    terms: dict[str, str] = {}
    for word in _WORD.findall(text):
        terms.setdefault(word.casefold(), word)
    dropped = stop_words(terms)
    words = [word for key, word in terms.items() if key not in dropped]
    chosen = set(sorted(words, key=len, reverse=True)[:MAX_WORDS])
    return tuple(Term(word) for word in words if word in chosen)


def is_question(text: str) -> bool:
    """Return whether a prompt asks something."""
    return "?" in text or "？" in text


def has_content(text: str, terms: Sequence[Term]) -> bool:
    """Return whether a prompt that is passed on unasked has words enough to search for.

    A question has, by any word. A request of a single word, such as "great", tells no subject; scripts without blanks
    write a sentence as one.
    """
    return bool(terms) and (
        is_question(text) or len(terms) > 1 or any(map(_WIDE.search, (term.text for term in terms)))
    )


def prompt_query(text: str, now_ms: int, but_session: str) -> Query:
    """Return the query for a prompt at a time, excluding one session.

    The query keeps all words, as if a person had typed them, because the question analysis needs the whole text.
    """
    excluded = (("session_is", but_session),) if but_session else ()
    return replace(parse_plain(text, now_ms), excluded=excluded)


def hit_cosine(hit: Hit) -> float | None:
    """Return the cosine of a hit, ``None`` where vector search did not find it."""
    return next((score.score for score in hit.why.legs if score.leg == "vector"), None)


def relevant_hits(hits: Sequence[Hit], similarity: float) -> list[Hit]:
    """Return the hits that are relevant to the prompt, in their order.

    A hit is relevant if its cosine exceeds ``similarity``, or if it or its window has a word of the prompt and its
    score is not far below the best. With the built-in embedder few texts exceed a cosine of 0.65.
    """
    best = max((hit.score for hit in hits), default=0.0)
    is_learned = any(hit.why.features for hit in hits)
    least = best + math.log(LEAST_ODDS) if is_learned else LEAST_SHARE * best
    return [hit for hit in hits if _is_near(hit, similarity) or (_has_words(hit) and hit.score >= least)]


def matching_hits(hits: Sequence[Hit], similarity: float) -> list[Hit]:
    """Return the hits that match by words, entities or cosine."""
    return [hit for hit in hits if hit.why.terms or _is_mentioning(hit) or _is_near(hit, similarity)]


def _has_words(hit: Hit) -> bool:
    # A message may answer without the words of the question before it.
    return bool(hit.why.terms) or _is_mentioning(hit) or _AROUND in hit.why.features


def _is_mentioning(hit: Hit) -> bool:
    """Tell whether a hit mentions an entity that the prompt names by another alias."""
    return any(score.leg == "entity" for score in hit.why.legs)


def _is_near(hit: Hit, similarity: float) -> bool:
    return (hit_cosine(hit) or 0.0) > similarity
