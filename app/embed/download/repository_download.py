"""Download of a model's files into the hub library's cache, with resume.

``hf_hub_download`` of huggingface_hub 1.33.0 (with httpx 0.28.1) was tried against a local server, with a
``tqdm_class`` that reports progress and raises an error to cancel. It could not replace this module, for three reasons:

* It cannot be cancelled while the server is silent. ``tqdm_class`` is called only when a block has arrived; until then
  the library waits for its timeout of ten seconds and tries again, up to five times. The call was still running half a
  minute after it had been cancelled.
* It does not resume. Each call writes to a new file with a random name (``<etag>.<random>.incomplete``) and deletes it
  when it fails, so the second call requested all bytes again. Only retries within one call resume.
* It reports progress in blocks of 10 MB (``DOWNLOAD_CHUNK_SIZE``), so a smaller file shows none at all.

The layout of its cache is kept, so that fastembed and other programs find the files.
"""

import asyncio
import contextlib
import hashlib
import os
import shutil
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Final

from filelock import FileLock, Timeout

from app.core.network.http_requests import RequestError, RequestFault
from app.embed.download.hub_client import FIRST_PAUSE_S, HubClient, HubFile, NotFetchedError
from app.embed.model import DownloadWatcher

_POLL_S: Final = 0.2
_BLOCK: Final = 1 << 20
_PART: Final = ".part"
_UNFINISHED: Final = "fetching"


class DownloadStoppedError(Exception):
    """The download was stopped by its watcher."""


class RepositoryDownload:
    """Download of some files of a repository.

    Until all files are complete, they lie in a folder where no program looks for a model.

    Args:
        repo: The repository, ``owner/name``.
        names: The files to download, the model itself last; missing ones are left out.
        needed: The files without which the model cannot be opened.
        cache: The folder of downloaded models.
        watch: Receives the progress, and may stop the download.
        about: The approximate total in bytes, until the hub gives the true one.
        first_pause_s: See ``HubClient``.
    """

    def __init__(
        self,
        repo: str,
        names: Sequence[str],
        needed: Sequence[str],
        cache: Path,
        watch: DownloadWatcher,
        about: int,
        first_pause_s: float = FIRST_PAUSE_S,
    ) -> None:
        self._repo = repo
        self._names = names
        self._needed = needed
        self._folder = cache / f"models--{repo.replace('/', '--')}"
        self._watch = watch
        self._first_pause_s = first_pause_s
        self._done = 0
        self._total = about

    def run(self) -> None:
        """Download the files that are missing.

        Raises:
            DownloadStoppedError: The watcher stopped it; the bytes received so far are kept.
            NotFetchedError: The hub refused the files, or sent other ones than it announced.
            OSError: The files cannot be written.
        """
        before = self._completed_at()
        self._watch.on_progress(0, self._total)
        asyncio.run(self._followed(before))
        self._watch.on_progress(self._total, self._total)

    async def _followed(self, before: int) -> None:
        """Report progress at intervals, and stop the download once its watcher wants that."""
        async with HubClient(self._repo, self._first_pause_s) as hub:
            download = asyncio.create_task(self._download_once(hub, before))
            while not (await asyncio.wait({download}, timeout=_POLL_S))[0]:
                self._watch.on_progress(min(max(0, self._done), self._total), self._total)
                if self._watch.is_stopped():
                    download.cancel()
            if download.cancelled():
                raise DownloadStoppedError
            download.result()

    async def _download_once(self, hub: HubClient, before: int) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        async with self._locked():
            # Another thread or program may have downloaded it while this one waited.
            if self._completed_at() == before:
                await self._download(hub)

    async def _download(self, hub: HubClient) -> None:
        commit = await hub.commit()
        files = self._select(await hub.files(commit))
        folder = self._folder / _UNFINISHED / commit
        self._delete_other_commits(folder)
        self._done = sum(_bytes_present(folder / file.path) for file in files)
        self._total = sum(file.size for file in files)
        for file in files:
            if not (folder / file.path).is_file():
                await self._download_file(hub, commit, file, folder / file.path)
        self._publish(commit, [file.path for file in files])

    def _select(self, files: Sequence[HubFile]) -> list[HubFile]:
        """Return the files to download, in the order of ``names``."""
        known = {file.path: file for file in files}
        if not known.keys() >= {*self._needed}:
            raise NotFetchedError("no such files")
        return [known[name] for name in self._names if name in known]

    async def _download_file(self, hub: HubClient, commit: str, file: HubFile, complete: Path) -> None:
        part = _part(complete)
        part.parent.mkdir(parents=True, exist_ok=True)
        await hub.repeat(lambda: self._append(hub, commit, file, part), lambda: self._done)
        if not await _is_complete(part, file):
            part.unlink()
            raise NotFetchedError("damaged")
        part.replace(complete)

    async def _append(self, hub: HubClient, commit: str, file: HubFile, part: Path) -> None:
        with part.open("ab") as stream:
            begin = stream.tell()
            if begin < file.size:
                async with hub.pieces(commit, file.path, begin) as (is_partial, pieces):
                    if not is_partial:
                        stream.truncate(0)
                        self._done -= begin
                    async for piece in pieces:
                        stream.write(piece)
                        self._done += len(piece)
                        if stream.tell() > file.size:
                            break
            stream.flush()
            if os.fstat(stream.fileno()).st_size < file.size:
                raise RequestError(RequestFault.UNREACHABLE, "broke off")
            os.fsync(stream.fileno())

    def _publish(self, commit: str, paths: Sequence[str]) -> None:
        """Move the files into place, the model last in case of a crash."""
        snapshot = self._folder / "snapshots" / commit
        for path in paths:
            if path in self._needed:
                self._set_current(commit)
            target = snapshot / path
            target.parent.mkdir(parents=True, exist_ok=True)
            (self._folder / _UNFINISHED / commit / path).replace(target)
        shutil.rmtree(self._folder / _UNFINISHED, ignore_errors=True)

    def _set_current(self, commit: str) -> None:
        pointer = self._pointer()
        pointer.parent.mkdir(exist_ok=True)
        fresh = pointer.with_name(f"{pointer.name}{_PART}")
        fresh.write_text(commit, encoding="ascii")
        fresh.replace(pointer)

    def _pointer(self) -> Path:
        return self._folder / "refs" / "main"

    def _completed_at(self) -> int:
        """Return when a download was last completed, in nanoseconds; 0 for never."""
        with contextlib.suppress(FileNotFoundError):
            return self._pointer().stat().st_mtime_ns
        return 0

    def _delete_other_commits(self, folder: Path) -> None:
        """Delete the partial files of every commit but the current one."""
        for other in folder.parent.glob("*"):
            if other != folder:
                shutil.rmtree(other, ignore_errors=True)

    @contextlib.asynccontextmanager
    async def _locked(self) -> AsyncIterator[None]:
        """Hold the lock of this model's folder, waiting while another thread or program downloads it."""
        lock = FileLock(self._folder / f"{_UNFINISHED}.lock")
        while True:
            try:
                lock.acquire(timeout=0)
            except Timeout:
                await asyncio.sleep(_POLL_S)
            else:
                break
        try:
            yield
        finally:
            lock.release()


def _part(complete: Path) -> Path:
    return complete.with_name(f"{complete.name}{_PART}")


def _bytes_present(complete: Path) -> int:
    """Return how many bytes of a file have been received."""
    for path in (complete, _part(complete)):
        with contextlib.suppress(FileNotFoundError):
            return path.stat().st_size
    return 0


async def _is_complete(part: Path, file: HubFile) -> bool:
    """Return whether a file has the size and digest that the hub announced."""
    digest = hashlib.sha256()
    with part.open("rb") as stream:
        if os.fstat(stream.fileno()).st_size != file.size:
            return False
        while block := stream.read(_BLOCK):
            digest.update(block)
            await asyncio.sleep(0)  # lets the download be stopped here
    return file.sha256 in {"", digest.hexdigest()}
