"""First person to third: ``I moved my bed`` becomes ``Anna moved their bed``."""

import re
from typing import Final

_TOKEN: Final = re.compile(r"[A-Za-z]+(?:'[A-Za-z]+)?|[^A-Za-z]+")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_ADVERBS: Final = _words(
    """
    always also just still really never usually often actually finally recently even already sometimes definitely
    totally absolutely currently only now kinda probably honestly truly both once rarely simply soon normally mostly
    mainly generally especially
    """
)
_UNCHANGED: Final = _words(
    """
    can could will would should might may must shall ought used had did was were went got made took saw met found
    came gave told felt thought bought brought kept left lost read ran said sent spent set put cut hit let began
    became broke built chose drew drank drove ate fell fought flew forgot forgave grew heard held hid knew laid led
    learnt lent lay meant paid rode rang rose sang sat sold shook shot showed slept spoke spoilt stood stole stuck
    struck swam taught threw understood woke wore won wrote caught dealt dreamt dug hung lit quit sought shut split
    spread swept tore upset bet cost gonna wanna gotta can't couldn't won't wouldn't shouldn't didn't wasn't weren't
    mustn't hadn't mightn't cannot
    """
)
_IRREGULAR: Final = {
    "am": "is", "have": "has", "do": "does", "don't": "doesn't", "haven't": "hasn't", "go": "goes", "ain't": "isn't",
    "are": "are", "aren't": "aren't",
}  # fmt: skip
_CONTRACTED: Final = {"'m": "is", "'ve": "has", "'ll": "will", "'d": "would", "'re": "are"}
_PLURAL: Final = {"'m": "are", "'ve": "have", "'ll": "will", "'d": "would", "'re": "are"}
_HAD: Final = _words("been had gone got seen done made better never always")
_REST: Final = {"my": "their", "mine": "theirs", "me": "them", "myself": "themselves", "our": "their", "us": "them",
                "ours": "theirs", "ourselves": "themselves"}  # fmt: skip
_SES: Final = ("s", "sh", "ch", "x", "z", "o")


def in_third_person(sentence: str, subject: str, listener: str = "") -> str:
    """Return a sentence of the first person in the third person.

    The first ``I`` or ``my`` names the subject; later ones become ``they`` and ``their``.

    Args:
        sentence: A sentence that its subject says.
        subject: The name to put in, such as ``Anna`` or ``The user``.
        listener: The name for ``you``; ``""`` leaves ``you`` as it is.
    """
    tokens = _TOKEN.findall(sentence)
    made: list[str] = []
    is_named = False
    for place, token in enumerate(tokens):
        lower = token.lower()
        stem, _, tail = lower.partition("'")
        if stem in ("i", "we") and (tail or lower == stem):
            name = _pronoun(stem, subject, is_named=is_named)
            is_plural = is_named or stem == "we"
            is_named = True
            made.append(f"{name}{_verb_after(tail, tokens, place, is_plural=is_plural)}")
            if not tail:
                _agree(tokens, place, is_plural=is_plural)
        elif lower in _REST:
            if lower in ("my", "our") and not is_named:
                made.append(f"{subject}'s")
                is_named = True
            else:
                made.append(_REST[lower])
        elif listener and lower in ("you", "your", "yours"):
            made.append(listener if lower == "you" else f"{listener}'s")
        else:
            made.append(token)
    text = "".join(made)
    return text[:1].upper() + text[1:]


def _pronoun(stem: str, subject: str, *, is_named: bool) -> str:
    if is_named:
        return "they"
    return subject if stem == "i" else f"{subject} and others"


def _verb_after(tail: str, tokens: list[str], place: int, *, is_plural: bool) -> str:
    """Return the verb of a contraction such as ``I'd``, with a blank before it."""
    if not tail:
        return ""
    if tail == "d":
        following = next((token.lower() for token in tokens[place + 1 :] if token.strip()), "")
        if following in _HAD or following.endswith("ed"):
            return " had"
    return f" {(_PLURAL if is_plural else _CONTRACTED).get(f'{chr(39)}{tail}', tail)}"


def _agree(tokens: list[str], place: int, *, is_plural: bool) -> None:
    """Change the verb after ``I`` so that it agrees with a name."""
    for at in range(place + 1, min(place + 6, len(tokens))):
        word = tokens[at].lower()
        if not word.strip() or word in _ADVERBS:
            continue
        if is_plural:
            tokens[at] = {"am": "are", "was": "were"}.get(word, tokens[at])
        elif word in _IRREGULAR:
            tokens[at] = _IRREGULAR[word]
        elif word.isalpha() and word not in _UNCHANGED and not word.endswith(("ed", "ing", "ly")):
            tokens[at] = _third(word)
        return


def _third(verb: str) -> str:
    if verb.endswith("y") and verb[-2:-1] not in "aeiou":
        return f"{verb[:-1]}ies"
    return f"{verb}es" if verb.endswith(_SES) else f"{verb}s"
