"""The words of a text as comparable sets, with their index queries.

Words are in lower case and whole: what stands between two separators. Chinese, Japanese and Korean writing counts by
pairs of neighbouring characters. A word is asked for such that every text that has it is found, and perhaps some more:
the index stems, and cuts at more places than this does.
"""

import re
import unicodedata
from collections.abc import Iterable
from itertools import pairwise
from typing import Final

LONGEST: Final = 64  # characters; the index may cut longer ones apart where it cuts long texts

# What both this and the index take for a gap between words. Anything else stays part of a word.
_WORD: Final = re.compile(
    r"[^\x00-\x2f\x3a-\x40\x5b-\x60\x7b-\xa9\xab-\xb1\xb4\xb6-\xb8\xbb\xbf\xd7\xf7"
    r"\u2000-\u206f\u3000-\u3003\u3008-\u3011\u3014-\u301f\uff01-\uff0f\uff1a-\uff20]+"
)
# Scripts whose cases the index knows too: it is older than the small letters of some others.
_CASED: Final = re.compile(r"[\x00-\u037e\u0380-\u0527\u1e00-\u1fff]+")
_EAST: Final = "\u3041-\u3096\u30a1-\u30fa\u30fc\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3"
_EAST_RUN: Final = re.compile(f"[{_EAST}]+")
_PLAIN: Final = re.compile(r"[a-z0-9]+")
_TOKEN: Final = re.compile(r"[\w\u0300-\u036f]+|[^\w\s.,;:!\"'()\[\]{}\u2010-\u2027\u3001\u3002\uff0c]")
_FILLERS: Final = frozenset(("a", "an", "the", "indeed", "really", "very", "also"))
_TURNING: Final = frozenset(
    ("but", "except", "unless", "if", "or", "hardly", "barely", "rarely", "seldom", "scarcely", "almost", "nearly",
     "maybe", "perhaps", "possibly", "former", "formerly", "once", "until", "before", "after", "stopped", "quit",
     "ceased", "failed", "denied", "refused", "refuses", "avoids", "avoided", "lacks", "than", "only", "instead",
     "rather", "unlike", "neither", "nor", "few", "little", "less", "against", "aber", "außer", "kaum", "selten",
     "fast", "vielleicht", "wenn", "mais", "sauf", "ou", "si", "pero", "salvo", "casi", "ma", "tranne", "quasi")
)  # fmt: skip
NEGATIONS: Final = frozenset(
    ("no", "not", "never", "none", "nobody", "nothing", "without", "cannot", "t", "kein", "keine", "keinen", "keiner",
     "keinem", "nicht", "nie", "niemals", "ohne", "ne", "pas", "jamais", "sans", "aucun", "aucune", "nunca", "sin",
     "ningún", "ninguna", "não", "nem", "sem", "mai", "senza", "nessun", "nessuna", "niet", "geen", "nooit", "zonder")
)  # fmt: skip


def word_set(text: str) -> frozenset[str]:
    """Return the words of ``text``, each once.

    Words of more than ``LONGEST`` characters do not count.
    """
    words: set[str] = set()
    for match in _WORD.finditer(_folded(text)):
        words.update(_of_run(match[0]))
    return frozenset(words)


def _folded(text: str) -> str:
    if text.isascii():
        return text.lower()
    return _CASED.sub(lambda match: match[0].lower(), unicodedata.normalize("NFC", text))


def _of_run(run: str) -> Iterable[str]:
    if run.isascii():
        return (run,) if len(run) <= LONGEST else ()
    if not _EAST_RUN.search(run):
        return (run,) if len(run) <= LONGEST and any(map(str.isalpha, run)) else ()
    words: list[str] = []
    end = 0
    for match in _EAST_RUN.finditer(run):
        words.append(run[end : match.start()])
        characters = match[0]
        words += [first + second for first, second in pairwise(characters)] or [characters]
        end = match.end()
    words.append(run[end:])
    return [part for part in words if _EAST_RUN.match(part) or (_PLAIN.fullmatch(part) and len(part) <= LONGEST)]


def expression(term: str) -> str:
    """Return the expression by which the word index finds every text that has ``term``."""
    if _EAST_RUN.match(term):
        return f'grams : "{term}"' + (" *" if len(term) == 1 else "")
    other = unicodedata.normalize("NFD", term)
    return f'"{term}"' if other == term else f'("{term}" OR "{other}")'


def jaccard(first: frozenset[str], second: frozenset[str]) -> float:
    """Return the share of words that two sets have in common.

    It is 0 to 1, and 0 where both sets are empty.
    """
    shared = len(first & second)
    return shared / (len(first) + len(second) - shared) if shared else 0.0


def restates(new: str, old: str) -> bool:
    """Return whether a sentence says nothing beyond another one.

    It has no word more, none replaced and none moved.

    What only ``old`` says may not be a number, a name, a symbol or a word that turns a sentence round. Case, articles
    and punctuation do not count.
    """
    tokens = iter(_tokens(old))
    passed_over: list[str] = []
    for word in _tokens(new):
        for other in tokens:
            if other.lower() == word.lower():
                break
            passed_over.append(other)
        else:
            return False
    return not any(map(_weighs, (*passed_over, *tokens)))


def _tokens(text: str) -> list[str]:
    """Return the words and symbols of ``text`` in order, without filler words."""
    tokens = _TOKEN.findall(unicodedata.normalize("NFC", text))
    return [word for word in tokens if word == "A" or word.lower() not in _FILLERS]


def _weighs(word: str) -> bool:
    """Return whether a sentence says something else, not just less, when it lacks ``word``."""
    if not word[0].isalnum() or word[0].isupper() or any(map(str.isdigit, word)):
        return word != "I"
    return word in NEGATIONS or word in _TURNING or _EAST_RUN.search(word) is not None
