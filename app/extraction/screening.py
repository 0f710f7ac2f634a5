"""Screening of sentences: what is no statement of a speaker about themselves.

The words are those of English, German, Spanish and Chinese.
"""

import re
from typing import Final

from app.core.text_rules.secret_patterns import secrets_in

LONGEST_MESSAGE: Final = 3_000
"""Characters of a message; longer ones are taken for pasted text."""
_LEAST_WORDS: Final = 3
_LEAST_CHARACTERS: Final = 5  # of a sentence in Chinese
_HAN: Final = re.compile(r"[\u3400-\u9fff]")
_WORD: Final = re.compile(r"[^\W_]+(?:['’.-][^\W_]+)*")
_FIRST: Final = re.compile(
    r"\b(?:i|i['’](?:m|ve|d|ll)|im|ive|we|we['’](?:re|ve|d|ll)|my|me|our|us|mine|myself"
    r"|ich|mich|mir|wir|uns|mein(?:e[rnms]?)?|unser(?:e[rnms]?)?"
    r"|yo|me|mi|mis|nos|nosotr[oa]s|nuestr[oa]s?|soy|estoy|tengo|vivo|trabajo|nac[íi]|voy|vamos|somos)\b|我|俺|咱",
    re.IGNORECASE,
)
# Before the sentence begins: interjections, which say nothing of their own.
_OPENING: Final = re.compile(
    r"(?:(?:oh|ah|aw+|wow|whoa|yeah|yes|yep|yup|no|nope|nah|hey|hi|hello|haha+|lol|hmm+|well|so|and|but|also|plus|ok"
    r"|okay|right|sure|true|totally|absolutely|definitely|exactly|actually|anyway|honestly|cool|nice|great|thanks"
    r"|thank you|by the way|btw|fyi|speaking of which|oh and|ja|nein|also|übrigens|und|aber|ach|naja|sí|bueno|pues"
    r"|por cierto|y|pero|además|对了|其实|嗯|哦|哈哈)\b[\s,!.:;–—，。！-]*)+",
    re.IGNORECASE,
)
# What the sentence is about stands outside of it.
_POINTING: Final = re.compile(
    r"(?:it|its|it['’]s|this|that|that['’]s|these|those|they|they['’]re|he|he['’]s|she|she['’]s|them|there|same|which"
    r"|das|dies\w*|es|er|sie|die|deshalb|eso|esto|esta?|ellos|ellas|él|ella)\b|[这那它他她]",
    re.IGNORECASE,
)
# A pronoun with no more than a verb before it: what it stands for was not said.
_DANGLING: Final = re.compile(
    r"(?:(?!and |but |because |so |that )[\w'’]+ ){0,6}?(?:it|them|something|stuff|ones"
    r"|(?:one|this|that)(?=\W*\Z| (?:with|for|on|at|from|in|too|because|since)\b| ['’]cause))(?!['’])\b",
    re.IGNORECASE,
)
_ASKING: Final = re.compile(
    r"\b(?:(?:can|could|would|will|do|did|have) you|(?:help|tell|give|show|teach|send|remind|write|make|find"
    r"|explain to)"
    r" (?:me|us)\b|please|need (?:some |your |a (?:little |bit of )?)?(?:help|advice|tips?|ideas?|information)"
    r"|(?:looking|searching|hoping) (?:for|to get) (?:some |any |a |an |the |more |new )?(?:\w+ ){0,3}(?:help|advice"
    r"|tips?|ideas?|recommendations?|suggestions?|information|inspiration|ways?|guidance|resources|options)"
    r"|looking for\b|trying to (?:find|understand|figure|decide|get|come up|think)|want to (?:make sure"
    r"|know|understand|learn more|ask|see if"
    r"|get (?:some|a|the|more))|would like (?:to (?:know|ask)|you|some|a list|more)|(?:i['’]d|i would)"
    r" (?:love|like) (?:to (?:know|ask|hear|see|learn more|get)|some|any|your|you|a list|suggestions)|wondering (?:if"
    r"|what|how|whether)|was thinking (?:of|about|maybe)|(?:any|some) (?:tips|advice|ideas|recommendations"
    r"|suggestions)|curious (?:about|to|if|how)|interested in (?:learning|knowing|hearing|finding|exploring|getting)"
    r"|do you|what do you|let me know|thanks for|thank you"
    r"|i want you|let['’]s|act as|i need you|how (?:do|can|should) i"
    r"|kannst du|können sie|könntest|bitte|hilf mir|gib mir|ich brauche (?:hilfe|eine idee)|ich suche|weißt du"
    r"|danke|gracias|puedes|podrías|por favor|ayúdame|dame|dime|necesito (?:ayuda|que)|busco|quiero que|sabes)\b"
    r"|请|帮我|帮忙|能不能|可不可以|怎么|如何|什么|吗[。！]?\Z|告诉我|你能|谢谢",
    re.IGNORECASE,
)
_SUPPOSED: Final = re.compile(
    r"\b(?:if (?:i|we|you|he|she|they|my|only)|wish|would(?:n['’]t)? have|could have|should(?:n['’]t)? have|as if"
    r"|imagine|suppose|pretend|pretending|hypothetically|let['’]s say|for example|e\.g|as an? [\w ]{2,30}, i"
    r"|wenn (?:ich|wir)|falls|hätte|wäre|würde|stell dir vor|ojalá|si (?:yo|tuviera|fuera|pudiera)|imagina)\b"
    r"|如果|假如|假设|要是|假装|扮演",
    re.IGNORECASE,
)
_QUOTING: Final = re.compile(
    r"\b(?:said|says|say|saying|told (?:me|us|him|her|them)|tells|wrote|writes|asked|asks|replied|went|goes|sings|sang"
    r"|quote|motto|lyrics|sagte?|meinte|schrieb|dijo|dice|decía|escribió)\b[^.!?]{0,12}[,:]\s*[\"“„«'‘]?"
    r"|[说道问写][：:，]?[“「『\"]|歌词",
    re.IGNORECASE,
)
_QUOTED: Final = re.compile(r"[\"“”„«»「」『』]([^\"“”„«»「」『』]*)[\"“”„«»「」『』]")
_PLAYING: Final = re.compile(
    r"(?:\A|[.!?\n]\s*)\W{0,3}(?:please\s+|now\s+|can you\s+|could you\s+|i(?: want|['’]d like| would like"
    r"| need) you to\s+"
    r"|let['’]s\s+)?(?:act (?:as|like)|pretend|role-?\s?play|you are (?:an?|now|my|the)\b|you['’]re (?:an?|now)\b"
    r"|imagine"
    r"|write|rewrite|re-write|draft|compose|proof-?read|translate|summari[sz]e|paraphrase|correct|edit|improve|revise"
    r"|continue|generate|simulate|complete the|fix (?:the|this|my)|explain|here['’]s (?:the|an?|my) (?:text|draft"
    r"|email"
    r"|letter|essay|story|article|transcript|cover|resume|paragraph)|the following|this is (?:my|the|an?) (?:draft"
    r"|text"
    r"|email|letter|essay|story|article|transcript)|schreib|übersetz|spiel|du bist (?:ein|jetzt)|tu so"
    r"|escribe|traduce|actúa|eres (?:un|ahora)|resume|corrige|写一|翻译|扮演|你是一|续写|改写|润色)",
    re.IGNORECASE,
)


def plays_a_part(text: str) -> bool:
    """Return whether a message sets a role, or holds a text to work on."""
    return len(text) > LONGEST_MESSAGE or _PLAYING.search(text) is not None


def body_of(sentence: str) -> str:
    """Return a sentence after the interjections that it begins with."""
    opening = _OPENING.match(sentence)
    return sentence[opening.end() :] if opening else sentence


def can_stand_alone(sentence: str) -> bool:
    """Return whether a sentence states something of its speaker by itself, and nothing secret."""
    body = body_of(sentence)
    count = len(_HAN.findall(body))
    if count >= _LEAST_CHARACTERS or len(_WORD.findall(body)) >= _LEAST_WORDS:
        rules = (_ASKING, _SUPPOSED, _QUOTING)
        if (
            _FIRST.search(body)
            and not any(pattern.match(body) for pattern in (_POINTING, _DANGLING))
            and not any(rule.search(sentence) for rule in rules)
        ):
            # A title is quoted; what speaks of itself between two marks is somebody else's speech.
            return not any(map(_FIRST.search, _QUOTED.findall(sentence))) and not secrets_in(sentence)
    return False
