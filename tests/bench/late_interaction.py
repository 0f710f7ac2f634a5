"""Late interaction: what the token vectors of a model add to the ranking, and what they cost.

``python -m tests.bench.late_interaction --data DIR --cache DIR --model DIR [--questions N]``
``python -m tests.bench.late_interaction --speed MESSAGES --model DIR``
"""

import argparse
import random
import shutil
import sys
import tempfile
import time
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any, Final

import numpy as np

from app.embed.late_interaction import LateInteractionModel
from app.embed.reranking_model import RerankingModel
from app.host import Host
from app.index.token_vectors import token_codes, token_repo
from app.retrieval.ranking.reranking_stage import MOST, blended_order
from app.store.connection import open_reader, open_writer
from tests.bench.retrieval.datasets import load
from tests.bench.retrieval.metrics import percentile
from tests.bench.train.fit import fit
from tests.bench.train.matrices import FOLDERS, Sample, Way, samples
from tests.bench.train.vaults import filled

NAME: Final = "answerdotai/answerai-colbert-small-v1"
IMPORTANCE: Final = {"locomo": 1.0, "realmem": 0.5, "longmemeval-one": 0.5}
_FOLDS: Final = 5
_RESAMPLES: Final = 2_000
_TEXTS_AT_ONCE: Final = 64
_ENDS: Final = (5, 10)
_SPEED_QUERIES: Final = 200
_WARMING: Final = 20


@dataclass(frozen=True, slots=True)
class QuestionSample:
    """One question with its candidates and the file of their vault.

    Args:
        text: The question.
        sample: Its candidates and what answers it.
        vault: The database.
        chunks: The chunk of each message by the data set's id.
    """

    text: str
    sample: Sample
    vault: Path
    chunks: dict[str, int]


def main() -> int:
    """Print shares of the evidence without and with the model, or times."""
    options = _options()
    model = LateInteractionModel(RerankingModel(NAME, folder=options.model, threads=1))
    if options.speed:
        _measure_speed(options.speed, options.model)
        return 0
    parts = {name: samples(name, options.data, options.cache, Way()) for name in options.datasets}
    weights = _fold_weights([sample for part in parts.values() for sample in part])
    for name, part in parts.items():
        questions = list(_question_samples(name, options.data, options.cache, part))
        chosen = random.Random(1).sample(questions, min(options.questions, len(questions)))
        _report(name, chosen, weights, model)
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.late_interaction", description=__doc__)
    parser.add_argument("--data", type=Path, help="folder with locomo, longmemeval and realmem")
    parser.add_argument("--cache", type=Path, help="where filled vaults and matrices are kept, as of tests.bench.train")
    parser.add_argument("--model", type=Path, required=True, help=f"folder with the files of {NAME}")
    parser.add_argument("--datasets", nargs="+", default=[*IMPORTANCE], choices=[*IMPORTANCE])
    parser.add_argument("--questions", type=int, default=10**9, help="most questions of a data set, drawn at random")
    parser.add_argument("--speed", type=int, default=0, help="measure searches among so many messages instead")
    return parser.parse_args()


def _fold(sample: Sample) -> int:
    return zlib.crc32(sample.group.encode()) % _FOLDS


def _fold_weights(everything: Sequence[Sample]) -> dict[int, Any]:
    """Return the weights of the ranking for each fold, fitted without it."""
    return {
        fold: fit([sample for sample in everything if _fold(sample) != fold], IMPORTANCE)
        for fold in sorted(set(map(_fold, everything)))
    }


def _question_samples(name: str, data: Path, kept: Path, part: Sequence[Sample]) -> Iterator[QuestionSample]:
    rest = iter(part)
    for haystack in load(name, data / FOLDERS.get(name, name)):
        folder = kept / name / haystack.name
        names = filled(haystack, folder)
        vault = folder / "vault" / "memory.db"
        with closing(open_reader(vault)) as connection:
            rows = connection.execute("SELECT id, session_id, seq_start FROM chunks WHERE kind = 'message'").fetchall()
        chunks = {names[f"{session}#{seq}"]: int(str(chunk)) for chunk, session, seq in rows}
        for question in haystack.questions:
            yield QuestionSample(question.text, next(rest), vault, chunks)


def _report(
    name: str, everything: Sequence[QuestionSample], weights: dict[int, Any], model: LateInteractionModel
) -> None:
    rows: dict[str, list[tuple[float, ...]]] = {"without": [], "with": []}
    several: list[bool] = []
    sizes: list[int] = []
    count, spent = 0, 0.0
    for vault, group in groupby(sorted(everything, key=lambda one: str(one.vault)), key=lambda one: one.vault):
        questions = list(group)
        orders = [_order(question.sample, weights[_fold(question.sample)]) for question in questions]
        wanted = {
            one.chunks[one.sample.ids[row]]
            for one, (order, _) in zip(questions, orders, strict=True)
            for row in order[:MOST]
            if one.sample.ids[row] in one.chunks
        }
        begun = time.process_time()
        codes = _codes(vault, sorted(wanted), model)
        spent, count = spent + time.process_time() - begun, count + len(codes)
        sizes += [len(code) for code in codes.values()]
        for one, (order, scores) in zip(questions, orders, strict=True):
            first = order[:MOST]
            known = [codes.get(one.chunks.get(one.sample.ids[row], -1), b"") for row in first]
            sums = token_codes.max_similarities(model.embed_query(one.text), known)
            judged = [value if code else None for value, code in zip(sums, known, strict=True)]
            order_with = [*first[blended_order([float(scores[row]) for row in first], judged)], *order[MOST:]]
            rows["without"].append(_shares(one.sample, order))
            rows["with"].append(_shares(one.sample, order_with))
            several.append(len(one.sample.evidence) > 1)
    print(f"{name}: {len(several)} questions, {sum(several)} with several messages")
    for label, shares in rows.items():
        table = np.array(shares)
        figures = "  ".join(f"at {end} {value:.4f}" for end, value in zip(_ENDS, table.mean(axis=0), strict=True))
        extra = f"  several at 10 {table[np.array(several), 1].mean():.4f}" if any(several) else ""
        print(f"  {label:8} {figures}{extra}")
    gain = np.array(rows["with"]) - np.array(rows["without"])
    _print_interval("gain at 10", gain[:, 1])
    if any(several):
        _print_interval("gain at 10, several", gain[np.array(several), 1])
    print(
        f"  {np.mean(sizes):.0f} bytes a message (at most {max(sizes)}), {count / spent:.0f} texts a processor second"
    )


def _order(sample: Sample, weights: Any) -> tuple[Any, Any]:
    scores = sample.scores(weights)
    return np.lexsort((-sample.created, -scores)), scores


def _codes(vault: Path, chunks: Sequence[int], model: LateInteractionModel) -> dict[int, bytes]:
    with closing(open_reader(vault)) as connection:
        texts = token_repo.texts_of(connection, chunks)
    numbers = sorted(texts)
    codes: dict[int, bytes] = {}
    for start in range(0, len(numbers), _TEXTS_AT_ONCE):
        part = numbers[start : start + _TEXTS_AT_ONCE]
        vectors = model.embed([texts[number] for number in part])
        codes |= {number: token_codes.encode(rows) for number, rows in zip(part, vectors, strict=True)}
    return codes


def _shares(sample: Sample, order: Sequence[int]) -> tuple[float, ...]:
    """Return the share of the evidence at each end; of the conversations where messages are not known."""
    if sample.dataset == "locomo":
        found, wanted = [sample.ids[row] for row in order], sample.evidence
    else:
        found, wanted = list(dict.fromkeys(sample.sessions[row] for row in order)), sample.wanted
    return tuple(len(wanted & {*found[:end]}) / len(wanted) for end in _ENDS)


def _print_interval(label: str, gain: Any) -> None:
    drawn = np.random.default_rng(1).integers(0, len(gain), (_RESAMPLES, len(gain)))
    low, high = np.percentile(gain[drawn].mean(axis=1), [2.5, 97.5])
    print(f"  {label} {gain.mean():+.4f} [{low:+.4f} to {high:+.4f}]")


def _measure_speed(messages: int, folder: Path) -> None:
    """Print how long searches take without and with the model, among messages with codes drawn at random.

    Each question is asked of both in turn, so that other work on the machine slows both alike.
    """
    with tempfile.TemporaryDirectory(prefix="keepsake-bench-") as place:
        vault, plain_vault = Path(place) / "vault", Path(place) / "plain"
        plain = _running(vault, {})
        words = [f"word{number}" for number in range(5_000)]
        draw = random.Random(1)
        for session in range(messages // 100):
            texts = [" ".join(draw.choices(words, k=20)) for _ in range(100)]
            turns = [{"role": "user", "content": text} for text in texts]
            plain.ask("session.append", session=f"s{session}", messages=turns)
        plain.ask("vault.settle")
        queries = [" ".join(draw.choices(words, k=4)) for _ in range(_SPEED_QUERIES)]
        plain.stop()
        shutil.copytree(vault, plain_vault)
        settings = {"search.reranker": NAME, "search.reranker_folder": str(folder)}
        reading = _running(vault, settings)
        while not ((state := reading.ask("embedding.status").token_vectors) and state.texts):
            time.sleep(0.1)
        reading.stop()
        with closing(open_writer(vault / "memory.db")) as connection:
            connection.execute("UPDATE token_vectors_1 SET codes = randomblob(1392) WHERE codes IS NULL")
        hosts = {"without": _running(plain_vault, {}), "with": _running(vault, settings)}
        hosts["with"].ask("vault.settle", token_vectors=True)
        times = _times(hosts, queries)
        for host in hosts.values():
            host.stop()
        for label, taken in times.items():
            print(f"{label:8} p50 {percentile(taken, 0.5):.1f} ms  p95 {percentile(taken, 0.95):.1f} ms")


def _running(vault: Path, settings: dict[str, Any]) -> Host:
    host = Host(vault, serve=False, overrides=settings)
    host.start()
    return host


def _times(hosts: Mapping[str, Host], queries: Sequence[str]) -> dict[str, list[float]]:
    times: dict[str, list[float]] = {label: [] for label in hosts}
    for number, query in enumerate((*queries[:_WARMING], *queries)):
        for label, host in hosts.items():
            begun = time.perf_counter()
            host.ask("memory.search", query=query)
            if number >= _WARMING:
                times[label].append((time.perf_counter() - begun) * 1000)
    return times


if __name__ == "__main__":
    sys.exit(main())
