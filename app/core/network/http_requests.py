"""Rules of every HTTP request: limits, repetitions, pauses and trusted certificates."""

import asyncio
import re
import ssl
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from enum import Enum
from typing import Final, TypeVar

from app.sentence import Sentence

T = TypeVar("T")

_OVERLOADED: Final = 529  # some services send it in place of 503
BUSY: Final = frozenset({408, 409, 425, 429, 500, 502, 503, 504, _OVERLOADED})
"""Statuses of a service that may answer at another attempt."""
_LONGEST_BODY_S: Final = 3_600.0
"""Seconds at most for a body, also where a service names a greater length."""
_SECONDS: Final = re.compile(r"([0-9]+)(\.[0-9]{1,9})?")


@dataclass(frozen=True, slots=True)
class RequestLimits:
    """Limits on the attempts of one request.

    Args:
        attempts: The highest number of attempts.
        longest_pause_s: The longest pause between attempts in seconds; the request fails if the service demands a
            longer one.
        silence_s: Seconds without a byte after which an attempt fails.
        whole_s: Seconds after which an attempt fails although bytes still arrive, ``None`` for no end.
        connect_s: Seconds after which an attempt to connect fails.
        first_pause_s: The first pause in seconds; each further one is twice as long.
        slowest_bytes_s: Bytes a second of the slowest line; an attempt may take longer by what a body takes on it.
            ``None`` for no longer, whatever is sent.
    """

    attempts: int
    longest_pause_s: float
    silence_s: float
    whole_s: float | None
    connect_s: float = 10.0
    first_pause_s: float = 0.5
    slowest_bytes_s: float | None = None

    def longer_s(self, size: int) -> float:
        """Return how many seconds an attempt may take longer for a body of some bytes."""
        return 0.0 if self.slowest_bytes_s is None else min(size / self.slowest_bytes_s, _LONGEST_BODY_S)


class RequestFault(Enum):
    """Why an attempt failed."""

    SLOW = "did not answer in time"
    UNREACHABLE = "cannot be reached"
    BUSY = "is busy"
    USELESS = "answered with nothing of use"
    CLOSED = "the connection was closed"
    UNTRUSTED = "has no trusted certificate"
    NO_ADDRESS = "has no usable address"


_UNTRUSTED: Final = (
    "{service} shows no certificate that this machine trusts, so nothing was sent. See whether its address is right;"
    " the variable SSL_CERT_FILE names a file of certificates to trust."
)
_FINAL: Final = frozenset({RequestFault.UNTRUSTED, RequestFault.NO_ADDRESS})


def untrusted(service: str) -> Sentence:
    """Return what a person reads of a service without a trusted certificate."""
    return Sentence(_UNTRUSTED, service=service)


class RequestError(Exception):
    """An attempt that failed. It holds nothing of what was sent.

    Args:
        fault: The reason.
        detail: What else is known of it.
        status: The status of the response, 0 for none.
        pause_s: The pause that the service asks for, in seconds.
    """

    def __init__(self, fault: RequestFault, detail: str = "", *, status: int = 0, pause_s: float | None = None) -> None:
        super().__init__(detail or fault.value)
        self.fault = fault
        self.detail = detail
        self.status = status
        self.pause_s = pause_s


async def repeat(
    attempt: Callable[[], Awaitable[T]],
    limits: RequestLimits,
    *,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    received: Callable[[], int] = lambda: 0,
) -> T:
    """Return the result of ``attempt``, repeated while it fails in a way that may pass.

    Args:
        attempt: Sends the request once.
        limits: Limits on the attempts.
        sleep: Waits for seconds between two attempts.
        received: Returns the bytes received so far; where there were never so many, the attempts are counted anew.

    Raises:
        RequestError: No further attempt is allowed, or none can succeed.
    """
    most, pauses = received(), _pauses(limits)
    while True:
        try:
            return await attempt()
        except RequestError as error:
            if (count := received()) > most:
                most, pauses = count, _pauses(limits)
            pause = None if error.fault in _FINAL else pauses.after(error.pause_s)
            if pause is None:
                raise
        await sleep(pause)


def _pauses(limits: RequestLimits) -> "Pauses":
    return Pauses(limits.attempts, limits.longest_pause_s, limits.first_pause_s)


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
