"""Cues of the statements that matter most, in four languages.

They tell of health, diets, births, relatives, homes, work, plans with a date, promises, decisions and strong likes.
The scorer has seen too few of these, and none in German, Spanish or Chinese. A family is the first whose cue fits.
"""

import re
from functools import cache
from typing import Final

from app.extraction.model import Family

_MONTH: Final = (
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul"
    r"|aug|sept?|oct|nov|dec)"
)
_WHEN: Final = (
    r"\b(?:tomorrow|tonight|next (?:week(?:end)?|month|year|spring|summer|autumn|fall|winter|\w+day)"
    r"|this (?:coming )?(?:week|weekend|month|spring|summer|autumn|fall|winter|\w+day|evening)"
    r"|in (?:a|two|three|four|five|six|\d+) (?:days?|weeks?|months?|years?)|(?:on|by|before|until) (?:\w+ )?"
    rf"(?:{_MONTH}|\w+day|\d)|in {_MONTH}|at the end of|\d{{1,2}}(?:st|nd|rd|th)? (?:of )?{_MONTH}"
    rf"|{_MONTH} \d{{1,2}})\b"
)
_RELATIVE: Final = (
    r"(?:wife|husband|partner|girlfriend|boyfriend|fianc[eé]e?|mom|mother|mum|dad|father|parents|sisters?|brothers?"
    r"|sons?|daughters?|kids?|child|children|twins|grandmother|grandma|grandfather|grandpa|aunt|uncle|cousins?|niece"
    r"|nephew|dogs?|cats?|puppy|kitten)"
)
_NUMBER: Final = r"(?:a|an|one|two|three|four|five|six|seven|\d{1,2})"
_ADVERB: Final = r"(?:(?:just|recently|finally|now|also|currently|actually|really|absolutely|still|both|only) ){0,2}"
_I: Final = rf"\b(?:i|we) {_ADVERB}"
_IM: Final = rf"\b(?:i['’]m|i am|im|we['’]re|we are) {_ADVERB}"
_PROGRAM: Final = r"(?:excel|word|python|java(?:script)?|figma|photoshop|powerpoint|outlook|vim|emacs|git|sql)\b"
# What belongs to whom one speaks with is no trait of the speaker: "I'm allergic to your jokes".
_LISTENER: Final = re.compile(r"\b(?:your|deine?[nmrs]?|eure?[nmrs]?|tus?|vuestr[ao]s?)\b|你的|您的")
_OF_SPEAKER: Final[frozenset[Family]] = frozenset({"statement", "relation", "preference"})
_NO_POINTER: Final = (
    r"(?!(?:it|that|this|these|those|them|they|your|you|how|the (?:idea|way|sound|look|thought)|being able|what|when"
    r"|hearing|seeing|to (?:hear|see|know|help|try|learn|get|have))\b)"
)

_ENGLISH: Final[tuple[tuple[Family, str], ...]] = (
    (
        "statement",
        # Health, diet and birth.
        r"\ballerg(?:ic to|y to)\b|\b(?:lactose|gluten)[- ]?intoleran|\bc(?:o)?eliac\b"
        rf"|{_IM}(?:a )?(?:strict )?(?:vegan|vegetarian|pescatarian|diabetic|pregnant|colou?r-?blind|deaf)\b"
        r"|\b(?:i|we) (?:never|don['’]t|do not|no longer|can['’]t|cannot|stopped|quit|gave up) (?:eat|eating|drink"
        r"|drinking|smoke|smoking) (?!it|that|this|them|enough|much|well|out|there)"
        r"|\b(?:i|my \w+) (?:was|were|have been|['’]ve been|has been|got|just got) diagnosed with\b"
        rf"|{_I}(?:have|suffer from|had) (?:type \d diabetes|diabetes|asthma|epilepsy|migraines?|arthritis|cancer|adhd"
        r"|autism|depression|insomnia|high blood pressure)\b|\b\d+ ?mg\b"
        rf"|\b(?:i|we|my \w+) (?:was|were) born (?:in|on|at)\b|\bbirthday is (?:on |in )?(?:{_MONTH}|the \d|\d)"
        rf"|\b(?:i|my \w+) {_ADVERB}(?:turned|turn|am turning|is turning) (?:\d+|thirty|forty|fifty)"
        rf"|{_IM}\d{{1,3}} years old\b"
        # Home and work.
        rf"|{_I}(?:live|lived|moved|relocated|grew up|settled) (?:here )?(?:in|to|from|back to|out to|with|near)"
        r" (?!a new|it\b|that|this|the (?:past|moment|real|edge)|(?:\w+ )?fear)|\b(?:i['’]m|i am"
        r"|we['’]re) (?:originally )?from [a-z]"
        rf"|{_I}(?:work|worked) (?:as an?|at|for|in) (?!it\b|that|this|the past|a while|me\b|us\b|my\b|now|{_PROGRAM})"
        r"|\b(?:i|we) (?:start|started|am starting|got|found|quit|lost|left|accepted) (?:a|my|the) (?:new )?"
        r"(?:job|position|role|internship|apprenticeship)\b|\bnew job (?:at|in|as)\b|\bi (?:just )?(?:retired|got"
        r" promoted|was promoted|got laid off|was laid off|got fired|graduated)\b"
        rf"|{_IM}(?:a|an) (?:[a-z-]+ ){{1,4}}(?:at|by profession|for a living)\b|{_I}(?:study|studied|majored in) ",
    ),
    (
        "relation",
        rf"\bmy (?:\w+ )?{_RELATIVE}(?: [A-Z]?\w+)?,?(?: \([^()]{{1,40}}\))?"
        rf" (?:is (?:called|named|an?|expecting|allergic"
        rf"|getting married"
        rf"|moving)"
        r"|are (?:called|named|getting)|was born|turns?|works? (?:as|at|for|in)|lives? in|moved to|goes to"
        r"|attends|studies|teaches"
        r"|passed away|died|got married|got engaged|had a (?:baby|boy|girl))\b"
        rf"|\b(?:i|we) have (?:got )?{_NUMBER} (?:\w+ ){{0,2}}{_RELATIVE}\b|\bmy {_RELATIVE}['’]s (?:name"
        rf"|birthday) is\b"
        rf"|{_I}(?:got married|got engaged|got divorced|adopted)\b"
        rf"|{_IM}expecting (?:a (?:\w+ )?(?:baby|child|boy|girl)|our (?:first|second|third)|twins)\b"
        rf"|{_IM}(?:married|engaged|divorced|widowed)\b"
        r"(?! (?:in|with (?:the|it|this)|to (?:be|my|the|this)|around|about|\d))",
    ),
    (
        "commitment",
        r"(?<!think )(?<!guess )(?<!maybe )\b(?:i['’]ll|i will|we['’]ll|we will) (?:send|bring|call|pay|pick|give"
        r"|help|come to|finish"
        r"|deliver|return|write|email|book|meet|cook|bake|fix|drive|visit|hand|submit|transfer|repay|buy|order"
        r"|invite)\b"
        rf"(?! it\b| them\b|[^.]* a (?:try|go|shot)\b)[^.]{{3,120}}?{_WHEN}|(?<!think )\b(?:i['’]ll|i will) (?:send"
        rf"|bring|return|repay|email) (?!it\b|them\b|this\b|that\b)"
        rf"(?:[\w'’-]+ ){{3}}|{_I}promised? (?:my \w+|\w+ (?:to|that)|that (?:i|we)"
        r"|to (?!be|try|do)\w+ (?:my|our|your|the|an?|some))\b",
    ),
    (
        "decision",
        rf"\b(?:i|i['’]ve|we|we['’]ve) {_ADVERB}(?:decided (?:to|on|against|that)|made up my mind|settled on"
        rf"|signed up for"
        r"|enrolled (?:in|at)|quit|resigned) (?!it|that|this|them|(?:the|an?|my) (?:app|application|program|browser"
        r"|editor|game|terminal|session|tab)\b)",
    ),
    (
        "plan",
        rf"{_IM}(?:flying|moving|going|travel(?:l)?ing|starting|getting (?:married|divorced|a|my|an)|having|visiting"
        rf"|leaving|taking|running|seeing|meeting|hosting|planning)\b(?! to (?:try|make|do|buy|drop|check|look|use"
        rf"|start with|add|cook|wear|set|explore)\b)[^.]{{3,120}}?{_WHEN}"
        rf"|\b(?:i|we) have an? (?:[\w'’-]+ ){{0,3}}(?:appointment|exam|interview|surgery|operation|flight)\b"
        r"[^.]{0,60}?"
        rf"{_WHEN}|{_WHEN},? (?:i['’]m|i am|we['’]re|we are) (?:flying|moving|going"
        r"|travel(?:l)?ing|starting|getting|having"
        r"|visiting|leaving|taking|running|meeting|hosting|planning)\b",
    ),
    (
        "preference",
        r"\b(?:my|our) (?:all-time |absolute )?favou?rite (?!part|thing)[a-z]+(?: [a-z]+){0,2} (?:is|are)"
        rf" (?!the one|that|this)|\bi (?:absolutely |really )?(?:hate|can['’]t stand|adore) {_NO_POINTER}[a-z]"
        rf"|(?<!which )(?<!that )(?<!something )\bi (?:absolutely|really) love {_NO_POINTER}"
        r"(?!(?:the|your|his|her|him|our|my|to|a|an|do|doing)\b"
        rf"|watching|every)[a-z]+\b(?! (?:the|them|it|you|this|that|those)\b)(?![^.!?]*\bthank)"
        rf"|\bi['’]m afraid of [a-z]+s\b"
        rf"|\bi prefer [a-z]+ (?:to"
        rf"|over) ",
    ),
)
_GERMAN_WHEN: Final = (
    r"\b(?:morgen|übermorgen|heute abend|nächste[nrs]? \w+|kommende[nrs]? \w+|in (?:einem|einer|zwei|drei|vier|\d+)"
    r" (?:tagen|wochen?|monate?n?)|(?:am|bis|ab|vor dem) \d{1,2}\.|(?:am|bis|ab) \w+tag|im (?:januar|februar|märz"
    r"|april"
    r"|mai|juni|juli|august|september|oktober|november|dezember|frühling|sommer|herbst|winter))\b"
)
_GERMAN_RELATIVE: Final = (
    r"(?:frau|mann|partner(?:in)?|freundin|freund|verlobte[r]?|mutter|mama|vater|papa|eltern|schwestern?|brüder|bruder"
    r"|sohn|söhne|tochter|töchter|kind(?:er)?|oma|opa|großmutter|großvater|tante|onkel|cousine?|nichte|neffe|hunde?"
    r"|hündin"
    r"|katzen?|kater)"
)
_GERMAN: Final[tuple[tuple[Family, str], ...]] = (
    (
        "statement",
        r"\b(?:bin|ist|habe) (?:\w+ )?(?:allergisch|eine? \w*allergie)\b|\bvertrage (?:kein|keine|keinen) \w+"
        r"|\b(?:laktose|gluten)intoleran|\bbin (?:\w+ )?(?:vegan(?:er|erin)?|vegetarier(?:in)?|diabetiker(?:in)?"
        r"|schwanger)\b|\b(?:esse|trinke|rauche) (?:ich )?(?:nie|kein|keine|keinen|nicht mehr|nie mehr)\b"
        r"|\bleide (?:ich )?(?:an|unter)\b|\bwurde (?:[\w.]+ ){0,6}(?:geboren|operiert|diagnostiziert)\b"
        r"|\bgeboren (?:in|am)\b"
        r"|\bhabe? (?:ich )?am \d{1,2}\.[^.]{0,20}geburtstag\b|\bbin \d{1,3} jahre alt\b"
        r"|\b(?:wohne|wohnen|lebe|leben) (?:\w+ ){0,3}(?:in|bei|auf|mit)\b"
        r"(?! (?:\w+ )?(?:angst|sorge|furcht))|\b(?:ziehe|ziehen|bin|sind) (?:\w+ ){0,5}"
        r"(?:nach|in die|um)\b[^.]{0,40}\b(?:gezogen|umgezogen|um)\b|\bkomme (?:ursprünglich )?aus [a-zäöü]"
        rf"|\barbeite (?:\w+ ){{0,3}}(?:als|bei|in|für|an (?:der|einer)"
        rf" \w*(?:uni|universität|schule|klinik|akademie))\b(?! {_PROGRAM})"
        r"|\bstudiere (?!gerade|de[nrms]\b|dies|die\b|das\b)\w+"
        r"|\bneue[nr]? (?:job|stelle|arbeit)\b|\b(?:habe|wurde) (?:\w+ ){0,4}(?:gekündigt|befördert|in rente)\b",
    ),
    (
        "relation",
        rf"\b(?:meine?|unsere?) {_GERMAN_RELATIVE}(?: \w+)? (?:heißt|heißen|ist (?:am|in|\d|ein|eine|gestorben"
        rf"|krank)|sind"
        r"|arbeitet|wohnt|lebt|studiert|hat am|wird \d|wurde)\b"
        rf"|\b(?:habe|haben) (?:einen?|zwei|drei|vier|\d) (?:\w+ )?{_GERMAN_RELATIVE}\b"
        r"|\b(?:bin|sind) (?:\w+ ){0,3}(?:verheiratet|verlobt|geschieden|verwitwet)\b",
    ),
    ("decision", r"\b(?:habe|haben) (?:\w+ ){0,4}(?:beschlossen|entschieden)\b|\bangemeldet\b"),
    (
        "commitment",
        rf"\b(?:ich|wir) (?:werde|werden) (?:\w+ ){{0,8}}{_GERMAN_WHEN}|\b(?:verspreche|habe versprochen),?"
        r" (?!es\b|das\b|nicht\b)\w+ \w+",
    ),
    (
        "plan",
        rf"\b(?:fliege|fliegen|fahre|fahren|reise|reisen|ziehe|ziehen|heirate|heiraten|beginne|besuche|treffe)\b"
        rf"[^.]{{0,60}}?{_GERMAN_WHEN}|{_GERMAN_WHEN} (?:fliege|fliegen|fahre|fahren|reise|reisen|ziehe|ziehen|heirate"
        r"|heiraten|beginne|fange|besuche|treffe)\b",
    ),
    (
        "preference",
        r"\b(?:mein|meine) lieblings\w+ (?:ist|sind)\b|\bich (?:hasse|liebe)"
        r" (?!(?:es|d(?:as|en|em|ich|ein\w*|ies\w*)|sie|ihn|ihr\w*|sein\w*|eu\w*|wie|meine?n?)\b)\w+",
    ),
)
_SPANISH_WHEN: Final = (
    r"\b(?:mañana|pasado mañana|esta noche|(?:la|el) próxim[ao] \w+|(?:la semana|el mes|el año) que viene"
    r"|dentro de \w+ (?:días|semanas|meses)|en (?:dos|tres|cuatro|\d+) (?:días|semanas|meses)|el \d{1,2} de \w+"
    r"|el (?:lunes|martes|miércoles|jueves|viernes|sábado|domingo)|en (?:enero|febrero|marzo|abril|mayo|junio|julio"
    r"|agosto|septiembre|octubre|noviembre|diciembre|primavera|verano|otoño|invierno))\b"
)
_SPANISH_RELATIVE: Final = (
    r"(?:mujer|esposa|esposo|marido|pareja|novi[ao]|prometid[ao]|madre|mamá|padre|papá|padres|herman[ao]s?|hij[ao]s?"
    r"|abuel[ao]s?|tí[ao]s?|prim[ao]s?|sobrin[ao]s?|perr[ao]s?|gat[ao]s?)"
)
_SPANISH: Final[tuple[tuple[Family, str], ...]] = (
    (
        "statement",
        r"\b(?:soy|es) alérgic[ao]\b|\b(?:tengo|tiene) alergia\b|\bintoleran(?:te|cia) (?:a la |al )\w+"
        r"|\b(?:soy) (?:\w+ )?"
        r"(?:vegan[ao]|vegetarian[ao]|diabétic[ao]|celíac[ao])\b|\bestoy embarazada\b|\b(?:no|nunca|ya no) (?:como"
        r"|bebo|fumo|tomo)\b|\bme (?:diagnosticaron|operaron|detectaron)\b|\b(?:sufro|padezco) de\b"
        r"|\b(?:nací|nació) (?:en|el)\b|\bcumpl(?:o|í|e) (?:\d+|años)|\bcumpleaños (?:es|de [^.]{2,30} es) el\b"
        r"|\btengo \d{1,3} años\b|\b(?:vivo|vivimos|crecí) (?:\w+ )?(?:en|con)\b(?! (?:\w+ )?miedo)"
        r"|\b(?:me|nos) (?:mudé|mudamos"
        r"|voy a mudar)\b"
        r"|\bsoy de [a-zñáéíóú]|\btrabajo (?:como|de|en|para|con)\b"
        r"(?! (?:el|la|un|una) (?:informe|documento|tarea|texto|código|archivo|presentación)\b)"
        rf"(?! {_PROGRAM})|\bestudio \w+|\bnuevo (?:trabajo|empleo|puesto)\b"
        r"|\bme (?:jubilé|ascendieron|despidieron|gradué|contrataron)\b",
    ),
    (
        "relation",
        rf"\b(?:mi|mis|nuestr[ao]s?) {_SPANISH_RELATIVE}(?: \w+)? (?:se llama|se llaman|es (?:alérgic|de|un|médic"
        rf"|profesor"
        r"|enfermer)|vive|viven|trabaja|trabajan|estudia|nació|murió|falleció|cumple)"
        rf"|\btengo (?:una?|dos|tres|cuatro|\d) {_SPANISH_RELATIVE}\b|\bestoy (?:casad|divorciad|comprometid)[ao]\b"
        r"|\b(?:me|nos) (?:casé|casamos|divorcié)\b",
    ),
    ("decision", r"\b(?:he|hemos) decidido\b|\bdecidí\b|\b(?:me|nos) (?:he )?(?:inscribí|inscrito|apunté|apuntado)\b"),
    ("commitment", rf"\bprometo\b|\bprometí\b|\bte (?:enviaré|mandaré|llamaré|pagaré)\b[^.]{{0,60}}{_SPANISH_WHEN}"),
    (
        "plan",
        rf"\b(?:voy|vamos) a (?!probar|intentar|ver\b|mirar|revisar)\w+[^.]{{0,60}}?{_SPANISH_WHEN}"
        rf"|\b(?:viajo|vuelo|viajamos|empiezo|me caso|nos casamos)\b"
        rf"[^.]{{0,60}}?{_SPANISH_WHEN}|{_SPANISH_WHEN},? (?:voy|vamos|viajo|viajamos|vuelo|empiezo|me caso|tengo)\b",
    ),
    (
        "preference",
        r"\bmi \w+ (?:favorit[ao]|preferid[ao]) es\b|\b(?:me encanta|me encantan|odio|detesto) (?!que|eso|esto|esta"
        r"|este|la"
        r" idea|tu|cómo)\w+",
    ),
)
_CHINESE_RELATIVE: Final = (
    r"(?:妻子|老婆|太太|丈夫|老公|先生|女朋友|男朋友|女友|男友|未婚妻|未婚夫|妈妈|母亲|妈|爸爸|父亲|爸|父母|姐姐"
    r"|妹妹|哥哥"
    r"|弟弟|儿子|女儿|孩子|奶奶|爷爷|外婆|外公|姥姥|姥爷|狗|猫)"
)
_CHINESE_WHEN: Final = (
    r"(?:明天|后天|今晚|下个?(?:周|星期|月|学期)|明年|这个?周末|[0-9一二三四五六七八九十两]+(?:天|周|个星期|个月|年)后"
    r"|[0-9一二三四五六七八九十]+月(?:[0-9一二三四五六七八九十]+[日号])?)"
)
_CHINESE: Final[tuple[tuple[Family, str], ...]] = (
    (
        "statement",
        r"我[^，。]{0,6}(?:过敏|吃素|素食|不吃|不喝酒|不抽烟|戒烟|戒酒|戒了|怀孕了?|乳糖不耐)|我(?:被)?(?:确诊|诊断"
        r"|查出)|我(?:患|得)[有了]?"
        r"[^，。]{1,12}(?:病|症|炎)|我[^，。]{0,12}(?:出生|生于)|我[^，。]{0,4}生日是|我今年[^，。]{0,4}岁|我(?:现在"
        r"|目前|一直)?(?:住在|家在"
        r"|来自|老家|搬到|搬去)|我[^，。]{0,12}(?:搬到|搬去)|我(?:现在|目前)?(?:在|是)(?![这那找])[^，。]{1,16}(?:工作|上班|任职"
        r"|读书|上学|医生|老师|工程师"
        r"|护士|程序员|学生|律师)|我(?:辞职|离职|退休|毕业|升职|失业|入职)了?|我的专业是",
    ),
    (
        "relation",
        rf"(?:我|我们|咱)(?:的|家)?{_CHINESE_RELATIVE}(?:叫|名叫|是|在[^，。]{0,8}(?:工作|上班|当|读书)|住|今年|出生|去世|过世|生日|结婚|怀孕|过敏"
        rf"|[^，。]{{0,8}}生日是)"
        rf"|我(?:们)?有(?:一|两|三|[0-9])[个只条位]{_CHINESE_RELATIVE}|我(?:们)?[^，。]{{0,8}}(?:结婚|订婚|离婚|领养"
        rf"|领证)了",
    ),
    ("decision", r"我(?:们)?(?:最后|终于|已经)?决定|我(?:们)?[^，。]{0,6}报名了"),
    ("commitment", rf"我(?:会|一定)[^，。]{{0,10}}{_CHINESE_WHEN}|我(?:保证|答应)(?!它|我会的|这|那)[^，。]{4,}"),
    ("plan", rf"我(?:们)?(?:打算|计划|准备|要|将)?[^，。]{{0,4}}{_CHINESE_WHEN}"
    r"[^，。]{0,6}(?:去(?!试|看看)|飞|搬|结婚|开始"
    rf"|出发|回|到|考)"
             rf"|{_CHINESE_WHEN}[^，。]{{0,3}}我(?:们)?(?:打算|计划|准备|要|将)?[^，。]{{0,4}}(?:去|飞|搬|结婚|开始"
             rf"|出发|回|考)"),
    ("preference", r"我最(?:喜欢|爱|讨厌)(?:的[^，。]{1,10}是|[^的，。]{1,12}。?\Z)|我(?:非常|特别)(?:喜欢"
    r"|讨厌)(?![这那它他她你])"),
)  # fmt: skip


@cache
def _patterns() -> tuple[tuple[Family, re.Pattern[str]], ...]:
    """Compile the cues when a sentence is first looked at: not every start needs them."""
    tables = (_ENGLISH, _GERMAN, _SPANISH, _CHINESE)
    return tuple((family, re.compile(pattern)) for table in tables for family, pattern in table)


def cue_of(sentence: str) -> Family | None:
    """Return the family of the first cue in a sentence, ``None`` where there is none."""
    lower = sentence.lower()
    family = next((family for family, pattern in _patterns() if pattern.search(lower)), None)
    return None if family in _OF_SPEAKER and _LISTENER.search(lower) else family
