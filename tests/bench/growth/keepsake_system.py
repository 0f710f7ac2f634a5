"""Keepsake under measurement: filled, reopened, searched, searched with filters, and searched under load.

``python -m tests.bench.growth.keepsake_system TELLING PHASE MATERIAL VAULT SIZE``. The phases are ``fill``, ``ask`` and
``strain``.
"""

import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

from app.host import Host
from tests.bench.growth import filters, search_under_load, workload
from tests.bench.growth.footprint import disk_bytes, files, memory
from tests.bench.growth.measurements import MeasurementFiles, timed

LIMIT = 20
SHOWN = 50  # what the window asks for
RECIPES = {"default": None, "vector": "vector", "words": "words"}
_OVERRIDES = {"backup.daily": False}  # a copy of everything: not what a turn takes, and it would run in between


def open_vault(vault: Path) -> Host:
    """Return the vault, open in this process."""
    host = Host(vault, serve=False, overrides=_OVERRIDES)
    host.start()
    return host


def main() -> int:
    """Do one phase."""
    reported, phase, given, vault, size = sys.argv[1:6]
    telling, begun = MeasurementFiles(Path(reported)), time.perf_counter()
    host = open_vault(Path(vault))
    opened_ms = round((time.perf_counter() - begun) * 1000, 1)
    try:
        if phase == "fill":
            result = _fill(host, workload.import_file(Path(given), int(size)), int(size), telling)
        elif phase == "ask":
            result = {"open_ms": opened_ms} | _ask(host, workload.questions(Path(given)))
        else:
            result = _strain(host, Path(reported), workload.questions(Path(given)), int(size), telling)
    finally:
        host.stop()
    if phase == "fill":
        result["disk_per_message"] = round(disk_bytes(Path(vault)) / int(size), 1)
        result["disk_files"] = files(Path(vault))
    telling.measured(result)
    return 0


def _fill(host: Host, source: Path, size: int, telling: MeasurementFiles) -> dict[str, Any]:
    begun, worked = time.perf_counter(), time.process_time()
    imported = host.ask("exchange.import", path=str(source))
    if imported.messages != size:
        raise RuntimeError(f"imported {imported.messages} of {size}: {imported.problems[:3]}")
    words = time.perf_counter() - begun
    telling.at("searchable by words")
    host.ask("vault.settle")
    whole, worked = time.perf_counter() - begun, time.process_time() - worked
    telling.at("searchable by meaning")
    host.ask("vault.settle", names=True)
    return {
        "add_per_s": round(size / whole, 1),
        "by_words_per_s": round(size / words, 1),
        "add_cpu_s": round(worked, 1),
        "names_s": round(time.perf_counter() - begun - whole, 1),
        "fill_memory": memory(),
    }


def _ask(host: Host, questions: list[str]) -> dict[str, Any]:
    search = partial(host.ask, "memory.search", limit=LIMIT)
    first = timed([partial(search, query=questions[0])])
    result: dict[str, Any] = {"first_ms": first["p50_ms"], "search": {}}
    for name, recipe in RECIPES.items():
        result["search"][name] = _times([partial(search, query=text, recipe=recipe) for text in questions])
        if name == "default":
            result["memory"] = memory()
    as_typed = partial(host.ask, "memory.search", limit=SHOWN, legs=["words"])
    result["search"]["first words"] = _times([partial(as_typed, query=text) for text in questions])
    return result


def _times(work: list[Any]) -> dict[str, Any]:
    for one in work[: workload.WARM_UP]:
        one()
    return timed(work[workload.WARM_UP :])


def _strain(host: Host, folder: Path, questions: list[str], size: int, telling: MeasurementFiles) -> dict[str, Any]:
    result: dict[str, Any] = {"memories": filters.add(host, folder, size)}
    telling.at("filters")
    result["filters"] = filters.measure(host, questions, size)
    telling.at("importing")
    result["importing"] = search_under_load.importing(host, folder, questions, size)
    telling.at("re-embedding")
    result["re_embedding"] = search_under_load.re_embedding(host, questions)
    return result


if __name__ == "__main__":
    sys.exit(main())
