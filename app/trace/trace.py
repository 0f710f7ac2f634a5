"""Trace: a rotating JSONL file of spans, written by a thread of its own.

Metadata by construction: a fact is a number, a switch, or a name of the program's own; anything else becomes "?".
A disk that takes no trace costs only the trace: the vault goes on.
"""

import logging
import queue
import re
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import msgspec

from app.core.regular_files import make_folder
from app.errors import KeepsakeError
from app.trace.rotation import RotatingFile

_log = logging.getLogger(__name__)

FILE: Final = "trace.jsonl"
MAX_BYTES: Final = 4 * 1024 * 1024
KEEP: Final = 3
HIDDEN: Final = "?"
# Facts that may be names; what they name is declared in the program or, for a model, by its files.
NAMES: Final = frozenset(
    {
        "access",
        "action",
        "area",
        "code",
        "decided_by",
        "error",
        "extractor",
        "kind",
        "leg",
        "made_by",
        "model",
        "operation",
        "outcome",
        "provider",
        "reason",
        "recipe",
        "stage",
        "status",
        "trust",
        "work",
    }
)

Scalar = str | int | float | bool | None
_Event = tuple[float, str, dict[str, Scalar]]

_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_.:/+-]{0,95}")
_EVENT: Final = re.compile(r"[a-z][a-z0-9_.]{0,47}")
_FIELD: Final = re.compile(r"[a-z][a-z0-9_]{0,31}")
_GATHERING_S: Final = 0.1  # so long lines are gathered to be written at once
_LONGEST: Final = 1 << 63


class Trace:
    """Writes spans to ``<vault>/trace/trace.jsonl``; without a folder, drops them.

    Args:
        folder: Where to write, ``None`` for nowhere.
        max_bytes: Size at which a file is set aside for a new one.
        keep: How many older files are kept.
    """

    def __init__(self, folder: Path | None = None, *, max_bytes: int = MAX_BYTES, keep: int = KEEP) -> None:
        self._events: queue.SimpleQueue[_Event] = queue.SimpleQueue()
        self._closing = threading.Event()
        self._thread: threading.Thread | None = None
        if folder is not None and _is_made(folder):
            self._file = RotatingFile(folder / FILE, max_bytes, keep)
            self._thread = threading.Thread(target=self._write_out, name="keepsake-trace", daemon=True)
            self._thread.start()

    @property
    def is_kept(self) -> bool:
        """Return whether anything is written."""
        return self._thread is not None

    def event(self, name: str, /, **facts: Scalar) -> None:
        """Write one event with its facts: counts, durations, and names where ``NAMES`` has the field."""
        if self._thread is None:
            return
        self._events.put((time.time(), name, facts))

    @contextmanager
    def span(self, name: str, /, **facts: Scalar) -> Iterator[dict[str, Scalar]]:
        """Time the block and write it as an event.

        The block may add facts to the mapping it gets.
        """
        begun = time.perf_counter()
        added: dict[str, Scalar] = dict(facts)
        try:
            yield added
        except KeepsakeError as error:
            added["error"] = error.code
            raise
        except BaseException as error:
            added["error"] = type(error).__name__
            raise
        finally:
            self.event(name, ms=round((time.perf_counter() - begun) * 1000, 2), **added)

    def close(self) -> None:
        """Write what is queued and close the file."""
        thread, self._thread = self._thread, None
        if thread is not None:
            self._closing.set()
            thread.join()

    def _write_out(self) -> None:
        is_last = False
        while not is_last:
            is_last = self._closing.wait(_GATHERING_S)
            if lines := self._gathered():
                self._file.append(lines)
        self._file.close()

    def _gathered(self) -> list[bytes]:
        lines: list[bytes] = []
        while not self._events.empty():  # nobody else takes any
            lines.append(_line(*self._events.get()))
        return lines


def _line(at: float, name: str, facts: Mapping[str, object]) -> bytes:
    line: dict[str, Scalar] = {"at": round(at, 3), "event": name if _EVENT.fullmatch(name) else HIDDEN}
    line |= {field: _clean(field, fact) for field, fact in facts.items() if _FIELD.fullmatch(field)}
    return msgspec.json.encode(line) + b"\n"


def _clean(field: str, fact: object) -> Scalar:
    if isinstance(fact, bool):
        return fact
    if fact is None or fact == "":
        return None
    if isinstance(fact, int):
        return int(fact) if abs(fact) < _LONGEST else HIDDEN
    if isinstance(fact, float):
        return float(fact) if fact - fact == 0 else HIDDEN
    if isinstance(fact, str) and field in NAMES and _NAME.fullmatch(fact):
        return fact
    return HIDDEN


def _is_made(folder: Path) -> bool:
    try:
        make_folder(folder)
    except OSError as error:
        _log.info("no trace is kept: %s", error.strerror)
        return False
    return True
