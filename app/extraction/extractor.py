"""The rule-based extractor: conversation in, facts out; pure, deterministic, in linear time."""

import re
from collections.abc import Sequence
from typing import Final

from app.core.recall_fence import without_recalled
from app.core.secret_patterns import secrets_in
from app.core.stopwords import ENGLISH
from app.extraction.families import family_of, vague_words
from app.extraction.model import ExtractedFact, Family, SpokenLine
from app.extraction.relative_dates import resolved
from app.extraction.sentence_split import sentences
from app.extraction.single_valued import single_value
from app.extraction.third_person import in_third_person

CONFIDENCE: Final = 0.6
MAX_PER_MESSAGE: Final = 4
MAX_FACTS: Final = 2_000  # of one call
UNKNOWN_USER: Final = "The user"
_LEAST_CONTENT: Final = 3
_WORDS_PER_VAGUE: Final = 8  # a word such as "it" or "this" needs so many others around it
_WORD: Final = re.compile(r"[A-Za-z][A-Za-z'-]+|\d+")
_OF_ASSISTANTS: Final[frozenset[Family]] = frozenset({"commitment", "decision"})
_YOU: Final = re.compile(r"\b(?:you|your|yours)\b", re.IGNORECASE)
_FIRST: Final = re.compile(r"\b(?:i|i'[a-z]+|we|we'[a-z]+|my|me|our|us)\b", re.IGNORECASE)


def extract(messages: Sequence[SpokenLine]) -> list[ExtractedFact]:
    """Return the facts that the speakers of a conversation state about themselves, in order.

    Sentences in the first person are kept where they state, prefer, plan, decide, relate or promise something, and are
    rewritten in the third person. Questions, reactions, hypotheses, quotations, code, tool output, recalled text and
    secrets are left out. Only English is read.

    Args:
        messages: The messages of one conversation, in order.
    """
    speakers = {line.speaker for line in messages if line.role == "user" and line.speaker}
    found: list[ExtractedFact] = []
    seen: set[str] = set()
    for line in messages:
        for fact in _facts_of(line, speakers):
            if fact.content not in seen:
                seen.add(fact.content)
                found.append(fact)
        if len(found) >= MAX_FACTS:
            return found[:MAX_FACTS]
    return found


def _facts_of(line: SpokenLine, speakers: set[str]) -> list[ExtractedFact]:
    if line.role not in ("user", "assistant") or not line.text:
        return []
    subject = line.speaker or (UNKNOWN_USER if line.role == "user" else "The assistant")
    others = speakers - {line.speaker}
    listener = next(iter(others)) if len(others) == 1 and line.role == "user" else ""
    facts: list[ExtractedFact] = []
    for sentence in sentences(without_recalled(line.text)):
        family = family_of(sentence)
        if family is None or not _is_informative(sentence, listener):
            continue
        if line.role == "assistant" and (family not in _OF_ASSISTANTS or not line.speaker):
            continue
        facts.append(_fact(sentence, family, line, subject, listener))
        if len(facts) >= MAX_PER_MESSAGE:
            break
    return facts


def _fact(sentence: str, family: Family, line: SpokenLine, subject: str, listener: str) -> ExtractedFact:
    category, key = single_value(sentence, subject)
    dated, event_time = resolved(sentence, line.at)
    text = in_third_person(_with_subject(dated), subject, listener).rstrip(" .!…,;:")
    return ExtractedFact(f"{text}.", category, key, CONFIDENCE, event_time, (line.seq,), family, subject)


def _with_subject(sentence: str) -> str:
    """Put ``I`` before a sentence without it, such as ``Gonna continue my studies``."""
    if _FIRST.match(sentence) or not _ELIDED.match(sentence):
        return sentence
    verb = sentence[0].lower() + sentence[1:]
    lower = verb.lower()
    if lower.startswith(("gonna ", "going to ", "planning ", "hoping ", "thinking ")):
        return f"I'm {verb}"
    return f"I've {verb}" if lower.startswith("been ") else f"I {verb}"


_ELIDED: Final = re.compile(
    r"(?:gonna|going to|planning|hoping to|thinking of|thinking about"
    r"|(?:just |finally |recently |also )?(?:been|started|got|went|had|made|took|met|found|finished|visited|joined"
    r"|bought))"
    r"\b(?! a (?:while|few|long)| so )",
    re.IGNORECASE,
)


def _is_informative(sentence: str, listener: str) -> bool:
    """Return whether a sentence says enough on its own, and nothing secret."""
    words = [word.lower() for word in _WORD.findall(sentence)]
    content = [word for word in words if word not in ENGLISH and len(word) > 2]  # noqa: PLR2004  (no "ok")
    if len(set(content)) < _LEAST_CONTENT or vague_words(sentence) * _WORDS_PER_VAGUE > len(words):
        return False
    if _YOU.search(sentence) and not listener:
        return False
    return not secrets_in(sentence)
