"""How cost grows: ``python -m tests.bench.growth --sizes 10000,100000,1000000 --json OUT --picture PNG``.

Each system stores the same made-up conversations (see ``material``) in a process of its own; a second process opens
what was stored, asks 200 questions for 20 answers each, and tells how much memory it takes. The disk is looked at in
between. Keepsake makes its vectors within the time that is measured, with its built-in table of 256 dimensions; the
other systems are given these same vectors ready made, so that stores are compared and no model is fetched.

Other systems are measured where they can be imported, from an environment of their own that you make and throw away::

    python3 -m venv /tmp/peers
    /tmp/peers/bin/pip install chromadb mem0ai qdrant-client
    python -m tests.bench.growth --peers chromadb,mem0 --peer-python /tmp/peers/bin/python

They send nothing: telemetry is switched off, and mem0 stores turns as they are, without a language model. One that
takes longer than ``--limit-minutes`` for one step is stopped, and is not tried with more turns.
"""

import argparse
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.bench.growth import plot, workload
from tests.bench.growth.child_process import ChildError, version_of
from tests.bench.growth.footprint import cores
from tests.bench.growth.report_text import show
from tests.bench.growth.systems import SystemBenchmark
from tests.bench.machine import machine

PEERS = {"chromadb": ("chromadb", ("chromadb",)), "mem0": ("mem0ai", ("mem0", "qdrant_client"))}
"""Of each other system, the package that its version is of, and what must be there."""


def main() -> int:
    """Measure, print, write and draw."""
    options = _options()
    peers = _usable(options.peers, options.peer_python)
    report: dict[str, Any] = {
        "machine": machine(),
        "cores": cores(),
        "sizes": options.sizes,
        "limit_minutes": options.limit_minutes,
        "versions": peers,
        "systems": {"Keepsake": {}} | {name: {} for name in peers},
    }
    with tempfile.TemporaryDirectory(prefix="keepsake-growth-", dir=options.folder) as folder:
        _measure(SystemBenchmark(Path(folder), options.peer_python, options.limit_minutes * 60), options, report)
    show(report)
    if options.picture:
        plot.draw(report, options.picture)
    return int(any("failed" in run for run in report["systems"]["Keepsake"].values()))


def _measure(bench: SystemBenchmark, options: argparse.Namespace, report: dict[str, Any]) -> None:
    workload.prepare(bench.given, options.sizes, with_vectors=bool(report["versions"]))
    for size in options.sizes:
        for name, runs in report["systems"].items():
            print(f"{size:,}: {name} …", flush=True)
            if name == "Keepsake":
                runs[str(size)] = bench.own(size, with_strain=not options.no_strain)
            elif stopped := next((before for before in runs.values() if "stopped" in before), None):
                runs[str(size)] = {"stopped": stopped["stopped"] | {"is_left_out": True}}
            else:
                runs[str(size)] = bench.peer(name, size)
            # What took hours is kept also when the next system fails.
            if options.json:
                options.json.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


def _usable(names: list[str], python: str) -> dict[str, str]:
    """Return the systems that are there, with their versions."""
    usable: dict[str, str] = {}
    for name in names:
        try:
            usable[name] = version_of(python, *PEERS[name])
        except (ChildError, OSError) as error:
            print(f"{name} is left out, for {python} cannot import it: {error}")
    return usable


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.bench.growth", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", type=_sizes, default=[10_000, 100_000], help="numbers of turns, with commas between")
    parser.add_argument("--peers", type=_names, default=[], help="chromadb, mem0, or both with a comma between")
    parser.add_argument("--peer-python", default=sys.executable, help="the interpreter that has them")
    parser.add_argument("--limit-minutes", type=float, default=60.0, help="how long a step of a peer may take")
    parser.add_argument("--no-strain", action="store_true", help="leave out filters and searches while it works")
    parser.add_argument("--folder", type=Path, help="where the stores are made for a while; takes 15 GB for a million")
    parser.add_argument("--json", type=Path, help="where to write the report")
    parser.add_argument("--picture", type=Path, help="where to draw the curves")
    return parser.parse_args()


def _sizes(text: str) -> list[int]:
    return sorted({int(part.replace("_", "")) for part in text.split(",")})


def _names(text: str) -> list[str]:
    names = [part.strip() for part in text.split(",") if part.strip()]
    if unknown := [name for name in names if name not in PEERS]:
        raise argparse.ArgumentTypeError(f"there is no {unknown[0]}; there are {', '.join(PEERS)}")
    return names


if __name__ == "__main__":
    sys.exit(main())
