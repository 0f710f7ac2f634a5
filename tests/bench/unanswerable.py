"""``python -m tests.bench.unanswerable DIR``: how often LoCoMo's questions are told to have no answer.

Rates are printed by conversation, for the questions that have none and, as false alarms, for those that have one.
"""

import sys
import tempfile
from pathlib import Path

from app.host import Host
from app.retrieval.results.unanswered import NOTE
from tests.bench.retrieval.datasets import load, unanswerable
from tests.bench.retrieval.runner import fill


def main() -> int:
    """Print the rates of each conversation under the folder given."""
    folder = Path(sys.argv[1])
    questions = unanswerable(folder)
    for haystack in load("locomo", folder):
        without = questions[haystack.name]
        with_answer = [one.text for one in haystack.questions if one.text not in without]
        with tempfile.TemporaryDirectory(prefix="keepsake-bench-") as place:
            host = Host(Path(place) / "vault", serve=False)
            host.start()
            try:
                fill(host, haystack)
                host.ask("vault.settle")
                flagged = {
                    text: NOTE in host.ask("memory.search", query=text).notes for text in (*without, *with_answer)
                }
            finally:
                host.stop()
        caught, alarms = (sum(map(flagged.__getitem__, texts)) for texts in (without, with_answer))
        print(f"{haystack.name}: {caught} of {len(without)} told, {alarms} false alarms in {len(with_answer)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
