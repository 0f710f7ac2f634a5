"""A database that another program holds: what waits for it, for how long, and what does not."""

import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import apsw
import pytest

from app.core.stop_signal import StopSignal
from app.errors import VaultLockedError
from app.host import Host
from app.store.store import DATABASE
from app.store.write_wait import WriteWait
from tests.helpers.guards.unexpected_logs import AllowLogs

_LONG_MS = 3_600_000


def tries(wait: WriteWait) -> int:
    """Return how often a wait says to try again before it gives up."""
    count = 0
    while wait(count):
        count += 1
    return count


@contextmanager
def held(vault: Path) -> Iterator[None]:
    """Hold the vault's database as another program does that is writing to it."""
    with closing(apsw.Connection(str(vault / DATABASE))) as other:
        other.set_busy_timeout(60_000)
        other.execute("BEGIN IMMEDIATE")
        yield
        other.execute("ROLLBACK")


def test_a_write_that_waited_in_the_queue_is_tried_only_a_little_longer() -> None:
    assert 0 < tries(WriteWait(time.perf_counter() - _LONG_MS, _LONG_MS, StopSignal())) <= 25


def test_a_vault_that_closes_does_not_wait_on() -> None:
    stop = StopSignal()
    wait = WriteWait(time.perf_counter(), _LONG_MS, stop)
    assert wait(0)
    stop.set()
    assert tries(wait) <= 50


def test_nothing_is_waited_for_where_the_setting_says_so() -> None:
    assert tries(WriteWait(time.perf_counter(), 0, StopSignal())) == 0


def test_a_held_vault_is_read_and_searched_by_meaning_all_the_same(vault: Path, allow_logs: AllowLogs) -> None:
    allow_logs("schedules cannot be looked at: Another program holds")
    settings = {"embedding.model": "hashed", "store.busy_timeout": 50}
    host = Host(vault, serve=False, overrides=settings)
    host.start()
    host.ask("note.save", content="The heron stands in the reeds.")
    host.ask("vault.settle")
    host.stop()
    with held(vault):
        host = Host(vault, serve=False, overrides=settings)
        host.start()
        try:
            found = host.ask("memory.search", query="heron in the reeds")
            assert (len(found.hits), found.notes) == (1, ())
            with pytest.raises(VaultLockedError, match="Another program holds"):
                host.ask("note.save", content="A kingfisher dives.")
        finally:
            host.stop()
