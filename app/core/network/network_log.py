"""Log of requests over a network: hosts, purposes and counts, never content."""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final
from urllib.parse import urlsplit

LOCAL: Final = frozenset({"localhost", "127.0.0.1", "::1"})
"""Host names of this machine in an address."""


@dataclass(frozen=True, slots=True)
class NetworkUse:
    """Requests to one host for one purpose.

    Args:
        host: The host.
        purpose: ``language model``, ``embedding``, ``model download`` or ``exchange``.
        requests: How many were sent since Keepsake was started.
        last_at: When the last one was sent.
        is_local: Whether the host is this machine.
    """

    host: str
    purpose: str
    requests: int
    last_at: datetime
    is_local: bool


class NetworkLog:
    """Counts requests. Thread-safe.

    Args:
        now: The source of the time.
    """

    def __init__(self, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._now = now
        self._lock = threading.Lock()
        self._uses: dict[tuple[str, str], tuple[int, datetime]] = {}
        self.since = now()

    def record(self, address: str, purpose: str) -> None:
        """Count a request.

        Args:
            address: The address it goes to; only its host is kept.
            purpose: See ``NetworkUse``.
        """
        host = urlsplit(address if "//" in address else f"//{address}").hostname or "unknown"
        with self._lock:
            requests, _ = self._uses.get((host, purpose), (0, self._now()))
            self._uses[host, purpose] = (requests + 1, self._now())

    def uses(self) -> tuple[NetworkUse, ...]:
        """Return the requests by host and purpose, those to other machines first."""
        with self._lock:
            uses = [
                NetworkUse(host, purpose, requests, last_at, host in LOCAL)
                for (host, purpose), (requests, last_at) in self._uses.items()
            ]
        return tuple(sorted(uses, key=lambda use: (use.is_local, use.host, use.purpose)))


NETWORK: Final = NetworkLog()
"""The log of this process: whatever opens a connection enters it here, so that none is left out."""
