"""Long work: listed while it runs, reported now and then, cancelled on request."""

import threading
from queue import SimpleQueue

import pytest

from app.changes import Progress
from app.errors import InputError
from app.jobs import BackgroundJob, Jobs


def test_a_job_from_beginning_to_end() -> None:
    reported: list[Progress] = []
    jobs = Jobs(reported.append)
    job = jobs.begin("Importing", "bytes", "mine")
    assert jobs.all() == [Progress("mine", "Importing", 0, unit="bytes")]
    job.advance(5, 10, "a.md")
    assert jobs.all()[0].done == 5
    jobs.end(job, "finished")
    assert jobs.all() == []
    assert [(item.done, item.total, item.detail, item.state) for item in reported] == [
        (5, 10, "a.md", "running"),
        (5, 10, "a.md", "finished"),
    ]


def test_reports_are_few_however_often_work_advances() -> None:
    reported: list[Progress] = []
    job = Jobs(reported.append).begin("Importing", "bytes")
    for done in range(1_000):
        job.advance(done, None)
    assert len(reported) < 100
    assert job.progress.done == 999


def test_two_jobs_of_one_name() -> None:
    jobs = Jobs(lambda _progress: None)
    job = jobs.begin("one", "items", "same")
    with pytest.raises(InputError, match="running already"):
        jobs.begin("two", "items", "same")
    jobs.end(job, "failed")
    jobs.begin("two", "items", "same")


def test_jobs_without_a_name_get_one() -> None:
    jobs = Jobs(lambda _progress: None)
    names = {jobs.begin("work", "items").progress.job for _ in range(5)}
    assert len(names) == 5


def test_only_one_of_several_threads_gets_a_name() -> None:
    jobs, together, got = Jobs(lambda _progress: None), threading.Barrier(8), SimpleQueue[str]()

    def begin() -> None:
        together.wait()
        try:
            got.put(jobs.begin("work", "items", "same").progress.job)
        except InputError as error:
            got.put(error.code)

    threads = [threading.Thread(target=begin, name="begin") for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(got.get() for _ in threads) == ["invalid_input"] * 7 + ["same"]
    assert len(jobs.all()) == 1


def test_cancelling() -> None:
    jobs = Jobs(lambda _progress: None)
    first, second = jobs.begin("one", "items", "one"), jobs.begin("two", "items", "two")
    assert not jobs.cancel("none")
    assert jobs.cancel("one")
    assert (first.is_cancelled(), second.is_cancelled()) == (True, False)
    jobs.cancel_all()
    assert second.is_cancelled()


def test_background_work_is_listed_while_much_is_left() -> None:
    jobs = Jobs(lambda _: None)
    work = BackgroundJob(jobs, "names", "Recognising names", "texts", lambda: None, least=100)
    work.advance(50, 99)
    assert jobs.all() == []
    work.advance(50, 150)
    work.advance(50, 60)
    assert [(job.job, job.done, job.total, job.can_pause) for job in jobs.all()] == [("names", 100, 160, True)]
    work.advance(60, 0)
    assert jobs.all() == []


def test_background_work_is_paused_and_resumed() -> None:
    resumed: list[bool] = []
    jobs = Jobs(lambda _: None)
    work = BackgroundJob(jobs, "names", "Recognising names", "texts", lambda: resumed.append(work.is_paused))
    work.advance(1, 9)
    assert not jobs.resume("names")
    assert jobs.cancel("names")  # it would only begin again
    assert work.is_paused
    assert jobs.all()[0].state == "paused"
    work.advance(1, 8)
    assert work.is_paused
    assert jobs.resume("names")
    assert resumed == [False]
    assert not jobs.pause("nothing")


def test_other_jobs_cannot_be_paused() -> None:
    jobs = Jobs(lambda _: None)
    job = jobs.begin("Importing", "bytes", "import")
    assert not jobs.pause("import")
    assert jobs.cancel("import")
    assert job.is_cancelled()
