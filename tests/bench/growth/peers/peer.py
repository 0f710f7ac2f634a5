"""What every other store is asked: to take the turns in, to be opened again, and to answer."""

import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Protocol

from tests.bench.growth import workload
from tests.bench.growth.footprint import disk_bytes, memory
from tests.bench.growth.measurements import MeasurementFiles, timed
from tests.bench.growth.workload import Turn

if TYPE_CHECKING:
    from tests.bench.growth.workload import Floats

LIMIT = 20  # answers to a question
_REPORT_EVERY = 1_000


class Peer(Protocol):
    """A store that is open."""

    batch: int
    """How many turns it is given at once."""

    def add(self, turns: Sequence[Turn], vectors: "Floats") -> None:
        """Store turns; returns when they can be found."""

    def search(self, text: str, vector: "Floats") -> int:
        """Return how many answers there were."""

    def close(self) -> None:
        """Let everything be on the disk."""


def measure(open_peer: Callable[[Path], Peer]) -> int:
    """Do one phase, as the command line says: folder to tell in, phase, material, store, size, seconds at most."""
    reported, phase, given, store, size, limit_s = sys.argv[1:7]
    telling = MeasurementFiles(Path(reported))
    Path(store).mkdir(exist_ok=True)
    begun = perf_counter()
    peer = open_peer(Path(store))
    opened_ms = (perf_counter() - begun) * 1000
    if phase == "fill":
        result = _fill(peer, Path(given), Path(store), int(size), telling)
    else:
        result = {"open_ms": round(opened_ms, 1)} | _ask(peer, Path(given), float(limit_s))
        peer.close()
    telling.measured(result)
    return 0


def _fill(peer: Peer, given: Path, store: Path, size: int, telling: MeasurementFiles) -> dict[str, object]:
    seconds, worked, done = 0.0, 0.0, 0
    for turns, vectors in workload.batches(given, size, peer.batch):
        begun, before = perf_counter(), process_time()
        peer.add(turns, vectors)
        seconds, worked = seconds + perf_counter() - begun, worked + process_time() - before
        done += len(turns)
        if done % _REPORT_EVERY < len(turns):
            telling.at(str(done))
    after = memory()
    peer.close()
    return {
        "add_per_s": round(size / seconds, 1),
        "add_cpu_s": round(worked, 1),
        "fill_memory": after,
        "disk_per_message": round(disk_bytes(store) / size, 1),
    }


def _ask(peer: Peer, given: Path, limit_s: float) -> dict[str, object]:
    requested = list(zip(workload.questions(given), workload.question_vectors(given), strict=True))
    calls = [partial(peer.search, text, vector) for text, vector in requested]
    if not all(call() for call in calls[: workload.WARM_UP]):
        raise RuntimeError("nothing was found")
    # Where one answer takes many seconds, fewer questions tell as much.
    found = timed(calls[workload.WARM_UP :], limit_s / 2)
    return {"search": {"default": found}, "memory": memory()}
