"""Client of the Hugging Face hub.

Lists a repository's files and streams their bytes, and can be interrupted.

``repository_download`` says why this is not ``huggingface_hub``'s own download.
"""

import contextlib
import os
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final, Self, TypeVar
from urllib.parse import quote, urlsplit

import httpx
import msgspec

from app.core.network.http_requests import BUSY, Pauses, retry_after_seconds, tls_context
from app.core.network.network_log import NETWORK
from app.embed.embedder_source import LOCAL
from app.embed.remote.deadline_transport import RequestDeadline

T = TypeVar("T")

HUB: Final = "https://huggingface.co"
ADDRESS_VARIABLE: Final = "HF_ENDPOINT"
OFFLINE_VARIABLES: Final = ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE")
_REVISION: Final = "main"
_YES: Final = frozenset({"1", "TRUE", "YES", "ON"})
_ATTEMPTS: Final = 4
_LONGEST_PAUSE_S: Final = 30.0
FIRST_PAUSE_S: Final = 1.0
_LIMITS: Final = httpx.Timeout(20.0, connect=10.0)
_HEX: Final = frozenset("0123456789abcdef")


class NotFetchedError(Exception):
    """Error of a hub that refused, could not be reached, or answered wrongly."""


class DownloadStoppedError(Exception):
    """The download was stopped by its watcher."""


class HubBusyError(Exception):
    """The hub is busy, or a response broke off; the request may be repeated."""

    def __init__(self, what: str, pause_s: float | None = None) -> None:
        super().__init__(what)
        self.pause_s = pause_s


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
        stopped: Set to stop the download.
        first_pause_s: Seconds to wait before the second attempt; the attempts start anew when bytes arrived meanwhile.

    Raises:
        NotFetchedError: The environment declares this machine offline, or the model is not on the hub.
    """

    def __init__(self, repo: str, stopped: threading.Event, first_pause_s: float = FIRST_PAUSE_S) -> None:
        if any(os.environ.get(name, "").strip().upper() in _YES for name in OFFLINE_VARIABLES):
            raise NotFetchedError("offline")
        if not repo:
            raise NotFetchedError("not on the hub")
        self._repo = repo
        self._stopped = stopped
        self._first_pause_s = first_pause_s
        self._address = (os.environ.get(ADDRESS_VARIABLE, "").strip() or HUB).rstrip("/")
        self._deadline = RequestDeadline()
        self._client = httpx.Client(
            follow_redirects=True,  # the hub redirects to a store of large files, to which httpx does not send the key
            trust_env=(urlsplit(self._address).hostname or "") not in LOCAL,
            timeout=_LIMITS,
            verify=tls_context(),
            headers={"User-Agent": "keepsake", "Accept-Encoding": "identity", **_key()},
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def cut(self) -> None:
        """Interrupt the request under way; its caller then checks whether the download was stopped."""
        self._deadline.cut()

    def raise_if_stopped(self) -> None:
        """Raise an error if the download was stopped.

        Raises:
            DownloadStoppedError: It was stopped.
        """
        if self._stopped.is_set():
            raise DownloadStoppedError

    def retry(self, attempt: Callable[[], T], received: Callable[[], int] = lambda: 0) -> T:
        """Return the result of ``attempt``, repeated while the connection fails or the hub is busy.

        Args:
            attempt: Sends a request; it raises ``HubBusyError`` to be repeated.
            received: Returns the bytes received so far; while they grow, attempts are not counted.

        Raises:
            DownloadStoppedError: The download was stopped.
            NotFetchedError: The hub refused the request or could not be reached.
        """
        pauses, before = self._pauses(), received()
        while True:
            self.raise_if_stopped()
            try:
                return attempt()
            except (httpx.TransportError, HubBusyError) as error:
                self.raise_if_stopped()
                if received() != before:
                    pauses, before = self._pauses(), received()
                pause = pauses.after(error.pause_s if isinstance(error, HubBusyError) else None)
                if pause is None:
                    raise NotFetchedError(type(error).__name__) from error
            self._stopped.wait(pause)

    def _pauses(self) -> Pauses:
        return Pauses(_ATTEMPTS, _LONGEST_PAUSE_S, self._first_pause_s)

    def commit(self) -> str:
        """Return the hash of the repository's current commit."""
        found = self.retry(lambda: self._get(f"{self._api()}/revision/{_REVISION}", _Commit)[0])
        if not found.sha or not _HEX.issuperset(found.sha):
            raise NotFetchedError("no commit")  # the hash becomes the name of a folder
        return found.sha

    def files(self, commit: str) -> list[HubFile]:
        """Return the files of a commit."""
        entries: list[_Entry] = []
        address = f"{self._api()}/tree/{commit}?recursive=true"
        while address:
            page_address = address
            page, address = self.retry(lambda: self._get(page_address, list[_Entry]))  # noqa: B023  (called at once)
            entries += page
        return [
            HubFile(one.path, one.lfs.size, one.lfs.oid) if one.lfs else HubFile(one.path, one.size, "")
            for one in entries
            if one.type == "file"
        ]

    @contextlib.contextmanager
    def pieces(self, commit: str, path: str, begin: int) -> Iterator[tuple[bool, Iterable[bytes]]]:
        """Stream a file from the byte ``begin``.

        Also yield whether the hub honoured that or sends all of it.
        """
        address = f"{self._address}/{self._repo}/resolve/{commit}/{quote(path)}"
        headers = {"Range": f"bytes={begin}-"} if begin else {}
        NETWORK.record(address, "model download")
        with self._client.stream("GET", address, headers=headers, extensions=self._tracing()) as response:
            if begin and response.status_code == HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:
                yield False, ()
                return
            _check_status(response)
            is_partial = response.status_code == HTTPStatus.PARTIAL_CONTENT
            if is_partial and not response.headers.get("Content-Range", "").startswith(f"bytes {begin}-"):
                raise NotFetchedError("wrong range")
            yield is_partial, response.iter_bytes()

    def _api(self) -> str:
        return f"{self._address}/api/models/{self._repo}"

    def _tracing(self) -> dict[str, object]:
        return {"trace": self._deadline.on_trace_event}

    def _get(self, address: str, shape: type[T]) -> tuple[T, str]:
        """Return a decoded response and the address of its next page.

        The address must be on the hub itself.
        """
        NETWORK.record(address, "model download")
        response = self._client.get(address, extensions=self._tracing())
        _check_status(response)
        try:
            found = msgspec.json.decode(response.content, type=shape)
        except (msgspec.DecodeError, msgspec.ValidationError) as error:
            raise NotFetchedError("no list") from error
        more = response.links.get("next", {}).get("url", "")
        return found, more if more.startswith(f"{self._address}/") else ""


def _check_status(response: httpx.Response) -> None:
    status = response.status_code
    if status in BUSY:
        raise HubBusyError(f"status {status}", retry_after_seconds(response.headers.get("Retry-After", "")))
    if status not in {HTTPStatus.OK, HTTPStatus.PARTIAL_CONTENT}:
        raise NotFetchedError(f"status {status}")


def _key() -> dict[str, str]:
    """Return the header with the person's key for the hub, if there is one.

    Some mirrors require it.
    """
    # Documented, but not marked as exported.
    from huggingface_hub.utils import build_hf_headers  # type: ignore[attr-defined]  # noqa: PLC0415

    key = build_hf_headers().get("authorization")
    return {"Authorization": key} if key else {}
