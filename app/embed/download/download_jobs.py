"""Downloads of models as jobs that a person can watch and cancel."""

import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import Final, TypeVar

from app.embed.download.fastembed_files import cancelled
from app.embed.model import DownloadWatcher
from app.errors import CancelledByPersonError, InternalError, ModelUnavailableError
from app.jobs import Job, Jobs
from app.sentence import Sentence

T = TypeVar("T")

JOB: Final = "fetching:"
"""Prefix of a download's job id; the model's name follows."""
_ENDING_S: Final = 60.0


class _Download:
    """Download of one model, shared by the threads that open it at once."""

    def __init__(self) -> None:
        self.users = 0
        self.job: Job | None = None

    def is_cancelled(self) -> bool:
        return self.job is not None and self.job.is_cancelled()


class ModelDownloads:
    """Downloads under way, and models whose download the person cancelled.

    A cancelled download starts again only when the person requests the model again.

    Its methods are called from any thread.

    Args:
        jobs: Lists a download while it is under way.
    """

    def __init__(self, jobs: Jobs) -> None:
        self._jobs = jobs
        self._changed = threading.Condition()
        self._under_way: dict[str, _Download] = {}
        self._declined: set[str] = set()
        self._is_closed = False

    def open_model(
        self, model: str, open_it: Callable[[bool, DownloadWatcher], T], *, may_fetch: bool, is_requested: bool = False
    ) -> T:
        """Return the model that ``open_it`` opens, which may download it.

        Args:
            model: The model's name.
            open_it: Opens the model, given whether it may be downloaded and the watcher of the download.
            may_fetch: Whether the person allows downloads.
            is_requested: Whether the person requests the model now, so that a cancelled download is continued.

        Raises:
            CancelledByPersonError: The person cancelled the download, now or before.
            KeepsakeError: ``open_it`` failed.
        """
        with self.track_download(model) as watch:
            if is_requested:
                self.allow(model)
            is_declined = may_fetch and model in self._declined
            try:
                return open_it(may_fetch and not is_declined, watch)
            except ModelUnavailableError as error:
                if is_declined and error.data.get("reason") == "missing":
                    raise cancelled(model.partition(":")[2]) from error
                raise

    def allow(self, model: str = "") -> None:
        """Allow cancelled downloads again: that of ``model``, or all when none is named."""
        self._declined = self._declined - {model} if model else set()

    def close(self) -> None:
        """Stop all downloads."""
        self._is_closed = True

    @contextlib.contextmanager
    def track_download(self, model: str) -> Iterator[DownloadWatcher]:
        """Yield the watcher of a download.

        The download is listed from its first progress until the block ends.

        Threads that open the same model meanwhile share the job, and stop with it.
        """
        download = self._join(model)

        def report(done: int, total: int) -> None:
            with self._changed:
                if download.job is None:
                    download.job = self._jobs.begin(f"Fetching {model}", "bytes", f"{JOB}{model}")
            download.job.advance(done, total)

        state = "failed"
        try:
            yield DownloadWatcher(report, lambda: self._is_closed or download.is_cancelled())
            state = "finished"
        except CancelledByPersonError:
            state = "cancelled"
            self._declined.add(model)
            raise
        finally:
            self._leave(model, download, state)

    def _join(self, model: str) -> _Download:
        with self._changed:
            # A download that was just cancelled has to end first; the next one then begins anew.
            if not self._changed.wait_for(lambda: not self._is_ending(model), _ENDING_S):
                raise InternalError(Sentence("The download of {model} was cancelled but does not end.", model=model))
            download = self._under_way.setdefault(model, _Download())
            download.users += 1
        return download

    def _is_ending(self, model: str) -> bool:
        download = self._under_way.get(model)
        return download is not None and download.is_cancelled()

    def _leave(self, model: str, download: _Download, state: str) -> None:
        with self._changed:
            download.users -= 1
            if download.users:
                return
            if download.job is not None:
                self._jobs.end(download.job, state)
            del self._under_way[model]
            self._changed.notify_all()
