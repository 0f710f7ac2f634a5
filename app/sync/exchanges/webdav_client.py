"""Client of one folder on a WebDAV server."""

import re
from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from http import HTTPStatus
from typing import TYPE_CHECKING, Final, Self

from app.core.network.http_requests import BUSY
from app.sync.exchanges.exchange_point import MOST_BYTES
from app.sync.exchanges.server_caller import ServerCaller
from app.sync.exchanges.server_refusals import NO_WEBDAV, WEBDAV_STATUSES, NoListingError, ServerRefusals
from app.sync.exchanges.webdav_address import WebdavAddress
from app.sync.exchanges.webdav_listing import ListedFile, WebdavListing

if TYPE_CHECKING:
    import httpx

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
        self._url = address.url
        self.refusals = ServerRefusals(address.server, WEBDAV_STATUSES, NO_WEBDAV)
        login = {"Authorization": address.login} if address.login else {}
        self._caller = ServerCaller(self.refusals, login, (BUSY - _GONE) | {HTTPStatus.LOCKED})

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
            listing = WebdavListing(self._url + path, response.headers.get("Date", ""), is_wanted)
            async for piece in self._caller.pieces(response, MOST_LISTED_BYTES):
                listing.feed(piece)
            return listing.finish()

        try:
            return self._caller.ask("PROPFIND", self._url + path, read, _PROPERTIES, {"Depth": "1"})
        except NoListingError:
            raise self.refusals.error(NO_WEBDAV) from None

    def has_folder(self, path: str) -> bool:
        """Return whether there is a folder."""

        async def read(response: "httpx.Response") -> bool:
            if response.status_code in _GONE:
                return False
            self._require_listing(response)
            return True

        return self._caller.ask("PROPFIND", self._url + path, read, _PROPERTIES, {"Depth": "0"})

    def get(self, path: str) -> bytes | None:
        """Return a file, ``None`` where there is none."""

        async def read(response: "httpx.Response") -> bytes | None:
            if response.status_code in _GONE:
                return None
            self._require(response, {HTTPStatus.OK})
            if response.headers.get("Content-Type", "").startswith("text/html"):
                raise self.refusals.error(NO_WEBDAV)
            return await self._caller.body(response, MOST_BYTES)

        return self._caller.ask("GET", self._url + path, read)

    def put(self, path: str, data: bytes) -> bool:
        """Write a file; return False where its folder is not there."""
        headers = {"Content-Type": "application/octet-stream"}
        return self._done("PUT", path, _GONE, data, headers) is None

    def make_folder(self, path: str) -> bool:
        """Make a folder unless it is there; return False where that around it is not."""
        others = _GONE | {HTTPStatus.METHOD_NOT_ALLOWED}
        # Apache forbids it to one of two that make it at the same moment; then it is there at the next attempt.
        refused = self._done("MKCOL", path, others | {HTTPStatus.FORBIDDEN})
        if refused == HTTPStatus.FORBIDDEN:
            refused = self._done("MKCOL", path, others)
        return refused not in _GONE

    def move(self, source: str, target: str) -> bool:
        """Give a file another path unless that is taken; return False where it is."""
        headers = {"Destination": self._url + target, "Overwrite": "F"}
        # Where the answer to an attempt that succeeded was lost, the next one finds no source.
        refused = self._done("MOVE", source, _GONE | {HTTPStatus.PRECONDITION_FAILED}, headers=headers)
        return refused != HTTPStatus.PRECONDITION_FAILED

    def remove(self, path: str) -> None:
        """Remove a file, if it is there."""
        self._done("DELETE", path, _GONE)

    def close(self) -> None:
        """End the connections; safe to call twice."""
        self._caller.close()

    def _done(
        self,
        method: str,
        path: str,
        refusals: AbstractSet[int],
        content: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> int | None:
        """Return ``None`` where something was done, else the status among ``refusals``."""

        async def read(response: "httpx.Response") -> int | None:
            await self._caller.body(response, _MOST_ANSWER_BYTES)  # or the connection could not be used again
            if response.status_code in refusals:
                return response.status_code
            self._require(response, _DONE)
            return None

        return self._caller.ask(method, self._url + path, read, content, headers)

    def _require_listing(self, response: "httpx.Response") -> None:
        """Refuse an answer to PROPFIND that is no listing."""
        if response.status_code == HTTPStatus.OK:
            raise self.refusals.error(NO_WEBDAV)
        self._require(response, {HTTPStatus.MULTI_STATUS})

    def _require(self, response: "httpx.Response", statuses: AbstractSet[int]) -> None:
        """Refuse an answer whose status is none of some."""
        if response.status_code not in statuses:
            raise self.refusals.of_status(response.status_code)
