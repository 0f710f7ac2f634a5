"""``python -m tests.bench.unasked DATASET DIR [--skip N] [--haystacks N] [--questions N]``: what a hook tells.

Each vault is asked twice, as an agent asks and as a client that passes every prompt on by itself: with requests that
need no memory, and with questions of the data set. Printed are how many prompts are told something, the tokens told for
a prompt, and for questions how often what is told holds evidence.
"""

import argparse
import random
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Final

from app.host import Host
from tests.bench.retrieval.datasets import load
from tests.bench.retrieval.runner import fill, sessions_of
from tests.bench.retrieval.values import Haystack, Note, Question, Turn

_REQUESTS: Final = Path(__file__).with_name("unasked_requests.txt")
_SEED: Final = 7


@dataclass(frozen=True, slots=True)
class Reply:
    """What one prompt was told: tokens, and whether evidence is among it."""

    tokens: int
    has_evidence: bool


def main() -> int:
    """Print the table of one data set."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("dataset")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--skip", type=int, default=0, help="haystacks left out at the start")
    parser.add_argument("--haystacks", type=int, default=2)
    parser.add_argument("--questions", type=int, default=60, help="of each haystack")
    options = parser.parse_args()
    requests = [Question(line, frozenset(), "") for line in _REQUESTS.read_text("utf-8").split("\n") if line]
    replies: dict[tuple[str, bool], list[Reply]] = {}
    haystacks = islice(load(options.dataset, options.folder), options.skip, options.skip + options.haystacks)
    for haystack in haystacks:
        known = [question for question in haystack.questions if question.evidence or question.sessions]
        chosen = random.Random(_SEED).sample(known, min(options.questions, len(known)))
        for kind, unasked, answer in _answers(haystack, {"requests": requests, "questions": chosen}):
            replies.setdefault((kind, unasked), []).append(answer)
    print(f"{'prompts':<10} {'unasked':<8} {'number':>6} {'told':>6} {'tokens':>7} {'evidence':>9}")
    for (kind, unasked), answers in sorted(replies.items()):
        count = len(answers)
        share = sum(answer.tokens > 0 for answer in answers) / count
        tokens = sum(answer.tokens for answer in answers) / count
        evidence = sum(answer.has_evidence for answer in answers) / count
        print(f"{kind:<10} {unasked!s:<8} {count:>6} {share:>6.2f} {tokens:>7.0f} {evidence:>9.3f}")
    return 0


def _answers(haystack: Haystack, prompts: dict[str, list[Question]]) -> Iterator[tuple[str, bool, Reply]]:
    with tempfile.TemporaryDirectory(prefix="keepsake-bench-") as place:
        host = Host(Path(place) / "vault", serve=False)
        host.start()
        try:
            names = fill(host, haystack)
            host.ask("vault.settle")
            for kind, questions in prompts.items():
                for question in questions:
                    for unasked in (False, True):
                        yield kind, unasked, _reply(host, question, names, unasked=unasked)
        finally:
            host.stop()


def _reply(host: Host, question: Question, names: dict[str, Turn | Note], *, unasked: bool) -> Reply:
    context = host.ask("memory.context", prompt=question.text, sections=["facts", "turns"], unasked=unasked)
    recalled = [names[item.id] for part in context.sections for item in part.items if item.id in names]
    sessions = question.sessions or sessions_of(question, names)
    evidence = any(
        entry.id in question.evidence if question.evidence else isinstance(entry, Turn) and entry.session in sessions
        for entry in recalled
        if entry.text != question.text
    )
    return Reply(context.tokens, evidence)


if __name__ == "__main__":
    raise SystemExit(main())
