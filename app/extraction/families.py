"""Families of statements: the patterns by which a first-person sentence is worth keeping.

Each table is searched in order; the first family that fits wins. The patterns see the sentence in lower case, freed of
interjections, and must begin at its beginning or after an introduction such as ``last week``.
"""

import re
from typing import Final

from app.extraction.model import Family

_ADVERB: Final = (
    r"(?:(?:also|always|just|still|really|never|usually|often|actually|finally|recently|even|already|sometimes"
    r"|definitely|totally|currently|only|both|now|kinda|honestly|especially|absolutely|mainly|mostly|once) ){0,2}"
)
_I: Final = rf"(?:i|we) {_ADVERB}"
_IM: Final = rf"(?:i'm|i am|we're|we are) {_ADVERB}"
_IVE: Final = rf"(?:i've|i have|we've|we have) {_ADVERB}"
_RELATIVES: Final = (
    r"(?:wife|husband|partner|girlfriend|boyfriend|fianc[eé]e?|spouse|mom|mother|mum|dad|father|parents|sister|brother"
    r"|siblings?|son|daughter|kids?|child|children|baby|twins|grandma|grandmother|granny|grandpa|grandfather"
    r"|grandparents"
    r"|aunt|uncle|cousins?|niece|nephew|family|friends?|best friend|buddy|buddies|roommate|flatmate|neighbou?rs?|boss"
    r"|colleagues?|co-?workers?|manager|teacher|coach|mentor|team|teammates?|dogs?|cats?|pets?|pup(?:py|pies)?|kitten"
    r"|bird|hamster|rabbit|horse|guinea pig|turtles?|fish|snakes?|girls?|boys?|in-laws|stepson|stepdaughter|ex)"
)

_COMMITMENTS: Final = (
    # To keep in touch is no promise.
    r"(?:i'll|i will|we'll|we will) (?:definitely |also |gladly )?(?:send|bring|call|write|finish|prepare|pick|email"
    r"|help"
    r"|give|show|book|order|buy|fix|meet|invite|cook|bake|join|start|pay|organi[sz]e|return) (?!you know|it a (?:try"
    r"|shot))",
    rf"{_I}(?:promised?|swore|agreed) (?:to|that|her|him|them|my)\b",
)
_PLANS: Final = (
    rf"{_IM}(?:going to|gonna|planning|hoping|thinking (?:of|about)|considering|looking into|preparing|getting ready"
    r"|aiming|about to|excited (?:to|for|about)|looking forward|saving|training for|set to|working on|working toward"
    r"|signing up|applying)\b",
    rf"{_I}(?:plan|hope|want|intend|aim|wanna|need|would like|might|have to|dream) (?:to|of|on)\b",
    r"(?:gonna|going to|planning|hoping to|thinking of|thinking about) (?!keep|be |make it)",
    r"(?:i'd|we'd|i would) (?:like|love) to (?!hear|know|see (?:it|them|that|you|some)|chat|help you|join you)",
    r"(?:my|our) (?:plan|goal|dream|next (?:step|project|trip|goal)|ultimate goal) (?:is|was|for)\b",
    rf"{_I}can't wait (?:to|for) (?!hear|see (?:it|them|what|how|you)|read)",
)
_DECISIONS: Final = (
    rf"(?:{_I}|{_IVE})(?:decided|chose|chosen|settled on|made up my mind|made the decision|opted|picked|quit|signed up"
    r"|applied|enrolled|registered|committed|ended up|gave up|given up|resigned|accepted|turned down)\b",
)
_PREFERENCES: Final = (
    rf"{_I}(?:love|like|enjoy|prefer|hate|dislike|adore|can't stand|don't like|don't enjoy|am into|favou?r|value)\b",
    rf"(?:i|we){_ADVERB.replace('(?:(?:', ' (?:(?:', 1)}(?:loved|enjoyed|hated|preferred) ",
    rf"{_IM}(?:into|a (?:big |huge |real )?fan of|passionate about|interested in|fond of|allergic to|obsessed with"
    rf"|keen on"
    r"|crazy about|drawn to|scared of|afraid of|vegan|vegetarian)\b",
    r"(?:my|our|one of my|some of my) (?:all-time |personal |absolute )?favou?rites?\b",
    r"[a-z' ]{3,40} (?:is|are|was|were) (?:definitely |one of |probably |always )?my (?:absolute |all-time |personal )?"
    r"(?:favou?rites?|passion|hobby|happy place|thing|go-to|comfort|escape|therapy)\b",
)
_RELATIONS: Final = (
    rf"(?:my|our) (?:[a-z]+ ){{0,2}}{_RELATIVES}\b(?!'s (?:great|nice))",
    rf"{_IVE}(?:got )?(?:a|an|two|three|four|five|six|\d+|some|the) (?:[a-z]+ ){{0,3}}{_RELATIVES}\b",
    rf"{_I}(?:have|had) (?:a|an|two|three|four|five|six|\d+|some|the) (?:[a-z]+ ){{0,3}}{_RELATIVES}\b",
    r"(?:me and my|my [a-z]+ and i) ",
)
_PAST: Final = (
    r"(?:went|got|had|made|took|saw|met|found|came|gave|bought|brought|kept|left|lost|read|ran|sent|spent|began|became"
    r"|built|drew|drove|ate|fell|grew|held|learn(?:t|ed)|paid|rode|sang|sold|spoke|stood|swam|taught|threw|won|wore"
    r"|wrote"
    r"|caught|broke|joined|started|finished|moved|worked|visited|attended|tried|played|painted|created|received"
    r"|graduated"
    r"|adopted|lived|studied|traveled|travelled|organi[sz]ed|volunteered|performed|practi[cs]ed|hosted|helped|planned"
    r"|watched|cooked|baked|hiked|camped|designed|launched|opened|passed|failed|completed|participated|competed|injured"
    r"|hurt|recorded|released|published|celebrated|married|separated|divorced|retired|presented|discovered|explored"
    r"|used to|tripped|planted|fixed|set up|ended|led|trained|switched|interviewed|signed|booked|reached|scored|posted"
    r"|did|struggled|realized|realised|gained|improved|upgraded|invited|hung out|checked out|came across|put|raised)"
)
_STATEMENTS: Final = (
    rf"{_I}{_PAST}\b",
    rf"{_IVE}(?:been|had|got|gotten|done|made|seen|started|found|met|learned|lived|worked|played|taken|written|read|won"
    r"|lost|moved|tried|visited|joined|become|always|known|wanted|spent|created|finished|painted|collected|made"
    r"|come|gone|given|kept|built|run|noticed|helped|received|taught|heard|set)\b",
    rf"{_I}(?:work|live|study|teach|run|own|play|do|volunteer|practi[cs]e|collect|write|paint|draw|cook|bake|make|use"
    r"|spend|go|take|speak|belong|attend|manage|lead|organi[sz]e|have|watch|read|train|find|feel|believe|struggle|"
    r"listen|create|try|started|suffer|carry|keep|bring)\b",
    rf"{_IM}(?:a|an|the|from|in|at|on|currently|working|living|studying|learning|teaching|reading|writing|running"
    rf"|single"
    r"|married|engaged|divorced|pregnant|originally|\d+|part of|taking|doing|playing|trying|getting|starting|making"
    r"|dealing|struggling|using|seeing|training|building|creating|reading|swamped|busy|proud of)\b",
    r"(?:just |finally |recently |also )?(?:been|started|got|went|had|made|took|met|found|finished|visited|joined"
    r"|bought)\b"
    r"(?! it\b| to know| you\b| a (?:while|few|long)| so |ages)",
    r"(?:the [a-z]+(?: [a-z]+)?|[a-z]+ing)(?: (?:has|have|really|always|also|just|had))* "
    r"(?:made|makes|helps|helped|gives|gave|keeps|brings|reminds|inspired|inspires|taught|motivates|means|feels|allows"
    r"|lets) (?:me|my|us)\b",
    r"(?:my|our) [a-z' -]{2,40} (?:is|are|was|were|has|have|had|went|got|opened|started|came|helps|makes|turned)\b",
    r"there(?:'s| is| was| were) [a-z' -]{2,60} (?:at|in|near) (?:my|our)\b",
)

_INTRODUCTION: Final = re.compile(
    r"(?:(?:(?:last|this|next|yesterday|today|tomorrow|recently|lately|a few|two|three|in|on|at|when|for|since|after|as"
    r"|before|over|during|every|one|once|back|these|growing up|right now|to|with|by|through|not long"
    r"|some)\b[^,]{0,60},? )"
    r"(?=(?:i|we|my|our)\b))",
)
_PATTERNS: Final[tuple[tuple[Family, tuple[str, ...]], ...]] = (
    ("commitment", _COMMITMENTS),
    ("decision", _DECISIONS),
    ("plan", _PLANS),
    ("preference", _PREFERENCES),
    ("relation", _RELATIONS),
    ("statement", _STATEMENTS),
)
_TABLE: Final = [
    (family, re.compile("|".join(f"(?:{pattern})" for pattern in patterns))) for family, patterns in _PATTERNS
]
_IDLE: Final = re.compile(
    # Reactions, politeness and talk about the talk.
    rf"{_I}(?:agree|appreciate|get (?:it|that|what|how)|see\b|hear (?:you|that|ya)|bet|guess|know|understand"
    rf"|remember|mean"
    r"|think (?:so|that's|it's|you|it|they)|suppose|wish you|hope (?:you|it|that|they|your|all)|feel (?:you|ya|that)"
    r"|love (?:that|it|this|how|your|the way|those|these|them|hearing|seeing how)|like (?:that|it|your|how|the way)"
    r"|admire|respect|can (?:imagine|tell|see|relate|totally|definitely)|can't (?:imagine|believe|agree)|could|would"
    r"|couldn't (?:agree|have|be)|enjoyed (?:talking|chatting|our)|don't (?:know|think|mind)|totally|have to (?:say"
    r"|admit)"
    r"|did it|do too|do\b(?! [a-z]+ing| [a-z]+ (?:work|at|in))|saw (?:that|your)|want you|thought (?:you|of you)"
    r"|need (?:that|it)|took (?:this|that|a (?:pic|photo))|had no idea|thank|told you|asked you|made it|found it"
    r"|have no|had (?:fun|a blast)\b|try$|get$|got (?:you|this|it)$)"
    rf"|{_IM}(?:glad|happy (?:for|to (?:hear|help)|you|that)|sure|sorry|here (?:for|if|to)|so (?:happy|glad|proud"
    rf"|excited"
    r"|sorry) (?:for|to hear|of you)|rooting|always here|proud of you|thankful for you|grateful for (?:you|your)|good"
    r"|doing (?:well|good|great|ok|fine)|with you|impressed|jealous|curious|excited for you|lucky to have you|in$"
    r"|here$|fine|okay|all (?:ears|about)|the same)"
    r"|(?:i'll|we'll) (?:be (?:there|here)|keep|talk|see|catch|remember|never|always)|talk |take care|good (?:luck|to)"
    r"|(?:it|that|this)(?:'s| is| was| sounds| must| looks)|(?:i'd|we'd|i would) (?:be|say|love to (?:see|hear|know"
    r"|check"
    r"|try (?:it|that|them)|visit (?:it|that)|join)|recommend|never|appreciate|suggest)|(?:i'm|i am) [a-z]+ (?:you"
    r"|your)"
    r"|i've (?:heard|never (?:seen|heard|tried) (?:it|that|of))|let's|you "
)
_HYPOTHETICAL: Final = re.compile(
    r"\b(?:if (?:i|we|you)|wish (?:i|we)|would have|could have|should have|as if|imagine|suppose|let's say|what if"
    r"|pretend|hypothetically)\b"
)
_CHEER: Final = re.compile(
    r"\b(?:(?:won't|will not|never|not gonna|don't) (?:quit|give up|stop|let)|no matter what|hang in there|in for"
    r"|keep (?:going|pushing|on|at it|trying|growing|it up|chasing|working hard|writing|moving)|make it happen"
    r"|(?:do|try) (?:my|our) best|get there|getting there|something to share|be honest)\b"
)
_VAGUE: Final = re.compile(r"\b(?:it|that|this|them|those|these|something|stuff|things?)\b")


def family_of(sentence: str) -> Family | None:
    """Return the family of a first-person sentence, ``None`` where it is not worth keeping."""
    lower = sentence.lower()
    body = _INTRODUCTION.sub("", lower, count=1) if _INTRODUCTION.match(lower) else lower
    if _IDLE.match(body) or _HYPOTHETICAL.search(lower) or _CHEER.search(lower):
        return None
    return next((family for family, pattern in _TABLE if pattern.match(body)), None)


def vague_words(sentence: str) -> int:
    """Return how many words point to something outside of the sentence."""
    return len(_VAGUE.findall(sentence.lower()))
