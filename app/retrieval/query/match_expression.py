"""The full-text index's language: how it takes words apart, and safe ``MATCH`` expressions for it.

The index is FTS5 with ``porter unicode61 remove_diacritics 2 categories 'L* N* Co M*'`` over the columns ``text`` and
``grams``. Nothing a person types reaches ``MATCH`` outside quotation marks, so none of it is syntax.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import Final, Literal

from app.core.stopwords import stop_words
from app.core.text import storable
from app.index import cjk_ngrams
from app.retrieval.model import Query, Term

Mode = Literal["any", "all"]

MAX_TERMS: Final = 64
"""So many words the index is asked for at most; of a longer text the longest, which are likely the rarest."""
MAX_PAIRS: Final = 128

_LONGEST_STEMMED: Final = 64
_SHORTEST_STEMMED: Final = 3
_DIACRITICS: Final = re.compile("[\u0300-\u036f]+")
_LAST_WORD: Final = re.compile(r"[^\W_]+(?=[\W_]*\Z)")
_WORDS: Final = re.compile(r"[^\W_]+")
_GUARDS: Final = ("", "ful", "ness", "ly", "e", "ing")
_ENDINGS: Final = (
    "s", "e", "es", "ed", "ing", "er", "y", "ly", "ies", "ied", "ion", "al", "ic", "ness", "ful", "able", "ability",
    "ment", "ity", "ive", "ance", "ant", "ence", "ent", "ous", "ator", "ation", "ative", "ization",
)  # fmt: skip
_RECOMPOSED: Final = re.compile("[\u0370-\u052f\u1f00-\u1fff]")
_STEP_2: Final = (
    ("ational", "ate"), ("tional", "tion"), ("enci", "ence"), ("anci", "ance"), ("izer", "ize"), ("logi", "log"),
    ("bli", "ble"), ("alli", "al"), ("entli", "ent"), ("eli", "e"), ("ousli", "ous"), ("ization", "ize"),
    ("ation", "ate"), ("ator", "ate"), ("alism", "al"), ("iveness", "ive"), ("fulness", "ful"), ("ousness", "ous"),
    ("aliti", "al"), ("iviti", "ive"), ("biliti", "ble"),
)  # fmt: skip
_STEP_3: Final = (
    ("icate", "ic"), ("ative", ""), ("alize", "al"), ("iciti", "ic"), ("ical", "ic"), ("ful", ""), ("ness", ""),
)  # fmt: skip
_STEP_4: Final = tuple(
    (ending, "")
    for ending in (
        "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion", "ou", "ism", "ate",
        "iti", "ous", "ive", "ize",
    )
)  # fmt: skip


# Expressions ------------------------------------------------------------------------------------------------------


def match_expression(
    query: Query | Sequence[Term], mode: Mode = "any", *, drop_stop_words: bool = True, need_phrases: bool = False
) -> str | None:
    """Build the ``MATCH`` expression for the words of a search.

    Args:
        query: A parsed search or its terms; operators are not words and play no part.
        mode: Whether a text needs any of the words or all of them. A run of Chinese, Japanese, Korean or Thai writing
            is one word; in mode ``any`` its pairs of characters count as well.
        drop_stop_words: Leave words like "the" out when others remain. Phrases and prefixes are kept.
        need_phrases: In mode ``any``, texts without every quoted phrase do not match.

    Returns:
        The expression, or ``None`` when it would match nothing: no words, or only excluded ones.
    """
    terms = query.terms if isinstance(query, Query) else tuple(query)
    terms = tuple(term for term in terms if has_token(term.text))
    wanted = [term for term in terms if not term.excluded]
    if drop_stop_words:
        wanted = _without_stop_words(wanted)
    wanted = _limited(wanted)
    if not wanted:
        return None
    expression = _joined(wanted, mode)
    if need_phrases and mode == "any" and (phrases := [term for term in wanted if term.phrase]) and wanted != phrases:
        expression = f"({_joined(phrases, 'all')}) AND ({expression})"
    unwanted = excluded_expression(terms)
    return f"({expression}) NOT ({unwanted})" if unwanted else expression


@dataclass(frozen=True, slots=True)
class Atom:
    """The least that the index can be asked for.

    Args:
        expression: What to ask.
        words: The folded words that stand side by side; none for a beginning or pairs of characters.
    """

    expression: str
    words: tuple[str, ...] = ()


def atoms(query: Query | Sequence[Term]) -> list[Atom]:
    """Return what ``match_expression`` joins for the terms of a search of which a text needs any.

    Stop words are left out as there; excluded terms play no part.
    """
    terms = query.terms if isinstance(query, Query) else tuple(query)
    wanted = [term for term in terms if has_token(term.text) and not term.excluded]
    wanted = _limited(_without_stop_words(wanted))
    pairs = list(dict.fromkeys(chain.from_iterable(_pairs(term) for term in wanted)))[:MAX_PAIRS]
    whole = chain.from_iterable(map(_atoms, wanted))
    return list({atom.expression: atom for atom in (*whole, *map(Atom, pairs))}.values())


def _atoms(term: Term) -> list[Atom]:
    if cjk_ngrams.has_cjk(term.text):
        return [Atom(_wide(term))]
    if term.prefix:
        return [Atom(expression) for expression in _prefixed(term)]
    return [Atom(quote(form), tuple(_WORDS.findall(fold(form)))) for form in _forms(term.text)]


def excluded_expression(query: Query | Sequence[Term]) -> str | None:
    """Build the expression for texts that have any of the excluded terms just as it stands, ``None`` without such."""
    terms = query.terms if isinstance(query, Query) else tuple(query)
    unwanted = dict.fromkeys(_whole(term) for term in terms if term.excluded and has_token(term.text))
    return _either(list(unwanted)[:MAX_TERMS]) if unwanted else None


def quote(text: str) -> str:
    """Return ``text`` as an FTS5 string: the only way a person's text enters an expression."""
    return '"' + storable(text)[0].replace('"', '""') + '"'


def has_token(text: str) -> bool:
    """Tell whether the tokenizer finds anything in ``text``; what Unicode has not assigned counts as a letter there."""
    if text.isascii():
        return any(map(str.isalnum, text))
    letters = _DIACRITICS.sub("", text)
    return any(unicodedata.category(character)[0] in "LNM" or _is_unassigned(character) for character in letters)


def _is_unassigned(character: str) -> bool:
    return unicodedata.category(character) in ("Co", "Cn") and character not in "\ufffe\uffff"


def _without_stop_words(terms: list[Term]) -> list[Term]:
    plain = [term for term in terms if not term.phrase and not term.prefix]
    dropped = stop_words(_bare(term) for term in plain)
    kept = [term for term in terms if term.phrase or term.prefix or _bare(term).casefold() not in dropped]
    return kept or terms


def _limited(terms: list[Term]) -> list[Term]:
    """Return at most ``MAX_TERMS`` of ``terms`` in their order, each once: phrases first, then the longest."""
    if len(terms) <= MAX_TERMS:
        return terms
    distinct = {(fold(_bare(term)), term.phrase, term.prefix): term for term in reversed(terms)}.values()
    kept = set(sorted(distinct, key=lambda term: (not term.phrase, -len(_bare(term)), term.text))[:MAX_TERMS])
    return [term for term in dict.fromkeys(terms) if term in kept]


def _bare(term: Term) -> str:
    """Return the word without the punctuation around it: ``why?`` is a stop word too."""
    return term.text.strip("\"'.,;:!?()[]{}<>«»“”‘’„…-–—¿¡*")


def _joined(terms: Iterable[Term], mode: Mode) -> str:
    if mode == "any":
        pairs = list(dict.fromkeys(chain.from_iterable(_pairs(term) for term in terms)))[:MAX_PAIRS]
        return _either(list(dict.fromkeys([*map(_whole, terms), *pairs])))
    parts = dict.fromkeys(map(_whole, terms))
    return next(iter(parts)) if len(parts) == 1 else " AND ".join(f"({part})" for part in parts)


def _either(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else " OR ".join(f"({part})" for part in parts)


def _whole(term: Term) -> str:
    """Return the expression for texts that have the term just as it stands."""
    if cjk_ngrams.has_cjk(term.text):
        return _wide(term)
    if term.prefix:
        return " OR ".join(_prefixed(term))
    return " OR ".join(map(quote, _forms(term.text)))


def _forms(text: str) -> list[str]:
    """Return ``text`` as texts may have written it: full-width letters, Greek and Cyrillic accents apart or together.

    The tokenizer sees through such differences for Latin letters only.
    """
    forms = [text, cjk_ngrams.normal(text)]
    if _RECOMPOSED.search(text):
        forms += [unicodedata.normalize("NFC", text), unicodedata.normalize("NFD", text)]
    return list(dict.fromkeys(forms))


def _wide(term: Term) -> str:
    """Return the expression for a term with such writing: its pairs side by side, and its other words side by side."""
    entries, is_open = cjk_ngrams.phrase(term.text)
    # An entry that begins like the last one: a single character, or a Thai syllable still lacking its marks.
    star = " *" if is_open or term.prefix else ""
    parts = [f"grams : {quote(' '.join(entries))}{star}"]
    parts += [quote(words) for words in cjk_ngrams.between(term.text) if has_token(words)]
    return " ".join(parts)


def _pairs(term: Term) -> list[str]:
    """Return an expression for each entry of a run of such writing."""
    entries, is_open = cjk_ngrams.phrase(term.text) if cjk_ngrams.has_cjk(term.text) else ([], False)
    if len(entries) < 2:  # noqa: PLR2004  (one entry is the run itself)
        return []
    last = f"grams : {quote(entries[-1])}{' *' if is_open else ''}"
    return [f"grams : {quote(entry)}" for entry in entries[:-1]] + [last]


def _prefixed(term: Term) -> list[str]:
    """Return expressions that together match what begins with the term, although the index holds stems.

    Three things stand between a beginning and the stems. The beginning would itself be stemmed (``day*`` would look for
    ``dai``), so it is asked for with an ending that stemming takes off and nothing more. Where there is none, what is
    left of it is a shorter beginning. And a stem may be shorter than the beginning or end otherwise (``running`` is
    there as ``run``, which ``runni*`` would miss), so words are asked for that common endings make of it.
    """
    text = cjk_ngrams.normal(term.text)
    match = _LAST_WORD.search(text)
    if match is None:
        return [quote(text) + " *"]
    head, word = text[: match.start()], fold(match[0])
    guarded = next((word + ending for ending in _GUARDS if stem(word + ending) == word), word)
    sought = stem(guarded)
    expressions = [f"{quote(head + guarded)} *"]
    seen: set[str] = set()
    for longer in _lengthened(word):
        root = stem(longer)
        if not root.startswith(sought) and root not in seen:
            seen.add(root)
            expressions.append(quote(head + longer))
    return expressions


def _lengthened(word: str) -> Iterator[str]:
    """Yield ``word`` and what common endings make of it, also where it breaks off inside the ending."""
    yield word
    for ending in _ENDINGS:
        yield word + ending
        for cut in range(1, len(ending)):
            if word.endswith(ending[:cut]):
                yield word + ending[cut:]


# Words ------------------------------------------------------------------------------------------------------------


def fold(text: str) -> str:
    """Return ``text`` in lower case without diacritics, as the tokenizer compares words."""
    if text.isascii():
        return text.lower()
    plain = unicodedata.normalize("NFC", _DIACRITICS.sub("", unicodedata.normalize("NFD", text)))
    return "ß".join(part.casefold() for part in plain.replace("ẞ", "ß").split("ß"))


@lru_cache(maxsize=16384)
def stem(word: str) -> str:
    """Return the Porter stem of a folded ``word``, the same as the index's tokenizer makes it.

    SQLite counts bytes, each byte of another script a consonant.

    Source: M. F. Porter, "An algorithm for suffix stripping", 1980.
    """
    if word.isascii():
        return _stemmed(word)
    return _stemmed(word.encode("utf-8", "replace").decode("latin-1")).encode("latin-1").decode("utf-8", "replace")


def _stemmed(word: str) -> str:
    if not _SHORTEST_STEMMED <= len(word) <= _LONGEST_STEMMED:
        return word
    word = _without_participle(_without_plural(word))
    if word.endswith("y") and _has_vowel(word[:-1]):
        word = word[:-1] + "i"
    word = _with_ending(word, _STEP_2, 1)
    word = _with_ending(word, _STEP_3, 1)
    word = _with_ending(word, _STEP_4, 2)
    return _tidied(word)


def _without_plural(word: str) -> str:
    if word.endswith(("sses", "ies")) and word not in ("sses", "ies"):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _without_participle(word: str) -> str:
    if word.endswith("eed") and word != "eed":
        return word[:-1] if _measure(word[:-3]) else word
    for ending in ("ed", "ing"):
        if word.endswith(ending):
            left = word[: -len(ending)]
            return _repaired(left) if _has_vowel(left) else word
    return word


def _repaired(word: str) -> str:
    """Give back what a participle changed: ``hop(p)ing``, ``fil(e)ing``."""
    if word.endswith(("at", "bl", "iz")):
        return word + "e"
    if len(word) > 1 and word[-1] == word[-2] and word[-1] not in "aeioulsz":
        return word[:-1]
    return word + "e" if _measure(word) == 1 and _is_short(word) else word


def _with_ending(word: str, endings: Sequence[tuple[str, str]], measure: int) -> str:
    """Replace the first of ``endings`` the word has, where what stands before it has the ``measure``."""
    for ending, other in endings:
        if word.endswith(ending):
            left = word[: -len(ending)]
            fits = _measure(left) >= measure and (ending != "ion" or left.endswith(("s", "t")))
            return left + other if fits else word
    return word


def _tidied(word: str) -> str:
    if word.endswith("e"):
        left = word[:-1]
        measure = _measure(left)
        if measure > 1 or (measure == 1 and not _is_short(left)):
            word = left
    return word[:-1] if word.endswith("ll") and _measure(word[:-1]) > 1 else word


def _shape(word: str) -> str:
    """Return ``c`` for each consonant and ``v`` for each vowel; ``y`` is a vowel after a consonant."""
    shape = ""
    for letter in word:
        shape += "v" if letter in "aeiou" or (letter == "y" and shape.endswith("c")) else "c"
    return shape


def _measure(word: str) -> int:
    return _shape(word).count("vc")


def _has_vowel(word: str) -> bool:
    return any(letter in "aeiou" for letter in word) or "y" in word[1:]


def _is_short(word: str) -> bool:
    return word[-1:] not in ("w", "x", "y") and _shape(word).endswith("cvc")
