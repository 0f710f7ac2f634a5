"""Token bucket: how often an agent may call."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

from app.errors import TooManyCallsError
from app.sentence import Sentence


@dataclass(frozen=True, slots=True)
class Rate:
    """Calls that an agent may make.

    Args:
        per_second: Calls a second in the long run.
        burst: Calls at once after a rest.
    """

    per_second: float
    burst: int


class TokenBucket:
    """A bucket that fills at a rate and is emptied by calls.

    Args:
        rate: Returns the rate as it is now.
        now: Returns seconds of a clock that only goes forward.
    """

    def __init__(self, rate: Callable[[], Rate], now: Callable[[], float] = time.monotonic) -> None:
        self._rate = rate
        self._now = now
        self._level = float(rate().burst)
        self._filled_at = now()

    def take(self) -> None:
        """Count a call.

        Raises:
            TooManyCallsError: The bucket is empty.
        """
        rate, now = self._rate(), self._now()
        self._level = min(rate.burst, self._level + (now - self._filled_at) * rate.per_second)
        self._filled_at = now
        if self._level < 1:
            wait = (1 - self._level) / rate.per_second
            raise TooManyCallsError(
                Sentence(
                    "This program may call {rate} times a second. Try again in {wait} s.",
                    rate=f"{rate.per_second:g}",
                    wait=f"{wait:.2f}",
                ),
                retry_after=math.ceil(wait * 1000 + 1) / 1000,
                per_second=rate.per_second,
            )
        self._level -= 1
