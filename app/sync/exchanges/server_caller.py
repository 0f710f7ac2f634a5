"""Caller of one server through which machines meet."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from concurrent.futures import CancelledError
from typing import TYPE_CHECKING, Final, TypeVar
from urllib.parse import urlsplit

from app.core.network.http_requests import RequestError, RequestLimits, repeat
from app.core.network.network_log import LOCAL
from app.core.process.loop_thread import LoopThread
from app.errors import ExchangeError, InputError
from app.sync.exchanges.server_refusals import TOO_MUCH, ServerRefusals

if TYPE_CHECKING:
    import httpx

T = TypeVar("T")

LIMITS: Final = RequestLimits(attempts=3, longest_pause_s=5.0, silence_s=30.0, whole_s=300.0, slowest_bytes_s=500.0)


class ServerCaller:
    """Caller whose failures are sentences about the server. Any thread may use it.

    Args:
        refusals: What is told of the server.
        headers: Headers of each request.
        busy: Statuses after which a request is repeated.
    """

    def __init__(self, refusals: ServerRefusals, headers: Mapping[str, str], busy: frozenset[int]) -> None:
        from app.core.network.http_caller import HttpCaller  # noqa: PLC0415  (only who has such a place needs it)

        self._refusals = refusals
        self._caller = HttpCaller(
            "exchange",
            {"Accept-Encoding": "identity", **headers},
            follows_redirects=False,  # the password is for this address only
            uses_proxy=refusals.server not in LOCAL,
            busy=busy,
        )
        self._thread = LoopThread("keepsake-exchange", self._caller.close)

    def ask(
        self,
        method: str,
        url: str,
        read: "Callable[[httpx.Response], Awaitable[T]]",
        content: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        sign: Callable[[], Mapping[str, str]] = dict,
    ) -> T:
        """Return what ``read`` makes of the answer to a request.

        The request is repeated while that may help.

        Args:
            method: The method.
            url: The address.
            read: Reads the answer.
            content: The body.
            headers: Further headers.
            sign: Returns those that sign an attempt.

        Raises:
            MachineError: There was no answer of use.
        """

        async def attempt() -> T:
            async with self._caller.send(
                method, url, LIMITS, content=content, headers={**(headers or {}), **sign()}
            ) as response:
                if response.has_redirect_location:
                    raise self._refusals.of_redirect(_host(response.headers["Location"]))
                return await read(response)

        try:
            return self._thread.run(lambda: repeat(attempt, LIMITS))
        except RequestError as error:
            raise self._refusals.of_fault(error) from None
        except CancelledError:
            raise ExchangeError("The connection to the place where your machines meet was closed.") from None

    async def body(self, response: "httpx.Response", most: int) -> bytes:
        """Return the body of an answer, and refuse one that is longer than ``most`` bytes."""
        from app.core.network.http_caller import read_body  # noqa: PLC0415

        body = await read_body(response, most)
        if body is None:
            raise self._refusals.error(TOO_MUCH)
        return body

    async def pieces(self, response: "httpx.Response", most: int) -> AsyncIterator[bytes]:
        """Yield the body of an answer as it arrives.

        One that is longer than ``most`` bytes is refused.
        """
        from app.core.network.http_caller import pieces_of  # noqa: PLC0415

        size = 0
        async for piece in pieces_of(response):
            size += len(piece)
            if size > most:
                raise self._refusals.error(TOO_MUCH)
            yield piece

    def close(self) -> None:
        """End the connections; safe to call twice."""
        self._thread.close()


def require_encryption(scheme: str, server: str) -> None:
    """Refuse an address whose password others could read on its way.

    Raises:
        InputError: It is that of another machine, without encryption.
    """
    if scheme == "http" and server not in LOCAL:
        raise InputError(
            "Without encryption, others could read the password on its way. Begin the address with https://.",
            field="place",
        )


def _host(address: str) -> str:
    try:
        return urlsplit(address).hostname or ""
    except ValueError:
        return ""
