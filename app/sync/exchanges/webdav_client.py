"""Client of a WebDAV server, with one sentence for each way in which it may refuse."""

import base64
import re
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import CancelledError
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import TYPE_CHECKING, Final, Self, TypeVar
from urllib.parse import quote, unquote, urlsplit

from app.core.network.http_requests import (
    BUSY,
    RequestError,
    RequestFault,
    RequestLimits,
    repeat,
    untrusted,
)
from app.core.network.network_log import LOCAL
from app.core.process.loop_thread import LoopThread
from app.errors import DiskFullError, ExchangeError, InputError, KeepsakeError
from app.sentence import Sentence
from app.sync.exchanges.exchange_point import MOST_BYTES
from app.sync.exchanges.webdav_listing import ListedFile, NoListingError, WebdavListing

if TYPE_CHECKING:
    import httpx

T = TypeVar("T")

SCHEMES: Final = ("https://", "http://", "webdavs://", "webdav://")
LIMITS: Final = RequestLimits(attempts=3, longest_pause_s=5.0, silence_s=30.0, whole_s=300.0)
MOST_LISTED_BYTES: Final = 64 << 20
_MOST_ANSWER_BYTES: Final = 1 << 16  # of an answer that nobody reads
_PROPERTIES: Final = (
    b'<?xml version="1.0" encoding="utf-8"?><propfind xmlns="DAV:"><prop><getlastmodified/></prop></propfind>'
)
_NO_ADDRESS: Final = (
    "This is no address of a WebDAV server. It looks like https://name:password@server/path; write @, /, # and ? within"
    " the password as %40, %2F, %23 and %3F."
)
_NO_WEBDAV: Final = (
    "{server} does not speak WebDAV at that address. Copy the address for WebDAV from the settings of the server."
)
_UNREACHABLE: Final = (
    "{server} cannot be reached. See whether this machine is online and the address is right; nothing is lost"
    " meanwhile."
)
_SLOW: Final = "{server} did not answer in time. It is tried again by itself; nothing is lost meanwhile."
_FAILING: Final = (
    "{server} takes no requests at the moment (status {status}). It is tried again by itself; nothing is lost"
    " meanwhile."
)
_TOO_MUCH: Final = (
    "{server} sent far more than was requested, so nothing of it was read. See whether the address is right."
)
_REDIRECTED: Final = (
    "{server} refers to another address on {other}, to which Keepsake sends no password. Name that address if it is the"
    " right one."
)
_UNEXPECTED: Final = "{server} sent an unexpected answer (status {status}). See whether the address is right."
_REFUSALS: Final[Mapping[int, str]] = {
    HTTPStatus.UNAUTHORIZED: "{server} does not accept the name or the password. Correct them in the address; where the"
    " server asks for a second factor, make a password for apps there.",
    HTTPStatus.FORBIDDEN: "{server} does not let this name do that in the folder. Allow it to read and write there, or"
    " name another folder.",
    HTTPStatus.NOT_FOUND: "{server} has no such folder. Make it there first, and see whether the address is right.",
    HTTPStatus.CONFLICT: "{server} has no such folder. Make it there first, and see whether the address is right.",
    HTTPStatus.METHOD_NOT_ALLOWED: _NO_WEBDAV,
    HTTPStatus.NOT_IMPLEMENTED: _NO_WEBDAV,
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: "{server} takes no file of that size. Allow larger ones there; nothing is lost"
    " meanwhile.",
    HTTPStatus.LOCKED: "Another program keeps a file locked on {server}. It is tried again by itself; nothing is lost"
    " meanwhile.",
}
_GONE: Final = frozenset({HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT})
_DONE: Final = frozenset({HTTPStatus.OK, HTTPStatus.CREATED, HTTPStatus.NO_CONTENT})


@dataclass(frozen=True, slots=True)
class WebdavAddress:
    """Address of a folder on a WebDAV server.

    Args:
        url: The address without the login, with a slash at its end.
        server: The name of the server.
        login: The name and the password, as they are sent; ``""`` for none.
    """

    url: str
    server: str
    login: str = field(repr=False)


def webdav_address(address: str) -> WebdavAddress:
    """Return the parts of an address that a person named.

    Raises:
        InputError: It is none, or a password would be sent without encryption.
    """
    try:
        parts = urlsplit(address.strip())
        server, port = parts.hostname, parts.port
    except ValueError:
        raise InputError(_NO_ADDRESS, field="place") from None
    login, _, _ = parts.netloc.rpartition("@")
    if not server or parts.query or parts.fragment or "@" in parts.path:
        raise InputError(_NO_ADDRESS, field="place")
    scheme = "http" if parts.scheme in ("http", "webdav") else "https"
    if scheme == "http" and server not in LOCAL:
        raise InputError(
            "Without encryption, others could read the password on its way. Begin the address with https://.",
            field="place",
        )
    host = f"[{server}]" if ":" in server else server
    path = quote(parts.path.strip("/"), safe="/%:!$&'()*+,;=~")
    url = f"{scheme}://{host}{f':{port}' if port else ''}/{path}{'/' if path else ''}"
    name, _, password = (unquote(part) for part in login.partition(":"))
    token = base64.b64encode(f"{name}:{password}".encode()).decode("ascii")
    return WebdavAddress(url, server, f"Basic {token}" if login else "")


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
            {"Authorization": address.login} if address.login else {},
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
            self._require_listing(response)
            listing, size = WebdavListing(self._address.url + path, response.headers.get("Date", ""), is_wanted), 0
            async for piece in response.aiter_bytes():
                size += len(piece)
                if size > MOST_LISTED_BYTES:
                    raise self._refusal(_TOO_MUCH)
                listing.feed(piece)
            return listing.finish()

        try:
            return self._ask("PROPFIND", path, read, content=_PROPERTIES, headers={"Depth": "1"})
        except NoListingError:
            raise self._refusal(_NO_WEBDAV) from None

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
                raise self._refusal(_NO_WEBDAV)
            return await self._body(response)

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
            raise self._failure(error) from None
        except CancelledError:
            raise ExchangeError("The connection to the place where your machines meet was closed.") from None

    async def _body(self, response: "httpx.Response", most: int = MOST_BYTES) -> bytes:
        from app.core.network.http_caller import read_body  # noqa: PLC0415

        body = await read_body(response, most)
        if body is None:
            raise self._refusal(_TOO_MUCH)
        return body

    def _require_listing(self, response: "httpx.Response") -> None:
        """Refuse an answer to PROPFIND that is no listing."""
        if response.status_code == HTTPStatus.OK:
            raise self._refusal(_NO_WEBDAV)
        self._require(response, {HTTPStatus.MULTI_STATUS})

    def _require(self, response: "httpx.Response", statuses: "frozenset[int] | set[HTTPStatus]") -> None:
        """Refuse an answer whose status is none of some."""
        status = response.status_code
        if status in statuses:
            return
        if status == HTTPStatus.INSUFFICIENT_STORAGE:
            raise DiskFullError(
                Sentence(
                    "{server} has no room left for you. Make room there; nothing is lost meanwhile.",
                    server=self._address.server,
                )
            )
        if response.has_redirect_location:
            raise self._refusal(_REDIRECTED, other=_host(response.headers["Location"]) or self._address.server)
        if (template := _REFUSALS.get(status)) is not None:
            raise self._refusal(template)
        raise self._refusal(_UNEXPECTED, status=status)

    def _failure(self, error: RequestError) -> KeepsakeError:
        match error.fault:
            case RequestFault.BUSY if error.status in _REFUSALS:
                return self._refusal(_REFUSALS[error.status])
            case RequestFault.BUSY:
                return self._refusal(_FAILING, status=error.status)
            case RequestFault.SLOW:
                return self._refusal(_SLOW)
            case RequestFault.UNTRUSTED:
                return ExchangeError(untrusted(self._address.server))
            case RequestFault.NO_ADDRESS:
                return InputError(_NO_ADDRESS, field="place")
            case _:
                return self._refusal(_UNREACHABLE)

    def _refusal(self, template: str, **values: object) -> ExchangeError:
        return ExchangeError(Sentence(template, server=self._address.server, **values))


def _host(address: str) -> str:
    try:
        return urlsplit(address).hostname or ""
    except ValueError:
        return ""
