"""Questions whose answer is known: a turn or memory, and a few words of it as somebody would remember it. Pure.

The words are distinctive ones, some are dropped, sometimes one is wrong, and the order is theirs in the text, as when
one half remembers where one read something. The same seed makes the same questions.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final, Literal

from app.core.recalled import without_recalled
from app.core.stopwords import stop_words
from app.index import grams

Shape = Literal["words", "mistaken", "phrase", "run"]

MAX_READ: Final = 4_000
LEAST_WORDS: Final = 3
_MOST_WORDS: Final = 5
_SHORTEST: Final = 3
_LONGEST: Final = 40
_COMMON: Final = 0.2
"""Words that this share of the texts have tell them not apart."""
_KEPT: Final = 0.7
"""Share of the chosen words that somebody still remembers."""
_PHRASE_WORDS: Final = 7
_RUN: Final = (2, 6)
_PHRASE_SHARE: Final = 0.25
_MISTAKEN_SHARE: Final = 0.35
_STRANGERS: Final = 200
"""Other items whose words somebody may take for this one's."""
_WORD: Final = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
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
    """A turn (``<session>#<number>``) or a memory's id, with what it says."""

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class Question:
    """A query and the item it was made of; ``script`` and ``shape`` say what sort of question it is."""

    query: str
    target: str
    script: str
    shape: Shape


def questions(items: Sequence[KnownItem], most: int, seed: int) -> list[Question]:
    """Return at most ``most`` questions, each about another item, in an order that ``seed`` decides.

    Items that say the same, and those that say too little to be told apart, are passed over.

    Args:
        items: What there is to ask about.
        most: How many are wanted.
        seed: Decides which items and which words.
    """
    common = _common(items)
    ordered = sorted(items, key=lambda item: (_digest(seed, item.id), item.id))
    strangers = [word for item in ordered[:_STRANGERS] for word in distinctive(item.text[:MAX_READ], common)[:1]]
    repeated = Counter(_said(item.text) for item in items)
    made: list[Question] = []
    # Each has a place and a seed of its own, so that few questions change when others come or go.
    for item in ordered:
        if len(made) >= most:
            break
        if repeated[_said(item.text)] > 1:
            continue
        chance = Random(_digest(seed, item.id))  # noqa: S311  (no secret)
        question = question_of(item, common, chance, strangers)
        if question is not None:
            made.append(question)
    return made


def question_of(
    item: KnownItem, common: frozenset[str], chance: Random, strangers: Sequence[str] = ()
) -> Question | None:
    """Return a question about ``item``, ``None`` when it says too little.

    Args:
        item: What is asked about.
        common: Words that are not asked for.
        chance: Decides.
        strangers: Words of other items, one of which may be taken for a word of this.
    """
    text = without_recalled(item.text)[:MAX_READ]
    script = script_of(text)
    runs = [piece for run in grams.runs(text) for piece, is_wide in run if is_wide]
    runs = [run for run in runs if len(grams.units(run)) >= _RUN[0]]
    words = distinctive(text, common)
    if runs and (len(words) < LEAST_WORDS or _is_mostly_wide(text)):
        return Question(_part_of(chance.choice(runs), chance), item.id, script, "run")
    if len(words) < LEAST_WORDS:
        return None
    if chance.random() < _PHRASE_SHARE and (phrase := _phrase(text, chance)):
        return Question(phrase, item.id, script, "phrase")
    if chance.random() < _MISTAKEN_SHARE and (wrong := [word for word in strangers if word not in words]):
        return Question(f"{_some_of(words, chance)} {chance.choice(wrong)}", item.id, script, "mistaken")
    return Question(_some_of(words, chance), item.id, script, "words")


def distinctive(text: str, common: Iterable[str] = ()) -> list[str]:
    """Return the words of ``text`` that may tell it from others, each once, in order."""
    common = frozenset(common)
    found: dict[str, str] = {}
    for word in _WORD.findall(text):
        if not grams.has_wide(word):
            found.setdefault(word.casefold(), word)
    dropped = stop_words(found)
    return [
        word
        for key, word in found.items()
        if _SHORTEST <= len(word) <= _LONGEST and key not in dropped and key not in common and not key.isdecimal()
    ]


def script_of(text: str) -> str:
    """Return the script that most of ``text`` is written in, as far as search cares: ``latin``, ``han``, ``thai``..."""
    counts = {name: len(pattern.findall(text)) for name, pattern in _SCRIPTS}
    # What has kana is Japanese, whatever part of it is Chinese characters.
    if counts["kana"] and counts["kana"] + counts["han"] > len(_LATIN.findall(text)):
        return "kana"
    best = max(counts, key=lambda name: counts[name])
    return best if counts[best] > len(_LATIN.findall(text)) else "latin"


def _digest(seed: int, item_id: str) -> int:
    return int.from_bytes(hashlib.blake2b(f"{seed}:{item_id}".encode(), digest_size=8).digest())


def _common(items: Sequence[KnownItem]) -> frozenset[str]:
    seen: Counter[str] = Counter()
    for item in items:
        seen.update({word.casefold() for word in _WORD.findall(item.text[:MAX_READ])})
    least = max(_COMMON * len(items), 3)
    return frozenset(word for word, count in seen.items() if count > least)


def _said(text: str) -> str:
    return " ".join(text.split()).casefold()


def _is_mostly_wide(text: str) -> bool:
    wide = sum(len(piece) for run in grams.runs(text) for piece, is_wide in run if is_wide)
    return wide * 2 > sum(map(str.isalnum, text))


def _some_of(words: Sequence[str], chance: Random) -> str:
    """Return some of ``words``: longer ones are likelier to be remembered, and some of those chosen are not."""
    wanted = chance.randint(LEAST_WORDS, _MOST_WORDS)
    places = _weighted(words, wanted, chance)
    kept = [place for place in places if chance.random() < _KEPT]
    if len(kept) < LEAST_WORDS - 1:
        kept = places[: LEAST_WORDS - 1]
    return " ".join(words[place] for place in sorted(kept))


def _weighted(words: Sequence[str], wanted: int, chance: Random) -> list[int]:
    drawn = sorted(range(len(words)), key=lambda place: (-(chance.random() ** (4 / len(words[place]))), place))
    return drawn[:wanted]


def _phrase(text: str, chance: Random) -> str:
    """Return a stretch of words as they stand, without quotation marks, less the little ones."""
    sentences = [found for line in text.splitlines() if len(found := _WORD.findall(line)) >= LEAST_WORDS]
    if not sentences:
        return ""
    words = chance.choice(sentences)
    start = chance.randrange(max(len(words) - _PHRASE_WORDS, 0) + 1)
    stretch = words[start : start + _PHRASE_WORDS]
    dropped = stop_words([word.casefold() for word in stretch])
    kept = [word for word in stretch if word.casefold() not in dropped and len(word) <= _LONGEST]
    return " ".join(kept) if len(kept) >= LEAST_WORDS else ""


def _part_of(run: str, chance: Random) -> str:
    """Return some characters that stand side by side in a run written without spaces."""
    characters = grams.units(run)
    length = min(chance.randint(_RUN[0] + 1, _RUN[1]), len(characters))
    start = chance.randrange(len(characters) - length + 1)
    return "".join(characters[start : start + length])
