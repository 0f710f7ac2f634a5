"""Where a text answers a search: the part of it to show, and the words in it to mark.

A word matches as in the index: without regard to case and diacritics, by its Porter stem, so "running" matches "runs".
Positions are code points.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice, pairwise
from typing import Final

from app.core.stopwords import stop_words
from app.index import cjk_ngrams
from app.index.chunking import is_boundary
from app.retrieval.model import Span, Term
from app.retrieval.query.match_expression import fold, stem

LENGTH: Final = 240
SCANNED: Final = 200_000
MAX_MARKS: Final = 2_000
MAX_TERMS_SHOWN: Final = 32
_REACH: Final = 24

# Letters, digits and the marks that belong to words, once "_" has been blanked.
_MARKS: Final = (
    "\u0300-\u036f\u0483-\u0489\u0591-\u05c7\u0610-\u061a\u064b-\u0670\u06d6-\u06ed\u0900-\u0963\u0966-\u0dff"
    "\u0f18-\u0fbc\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20f0\ufe00-\ufe0f\ufe20-\ufe2f"
)
_TOKEN: Final = re.compile(f"[\\w{_MARKS}]+")
_ASCII_WORD: Final = re.compile("[a-z0-9]+")
_SPACE: Final = re.compile(r"\s+")
_GAP: Final = r"[^\S\n]"
# Of headings, quotations, lists and tasks, and lines that only part others. Numbers tell an order, and may be a date's.
_SIGNS: Final = re.compile(
    rf"^{_GAP}*(?:\|?(?:{_GAP}*:?-{{2,}}:?{_GAP}*\|)+(?:{_GAP}*:?-{{2,}}:?)?{_GAP}*$"
    rf"|[-*_](?:{_GAP}*[-*_]){{2,}}{_GAP}*$"
    rf"|(?:>+{_GAP}+)*(?:#{{1,6}}|[-*+•](?:{_GAP}\[[ xX]\])?)(?:{_GAP}+|$)"
    rf"|(?:>+{_GAP}+)+)",
    re.MULTILINE,
)
# Of scripts written with spaces; made once, for compiling the ranges takes longer than a search.
_NARROW: Final = re.compile(f"(?:(?![{cjk_ngrams.WIDE}])[\\w{_MARKS}])+")


class _Folding(dict[int, str]):
    """One folded character for each character, so that positions stay."""

    def __missing__(self, point: int) -> str:
        character = chr(point)
        folded = " " if character == "_" else fold(cjk_ngrams.normal(character))
        self[point] = folded if len(folded) == 1 else character
        return self[point]


_FOLDING: Final = _Folding()


@dataclass(frozen=True, slots=True)
class _Mark:
    """A place that answers the term ``key``."""

    start: int
    end: int
    key: str


@dataclass(frozen=True, slots=True)
class _Sought:
    """What to look for.

    Args:
        stems: Of words, each found wherever it stands.
        prefixes: Beginnings of words.
        phrases: Stems that must stand side by side.
        runs: Of scripts written without spaces, found inside words.
        beginnings: How the words sought begin.
    """

    stems: frozenset[str]
    prefixes: tuple[str, ...]
    phrases: tuple[tuple[str, ...], ...]
    runs: tuple[str, ...]
    beginnings: tuple[str, ...]


def snippet(text: str, terms: Iterable[Term], length: int = LENGTH) -> tuple[str, tuple[Span, ...], tuple[str, ...]]:
    """Cut the part of ``text`` that answers most of ``terms``.

    Args:
        text: Any text; its first 200,000 characters are looked at.
        terms: What was asked; excluded ones play no part, nor do stop words while others remain.
        length: Characters about which the part has; it is cut at words, with an ellipsis where something is left out.

    Returns:
        The part with white space collapsed and without the signs that lines begin with in Markdown (run together, a
        list's sign would read as a minus), the ranges to mark in it, and the words found in ``text`` as they stand.
    """
    return Snippets(terms).of(text, length)


class Snippets:
    """Cuts parts of several texts that answer the same ``terms``; see ``snippet``."""

    def __init__(self, terms: Iterable[Term]) -> None:
        self._sought = _sought(tuple(term for term in terms if not term.excluded))

    def of(self, text: str, length: int = LENGTH, beside: str = "") -> tuple[str, tuple[Span, ...], tuple[str, ...]]:
        """Return the part of ``text``; see ``snippet``. Words in ``beside``, such as a title, are found too."""
        scanned = text[:SCANNED]
        marks = _marks(scanned, self._sought)
        start, end = _window(scanned, marks, length)
        shown, spans = _shown(scanned, start, end, [mark for mark in marks if mark.start >= start and mark.end <= end])
        words: dict[str, str] = {}
        for said, found in ((scanned, marks), (beside, _marks(beside, self._sought) if beside else ())):
            for mark in found:
                if mark.key not in words:
                    words[mark.key] = _collapsed(said[mark.start : mark.end])
        shown = shown or _collapsed(scanned[start:end]).strip()  # nothing but signs
        return shown, spans, tuple(dict.fromkeys(words.values()))[:MAX_TERMS_SHOWN]


def spans(text: str, terms: Iterable[Term]) -> tuple[Span, ...]:
    """Return the ranges of ``text`` (its first 200,000 characters) that answer ``terms``."""
    sought = _sought(tuple(term for term in terms if not term.excluded))
    return tuple(Span(mark.start, mark.end) for mark in _marks(text[:SCANNED], sought))


# What is sought ---------------------------------------------------------------------------------------------------


@lru_cache(maxsize=64)
def _sought(terms: tuple[Term, ...]) -> _Sought:
    dropped = stop_words(_flat(term.text).strip() for term in terms if not term.phrase and not term.prefix)
    plain = [term for term in terms if term.phrase or term.prefix or _flat(term.text).strip() not in dropped] or terms
    stems, prefixes, runs = dict[str, None](), dict[str, None](), dict[str, None]()
    phrases = dict[tuple[str, ...], None]()
    for term in plain:
        runs.update(dict.fromkeys(_runs(term.text)))
        words = _words(term.text)
        if term.prefix and words:
            prefixes[words.pop()] = None
        stemmed = tuple(map(stem, words))
        if len(stemmed) > 1 and not term.prefix:
            phrases[stemmed] = None
        else:
            stems.update(dict.fromkeys(stemmed))
    beginnings = [_beginning(word) for word in {*stems, *(one for phrase in phrases for one in phrase)}]
    beginnings += prefixes
    return _Sought(
        frozenset(stems),
        tuple(prefixes),
        tuple(phrases),
        tuple(runs),
        tuple(beginnings),
    )


def _beginning(stemmed: str) -> str:
    """Return how each word of that stem begins; its last letter may have been another: ``happi``, happy."""
    return stemmed[:-1] or stemmed


def _runs(text: str) -> list[str]:
    return [_flat(piece) for run in cjk_ngrams.runs_of(text) for piece, is_wide in run if is_wide]


def _words(text: str) -> list[str]:
    """Return the words of a term outside of runs."""
    apart = "".join(" " if cjk_ngrams.has_cjk(character) else character for character in cjk_ngrams.normal(text))
    return [folded for word in _TOKEN.findall(apart.replace("_", " ")) if (folded := fold(word))]


def _flat(text: str) -> str:
    """Return ``text`` folded character by character."""
    return text.lower().replace("_", " ") if text.isascii() else text.translate(_FOLDING)


# Where it stands --------------------------------------------------------------------------------------------------


def _marks(text: str, sought: _Sought) -> list[_Mark]:
    """Return the places that answer, in order and apart from each other."""
    flat = _flat(text)
    found = [*_word_marks(flat, sought), *_run_marks(flat, sought.runs)]
    found.sort(key=lambda mark: (mark.start, -mark.end))
    apart: list[_Mark] = []
    for mark in found:
        if not apart or mark.start >= apart[-1].end:
            apart.append(mark)
        elif mark.end > apart[-1].end:
            apart[-1] = replace(apart[-1], end=mark.end)
    return apart


def _word_marks(flat: str, sought: _Sought) -> Iterator[_Mark]:
    candidates: list[tuple[int, int, str]] = []
    for start, end, word in islice(_words_like(flat, sought), MAX_MARKS):
        stemmed = stem(word)
        candidates.append((start, end, stemmed))
        begun = next((prefix for prefix in sought.prefixes if word.startswith(prefix)), None)
        if begun is not None or stemmed in sought.stems:
            yield _Mark(start, end, stemmed if begun is None else f"{begun}*")
    for phrase in sought.phrases:
        yield from _phrase_marks(flat, candidates, phrase)


def _words_like(flat: str, sought: _Sought) -> Iterator[tuple[int, int, str]]:
    """Yield where words stand that may be one of the words sought, and the words folded."""
    if not sought.beginnings:
        return
    if flat.isascii():
        yield from _ascii_words_like(flat, sought.beginnings)
        return
    for match in (_NARROW if cjk_ngrams.has_cjk(flat) else _TOKEN).finditer(flat):
        word = match[0] if match[0].isascii() else fold(match[0])
        if word.startswith(sought.beginnings):
            yield match.start(), match.end(), word


def _ascii_words_like(flat: str, beginnings: Iterable[str]) -> Iterator[tuple[int, int, str]]:
    places: set[int] = set()
    for begun in beginnings:
        place = flat.find(begun)
        while place >= 0:
            if not (place and flat[place - 1].isalnum()):
                places.add(place)
            place = flat.find(begun, place + 1)
    for place in sorted(places):
        match = _ASCII_WORD.match(flat, place)
        if match is not None:
            yield place, match.end(), match[0]


def _phrase_marks(flat: str, candidates: Sequence[tuple[int, int, str]], phrase: tuple[str, ...]) -> Iterator[_Mark]:
    for at in range(len(candidates) - len(phrase) + 1):
        if candidates[at][2] != phrase[0]:
            continue
        several = candidates[at : at + len(phrase)]
        if all(one[2] == stemmed for one, stemmed in zip(several, phrase, strict=True)) and not any(
            _TOKEN.search(flat, first[1], second[0]) for first, second in pairwise(several)
        ):
            yield _Mark(several[0][0], several[-1][1], " ".join(phrase))


def _run_marks(flat: str, runs: Sequence[str]) -> Iterator[_Mark]:
    """Yield where runs stand, or their pairs of characters for one that stands nowhere whole."""
    if not runs or flat.isascii():
        return
    for run in runs:
        whole = list(_places(flat, run))
        yield from whole
        if not whole:
            for first, second in pairwise(cjk_ngrams.units(run)[:MAX_TERMS_SHOWN]):
                yield from _places(flat, first + second)


def _places(flat: str, sought: str) -> Iterator[_Mark]:
    at = flat.find(sought)
    for _ in range(MAX_MARKS):
        if at < 0:
            return
        yield _Mark(at, at + len(sought), sought)
        at = flat.find(sought, at + len(sought))


# What is shown ----------------------------------------------------------------------------------------------------


def _window(text: str, marks: Sequence[_Mark], length: int) -> tuple[int, int]:
    """Return the range to show: around most of the different terms, then most marks, then the first."""
    if len(text) <= length:
        return 0, len(text)
    first, last = _densest(marks, length)
    spare = max(length - (last - first), 0)
    start = max(min(first - spare // 2, len(text) - length), 0)
    end = min(max(start + length, last), len(text))
    return _word_start(text, start, first), _word_end(text, end, last)


def _densest(marks: Sequence[_Mark], length: int) -> tuple[int, int]:
    best, found, left = (0, 0), (0, 0), 0
    inside: Counter[str] = Counter()
    for right, mark in enumerate(marks):
        inside[mark.key] += 1
        while left < right and mark.end - marks[left].start > length:
            inside[marks[left].key] -= 1
            if not inside[marks[left].key]:
                del inside[marks[left].key]
            left += 1
        if (worth := (len(inside), right - left + 1)) > best:
            best, found = worth, (marks[left].start, mark.end)
    return found


def _word_start(text: str, start: int, limit: int) -> int:
    """Return the first beginning of a word from ``start``, or of a character where no word begins soon."""
    if start == 0:
        return 0
    near = min(start + _REACH, limit)
    gap = _SPACE.search(text, max(start - 1, 0), near)
    if gap is not None:
        return min(gap.end(), limit)
    return next((place for place in range(start, limit) if is_boundary(text, place)), limit)


def _word_end(text: str, end: int, limit: int) -> int:
    """Return the last end of a word up to ``end``, or of a character where no word ends near."""
    if end >= len(text):
        return len(text)
    near = max(end - _REACH, limit)
    gaps = [match.start() for match in _SPACE.finditer(text, near, min(end + 1, len(text)))]
    if gaps:
        return gaps[-1]
    return next((place for place in range(end, limit, -1) if is_boundary(text, place)), limit)


def _collapsed(text: str) -> str:
    # Of white space only a plain space is printable; most parts have nothing to collapse.
    return text if text.isprintable() and "  " not in text else _SPACE.sub(" ", text)


def _shown(text: str, start: int, end: int, marks: Sequence[_Mark]) -> tuple[str, tuple[Span, ...]]:
    """Return ``text[start:end]`` as one line, and where its marks are in it."""
    parts = ["…"] if text[:start].strip() else []
    length, found = sum(map(len, parts)), list[Span]()
    at = start = _past_signs(text, start, marks[0].start if marks else end)
    end = _before_signs(text, end, marks[-1].end if marks else start)
    for mark in marks:
        between = _run_together(text, at, mark.start)
        if at == start:
            between = between.lstrip()
        inside = _collapsed(text[mark.start : mark.end])
        parts += [between, inside]
        length += len(between) + len(inside)
        found.append(Span(length - len(inside), length))
        at = mark.end
    rest = _run_together(text, at, end).rstrip()
    parts += [rest.lstrip() if at == start else rest, "…" if text[end:].strip() else ""]
    return "".join(parts), tuple(found)


def _past_signs(text: str, start: int, limit: int) -> int:
    """Return ``start``, or where the signs end within which it lies."""
    if start == 0:
        return start
    signs = _SIGNS.match(text, text.rfind("\n", 0, start) + 1, limit)
    return max(start, signs.end()) if signs else start


def _before_signs(text: str, end: int, limit: int) -> int:
    """Return ``end``, or where the signs begin within which it lies."""
    if end == len(text):
        return end
    line = text.rfind("\n", 0, end) + 1
    signs = _SIGNS.match(text, line) if line >= limit else None
    return line if signs and line < end < signs.end() else end


def _run_together(text: str, start: int, end: int) -> str:
    """Return ``text[start:end]`` as one line, without the signs of its lines."""
    if start and text[start - 1] != "\n" and text.find("\n", start, end) < 0:
        return _collapsed(text[start:end])
    parts, at = list[str](), start
    for signs in _SIGNS.finditer(text, start, end):
        parts.append(text[at : signs.start()])
        at = signs.end()
    return _collapsed("".join(parts) + text[at:end])
