"""Options of a vault's database, and the trace of the work on it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from app.config.config import Config
from app.core.vault_opening import VaultOpening
from app.store.connection import BUSY_MS
from app.trace.trace import Trace

READERS: Final = 4
READ_LIMIT_S: Final = 10.0
SLOW_READ_MS: Final = 100.0


@dataclass(frozen=True, slots=True)
class StoreOptions:
    """Options of the database, from the settings.

    Args:
        read_limit_s: Seconds that a read may take where it names no limit of its own.
        busy_ms: Milliseconds to wait while another program holds the database.
        readers: Reads that run side by side.
        is_wal: False to keep no write-ahead log, for file systems that cannot share memory.
        trace: Told of each write, and of slow reads.
        opening: Hears of the steps before the vault is open, and can stop them.
    """

    read_limit_s: float = READ_LIMIT_S
    busy_ms: int = BUSY_MS
    readers: int = READERS
    is_wal: bool = True
    trace: Trace = field(default_factory=Trace)
    opening: VaultOpening = field(default_factory=VaultOpening)


def store_options(config: Config, trace: Trace, opening: VaultOpening) -> StoreOptions:
    """Return the options that the settings give."""
    return StoreOptions(
        config.number("store.read_limit"),
        config.whole("store.busy_timeout"),
        config.whole("store.readers"),
        config.flag("store.wal"),
        trace,
        opening,
    )


@dataclass(frozen=True, slots=True)
class WorkTiming:
    """Timing of one piece of work on a connection, in milliseconds."""

    work: Callable[..., object]
    waited_ms: float
    ms: float
    rows: int
    is_done: bool


def trace_write(trace: Trace, done: WorkTiming) -> None:
    """Keep one transaction of the writer."""
    trace.event(
        "store.write",
        work=_name_of(done.work),
        ms=round(done.ms, 2),
        waited_ms=round(done.waited_ms, 2),
        rows=done.rows,
        is_done=done.is_done,
    )


def trace_read(trace: Trace, done: WorkTiming) -> None:
    """Keep one read, if it was slow or failed."""
    if done.ms >= SLOW_READ_MS or not done.is_done:
        trace.event("store.read", work=_name_of(done.work), ms=round(done.ms, 2), is_done=done.is_done)


def _name_of(work: Callable[..., object]) -> str:
    """Return the name of the function that ``work`` is, in our own source."""
    while (inner := work.func if isinstance(work, partial) else getattr(work, "__wrapped__", None)) is not None:
        work = inner
    name = str(getattr(work, "__qualname__", type(work).__name__))
    return name.replace(".<locals>", "").replace("<lambda>", "lambda")
