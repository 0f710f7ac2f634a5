"""Posts to a remote embedding service: time limits, retries with growing waits, sizes; the key is never repeated."""

import json
import ssl
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import Any, Final, Protocol
from urllib.parse import urlsplit

import httpx

from app.embed.embedder_source import LOCAL
from app.embed.remote.deadline_transport import RequestDeadline
from app.errors import ModelUnavailableError

_OVERLOADED: Final = 529  # what some services answer in place of 503
_BUSY: Final = frozenset({408, 425, 429, 500, 502, 503, 504, _OVERLOADED})
_REFUSED: Final = frozenset({400, 413, 422})
_ELSEWHERE: Final = frozenset({301, 302, 303, 307, 308})
_FIRST_WAIT_S: Final = 0.5
_LONGEST_REST_S: Final = 3_600.0


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How long to go on with one request.

    Args:
        attempts: How often it is sent at most.
        wait_s: Seconds at most between two attempts; where the service asks for longer, the request fails.
        read_s: Seconds without an answer after which an attempt is given up.
        whole_s: Seconds after which an answer that still trickles in is given up.
    """

    attempts: int
    wait_s: float
    read_s: float
    whole_s: float


BACKGROUND_RETRIES: Final = RetryPolicy(attempts=5, wait_s=30.0, read_s=20.0, whole_s=120.0)
INTERACTIVE_RETRIES: Final = RetryPolicy(attempts=2, wait_s=0.5, read_s=5.0, whole_s=8.0)


class TextsRefusedError(ModelUnavailableError):
    """The service takes no such texts, or no such request at all."""


class TextsUnansweredError(ModelUnavailableError):
    """The service answers these texts with what is no answer: a failure of its own, or no list of vectors."""


class _Again(Exception):  # noqa: N818  (no failure yet)
    """The attempt may be repeated; says what to raise when it may not, and how long the service wants to rest."""

    def __init__(self, failure: ModelUnavailableError, rest_s: float | None = None) -> None:
        super().__init__()
        self.failure = failure
        self.rest_s = rest_s


class _KeyRefused(Exception):  # noqa: N818  (another key may be there by now)
    """The service does not take the key."""

    def __init__(self, failure: ModelUnavailableError) -> None:
        super().__init__()
        self.failure = failure


class KeyHolder(Protocol):
    """Whoever knows the key of a service."""

    place: str

    def value(self) -> str:
        """Return it; empty where the service needs none."""

    def refused(self) -> None:
        """Hear that the service did not take it."""


class ServiceConnection:
    """A connection to one service.

    Args:
        address: Where requests are posted to.
        key: Knows the secret that each request carries; a new one is used from the next request on.
        service: What the service is called in sentences.
        connect_s: Seconds at most to reach it.
        rest: Waits so many seconds, and returns whether to stop waiting altogether; its own clock when not given.
        now: A clock that only goes forward.
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
        self._resting: _Again | None = None
        self._rests_until = 0.0
        self._cutter = RequestDeadline()
        self._client = httpx.Client(
            follow_redirects=False,  # another address was not agreed to
            trust_env=(urlsplit(address).hostname or "") not in LOCAL,  # a proxy has no way to this machine
        )

    def post(self, body: Mapping[str, Any], *, most_bytes: int, patience: RetryPolicy) -> bytes:
        """Post ``body`` as JSON and return the answer.

        Args:
            body: The request.
            most_bytes: An answer longer than this is not read.
            patience: How long to go on.

        Raises:
            TextsRefusedError: The service says the request itself is wrong.
            TextsUnansweredError: It failed over this request each time.
            ModelUnavailableError: It cannot be reached, refuses the key, is too busy, or answers with too much.
        """
        content = json.dumps(body, ensure_ascii=False).encode("utf-8")
        wait_s = _FIRST_WAIT_S
        for left in range(patience.attempts - 1, -1, -1):
            self._look_at_rest()
            try:
                return self._with_key(content, most_bytes, patience)
            except _Again as again:
                pause = wait_s if again.rest_s is None else again.rest_s
                if pause > patience.wait_s and again.rest_s is not None:
                    self._resting = again
                    self._rests_until = self._now() + min(again.rest_s, _LONGEST_REST_S)
                if not left or pause > patience.wait_s or self._rest(pause):
                    raise again.failure from None
            wait_s = min(2 * wait_s, patience.wait_s)
        raise AssertionError(patience)

    def close(self) -> None:
        """Let go of the connection; whoever waits for another attempt or for an answer stops."""
        self._closed.set()
        self._cutter.cut()
        self._client.close()

    def _look_at_rest(self) -> None:
        """Fail where the line is closed, or the service asked to be left alone for longer than anyone waits."""
        if self._closed.is_set():
            raise _closed()
        if self._resting is not None and self._now() < self._rests_until:
            failure = self._resting.failure
            raise type(failure)(failure.message, **failure.data)

    def _with_key(self, content: bytes, most_bytes: int, patience: RetryPolicy) -> bytes:
        """Send it once; twice where the key was replaced meanwhile."""
        key = self._key.value()
        try:
            return self._once(content, key, most_bytes, patience)
        except _KeyRefused as refused:
            self._key.refused()
            if self._key.value() == key:
                raise refused.failure from None
        try:
            return self._once(content, self._key.value(), most_bytes, patience)
        except _KeyRefused as refused:
            raise refused.failure from None

    def _once(self, content: bytes, key: str, most_bytes: int, patience: RetryPolicy) -> bytes:
        limits = httpx.Timeout(patience.read_s, connect=min(self._connect_s, patience.whole_s))
        headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {key}"} if key else {})
        request = self._client.build_request(
            "POST",
            self._address,
            content=content,
            headers=headers,
            timeout=limits,
            extensions={"trace": self._cutter.heard},
        )
        # A limit on each read says nothing of an answer that comes a byte at a time.
        with self._cutter.after(patience.whole_s) as is_cut:
            try:
                response = self._client.send(request, stream=True)
                try:
                    self._look(response)
                    return self._read(response, most_bytes)
                finally:
                    response.close()
            except httpx.TimeoutException:
                raise _Again(self._failure("does not answer in time")) from None
            except (httpx.TransportError, httpx.DecodingError) as error:
                raise self._lost(error, is_cut=is_cut()) from None
            except RuntimeError:
                # The client was closed by another thread.
                raise _closed() from None

    def _lost(self, error: httpx.RequestError, *, is_cut: bool) -> Exception:
        """Return what to raise for a connection that failed; only its kind, for texts may repeat what was sent."""
        if self._closed.is_set():
            return _closed()
        if is_cut:
            return _Again(self._failure("does not answer in time"))
        if _is_of_certificate(error):
            return ModelUnavailableError(
                f"{self.service} shows no certificate that this machine trusts, so nothing was sent. See whether its"
                " address is right; the variable SSL_CERT_FILE names a file of certificates to trust."
            )
        return _Again(self._failure(f"cannot be reached ({type(error).__name__})"))

    def _look(self, response: httpx.Response) -> None:
        status = response.status_code
        if status == HTTPStatus.OK:
            return
        if status in _BUSY:
            raise _Again(self._busy(status), rest_seconds(response.headers.get("Retry-After", "")))
        if status in _REFUSED:
            raise TextsRefusedError(
                f"{self.service} refuses the request (status {status}); check embedding.model and its settings.",
                status=status,
            )
        if status in {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}:
            where = f"refuses the key in {self._key.place}; check it" if self._key.place else "wants a key; give it one"
            raise _KeyRefused(ModelUnavailableError(f"{self.service} {where}.", status=status))
        if status == HTTPStatus.NOT_FOUND:
            raise ModelUnavailableError(
                f"{self.service} knows no such model, or its address is wrong; check embedding.model.", status=status
            )
        if status in _ELSEWHERE:
            raise ModelUnavailableError(
                f"{self.service} sends on to another address (status {status}), where nothing is sent that was meant"
                " for this one; check embedding.base_url.",
                status=status,
            )
        raise self._failure(f"answers in a way that Keepsake does not know (status {status})", status)

    def _busy(self, status: int) -> ModelUnavailableError:
        if status == HTTPStatus.INTERNAL_SERVER_ERROR:
            return TextsUnansweredError(
                f"{self.service} fails (status {status}); search goes on by words, and it is tried again later.",
                status=status,
            )
        spent = ", or the account has nothing left to spend" if status == HTTPStatus.TOO_MANY_REQUESTS else ""
        return self._failure(f"takes no requests at the moment (status {status}){spent}", status)

    def _read(self, response: httpx.Response, most_bytes: int) -> bytes:
        parts: list[bytes] = []
        size = 0
        for part in response.iter_bytes():
            size += len(part)
            if size > most_bytes:
                raise self._failure("answers with far more than was asked for")
            parts.append(part)
        return b"".join(parts)

    def _failure(self, what: str, status: int = 0) -> ModelUnavailableError:
        sentence = f"{self.service} {what}; search goes on by words, and it is tried again later."
        return ModelUnavailableError(sentence, **({"status": status} if status else {}))


def _closed() -> ModelUnavailableError:
    return ModelUnavailableError("The embedding model was closed; open it again to embed.")


def _is_of_certificate(error: BaseException | None) -> bool:
    """Return whether a certificate is what kept a connection from being made."""
    while error is not None:
        if isinstance(error, ssl.SSLCertVerificationError):
            return True
        error = error.__cause__ or error.__context__
    return False


def rest_seconds(value: str) -> float | None:
    """Return how many seconds a ``Retry-After`` header asks for: a number or a date; ``None`` for anything else."""
    text = value.strip()
    if text.isascii() and text.isdecimal():
        return float(text[:9])
    try:
        when = parsedate_to_datetime(text)
    except ValueError:
        return None
    if when.tzinfo is None:
        when = when.replace(tzinfo=UTC)
    return max(0.0, (when - datetime.now(UTC)).total_seconds())
