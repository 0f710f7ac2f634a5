"""Sentences of an explanation, one for each stage, with suggestions."""

from collections.abc import Sequence
from typing import Final

from app.explain.model import FeatureGap, LegPlace, Remedy, Stage

GONE: Final[dict[Stage, tuple[str, str]]] = {
    "missing": (
        "There is nothing with that id that you may see.",
        "Check the id. Items that were forgotten for ever are gone.",
    ),
    "deleted": ("It was deleted, so no search shows it.", "Restore it."),
    "archived": ("It is in the archive, so no search shows it.", "Take it out of the archive."),
    "forgotten": ("Its conversation was forgotten, so no search shows it.", "Undo the forgetting of the conversation."),
}
FEATURES: Final = {
    "bm25": "has fewer of the words you asked for",
    "bm25_text": "has fewer of the words for its length",
    "bm25_window": "has fewer of the words around it",
    "bm25_passage": "has fewer of the words around it",
    "bm25_before": "follows a message with fewer of the words",
    "bm25_after": "is followed by a message with fewer of the words",
    "bm25_session": "stands in a conversation that is less about them",
    "coverage": "has a smaller share of the words",
    "coverage_before": "follows a message with a smaller share of the words",
    "coverage_onward": "has a smaller share of the words two messages later",
    "coverage_window": "has a smaller share of the words around it",
    "coverage_session": "stands in a conversation with a smaller share of the words",
    "pairs": "has the words farther apart",
    "cosine": "is farther in meaning",
    "cosine_before": "follows a message that is farther in meaning",
    "cosine_after": "is followed by a message that is farther in meaning",
    "cosine_window": "stands among messages farther in meaning",
    "cosine_session": "stands in a conversation farther in meaning",
    "words_rank": "comes later by words alone",
    "vector_rank": "comes later by meaning alone",
    "speaker": "was not said by whom you name",
    "first_speaker": "was not said by whom you name first",
    "other_speaker": "was not said by whom you name",
    "length": "is of another length",
    "question": "differs in being a question or not",
    "question_before": "differs in answering a question or not",
    "answer": "answers a question that has fewer of the words",
    "user": "was said by another side",
    "after_user": "follows another side",
    "first_person": "says less about who says it",
    "second_person": "says more about who hears it",
    "number": "says no number",
    "names": "has fewer names",
    "time": "says less about when",
    "date": "is from another date than you name",
    "date_near": "was said farther from the time you name",
    "recency": "is older",
    "memory": "differs in being a memory or a message",
    "session_words": "stands in a conversation that is less about them",
    "session_user_words": "stands in a conversation where you said less about them",
    "session_coverage": "stands in a conversation with a smaller share of the words",
    "session_length": "stands in a conversation of another length",
    "session_recency": "stands in an older conversation",
    "entity": "does not mention what you name under another name",
    "kin": "stands in a conversation less like the best ones",
    "kin_recent": "stands in a conversation that is older or less like the best ones",
}
_LEGS: Final = {"words": "by words", "vector": "by meaning", "entity": "by what it mentions"}
_MOST_REASONS: Final = 3


def not_indexed(text: str) -> tuple[str, str]:
    """Return sentence and suggestion for an item without chunks."""
    if not text.strip():
        return "It says nothing of its own to be found by.", ""
    return "It is not in the search index yet.", "Wait until indexing is done, or rebuild the index."


def filtered(failed: Sequence[str]) -> tuple[str, str]:
    """Return sentence and suggestion for an item that fails operators."""
    named = ", ".join(failed)
    return f"The query leaves it out: it does not satisfy {named}.", f"Ask without {named}."


def excluded(words: Sequence[str]) -> tuple[str, str]:
    """Return sentence and suggestion for an item excluded by words or phrases."""
    named = ", ".join(words)
    return f"The query rules it out by {named}.", f"Ask without {named}."


def not_found(legs: Sequence[LegPlace], terms: Sequence[str], lacking: Sequence[str]) -> str:
    """Return the sentence for an item that no retriever found within its depth."""
    has = f"It has {_listed(terms)} of the words asked for" if terms else "No word of the query is in it"
    lacks = f", but not {_listed(lacking)}" if terms and lacking else ""
    return f"{has}{lacks}; {retriever_ranks(legs)}."


def too_far(legs: Sequence[LegPlace]) -> str:
    """Return the sentence for an item that is not near enough."""
    return f"No word of the query is in it, and it is not near enough in meaning: {retriever_ranks(legs)}."


def not_ranked(legs: Sequence[LegPlace]) -> str:
    """Return the sentence for an item that was found but not ranked."""
    return f"It was found, but others looked more promising and it was not ranked: {retriever_ranks(legs)}."


def ranked_below(place: int, limit: int, gaps: Sequence[FeatureGap]) -> str:
    """Return the sentence for an item ranked below the last hit."""
    worse = list(dict.fromkeys(FEATURES.get(gap.name, gap.name) for gap in gaps if gap.theirs > gap.mine))
    than = f" Compared with the last one shown, it {_listed(worse[:_MOST_REASONS])}." if worse else ""
    return f"It is number {place}, and {limit} are shown.{than}"


def limited_per_session(place: int, per_session: int) -> str:
    """Return the sentence for an item displaced by other messages of its session."""
    messages = "message" if per_session == 1 else "messages"
    return (
        f"It is number {place}, but only {per_session} {messages} of a conversation are shown, and others came first."
    )


def shown(place: int, terms: Sequence[str], legs: Sequence[LegPlace]) -> str:
    """Return the sentence for an item that is shown."""
    has = f" It has {_listed(terms)}." if terms else ""
    return (
        f"It is shown at place {place}.{has} {retriever_ranks(legs).capitalize()}."
        if legs
        else f"It is shown at place {place}."
    )


def retriever_ranks(legs: Sequence[LegPlace]) -> str:
    """Return the item's place in each retriever, in words."""
    return ", ".join(_place(leg) for leg in legs) or "no leg ran"


def remedies_tried(remedies: Sequence[Remedy], limit: int) -> str:
    """Return the sentence about the best remedy."""
    if not remedies:
        return ""
    best = remedies[0]
    where = "first" if best.place == 1 else f"at place {best.place} of {limit}"
    return f"“{best.query}” shows it {where}."


def _place(leg: LegPlace) -> str:
    name = _LEGS[leg.leg]
    if leg.rank is None:
        return f"{name} it is not found"
    beyond = f" (a search looks at {leg.depth})" if leg.rank > leg.depth else ""
    return f"{name} it is number {leg.rank} of {leg.of}{beyond}"


def _listed(words: Sequence[str]) -> str:
    *before, last = words
    return f"{', '.join(before)} and {last}" if before else last
