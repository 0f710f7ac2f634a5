"""Start of the MCP server: ``python -m tests.bench.mcp_start`` prints cold first answers in milliseconds.

The ratio is to ``python -c pass`` in the same run, so that a busy machine does not change the picture.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.helpers.mcp_clients import RawClient

GOAL_MS = 300


def bare_ms() -> float:
    """Return how long an empty Python process takes."""
    begun = time.perf_counter()
    subprocess.run([sys.executable, "-c", "pass"], check=True)
    return (time.perf_counter() - begun) * 1000


def first_answers_ms(vault: Path, profile: str) -> tuple[float, float]:
    """Return how long a new server takes to answer ``initialize``, and then the list of its tools."""
    begun = time.perf_counter()
    client = RawClient(vault, "", "--profile", profile)
    try:
        client.greet()
        greeted = time.perf_counter()
        client.ask(1, "tools/list")
        return (greeted - begun) * 1000, (time.perf_counter() - begun) * 1000
    finally:
        client.process.kill()
        client.process.communicate()


def main() -> int:
    """Measure and print; return 1 where the goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--profile", default="small", choices=["small", "reference", "files"])
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        vault = Path(folder) / "vault"
        pairs = [(bare_ms(), *first_answers_ms(vault, options.profile)) for _ in range(options.runs)]
    bare, greeted, listed = (statistics.median(column) for column in zip(*pairs, strict=True))
    found = {
        "python_ms": round(bare, 1),
        "first_answer_ms": round(greeted, 1),
        "tools_list_ms": round(listed, 1),
        "worst_first_answer_ms": round(max(pair[1] for pair in pairs), 1),
        "ratio": round(greeted / bare, 2),
        "goal_ms": GOAL_MS,
    }
    print(json.dumps(found, indent=2))
    if options.json is not None:
        options.json.write_text(json.dumps(found), encoding="utf-8")
    return 0 if greeted < GOAL_MS else 1


if __name__ == "__main__":
    sys.exit(main())
