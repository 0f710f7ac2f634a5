"""Activity of the person and state of the connection, as the window reports them."""

import time
from collections.abc import Callable
from typing import Final

_QUIET_AFTER_S: Final = 30.0


class Activity:
    """Reports of the window; nothing of them is stored.

    Args:
        monotonic: A clock that is never set.
    """

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._typed_at: float | None = None
        self.is_metered = False

    def note_typing(self) -> None:
        """Take note that the person types."""
        self._typed_at = self._monotonic()

    def is_typing(self) -> bool:
        """Return whether the person typed within the last half minute."""
        return self._typed_at is not None and self._monotonic() - self._typed_at < _QUIET_AFTER_S
