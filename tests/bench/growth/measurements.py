"""What a system's process tells the one that started it: how far it is, and in the end what it measured."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

from tests.bench.retrieval.metrics import percentile

RESULT, PROGRESS, LOG = "result.json", "progress.txt", "log.txt"
_FEWEST = 10


class MeasurementFiles:
    """Writes progress and result where the starting process looks for them.

    Args:
        folder: Where.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def at(self, words: str) -> None:
        """Tell how far it is."""
        (self._folder / PROGRESS).write_text(words, encoding="utf-8")

    def measured(self, result: dict[str, Any]) -> None:
        """Tell what was measured."""
        (self._folder / RESULT).write_text(json.dumps(result), encoding="utf-8")


def timed(work: Sequence[Callable[[], object]], within_s: float | None = None) -> dict[str, Any]:
    """Return p50 and p95 of the milliseconds of each call, and how many there were.

    Args:
        work: What is called, one after the other.
        within_s: After so many seconds no further call is made, once ten were.
    """
    taken: list[float] = []
    first = perf_counter()
    for one in work:
        begun = perf_counter()
        one()
        taken.append((perf_counter() - begun) * 1000)
        if within_s is not None and perf_counter() - first > within_s and len(taken) >= _FEWEST:
            break
    return figures(taken)


def figures(taken: list[float]) -> dict[str, Any]:
    """Return p50, p95 and the most of milliseconds, and how many there were."""
    if not taken:
        return {"count": 0}
    return {
        "p50_ms": round(percentile(taken, 0.5), 3),
        "p95_ms": round(percentile(taken, 0.95), 3),
        "max_ms": round(max(taken), 3),
        "count": len(taken),
    }
