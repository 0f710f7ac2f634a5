"""Client of one folder on a WebDAV server."""

import re
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import CancelledError
from http import HTTPStatus
from typing import TYPE_CHECKING, Final, Self, TypeVar
from urllib.parse import urlsplit

from app.core.network.http_requests import BUSY, RequestError, RequestLimits, repeat
from app.core.network.network_log import LOCAL
from app.core.process.loop_thread import LoopThread
from app.errors import ExchangeError
from app.sync.exchanges.exchange_point import MOST_BYTES
from app.sync.exchanges.webdav_address import WebdavAddress
from app.sync.exchanges.webdav_listing import ListedFile, NoListingError, WebdavListing
from app.sync.exchanges.webdav_refusals import NO_WEBDAV, REDIRECTED, TOO_MUCH, failure_of, refusal, refusal_of

if TYPE_CHECKING:
    import httpx

T = TypeVar("T")

LIMITS: Final = RequestLimits(attempts=3, longest_pause_s=5.0, silence_s=30.0, whole_s=300.0)
MOST_LISTED_BYTES: Final = 64 << 20
_MOST_ANSWER_BYTES: Final = 1 << 16  # of an answer that nobody reads
_PROPERTIES: Final = (
    b'<?xml version="1.0" encoding="utf-8"?><propfind xmlns="DAV:"><prop><getlastmodified/></prop></propfind>'
)
_GONE: Final = frozenset({HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT})
_DONE: Final = frozenset({HTTPStatus.OK, HTTPStatus.CREATED, HTTPStatus.NO_CONTENT})


class WebdavClient:
    """Client of one folder of a server. Any thread may use it.

    All paths are relative to the folder; that of a folder ends with a slash.

    Args:
        address: The address of the folder.
    """

    def __init__(self, address: WebdavAddress) -> None:
        from app.core.network.http_caller import HttpCaller  # noqa: PLC0415  (only who has such a place needs it)

        self._address = address
        self._caller = HttpCaller(
            "exchange",
            {"Accept-Encoding": "identity"} | ({"Authorization": address.login} if address.login else {}),
            follows_redirects=False,  # the password is for this address only
            uses_proxy=address.server not in LOCAL,
            busy=(BUSY - _GONE) | {HTTPStatus.LOCKED},
        )
        self._thread = LoopThread("keepsake-exchange", self._caller.close)

    def __enter__(self) -> Self:
        """Return the client, which is closed at the end of the block."""
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def files(self, path: str, is_wanted: Callable[[str], re.Match[str] | None]) -> list[ListedFile]:
        """Return what lies in a folder, nothing where there is no such folder.

        Args:
            path: The path of the folder.
            is_wanted: Whether a name is wanted.
        """

        async def read(response: "httpx.Response") -> list[ListedFile]:
            if response.status_code in _GONE:
                return []
            from app.core.network.http_caller import pieces_of  # noqa: PLC0415

            self._require_listing(response)
            listing, size = WebdavListing(self._address.url + path, response.headers.get("Date", ""), is_wanted), 0
            async for piece in pieces_of(response):
                size += len(piece)
                if size > MOST_LISTED_BYTES:
                    raise refusal(self._address.server, TOO_MUCH)
                listing.feed(piece)
            return listing.finish()

        try:
            return self._ask("PROPFIND", path, read, content=_PROPERTIES, headers={"Depth": "1"})
        except NoListingError:
            raise refusal(self._address.server, NO_WEBDAV) from None

    def has_folder(self, path: str) -> bool:
        """Return whether there is a folder."""

        async def read(response: "httpx.Response") -> bool:
            if response.status_code in _GONE:
                return False
            self._require_listing(response)
            return True

        return self._ask("PROPFIND", path, read, content=_PROPERTIES, headers={"Depth": "0"})

    def get(self, path: str) -> bytes | None:
        """Return a file, ``None`` where there is none."""

        async def read(response: "httpx.Response") -> bytes | None:
            if response.status_code in _GONE:
                return None
            self._require(response, {HTTPStatus.OK})
            if response.headers.get("Content-Type", "").startswith("text/html"):
                raise refusal(self._address.server, NO_WEBDAV)
            return await self._body(response, MOST_BYTES)

        return self._ask("GET", path, read)

    def put(self, path: str, data: bytes) -> bool:
        """Write a file; return False where its folder is not there."""
        headers = {"Content-Type": "application/octet-stream"}
        return self._done("PUT", path, _GONE, content=data, headers=headers) is None

    def make_folder(self, path: str) -> bool:
        """Make a folder unless it is there; return False where that around it is not."""
        return self._done("MKCOL", path, _GONE | {HTTPStatus.METHOD_NOT_ALLOWED}) not in _GONE

    def move(self, source: str, target: str) -> bool:
        """Give a file another path unless that is taken; return False where it is."""
        headers = {"Destination": self._address.url + target, "Overwrite": "F"}
        # Where the answer to an attempt that succeeded was lost, the next one finds no source.
        refused = self._done("MOVE", source, _GONE | {HTTPStatus.PRECONDITION_FAILED}, headers=headers)
        return refused != HTTPStatus.PRECONDITION_FAILED

    def remove(self, path: str) -> None:
        """Remove a file, if it is there."""
        self._done("DELETE", path, _GONE)

    def close(self) -> None:
        """End the connections; safe to call twice."""
        self._thread.close()

    def _done(
        self,
        method: str,
        path: str,
        refusals: frozenset[int],
        content: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> int | None:
        """Return ``None`` where something was done, else the status among ``refusals``."""

        async def read(response: "httpx.Response") -> int | None:
            await self._body(response, _MOST_ANSWER_BYTES)  # or the connection could not be used again
            if response.status_code in refusals:
                return response.status_code
            self._require(response, _DONE)
            return None

        return self._ask(method, path, read, content=content, headers=headers)

    def _ask(
        self,
        method: str,
        path: str,
        read: "Callable[[httpx.Response], Awaitable[T]]",
        content: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> T:
        """Return what ``read`` makes of the answer; the request is repeated while that may help."""

        async def attempt() -> T:
            address = self._address.url + path
            async with self._caller.send(method, address, LIMITS, content=content, headers=headers) as response:
                return await read(response)

        try:
            return self._thread.run(lambda: repeat(attempt, LIMITS))
        except RequestError as error:
            raise failure_of(self._address.server, error) from None
        except CancelledError:
            raise ExchangeError("The connection to the place where your machines meet was closed.") from None

    async def _body(self, response: "httpx.Response", most: int) -> bytes:
        from app.core.network.http_caller import read_body  # noqa: PLC0415

        body = await read_body(response, most)
        if body is None:
            raise refusal(self._address.server, TOO_MUCH)
        return body

    def _require_listing(self, response: "httpx.Response") -> None:
        """Refuse an answer to PROPFIND that is no listing."""
        if response.status_code == HTTPStatus.OK:
            raise refusal(self._address.server, NO_WEBDAV)
        self._require(response, {HTTPStatus.MULTI_STATUS})

    def _require(self, response: "httpx.Response", statuses: "frozenset[int] | set[HTTPStatus]") -> None:
        """Refuse an answer whose status is none of some."""
        status = response.status_code
        if status in statuses:
            return
        server = self._address.server
        if response.has_redirect_location:
            raise refusal(server, REDIRECTED, other=_host(response.headers["Location"]) or server)
        raise refusal_of(server, status)


def _host(address: str) -> str:
    try:
        return urlsplit(address).hostname or ""
    except ValueError:
        return ""
