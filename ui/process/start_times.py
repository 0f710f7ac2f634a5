"""Times of the start: milliseconds from the first line of the program to each step."""

import time

_BEGAN = time.perf_counter()
_TIMES: dict[str, float] = {}


def mark(step: str) -> None:
    """Note that a step of the start is done; only the first time counts."""
    _TIMES.setdefault(step, (time.perf_counter() - _BEGAN) * 1000)


def times() -> dict[str, float]:
    """Return the milliseconds of each step, in the order in which they were done."""
    return dict(_TIMES)
