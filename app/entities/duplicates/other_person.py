"""Words around a short name by which it may mean another.

They are few and err on the side of refusing: a refused pair is asked about. English, German, Spanish and Chinese;
all in folded letters.
"""

import re
from itertools import pairwise
from typing import Final

from app.entities.duplicates import name_forms
from app.entities.ner.gazetteer import gazetteer

_NEAR: Final = 60  # characters before and after a name that are looked at
_SENTENCE: Final = 400  # characters before and after a name in which its sentence lies
_END: Final = re.compile(
    r"(?<!\b[A-Z])(?<!\b[A-Z][a-z])(?<!\bMrs)(?<!\bProf)[.](?=\s|$)|[!?;:\n()\u2013\u2014。！？；：（）]"
)
_COMMA: Final = re.compile(r"[,，、]")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


RELATIVES: Final = _words(
    """
    mother mom mum mommy mummy mama father dad daddy papa parent sister brother sibling twin stepsister stepbrother
    daughter son child kid baby wife husband spouse fiance fiancee girlfriend boyfriend partner ex aunt auntie uncle
    cousin niece nephew grandma grandmother granny nana grandpa grandfather granddaughter grandson stepmother stepfather
    friend buddy pal neighbour neighbor colleague coworker boss manager roommate flatmate housemate classmate teacher
    nurse nanny babysitter landlord landlady
    mutter mami vater papi schwester bruder zwilling tochter sohn kind frau mann ehefrau ehemann verlobte verlobter
    freundin freund tante onkel cousine vetter base nichte neffe oma grossmutter opa grossvater enkel enkelin enkelkind
    schwager schwagerin nachbar nachbarin kollege kollegin chef chefin mitbewohner mitbewohnerin lehrer lehrerin
    madre padre hermana hermano hija hijo esposa esposo marido mujer novia novio tia tio prima primo sobrina sobrino
    abuela abuelo nieta nieto cunada cunado suegra suegro amiga amigo vecina vecino colega jefa jefe companera companero
    profesora profesor maestra maestro
    """
)
"""Words for relatives, friends and colleagues, folded."""
_FIGURES: Final = _words(
    """
    character protagonist heroine hero antagonist narrator figur heldin held erzahler protagonistin protagonista
    personaje heroina heroe narrador narradora
    ship boat novel film movie song opera storm hurricane typhoon robot assistant chatbot
    schiff boot roman lied oper sturm assistent assistentin
    barco novela pelicula cancion tormenta huracan asistente
    """
)
_PETS: Final = _words(
    """
    dog puppy pup hound cat kitten kitty horse pony rabbit bunny hamster parrot bird fish turtle tortoise pet goldfish
    lizard snake cow goat donkey chicken
    hund hundin welpe katze kater katzchen pferd hase kaninchen papagei vogel fisch schildkrote haustier ziege esel kuh
    perro perra cachorro gato gata gatito caballo yegua conejo loro pajaro pez tortuga mascota vaca cabra burro
    """
)
_RULERS: Final = _words(  # right before a first name: it is known by it alone
    """
    king queen prince princess pope emperor empress tsar czar sultan saint st
    konig konigin kaiser kaiserin prinz prinzessin papst zar zarin sankt
    rey reina principe princesa emperador emperatriz san santa santo
    """
)
_REGNAL: Final = re.compile(
    r" (?:[IVX]{2,4}|[VX])\b| I(?=[,.;:!?)\s]*\Z|[,.;:!?)])|\s*[一二三四五六七八九]世"
)  # not: Anna I met
_OTHER: Final = _words(
    """
    other another different not isnt wasnt arent second both two some certain which namesake
    andere anderer anderen anderem anderes nicht kein keine zweite zweiter zweiten beide beiden zwei
    otra otro otras otros diferente distinta distinto no segunda segundo ambas dos
    """
)
_BETWEEN: Final = _words(  # may stand between such a word and the name
    """
    the a an my our your his her their this that one same dear old young little big best good new own late former
    called named name is was were are s whos who
    der die das dem den ein eine einen einem mein meine meinen meiner meinem unser unsere sein seine ihr ihre dieser
    diese liebe lieber alte alter kleine kleiner grosse grosser beste bester namens heisst ist war
    el la los las un una mi mis tu su sus nuestra nuestro esta este querida querido vieja viejo pequena pequeno mejor
    llamada llamado llama se es era que
    """
)
_ANY: Final = name_forms.ARTICLES | _words(  # right before a name: one of several
    "an my our your his her their this that mein meine dein deine ihr ihre unsere ein eine mi tu su un una"
)
_AFTER: Final = _words("from the of next aus von vom nebenan de del la el los")
_GIVING: Final = _words(  # somebody something: an article after the name begins what is given
    """
    tell told give gave given send sent show showed shown ask asked teach taught lend lent bring brought buy bought
    write wrote hand handed pay paid offer offered owe wish
    """
)
_SOUNDS: Final = _words("barked barks barking meowed meows purred purrs bellte bellt miaute ladro ladra")
_TWO: Final = _words(  # between two names of one sentence: they are two
    """
    than met meets meet meeting with unlike versus vs introduced
    als mit traf trifft treffen getroffen gegen
    con conocio conoce encontro versus contra
    """
)
_NEGATIONS: Final = frozenset(
    (("is", "not"), ("was", "not"), ("ist", "nicht"), ("war", "nicht"), ("no", "es"), ("no", "era"), ("do", "not"))
)
_CLAUSES: Final = _words(  # begin a clause in which somebody may be named again
    """
    but because when while who that so if since although though before after where until
    aber weil dass wenn wahrend denn obwohl bevor nachdem sondern
    pero porque cuando mientras aunque si donde
    """
)
# Ines and her husband, Tomasz with Zosia: the next one on a list, not what the one before is called.
_PAIR_BEFORE: Final = re.compile(
    r"\b(?:and|und|y) (?:his|her|their|seine[rnm]?|ihre[rnm]?|sein|ihr|sus?) [^\W\d_]+, $", re.IGNORECASE
)
_PAIR_AFTER: Final = re.compile(r" (?:with|mit|con) ")
_TO_DO: Final = re.compile(r" de [^\W\d_]*(?:[aei]r|re)\b")  # Demandez à Bram de regarder
# Justin, Travis and Griffin McElroy: the surname may be of all.
_FAMILY: Final = re.compile(r"(?:, [A-Z][^\W\d_]+)*,? (?:and|&|und|y) [A-Z][^\W\d_]+ [A-Z][^\W\d_]")
_LONGER: Final = re.compile(r" (?:de|del|di|du|la|le|mc|van|von)[A-Z]")  # Neil deGrasse Tyson
_THAT: Final = _words("not is was isnt wasnt and or but with of from to by for at like about")  # before "that Laura"
_CAPITAL: Final = re.compile(r"([^\W\d_]+) $")
_HOLIDAYS: Final = _words("christmas easter")
_LISTING: Final = _words("and or und oder y e o u")
_PLACE: Final = _words("in into near across throughout nach en hacia")
_WAYS: Final = _words("to from through via for at around towards outside visiting aus a desde hasta por")
_MOVES: Final = _words(
    """
    moved move moves moving drove drive driving flew fly flying travelled traveled travel travelling traveling trip
    flight train road journey ride viajo viaje viajar mudo mudarse volo vuelo
    """
)
_HAN_BEFORE: Final = re.compile(
    r"(?:妈妈|母亲|爸爸|父亲|姐姐|妹妹|姐妹|哥哥|弟弟|兄弟|女儿|儿子|孩子|妻子|老婆|丈夫|老公|女友|女朋友|男友|男朋友|阿姨|姑姑|叔叔|舅舅"
    r"|表姐|表妹|表哥|表弟|堂姐|堂妹|堂哥|堂弟|奶奶|外婆|爷爷|外公|孙女|孙子|朋友|邻居|同事|老板|室友|同学|老师"
    r"|狗|狗狗|小狗|猫|猫咪|小猫|马|兔子|鸟|鱼|宠物|另一个|另一位|另外一个|别的|其他|其他的|不同的|不是|并非|不"
    r"|在|去|到|往|来自)(?:叫|名叫|是|的|,|，|\s)*$"
)
_HAN_AFTER: Final = re.compile(
    r"^\s*(?:,|，|是|不是|我的|我|的|\s)*(?:妈妈|母亲|爸爸|父亲|姐姐|妹妹|哥哥|弟弟|女儿|儿子|妻子|丈夫|狗|猫|不是)"
)
_HAN_TWO: Final = re.compile(r"不是|不同|比|见到|遇到|遇见|认识|和|与|跟|同")


def may_be_another(text: str, start: int, length: int, full: str) -> bool:
    """Return whether a text may mean two by a short and a full name.

    Args:
        text: What is said.
        start: Where the short name stands, in characters.
        length: Its characters.
        full: The full name.
    """
    end = start + length
    before = _END.split(text[max(0, start - _NEAR) : start])[-1]
    after = _END.split(text[end : end + _NEAR])[0]
    short = name_forms.name_words(text[start:end])
    is_next = bool(_PAIR_BEFORE.search(before) and _PAIR_AFTER.match(after))
    if not is_next and _is_other_before(before, short, is_owner=after[:1] in {"'", "’"}):
        return True
    is_first = name_forms.name_words(full)[:1] == short
    if _is_other_after(before, after) or (is_first and (_FAMILY.match(after) or _LONGER.match(after))):
        return True
    if is_first and (_ends_a_longer_name(before) or _is_ruler(before, after)):
        return True
    left = _END.split(text[max(0, start - _SENTENCE) : start])[-1]
    right = _END.split(text[end : end + _SENTENCE])[0]
    pattern = re.compile(r"\s+".join(map(re.escape, full.split())), re.IGNORECASE)
    gaps = [left[found.end() :] for found in pattern.finditer(left)][-1:]
    gaps += [right[: found.start()] for found in pattern.finditer(right)][:1]
    return any(_names_two(gap) for gap in gaps)


def _ends_a_longer_name(before: str) -> bool:
    """Return whether a first name ends the name of a thing: ``Christmas Eve``."""
    match = _CAPITAL.search(before)
    if match is None or not match[1][0].isupper():
        return False
    word, lists = match[1].casefold(), gazetteer()
    if word in _HOLIDAYS or word in lists.demonyms:
        return True
    is_inside = re.search(r"[^\W\d_]", before[: match.start()]) is not None
    known = (lists.never, lists.titles, lists.greetings, lists.places, lists.given_names, lists.common)
    return is_inside and not any(word in some for some in known)


def _is_ruler(before: str, after: str) -> bool:
    """Return whether a ruler or a saint is meant: ``King George III``."""
    return not _RULERS.isdisjoint(name_forms.name_words(before)[-1:]) or _REGNAL.match(after) is not None


def _is_other_before(before: str, short: tuple[str, ...], *, is_owner: bool) -> bool:
    words = name_forms.name_words(before)
    if _HAN_BEFORE.search(before):
        return True
    if not words:
        return False
    says_that = words[-1] == "that" and len(words) > 1 and words[-2] not in _THAT  # they believe that Poe was
    if words[-1] in _ANY and not says_that and not _COMMA.search(before[-2:]):
        return True
    at = len(words) - 1
    while at > 0 and (words[at] in _BETWEEN or words[at] in name_forms.HONORIFICS):
        at -= 1
    if any(words[at] in some for some in (RELATIVES, _PETS, _FIGURES, _OTHER)):
        return True
    if is_owner or _COMMA.search(before[-2:]):
        return False
    is_moving = bool(_MOVES.intersection(words[-3:-1])) or not gazetteer().places.isdisjoint(short)
    return words[-1] in _PLACE or (words[-1] in _WAYS and is_moving)


def _is_other_after(before: str, after: str) -> bool:
    if _HAN_AFTER.search(after):
        return True
    if after[:1] in {"'", "’"} or after[:1].isalpha():
        return False  # of what is theirs
    words = name_forms.name_words(after)
    if not words:
        return False
    is_given = words[0] == "the" and not _GIVING.isdisjoint(name_forms.name_words(before)[-1:])
    if _TO_DO.match(after) and name_forms.name_words(before)[-1:] == ("a",):
        return False
    if words[0] in _SOUNDS or (words[0] in _AFTER and not is_given and not _COMMA.match(after.lstrip())):
        return True
    at = 0
    while at < len(words) - 1 and words[at] in _BETWEEN:
        at += 1
    return words[at] in RELATIVES or words[at] in _PETS


def _names_two(gap: str) -> bool:
    """Return whether what stands between two names of one sentence makes them two."""
    words = name_forms.name_words(gap)
    if _HAN_TWO.search(gap) or not _TWO.isdisjoint(words) or not _NEGATIONS.isdisjoint(pairwise(words)):
        return True
    if not (_COMMA.search(gap) or not _CLAUSES.isdisjoint(words)):
        return True  # in one clause, somebody is named once
    return all(word[:1].isupper() or word.casefold() in _LISTING for word in re.findall(r"[^\W\d_]+", gap))
