"""Sentences of a turn: split, freed of interjections, without questions, code and quotes."""

import re
from collections.abc import Iterator
from typing import Final

MAX_CHARACTERS: Final = 20_000  # read of one turn
LONGEST: Final = 260  # characters of a sentence; longer ones are cut at a clause
_LEAST_WORDS: Final = 4

_CODE: Final = re.compile(r"```.*?(?:```|\Z)|`[^`\n]{1,200}`", re.DOTALL)
_URL: Final = re.compile(r"(?:https?://|www\.)\S+")
_QUOTED_LINE: Final = re.compile(r"(?m)^[ \t]*(?:>|\||#|\d{1,3}[.)]|[-*•]|\{|\}|<).*$")
_QUOTED: Final = re.compile(r"[\"“][^\"“”\n]{20,400}[\"”]")
_END: Final = re.compile(r"(?<=[.!?…])[\"”')]*\s+(?=[\"“'(]?[A-Z0-9])|\n+|(?<=[!?])\s+| [-–—]{1,2} (?=I |I'|My |my )")
_SPACE: Final = re.compile(r"\s+")
_OPENING: Final = re.compile(
    r"(?:(?:oh|ah|aw+|wow|whoa|woah|yeah|yes|yep|yup|no|nope|nah|hey|hi|hello|haha+|hmm+|well|so|and|but|also|plus|ok"
    r"|okay|right|sure|true|totally|absolutely|definitely|exactly|actually|anyway|honestly|basically|cool|nice|great"
    r"|awesome|amazing|sounds good|by the way|btw|fyi|guess what|to be honest|tbh|of course|you know|i mean|lol"
    r"|thanks(?: so much| a lot| again)?|thank you(?: so much)?|agreed|same here|me too|not much|no worries)"
    r"(?:,? [A-Z][a-z]+)?(?:[,!.;:…]+|(?= I\b| I'| my\b| we\b))\s*|[A-Z][a-z]+[,!]\s+(?=I\b|I'|[Mm]y\b|[Ww]e\b))+",
    re.IGNORECASE,
)
_CLAUSE: Final = re.compile(r"[;:]\s|,? (?:because|although|though|whereas|while|so that|which|but|since) |, and |, ")
_EMOJI: Final = re.compile("[\U0001f000-\U0001faff\u2600-\u27bf\ufe0f\u200d]+")


def sentences(text: str) -> Iterator[str]:
    """Return the statements of a turn, each without the interjections it begins with.

    Questions, code, quoted lines, lists and quotations are left out. Takes time linear in the length of the text, of
    which ``MAX_CHARACTERS`` are read.
    """
    text = text[:MAX_CHARACTERS]
    for pattern in (_CODE, _URL, _QUOTED_LINE, _QUOTED, _EMOJI):
        text = pattern.sub(" ", text)
    for part in _END.split(text.replace("’", "'")):
        sentence = _SPACE.sub(" ", part).strip(" \t\"“”'()*_~-–—")
        if not sentence or sentence.endswith("?"):
            continue
        opening = _OPENING.match(sentence)
        sentence = _clipped(sentence[opening.end() :].strip(" ,") if opening else sentence)
        if len(sentence.split()) >= _LEAST_WORDS:
            yield sentence[0].upper() + sentence[1:]


def _clipped(sentence: str) -> str:
    """Cut a long sentence at the last clause that fits."""
    if len(sentence) <= LONGEST:
        return sentence
    ends = [match.start() for match in _CLAUSE.finditer(sentence, 0, LONGEST)]
    return sentence[: ends[-1]] if ends else ""
