"""The databases that SQLite has open in this process.

Nobody else may open their files here, not even to read: see ``app.store.files.database_file``.
"""

import os
import threading
from collections import Counter
from pathlib import Path

_SHARED_INDEX = "-shm"  # of the log; SQLite locks it too

_paths: Counter[Path] = Counter()
_lock = threading.Lock()


def add(path: Path) -> None:
    """Count one more connection to a database."""
    with _lock:
        _paths[path] += 1


def remove(path: Path) -> None:
    """Count one connection less."""
    with _lock:
        _paths[path] -= 1
        if not _paths[path]:
            del _paths[path]


def is_open(path: Path | str) -> bool:
    """Return whether a file, by any name, is an open database or its log's index."""
    try:
        status = os.stat(path)  # noqa: PTH116  (a name that is no path is none of them)
    except (OSError, ValueError):
        return False
    return any(_is_same(status, other) for other in _files())


def _files() -> list[Path]:
    with _lock:
        return [file for path in _paths for file in (path, path.with_name(path.name + _SHARED_INDEX))]


def _is_same(status: os.stat_result, other: Path) -> bool:
    try:
        return os.path.samestat(status, other.stat())
    except OSError:
        return False
