"""The lock of a vault, whose file is taken away while it is held."""

import asyncio
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from app.core.paths import migrations
from app.errors import VaultLockedError
from app.store.lock import VaultLock
from app.store.store import Store


def write(store: Store) -> None:
    asyncio.run(store.write(lambda connection: connection.execute("INSERT INTO meta VALUES ('a', 'b')").get))


def test_a_lock_file_that_is_taken_away_is_made_again(vault: Path) -> None:
    store = Store.open(vault, migrations())
    try:
        (vault / "lock").unlink()
        write(store)
        with pytest.raises(VaultLockedError):
            VaultLock(vault).acquire()
    finally:
        store.close()


@pytest.mark.parametrize("deed", ["unlink", "replace"])
def test_whoever_lost_the_vault_meanwhile_writes_no_more(vault: Path, deed: str) -> None:
    store = Store.open(vault, migrations())
    try:
        if deed == "unlink":
            (vault / "lock").unlink()
        else:
            (vault / "lock.new").write_bytes(b"")
            (vault / "lock.new").replace(vault / "lock")
        second = VaultLock(vault).acquire()
        for _ in range(2):
            with pytest.raises(VaultLockedError, match="another Keepsake has opened"):
                write(store)
        second.release()
        write(store)
    finally:
        store.close()


def test_a_vault_that_is_closed_is_free(vault: Path) -> None:
    store = Store.open(vault, migrations())
    (vault / "lock").unlink()
    write(store)
    store.close()
    VaultLock(vault).acquire().release()


def test_an_owner_that_is_not_named_yet_opens_the_vault(vault: Path) -> None:
    lock = VaultLock(vault).acquire()
    lock.settle()
    lock.release()  # names its owner no longer: the next one has the lock a moment before it is named
    second = VaultLock(vault).acquire()
    (vault / "lock").write_bytes(b"\n")
    with pytest.raises(VaultLockedError) as locked:
        VaultLock(vault).acquire()
    assert locked.value.data["is_opening"]
    second.release()
    assert (vault / "lock").read_bytes() == b"\n"


def test_the_owner_is_named_at_each_moment(vault: Path) -> None:
    lock = VaultLock(vault).acquire()
    with ThreadPoolExecutor(1) as pool:
        writing = pool.submit(lambda: [lock.settle() for _ in range(2_000)])
        while not writing.done():
            assert str(os.getpid()).encode() in (vault / "lock").read_bytes()
    lock.release()
