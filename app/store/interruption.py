"""Interruption of a statement by a stop signal."""

from collections.abc import Iterator
from contextlib import contextmanager

import apsw

from app.core.stop_signal import StopSignal
from app.errors import TimeLimitError

_INSTRUCTIONS = 20_000  # of SQLite's machine, between two looks: about a millisecond


@contextmanager
def interruptible(connection: apsw.Connection, stop: StopSignal) -> Iterator[None]:
    """Stop the statements of ``connection`` inside the block when ``stop`` is set.

    Raises:
        CancelledByPersonError: One was stopped, or the signal was set before.
    """
    stop.check()
    connection.set_progress_handler(lambda: stop.is_set, _INSTRUCTIONS)
    try:
        yield
    except (apsw.InterruptError, TimeLimitError):
        stop.check()
        raise
    finally:
        connection.set_progress_handler(None)
