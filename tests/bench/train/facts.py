"""Training of the scorer of facts: ``python -m tests.bench.train.facts --data DIR --out DIR``.

The first three dialogues of LoCoMo, and the half of LongMemEval's conversations whose id has an even hash, are trained
on; nothing of the rest is read. A person marked sentences of both as worth remembering or not; ``fact_marks.json`` has
the marks by the hash of the sentence, for the texts themselves may not be passed on. The sentences of the dialogues
that nobody marked are those whose score was lowest when the marks were made, and no observation of their speaker rests
on most of them: they count as not worth remembering.
"""

import argparse
import gzip
import json
import sys
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from app.extraction.passing import is_passing
from app.extraction.scorer import PLACES, WEIGHTS, features, scale
from app.extraction.screening import can_stand_alone, plays_a_part
from app.extraction.sentence_split import sentences

if TYPE_CHECKING:
    from numpy.typing import NDArray

TRAINED_DIALOGUES = 3
MARKS = Path(__file__).with_name("fact_marks.json")
_L2 = 1.0
_STEPS = 300
_FOLDS = 5

Example = tuple[str, bool, bool]
"""A sentence, whether it is worth remembering, and whether it was said to an assistant."""


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


def examples(data: Path) -> Iterator[Example]:
    """Return the sentences that are trained on."""
    marks = json.loads(MARKS.read_text("utf-8"))
    known = {**dict.fromkeys(marks["worth"], True), **dict.fromkeys(marks["not_worth"], False)}
    for dialogue in dialogues(data)[:TRAINED_DIALOGUES]:
        turns = (turn for part in dialogue["conversation"].values() if isinstance(part, list) for turn in part)
        for turn in turns:
            yield from ((one, known.get(mark_key(one), False), False) for one in candidates(turn["text"]))
    with gzip.open(data / "longmemeval" / "longmemeval_s101_dev_sessions.jsonl.gz") as stream:
        for line in stream:
            session = json.loads(line)
            if is_trained_on(session["session_id"]):
                texts = (turn["content"] for turn in session["turns"] if turn["role"] == "user")
                found = (one for text in texts for one in candidates(text))
                yield from ((one, known[mark_key(one)], True) for one in found if mark_key(one) in known)


def fit(given: Sequence[Example]) -> "NDArray[np.float32]":
    """Return the weights that fit examples, by Adam (https://arxiv.org/abs/1412.6980) over all of them at once."""
    places = [features(sentence) for sentence, _, _ in given]
    columns = np.concatenate([np.array(one) for one in places])
    rows = np.repeat(np.arange(len(places)), [len(one) for one in places])
    values = np.concatenate([np.full(len(one), 1 / scale(one)) for one in places])
    wanted = np.array([worth for _, worth, _ in given], dtype=np.float64)
    weights, mean, square = np.zeros((3, PLACES))
    for step in range(1, _STEPS + 1):
        found = 1 / (1 + np.exp(-np.bincount(rows, weights[columns] * values, len(places))))
        slope = np.bincount(columns, (found - wanted)[rows] * values, PLACES) + _L2 * weights
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
    given = sorted(set(examples(options.data)), key=lambda one: mark_key(one[0]))
    scores = np.zeros(len(given))
    for fold in range(_FOLDS):
        weights = fit([one for place, one in enumerate(given) if place % _FOLDS != fold])
        for place in range(fold, len(given), _FOLDS):
            found = features(given[place][0])
            scores[place] = 1 / (1 + np.exp(-weights[found].sum() / scale(found)))
    worth, is_chat = (np.array([one[place] for one in given]) for place in (1, 2))
    lasts = np.array([not is_passing(one[0]) for one in given])
    for name, part in (("among people", ~is_chat), ("with an assistant", is_chat)):
        print(f"{name}: {part.sum()} sentences, {worth[part].mean():.3f} worth remembering")
        for threshold in (0.38, 0.42, 0.46, 0.5, 0.54, 0.58, 0.62):
            kept = part & lasts & (scores >= threshold)
            print(f"    {threshold}: {kept.sum()} kept, {worth[kept].mean():.3f} of them worth it")
    options.out.mkdir(parents=True, exist_ok=True)
    np.save(options.out / WEIGHTS, fit(given).astype(np.float16))
    return 0


if __name__ == "__main__":
    sys.exit(main())
