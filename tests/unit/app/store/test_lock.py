"""The lock of a vault, whose file is taken away while it is held."""

import asyncio
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
