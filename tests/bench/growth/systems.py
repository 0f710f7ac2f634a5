"""One system at one size: its processes, one after the other, and what they measured as one."""

import shutil
import sys
from pathlib import Path
from typing import Any

from tests.bench.growth.child_process import ChildError, measured

_OWN, _TYPED = "tests.bench.growth.keepsake_system", "tests.bench.growth.search_pane"
_PEERS = "tests.bench.growth.peers"


class SystemBenchmark:
    """Runs systems over the same material.

    Args:
        folder: Where everything is made.
        python: The interpreter of the other systems.
        limit_s: How long a step of another system may take.
    """

    def __init__(self, folder: Path, python: str, limit_s: float) -> None:
        self._folder = folder
        self._python = python
        self._limit_s = limit_s
        self.given = folder / "material"
        self.given.mkdir()

    def own(self, size: int, *, with_strain: bool) -> dict[str, Any]:
        """Measure Keepsake; under ``failed`` is what failed, by phase."""
        place = self._folder / f"keepsake-{size}"
        vault, shared = str(place / "vault"), str(self.given)
        result = measured(sys.executable, _OWN, ["fill", shared, vault, str(size)], place / "fill", None)
        for phase in ("ask", "typed", *(("strain",) if with_strain else ())):
            try:
                if phase == "typed":
                    result["typed"] = measured(sys.executable, _TYPED, [shared, vault], place / phase, None)
                else:
                    arguments = [phase, shared, vault, str(size)]
                    result |= measured(sys.executable, _OWN, arguments, place / phase, None)
            except ChildError as error:
                # What was measured before took long enough to be worth keeping.
                print(error)
                result.setdefault("failed", {})[phase] = str(error)
        shutil.rmtree(place)
        return result

    def peer(self, name: str, size: int) -> dict[str, Any]:
        """Measure another system; under ``stopped`` is what it was stopped at, or that it failed."""
        place = self._folder / f"{name}-{size}"
        result: dict[str, Any] = {}
        for phase in ("fill", "ask"):
            arguments = [phase, str(self.given), str(place / "store"), str(size), str(self._limit_s)]
            module = f"{_PEERS}.with_{name}"
            try:
                result |= measured(self._python, module, arguments, place / phase, self._limit_s)
            except ChildError as error:
                # What the others do is still worth knowing.
                print(error)
                result["stopped"] = {"error": str(error)}
            if "stopped" in result:
                result["stopped"] |= {"phase": phase, "size": size}
                break
        shutil.rmtree(place)
        return result
