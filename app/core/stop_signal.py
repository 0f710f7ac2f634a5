"""Stop signal: asks long work on another thread to stop."""

import threading

from app.errors import CancelledByPersonError


class StopSignal:
    """A request to stop, which the work looks for at safe points."""

    def __init__(self) -> None:
        self._is_set = threading.Event()

    @property
    def is_set(self) -> bool:
        """True when the work should stop."""
        return self._is_set.is_set()

    def set(self) -> None:
        """Request the work to stop; there is no way back."""
        self._is_set.set()

    def check(self) -> None:
        """Stop here if that was requested.

        Raises:
            CancelledByPersonError: It was.
        """
        if self._is_set.is_set():
            raise CancelledByPersonError("This was stopped before it was done.")
