"""Character bigrams, by which words are found in scripts written without spaces.

FTS5's tokenizer cuts at spaces, so a sentence of Chinese, Japanese or Thai is one token. The column ``grams`` therefore
holds, for each run of such a script, every pair of neighbours and then the last character alone: ``我们今天`` becomes
``我们 们今 今天 天``. Each character then begins exactly one entry, so a phrase of pairs is a search for a substring
and one character is a search by prefix. Words that touch a run stand between its pairs as they are: ``用iPhone``
becomes ``用 iPhone``, which also finds the word that the run swallowed.
"""

import re
import unicodedata
from itertools import chain, pairwise
from typing import Final

# Letters, digits and marks only, which the tokenizer treats as parts of a word.
_EAST = (
    "\u1100-\u11ff\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3041-\u3096\u3099\u309a\u309d-\u309f\u30a1-\u30fa"
    "\u30fc-\u30ff\u3105-\u312f\u3131-\u318e\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97c"
    "\uac00-\ud7a3\ud7b0-\ud7c6\ud7cb-\ud7fb\uf900-\ufa6d\ufa70-\ufad9\uff66-\uff9f"
    "\U0001aff0-\U0001afff\U0001b000-\U0001b167\U00020000-\U000323af"
)
_SOUTH_EAST = (
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e50-\u0e59\u0e81-\u0eff\u1000-\u1049\u1050-\u109d"
    "\u1780-\u17d3\u17d7\u17dc\u17dd\u17e0-\u17e9\ua9e0-\ua9fe\uaa60-\uaa76\uaa7a-\uaa7f"
)
WIDE: Final = _EAST + _SOUTH_EAST  # ranges for a character class
_FULL_WIDTH = "\uff10-\uff19\uff21-\uff3a\uff41-\uff5a"

_ANY_WIDE = re.compile(f"[{WIDE}]")
_ANY = re.compile(f"[{WIDE}{_FULL_WIDTH}]")
_STRETCH = re.compile(f"[{WIDE}{_FULL_WIDTH}]+")
_FULL_WIDTH_WORD = re.compile(f"[{_FULL_WIDTH}]+")
_PIECE = re.compile(f"([{WIDE}]+)|([^\\W_{WIDE}]+)")
_SOUTH_EAST_CHARACTER = re.compile(f"[{_SOUTH_EAST}]")
_FIRST_WORD = re.compile(r"\A\S*")
_LAST_WORD = re.compile(r"\S*\Z")
_CLINGING = frozenset(("Mn", "Mc", "Me", "Cn", "Co"))
_MARKED = frozenset(("Mn", "Mc"))


def has_cjk(text: str) -> bool:
    """Return whether ``text`` has a character of a script written without spaces."""
    return not text.isascii() and _ANY_WIDE.search(text) is not None


def normal(text: str) -> str:
    """Return ``text`` with the half-width and full-width forms of these scripts replaced by normal ones."""
    return text if text.isascii() else _STRETCH.sub(lambda found: unicodedata.normalize("NFKC", found[0]), text)


def ngrams_of(text: str) -> str:
    """Return the value of the ``grams`` column for ``text``, ``""`` without such scripts."""
    if text.isascii() or not _ANY.search(text):
        return ""
    entries = chain.from_iterable(_closed(run) for run in runs_of(text))
    return " ".join(chain(entries, map(normal, _FULL_WIDTH_WORD.findall(text))))


def phrase(text: str) -> tuple[list[str], bool]:
    """Return the consecutive entries in ``grams`` of every text that contains ``text``.

    Returns:
        The entries, and whether the last one is only a prefix of an entry, because the run may go on.
    """
    runs = runs_of(text)
    if not runs:
        return [], False
    *inner, last = runs
    entries = [entry for run in inner for entry in _closed(run)]
    *before, (end, wide) = last
    for piece, is_wide in before:
        entries += _pairs(units(piece)) if is_wide else [piece]
    if not wide:
        return [*entries, end], False
    characters = units(end)
    return entries + (_pairs(characters)[:-1] or characters), True


def runs_of(text: str) -> list[list[tuple[str, bool]]]:
    """Return the runs of ``text``, each with whether it is of such a script.

    A run is a list of adjacent pieces.

    Words that are not adjacent to such a script are left out.
    """
    return [[(piece[0], piece[1] is not None) for piece in run] for run in _runs(normal(text))]


def between(text: str) -> list[str]:
    """Return the parts of ``text`` before, between and after its runs."""
    flat = normal(text)
    runs = _runs(flat)
    starts = [0, *(run[-1].end() for run in runs)]
    ends = [*(run[0].start() for run in runs), len(flat)]
    stretches = [_apart(flat[start:end], start > 0, end < len(flat)) for start, end in zip(starts, ends, strict=True)]
    return [stretch for stretch in stretches if stretch]


def _apart(stretch: str, follows: bool, leads: bool) -> str:
    """Return a part without characters that the tokenizer joins to the next run.

    These are marks and unassigned characters.
    """
    if follows and stretch and unicodedata.category(stretch[0]) in _CLINGING:
        stretch = _FIRST_WORD.sub("", stretch)
    if leads and stretch and unicodedata.category(stretch[-1]) in _CLINGING:
        stretch = _LAST_WORD.sub("", stretch)
    return stretch.strip()


def _runs(text: str) -> list[list[re.Match[str]]]:
    runs: list[list[re.Match[str]]] = []
    end = -1
    for match in _PIECE.finditer(text):
        if match.start() != end:
            runs.append([])
        runs[-1].append(match)
        end = match.end()
    return [run for run in runs if len(run) > 1 or run[0][1] is not None]


def units(piece: str) -> list[str]:
    """Return the characters of a run.

    Those of South-East Asian scripts include the marks that follow them.

    A pair of Thai consonants is far more distinctive than a consonant with its own vowel sign.
    """
    if not _SOUTH_EAST_CHARACTER.search(piece):
        return list(piece)
    characters: list[str] = []
    for character in piece:
        if characters and unicodedata.category(character) in _MARKED and _SOUTH_EAST_CHARACTER.match(character):
            characters[-1] += character
        else:
            characters.append(character)
    return characters


def _pairs(characters: list[str]) -> list[str]:
    """Return every pair of neighbours, then the last character alone."""
    return [first + second for first, second in pairwise(characters)] + characters[-1:]


def _closed(run: list[tuple[str, bool]]) -> list[str]:
    return [entry for piece, is_wide in run for entry in (_pairs(units(piece)) if is_wide else [piece])]
