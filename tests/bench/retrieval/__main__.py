"""``python -m tests.bench.retrieval --dataset locomo --data DIR [--recipe R] [--embedder E] --json OUT``."""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from app.config.schema import RECIPES
from tests.bench.machine import machine
from tests.bench.retrieval.datasets import LOADERS, load
from tests.bench.retrieval.runner import Tally, limited, of_roles, run
from tests.bench.retrieval.values import DataError

_SHOWN = ("share@1", "share@5", "share@10", "share@20", "any@5", "any@10", "all@10", "mrr", "ndcg@10")


def main() -> int:
    """Run one data set with one recipe and print what was found."""
    options = _options()
    tally = Tally()
    try:
        for haystack in limited(of_roles(load(options.dataset, options.data), options.roles), options.haystacks):
            run(haystack, options.recipe, options.embedder, tally, options.folder, with_context=options.context)
            print(f"{haystack.name}: {len(haystack.turns)} turns, {len(haystack.questions)} questions", file=sys.stderr)
    except DataError as error:
        print(f"retrieval: {error}", file=sys.stderr)
        return 2
    chosen = {name: getattr(options, name) for name in ("dataset", "recipe", "embedder", "roles")}
    report = {**chosen, **tally.report()}
    report["machine"] = machine()
    _show(report)
    if options.json:
        options.json.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.retrieval", description=__doc__)
    parser.add_argument("--dataset", required=True, choices=sorted(LOADERS))
    parser.add_argument("--data", required=True, type=Path, help="folder of the data set in its published shape")
    parser.add_argument("--recipe", default="learned", choices=RECIPES)
    parser.add_argument("--embedder", default="static")
    parser.add_argument("--folder", default="", help="folder of a fastembed model")
    parser.add_argument("--roles", default="both", choices=("both", "user"), help="whose turns are stored")
    parser.add_argument("--haystacks", type=int, help="only the first so many conversations")
    parser.add_argument("--context", action="store_true", help="also what contexts for the questions tell")
    parser.add_argument("--json", type=Path, help="where to write the report")
    return parser.parse_args()


def _show(report: dict[str, Any]) -> None:
    print(f"{report['dataset']}, {report['recipe']}, {report['embedder']}: {report['questions']} questions")
    for unit, scores in report["units"].items():
        if not scores["by_category"]:
            continue
        print(f"\n{unit:10}" + "".join(f"{name:>10}" for name in _SHOWN))
        rows = {"all": scores, **{f"category {name}": row for name, row in scores["by_category"].items()}}
        for name, row in rows.items():
            print(f"{name:10.10}" + "".join(f"{row[metric]:10.3f}" for metric in _SHOWN))
        for place, bound in enumerate(("2.5 %", "97.5 %")):
            print(f"{bound:10}" + "".join(f"{scores['interval'][metric][place]:10.3f}" for metric in _SHOWN))
    if results := report.get("context"):
        print(
            f"\ncontext: {results['share']:.3f} of the evidence in {results['items']:.1f} items,"
            f" {results['tokens']:.0f} tokens; {results['searched']:.3f} in as many hits of a search"
        )
    print(f"\nsearch p50 {report['latency_ms']['p50']} ms, p95 {report['latency_ms']['p95']} ms on {report['machine']}")


if __name__ == "__main__":
    sys.exit(main())
