"""Snippets: the part of a text that answers a query, with ranges to highlight.

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

from app.core.text_rules.spellings import fold, spellings
from app.index import cjk_ngrams
from app.index.chunking import is_boundary
from app.retrieval.model import Span, Term
from app.retrieval.query.match_expression import search_terms
from app.store.words.tokenizer import KEPT, root

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
# Signs of headings, quotations, lists, tasks and rules. Numbers are kept: they give an order or belong to a date.
_SIGNS: Final = re.compile(
    rf"^{_GAP}*(?:\|?(?:{_GAP}*:?-{{2,}}:?{_GAP}*\|)+(?:{_GAP}*:?-{{2,}}:?)?{_GAP}*$"
    rf"|[-*_](?:{_GAP}*[-*_]){{2,}}{_GAP}*$"
    rf"|(?:>+{_GAP}+)*(?:#{{1,6}}|[-*+•](?:{_GAP}\[[ xX]\])?)(?:{_GAP}+|$)"
    rf"|(?:>+{_GAP}+)+)",
    re.MULTILINE,
)
# Words of scripts with spaces; compiled once, because that takes longer than a search.
_NARROW: Final = re.compile(f"(?:(?![{cjk_ngrams.WIDE}])[\\w{_MARKS}])+")


class _Folding(dict[int, str]):
    """Character folding that keeps positions: one folded character for each."""

    def __missing__(self, point: int) -> str:
        character = chr(point)
        folded = " " if character == "_" else fold(cjk_ngrams.normal(character))
        self[point] = folded if len(folded) == 1 else character
        return self[point]


_FOLDING: Final = _Folding()


@dataclass(frozen=True, slots=True)
class _Mark:
    """Range of a text that matches the term ``key``."""

    start: int
    end: int
    key: str


@dataclass(frozen=True, slots=True)
class _Patterns:
    """Patterns to find in a text.

    Args:
        stems: Stems of single words.
        prefixes: Prefixes of words.
        phrases: Stems that must be adjacent.
        runs: Runs in scripts without spaces, found inside words.
        prefixes_of_words: Common prefixes of all matching words.
    """

    stems: frozenset[str]
    prefixes: tuple[str, ...]
    phrases: tuple[tuple[str, ...], ...]
    runs: tuple[str, ...]
    prefixes_of_words: tuple[str, ...]


def snippet(text: str, terms: Iterable[Term], length: int = LENGTH) -> tuple[str, tuple[Span, ...], tuple[str, ...]]:
    """Cut the part of ``text`` that matches most of ``terms``.

    Args:
        text: Any text; its first 200,000 characters are looked at.
        terms: Terms of the query; excluded ones are ignored, and stop words while others remain.
        length: Characters about which the part has; it is cut at words, with an ellipsis where something is left out.

    Returns:
        The part with white space collapsed and without the signs that lines begin with in Markdown (run together, a
        list's sign would read as a minus), the ranges to mark in it, and the words found in ``text`` as they stand.
    """
    return Snippets(search_terms([*terms])).of(text, length)


class Snippets:
    """Snippets of several texts for the same terms.

    Args:
        terms: The terms to mark; see ``search_terms``.
    """

    def __init__(self, terms: Iterable[Term]) -> None:
        self._patterns = _patterns(tuple(terms))

    def of(self, text: str, length: int = LENGTH, extra: str = "") -> tuple[str, tuple[Span, ...], tuple[str, ...]]:
        """Return the snippet of a text; words in ``extra`` (a title) count as found."""
        scanned = text[:SCANNED]
        marks = _marks(scanned, self._patterns)
        start, end = _window(scanned, marks, length)
        shown, spans = _shown(scanned, start, end, [mark for mark in marks if mark.start >= start and mark.end <= end])
        words: dict[str, str] = {}
        for source, text_marks in ((scanned, marks), (extra, _marks(extra, self._patterns) if extra else ())):
            for mark in text_marks:
                if mark.key not in words:
                    words[mark.key] = _collapsed(source[mark.start : mark.end])
        shown = shown or _collapsed(scanned[start:end]).strip()  # nothing but signs
        return shown, spans, tuple(dict.fromkeys(words.values()))[:MAX_TERMS_SHOWN]


def spans(text: str, terms: Iterable[Term]) -> tuple[Span, ...]:
    """Return the ranges that match ``terms`` in the first 200,000 characters of ``text``."""
    patterns = _patterns(tuple(terms))
    return tuple(Span(mark.start, mark.end) for mark in _marks(text[:SCANNED], patterns))


# Patterns ----------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=64)
def _patterns(terms: tuple[Term, ...]) -> _Patterns:
    stems, prefixes, runs = dict[str, None](), dict[str, None](), dict[str, None]()
    phrases = dict[tuple[str, ...], None]()
    for term in terms:
        runs.update(dict.fromkeys(_runs(term.text)))
        words = _words(term.text)
        if term.prefix and words:
            prefixes[words.pop()] = None
        stemmed = tuple(map(root, words))
        if len(stemmed) > 1 and not term.prefix:
            phrases[stemmed] = None
        else:
            stems.update(dict.fromkeys(stemmed))
            stems.update(dict.fromkeys(root(other) for word in words for other in spellings(word)))
    prefixes_of_words = [_common_prefix(word) for word in {*stems, *(word for phrase in phrases for word in phrase)}]
    prefixes_of_words += prefixes
    return _Patterns(
        frozenset(stems),
        tuple(prefixes),
        tuple(phrases),
        tuple(runs),
        tuple(prefixes_of_words),
    )


def _common_prefix(stemmed: str) -> str:
    """Return the common prefix of words with a stem, such as ``happ`` for happi."""
    bare = stemmed.removesuffix(KEPT)
    return bare[:-1] or bare


def _runs(text: str) -> list[str]:
    return [_flat(piece) for run in cjk_ngrams.runs_of(text) for piece, is_wide in run if is_wide]


def _words(text: str) -> list[str]:
    """Return the folded words of a term outside of runs."""
    apart = "".join(" " if cjk_ngrams.has_cjk(character) else character for character in cjk_ngrams.normal(text))
    return [folded for word in _TOKEN.findall(apart.replace("_", " ")) if (folded := fold(word))]


def _flat(text: str) -> str:
    """Return ``text`` folded character by character."""
    return text.lower().replace("_", " ") if text.isascii() else text.translate(_FOLDING)


# Matching ---------------------------------------------------------------------------------------------------------


def _marks(text: str, patterns: _Patterns) -> list[_Mark]:
    """Return the matching ranges in order, without overlaps."""
    flat = _flat(text)
    spans = [*_word_marks(flat, patterns), *_run_marks(flat, patterns.runs)]
    spans.sort(key=lambda mark: (mark.start, -mark.end))
    apart: list[_Mark] = []
    for mark in spans:
        if not apart or mark.start >= apart[-1].end:
            apart.append(mark)
        elif mark.end > apart[-1].end:
            apart[-1] = replace(apart[-1], end=mark.end)
    return apart


def _word_marks(flat: str, patterns: _Patterns) -> Iterator[_Mark]:
    candidates: list[tuple[int, int, str]] = []
    for start, end, word in islice(_words_like(flat, patterns), MAX_MARKS):
        stemmed = root(word)
        candidates.append((start, end, stemmed))
        begun = next((prefix for prefix in patterns.prefixes if word.startswith(prefix)), None)
        if begun is not None or stemmed in patterns.stems:
            yield _Mark(start, end, stemmed if begun is None else f"{begun}*")
    for phrase in patterns.phrases:
        yield from _phrase_marks(flat, candidates, phrase)


def _words_like(flat: str, patterns: _Patterns) -> Iterator[tuple[int, int, str]]:
    """Yield position and folded form of words that may match."""
    if not patterns.prefixes_of_words:
        return
    if flat.isascii():
        yield from _ascii_words_like(flat, patterns.prefixes_of_words)
        return
    for match in (_NARROW if cjk_ngrams.has_cjk(flat) else _TOKEN).finditer(flat):
        word = match[0] if match[0].isascii() else fold(match[0])
        if word.startswith(patterns.prefixes_of_words):
            yield match.start(), match.end(), word


def _ascii_words_like(flat: str, prefixes_of_words: Iterable[str]) -> Iterator[tuple[int, int, str]]:
    places: set[int] = set()
    for begun in prefixes_of_words:
        place = flat.find(begun)
        while place >= 0:
            if not (place and flat[place - 1].isalnum()):
                places.add(place)
            # No other word begins within this one, which may be a hundred thousand letters long.
            word = _ASCII_WORD.match(flat, place)
            place = flat.find(begun, place + 1 if word is None else word.end())
    for place in sorted(places):
        match = _ASCII_WORD.match(flat, place)
        if match is not None:
            yield place, match.end(), match[0]


def _phrase_marks(flat: str, candidates: Sequence[tuple[int, int, str]], phrase: tuple[str, ...]) -> Iterator[_Mark]:
    for at in range(len(candidates) - len(phrase) + 1):
        if candidates[at][2] != phrase[0]:
            continue
        several = candidates[at : at + len(phrase)]
        if all(span[2] == stemmed for span, stemmed in zip(several, phrase, strict=True)) and not any(
            _TOKEN.search(flat, first[1], second[0]) for first, second in pairwise(several)
        ):
            yield _Mark(several[0][0], several[-1][1], " ".join(phrase))


def _run_marks(flat: str, runs: Sequence[str]) -> Iterator[_Mark]:
    """Yield the ranges of runs, or of their character pairs."""
    if not runs or flat.isascii():
        return
    for run in runs:
        whole = list(_places(flat, run))
        yield from whole
        if not whole:
            for first, second in pairwise(cjk_ngrams.units(run)[:MAX_TERMS_SHOWN]):
                yield from _places(flat, first + second)


def _places(flat: str, patterns: str) -> Iterator[_Mark]:
    at = flat.find(patterns)
    for _ in range(MAX_MARKS):
        if at < 0:
            return
        yield _Mark(at, at + len(patterns), patterns)
        at = flat.find(patterns, at + len(patterns))


# Rendering --------------------------------------------------------------------------------------------------------


def _window(text: str, marks: Sequence[_Mark], length: int) -> tuple[int, int]:
    """Return the range to show: most distinct terms, then most matches, then the first."""
    if len(text) <= length:
        return 0, len(text)
    first, last = _densest(marks, length)
    spare = max(length - (last - first), 0)
    start = max(min(first - spare // 2, len(text) - length), 0)
    end = min(max(start + length, last), len(text))
    return _word_start(text, start, first), _word_end(text, end, last)


def _densest(marks: Sequence[_Mark], length: int) -> tuple[int, int]:
    best, span, left = (0, 0), (0, 0), 0
    inside: Counter[str] = Counter()
    for right, mark in enumerate(marks):
        inside[mark.key] += 1
        while left < right and mark.end - marks[left].start > length:
            inside[marks[left].key] -= 1
            if not inside[marks[left].key]:
                del inside[marks[left].key]
            left += 1
        if (worth := (len(inside), right - left + 1)) > best:
            best, span = worth, (marks[left].start, mark.end)
    return span


def _word_start(text: str, start: int, limit: int) -> int:
    """Return the first word start from ``start``, or a character boundary where none is near."""
    if start == 0:
        return 0
    near = min(start + _REACH, limit)
    gap = _SPACE.search(text, max(start - 1, 0), near)
    if gap is not None:
        return min(gap.end(), limit)
    return next((place for place in range(start, limit) if is_boundary(text, place)), limit)


def _word_end(text: str, end: int, limit: int) -> int:
    """Return the last word end up to ``end``, or a character boundary."""
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
    """Return ``text[start:end]`` as one line with the ranges of its marks."""
    parts = ["…"] if text[:start].strip() else []
    length, spans = sum(map(len, parts)), list[Span]()
    at = start = _past_signs(text, start, marks[0].start if marks else end)
    end = _before_signs(text, end, marks[-1].end if marks else start)
    for mark in marks:
        between = _run_together(text, at, mark.start)
        if at == start:
            between = between.lstrip()
        inside = _collapsed(text[mark.start : mark.end])
        parts += [between, inside]
        length += len(between) + len(inside)
        spans.append(Span(length - len(inside), length))
        at = mark.end
    rest = _run_together(text, at, end).rstrip()
    parts += [rest.lstrip() if at == start else rest, "…" if text[end:].strip() else ""]
    return "".join(parts), tuple(spans)


def _past_signs(text: str, start: int, limit: int) -> int:
    """Return ``start``, moved behind the Markdown signs that it lies within."""
    if start == 0:
        return start
    signs = _SIGNS.match(text, text.rfind("\n", 0, start) + 1, limit)
    return max(start, signs.end()) if signs else start


def _before_signs(text: str, end: int, limit: int) -> int:
    """Return ``end``, moved before the Markdown signs that it lies within."""
    if end == len(text):
        return end
    line = text.rfind("\n", 0, end) + 1
    signs = _SIGNS.match(text, line) if line >= limit else None
    return line if signs and line < end < signs.end() else end


def _run_together(text: str, start: int, end: int) -> str:
    """Return ``text[start:end]`` as one line without the Markdown signs of its lines."""
    if start and text[start - 1] != "\n" and text.find("\n", start, end) < 0:
        return _collapsed(text[start:end])
    parts, at = list[str](), start
    for signs in _SIGNS.finditer(text, start, end):
        parts.append(text[at : signs.start()])
        at = signs.end()
    return _collapsed("".join(parts) + text[at:end])
