"""Error reporter: logs unexpected failures and reports them in the banner."""

import asyncio
import logging
import sys
import threading
import time
import traceback
from types import TracebackType
from typing import Any

from PySide6.QtCore import QObject, Signal

from app.errors import KeepsakeError
from ui.engine_texts import error_text
from ui.models.dates import counted

_log = logging.getLogger(__name__)
QUIET_SECONDS = 10.0
KEPT = 20


class ErrorReporter(QObject):
    """Reporter of exceptions in slots, threads and tasks."""

    reported = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._last_report = -QUIET_SECONDS
        self._held_back = 0
        self._details: list[str] = []
        self._quotes = False

    @property
    def details(self) -> str:
        """The last failures with their tracebacks, for a bug report."""
        return "\n".join(self._details)

    def install(self, loop: asyncio.AbstractEventLoop | None = None) -> None:
        """Report the unhandled exceptions of this interpreter and of the tasks of ``loop``."""
        sys.excepthook = self._on_exception
        threading.excepthook = self._on_thread_exception
        if loop is not None:
            loop.set_exception_handler(self._on_loop_exception)

    def uninstall(self) -> None:
        """Stop listening."""
        sys.excepthook = sys.__excepthook__
        threading.excepthook = threading.__excepthook__

    def forget_words(self) -> bool:
        """Drop the failures kept, and return whether the last one reported may quote erased words."""
        self._details.clear()
        quotes, self._quotes = self._quotes, False
        return quotes

    def report(self, error: BaseException) -> None:
        """Log ``error`` and report it, unless another was reported a moment ago."""
        _log.error("Unexpected failure", exc_info=error)
        self._keep(error)
        now = time.monotonic()
        if now - self._last_report < QUIET_SECONDS:
            self._held_back += 1
            return
        self._last_report = now
        self._quotes = isinstance(error, KeepsakeError) and bool(error.sentence.values)
        self.reported.emit(self._sentence(error))
        self._held_back = 0

    def note(self, error: BaseException) -> None:
        """Log ``error`` and keep it for a bug report, without reporting it."""
        _log.info("A refresh failed", exc_info=error)
        self._keep(error)

    def _keep(self, error: BaseException) -> None:
        self._details.append("".join(traceback.format_exception(error)))
        del self._details[:-KEPT]

    def _sentence(self, error: BaseException) -> str:
        if isinstance(error, KeepsakeError):
            sentence = error_text(error)
        else:
            sentence = self.tr("Something went wrong inside Keepsake ({name}). What you wrote is kept.").format(
                name=type(error).__name__
            )
        if self._held_back:
            more = counted(self._held_back, self.tr("It happened once more."), self.tr("It happened {n} more times."))
            sentence += f" {more}"
        return sentence

    def _on_exception(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if issubclass(kind, KeyboardInterrupt):
            sys.__excepthook__(kind, error, trace)
            return
        self.report(error)

    def _on_thread_exception(self, details: threading.ExceptHookArgs) -> None:
        if details.exc_value is not None:
            self.report(details.exc_value)

    def _on_loop_exception(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        if isinstance(error, BaseException):
            self.report(error)
        else:
            _log.error("Event loop %r: %s", loop, context.get("message"))
