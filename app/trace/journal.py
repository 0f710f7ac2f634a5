"""A rotating JSONL file of spans, written by one queue so that no caller waits for the disk."""

import json
import logging
import logging.handlers
import queue
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from app.errors import KeepsakeError

MAX_BYTES = 4 * 1024 * 1024
KEEP = 3

Scalar = str | int | float | bool | None


class Trace:
    """Writes spans to ``<vault>/trace/trace.jsonl``; without a folder, drops them.

    Args:
        folder: Where to write, ``None`` for nowhere.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._queue: queue.SimpleQueue[logging.LogRecord] = queue.SimpleQueue()
        self._listener: logging.handlers.QueueListener | None = None
        self._handler: logging.Handler | None = None
        if folder is not None:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._handler = logging.handlers.RotatingFileHandler(
                folder / "trace.jsonl", maxBytes=MAX_BYTES, backupCount=KEEP, encoding="utf-8", delay=True
            )
            self._listener = logging.handlers.QueueListener(self._queue, self._handler)
            self._listener.start()

    def event(self, name: str, **facts: Scalar) -> None:
        """Write one event with its facts, which must be metadata: counts, names of models, durations."""
        if self._listener is None:
            return
        line = json.dumps({"at": round(time.time(), 3), "event": name, **facts}, separators=(",", ":"))
        self._queue.put(logging.LogRecord("keepsake.trace", logging.INFO, "", 0, line, None, None))

    @contextmanager
    def span(self, name: str, **facts: Scalar) -> Iterator[dict[str, Scalar]]:
        """Time the block and write it as an event; the block may add facts to the mapping it gets."""
        begun = time.perf_counter()
        added: dict[str, Scalar] = dict(facts)
        try:
            yield added
        except KeepsakeError as error:
            added["error"] = error.code
            raise
        finally:
            self.event(name, ms=round((time.perf_counter() - begun) * 1000, 2), **added)

    def close(self) -> None:
        """Write what is queued and close the file."""
        if self._listener is not None:
            self._listener.stop()
        if self._handler is not None:
            self._handler.close()
        self._listener = None
