"""Kinds of statements about oneself that are not worth remembering; in English.

The pronoun whose noun stands elsewhere, assent and thanks, the headline whose news is in another sentence, the plan
with neither date nor place, the everyday purchase, and the evening that passes. In doubt a sentence is left out.
"""

import re
from collections.abc import Iterator
from typing import Final, Literal

from app.extraction.cues import DAY_TO_COME
from app.extraction.screening import body_of

Kind = Literal["pointing", "polite", "empty", "tentative", "bought", "moment"]

_NAME: Final = r"(?<=[a-z,;] )[A-Z][a-z]+|\A(?!I\b)[A-Z][a-z]+(?: and I|['’]s| (?:is|was|has|\w+ed|[a-z]+s))\b"
_PERSON_NOUN: Final = re.compile(
    rf"{_NAME}|\b(?:wife|husband|partner|(?:girl|boy)?friend|fianc[eé]e?|m[ou]m|mother|dad|father|sister|brother|son"
    r"|daughter|kid|child|baby|grand\w+|aunt|uncle|cousin|niece|nephew|dog|cat|pup(?:py)?|kitten|pet|horse|goat|boss"
    r"|manager|colleague|co-?worker|doctor|vet|therapist|teacher|neighbou?r|roommate|client|man|woman|guy|girl|boy|lady"
    r"|person|somebody|someone|author|actor|artist)(?:-in-law)?\b"
)
_PLURAL_NOUN: Final = re.compile(
    rf"{_NAME}|\b(?!(?:always|sometimes|perhaps|yes|thanks)\b)[a-z]{{2,}}[^\Wius]s\b|\b(?:people|children|family|fam|team"
    r"|group|community|folks|everyone|everybody|[a-z]+ and [a-z]+)\b"
)
_ONE: Final = re.compile(r"\b(?:he|him|his|she|her|hers)\b", re.IGNORECASE)
_MANY: Final = re.compile(r"\b(?:they|them|their|theirs)\b", re.IGNORECASE)
_POINTING: Final = re.compile(
    r"\b(?:like (?:this|that|these|those)(?=\W*\Z|[,.;!?–-]| [–-])"
    r"|(?:do|did|done|doing|try|tried|made|include) (?:this|that|it|so)"
    r"|the (?:idea|other one|latter|former)\b(?! (?:of|that|to|as|for))"
    r"|a similar \w+\b(?! (?:when|to|at|with))"
    r"|(?:this|these|those) (?:pics?|photos?|ones?)|here['’]s (?:a|my|the|another)"
    r"|in (?:this|that) (?:pic|photo)|there(?! (?:is|are|was|were|has|have|will)))\b(?!['’])",
    re.IGNORECASE,
)
_POLITE: Final = re.compile(
    r"\blove\b.*\b(?:too|as well)\W*\Z|\blove\b.*\bthanks?\b|\bthanks?\b.*\blove\b"
    r"|\blove (?:the idea|your|those|all of|that|this|it)\b|\bso it['’]s great to (?:know|hear)\b",
    re.IGNORECASE,
)
_EMPTY: Final = re.compile(
    r"\bsomething (?:\w+ )?happened\b|\b(?:a lot|so much)(?:['’]s| has| have)? happened\b(?!.* - )"
    r"|\b(?:had|been|have) (?:a|an|such an?|some) (?:\w+ ){0,3}(?:accomplishment|achievement|news|experience|time|day"
    r"|week|weekend|moment|break|blast)\b(?: (?:this|last|on|yesterday|today|lately|recently|too|\w*day|week|month"
    r"|weekend|it was|and|so|really|\w+ing))*\W*\Z|\b(?:have|got) (?:some )?(?:big|great|good|exciting) news\b",
    re.IGNORECASE,
)
_TENTATIVE: Final = re.compile(
    r"\b(?:thinking (?:of|about)|considering|meaning to|can['’]t wait|i['’]ve (?:also )?heard|idea of|eyeing)\b",
    re.IGNORECASE,
)
_PLACE: Final = re.compile(r"\b(?:to|in|at|visit|visiting|with|of) (?:the |my \w+ )?[A-Z][a-z]+")
_BOUGHT: Final = re.compile(
    r"\b(?:bought|purchased?|picked up|splurged?|(?:got|get|getting|ordered) (?:\w+ ){0,2}new|on sale|a (?:great|good)"
    r" deal|discount\w*|coupons?|cashback|shopping)\b|\d ?% off|\b(?:got|ordered|spent|paid|cost)\b.*[$€£]\d",
    re.IGNORECASE,
)
_WARE: Final = re.compile(
    r"\b(?:shoes?|boots?|sneakers?|jeans|(?:sun)?dress|shirts?|sweaters?|jackets?|coats?|(?:hand|crossbody )?bags?"
    r"|outfits?|necklace|bracelet|jewelry|moisturi[sz]er|skincare|case|headphones?|phone|smartwatch|tv|router"
    r"|bulbs?|sofa|desk|rug|shelf|shelves|closet|grocer(?:y|ies)|sauce|salad"
    r"|fruits?|bowls?|lens|tripod|helmet|mixer)\b",
    re.IGNORECASE,
)
# A home, a vehicle, a pet, an instrument, what keeps a person well, or a gift for a day that is named.
_KEPT: Final = re.compile(
    r"\b(?:a|an|my|our|the|your first) (?:[\w’'-]+ ){0,4}?(?:house|home|apartment|condo|flat|car|truck|van|motorcycle"
    r"|boat|farm|dog|cat|pup(?:py)?|kitten|parrot|horse|guitar|piano|keyboard|violin|drums?|ukulele|saxophone|flute"
    r"|inhaler|glasses|wheelchair|hearing aids?|medication|insulin|ring)(?=\W*\Z|[,;.!?]| (?:from|in|on|at|for|and|last"
    r"|this|with|that|which|near|back|named|called|two|three))"
    r"|\bfor (?:my|our) (?:\w+ )*?(?:birthday|wedding|anniversary|graduation|shower)\b|['’]s (?:\w+ )?(?:birthday"
    r"|wedding|anniversary|graduation|baby shower)\b|\b(?:raised|donat\w+|rent|salary|loans?)\b",
    re.IGNORECASE,
)
_NOW: Final = re.compile(
    r"\b(?:today|tonight|yesterday|last (?:night|weekend|\w+day)|this (?:morning|afternoon|evening|weekend)|right now"
    r"|the other day|(?:just|i) (?:finished|watched|played|ate|made)|now)\b",
    re.IGNORECASE,
)
_PASTIME: Final = re.compile(
    r"\b(?:watch(?:ed|ing)|play(?:ed|ing)|finished (?:eating|season)|season \d|ate|eating|dinner|(?:br|l)unch|breakfast"
    r"|bak(?:ed|ing)|cook(?:ed|ing)|brew(?:ed|ing)?|listen(?:ed|ing)|chill\w*|bored|tired|angry|frustrated|clean(?:ed"
    r"|ing)|organi[sz]ed|walk|tried)\b",
    re.IGNORECASE,
)
_MILESTONE: Final = re.compile(
    r"\b(?:first|join(?:ed|ing)|start(?:ed|ing)|won|win|adopt\w*|marri\w+|engaged|hurt|injur\w+|sprain\w*|twisted|broke"
    r"|born|birthday|wedding|anniversary|graduat\w+|moved|moving|job|promot\w+|diagnos\w+|hospital|doctor|surgery"
    r"|interview|accepted|approv\w+|passed|lost|launched|opened|tournament|competition|volunteer\w*|published)\b",
    re.IGNORECASE,
)


def kinds_of(sentence: str) -> Iterator[Kind]:
    """Return what speaks against remembering a sentence, each kind once."""
    body = body_of(sentence)
    if _POINTING.search(body) or _dangles(body, _ONE, _PERSON_NOUN) or _dangles(body, _MANY, _PLURAL_NOUN):
        yield "pointing"
    if _POLITE.search(sentence):
        yield "polite"
    if _EMPTY.search(body):
        yield "empty"
    if _TENTATIVE.search(body) and not DAY_TO_COME.search(body.lower()) and not _PLACE.search(body):
        yield "tentative"
    if (_BOUGHT.search(body) or _WARE.search(body)) and not _KEPT.search(body):
        yield "bought"
    if _NOW.search(body) and _PASTIME.search(body) and not _MILESTONE.search(body):
        yield "moment"


def is_passing(sentence: str) -> bool:
    """Return whether anything speaks against remembering a sentence."""
    return next(kinds_of(sentence), None) is not None


def _dangles(body: str, pronoun: re.Pattern[str], noun: re.Pattern[str]) -> bool:
    """Return whether a pronoun comes before every noun that it could stand for."""
    found = pronoun.search(body)
    return found is not None and noun.search(body, 0, found.start()) is None
