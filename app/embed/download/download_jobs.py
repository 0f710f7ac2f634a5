"""Models being fetched from the network, each listed as a job that a person can watch and cancel."""

import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import Final, TypeVar

from app.embed.download.fastembed_files import cancelled
from app.embed.model import DownloadWatcher
from app.errors import CancelledByPersonError, InternalError, ModelUnavailableError
from app.jobs import Job, Jobs

T = TypeVar("T")

JOB: Final = "fetching:"
"""What the id of such a job begins with; the model's name follows."""
_ENDING_S: Final = 60.0


class _Download:
    """One model being opened, by one thread or by several at once."""

    def __init__(self) -> None:
        self.users = 0
        self.job: Job | None = None

    def is_cancelled(self) -> bool:
        return self.job is not None and self.job.is_cancelled()


class ModelDownloads:
    """Lists models that are fetched, and leaves alone what the person cancelled until they ask for it again.

    Its methods are called from any thread.

    Args:
        jobs: Where a model is listed while it is fetched.
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
        """Return what ``open_it`` opens; it is told whether to fetch the model where it is not here, and who watches.

        Args:
            model: Its name.
            open_it: Opens it.
            may_fetch: Whether the person agreed to fetching.
            is_requested: Whether they ask for it now, so that what they cancelled before goes on.

        Raises:
            CancelledByPersonError: They cancelled the fetching, now or before.
            KeepsakeError: As ``open_it`` raises.
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
        """Let what the person cancelled be fetched again: ``model``, or all where none is named."""
        self._declined = self._declined - {model} if model else set()

    def close(self) -> None:
        """Let nothing be fetched any more."""
        self._is_closed = True

    @contextlib.contextmanager
    def track_download(self, model: str) -> Iterator[DownloadWatcher]:
        """Give who watches a model being fetched; it is listed once there is something to tell, until the block ends.

        Who opens the same model meanwhile shares the job, and stops with it.
        """
        fetch = self._join(model)

        def told(done: int, total: int) -> None:
            with self._changed:
                if fetch.job is None:
                    fetch.job = self._jobs.begin(f"Fetching {model}", "bytes", f"{JOB}{model}")
            fetch.job.advance(done, total)

        state = "failed"
        try:
            yield DownloadWatcher(told, lambda: self._is_closed or fetch.is_cancelled())
            state = "finished"
        except CancelledByPersonError:
            state = "cancelled"
            self._declined.add(model)
            raise
        finally:
            self._leave(model, fetch, state)

    def _join(self, model: str) -> _Download:
        with self._changed:
            # What was cancelled just now has to end first; whoever comes after that begins anew.
            if not self._changed.wait_for(lambda: not self._is_ending(model), _ENDING_S):
                raise InternalError(f"Fetching {model} was cancelled and does not end.")
            fetch = self._under_way.setdefault(model, _Download())
            fetch.users += 1
        return fetch

    def _is_ending(self, model: str) -> bool:
        fetch = self._under_way.get(model)
        return fetch is not None and fetch.is_cancelled()

    def _leave(self, model: str, fetch: _Download, state: str) -> None:
        with self._changed:
            fetch.users -= 1
            if fetch.users:
                return
            if fetch.job is not None:
                self._jobs.end(fetch.job, state)
            del self._under_way[model]
            self._changed.notify_all()
