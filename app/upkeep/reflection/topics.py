"""Topics of a week: its terms against those of earlier weeks, by log-odds.

Log-odds ratio with a prior (Monroe et al., Fightin' Words, 2008), over documents instead of tokens: a word that one
message repeats counts once.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from app.core.stopwords import LANGUAGES, stop_words
from app.memories.model import Source
from app.upkeep.reflection.model import Topic

_WORD: Final = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_CJK: Final = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{2,}")
_CJK_CUT: Final = re.compile(r"[的了是在我你他她它们我們也都就和与有不这那個个吗呢吧啊のはがをにへとでも]+")
_LEAST: Final = 3  # documents that make a topic
_LONGEST: Final = 40
_SHORTEST: Final = 4
_CALM: Final = 1.65  # standard deviations
_NO_ADVERBS: Final = frozenset({"family", "supply", "assembly", "italy", "monopoly", "butterfly", "jelly", "belly"})
# Words of any conversation, which say nothing about its subject.
_FILLER: Final = frozenset(
    """
    able absolutely actually ago agree almost already alright always amazing another anyone anything apart appreciate
    around aspects away awesome aww back bad based believe best better big bit bring brings care catch change check
    close come coming consider cool could count create day days deal definitely different done easy else end enjoy
    enough ensure especially even every everyone everything exactly excited experience explore eyes face far favorite
    feel feeling feels felt fine find finding first focus forward found friend friends full fun gave get getting give
    gives giving glad going gonna good got great guess guys haha half happen happened happy hard head hear heard
    hello help helped helping helps hey hope hoping hours how's huge i'd i'll i'm i've idea ideas important
    impressive include including incredible inspiring interested interesting it'll it's join journey keep keeping
    keeps kind kinda knew know last lately later learn learned least let let's like likely little live long longer
    look looking looks lots love loved lovely lucky made main major make makes making many matter maybe mean means
    mention mentioned might mind minute minutes moment moments month months morning move moved moving much must nah
    need needed needs never new next nice night none nope nothing now often okay old one ones open others part
    particular perfect person pick pics photo photos picture place plan planned planning plans plus point possible
    pretty prepared probably proud provide put quite ready real really reason recently relate remember reminder
    reminds right said same saw say saying says see seeing seem seems seen sense set several share shared sharing
    should show side since small someone something soon sorry sort sounds special specific spend start started
    starting stay step steps still stop story strong stuff suggest super support sure take taken takes taking talk
    talking tell thank thanks that's thing things think thinking thought thoughts three time times today together
    told tomorrow tonight took totally tough true truly try trying turn turned two type understand use used useful
    user using usual usually wait wanna want wanted wants watch way ways week weekend weekends weeks well went what's
    whole wish without wonderful word words work worked working works world worth would wow yea yeah year years yep
    yesterday yet you'd you'll you're you've yup inspire inspired inspires positive process passion passionate
    challenge challenges challenging unique meaningful impact goal goals dream dreams helpful approach entire details
    options added question provides current overall anyway cause people key suggestions based detailed offer buddy
    """.split()  # noqa: SIM905
)


def terms(text: str) -> frozenset[str]:
    """Return the words and pairs of words that may be topics, in lower case.

    In Chinese, Japanese and Korean, pairs of characters stand for words.
    """
    words = [word.lower().replace("’", "'").removesuffix("'s") for word in _WORD.findall(text)]
    plain = stop_words(words)
    found: set[str] = set()
    before = ""
    for word in words:
        if _CJK.search(word):
            found.update(pair for run in _CJK.findall(word) for part in _CJK_CUT.split(run) for pair in _pairs(part))
            before = ""
        elif word in plain or _is_filler(word) or not _SHORTEST <= len(word) <= _LONGEST:
            before = ""
        else:
            found.add(word)
            if before:
                found.add(f"{before} {word}")
            before = word
    return frozenset(found)


def _is_filler(word: str) -> bool:
    """Return whether a word says nothing about a subject: contractions and most adverbs are such."""
    return word in _FILLER or "'" in word or (word.endswith("ly") and word not in _NO_ADVERBS)


def count_documents(documents: Iterable[frozenset[str]]) -> Counter[str]:
    """Return in how many documents each term stands."""
    return Counter(term for document in documents for term in document)


def topics(
    documents: Sequence[tuple[frozenset[str], Source]],
    earlier: Mapping[str, int],
    earlier_total: int,
    names: frozenset[str],
    limit: int,
) -> tuple[Topic, ...]:
    """Return the distinctive terms of a week, the strongest first.

    Args:
        documents: The terms of the week's texts, each with its source.
        earlier: In how many texts of the weeks before each term stands.
        earlier_total: How many texts those weeks have.
        names: Names in lower case, which have sections of their own.
        limit: How many at most.
    """
    counts: Counter[str] = Counter()
    sources: dict[str, Source] = {}
    for document, source in documents:
        for term in document:
            counts[term] += 1
            sources.setdefault(term, source)
    total, known = len(documents), LANGUAGES
    found: list[Topic] = []
    for term, count in counts.items():
        if count < _LEAST or not names.isdisjoint(term.split()) or any(term in words for words in known):
            continue
        weight = _z_score(count, total, earlier.get(term, 0), earlier_total)
        if weight > _CALM or not earlier_total:
            found.append(Topic(term, count, weight * math.sqrt(1 + (" " in term)), sources[term]))
    found.sort(key=lambda topic: (-topic.weight, topic.term))
    return tuple(_without_parts(found, limit))


def _pairs(run: str) -> Iterable[str]:
    return (run[place : place + 2] for place in range(len(run) - 1))


def _z_score(count: int, total: int, before: int, before_total: int) -> float:
    """Return the log-odds of a term against before, in standard deviations."""
    prior = 0.5
    here = math.log((count + prior) / (total - count + prior))
    there = math.log((before + prior) / (before_total - before + prior)) if before_total else 0.0
    if not before_total:
        return math.log1p(count)
    return (here - there) / math.sqrt(1 / (count + prior) + 1 / (before + prior))


def _without_parts(found: Sequence[Topic], limit: int) -> list[Topic]:
    """Return the first topics, without those that share a word with a stronger one."""
    kept: list[Topic] = []
    taken: set[str] = set()
    for topic in found:
        stems = {_stem(word) for word in topic.term.split()}
        if taken.isdisjoint(stems) and not _overlaps(topic.term, kept):
            kept.append(topic)
            taken |= stems
        if len(kept) >= limit:
            break
    return kept


def _stem(word: str) -> str:
    for ending in ("ings", "ing", "ies", "es", "ed", "s", "y", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST - 1:
            return word.removesuffix(ending).removesuffix("e")
    return word


def _overlaps(term: str, kept: Sequence[Topic]) -> bool:
    """Return whether two pairs of Chinese characters come from one run."""
    return not term.isascii() and any(set(term) & set(one.term) and len(one.term) == len(term) == 2 for one in kept)  # noqa: PLR2004
