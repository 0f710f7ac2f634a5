"""HTTP client of a remote embedding service.

It limits times and sizes, and retries with growing pauses. No error message contains the key.
"""

import json
import ssl
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final, Protocol
from urllib.parse import urlsplit

import httpx

from app.core.network.http_requests import BUSY, Pauses, retry_after_seconds, tls_context
from app.core.network.network_log import NETWORK
from app.embed.embedder_source import LOCAL
from app.embed.remote.deadline_transport import RequestDeadline
from app.errors import ModelUnavailableError

_REFUSED: Final = frozenset({400, 413, 422})
_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
_LONGEST_PAUSE_S: Final = 3_600.0


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Limits on the attempts of one request.

    Args:
        attempts: The highest number of attempts.
        wait_s: The longest wait between attempts in seconds; the request fails if the service demands a longer one.
        read_s: Seconds without a byte after which an attempt fails.
        whole_s: Seconds after which an attempt fails although bytes still arrive.
    """

    attempts: int
    wait_s: float
    read_s: float
    whole_s: float


BACKGROUND_RETRIES: Final = RetryPolicy(attempts=5, wait_s=30.0, read_s=20.0, whole_s=120.0)
INTERACTIVE_RETRIES: Final = RetryPolicy(attempts=2, wait_s=0.5, read_s=5.0, whole_s=8.0)


class TextsRefusedError(ModelUnavailableError):
    """The service refuses these texts, or any such request."""


class TextsUnansweredError(ModelUnavailableError):
    """Error of a service that answers these texts with something other than vectors."""


class _RetryRequest(Exception):  # noqa: N818  (not an error yet)
    """Request to repeat an attempt, with its error and the requested pause."""

    def __init__(self, failure: ModelUnavailableError, pause_s: float | None = None) -> None:
        super().__init__()
        self.failure = failure
        self.pause_s = pause_s


class _KeyRefused(Exception):  # noqa: N818  (a new key may exist by now)
    """The service refused the key."""

    def __init__(self, failure: ModelUnavailableError) -> None:
        super().__init__()
        self.failure = failure


class KeyHolder(Protocol):
    """An object that finds the key of a service."""

    place: str

    def value(self) -> str:
        """Return the key; empty if the service needs none."""

    def refused(self) -> None:
        """Receive that the service refused the key."""


class ServiceConnection:
    """A connection to one service.

    Args:
        address: The address that requests are posted to.
        key: Finds the key of each request; a new key is used from the next request on.
        service: The name of the service in messages.
        connect_s: The time limit of connecting, in seconds.
        rest: Waits for some seconds and returns whether the connection was closed meanwhile; replaced in tests.
        now: A monotonic clock.
    """

    def __init__(
        self,
        address: str,
        key: KeyHolder,
        *,
        service: str,
        connect_s: float = 10.0,
        rest: Callable[[float], bool] | None = None,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self.service = service
        self._address = address
        self._key = key
        self._connect_s = connect_s
        self._now = now
        self._closed = threading.Event()
        self._rest = rest or self._closed.wait
        self._pending_retry: _RetryRequest | None = None
        self._paused_until = 0.0
        self._deadline = RequestDeadline()
        self._client = httpx.Client(
            verify=tls_context(),
            follow_redirects=False,  # the person agreed to this address only
            trust_env=(urlsplit(address).hostname or "") not in LOCAL,  # a proxy cannot reach this machine
        )

    def post(self, body: Mapping[str, Any], *, max_bytes: int, retries: RetryPolicy) -> bytes:
        """Post ``body`` as JSON and return the response.

        Args:
            body: The request.
            max_bytes: The longest response that is read.
            retries: Limits on the attempts.

        Raises:
            TextsRefusedError: The service calls the request itself invalid.
            TextsUnansweredError: The service failed at each attempt.
            ModelUnavailableError: The service cannot be reached, refuses the key, is too busy, or sends too much.
        """
        content = json.dumps(body, ensure_ascii=False).encode("utf-8")
        pauses = Pauses(retries.attempts, retries.wait_s)
        while True:
            self._check_pause()
            try:
                return self._with_key(content, max_bytes, retries)
            except _RetryRequest as retry:
                if retry.pause_s is not None and retry.pause_s > retries.wait_s:
                    self._pending_retry = retry
                    self._paused_until = self._now() + min(retry.pause_s, _LONGEST_PAUSE_S)
                pause = pauses.after(retry.pause_s)
                if pause is None or self._rest(pause):
                    raise retry.failure from None

    def close(self) -> None:
        """Close the connection; pending attempts and waits end with an error."""
        self._closed.set()
        self._deadline.cut()
        self._client.close()

    def _check_pause(self) -> None:
        """Raise an error if the connection is closed or the requested pause too long."""
        if self._closed.is_set():
            raise _closed()
        if self._pending_retry is not None and self._now() < self._paused_until:
            failure = self._pending_retry.failure
            raise type(failure)(failure.message, **failure.data)

    def _with_key(self, content: bytes, max_bytes: int, retries: RetryPolicy) -> bytes:
        """Send the request once, or twice if the key was replaced meanwhile."""
        key = self._key.value()
        try:
            return self._send_once(content, key, max_bytes, retries)
        except _KeyRefused as refused:
            self._key.refused()
            if self._key.value() == key:
                raise refused.failure from None
        try:
            return self._send_once(content, self._key.value(), max_bytes, retries)
        except _KeyRefused as refused:
            raise refused.failure from None

    def _send_once(self, content: bytes, key: str, max_bytes: int, retries: RetryPolicy) -> bytes:
        limits = httpx.Timeout(retries.read_s, connect=min(self._connect_s, retries.whole_s))
        headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {key}"} if key else {})
        request = self._client.build_request(
            "POST",
            self._address,
            content=content,
            headers=headers,
            timeout=limits,
            extensions={"trace": self._deadline.on_trace_event},
        )
        # A time limit per read does not stop a response that arrives byte by byte.
        with self._deadline.after(retries.whole_s) as is_cut:
            try:
                NETWORK.record(self._address, "embedding")
                response = self._client.send(request, stream=True)
                try:
                    self._check_status(response)
                    return self._read(response, max_bytes)
                finally:
                    response.close()
            except httpx.TimeoutException:
                raise _RetryRequest(self._failure("does not answer in time")) from None
            except (httpx.TransportError, httpx.DecodingError) as error:
                raise self._connection_error(error, is_cut=is_cut()) from None
            except RuntimeError:
                # The client was closed by another thread.
                raise _closed() from None

    def _connection_error(self, error: httpx.RequestError, *, is_cut: bool) -> Exception:
        """Return the error for a failed connection.

        It has the type of the cause only, whose text may repeat what was sent.
        """
        if self._closed.is_set():
            return _closed()
        if is_cut:
            return _RetryRequest(self._failure("does not answer in time"))
        if _is_certificate_error(error):
            return ModelUnavailableError(
                f"{self.service} shows no certificate that this machine trusts, so nothing was sent. See whether its"
                " address is right; the variable SSL_CERT_FILE names a file of certificates to trust."
            )
        return _RetryRequest(self._failure(f"cannot be reached ({type(error).__name__})"))

    def _check_status(self, response: httpx.Response) -> None:
        status = response.status_code
        if status == HTTPStatus.OK:
            return
        if status in BUSY:
            raise _RetryRequest(self._busy(status), retry_after_seconds(response.headers.get("Retry-After", "")))
        if status in _REFUSED:
            raise TextsRefusedError(
                f"{self.service} refuses the request (status {status}); check embedding.model and its settings.",
                status=status,
            )
        if status in {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}:
            where = f"refuses the key in {self._key.place}; check it" if self._key.place else "needs a key; set one"
            raise _KeyRefused(ModelUnavailableError(f"{self.service} {where}.", status=status))
        if status == HTTPStatus.NOT_FOUND:
            raise ModelUnavailableError(
                f"{self.service} knows no such model, or its address is wrong; check embedding.model.", status=status
            )
        if status in _REDIRECTS:
            raise ModelUnavailableError(
                f"{self.service} redirects to another address (status {status}), to which Keepsake sends nothing;"
                " check embedding.base_url.",
                status=status,
            )
        raise self._failure(f"sent an unexpected response (status {status})", status)

    def _busy(self, status: int) -> ModelUnavailableError:
        if status == HTTPStatus.INTERNAL_SERVER_ERROR:
            return TextsUnansweredError(
                f"{self.service} fails (status {status}); search goes on by words, and it is tried again later.",
                status=status,
            )
        spent = ", or the account has nothing left to spend" if status == HTTPStatus.TOO_MANY_REQUESTS else ""
        return self._failure(f"takes no requests at the moment (status {status}){spent}", status)

    def _read(self, response: httpx.Response, max_bytes: int) -> bytes:
        parts: list[bytes] = []
        size = 0
        for part in response.iter_bytes():
            size += len(part)
            if size > max_bytes:
                raise self._failure("sent far more than was requested")
            parts.append(part)
        return b"".join(parts)

    def _failure(self, what: str, status: int = 0) -> ModelUnavailableError:
        sentence = f"{self.service} {what}; search goes on by words, and it is tried again later."
        return ModelUnavailableError(sentence, **({"status": status} if status else {}))


def _closed() -> ModelUnavailableError:
    return ModelUnavailableError("The embedding model was closed; open it again to embed.")


def _is_certificate_error(error: BaseException | None) -> bool:
    """Return whether an invalid certificate caused a connection error."""
    while error is not None:
        if isinstance(error, ssl.SSLCertVerificationError):
            return True
        error = error.__cause__ or error.__context__
    return False
