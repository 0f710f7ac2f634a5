"""Training command: fit, validate, and write weights with their report.

``python -m tests.bench.train --data DIR --out DIR --cache DIR``
"""

import argparse
import json
import sys
import zlib
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from app.core.paths import resources
from app.retrieval.ranking.features import BLOCKS, NAMES
from app.retrieval.ranking.linear_ranker import SETS
from tests.bench.train.fit import ITERATIONS, L2, fit
from tests.bench.train.matrices import Sample, Way, samples
from tests.bench.train.report import SHOWN, evaluate

TRAINED = ("locomo", "longmemeval-s", "longmemeval-one", "realmem", "scifact-train", "mixed-train")
VALIDATED = ("locomo", "longmemeval-s", "longmemeval-one", "realmem", "scifact", "mixed-train", "mixed-train-claims")
IMPORTANCE = {
    "locomo": 1.0,
    "longmemeval-s": 0.5,
    "longmemeval-one": 0.5,
    "realmem": 0.5,
    "scifact-train": 0.5,
    "mixed-train": 0.4,
    "mixed-train-claims": 0.2,
}
_FOLDS = 5
_WEIGHTS, _RECORD = "weights.json", "training.json"
_MODEL = "fastembed:sentence-transformers/all-MiniLM-L6-v2"
# A model on two cores takes hours for all of LongMemEval, and ten minutes for the abstracts beside each conversation.
_MOST = {"longmemeval-s": 12, "longmemeval-one": 0, "mixed-train": 2}


Parts = dict[str, list[Sample]]


def main() -> int:
    """Train the sets of weights and write them with what they find."""
    options = _options()
    options.out.mkdir(parents=True, exist_ok=True)
    weights, record = (json.loads((options.ranker / name).read_bytes()) for name in (_WEIGHTS, _RECORD))
    record |= {
        "trained_on": IMPORTANCE,
        "loss": "listwise softmax; an evidence turn, or all turns of an evidence session, is one draw",
        "l2": L2,
        "iterations_at_most": ITERATIONS,
        "held_out": "in fifths, LoCoMo and RealMem by conversation, LongMemEval and SciFact-train by question; SciFact"
        " is the test part, never trained on",
        "with_model_on": "vectors of all-MiniLM-L6-v2; of LongMemEval-S the first 12 questions by name, of all its"
        " questions in one store none, of the conversations with notes beside them the first 2",
        "figures": "[mean, 2.5 %, 97.5 %] over resampled conversations or questions",
    }
    ways = {"with_vectors": Way(), "words_only": Way("words", "")}
    if options.model:
        ways["with_model"] = Way("model", _MODEL, options.model, _MOST)
    for name, way in ways.items():
        found = {one: samples(one, options.data, options.cache, way) for one in (*TRAINED, "scifact")}
        found["mixed-train-claims"] = [one for one in found["mixed-train"] if one.dataset == "mixed-train-claims"]
        found["mixed-train"] = [one for one in found["mixed-train"] if one.dataset == "mixed-train"]
        fitted = fit(_of(found, [*IMPORTANCE]), IMPORTANCE)
        table = fitted.reshape(BLOCKS, len(NAMES)).T.round(4).tolist()
        weights[name] = dict(zip(NAMES, table, strict=True))
        record[name] = _validated(found, fitted)
    weights = {name: weights[name] for name in SETS}
    (options.out / _WEIGHTS).write_text(json.dumps(weights, indent=1) + "\n", encoding="utf-8")
    (options.out / _RECORD).write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.train", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder with locomo, longmemeval, realmem and scifact")
    parser.add_argument("--out", type=Path, required=True, help="where weights.json and training.json go")
    parser.add_argument(
        "--model",
        type=Path,
        help="folder with all-MiniLM-L6-v2, to train the weights for models too; else those there are stay",
    )
    parser.add_argument(
        "--ranker",
        type=Path,
        default=resources() / "models" / "ranker",
        help="where the weights and the record lie that are there",
    )
    parser.add_argument("--cache", type=Path, required=True, help="where filled vaults and matrices are kept")
    return parser.parse_args()


def _of(found: Parts, datasets: Sequence[str]) -> list[Sample]:
    return [sample for name in datasets for sample in found[name]]


def _validated(found: Parts, fitted: Any) -> dict[str, Any]:
    """Return metrics in training, in cross-validation, and with the data set held out."""
    folds = _fold_weights(found, fitted)
    alone = {
        family: fit(_of(found, [name for name in IMPORTANCE if family not in _families(name)]), IMPORTANCE)
        for family in sorted({_families(name)[0] for name in VALIDATED})
    }
    result: dict[str, Any] = {}
    for name in filter(found.get, VALIDATED):
        left_out = alone[_families(name)[0]]
        result[name] = {
            "train": evaluate(found[name], lambda one: one.scores(fitted), SHOWN[name]),
            "held_out": evaluate(found[name], lambda one: one.scores(folds[_fold(one)]), SHOWN[name]),
            "data_set_left_out": evaluate(found[name], partial(_scored, left_out), SHOWN[name]),
        }
        _show(name, result[name])
    return result


def _scored(weights: Any, sample: Sample) -> Any:
    return sample.scores(weights)


def _fold_weights(found: Parts, fitted: Any) -> dict[str, Any]:
    everything = _of(found, [*IMPORTANCE])
    folds = sorted(set(map(_fold, everything)))
    weights = {fold: fit([one for one in everything if _fold(one) != fold], IMPORTANCE) for fold in folds}
    return {**weights, "scifact": fitted}


def _fold(sample: Sample) -> str:
    if sample.dataset == "scifact":
        return "scifact"
    return f"fold {zlib.crc32(sample.group.encode()) % _FOLDS}"


def _families(dataset: str) -> tuple[str, ...]:
    return ("locomo", "scifact") if dataset.startswith("mixed") else (dataset.partition("-")[0],)


def _show(name: str, rows: dict[str, dict[str, list[float]]]) -> None:
    for part, metrics in rows.items():
        figures = "  ".join(
            f"{metric} {value:.3f} [{low:.3f}, {high:.3f}]" for metric, (value, low, high) in metrics.items()
        )
        print(f"{name:16} {part:24} {figures}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
