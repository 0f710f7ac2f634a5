"""Client of the Hugging Face hub.

Lists a repository's files and streams their bytes, and can be interrupted.

``repository_download`` says why this is not ``huggingface_hub``'s own download.
"""

import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import TYPE_CHECKING, Final, Self, TypeVar
from urllib.parse import quote, urlsplit

import msgspec

from app.core.network.http_caller import HttpCaller, pieces_of, read_body
from app.core.network.http_requests import RequestError, RequestLimits, repeat
from app.core.network.network_log import LOCAL

if TYPE_CHECKING:
    import httpx

T = TypeVar("T")

HUB: Final = "https://huggingface.co"
ADDRESS_VARIABLE: Final = "HF_ENDPOINT"
OFFLINE_VARIABLES: Final = ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE")
FIRST_PAUSE_S: Final = 1.0
_REVISION: Final = "main"
_YES: Final = frozenset({"1", "TRUE", "YES", "ON"})
_LIMITS: Final = RequestLimits(attempts=4, longest_pause_s=30.0, silence_s=20.0, whole_s=None)
_MAX_LIST: Final = 64 << 20  # bytes
_MAX_PAGES: Final = 100  # of a list; a page has a thousand files
_LIST_S: Final = 120.0
_HEX: Final = frozenset("0123456789abcdef")


class NotFetchedError(Exception):
    """Error of a hub that refused, could not be reached, or answered wrongly."""


@dataclass(frozen=True, slots=True)
class HubFile:
    """A file of a repository.

    Args:
        path: Its path in the repository.
        size: Its length in bytes.
        sha256: The digest of its content in hexadecimal; empty for a small file, because the hub gives none.
    """

    path: str
    size: int
    sha256: str


class _Large(msgspec.Struct):
    oid: str
    size: int


class _Entry(msgspec.Struct):
    path: str
    type: str
    size: int = 0
    lfs: _Large | None = None


class _Commit(msgspec.Struct):
    sha: str


class HubClient:
    """Connection to one repository of the hub, as a context manager.

    Args:
        repo: The repository, ``owner/name``.
        first_pause_s: Seconds to wait before the second attempt.

    Raises:
        NotFetchedError: The environment declares this machine offline, or the model is not on the hub.
    """

    def __init__(self, repo: str, first_pause_s: float = FIRST_PAUSE_S) -> None:
        if any(os.environ.get(name, "").strip().upper() in _YES for name in OFFLINE_VARIABLES):
            raise NotFetchedError("offline")
        if not repo:
            raise NotFetchedError("not on the hub")
        self._repo = repo
        self._limits = replace(_LIMITS, first_pause_s=first_pause_s)
        self._address = (os.environ.get(ADDRESS_VARIABLE, "").strip() or HUB).rstrip("/")
        self._caller = HttpCaller(
            "model download",
            {"User-Agent": "keepsake", "Accept-Encoding": "identity", **_key()},
            follows_redirects=True,  # the hub redirects to a store of large files, to which httpx does not send the key
            uses_proxy=(urlsplit(self._address).hostname or "") not in LOCAL,
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._caller.close()

    async def repeat(self, attempt: Callable[[], Awaitable[T]], received: Callable[[], int] = lambda: 0) -> T:
        """Return the result of ``attempt``, repeated while the connection fails or the hub is busy.

        Args:
            attempt: Sends a request.
            received: Returns the bytes received so far; while they grow, attempts are not counted.

        Raises:
            NotFetchedError: The hub refused the request or could not be reached.
        """
        try:
            return await repeat(attempt, self._limits, received=received)
        except RequestError as error:
            raise NotFetchedError(str(error)) from error

    async def commit(self) -> str:
        """Return the hash of the repository's current commit."""
        commit, _ = await self.repeat(lambda: self._get(f"{self._api()}/revision/{_REVISION}", _Commit))
        if not commit.sha or not _HEX.issuperset(commit.sha):
            raise NotFetchedError("no commit")  # the hash becomes the name of a folder
        return commit.sha

    async def files(self, commit: str) -> list[HubFile]:
        """Return the files of a commit."""
        entries: list[_Entry] = []
        address = f"{self._api()}/tree/{commit}?recursive=true"
        for _ in range(_MAX_PAGES):
            if not address:
                break
            page_address = address
            page, address = await self.repeat(lambda: self._get(page_address, list[_Entry]))  # noqa: B023  (called at once)
            entries += page
        if address:
            raise NotFetchedError("no end of the list")
        return [
            HubFile(entry.path, entry.lfs.size, entry.lfs.oid) if entry.lfs else HubFile(entry.path, entry.size, "")
            for entry in entries
            if entry.type == "file"
        ]

    @asynccontextmanager
    async def pieces(self, commit: str, path: str, begin: int) -> AsyncIterator[tuple[bool, AsyncIterator[bytes]]]:
        """Stream a file from the byte ``begin``.

        Also yield whether the hub honoured that or sends all of it.

        Raises:
            NotFetchedError: The hub refused the file.
            RequestError: The attempt failed.
        """
        address = f"{self._address}/{self._repo}/resolve/{commit}/{quote(path)}"
        headers = {"Range": f"bytes={begin}-"} if begin else {}
        async with self._caller.send("GET", address, self._limits, headers=headers) as response:
            if begin and response.status_code == HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:
                yield False, _nothing()
                return
            _check_status(response)
            is_partial = response.status_code == HTTPStatus.PARTIAL_CONTENT
            if is_partial and not response.headers.get("Content-Range", "").startswith(f"bytes {begin}-"):
                raise NotFetchedError("wrong range")
            yield is_partial, pieces_of(response)

    def _api(self) -> str:
        return f"{self._address}/api/models/{self._repo}"

    async def _get(self, address: str, shape: type[T]) -> tuple[T, str]:
        """Return a decoded response and the address of its next page.

        The address must be on the hub itself.
        """
        async with self._caller.send("GET", address, replace(self._limits, whole_s=_LIST_S)) as response:
            _check_status(response)
            body = await read_body(response, _MAX_LIST)
        try:
            value = msgspec.json.decode(body or b"", type=shape)
        except (msgspec.DecodeError, msgspec.ValidationError) as error:
            raise NotFetchedError("no list") from error
        more = response.links.get("next", {}).get("url", "")
        return value, more if more.startswith(f"{self._address}/") else ""


def _check_status(response: "httpx.Response") -> None:
    status = response.status_code
    if status not in {HTTPStatus.OK, HTTPStatus.PARTIAL_CONTENT}:
        raise NotFetchedError(f"status {status}")


async def _nothing() -> AsyncIterator[bytes]:
    for piece in list[bytes]():
        yield piece


def _key() -> dict[str, str]:
    """Return the header with the person's key for the hub, if there is one.

    Some mirrors require it.
    """
    # Documented, but not marked as exported.
    from huggingface_hub.utils import build_hf_headers  # type: ignore[attr-defined]  # noqa: PLC0415

    key = build_hf_headers().get("authorization")
    return {"Authorization": key} if key else {}
