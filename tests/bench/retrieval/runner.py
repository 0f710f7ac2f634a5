"""Benchmark runner: fills a vault for each haystack, searches and scores the answers."""

import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, fields, replace
from itertools import groupby
from pathlib import Path
from typing import Any

from app.host import Host
from app.sessions.model import NewMessage
from tests.bench.retrieval.metrics import Scores, interval, mean, percentile, score
from tests.bench.retrieval.values import Haystack, Note, Question, Turn

DEPTH = 50  # hits asked for: enough for 20 distinct sessions on every data set


@dataclass(slots=True)
class Tally:
    """Scores by unit and category, with the milliseconds of each search."""

    units: dict[str, dict[str, list[Scores]]] = field(default_factory=lambda: {"turn": {}, "session": {}})
    latencies: list[float] = field(default_factory=list)
    contexts: list["Results"] = field(default_factory=list)
    groups: dict[str, dict[str, list[Scores]]] = field(default_factory=lambda: {"turn": {}, "session": {}})

    def add(self, unit: str, category: str, scores: Scores, group: str) -> None:
        """Count one question; those of a ``group`` are not parted when intervals are made."""
        self.units[unit].setdefault(category, []).append(scores)
        self.groups[unit].setdefault(group, []).append(scores)

    def report(self) -> dict[str, Any]:
        """Return means over all questions and by category, and latency percentiles."""
        units = {}
        for unit, categories in self.units.items():
            everything = [score for scores in categories.values() for score in scores]
            by_category = {
                name: {"questions": len(scores), **mean(scores)} for name, scores in sorted(categories.items())
            }
            groups = [*self.groups[unit].values()]
            if len(groups) == 1:  # one store: each question for itself
                groups = [[one] for one in everything]
            units[unit] = {**mean(everything), "interval": interval(groups), "by_category": by_category}
        latency = {name: round(percentile(self.latencies, share), 2) for name, share in (("p50", 0.5), ("p95", 0.95))}
        report = {"questions": len(self.latencies), "units": units, "latency_ms": latency}
        if self.contexts:
            columns = {
                field.name: [getattr(results, field.name) for results in self.contexts] for field in fields(Results)
            }
            report["context"] = {name: round(sum(values) / len(values), 4) for name, values in columns.items()}
        return report


@dataclass(frozen=True, slots=True)
class Results:
    """Evidence of one question in a context.

    Args:
        share: How much of it.
        searched: How much the same number of a search's first hits have.
        items: How many turns and memories were told.
        tokens: What they took.
    """

    share: float
    searched: float
    items: int
    tokens: int


def run(
    haystack: Haystack, recipe: str, embedder: str, tally: Tally, folder: str = "", *, with_context: bool = False
) -> None:
    """Ask all questions of one haystack in its own vault, optionally with contexts."""
    overrides = {"embedding.model": embedder, "embedding.model_folder": folder}
    with tempfile.TemporaryDirectory(prefix="keepsake-bench-") as place:
        host = Host(Path(place) / "vault", overrides=overrides, serve=False)
        host.start()
        try:
            names = fill(host, haystack)
            host.ask("vault.settle")
            for question in haystack.questions:
                hits = _ask(host, question, names, recipe, tally, haystack.name)
                if with_context and question.evidence and question.until is None:
                    tally.contexts.append(_result(host, question, names, hits))
        finally:
            host.stop()


def fill(host: Host, haystack: Haystack) -> dict[str, Turn | Note]:
    """Store a haystack, and return its messages and notes by vault id."""
    names: dict[str, Turn | Note] = {}
    for session, group in groupby(haystack.turns, key=lambda turn: turn.session):
        batch = list(group)
        messages = [
            NewMessage(role=turn.role, content=turn.text, author=turn.author, created_at=turn.created_at, seq=turn.seq)  # type: ignore[arg-type]
            for turn in batch
        ]
        host.ask("session.append", messages=messages, session=session)
        names.update({f"{session}#{turn.seq}": turn for turn in batch})
    for note in haystack.notes:
        names[host.ask("note.save", title=note.title, content=note.text).id] = note
    return names


def _ask(
    host: Host, question: Question, names: dict[str, Turn | Note], recipe: str, tally: Tally, group: str
) -> list[str]:
    """Ask one question, count it, and return the data set's ids of what was found."""
    text = question.text if question.until is None else f"before:{question.until.isoformat()} {question.text}"
    begun = time.perf_counter()
    result = host.ask("memory.search", query=text, limit=DEPTH, recipe=recipe)
    tally.latencies.append((time.perf_counter() - begun) * 1000)
    hits = [names[hit.id] for hit in result.hits if hit.id in names]
    if question.evidence:
        tally.add("turn", question.category, score([hit.id for hit in hits], question.evidence), group)
    wanted = question.sessions or sessions_of(question, names)
    if wanted:
        # A search for conversations asks for one hit of each.
        result = host.ask("memory.search", query=text, limit=DEPTH, recipe=recipe, per_session=1)
        turns = (names.get(hit.id) for hit in result.hits)
        sessions = dict.fromkeys(turn.session for turn in turns if isinstance(turn, Turn))
        tally.add("session", question.category, score(list(sessions), wanted), group)
    return [hit.id for hit in hits]


def _result(host: Host, question: Question, names: dict[str, Turn | Note], found: list[str]) -> Results:
    context = host.ask("memory.context", prompt=question.text)
    results = {item.id for section in context.sections for item in section.items}
    ids = {names[name].id for name in results if name in names}
    share, searched = (len(question.evidence & some) / len(question.evidence) for some in (ids, {*found[: len(ids)]}))
    return Results(share, searched, len(ids), context.tokens)


def sessions_of(question: Question, names: dict[str, Turn | Note]) -> frozenset[str]:
    """Return the sessions of the turns that answer ``question``."""
    return frozenset(item.session for item in names.values() if isinstance(item, Turn) and item.id in question.evidence)


def of_roles(haystacks: Iterator[Haystack], roles: str) -> Iterator[Haystack]:
    """Yield ``haystacks`` with the turns of ``roles`` alone: ``user``, or ``both`` for all."""
    for haystack in haystacks:
        turns = tuple(turn for turn in haystack.turns if roles in {"both", turn.role})
        yield replace(haystack, turns=turns)


def limited(haystacks: Iterator[Haystack], most: int | None) -> Iterator[Haystack]:
    """Yield at most ``most`` haystacks, all when ``None``."""
    for number, haystack in enumerate(haystacks):
        if most is not None and number >= most:
            return
        yield haystack
