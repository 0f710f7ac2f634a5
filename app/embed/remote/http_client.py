"""HTTP client of a remote embedding service.

It limits times and sizes, and retries with growing pauses. No error message contains the key.
"""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import CancelledError
from http import HTTPStatus
from typing import Any, Final, Protocol
from urllib.parse import urlsplit

from app.core.network.http_caller import HttpCaller, read_body
from app.core.network.http_requests import RequestError, RequestFault, RequestLimits, repeat, untrusted
from app.core.network.network_log import LOCAL
from app.core.process.loop_thread import LoopThread
from app.errors import ModelUnavailableError
from app.sentence import Sentence

_REFUSED: Final = frozenset({400, 413, 422})
_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
_LONGEST_REST_S: Final = 3_600.0

BACKGROUND: Final = RequestLimits(attempts=5, longest_pause_s=30.0, silence_s=20.0, whole_s=120.0)
INTERACTIVE: Final = RequestLimits(attempts=2, longest_pause_s=0.5, silence_s=5.0, whole_s=8.0)


class TextsRefusedError(ModelUnavailableError):
    """The service refuses these texts, or any such request."""


class TextsUnansweredError(ModelUnavailableError):
    """Error of a service that answers these texts with something other than vectors."""


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
    """A connection to one service. Any thread may use it.

    Args:
        address: The address that requests are posted to.
        key: Finds the key of each request; a new key is used from the next request on.
        service: The name of the service in messages.
        sleep: Waits for seconds between two attempts.
        now: A monotonic clock.
    """

    def __init__(
        self,
        address: str,
        key: KeyHolder,
        *,
        service: str,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self.service = service
        self._address = address
        self._key = key
        self._sleep = sleep
        self._now = now
        self._rest_until = 0.0
        self._rest_reason: ModelUnavailableError | None = None
        self._caller = HttpCaller(
            "embedding",
            {"Content-Type": "application/json"},
            follows_redirects=False,  # the person agreed to this address only
            uses_proxy=(urlsplit(address).hostname or "") not in LOCAL,  # a proxy cannot reach this machine
        )
        self._thread = LoopThread("keepsake-embedding", self._caller.close)

    def post(self, body: Mapping[str, Any], *, max_bytes: int, limits: RequestLimits) -> bytes:
        """Post ``body`` as JSON and return the response.

        Args:
            body: The request.
            max_bytes: The longest response that is read.
            limits: Limits on the attempts.

        Raises:
            TextsRefusedError: The service calls the request itself invalid.
            TextsUnansweredError: The service failed at each attempt.
            ModelUnavailableError: The service cannot be reached, refuses the key, is too busy, or sends too much.
        """
        content = json.dumps(body, ensure_ascii=False).encode("utf-8")
        try:
            return self._with_key(content, max_bytes, limits)
        except RequestError as error:
            failure = self._failure_of(error)
            if error.pause_s is not None and error.pause_s > limits.longest_pause_s:
                self._rest_until = self._now() + min(error.pause_s, _LONGEST_REST_S)
                self._rest_reason = failure
            raise failure from None
        except CancelledError:
            raise ModelUnavailableError("The embedding model was closed; open it again to embed.") from None

    def close(self) -> None:
        """Close the connection; pending attempts and waits end with an error."""
        self._thread.close()

    def _with_key(self, content: bytes, max_bytes: int, limits: RequestLimits) -> bytes:
        """Send the request, once more if the key was replaced meanwhile."""
        key = self._key.value()
        try:
            return self._repeated(content, key, max_bytes, limits)
        except _KeyRefused as refused:
            self._key.refused()
            if self._key.value() == key:
                raise refused.failure from None
        try:
            return self._repeated(content, self._key.value(), max_bytes, limits)
        except _KeyRefused as refused:
            raise refused.failure from None

    def _repeated(self, content: bytes, key: str, max_bytes: int, limits: RequestLimits) -> bytes:
        async def attempt() -> bytes:
            if self._rest_reason is not None and self._now() < self._rest_until:
                raise type(self._rest_reason)(self._rest_reason.sentence, **self._rest_reason.data)
            return await self._send_once(content, key, max_bytes, limits)

        return self._thread.run(lambda: repeat(attempt, limits, sleep=self._sleep))

    async def _send_once(self, content: bytes, key: str, max_bytes: int, limits: RequestLimits) -> bytes:
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        async with self._caller.send("POST", self._address, limits, content=content, headers=headers) as response:
            self._check_status(response.status_code)
            answer = await read_body(response, max_bytes)
        if answer is None:
            raise self._failure(Sentence("{service} sent far more than was requested", service=self.service))
        return answer

    def _check_status(self, status: int) -> None:
        if status == HTTPStatus.OK:
            return
        if status in _REFUSED:
            raise TextsRefusedError(
                Sentence(
                    "{service} refuses the request (status {status}); check embedding.model and its settings.",
                    service=self.service,
                    status=status,
                ),
                status=status,
            )
        if status in {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}:
            sentence = Sentence("{service} needs a key; set one.", service=self.service)
            if place := self._key.place:
                sentence = Sentence(
                    "{service} refuses the key in {place}; check it.", service=self.service, place=place
                )
            raise _KeyRefused(ModelUnavailableError(sentence, status=status))
        if status == HTTPStatus.NOT_FOUND:
            raise ModelUnavailableError(
                Sentence(
                    "{service} knows no such model, or its address is wrong; check embedding.model.",
                    service=self.service,
                ),
                status=status,
            )
        if status in _REDIRECTS:
            raise ModelUnavailableError(
                Sentence(
                    "{service} redirects to another address (status {status}), to which Keepsake sends"
                    " nothing; check embedding.base_url.",
                    service=self.service,
                    status=status,
                ),
                status=status,
            )
        problem = Sentence(
            "{service} sent an unexpected response (status {status})", service=self.service, status=status
        )
        raise self._failure(problem, status)

    def _failure_of(self, error: RequestError) -> ModelUnavailableError:
        """Return the error that a person sees for a failed request."""
        match error.fault:
            case RequestFault.BUSY:
                return self._busy(error.status)
            case RequestFault.SLOW:
                return self._failure(Sentence("{service} does not answer in time", service=self.service))
            case RequestFault.UNTRUSTED:
                return ModelUnavailableError(untrusted(self.service))
            case _:
                return self._failure(
                    Sentence("{service} cannot be reached ({reason})", service=self.service, reason=error)
                )

    def _busy(self, status: int) -> ModelUnavailableError:
        if status == HTTPStatus.INTERNAL_SERVER_ERROR:
            return TextsUnansweredError(
                Sentence(
                    "{service} fails (status {status}); search goes on by words, and it is tried again later.",
                    service=self.service,
                    status=status,
                ),
                status=status,
            )
        problem = Sentence(
            "{service} takes no requests at the moment (status {status})", service=self.service, status=status
        )
        if status == HTTPStatus.TOO_MANY_REQUESTS:
            problem = Sentence("{problem}, or the account has nothing left to spend", problem=problem)
        return self._failure(problem, status)

    def _failure(self, problem: Sentence, status: int = 0) -> ModelUnavailableError:
        sentence = Sentence("{problem}; search goes on by words, and it is tried again later.", problem=problem)
        return ModelUnavailableError(sentence, **({"status": status} if status else {}))
