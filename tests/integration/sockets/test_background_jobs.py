"""Background work: listed, paused, and idle only when it is done."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.changes import Event, Progress
from app.host import Host


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Host]:
    running = Host(
        tmp_path / "vault", serve=False, overrides={"embedding.model": "hashed", "sessions.after_turn": False}
    )
    running.start()
    yield running
    running.stop()


def talk(host: Host, count: int) -> None:
    turns = [
        {"role": "user", "content": f"Marta Huber met Tom Baker in Graz, meeting {number}"} for number in range(count)
    ]
    host.ask("session.append", session="s", messages=turns)


def test_names_are_a_job_that_can_be_paused(host: Host) -> None:
    reported: list[Progress] = []

    def hear(event: Event) -> None:
        if isinstance(event, Progress) and event.job == "names":
            reported.append(event)
            if event.state == "running" and len(reported) == 1:
                host.call("job.pause", {"job": "names"})

    unsubscribe = host.subscribe(hear)
    talk(host, 1500)
    host.ask("vault.settle", names=True)  # what is paused is not waited for
    status = host.ask("vault.status")
    assert [(job.job, job.state) for job in status.jobs] == [("names", "paused")]
    assert 0 < status.pending_names < 1500
    assert host.ask("job.resume", job="names")
    status = host.ask("vault.settle", names=True)
    unsubscribe()
    assert status.pending_names == 0
    assert "names" not in {job.job for job in status.jobs}
    assert reported[0].total is not None
    assert reported[0].total >= 1000
    assert reported[-1].state == "finished"


def test_a_few_turns_are_no_job(host: Host) -> None:
    reported: list[Event] = []
    unsubscribe = host.subscribe(reported.append)
    talk(host, 3)
    status = host.ask("vault.settle", names=True)
    unsubscribe()
    assert (status.pending_vectors, status.pending_names) == (0, 0)
    assert not [event for event in reported if isinstance(event, Progress) and event.job in {"names", "index"}]
