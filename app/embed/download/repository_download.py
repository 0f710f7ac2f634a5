"""Fetches a model's files into a cache laid out as the hub's own library does, and goes on where it was stopped.

The library itself begins a file anew each time, and says only every ten megabytes how far it is.
"""

import contextlib
import hashlib
import os
import shutil
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from filelock import FileLock, Timeout

from app.embed.download.hub_client import WAITS_S, HubBusyError, HubClient, HubFile, NotFetchedError
from app.embed.model import DownloadWatcher

_LOOK_S: Final = 0.2
_BLOCK: Final = 1 << 20
_PART: Final = ".part"
_UNFINISHED: Final = "fetching"


class RepositoryDownload:
    """One fetching of some files of a repository.

    Until all of them are here and whole, they lie where no program looks for a model.

    Args:
        repo: The repository, ``owner/name``.
        names: The files wanted, the model itself last; one that is not there is left out.
        needed: Those of them without which there is no model.
        cache: Where models are kept.
        watch: Watches it, and may stop it.
        about: About how many bytes there will be.
        waits_s: See ``HubClient``.
    """

    def __init__(
        self,
        repo: str,
        names: Sequence[str],
        needed: Sequence[str],
        cache: Path,
        watch: DownloadWatcher,
        about: int,
        waits_s: Sequence[float] = WAITS_S,
    ) -> None:
        self._repo = repo
        self._names = names
        self._needed = needed
        self._place = cache / f"models--{repo.replace('/', '--')}"
        self._watch = watch
        self._waits_s = waits_s
        self._done = 0
        self._total = about
        self._stopped = threading.Event()

    def run(self) -> None:
        """Fetch what is not here.

        Raises:
            StoppedError: Whoever watches wants no more; what came is kept.
            NotFetchedError: The hub does not give the files, or others than it said.
            OSError: They cannot be written.
        """
        before = self._fetched_at()
        self._watch.on_progress(0, self._total)
        with HubClient(self._repo, self._stopped, self._waits_s) as hub, self._attended(hub):
            self._place.mkdir(parents=True, exist_ok=True)
            with self._alone(hub):
                # Somebody else may have fetched it meanwhile.
                if self._fetched_at() == before:
                    self._fetch(hub)
        self._watch.on_progress(self._total, self._total)

    def _fetch(self, hub: HubClient) -> None:
        commit = hub.commit()
        files = self._chosen(hub.files(commit))
        folder = self._place / _UNFINISHED / commit
        self._drop_others(folder)
        self._done = sum(_here(folder / file.path) for file in files)
        self._total = sum(file.size for file in files)
        for file in files:
            self._fetch_one(hub, commit, file, folder / file.path)
        self._settle(commit, [file.path for file in files])

    def _chosen(self, files: Sequence[HubFile]) -> list[HubFile]:
        """Return the files to fetch, in the order they are named."""
        known = {file.path: file for file in files}
        if not known.keys() >= {*self._needed}:
            raise NotFetchedError("no such files")
        return [known[name] for name in self._names if name in known]

    def _fetch_one(self, hub: HubClient, commit: str, file: HubFile, whole: Path) -> None:
        if whole.is_file():
            return
        part = _part(whole)
        part.parent.mkdir(parents=True, exist_ok=True)
        hub.persist(lambda: self._append(hub, commit, file, part), lambda: self._done)
        if not _is_whole(part, file, hub):
            part.unlink()
            raise NotFetchedError("damaged")
        part.replace(whole)

    def _append(self, hub: HubClient, commit: str, file: HubFile, part: Path) -> None:
        with part.open("ab") as stream:
            begin = stream.tell()
            if begin < file.size:
                with hub.pieces(commit, file.path, begin) as (is_rest, pieces):
                    if not is_rest:
                        stream.truncate(0)
                        self._done -= begin
                    for piece in pieces:
                        stream.write(piece)
                        self._done += len(piece)
                        hub.look()
                        if stream.tell() > file.size:
                            break
            stream.flush()
            if os.fstat(stream.fileno()).st_size < file.size:
                raise HubBusyError("broke off")
            os.fsync(stream.fileno())

    def _settle(self, commit: str, paths: Sequence[str]) -> None:
        """Put the files where they are looked for, the model itself last: a kill leaves no half of it."""
        snapshot = self._place / "snapshots" / commit
        for path in paths:
            if path in self._needed:
                self._point_at(commit)
            here = snapshot / path
            here.parent.mkdir(parents=True, exist_ok=True)
            (self._place / _UNFINISHED / commit / path).replace(here)
        shutil.rmtree(self._place / _UNFINISHED, ignore_errors=True)

    def _point_at(self, commit: str) -> None:
        pointer = self._pointer()
        pointer.parent.mkdir(exist_ok=True)
        fresh = pointer.with_name(f"{pointer.name}{_PART}")
        fresh.write_text(commit, encoding="ascii")
        fresh.replace(pointer)

    def _pointer(self) -> Path:
        return self._place / "refs" / "main"

    def _fetched_at(self) -> int:
        """Return when it was last fetched, in nanoseconds; 0 for never."""
        with contextlib.suppress(FileNotFoundError):
            return self._pointer().stat().st_mtime_ns
        return 0

    def _drop_others(self, folder: Path) -> None:
        """Drop what was left of a commit that is not the last one any more."""
        for other in folder.parent.glob("*"):
            if other != folder:
                shutil.rmtree(other, ignore_errors=True)

    @contextlib.contextmanager
    def _alone(self, hub: HubClient) -> Iterator[None]:
        """Wait until no other thread or program fetches it."""
        lock = FileLock(self._place / f"{_UNFINISHED}.lock")
        while True:
            hub.look()
            try:
                lock.acquire(timeout=0)
            except Timeout:
                self._stopped.wait(_LOOK_S)
            else:
                break
        try:
            yield
        finally:
            lock.release()

    @contextlib.contextmanager
    def _attended(self, hub: HubClient) -> Iterator[None]:
        """Tell now and then how far it is, and cut it off once it is to stop."""
        over = threading.Event()

        def attend() -> None:
            while not over.wait(_LOOK_S):
                self._watch.on_progress(min(max(0, self._done), self._total), self._total)
                if self._watch.is_stopped():
                    self._stopped.set()
                    hub.cut()  # each time, for a connection may have been on its way

        attending = threading.Thread(target=attend, name="keepsake-download", daemon=True)
        attending.start()
        try:
            yield
        finally:
            over.set()
            attending.join()


def _part(whole: Path) -> Path:
    return whole.with_name(f"{whole.name}{_PART}")


def _here(whole: Path) -> int:
    """Return how many bytes of a file are here."""
    for path in (whole, _part(whole)):
        with contextlib.suppress(FileNotFoundError):
            return path.stat().st_size
    return 0


def _is_whole(part: Path, file: HubFile, hub: HubClient) -> bool:
    """Return whether a file is what the hub says it is."""
    if part.stat().st_size != file.size:
        return False
    if not file.sha256:
        return True
    digest = hashlib.sha256()
    with part.open("rb") as stream:
        while block := stream.read(_BLOCK):
            digest.update(block)
            hub.look()
    return digest.hexdigest() == file.sha256
