"""Who watches a model being fetched: one job for all who open it, and what the person cancelled stays so."""

import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import TYPE_CHECKING

import pytest

from app.embed.download.download_jobs import ModelDownloads
from app.embed.download.fastembed_files import cancelled
from app.embed.model import DownloadWatcher
from app.errors import CancelledByPersonError, InputError, ModelUnavailableError
from app.jobs import Jobs

if TYPE_CHECKING:
    from app.changes import Progress

MODEL = "fastembed:x/y"
JOB = f"fetching:{MODEL}"
LIMIT_S = 15.0


class DownloadHarness:
    """What is told of jobs, and threads that open models."""

    def __init__(self) -> None:
        self.on_progress: SimpleQueue[Progress] = SimpleQueue()
        self.jobs = Jobs(self.on_progress.put)
        self.fetching = ModelDownloads(self.jobs)
        self._threads: list[threading.Thread] = []

    def open(
        self, work: Callable[[bool, DownloadWatcher], str], *, is_requested: bool = False
    ) -> "SimpleQueue[object]":
        """Open a model on a thread of its own; what comes of it is put into what is returned."""
        queue: SimpleQueue[object] = SimpleQueue()

        def run() -> None:
            try:
                queue.put(self.fetching.open_model(MODEL, work, may_fetch=True, is_requested=is_requested))
            except Exception as error:  # noqa: BLE001  (told to the test)
                queue.put(error)

        thread = threading.Thread(target=run, name="opening")
        thread.start()
        self._threads.append(thread)
        return queue

    def join(self) -> None:
        for thread in self._threads:
            thread.join(LIMIT_S)
            assert not thread.is_alive()


def endless(begun: threading.Event) -> Callable[[bool, DownloadWatcher], str]:
    """Return what fetches until it is stopped."""

    def work(may_fetch: bool, watch: DownloadWatcher) -> str:
        assert may_fetch
        watch.on_progress(5, 10)
        begun.set()
        ended = threading.Event()
        while not watch.is_stopped():
            ended.wait(0.01)
        raise cancelled("x/y")

    return work


def at_once(may_fetch: bool, watch: DownloadWatcher) -> str:
    if not may_fetch:
        raise ModelUnavailableError("It is not on this machine.", reason="missing")
    watch.on_progress(10, 10)
    return "model"


def test_what_is_here_is_no_job() -> None:
    harness = DownloadHarness()
    assert harness.fetching.open_model(MODEL, lambda *_: "model", may_fetch=True) == "model"
    assert harness.on_progress.empty()


def test_a_job_while_it_is_fetched() -> None:
    harness = DownloadHarness()
    seen: list[list[Progress]] = []

    def work(may_fetch: bool, watch: DownloadWatcher) -> str:
        made = at_once(may_fetch, watch)
        seen.append(harness.jobs.all())
        return made

    assert harness.fetching.open_model(MODEL, work, may_fetch=True) == "model"
    [[progress]] = seen
    assert (progress.job, progress.title, progress.unit) == (JOB, f"Fetching {MODEL}", "bytes")
    assert harness.jobs.all() == []
    assert [harness.on_progress.get(timeout=1).state for _ in range(2)] == ["running", "finished"]


def test_a_failure_ends_the_job() -> None:
    harness = DownloadHarness()

    def work(_may_fetch: bool, watch: DownloadWatcher) -> str:
        watch.on_progress(0, 10)
        raise ModelUnavailableError("It could not be fetched.", reason="unfetched")

    with pytest.raises(ModelUnavailableError):
        harness.fetching.open_model(MODEL, work, may_fetch=True)
    assert [harness.on_progress.get(timeout=1).state for _ in range(2)] == ["running", "failed"]
    assert harness.fetching.open_model(MODEL, at_once, may_fetch=True) == "model"


def test_what_was_cancelled_is_fetched_again_only_when_asked_for() -> None:
    harness, begun = DownloadHarness(), threading.Event()
    made = harness.open(endless(begun))
    assert begun.wait(LIMIT_S)
    assert harness.jobs.cancel(JOB)
    assert isinstance(made.get(timeout=LIMIT_S), CancelledByPersonError)
    harness.join()
    with pytest.raises(CancelledByPersonError, match="choose it again"):
        harness.fetching.open_model(MODEL, at_once, may_fetch=True)
    # Who has no leave at all hears of that.
    with pytest.raises(ModelUnavailableError, match="not on this machine"):
        harness.fetching.open_model(MODEL, at_once, may_fetch=False)
    assert harness.fetching.open_model(MODEL, at_once, may_fetch=True, is_requested=True) == "model"
    assert harness.fetching.open_model(MODEL, at_once, may_fetch=True) == "model"


def test_all_may_be_fetched_again() -> None:
    harness, begun = DownloadHarness(), threading.Event()
    made = harness.open(endless(begun))
    assert begun.wait(LIMIT_S)
    harness.jobs.cancel_all()
    assert isinstance(made.get(timeout=LIMIT_S), CancelledByPersonError)
    harness.join()
    harness.fetching.allow()
    assert harness.fetching.open_model(MODEL, at_once, may_fetch=True) == "model"


def test_several_who_open_it_share_a_job() -> None:
    harness = DownloadHarness()
    both = [threading.Event(), threading.Event()]
    made = [harness.open(endless(begun)) for begun in both]
    assert all(begun.wait(LIMIT_S) for begun in both)
    assert [progress.job for progress in harness.jobs.all()] == [JOB]
    harness.jobs.cancel(JOB)
    assert all(isinstance(one.get(timeout=LIMIT_S), CancelledByPersonError) for one in made)
    harness.join()
    assert harness.jobs.all() == []


def test_who_asks_while_a_cancelled_one_ends_begins_anew() -> None:
    harness, begun, may_end = DownloadHarness(), threading.Event(), threading.Event()

    def slow_to_end(_may_fetch: bool, watch: DownloadWatcher) -> str:
        watch.on_progress(5, 10)
        begun.set()
        assert may_end.wait(LIMIT_S)
        raise cancelled("x/y")

    first = harness.open(slow_to_end)
    assert begun.wait(LIMIT_S)
    harness.jobs.cancel(JOB)
    second = harness.open(at_once, is_requested=True)
    may_end.set()
    assert isinstance(first.get(timeout=LIMIT_S), CancelledByPersonError)
    assert second.get(timeout=LIMIT_S) == "model"
    harness.join()


def test_nothing_goes_on_after_the_end() -> None:
    harness, begun = DownloadHarness(), threading.Event()
    made = harness.open(endless(begun))
    assert begun.wait(LIMIT_S)
    harness.fetching.close()
    assert isinstance(made.get(timeout=LIMIT_S), CancelledByPersonError)
    harness.join()


def test_another_job_of_that_name_is_not_taken_over() -> None:
    harness = DownloadHarness()
    other = harness.jobs.begin("Importing", "bytes", JOB)
    with pytest.raises(InputError, match="running already"):
        harness.fetching.open_model(MODEL, at_once, may_fetch=True)
    assert harness.jobs.all() == [other.progress]
