"""Forms of names for comparison: folded letters, words without titles, and transliteration."""

import re
import unicodedata
from functools import lru_cache
from typing import Final

GENDERED: Final = frozenset(
    ("mr", "mrs", "ms", "miss", "sir", "herr", "frau", "monsieur", "madame", "senor", "senora", "señor", "señora")
)
HONORIFICS: Final = GENDERED | {"dr", "prof", "professor"}
ARTICLES: Final = frozenset(("the", "der", "die", "das", "la", "le", "les", "el", "los", "las"))
SUFFIXES: Final = frozenset(("jr", "sr", "junior", "senior", "i", "ii", "iii", "iv", "v"))
COMPANY_ENDINGS: Final = frozenset(
    ("inc", "ltd", "llc", "gmbh", "corp", "corporation", "company", "co", "plc", "ag", "sa", "bv", "limited")
)
_SMALL: Final = frozenset(
    (
        "of",
        "the",
        "and",
        "for",
        "in",
        "at",
        "on",
        "a",
        "an",
        "de",
        "la",
        "le",
        "du",
        "des",
        "der",
        "die",
        "das",
        "und",
        "y",
        "e",
    )
)
_WORD: Final = re.compile(r"[^\W_]+")
_GERMAN: Final = str.maketrans({letter: f"{plain}e" for letter, plain in zip("äöü", "aou", strict=True)})
_LETTERS: Final = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "æ": "ae", "œ": "oe", "ı": "i", "þ": "th", "ð": "d", "’": "", "'": "", ".": ""}
)
_CYRILLIC: Final = str.maketrans(
    {
        "а": "a", "б": "b", "в": "v", "г": "g", "д": "d", "е": "e", "ё": "e", "ж": "zh", "з": "z", "и": "i", "й": "i",
        "к": "k", "л": "l", "м": "m", "н": "n", "о": "o", "п": "p", "р": "r", "с": "s", "т": "t", "у": "u", "ф": "f",
        "х": "h", "ц": "ts", "ч": "ch", "ш": "sh", "щ": "shch", "ъ": "", "ы": "i", "ь": "", "э": "e", "ю": "iu",
        "я": "ia", "і": "i", "ї": "i", "є": "e", "ґ": "g",
    }
)  # fmt: skip


def folded(name: str) -> str:
    """Return a name case-folded, without accents on Latin letters, apostrophes and dots."""
    letters: list[str] = []
    for letter in unicodedata.normalize("NFD", unicodedata.normalize("NFKC", name).casefold()):
        is_accent = unicodedata.category(letter) == "Mn"
        # Marks of other scripts make other letters.
        if not (is_accent and letters and letters[-1].isascii()):
            letters.append(letter)
    return unicodedata.normalize("NFC", "".join(letters)).translate(_LETTERS)


@lru_cache(maxsize=50_000)
def name_words(name: str) -> tuple[str, ...]:
    """Return the folded words of a name."""
    return tuple(_WORD.findall(folded(name)))


def compact_forms(name: str) -> frozenset[str]:
    """Return a name in folded letters without blanks, umlauts as one letter and as two."""
    plain = "".join(name_words(name))
    lower = unicodedata.normalize("NFC", name).casefold()
    return frozenset((plain, "".join(name_words(lower.translate(_GERMAN)))))


def latin_form(name: str) -> str:
    """Return a Cyrillic name in Latin letters, folded; empty for a name without Cyrillic letters."""
    lower = name.casefold()
    if not any("Ѐ" <= letter <= "ӿ" for letter in lower):
        return ""
    return loose_latin(lower.translate(_CYRILLIC))


def loose_latin(name: str) -> str:
    """Return a Latin name so that usual transliterations of one name agree."""
    joined = "".join(name_words(name))
    for written, form in (("kh", "h"), ("yu", "iu"), ("ya", "ia"), ("ju", "iu"), ("ja", "ia"), ("y", "i"), ("j", "i")):
        joined = joined.replace(written, form)
    return re.sub(r"(.)\1+", r"\1", joined)


def titled(words: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the honorifics that a person's name begins with, and the rest."""
    at = 0
    while at < len(words) - 1 and words[at] in HONORIFICS:
        at += 1
    return words[:at], words[at:]


def bare_organisation(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words of a name without a leading ``the`` and endings such as ``Inc.``."""
    at, end = (1 if words[:1] == ("the",) and len(words) > 1 else 0), len(words)
    while end > at + 1 and words[end - 1] in COMPANY_ENDINGS:
        end -= 1
    return words[at:end]


def initials(words: tuple[str, ...]) -> str:
    """Return the first letters of a name's words, small linking words left out."""
    return "".join(word[0] for word in words if word not in _SMALL)


def digits(name: str) -> str:
    """Return the digits of a name; names with other digits never mean the same."""
    return "".join(letter for letter in name if letter.isdigit())


def differ_in_one_letter(first: str, second: str) -> bool:
    """Return whether two words differ in one letter or two letters swapped.

    An added ending does not count.
    """
    if first == second or abs(len(first) - len(second)) > 1:
        return False
    start = 0
    while start < min(len(first), len(second)) and first[start] == second[start]:
        start += 1
    tail_first, tail_second = first[start:], second[start:]
    if not tail_first or not tail_second:
        return False  # Paul and Paula, Smith and Smiths
    if tail_first[1:] == tail_second[1:]:
        return len(tail_first) > 1  # Maria and Marie
    if tail_first[1:] == tail_second or tail_first == tail_second[1:]:
        return True
    return tail_first[:2] == tail_second[1::-1] and tail_first[2:] == tail_second[2:]
