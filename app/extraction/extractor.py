"""The rule-based extractor: conversation in, quoted sentences out; pure, deterministic, in linear time."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from app.core.text_rules.recall_fence import without_recalled
from app.extraction.cues import cue_of
from app.extraction.model import ExtractedFact, Family, SpokenLine
from app.extraction.relative_dates import named_day
from app.extraction.scorer import is_english, load_weights, probability
from app.extraction.screening import can_stand_alone, plays_a_part
from app.extraction.sentence_split import sentences

CONFIDENCE: Final = 0.6
MAX_PER_MESSAGE: Final = 3
MAX_FACTS: Final = 2_000  # of one call
AMONG_PEOPLE: Final = 0.48
WITH_ASSISTANT: Final = 0.64
"""Least probability of a fact, by the kind of conversation; four of five sentences above it are worth remembering."""
_LESS: Final[dict[Family | None, float]] = {
    "statement": 1.0, "relation": 1.0, "preference": 0.4, "plan": 0.1, "decision": 0.2, "commitment": 0.3
}  # fmt: skip
"""Reduction of the score asked of a sentence with a cue, by the cue's family; 1 asks for none."""
_LEFT_OPEN: Final = "["  # a masked secret, a blank to fill in, markup
_FAMILIES: Final[tuple[tuple[Family, re.Pattern[str]], ...]] = (
    ("decision", re.compile(r"\b(?:decided|chose|settled on|signed up|enrolled|quit|applied)\b", re.IGNORECASE)),
    (
        "plan",
        re.compile(
            r"\b(?:(?:i['’]m|we['’]re|i am|we are) (?:\w+ )?(?:going to|gonna|planning|hoping|considering|thinking of"
            r"|looking forward|getting ready)|can['’]t wait|my (?:goal|dream|plan)s? (?:is|are)|hope to"
            r"|(?<!me )want to|next (?:week|month|year))\b",
            re.IGNORECASE,
        ),
    ),
    (
        "preference",
        re.compile(
            r"\b(?:love|enjoy|like|prefer|hate|dislike|fan of|passionate about|favou?rites?)\b(?! to\b)", re.IGNORECASE
        ),
    ),
    (
        "relation",
        re.compile(
            r"\bmy (?:\w+ )?(?:wife|husband|partner|girlfriend|boyfriend|mom|mother|dad|father|parents|sisters?"
            r"|brothers?"
            r"|sons?|daughters?|kids?|family|fam|cousins?|niece|nephew|friends?|dogs?|cats?)\b",
            re.IGNORECASE,
        ),
    ),
)


def extract(messages: Sequence[SpokenLine], weights: Sequence[float] | None = None) -> list[ExtractedFact]:
    """Return the sentences of a conversation that are worth remembering, in order.

    Each states something of who says it, and is quoted word for word. Only what people say counts. Questions, requests,
    hypotheses, quotations, code, parts that are played, pasted and recalled text, secrets, and sentences whose subject
    stands elsewhere are left out. A sentence that tells of health, relatives, home or work is chosen by its cue; any
    other in English by the scorer, which asks less where a cue tells of a strong like, a plan with a date, a promise
    or a decision. In German, Spanish and Chinese each cue is enough.

    Args:
        messages: The messages of one conversation, in order.
        weights: Weights of the scorer; those that come with the program by default.
    """
    facts: list[ExtractedFact] = []
    seen: set[tuple[str, str]] = set()
    weights = load_weights() if weights is None else weights
    least = WITH_ASSISTANT if any(line.role == "assistant" for line in messages) else AMONG_PEOPLE
    for line in messages:
        if line.role != "user" or plays_a_part(line.text):
            continue
        said_by = line.speaker or line.role
        for number, (sentence, family) in enumerate(_chosen(line.text, least, weights)):
            if number >= MAX_PER_MESSAGE or len(facts) >= MAX_FACTS:
                break
            statement = (said_by, sentence.rstrip(" .!…。！").casefold())
            if statement not in seen:
                seen.add(statement)
                facts.append(ExtractedFact(sentence, named_day(sentence, line.at), line.seq, family, said_by))
    return facts


def _chosen(text: str, least: float, weights: Sequence[float]) -> Iterator[tuple[str, Family]]:
    """Return the sentences of a message that are kept, in order."""
    read = without_recalled(text)
    for sentence in sentences(read):
        # Where recalled text was taken out, two halves may have become one sentence that nobody said.
        if not can_stand_alone(sentence) or _LEFT_OPEN in sentence or (read is not text and sentence not in text):
            continue
        family = cue_of(sentence)
        if is_english(sentence):
            if probability(sentence, weights) < least - _LESS.get(family, 0.0):
                continue
            family = family or next((name for name, pattern in _FAMILIES if pattern.search(sentence)), "statement")
        if family is not None:
            yield sentence, family
