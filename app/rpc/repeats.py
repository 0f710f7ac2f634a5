"""Calls that a client repeats by itself after the host was restarted."""

import time
from collections.abc import Mapping
from typing import Any

from app.core.declared_operations import declared_operations
from app.errors import HostUnreachableError, KeepsakeError
from app.rpc.wire import ConnectionLostError

RECONNECT_SECONDS = 5.0
PAUSE_SECONDS = 0.1
DROPPED_REASON = "Keepsake was started again. Read anew what is shown."
_SOCKET_METHODS = frozenset({"ping", "describe", "subscribe", "unsubscribe"})


class Attempt:
    """The attempts at one call.

    Args:
        operation: The operation.
        arguments: Its arguments.
        seconds: How long the host may be away.
    """

    def __init__(self, operation: str, arguments: Mapping[str, Any], seconds: float) -> None:
        self._operation = operation
        key = declared_operations().keys.get(operation)
        self._has_key = key is not None and bool(arguments.get(key))
        self._until = time.monotonic() + seconds
        self._is_known_safe = operation in _SOCKET_METHODS or self._has_key
        self._maybe_done = False
        self._reason = ""

    @property
    def needs_access(self) -> bool:
        """Return whether the operation may be called again only if it reads."""
        return self._maybe_done and not self._is_known_safe

    def failed(self, error: HostUnreachableError) -> None:
        """Take note of a failure; raise it once the host was away too long."""
        self._reason = error.reason if isinstance(error, ConnectionLostError) else ""
        # A host that says it is closing may have begun the call.
        self._maybe_done = self._maybe_done or not isinstance(error, ConnectionLostError) or error.was_sent
        if time.monotonic() >= self._until:
            raise self._uncertain() if self.needs_access else error

    def check_access(self, accesses: Mapping[str, str]) -> None:
        """Refuse to call a writing operation twice.

        Args:
            accesses: The access of every operation by its name.

        Raises:
            HostUnreachableError: The first call may have been carried out.
        """
        if accesses.get(self._operation) != "read":
            raise self._uncertain()
        self._is_known_safe = True

    def _uncertain(self) -> KeepsakeError:
        ended = self._reason or "Keepsake was closed meanwhile."
        return HostUnreachableError(
            f"{ended} '{self._operation}' may or may not have been done. Look before you repeat it.",
            operation=self._operation,
            may_be_done=True,
        )
