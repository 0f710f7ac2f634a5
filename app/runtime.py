"""Runtime of an open vault: what its parts are built from."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from app.changes import Event
from app.config.config import Config
from app.core.clock import Clock
from app.jobs import Jobs
from app.store.store import Store
from app.trace.trace import Trace


@dataclass(frozen=True, slots=True)
class Runtime:
    """Database, settings, clock and reporting that all parts of an engine share.

    Args:
        store: The open database.
        config: The vault's settings.
        clock: The source of the time.
        trace: The log of spans; never of content.
        jobs: Long work that a person can watch and stop.
        publish: Reports a change or progress to everyone who listens.
        loop: The engine's event loop.
    """

    store: Store
    config: Config
    clock: Clock
    trace: Trace
    jobs: Jobs
    publish: Callable[[Event], None]
    loop: asyncio.AbstractEventLoop
