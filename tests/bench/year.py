"""One year in the life of a vault: ``python -m tests.bench.year --data DIR --json OUT [--days 365] [--persona 0]``.

The sessions of one persona of RealMem are spread over a year in their order. Each night the jobs of upkeep run by a
fake clock, reflection on Sundays. Reported are what each month added, merged, faded and archived, and how well the
persona's questions are answered at the end, beside a vault in which nothing ran.

``share@10`` counts conversations: a hit counts for the conversation that it was said in or drawn from. ``messages``
counts only messages among the hits, which shows what the new memories push out of the first ten.
"""

import argparse
import json
import sys
import tempfile
import time
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import groupby
from pathlib import Path
from typing import Any

from app.host import Host
from app.sessions.model import NewMessage
from tests.bench.machine import machine
from tests.bench.retrieval.datasets import load
from tests.bench.retrieval.metrics import score
from tests.bench.retrieval.values import Haystack, Question, Turn

BEGIN = datetime(2025, 1, 6, 9, tzinfo=UTC)  # a Monday
NIGHTLY = ("enrichment", "consolidation", "decay", "retention")
SUNDAY = 6
DEPTH = 30


class FakeClock:
    """A clock that the simulation sets."""

    def __init__(self) -> None:
        self.now = BEGIN

    def now_ms(self) -> int:
        """Return its time."""
        return round(self.now.timestamp() * 1000)


def spread(haystack: Haystack, days: int) -> tuple[list[tuple[datetime, list[Turn]]], list[Question]]:
    """Return the sessions with new times over ``days``, and the questions asked before theirs."""
    groups = [list(turns) for _, turns in groupby(haystack.turns, key=lambda turn: turn.session)]
    step = timedelta(days=days) / max(len(groups), 1)
    begun = {group[0].created_at: BEGIN + number * step for number, group in enumerate(groups)}
    sessions = []
    for group in groups:
        start = begun[group[0].created_at]
        shift = start - group[0].created_at
        sessions.append((start, [replace(turn, created_at=turn.created_at + shift) for turn in group]))
    questions = [
        replace(question, until=begun.get(question.until) if question.until else None)
        for question in haystack.questions
    ]
    return sessions, questions


def live(host: Host, clock: FakeClock, sessions: list[tuple[datetime, list[Turn]]], days: int, *, upkeep: bool) -> Any:
    """Let the days pass; return what the jobs did by month."""
    months: dict[str, Counter[str]] = {}
    known = {job.name for job in host.ask("upkeep.status")}
    seconds: dict[str, float] = dict.fromkeys((*NIGHTLY, "reflection"), 0.0)
    at = 0
    for day in range(days + 1):
        night = BEGIN + timedelta(days=day + 1) - timedelta(hours=6)
        while at < len(sessions) and sessions[at][0] < night:
            clock.now = sessions[at][0]
            messages = [
                NewMessage(
                    role=turn.role,  # type: ignore[arg-type]
                    content=turn.text,
                    author=turn.author,
                    created_at=turn.created_at,
                    seq=turn.seq,
                )
                for turn in sessions[at][1]
            ]
            host.ask("session.append", messages=messages, session=sessions[at][1][0].session)
            at += 1
        clock.now = night
        if not upkeep:
            continue
        host.ask("vault.settle", names=True)
        counts = months.setdefault(f"{night:%Y-%m}", Counter())
        jobs = [*NIGHTLY, *(["reflection"] if night.weekday() == SUNDAY else [])]
        for job in (name for name in jobs if name in known):
            began = time.perf_counter()
            run = host.ask("upkeep.run", job=job)
            seconds[job] += time.perf_counter() - began
            counts[f"{job}: {run.status}"] += 1
        counts["memories at the end"] = host.ask("memory.stats").memories
    return {"months": {month: dict(counts) for month, counts in months.items()}, "seconds": dict(seconds)}


def events(host: Host, months: dict[str, Any]) -> None:
    """Add to each month what the history says was done in it."""
    after = None
    while True:
        page = host.ask("memory.history", limit=1000, **({"before": after} if after else {}))
        for entry in page:
            month = months.get(f"{entry.at:%Y-%m}")
            if month is not None and entry.actor != "person":
                name = f"{entry.actor}: {entry.event}"
                month[name] = month.get(name, 0) + 1
        if len(page) < 1000:
            return
        after = page[-1].id


def quality(host: Host, questions: list[Question]) -> dict[str, float]:
    """Return the mean share of the evidence among the first ten conversations."""
    both: list[float] = []
    alone: list[float] = []
    for question in questions:
        if not question.sessions:
            continue
        text = question.text if question.until is None else f"before:{question.until.isoformat()} {question.text}"
        hits = host.ask("memory.search", query=text, limit=DEPTH, per_session=1).hits
        every = list(dict.fromkeys(hit.session_id for hit in hits if hit.session_id))
        said = list(dict.fromkeys(hit.session_id for hit in hits[:DEPTH] if hit.session_id and hit.kind == "message"))
        both.append(score(every, question.sessions)["share@10"])
        alone.append(score(said, question.sessions)["share@10"])
    count = max(len(both), 1)
    return {"questions": len(both), "share@10": sum(both) / count, "messages share@10": sum(alone) / count}


def simulated(haystack: Haystack, days: int, *, upkeep: bool) -> dict[str, Any]:
    """Live through the days in a vault of its own, and ask the questions at the end."""
    sessions, questions = spread(haystack, days)
    clock = FakeClock()
    with tempfile.TemporaryDirectory(prefix="keepsake-year-") as place:
        host = Host(Path(place) / "vault", serve=False, clock=clock)
        host.start()
        try:
            host.ask("schedule.pause_all", until=BEGIN + timedelta(days=100_000))
            report: dict[str, Any] = live(host, clock, sessions, days, upkeep=upkeep)
            host.ask("vault.settle", names=True)
            events(host, report["months"])
            report["kinds"] = {kind.name: kind.count for kind in host.ask("memory.stats").kinds}
            report["quality"] = quality(host, questions)
        finally:
            host.stop()
    return report


def main() -> None:
    """Simulate and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of RealMem")
    parser.add_argument("--days", type=int, default=365)
    parser.add_argument("--persona", type=int, default=0)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    haystack = list(load("realmem", given.data))[given.persona]
    before = simulated(haystack, given.days, upkeep=False)
    print(f"without upkeep: {before['quality']}", file=sys.stderr)
    after = simulated(haystack, given.days, upkeep=True)
    for month, counts in after["months"].items():
        print(month, ", ".join(f"{name} {count}" for name, count in sorted(counts.items())))
    print(f"without upkeep: {before['quality']}\nwith upkeep:    {after['quality']}")
    print("seconds of each job:", {name: round(value, 1) for name, value in after["seconds"].items()})
    if given.json is not None:
        report = {"persona": haystack.name, "without": before, "with": after, "machine": machine()}
        given.json.write_text(json.dumps(report, indent=1), "utf-8")


if __name__ == "__main__":
    main()
