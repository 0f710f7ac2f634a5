"""Long work that a caller of an operation can watch and cancel."""

from collections.abc import Iterator
from contextlib import contextmanager

from app.engine import Engine
from app.jobs import Job


@contextmanager
def tracked_job(engine: Engine, title: str, unit: str, job_id: str) -> Iterator[Job]:
    """List a job while something is done.

    Args:
        engine: Lists it.
        title: What is done, in words.
        unit: What is counted.
        job_id: The caller's own id; one is made when empty.

    Raises:
        InputError: One of that id is running.
    """
    work, state = engine.jobs.begin(title, unit, job_id), "failed"
    try:
        yield work
        state = "cancelled" if work.is_cancelled() else "finished"
    finally:
        engine.jobs.end(work, state)
