"""Fills a fresh vault for each haystack, asks every question through the catalogue, and scores the answers."""

import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any

from app.host import Host
from app.sessions.model import NewMessage
from tests.bench.retrieval.datasets import Haystack, Question, Turn
from tests.bench.retrieval.metrics import Scores, mean, percentile, score

DEPTH = 50  # hits asked for: enough for 20 distinct sessions on every data set


@dataclass(slots=True)
class Tally:
    """Scores of all questions so far, by unit and then by category, and milliseconds of each search."""

    units: dict[str, dict[str, list[Scores]]] = field(default_factory=lambda: {"turn": {}, "session": {}})
    latencies: list[float] = field(default_factory=list)

    def add(self, unit: str, category: str, scores: Scores) -> None:
        """Count one question."""
        self.units[unit].setdefault(category, []).append(scores)

    def report(self) -> dict[str, Any]:
        """Return means over all questions and by category, and latency percentiles."""
        units = {}
        for unit, categories in self.units.items():
            everything = [one for scores in categories.values() for one in scores]
            by_category = {
                name: {"questions": len(scores), **mean(scores)} for name, scores in sorted(categories.items())
            }
            units[unit] = {**mean(everything), "by_category": by_category}
        latency = {name: round(percentile(self.latencies, share), 2) for name, share in (("p50", 0.5), ("p95", 0.95))}
        return {"questions": len(self.latencies), "units": units, "latency_ms": latency}


def run(haystack: Haystack, recipe: str, embedder: str, tally: Tally, folder: str = "") -> None:
    """Ask all questions of one haystack in a vault of its own."""
    overrides = {"embedding.model": embedder, "embedding.folder": folder}
    with tempfile.TemporaryDirectory(prefix="keepsake-bench-") as place:
        host = Host(Path(place) / "vault", overrides=overrides, serve=False)
        host.start()
        try:
            names = _fill(host, haystack.turns)
            host.ask("vault.settle")
            for question in haystack.questions:
                _ask(host, question, names, recipe, tally)
        finally:
            host.stop()


def _fill(host: Host, turns: Sequence[Turn]) -> dict[str, Turn]:
    names: dict[str, Turn] = {}
    for session, group in groupby(turns, key=lambda turn: turn.session):
        batch = list(group)
        messages = [
            NewMessage(role=turn.role, content=turn.text, author=turn.author, created_at=turn.created_at, seq=turn.seq)  # type: ignore[arg-type]
            for turn in batch
        ]
        host.ask("session.append", messages=messages, session=session)
        names.update({f"{session}#{turn.seq}": turn for turn in batch})
    return names


def _ask(host: Host, question: Question, names: dict[str, Turn], recipe: str, tally: Tally) -> None:
    begun = time.perf_counter()
    found = host.ask("memory.search", query=question.text, limit=DEPTH, recipe=recipe)
    tally.latencies.append((time.perf_counter() - begun) * 1000)
    turns = [names[hit.id] for hit in found.hits if hit.id in names]
    tally.add("turn", question.category, score([turn.id for turn in turns], question.evidence))
    sessions = list(dict.fromkeys(turn.session for turn in turns))
    wanted = frozenset(turn.session for turn in names.values() if turn.id in question.evidence)
    tally.add("session", question.category, score(sessions, wanted))


def limited(haystacks: Iterator[Haystack], most: int | None) -> Iterator[Haystack]:
    """Yield at most ``most`` haystacks, all when ``None``."""
    for number, haystack in enumerate(haystacks):
        if most is not None and number >= most:
            return
        yield haystack
