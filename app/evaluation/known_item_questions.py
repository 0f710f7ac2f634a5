"""Known-item questions: generated queries whose answer is a given message or memory. Pure functions.

If the previous message asks a question, that is the query. Otherwise the query has some words of the text and of the
previous message, sometimes with a wrong one, as if half remembered. Very rare words are left out, because any lexical
search finds their text at once. The same seed makes the same questions.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final, Literal

from app.core import message_ids
from app.core.text_rules.recall_fence import without_recalled
from app.core.text_rules.stopwords import stop_words
from app.index import cjk_ngrams

Shape = Literal["asked", "words", "mistaken", "run", "judged"]

MAX_READ: Final = 4_000
LEAST_WORDS: Final = 3
_OWN_WORDS: Final = (2, 3)
_WORDS_BEFORE: Final = (1, 2)
_WORDS_ALONE: Final = (2, 4)
"""Number of words for a text without a previous message."""
_SHORTEST: Final = 3
_LONGEST: Final = 40
_COMMON: Final = 0.2
"""Words in a larger share of the texts are too common."""
_COMMONEST: Final = 3
"""Words in at most this many texts are never too common."""
_RARE: Final = 3
"""Words in fewer texts are too rare: they find their text by themselves."""
_RUN: Final = (2, 6)
_LONGEST_QUESTION: Final = 200
_MISTAKEN_SHARE: Final = 0.35
_FOREIGN_WORDS: Final = 200
"""Number of other items whose words may be added as a mistake."""
_WORD: Final = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_QUESTION: Final = re.compile(r"[^.!?。！？؟\n]+[?？؟]")
_LATIN: Final = re.compile("[A-Za-z\u00c0-\u024f]")
_SCRIPTS: Final = (
    ("kana", re.compile("[\u3041-\u30ff]")),
    ("hangul", re.compile("[\u1100-\u11ff\uac00-\ud7a3]")),
    ("han", re.compile("[\u3400-\u9fff]")),
    ("thai", re.compile("[\u0e01-\u0e4e]")),
    ("cyrillic", re.compile("[\u0400-\u052f]")),
    ("greek", re.compile("[\u0370-\u03ff]")),
    ("arabic", re.compile("[\u0600-\u06ff]")),
    ("hebrew", re.compile("[\u0590-\u05ff]")),
)


@dataclass(frozen=True, slots=True)
class KnownItem:
    """Message or memory to generate a question about.

    Args:
        id: ``<session>#<number>`` of a message, or a memory's id.
        text: Its text.
        before: Previous message, by another speaker.
    """

    id: str
    text: str
    before: str = ""


@dataclass(frozen=True, slots=True)
class KnownItemQuestion:
    """Query with a known answer.

    Args:
        query: The query.
        target: The item to find.
        script: Script of the query.
        shape: How the query was made.
        neighbours: Neighbours of the target, which count as found too.
        excluded_id: Message that contains the question itself; ignored among the hits.
    """

    query: str
    target: str
    script: str
    shape: Shape
    neighbours: tuple[str, ...] = ()
    excluded_id: str = ""


@dataclass(frozen=True, slots=True)
class Frequencies:
    """Document frequency of each casefolded word in ``texts`` texts."""

    counts: Mapping[str, int]
    texts: int

    def telling(self, text: str) -> list[str]:
        """Return the words of ``text`` that are neither common nor rare.

        Where there are too few, the most frequent of the rare ones are returned.
        """
        most = max(_COMMON * self.texts, _COMMONEST)
        known = {word: self.counts.get(word.casefold(), 0) for word in distinctive(text)}
        known = {word: count for word, count in known.items() if count <= most}
        rare = sum(count >= _RARE for count in known.values())
        if rare >= LEAST_WORDS:
            return [word for word, count in known.items() if count >= _RARE]
        words = set(sorted(known, key=lambda word: -known[word])[:LEAST_WORDS])
        return [word for word in known if word in words]


def frequencies(items: Iterable[KnownItem]) -> Frequencies:
    """Return the document frequencies of words in ``items``."""
    counts: Counter[str] = Counter()
    texts = 0
    for item in items:
        texts += 1
        counts.update({word.casefold() for word in _WORD.findall(item.text[:MAX_READ])})
    return Frequencies(counts, texts)


def questions(items: Sequence[KnownItem], most: int, seed: int) -> list[KnownItemQuestion]:
    """Return at most ``most`` questions about different items, in an order set by ``seed``.

    Items with identical or too short texts are skipped.

    Args:
        items: Items to make questions about.
        most: Maximum number of questions.
        seed: Decides which items and which words.
    """
    known = frequencies(items)
    ordered = sorted(items, key=lambda item: (_digest(seed, item.id), item.id))
    foreign_words = [word for item in ordered[:_FOREIGN_WORDS] for word in known.telling(item.text[:MAX_READ])[:1]]
    repeated = Counter(_said(item.text) for item in items)
    questions: list[KnownItemQuestion] = []
    # Each item has its own seed, so that few questions change when items are added or removed.
    for item in ordered:
        if len(questions) >= most:
            break
        if repeated[_said(item.text)] > 1:
            continue
        chance = Random(_digest(seed, item.id))  # noqa: S311  (no secret)
        question = question_of(item, known, chance, foreign_words)
        if question is not None:
            questions.append(question)
    return questions


def question_of(
    item: KnownItem, known: Frequencies, chance: Random, foreign_words: Sequence[str] = ()
) -> KnownItemQuestion | None:
    """Return a question about ``item``, ``None`` where its text is too short.

    Args:
        item: The item to find.
        known: Document frequencies.
        chance: Random number generator.
        foreign_words: Words of other items, one of which may be added as a mistake.
    """
    text, before = (without_recalled(text_part)[:MAX_READ] for text_part in (item.text, item.before))
    script = script_of(text)
    runs, words = _runs(text), known.telling(text)
    is_run = bool(runs) and (len(words) < LEAST_WORDS or _is_mostly_wide(text))
    if not is_run and len(words) < LEAST_WORDS:
        return None
    earlier, later = _neighbours(item.id)
    if earlier and (question_text := _last_question(before)):
        return KnownItemQuestion(question_text, item.id, script, "asked", later, earlier[0])
    neighbours = (*earlier, *later)
    if is_run:
        parts = [_part_of(chance.choice(some), chance) for some in (runs, _runs(before)) if some]
        return KnownItemQuestion(" ".join(parts), item.id, script, "run", neighbours)
    remembered = _remembered(words, [word for word in known.telling(before) if word not in words], chance)
    if chance.random() < _MISTAKEN_SHARE and (wrong := [word for word in foreign_words if word not in words]):
        return KnownItemQuestion(f"{remembered} {chance.choice(wrong)}", item.id, script, "mistaken", neighbours)
    return KnownItemQuestion(remembered, item.id, script, "words", neighbours)


def distinctive(text: str) -> list[str]:
    """Return the distinct words of ``text`` that may identify it, in order."""
    words: dict[str, str] = {}
    for word in _WORD.findall(text):
        if not cjk_ngrams.has_cjk(word):
            words.setdefault(word.casefold(), word)
    dropped = stop_words(words)
    return [
        word
        for key, word in words.items()
        if _SHORTEST <= len(word) <= _LONGEST and key not in dropped and not key.isdecimal()
    ]


def script_of(text: str) -> str:
    """Return the main script of ``text``: ``latin``, ``han``, ``thai`` and so on."""
    counts = {name: len(pattern.findall(text)) for name, pattern in _SCRIPTS}
    # A text with kana is Japanese, even if most characters are Chinese.
    if counts["kana"] and counts["kana"] + counts["han"] > len(_LATIN.findall(text)):
        return "kana"
    best = max(counts, key=lambda name: counts[name])
    return best if counts[best] > len(_LATIN.findall(text)) else "latin"


def _digest(seed: int, item_id: str) -> int:
    return int.from_bytes(hashlib.blake2b(f"{seed}:{item_id}".encode(), digest_size=8).digest())


def _said(text: str) -> str:
    return " ".join(text.split()).casefold()


def _is_mostly_wide(text: str) -> bool:
    wide = sum(len(piece) for run in cjk_ngrams.runs_of(text) for piece, is_wide in run if is_wide)
    return wide * 2 > sum(map(str.isalnum, text))


def _remembered(words: Sequence[str], before: Sequence[str], chance: Random) -> str:
    """Return some of ``words`` after some of those in ``before``."""
    own = _some_of(words, _OWN_WORDS if before else _WORDS_ALONE, chance)
    return " ".join([*_some_of(before, _WORDS_BEFORE, chance), *own])


def _some_of(words: Sequence[str], wanted: tuple[int, int], chance: Random) -> list[str]:
    count = min(chance.randint(*wanted), len(words))
    return [words[place] for place in sorted(chance.sample(range(len(words)), count))]


def _last_question(text: str) -> str:
    """Return the last question in ``text`` as words, ``""`` where none is specific enough."""
    questions = _QUESTION.findall(text)
    words = _WORD.findall(questions[-1]) if questions else []
    question_text = " ".join(words)
    if len(question_text) > _LONGEST_QUESTION or any(len(word) > _LONGEST for word in words):
        return ""
    says = len(distinctive(question_text)) >= LEAST_WORDS - 1 or sum(map(len, _runs(question_text))) > _RUN[1]
    return question_text if says else ""


def _runs(text: str) -> list[str]:
    """Return the runs of ``text`` in scripts without spaces that are long enough to search."""
    runs = [piece for run in cjk_ngrams.runs_of(text) for piece, is_wide in run if is_wide]
    return [run for run in runs if len(cjk_ngrams.units(run)) >= _RUN[0]]


def _neighbours(target: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the ids of the messages before and after a message; none for a memory."""
    ref = message_ids.parse(target)
    if ref is None:
        return (), ()
    return (f"{ref.session}#{ref.seq - 1}",), (f"{ref.session}#{ref.seq + 1}",)


def _part_of(run: str, chance: Random) -> str:
    """Return some adjacent characters of a run without spaces."""
    characters = cjk_ngrams.units(run)
    length = min(chance.randint(_RUN[0] + 1, _RUN[1]), len(characters))
    start = chance.randrange(len(characters) - length + 1)
    return "".join(characters[start : start + length])
