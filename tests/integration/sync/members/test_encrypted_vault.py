"""A vault that is encrypted or decrypted after it joined goes on with the others."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.helpers.encryption import PASSPHRASE, locked, needs_cipher
from tests.integration.sync.machines import Machine, machines_in, settle, share

pytestmark = needs_cipher


@pytest.fixture
def joined(tmp_path: Path) -> Iterator[tuple[Machine, Machine]]:
    with machines_in(tmp_path, "desktop", "laptop") as (one, other):
        share(one, other)
        yield one, other
    locked(one.vault)


def test_a_vault_goes_on_once_it_is_encrypted_and_decrypted_again(joined: tuple[Machine, Machine]) -> None:
    one, other = joined
    note = one.ask("note.save", content="before").id
    settle(one, other)
    one.ask("note.save", content="not shared before")
    one.ask("encryption.encrypt", passphrase=PASSPHRASE)
    one.stop()
    one.start()
    one.ask("note.save", content="once encrypted")
    other.ask("note.save", content="of the other")
    settle(one, other)
    assert other.contents() == ["before", "not shared before", "of the other", "once encrypted"]
    one.ask("encryption.decrypt", passphrase=PASSPHRASE)
    one.stop()
    one.start()
    other.ask("memory.forget_forever", ids=[note], confirm=True)
    settle(one, other)
    assert one.contents() == ["not shared before", "of the other", "once encrypted"]


def test_a_backup_from_before_the_encryption_gets_its_tail_again(
    joined: tuple[Machine, Machine], tmp_path: Path
) -> None:
    one, other = joined
    one.ask("note.save", content="before")
    settle(one, other)
    one.stop()
    shutil.copytree(one.vault, tmp_path / "copy")
    one.start()
    one.ask("encryption.encrypt", passphrase=PASSPHRASE)
    one.stop()
    one.start()
    one.ask("note.save", content="once encrypted")
    settle(one, other)
    one.stop()
    locked(one.vault)
    shutil.rmtree(one.vault)
    shutil.copytree(tmp_path / "copy", one.vault)
    one.start()
    settle(one, other)
    assert one.contents() == ["before", "once encrypted"]
