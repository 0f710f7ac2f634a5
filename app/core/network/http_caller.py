"""HTTP caller: sends requests to one service, each attempt with a deadline."""

import asyncio
import ssl
import zlib
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Final

import httpx

from app.core.network.http_requests import (
    BUSY,
    RequestError,
    RequestFault,
    RequestLimits,
    retry_after_seconds,
    tls_context,
)
from app.core.network.network_log import NETWORK

_HEAD_SILENCES: Final = 6.0
"""Silences that the head of a response may take where its body has no deadline."""
_MOST_DIGITS: Final = 15
_GZIP: Final = zlib.MAX_WBITS | 16


class HttpCaller:
    """Client of one service, which belongs to one event loop.

    A request ends when its task is cancelled. The service's cookies are not kept.

    Args:
        purpose: What the requests are for, in the log of requests.
        headers: Headers of each request.
        follows_redirects: Whether a request may be sent on to another address.
        uses_proxy: Whether requests go through the proxy that the environment names.
        busy: Statuses of a service that may answer at another attempt.
    """

    def __init__(
        self,
        purpose: str,
        headers: Mapping[str, str],
        *,
        follows_redirects: bool,
        uses_proxy: bool,
        busy: frozenset[int] = BUSY,
    ) -> None:
        self._purpose = purpose
        self._busy = busy
        self._client = httpx.AsyncClient(
            headers={"Accept-Encoding": "gzip", **headers},
            cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),
            follow_redirects=follows_redirects,
            trust_env=uses_proxy,
            verify=tls_context(),
        )

    @asynccontextmanager
    async def send(
        self,
        method: str,
        address: str,
        limits: RequestLimits,
        *,
        content: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> AsyncIterator[httpx.Response]:
        """Send a request once and yield the response, whose body is read in the block.

        By ``read_body`` or ``pieces_of``: what httpx unpacks itself may swell to any size.

        Args:
            method: The method.
            address: The address.
            limits: Limits on the attempt; its deadline ends the block too.
            content: The body.
            headers: Further headers.

        Raises:
            RequestError: There is no response, it broke off, or the service is busy.
        """
        NETWORK.record(address, self._purpose)
        head_s = (limits.whole_s or _HEAD_SILENCES * limits.silence_s) + limits.longer_s(len(content or b""))
        timeout = httpx.Timeout(limits.silence_s, connect=min(limits.connect_s, limits.whole_s or limits.connect_s))
        try:
            async with (
                asyncio.timeout(head_s) as deadline,
                self._client.stream(method, address, content=content, headers=headers, timeout=timeout) as response,
            ):
                if limits.whole_s is None:
                    deadline.reschedule(None)
                elif longer_s := limits.longer_s(_length(response)):
                    deadline.reschedule(asyncio.get_running_loop().time() + limits.whole_s + longer_s)
                self._raise_if_busy(response)
                yield response
        except TimeoutError:
            if not deadline.expired():
                raise
            raise RequestError(RequestFault.SLOW) from None
        except httpx.TimeoutException:
            raise RequestError(RequestFault.SLOW) from None
        except httpx.InvalidURL:
            raise RequestError(RequestFault.NO_ADDRESS) from None
        except httpx.RequestError as error:
            # The type of the cause only, whose text may repeat what was sent.
            fault = RequestFault.UNTRUSTED if _is_certificate_error(error) else RequestFault.UNREACHABLE
            raise RequestError(fault, type(error).__name__) from None
        except RuntimeError:
            if not self._client.is_closed:
                raise
            raise RequestError(RequestFault.CLOSED) from None

    async def close(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    def _raise_if_busy(self, response: httpx.Response) -> None:
        if response.status_code in self._busy:
            pause_s = retry_after_seconds(response.headers.get("Retry-After", ""))
            raise RequestError(RequestFault.BUSY, status=response.status_code, pause_s=pause_s)


async def read_body(response: httpx.Response, max_bytes: int) -> bytes | None:
    """Return the body of a response, ``None`` where it is longer than ``max_bytes``.

    Of a packed one no more is unpacked, however little was sent.

    Raises:
        RequestError: It is packed in another way than gzip, or damaged.
    """
    packing = _packing(response)
    if packing not in {"", "gzip"}:
        raise _packed(packing)
    unpacker, body = zlib.decompressobj(_GZIP) if packing else None, bytearray()
    async for piece in response.aiter_raw():
        try:
            body += piece if unpacker is None else unpacker.decompress(piece, max_bytes + 1 - len(body))
        except zlib.error:
            raise RequestError(RequestFault.USELESS, "damaged gzip") from None
        if len(body) > max_bytes:
            return None
    if unpacker is not None and body and not unpacker.eof:
        raise RequestError(RequestFault.USELESS, "damaged gzip")
    return bytes(body)


def pieces_of(response: httpx.Response) -> AsyncIterator[bytes]:
    """Return the pieces of a body as they arrive.

    Raises:
        RequestError: It is packed, so its pieces could swell to any size.
    """
    if packing := _packing(response):
        raise _packed(packing)
    return response.aiter_raw()


def _length(response: httpx.Response) -> int:
    """Return the length of a body as its head says, 0 where it does not."""
    length = response.headers.get("Content-Length", "")
    return int(length[:_MOST_DIGITS]) if length.isascii() and length.isdigit() else 0


def _packing(response: httpx.Response) -> str:
    """Return how a body is packed, ``""`` for not at all."""
    packing = response.headers.get("Content-Encoding", "").strip().lower()
    return "" if packing == "identity" else packing


def _packed(packing: str) -> RequestError:
    return RequestError(RequestFault.USELESS, f"a body packed as {packing[:40]!r}")


def _is_certificate_error(error: BaseException | None) -> bool:
    """Return whether an invalid certificate caused a connection error."""
    while error is not None:
        if isinstance(error, ssl.SSLCertVerificationError):
            return True
        error = error.__cause__ or error.__context__
    return False
