"""Asks the Hugging Face hub what a repository holds and for the bytes of its files, on lines that can be cut."""

import contextlib
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final, Self, TypeVar
from urllib.parse import quote, urlsplit

import httpx
import msgspec

from app.embed.embedder_source import LOCAL
from app.embed.remote.deadline_transport import RequestDeadline

T = TypeVar("T")

HUB: Final = "https://huggingface.co"
ADDRESS_VARIABLE: Final = "HF_ENDPOINT"
OFFLINE_VARIABLES: Final = ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE")
WAITS_S: Final = (1.0, 2.0, 4.0)
_REVISION: Final = "main"
_YES: Final = frozenset({"1", "TRUE", "YES", "ON"})
_BUSY: Final = frozenset({408, 425, 429, 500, 502, 503, 504})
_LIMITS: Final = httpx.Timeout(20.0, connect=10.0)
_HEX: Final = frozenset("0123456789abcdef")


class NotFetchedError(Exception):
    """The hub does not give what was asked for, or something else than it said."""


class DownloadStoppedError(Exception):
    """Whoever watches wants no more of it."""


class HubBusyError(Exception):
    """The hub is busy, or its answer broke off; the same may be asked again."""


@dataclass(frozen=True, slots=True)
class HubFile:
    """A file of a repository.

    Args:
        path: Where it lies there.
        size: Its length in bytes.
        sha256: The digest of its content in hexadecimal; empty for a small file, of which the hub does not say it.
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
    """One repository's place on the hub; for use in a ``with`` block.

    Args:
        repo: The repository, ``owner/name``.
        stopped: Set when nobody wants an answer any more.
        waits_s: Seconds to wait before each further attempt, when not a byte came since the last one.

    Raises:
        NotFetchedError: The environment says that this machine is offline, or there is no such place.
    """

    def __init__(self, repo: str, stopped: threading.Event, waits_s: Sequence[float] = WAITS_S) -> None:
        if any(os.environ.get(name, "").strip().upper() in _YES for name in OFFLINE_VARIABLES):
            raise NotFetchedError("offline")
        if not repo:
            raise NotFetchedError("not on the hub")
        self._repo = repo
        self._stopped = stopped
        self._waits_s = waits_s
        self._address = (os.environ.get(ADDRESS_VARIABLE, "").strip() or HUB).rstrip("/")
        self._cutter = RequestDeadline()
        self._client = httpx.Client(
            follow_redirects=True,  # the hub keeps large files elsewhere; the client leaves its key out there
            trust_env=(urlsplit(self._address).hostname or "") not in LOCAL,
            timeout=_LIMITS,
            headers={"User-Agent": "keepsake", "Accept-Encoding": "identity", **_key()},
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def cut(self) -> None:
        """End whatever is under way; whoever waits for it looks whether to stop."""
        self._cutter.cut()

    def look(self) -> None:
        """Stop where nobody wants more.

        Raises:
            StoppedError: So it is.
        """
        if self._stopped.is_set():
            raise DownloadStoppedError

    def persist(self, attempt: Callable[[], T], so_far: Callable[[], int] = lambda: 0) -> T:
        """Return what ``attempt`` does, which is made again while the line is bad.

        Args:
            attempt: Asks the hub; it raises ``HubBusyError`` where it is to be made again.
            so_far: Tells how much came by now: as long as that changes, it goes on.

        Raises:
            StoppedError: Nobody wants it any more.
            NotFetchedError: The hub refuses it, or cannot be reached.
        """
        waits, before = [*self._waits_s], so_far()
        while True:
            self.look()
            try:
                return attempt()
            except (httpx.TransportError, HubBusyError) as error:
                self.look()
                if so_far() != before:
                    waits, before = [*self._waits_s], so_far()
                if not waits:
                    raise NotFetchedError(type(error).__name__) from error
            self._stopped.wait(waits.pop(0))

    def commit(self) -> str:
        """Return the digest of what the repository holds now."""
        found = self.persist(lambda: self._asked(f"{self._api()}/revision/{_REVISION}", _Commit)[0])
        if not found.sha or not _HEX.issuperset(found.sha):
            raise NotFetchedError("no commit")  # it becomes the name of a folder
        return found.sha

    def files(self, commit: str) -> list[HubFile]:
        """Return the files of a commit."""
        entries: list[_Entry] = []
        address = f"{self._api()}/tree/{commit}?recursive=true"
        while address:
            here = address
            some, address = self.persist(lambda: self._asked(here, list[_Entry]))  # noqa: B023  (called before it changes)
            entries += some
        return [
            HubFile(one.path, one.lfs.size, one.lfs.oid) if one.lfs else HubFile(one.path, one.size, "")
            for one in entries
            if one.type == "file"
        ]

    @contextlib.contextmanager
    def pieces(self, commit: str, path: str, begin: int) -> Iterator[tuple[bool, Iterable[bytes]]]:
        """Give the bytes of a file, and whether they are those from ``begin`` on; else they are all of it."""
        address = f"{self._address}/{self._repo}/resolve/{commit}/{quote(path)}"
        headers = {"Range": f"bytes={begin}-"} if begin else {}
        with self._client.stream("GET", address, headers=headers, extensions=self._heard()) as response:
            if begin and response.status_code == HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:
                yield False, ()
                return
            _look_at(response)
            is_rest = response.status_code == HTTPStatus.PARTIAL_CONTENT
            if is_rest and not response.headers.get("Content-Range", "").startswith(f"bytes {begin}-"):
                raise NotFetchedError("another part")
            yield is_rest, response.iter_bytes()

    def _api(self) -> str:
        return f"{self._address}/api/models/{self._repo}"

    def _heard(self) -> dict[str, object]:
        return {"trace": self._cutter.heard}

    def _asked(self, address: str, shape: type[T]) -> tuple[T, str]:
        """Return an answer, and where more of it is; nowhere but on the hub itself."""
        response = self._client.get(address, extensions=self._heard())
        _look_at(response)
        try:
            found = msgspec.json.decode(response.content, type=shape)
        except (msgspec.DecodeError, msgspec.ValidationError) as error:
            raise NotFetchedError("no list") from error
        more = response.links.get("next", {}).get("url", "")
        return found, more if more.startswith(f"{self._address}/") else ""


def _look_at(response: httpx.Response) -> None:
    status = response.status_code
    if status in _BUSY:
        raise HubBusyError(f"status {status}")
    if status not in {HTTPStatus.OK, HTTPStatus.PARTIAL_CONTENT}:
        raise NotFetchedError(f"status {status}")


def _key() -> dict[str, str]:
    """Return the header with the key that the person keeps for the hub, where there is one; mirrors may want it."""
    # Documented there, but not marked as exported.
    from huggingface_hub.utils import build_hf_headers  # type: ignore[attr-defined]  # noqa: PLC0415

    key = build_hf_headers().get("authorization")
    return {"Authorization": key} if key else {}
