"""Error output: every failure becomes a sentence and an exit status here."""

import os
import sys
import traceback
from types import TracebackType
from typing import Self

from app.cli import terminal
from app.cli.usage import WrongUsageError
from app.errors import KeepsakeError, MachineError, unexpected

USAGE = 2
SYSTEM = 74
INTERNAL = 70
INTERRUPTED = 130
BROKEN_PIPE = 141


class Boundary:
    """Context manager that turns failures into ``status``; only a request to exit passes.

    Args:
        debug: Show where the failure came from.
    """

    def __init__(self, *, debug: bool) -> None:
        self.status = 0
        self._debug = debug

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if error is None or isinstance(error, SystemExit):
            return False
        self.status, sentence = outcome(error)
        if self._debug:
            terminal.tell("".join(traceback.format_exception(error)).rstrip())
        if sentence:
            terminal.tell(f"keepsake: {terminal.printable(sentence)}")
        return True


def outcome(error: BaseException) -> tuple[int, str]:
    """Return the exit status of a failure and its sentence, which may be empty."""
    if isinstance(error, MemoryError | RuntimeError) and isinstance(lack := unexpected(error), MachineError):
        error = lack
    if isinstance(error, KeepsakeError):
        return error.exit_status, error.message
    if isinstance(error, WrongUsageError):
        return USAGE, f"{error.sentence}. See '{error.command} --help'."
    if isinstance(error, BrokenPipeError):
        _forget_output()
        return BROKEN_PIPE, ""
    if isinstance(error, KeyboardInterrupt) or type(error).__name__ == "Abort":
        return INTERRUPTED, ""
    if isinstance(error, OSError):
        place = f": {error.filename}" if error.filename else ""
        return SYSTEM, f"{error.strerror or error}{place}"
    what = f"Something went wrong inside Keepsake ({type(error).__name__})."
    return _usage(error) or (INTERNAL, f"{what} Run it again with --debug for details.")


def _usage(error: BaseException) -> tuple[int, str] | None:
    """Return the status and sentence of a usage error.

    The parser's exceptions moved between its versions, so they are recognised by their methods.
    """
    describe = getattr(error, "format_message", None)
    if describe is None:
        return None
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else "keepsake"
    sentence = str(describe()).replace("Value error, ", "").rstrip(".")
    return USAGE, f"{sentence}. See '{command} --help'."


def _forget_output() -> None:
    """Redirect standard output to nothing, as the reader of it has left."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nothing, sys.stdout.fileno())
    finally:
        os.close(nothing)
