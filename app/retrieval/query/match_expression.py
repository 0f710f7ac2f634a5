"""Full-text query expressions for FTS5, and folded words.

Text that a person types reaches ``MATCH`` only inside quotation marks, so none of it is syntax. ``apsw.fts5query`` was
tried and does not do this: it leaves the words AND, OR and NOT unquoted, which FTS5 then refuses as a syntax error.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final, Literal

from app.core.text import storable
from app.core.text_rules.spellings import fold, spellings
from app.core.text_rules.stopwords import stop_words
from app.index import cjk_ngrams
from app.retrieval.model import Query, Term
from app.store.words.tokenizer import KEPT, root, stem

Mode = Literal["any", "all"]

MAX_TERMS: Final = 64
"""Maximum number of words in an expression; of a longer text the longest, which are likely the rarest."""
MAX_PAIRS: Final = 128

_DIACRITICS: Final = re.compile("[\u0300-\u036f]+")
_POSSESSIVES: Final = ("'s", "’s")
_LAST_WORD: Final = re.compile(r"[^\W_]+(?=[\W_]*\Z)")
_WORDS: Final = re.compile(r"[^\W_]+")
_GUARDS: Final = ("", "ful", "ness", "ly", "e", "ing")
_ENDINGS: Final = (
    "s", "e", "es", "ed", "ing", "er", "y", "ly", "ies", "ied", "ion", "al", "ic", "ness", "ful", "able", "ability",
    "ment", "ity", "ive", "ance", "ant", "ence", "ent", "ous", "ator", "ation", "ative", "ization",
)  # fmt: skip
_RECOMPOSED: Final = re.compile("[\u0370-\u052f\u1f00-\u1fff]")


# Expressions ------------------------------------------------------------------------------------------------------


def search_terms(query: Query | Sequence[Term], *, drop_stop_words: bool = True) -> list[Term]:
    """Return the terms to search for: not excluded, with a word that the tokenizer finds.

    Args:
        query: A parsed search or its terms.
        drop_stop_words: Leave words like "the" out when others remain. Phrases and prefixes are kept.
    """
    terms = query.terms if isinstance(query, Query) else query
    terms = [term for term in terms if not term.excluded and has_token(term.text)]
    if not drop_stop_words:
        return terms
    dropped = stop_words(_bare(term) for term in terms if not term.phrase and not term.prefix)
    return [term for term in terms if term.phrase or term.prefix or _bare(term).casefold() not in dropped] or terms


def match_expression(
    query: Query | Sequence[Term], mode: Mode = "any", *, drop_stop_words: bool = True, need_phrases: bool = False
) -> str | None:
    """Build the ``MATCH`` expression for the words of a search.

    Args:
        query: A parsed search or its terms; operators are not words and play no part.
        mode: Whether a text needs any of the words or all of them. A run of Chinese, Japanese, Korean or Thai writing
            is one word; in mode ``any`` its pairs of characters count as well.
        drop_stop_words: See ``search_terms``.
        need_phrases: In mode ``any``, texts without every quoted phrase do not match.

    Returns:
        The expression, or ``None`` when it would match nothing: no words, or only excluded ones.
    """
    wanted = _limited(search_terms(query, drop_stop_words=drop_stop_words))
    if not wanted:
        return None
    expression = _joined(wanted, mode)
    if need_phrases and mode == "any" and (phrases := [term for term in wanted if term.phrase]) and wanted != phrases:
        expression = f"({_joined(phrases, 'all')}) AND ({expression})"
    unwanted = excluded_expression(query)
    return f"({expression}) NOT ({unwanted})" if unwanted else expression


@dataclass(frozen=True, slots=True)
class Atom:
    """Atomic full-text expression: a word, phrase, prefix or pair of characters.

    Args:
        expression: The FTS expression.
        words: Adjacent folded words; none for a prefix or pairs of characters.
    """

    expression: str
    words: tuple[str, ...] = ()


def atoms(query: Query | Sequence[Term]) -> list[Atom]:
    """Return the atomic expressions that ``match_expression`` joins with OR.

    Stop words are dropped as there; excluded terms are ignored.
    """
    wanted = _limited(search_terms(query))
    pairs = list(dict.fromkeys(chain.from_iterable(_pairs(term) for term in wanted)))[:MAX_PAIRS]
    whole = chain.from_iterable(map(_atoms, wanted))
    return list({atom.expression: atom for atom in (*whole, *map(Atom, pairs))}.values())


def _atoms(term: Term) -> list[Atom]:
    if cjk_ngrams.has_cjk(term.text):
        return [Atom(_wide(term))]
    if term.prefix:
        return [Atom(expression) for expression in _prefixed(term)]
    return [Atom(word_expression(form), tuple(_WORDS.findall(fold(form)))) for form in _forms(_owner(term))]


def excluded_expression(query: Query | Sequence[Term]) -> str | None:
    """Build the expression for texts with any excluded term, ``None`` where there is none."""
    terms = query.terms if isinstance(query, Query) else tuple(query)
    unwanted = dict.fromkeys(_whole(term) for term in terms if term.excluded and has_token(term.text))
    return _either(list(unwanted)[:MAX_TERMS]) if unwanted else None


def quote(text: str) -> str:
    """Return ``text`` as a quoted FTS5 string."""
    return '"' + storable(text)[0].replace('"', '""') + '"'


def word_expression(text: str) -> str:
    """Return the expression for texts with a word or a phrase.

    A kept word is looked for by its root.
    """
    words = _WORDS.findall(fold(text))
    stem = root(words[0]) if len(words) == 1 else ""
    return f"grams : {quote(stem)}" if stem.endswith(KEPT) else quote(text)


def has_token(text: str) -> bool:
    """Tell whether the tokenizer finds a word in ``text``.

    Characters that Unicode has not assigned count as letters there.
    """
    if text.isascii():
        return any(map(str.isalnum, text))
    letters = _DIACRITICS.sub("", text)
    return any(unicodedata.category(character)[0] in "LNM" or _is_unassigned(character) for character in letters)


def _is_unassigned(character: str) -> bool:
    return unicodedata.category(character) in ("Co", "Cn") and character not in "\ufffe\uffff"


def _limited(terms: list[Term]) -> list[Term]:
    """Return at most ``MAX_TERMS`` distinct terms in their order.

    Phrases are kept first, then the longest words.
    """
    if len(terms) <= MAX_TERMS:
        return terms
    distinct = {(fold(_bare(term)), term.phrase, term.prefix): term for term in reversed(terms)}.values()
    kept = set(sorted(distinct, key=lambda term: (not term.phrase, -len(_bare(term)), term.text))[:MAX_TERMS])
    return [term for term in dict.fromkeys(terms) if term in kept]


def _bare(term: Term) -> str:
    """Return the word without the punctuation around it: ``why?`` is a stop word too."""
    return term.text.strip("\"'.,;:!?()[]{}<>«»“”‘’„…-–—¿¡*")


def _owner(term: Term) -> str:
    """Return the text of a term, without the possessive ending of a single word."""
    bare = "" if term.phrase else _bare(term)
    return bare[:-2] if bare.endswith(_POSSESSIVES) else term.text


def _joined(terms: Iterable[Term], mode: Mode) -> str:
    if mode == "any":
        pairs = list(dict.fromkeys(chain.from_iterable(_pairs(term) for term in terms)))[:MAX_PAIRS]
        return _either(list(dict.fromkeys([*map(_whole, terms), *pairs])))
    parts = dict.fromkeys(map(_whole, terms))
    return next(iter(parts)) if len(parts) == 1 else " AND ".join(f"({part})" for part in parts)


def _either(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else " OR ".join(f"({part})" for part in parts)


def _whole(term: Term) -> str:
    """Return the expression for texts with the whole term."""
    if cjk_ngrams.has_cjk(term.text):
        return _wide(term)
    if term.prefix:
        return " OR ".join(_prefixed(term))
    return " OR ".join(map(word_expression, _forms(_owner(term))))


def _forms(text: str) -> list[str]:
    """Return the Unicode forms and spellings in which texts may contain ``text``.

    The tokenizer sees through such differences for Latin letters with marks only.
    """
    forms = [text, cjk_ngrams.normal(text)]
    if _RECOMPOSED.search(text):
        forms += [unicodedata.normalize("NFC", text), unicodedata.normalize("NFD", text)]
    return list(dict.fromkeys((*forms, *spellings(fold(text)))))


def _wide(term: Term) -> str:
    """Return the expression for a term with characters of scripts without spaces.

    Character pairs must be adjacent, and so must its other words.
    """
    entries, is_open = cjk_ngrams.phrase(term.text)
    # The last entry is a prefix: a single character, or a Thai syllable without its marks.
    star = " *" if is_open or term.prefix else ""
    parts = [f"grams : {quote(' '.join(entries))}{star}"]
    parts += [quote(words) for words in cjk_ngrams.between(term.text) if has_token(words)]
    return " ".join(parts)


def _pairs(term: Term) -> list[str]:
    """Return an expression for each character pair of a run."""
    entries, is_open = cjk_ngrams.phrase(term.text) if cjk_ngrams.has_cjk(term.text) else ([], False)
    if len(entries) < 2:  # noqa: PLR2004  (one entry is the run itself)
        return []
    last = f"grams : {quote(entries[-1])}{' *' if is_open else ''}"
    return [f"grams : {quote(entry)}" for entry in entries[:-1]] + [last]


def _prefixed(term: Term) -> list[str]:
    """Return expressions that together match words with the prefix, although the index holds stems.

    The index would stem the prefix itself (``day*`` would search ``dai``), so the prefix gets an ending that stemming
    removes and nothing more; without such an ending its stem is a shorter prefix. And a stem may be shorter than the
    prefix or end differently (``running`` is indexed as ``run``, which ``runni*`` would miss), so the prefix is also
    completed with common endings.
    """
    text = cjk_ngrams.normal(term.text)
    match = _LAST_WORD.search(text)
    if match is None:
        return [quote(text) + " *"]
    head, word = text[: match.start()], fold(match[0])
    guarded = next((word + ending for ending in _GUARDS if stem(word + ending) == word), word)
    prefix_stem = stem(guarded)
    expressions = [f"{quote(head + guarded)} *"]
    seen: set[str] = set()
    for longer in _lengthened(word):
        stemmed = stem(longer)
        if not stemmed.startswith(prefix_stem) and stemmed not in seen:
            seen.add(stemmed)
            expressions.append(word_expression(head + longer))
    return expressions


def _lengthened(word: str) -> Iterator[str]:
    """Yield ``word`` and its forms with common endings, also completed from part of one."""
    yield word
    for ending in _ENDINGS:
        yield word + ending
        for cut in range(1, len(ending)):
            if word.endswith(ending[:cut]):
                yield word + ending[cut:]
