"""Questions whose answer is known: a turn or memory, and words by which somebody would look for it. Pure.

Where the turn before asks something, what it asks is the best question there is. Else the words are some of the text's
and some of what was said before it, sometimes one is wrong, as when one half remembers what something was about. Words
that hardly any other text has are left out: whoever remembers those needs no ranking, and any that looks for words
would seem the best. The same seed makes the same questions.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final, Literal

from app.core.recall_fence import without_recalled
from app.core.stopwords import stop_words
from app.index import cjk_ngrams

Shape = Literal["asked", "words", "mistaken", "run"]

MAX_READ: Final = 4_000
LEAST_WORDS: Final = 3
_OWN_WORDS: Final = (2, 3)
_WORDS_BEFORE: Final = (1, 2)
_WORDS_ALONE: Final = (2, 4)
"""Of a text before which nothing was said."""
_SHORTEST: Final = 3
_LONGEST: Final = 40
_COMMON: Final = 0.2
"""Words that this share of the texts have tell them not apart."""
_COMMONEST: Final = 3
"""Words that as few texts have are common in no vault."""
_RARE: Final = 3
"""Words that fewer texts have find their text by themselves."""
_RUN: Final = (2, 6)
_LONGEST_QUESTION: Final = 200
_MISTAKEN_SHARE: Final = 0.35
_STRANGERS: Final = 200
"""Other items whose words somebody may take for this one's."""
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
    """A turn or memory to ask about.

    Args:
        id: ``<session>#<number>`` of a turn, or a memory's id.
        text: What it says.
        before: What somebody else said right before it.
    """

    id: str
    text: str
    before: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """A query whose answer is known.

    Args:
        query: What is asked.
        target: The item it was made of.
        script: What it is written in.
        shape: How it was made.
        near: Items beside the target; whoever finds one of them has found it.
        besides: The turn that asks just this; where it stands among the hits tells nothing.
    """

    query: str
    target: str
    script: str
    shape: Shape
    near: tuple[str, ...] = ()
    besides: str = ""


@dataclass(frozen=True, slots=True)
class Frequencies:
    """In how many of ``texts`` texts each word is, by its casefolded form."""

    counts: Mapping[str, int]
    texts: int

    def telling(self, text: str) -> list[str]:
        """Return the words of ``text`` that are neither common nor rare, with few such the least rare of the others."""
        most = max(_COMMON * self.texts, _COMMONEST)
        known = {word: self.counts.get(word.casefold(), 0) for word in distinctive(text)}
        known = {word: count for word, count in known.items() if count <= most}
        found = sum(count >= _RARE for count in known.values())
        if found >= LEAST_WORDS:
            return [word for word, count in known.items() if count >= _RARE]
        kept = set(sorted(known, key=lambda word: -known[word])[:LEAST_WORDS])
        return [word for word in known if word in kept]


def frequencies(items: Iterable[KnownItem]) -> Frequencies:
    """Return in how many of ``items`` each word is."""
    counts: Counter[str] = Counter()
    texts = 0
    for item in items:
        texts += 1
        counts.update({word.casefold() for word in _WORD.findall(item.text[:MAX_READ])})
    return Frequencies(counts, texts)


def questions(items: Sequence[KnownItem], most: int, seed: int) -> list[Question]:
    """Return at most ``most`` questions, each about another item, in an order that ``seed`` decides.

    Items that say the same, and those that say too little to be told apart, are passed over.

    Args:
        items: What there is to ask about.
        most: How many are wanted.
        seed: Decides which items and which words.
    """
    known = frequencies(items)
    ordered = sorted(items, key=lambda item: (_digest(seed, item.id), item.id))
    strangers = [word for item in ordered[:_STRANGERS] for word in known.telling(item.text[:MAX_READ])[:1]]
    repeated = Counter(_said(item.text) for item in items)
    made: list[Question] = []
    # Each has a place and a seed of its own, so that few questions change when others come or go.
    for item in ordered:
        if len(made) >= most:
            break
        if repeated[_said(item.text)] > 1:
            continue
        chance = Random(_digest(seed, item.id))  # noqa: S311  (no secret)
        question = question_of(item, known, chance, strangers)
        if question is not None:
            made.append(question)
    return made


def question_of(item: KnownItem, known: Frequencies, chance: Random, strangers: Sequence[str] = ()) -> Question | None:
    """Return a question about ``item``, ``None`` when it says too little.

    Args:
        item: What is asked about.
        known: How common words are.
        chance: Decides.
        strangers: Words of other items, one of which may be taken for a word of this.
    """
    text, before = (without_recalled(said)[:MAX_READ] for said in (item.text, item.before))
    script = script_of(text)
    runs, words = _runs(text), known.telling(text)
    is_run = bool(runs) and (len(words) < LEAST_WORDS or _is_mostly_wide(text))
    if not is_run and len(words) < LEAST_WORDS:
        return None
    earlier, later = _beside(item.id)
    if earlier and (asked := _asked(before)):
        return Question(asked, item.id, script, "asked", later, earlier[0])
    near = (*earlier, *later)
    if is_run:
        parts = [_part_of(chance.choice(some), chance) for some in (runs, _runs(before)) if some]
        return Question(" ".join(parts), item.id, script, "run", near)
    remembered = _remembered(words, [word for word in known.telling(before) if word not in words], chance)
    if chance.random() < _MISTAKEN_SHARE and (wrong := [word for word in strangers if word not in words]):
        return Question(f"{remembered} {chance.choice(wrong)}", item.id, script, "mistaken", near)
    return Question(remembered, item.id, script, "words", near)


def distinctive(text: str, common: Iterable[str] = ()) -> list[str]:
    """Return the words of ``text`` that may tell it from others, each once, in order."""
    common = frozenset(common)
    found: dict[str, str] = {}
    for word in _WORD.findall(text):
        if not cjk_ngrams.has_cjk(word):
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


def _said(text: str) -> str:
    return " ".join(text.split()).casefold()


def _is_mostly_wide(text: str) -> bool:
    wide = sum(len(piece) for run in cjk_ngrams.runs_of(text) for piece, is_wide in run if is_wide)
    return wide * 2 > sum(map(str.isalnum, text))


def _remembered(words: Sequence[str], before: Sequence[str], chance: Random) -> str:
    """Return some of ``words``, and some of those said before, in their order."""
    own = _some_of(words, _OWN_WORDS if before else _WORDS_ALONE, chance)
    return " ".join([*_some_of(before, _WORDS_BEFORE, chance), *own])


def _some_of(words: Sequence[str], wanted: tuple[int, int], chance: Random) -> list[str]:
    count = min(chance.randint(*wanted), len(words))
    return [words[place] for place in sorted(chance.sample(range(len(words)), count))]


def _asked(text: str) -> str:
    """Return the last question in ``text`` as words, ``""`` where there is none that says enough."""
    found = _QUESTION.findall(text)
    words = _WORD.findall(found[-1]) if found else []
    asked = " ".join(words)
    if len(asked) > _LONGEST_QUESTION or any(len(word) > _LONGEST for word in words):
        return ""
    says = len(distinctive(asked)) >= LEAST_WORDS - 1 or sum(map(len, _runs(asked))) > _RUN[1]
    return asked if says else ""


def _runs(text: str) -> list[str]:
    """Return the runs of ``text`` in scripts written without spaces that are long enough to ask for."""
    runs = [piece for run in cjk_ngrams.runs_of(text) for piece, is_wide in run if is_wide]
    return [run for run in runs if len(cjk_ngrams.units(run)) >= _RUN[0]]


def _beside(target: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the ids of the turns before and after a turn; none for a memory."""
    session, mark, number = target.rpartition("#")
    if not mark or not number.isdecimal():
        return (), ()
    return (f"{session}#{int(number) - 1}",), (f"{session}#{int(number) + 1}",)


def _part_of(run: str, chance: Random) -> str:
    """Return some characters that stand side by side in a run written without spaces."""
    characters = cjk_ngrams.units(run)
    length = min(chance.randint(_RUN[0] + 1, _RUN[1]), len(characters))
    start = chance.randrange(len(characters) - length + 1)
    return "".join(characters[start : start + length])
