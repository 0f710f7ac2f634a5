"""Keys are in the keyring, or in a file that only their owner reads where there is none."""

import stat
from pathlib import Path

import platformdirs
import pytest

from app.config.keyring import Keyring
from app.errors import KeyringUnavailableError, MachineError
from app.sync.sealing.device_keys import new_device_keys
from app.sync.sealing.key_store import KeyStore
from tests.helpers.keyrings import MemoryKeyring

DEVICE = "0" * 31 + "f"


def files() -> list[Path]:
    return sorted((Path(platformdirs.user_state_dir("keepsake", appauthor=False)) / "devices").glob(f"{DEVICE}*"))


def test_without_a_keyring_they_are_in_private_files(no_keyring: None) -> None:
    store, keys = KeyStore(), new_device_keys()
    assert store.keys(DEVICE) is None
    store.keep(DEVICE, keys)
    store.keep_address(DEVICE, "postgresql://me:secret@server/memory")
    assert store.keys(DEVICE) == keys
    assert KeyStore().address(DEVICE) == "postgresql://me:secret@server/memory"
    assert not store.has_keyring(DEVICE)
    assert [stat.S_IMODE(path.stat().st_mode) for path in files()] == [0o600, 0o600]
    assert store.change(DEVICE, lambda one: one.with_epoch(1, bytes(32))).epochs == {1: bytes(32)}
    store.remove(DEVICE)
    store.remove(DEVICE)
    assert store.keys(DEVICE) is None
    assert files() == []
    with pytest.raises(MachineError):
        store.change(DEVICE, lambda one: one)


def test_the_keyring_is_used_where_there_is_one(memory_keyring: MemoryKeyring) -> None:
    store, keys = KeyStore(), new_device_keys()
    store.keep(DEVICE, keys)
    store.keep_address(DEVICE, "somewhere")
    assert KeyStore().keys(DEVICE) == keys
    assert KeyStore().address(DEVICE) == "somewhere"
    assert files() == []
    assert store.has_keyring(DEVICE)
    assert len(memory_keyring.kept) == 2
    store.remove(DEVICE)
    assert memory_keyring.kept == {}


def test_a_locked_keyring_is_no_reason_for_a_file(memory_keyring: MemoryKeyring) -> None:
    memory_keyring.unlocked.clear()
    store = KeyStore(Keyring(unattended_s=0.1, attended_s=0.1))
    with pytest.raises(KeyringUnavailableError):
        store.keep(DEVICE, new_device_keys())
    assert files() == []


def test_damaged_keys_are_named(no_keyring: None) -> None:
    store = KeyStore()
    store.keep(DEVICE, new_device_keys())
    files()[0].write_text("{}")
    with pytest.raises(MachineError, match="damaged"):
        store.keys(DEVICE)
    store.remove(DEVICE)
