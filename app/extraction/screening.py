"""Screening of sentences: what is no statement of a speaker about themselves.

The words are those of English, German, Spanish and Chinese.
"""

import re
from typing import Final

from app.core.text_rules.secret_patterns import secrets_in
from app.extraction.spoken_secrets import holds_a_secret

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
    r"|okay|right|sure|true|totally|absolutely|definitely|exactly|actually|anyway|honestly|cool|nice|great"
    r"|(?:thanks|thank you)(?: (?:so|very) much| a lot)?(?: for asking)?|danke(?: der nachfrage)?"
    r"|gracias(?: por preguntar)?|谢谢|by the way|btw|fyi|speaking of which|oh and|ja|nein|also|übrigens|und|aber"
    r"|ach|naja|sí|bueno|pues"
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
    r"\b(?:(?:can|could|would|will|do|did|have) you|(?:help|tell|give|show|teach|send|remind|write|sing|make|find"
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
    r"|do you|what do you|let me know"
    r"|need an? (?:\w+ )?(?:e-?mail|letter|poem|song|story|text|message|speech|essay|joke|caption|summary)"
    r"|[,;] (?:what|how)(?:['’]s| (?:is|are|do|does|can|should|would))"
    r"|i want you|let['’]s|act as|i need you|how (?:do|can|should) i"
    r"|kannst du|können sie|könntest|bitte|hilf mir|gib mir|sing mir|ich brauche (?:hilfe|eine? (?:idee|e-?mail"
    r"|mail|brief|text|gedicht|lied|geschichte)|einen brief)|ich suche|weißt du"
    r"|puedes|podrías|por favor|ayúdame|dame|dime|cántame|necesito (?:ayuda|que|una? (?:correo|carta|texto"
    r"|poema|canción|cuento))|busco|quiero que|sabes)\b"
    r"|请|帮我|帮忙|能不能|可不可以|怎么|如何|什么|吗[。！]?\Z|告诉我|你能|唱一|给我唱|写[一封首篇]",
    re.IGNORECASE,
)
_SUPPOSED: Final = re.compile(
    r"\b(?:if (?:i|we|you|he|she|they|my|only)|wish|would(?:n['’]t)? have|could have|should(?:n['’]t)? have|as if"
    r"|imagine|suppose|pretend|pretending|hypothetically|let['’]s say|for example|e\.g|as an? [\w ]{2,30}, i"
    r"|wenn (?:ich|wir)|falls|hätte|wäre|würde|stell dir vor|ojalá|si (?:yo|tuviera|fuera|pudiera)|imagina)\b"
    r"|如果|假如|假设|要是|假装|扮演",
    re.IGNORECASE,
)
# What happens in a dream, a story or a game, and what stands in a letter.
_INVENTED: Final = re.compile(
    r"\b(?:dream(?:ed|t) (?:that |about (?:how )?)?(?:i|we|my)|(?:last night|this morning),? (?:i|we) dream(?:ed|t)"
    r"|had an? (?:\w+ ){0,2}(?:dream|nightmare)|in (?:my|a|the|this) (?:dreams?|nightmare),? (?:i|we|my)"
    r"|in (?:this|my|our|the) (?:story|novel|tale|fan ?fic(?:tion)?|role-?play|campaign|(?:video ?)?game),? (?:i|we|my)"
    r"|my (?:(?:main|player|other|new|d&d|dnd|rpg|game) )?(?:character|avatar|protagonist|persona)(?:['’]s)?"
    r"|träumte (?:ich|mir)|ich träumte|geträumt|in (?:meinem|diesem|dem) (?:traum|roman|spiel)"
    r"|in (?:meiner|dieser|der) geschichte|mein(?:e|er)? (?:figur|charakter|avatar)"
    r"|soñé|soñaba|(?:he|había) soñado|en (?:mi|este|el|un) (?:sueño|cuento|juego|relato|videojuego)"
    r"|en (?:mi|esta|la) (?:historia|novela|partida)|mi (?:personaje|avatar))\b"
    r"|\A\W*(?:sing|e-?mail|text|message|tell|post|tweet) (?:my|our|him|her|them|the|an?"
    r"|to)\b[^.!?]{0,60}\b(?:that|about)\b"
    r"|\A\W*(?:sag|sing|mail|schick|schreib)e? (?:mein\w*|ihm|ihr|ihnen|dem|der|ein\w*)\b[^.!?]{0,60}\b(?:dass"
    r"|darüber|über)\b"
    r"|\A\W*(?:dile|escríbele|envíale|mándale|canta|cuéntale)\b[^.!?]{0,60}\b(?:que|sobre)\b"
    r"|梦见|梦到|梦里|梦中|做梦|(?:故事|小说|游戏)(?:里|中)|我的(?:游戏)?角色",
    re.IGNORECASE,
)
# A judgement of a person and a motion in court only sound like a relative's trade and a new home.
_FIGURATIVE: Final = re.compile(
    r"\bis (?:such |just |being )?an? (?:(?:total|real|huge|complete|absolute|big|little) |bit of an? )?"
    r"(?:pain|nightmare|mess|joke|handful|jerk|idiot|liar|brat|bore|monster)\b"
    r"|\bmoved to (?:dismiss|strike|suppress|adjourn|amend|compel|vacate|quash|intervene|approve|exclude|seal)\b",
    re.IGNORECASE,
)
# Thanks with nothing after them; what else such a sentence says is judged like any other.
_THANKING: Final = re.compile(
    r"\W*(?:(?:many )?thanks|thank you|(?:vielen )?dank|danke|(?:muchas )?gracias)\b[^,;.!?—–]*\W*\Z"
    r"|\W*谢谢[^，。！]*\W*\Z",
    re.IGNORECASE,
)
_QUOTING: Final = re.compile(
    r"\b(?:said|says|say|saying|told (?:me|us|him|her|them)|tells|wrote|writes|asked|asks|replied|went|goes|sings|sang"
    r"|quote|motto|lyrics|sagte?|meinte|schrieb|dijo|dice|decía|escribió)\b[^.!?]{0,12}[,:]\s*[\"“„«'‘]?"
    r"|[说道问写][：:，]?[“「『\"]|歌词"
    # Speech that is told after its words, and what a text holds of all of us.
    r"|[,，] (?:said|says|sagte|meinte|dijo|dice) \w|[,，](?:他|她)说"
    r"|\A\W*(?:laut|according to|según) (?!mein|my|mi\b)|\b(?:just kidding|kleiner scherz|es broma)\b|开玩笑"
    r"|\b(?<!\bi )(?<!\bwe )(?:argue[sd]?|claim(?:s|ed)|contend(?:s|ed)|posit(?:s|ed)|assert(?:s|ed)|maintains)"
    r" (?:that )?(?:\w+ ){0,6}?we\b|\bbehauptet,? dass\b|\b(?:argumenta|sostiene|afirma) que\b|(?<!我)认为我们",
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
    r"|letter|essay|story|article|transcript|cover|resume|paragraph)|the following|dear (?:sirs?|madam|hiring"
    r"|mrs?|ms|dr|team|customer|editor)\b|sehr geehrte|estimad[oa]s? (?:señor|sr|equipo)"
    r"|this is (?:my|the|an?) (?:draft"
    r"|text"
    r"|email|letter|essay|story|article|transcript)|schreib|übersetz|spiel|du bist (?:ein|jetzt)|tu so"
    r"|escribe|traduce|actúa|eres (?:un|ahora)|resume|corrige|写一|翻译|扮演|你是一|续写|改写|润色|尊敬的)",
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
        rules = (_ASKING, _SUPPOSED, _INVENTED, _FIGURATIVE, _QUOTING)
        if (
            _FIRST.search(body)
            and not any(pattern.match(body) for pattern in (_POINTING, _DANGLING))
            and not any(rule.search(sentence) for rule in rules)
            and not _THANKING.match(sentence)
        ):
            # A title is quoted; what speaks of itself between two marks is somebody else's speech.
            return not any(map(_FIRST.search, _QUOTED.findall(sentence))) and not (
                secrets_in(sentence) or holds_a_secret(sentence)
            )
    return False
