"""Training of the scorer of facts: ``python -m tests.bench.train.facts --data DIR --out DIR``.

Trained on are the dialogues of LoCoMo and LongMemEval's conversations whose id has an even hash; of the others only
sentences that were marked. People marked sentences as worth remembering or not, some of them twice;
``fact_marks.json`` has the marks by the hash of the sentence, for the texts themselves may not be passed on. A sentence
of a dialogue that nobody marked counts a little: for more where an observation of its speaker rests on it.

``held_out`` fits weights for each dialogue without it, so that figures are of dialogues that the weights never saw.
"""

import argparse
import gzip
import json
import re
import sys
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from app.core.text_rules.stopwords import ENGLISH
from app.extraction.scorer import PLACES, WEIGHTS, features, probability, scale
from app.extraction.screening import can_stand_alone, plays_a_part
from app.extraction.sentence_split import sentences

if TYPE_CHECKING:
    from numpy.typing import NDArray

MARKS = Path(__file__).with_name("fact_marks.json")
_L2 = 1.0
_STEPS = 300
_FOLDS = 5

SHARE = 0.3
_UNMARKED = 0.4  # what an unmarked sentence counts
_OBSERVED, _UNOBSERVED = 0.4, 0.1
_WORD = re.compile(r"[a-z0-9]+")
_CHATS = "chats"


class Example(NamedTuple):
    """A sentence to train on.

    Args:
        sentence: The sentence.
        worth: How likely it is worth remembering.
        counts: How much it counts.
        group: The dialogue that it comes from, or ``chats``.
    """

    sentence: str
    worth: float
    counts: float
    group: str


def is_trained_on(session: str) -> bool:
    """Return whether a conversation of LongMemEval belongs to the half that is trained on."""
    return sha256(session.encode()).digest()[0] % 2 == 0


def mark_key(sentence: str) -> str:
    """Return the name of a sentence among the marks."""
    return sha256(sentence.encode()).hexdigest()[:12]


def dialogues(data: Path) -> list[dict[str, Any]]:
    """Return the dialogues of LoCoMo."""
    loaded: list[dict[str, Any]] = json.loads((data / "locomo" / "locomo5_dev.json").read_text("utf-8"))
    return loaded


def candidates(text: str) -> Iterator[str]:
    """Return the sentences of a message that the scorer is asked about."""
    if not plays_a_part(text):
        yield from filter(can_stand_alone, sentences(text))


def stems(text: str, speaker: str) -> frozenset[str]:
    """Return the content words of a text, cut to their stems, without the speaker's name."""
    words = (word for word in _WORD.findall(text.lower()) if word not in ENGLISH and word != speaker.lower())
    return frozenset(re.sub(r"(?:ing|ed|es|s|ly|e)\Z", "", word) if len(word) > 4 else word for word in words)


def shares(sentence: str, observation: str, speaker: str) -> bool:
    """Return whether a sentence and an observation of its speaker share enough content words."""
    mine, theirs = stems(sentence, speaker), stems(observation, speaker)
    common = len(mine & theirs)
    return bool(common) and (common / len(mine) >= SHARE or common / len(theirs) >= SHARE)


def load_marks() -> dict[str, float]:
    """Return how likely each marked sentence is worth remembering, by its key."""
    marks = json.loads(MARKS.read_text("utf-8"))
    levels = {"worth": 1.0, "doubtful": 0.5, "not_worth": 0.0}
    return {key: level for name, level in levels.items() for key in marks[name]}


def examples(data: Path) -> list[Example]:
    """Return the sentences that are trained on, each once."""
    known = load_marks()
    found: dict[tuple[str, bool], Example] = {}
    for number, dialogue in enumerate(dialogues(data)):
        for one in _of_dialogue(dialogue, str(number), known):
            found.setdefault((one.sentence, False), one)
    with gzip.open(data / "longmemeval" / "longmemeval_s101_dev_sessions.jsonl.gz") as stream:
        for line in stream:
            texts = (turn["content"] for turn in json.loads(line)["turns"] if turn["role"] == "user")
            for sentence in (sentence for text in texts for sentence in candidates(text)):
                if (worth := known.get(mark_key(sentence))) is not None:
                    found.setdefault((sentence, True), Example(sentence, worth, 1.0, _CHATS))
    return sorted(found.values(), key=lambda one: mark_key(one.sentence))


def _of_dialogue(dialogue: dict[str, Any], group: str, known: dict[str, float]) -> Iterator[Example]:
    for name, turns in dialogue["conversation"].items():
        observed = dialogue["observation"].get(f"{name}_observation", {}) if isinstance(turns, list) else {}
        for turn in turns if isinstance(turns, list) else ():
            speaker = turn["speaker"]
            about = [text for text, rests_on in observed.get(speaker, ()) if turn["dia_id"] in rests_on]
            for candidate in candidates(turn["text"]):
                worth = known.get(mark_key(candidate))
                if worth is not None:
                    yield Example(candidate, worth, 1.0, group)
                else:
                    is_observed = any(shares(candidate, text, speaker) for text in about)
                    yield Example(candidate, _OBSERVED if is_observed else _UNOBSERVED, _UNMARKED, group)


def held_out(given: Sequence[Example], groups: int) -> list[tuple[float, ...]]:
    """Return for each dialogue weights that were fitted without it."""
    return [
        tuple(fit([one for one in given if one.group != str(group)]).astype(float).tolist()) for group in range(groups)
    ]


def fit(given: Sequence[Example]) -> "NDArray[np.float32]":
    """Return the weights that fit examples, by Adam (https://arxiv.org/abs/1412.6980) over all of them at once."""
    places = [features(one.sentence) for one in given]
    columns = np.concatenate([np.array(place) for place in places])
    rows = np.repeat(np.arange(len(places)), [len(place) for place in places])
    values = np.concatenate([np.full(len(place), 1 / scale(place)) for place in places])
    wanted, counts = (np.array(one, dtype=np.float64) for one in zip(*(one[1:3] for one in given), strict=True))
    weights, mean, square = np.zeros((3, PLACES))
    for step in range(1, _STEPS + 1):
        found = 1 / (1 + np.exp(-np.bincount(rows, weights[columns] * values, len(places))))
        slope = np.bincount(columns, (counts * (found - wanted))[rows] * values, PLACES) + _L2 * weights
        slope[0] -= _L2 * weights[0]  # the bias
        mean = 0.9 * mean + 0.1 * slope
        square = 0.999 * square + 0.001 * slope**2
        weights -= 0.05 * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
    return weights.astype(np.float32)


def main() -> int:
    """Fit, print the precision at some thresholds across folds, and write the weights."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.train.facts", description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    given = examples(options.data)
    folds = [place % _FOLDS if one.group == _CHATS else int(one.group) % _FOLDS for place, one in enumerate(given)]
    scores = np.zeros(len(given))
    for fold in range(_FOLDS):
        weights = fit([one for one, place in zip(given, folds, strict=True) if place != fold]).astype(float).tolist()
        for place, one in enumerate(given):
            if folds[place] == fold:
                scores[place] = probability(one.sentence, weights)
    is_marked = np.array([one.counts == 1 for one in given])
    worth, is_chat = np.array([one.worth for one in given]), np.array([one.group == _CHATS for one in given])
    for name, part in (("among people", ~is_chat), ("with an assistant", is_chat)):
        print(f"{name}: {part.sum()} sentences, {(part & is_marked).sum()} marked")
        for threshold in (0.4, 0.44, 0.48, 0.52, 0.56, 0.6, 0.64, 0.68):
            kept = part & (scores >= threshold)
            print(f"    {threshold}: {kept.sum()} kept, of those marked {worth[kept & is_marked].mean():.3f} worth it")
    options.out.mkdir(parents=True, exist_ok=True)
    np.save(options.out / WEIGHTS, fit(given).astype(np.float16))
    return 0


if __name__ == "__main__":
    sys.exit(main())
