"""A rotating JSONL file of spans, written by one queue so that no caller waits for the disk.

A disk that takes no trace costs only the trace: the vault goes on.
"""

import contextlib
import io
import json
import logging
import logging.handlers
import os
import queue
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from app.errors import KeepsakeError

_log = logging.getLogger(__name__)

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
        if folder is not None and _is_made(folder):
            self._handler = _PrivateFile(
                folder / "trace.jsonl", maxBytes=MAX_BYTES, backupCount=KEEP, encoding="utf-8", delay=True
            )
            self._listener = logging.handlers.QueueListener(self._queue, self._handler)
            self._listener.start()

    def event(self, name: str, /, **facts: Scalar) -> None:
        """Write one event with its facts, which must be metadata: counts, names of models, durations."""
        if self._listener is None:
            return
        line = json.dumps({"at": round(time.time(), 3), "event": name, **facts}, separators=(",", ":"))
        self._queue.put(logging.LogRecord("keepsake.trace", logging.INFO, "", 0, line, None, None))

    @contextmanager
    def span(self, name: str, /, **facts: Scalar) -> Iterator[dict[str, Scalar]]:
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


class _PrivateFile(logging.handlers.RotatingFileHandler):
    """A file for its owner only; what the disk refuses is dropped without a word on the console."""

    def _open(self) -> io.TextIOWrapper:
        handle = os.open(self.baseFilename, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        return io.TextIOWrapper(os.fdopen(handle, "ab"), encoding=self.encoding)

    def handleError(self, record: logging.LogRecord) -> None:
        """Drop the record and the file: it is opened anew for the next one."""
        del record
        stream, self.stream = self.stream, None
        if stream is not None:
            with contextlib.suppress(OSError):  # closing writes what is left once more
                stream.close()


def _is_made(folder: Path) -> bool:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        _log.info("no trace is kept: %s", error.strerror)
        return False
    return True
