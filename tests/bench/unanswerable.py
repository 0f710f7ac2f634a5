"""``python -m tests.bench.unanswerable DIR``: how often LoCoMo's questions are told to have no answer.

Rates are printed by conversation, for the questions that have none and, as false alarms, for those that have one: first
with the threshold as it stands, then held out, with the threshold that the other conversations give.
"""

import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np

from app.host import Host
from app.retrieval import pipeline
from app.retrieval.model import RankedCandidate
from app.retrieval.results.unanswered import LEAST_ODDS, lead_of_others
from tests.bench.retrieval.datasets import load, unanswerable
from tests.bench.retrieval.runner import fill
from tests.bench.retrieval.values import Haystack

MOST_ALARMS: Final = (0.01, 0.02, 0.03)
"""Shares of answerable questions flagged that a held-out threshold may reach on the other conversations."""


class _Leads(NamedTuple):
    """Leads of others, in log odds, for the questions of a conversation."""

    without: list[float]
    with_answer: list[float]


def main() -> int:
    """Print the rates of each conversation under the folder given."""
    folder = Path(sys.argv[1])
    questions = unanswerable(folder)
    leads = {one.name: _leads(one, questions[one.name]) for one in load("locomo", folder)}
    _print_rates(f"{LEAST_ODDS} as it stands", [(name, one, LEAST_ODDS) for name, one in leads.items()])
    for most in MOST_ALARMS:
        held_out = [
            (name, one, _threshold((other for at, other in leads.items() if at != name), most))
            for name, one in leads.items()
        ]
        _print_rates(f"held out, at most {most:.0%} false alarms in the others", held_out)
    return 0


def _leads(haystack: Haystack, without: list[str]) -> _Leads:
    with_answer = [question.text for question in haystack.questions if question.text not in without]
    read: list[float] = []

    def is_unanswered(ranked: Sequence[RankedCandidate]) -> bool:
        read.append(lead_of_others(ranked))
        return read[-1] >= LEAST_ODDS

    def lead(host: Host, text: str) -> float:
        read.clear()
        host.ask("memory.search", query=text)
        return max(read, default=-np.inf)

    with tempfile.TemporaryDirectory(prefix="keepsake-bench-") as place:
        host = Host(Path(place) / "vault", serve=False)
        host.start()
        try:
            fill(host, haystack)
            host.ask("vault.settle")
            # A search tells only what comes of the lead.
            setattr(pipeline, is_unanswered.__name__, is_unanswered)
            return _Leads([lead(host, text) for text in without], [lead(host, text) for text in with_answer])
        finally:
            host.stop()


def _threshold(conversations: Iterable[_Leads], most: float) -> float:
    """Return the least lead that flags at most this share of the answerable questions."""
    leads = np.sort([lead for conversation in conversations for lead in conversation.with_answer])[::-1]
    return float(np.nextafter(leads[int(most * len(leads))], np.inf))


def _print_rates(title: str, rows: Sequence[tuple[str, _Leads, float]]) -> None:
    print(f"\n{title}")
    totals = np.zeros(4, dtype=int)
    for name, leads, threshold in rows:
        caught, alarms = (sum(lead >= threshold for lead in part) for part in leads)
        counts = (caught, len(leads.without), alarms, len(leads.with_answer))
        totals += counts
        print("{}, {:.2f}: {} of {} told, {} false alarms in {}".format(name, threshold, *counts))
    print("all: {} of {} told, {} false alarms in {}".format(*totals))


if __name__ == "__main__":
    sys.exit(main())
