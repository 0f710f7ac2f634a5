"""Standard input and output of the MCP server, served before the library is loaded."""

import json
import os
import threading
from collections.abc import Callable
from typing import Any, Final

from app.mcp.early_answers import EarlyAnswers

Deliver = Callable[[bytes | None], None]

_PART: Final = 1 << 16
MAX_LINE: Final = 32 << 20


class StdioFront:
    """Front of a stdio server.

    Standard output is kept for the protocol: whatever else the process prints goes to standard error.

    Args:
        early: Answers given until ``attach``.
    """

    def __init__(self, early: EarlyAnswers) -> None:
        self.has_input = threading.Event()
        self._early = early
        self._input, self._output = os.dup(0), os.dup(1)
        empty = os.open(os.devnull, os.O_RDONLY)
        os.dup2(empty, 0)
        os.close(empty)
        os.dup2(2, 1)
        self._lock = threading.Lock()
        self._writing = threading.Lock()
        self._backlog: list[bytes | None] = []
        self._deliver: Deliver | None = None
        self._answered: set[str | int] = set()

    def start(self) -> None:
        """Read standard input on a daemon thread."""
        threading.Thread(target=self._read, name="stdin", daemon=True).start()

    def attach(self, deliver: Deliver) -> None:
        """Hand every line on from now on, those kept back first.

        Args:
            deliver: Takes a line on any thread and returns at once; ``None`` is the end of the input.
        """
        with self._lock:
            for line in self._backlog:
                deliver(line)
            self._backlog.clear()
            self._deliver = deliver

    def write(self, frame: bytes) -> None:
        """Write a message and its line end; waits for a client that reads slowly."""
        with self._writing:
            rest = memoryview(frame + b"\n")
            while rest:
                rest = rest[os.write(self._output, rest) :]

    def was_answered(self, key: str | int | None) -> bool:
        """Return, once, whether a request was answered here already."""
        if key is None or key not in self._answered:
            return False
        self._answered.discard(key)
        return True

    def _read(self) -> None:
        buffer = bytearray()
        while True:
            try:
                part = os.read(self._input, _PART)
            except OSError:
                part = b""
            if not part or len(buffer) > MAX_LINE:
                self._pass_on(None)
                return
            buffer += part
            if b"\n" in part:
                *lines, rest = buffer.split(b"\n")
                buffer = bytearray(rest)
                for line in lines:
                    if line.strip():
                        self._pass_on(bytes(line))

    def _pass_on(self, line: bytes | None) -> None:
        with self._lock:
            if self._deliver is not None:
                self._deliver(line)
            elif line is None or not self._is_answered(line):
                self._backlog.append(line)
        self.has_input.set()

    def _is_answered(self, line: bytes) -> bool:
        """Answer a line here; False where it must be handed on, perhaps in addition."""
        try:
            message: Any = json.loads(line)
        except (ValueError, RecursionError):
            return False
        answer = self._early.answer(message) if isinstance(message, dict) else None
        if answer is None:
            return False
        try:
            self.write(json.dumps(answer, separators=(",", ":")).encode())
        except OSError:
            return False
        if message["method"] == "initialize":
            # The library must know of it too.
            self._answered.add(message["id"])
            return False
        return True
