"""Posts to a remote embedding service: time limits, retries with growing waits, sizes; the key is never repeated."""

import json
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import urlsplit

import httpx

from app.errors import InputError, ModelUnavailableError

NEARBY: Final = frozenset({"localhost", "127.0.0.1", "::1"})
_OVERLOADED: Final = 529  # what some services answer in place of 503
_BUSY: Final = frozenset({408, 425, 429, 500, 502, 503, 504, _OVERLOADED})
_REFUSED: Final = frozenset({400, 413, 422})
_FIRST_WAIT_S: Final = 0.5


@dataclass(frozen=True, slots=True)
class Patience:
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


IN_BACKGROUND: Final = Patience(attempts=5, wait_s=30.0, read_s=20.0, whole_s=120.0)
SOMEBODY_WAITS: Final = Patience(attempts=2, wait_s=0.5, read_s=5.0, whole_s=8.0)


class TextsRefusedError(ModelUnavailableError):
    """The service takes no such texts, or no such request at all."""


class _Again(Exception):  # noqa: N818  (no failure yet)
    """The attempt may be repeated; says what to raise when it may not, and how long the service wants to rest."""

    def __init__(self, failure: ModelUnavailableError, rest_s: float | None = None) -> None:
        super().__init__()
        self.failure = failure
        self.rest_s = rest_s


class Line:
    """A connection to one service.

    Args:
        address: Where requests are posted to.
        key: The secret that each request carries; empty for none.
        key_name: The environment variable it came from, to be named in failures.
        service: What the service is called in sentences.
        connect_s: Seconds at most to reach it.
        rest: Waits so many seconds, and returns whether to stop waiting altogether; its own clock when not given.

    Raises:
        InputError: The key holds what no key can.
    """

    def __init__(
        self,
        address: str,
        key: str,
        *,
        key_name: str,
        service: str,
        connect_s: float = 10.0,
        rest: Callable[[float], bool] | None = None,
    ) -> None:
        if not (key.isascii() and key.isprintable()):
            raise InputError(f"The environment variable {key_name} holds no usable key; copy it again.", name=key_name)
        self.service = service
        self._address = address
        self._key_name = key_name
        self._connect_s = connect_s
        self._closed = threading.Event()
        self._rest = rest or self._closed.wait
        self._client = httpx.Client(
            headers={"Authorization": f"Bearer {key}"} if key else {},
            follow_redirects=False,  # another address was not agreed to
            trust_env=(urlsplit(address).hostname or "") not in NEARBY,  # a proxy has no way to this machine
        )

    def post(self, body: Mapping[str, Any], *, most_bytes: int, patience: Patience) -> bytes:
        """Post ``body`` as JSON and return the answer.

        Args:
            body: The request.
            most_bytes: An answer longer than this is not read.
            patience: How long to go on.

        Raises:
            TextsRefusedError: The service says the request itself is wrong.
            ModelUnavailableError: It cannot be reached, refuses the key, is too busy, or answers with too much.
        """
        content = json.dumps(body, ensure_ascii=False).encode("utf-8")
        wait_s = _FIRST_WAIT_S
        for left in range(patience.attempts - 1, -1, -1):
            if self._closed.is_set():
                raise ModelUnavailableError("The embedding model was closed; open it again to embed.")
            try:
                return self._once(content, most_bytes, patience)
            except _Again as again:
                pause = wait_s if again.rest_s is None else again.rest_s
                if not left or pause > patience.wait_s or self._rest(pause):
                    raise again.failure from None
            wait_s = min(2 * wait_s, patience.wait_s)
        raise AssertionError(patience)

    def close(self) -> None:
        """Let go of the connection; whoever waits for another attempt stops."""
        self._closed.set()
        self._client.close()

    def _once(self, content: bytes, most_bytes: int, patience: Patience) -> bytes:
        limits = httpx.Timeout(patience.read_s, connect=min(self._connect_s, patience.whole_s))
        headers = {"Content-Type": "application/json"}
        try:
            with self._client.stream(
                "POST", self._address, content=content, headers=headers, timeout=limits
            ) as response:
                self._look(response)
                return self._read(response, most_bytes, time.monotonic() + patience.whole_s)
        except httpx.TimeoutException:
            raise _Again(self._failure("does not answer in time")) from None
        except (httpx.TransportError, httpx.DecodingError) as error:
            # Only the kind: texts of failures may repeat what was sent.
            raise _Again(self._failure(f"cannot be reached ({type(error).__name__})")) from None
        except RuntimeError:
            # The client was closed by another thread.
            raise ModelUnavailableError("The embedding model was closed; open it again to embed.") from None

    def _look(self, response: httpx.Response) -> None:
        status = response.status_code
        if status == HTTPStatus.OK:
            return
        if status in _BUSY:
            failure = self._failure(f"takes no requests at the moment (status {status})", status)
            raise _Again(failure, rest_seconds(response.headers.get("Retry-After", "")))
        if status in _REFUSED:
            raise TextsRefusedError(
                f"{self.service} refuses the request (status {status}); check embedding.model and its settings.",
                status=status,
            )
        if status in {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}:
            raise ModelUnavailableError(
                f"{self.service} refuses the key in the environment variable {self._key_name}; check it.", status=status
            )
        if status == HTTPStatus.NOT_FOUND:
            raise ModelUnavailableError(
                f"{self.service} knows no such model, or its address is wrong; check embedding.model.", status=status
            )
        raise self._failure(f"answers in a way that Keepsake does not know (status {status})", status)

    def _read(self, response: httpx.Response, most_bytes: int, until: float) -> bytes:
        parts: list[bytes] = []
        size = 0
        for part in response.iter_bytes():
            size += len(part)
            if size > most_bytes:
                raise self._failure("answers with far more than was asked for")
            if time.monotonic() > until:
                raise _Again(self._failure("does not answer in time"))
            parts.append(part)
        return b"".join(parts)

    def _failure(self, what: str, status: int = 0) -> ModelUnavailableError:
        sentence = f"{self.service} {what}; search goes on by words, and it is tried again later."
        return ModelUnavailableError(sentence, **({"status": status} if status else {}))


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
