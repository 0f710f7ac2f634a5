"""Rules of every HTTP request: repetitions, pauses and trusted certificates."""

import re
import ssl
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

_OVERLOADED: Final = 529  # some services send it in place of 503
BUSY: Final = frozenset({408, 409, 425, 429, 500, 502, 503, 504, _OVERLOADED})
"""Statuses of a service that may answer at another attempt."""
_SECONDS: Final = re.compile(r"([0-9]+)(\.[0-9]{1,9})?")


class Pauses:
    """Growing pauses between the attempts of one request.

    Args:
        attempts: The highest number of attempts.
        longest_s: The longest pause in seconds.
        first_s: The first pause in seconds; each further one is twice as long.
    """

    def __init__(self, attempts: int, longest_s: float, first_s: float = 0.5) -> None:
        self._left = attempts - 1
        self._longest_s = longest_s
        self._next_s = first_s

    def after(self, requested_s: float | None = None) -> float | None:
        """Return the pause after an attempt that failed, ``None`` where there is no further one.

        Args:
            requested_s: The pause that the service asks for; one longer than the longest ends the request.
        """
        pause = requested_s or self._next_s
        if not self._left or pause > self._longest_s:
            return None
        self._left -= 1
        self._next_s = min(2 * self._next_s, self._longest_s)
        return pause


def retry_after_seconds(value: str) -> float | None:
    """Return how many seconds a ``Retry-After`` header asks for: a number or a date.

    ``None`` for anything else.
    """
    text = value.strip()
    if number := _SECONDS.fullmatch(text):
        return float(f"{number[1][:9]}{number[2] or ''}")
    try:
        when = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    if when.tzinfo is None:
        when = when.replace(tzinfo=UTC)
    return max(0.0, (when - datetime.now(UTC)).total_seconds())


def tls_context() -> ssl.SSLContext:
    """Return the certificates to trust: the usual ones, the system's, and those of ``SSL_CERT_FILE``."""
    import httpx  # noqa: PLC0415  (slow to load; only where something is sent)

    # Where that variable names no file, httpx would fail and OpenSSL passes over it.
    context = httpx.create_ssl_context(trust_env=False)
    context.load_default_certs()
    return context
