"""An encrypted vault in the running program: unlocked, locked, and locked by itself."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.encryption.key_file import read_key_file
from app.encryption.requests import remove_request
from app.host import Host
from app.store.encryption.vault_encryption import VaultEncryption
from tests.e2e.conftest import Until
from tests.helpers.encryption import PASSPHRASE, files_with, locked, needs_cipher
from ui.process.program import Program

pytestmark = needs_cipher

NEEDLE = "Zanzibarian"


@pytest.fixture
def encrypted(tmp_path: Path) -> Iterator[Path]:
    """Return a locked vault with a note."""
    vault = tmp_path / "v"
    VaultEncryption(vault).encrypt(PASSPHRASE)
    host = Host(vault, serve=False)
    host.start()
    host.ask("note.save", title=NEEDLE, content=f"The {NEEDLE} rose.")
    host.stop()
    yield locked(vault)
    locked(vault)


def is_idle(program: Program) -> bool:
    return program.bridge is not None and "Idle" in program.window.status_line.text


def test_the_passphrase_opens_the_window(launch: Callable[..., Program], until: Until, encrypted: Path) -> None:
    program = launch(encrypted)
    page = program.window.start_page
    until(page.form.isVisible)
    assert program.bridge is None
    QTest.keyClicks(page.form.field, "wrong horse battery")
    QTest.keyClick(page.form.field, Qt.Key.Key_Return)
    until(lambda: page.form.isVisible() and "not the passphrase" in page.form.problem.text())
    QTest.keyClicks(page.form.field, PASSPHRASE)
    QTest.keyClick(page.form.field, Qt.Key.Key_Return)
    until(lambda: is_idle(program))
    assert not page.form.isVisible()
    until(lambda: program.auto_lock.is_encrypted)
    assert program.window.registry.qaction("file.lock").isEnabled()


def test_an_encryption_that_has_not_begun_is_called_off_at_the_start(
    launch: Callable[..., Program], until: Until, tmp_path: Path
) -> None:
    vault = tmp_path / "v"
    host = Host(vault, serve=False)
    host.start()
    host.ask("note.save", title=NEEDLE, content=f"The {NEEDLE} rose.")
    host.ask("encryption.encrypt", passphrase=PASSPHRASE)
    host.stop()
    program = launch(locked(vault))
    page = program.window.start_page
    until(page.form.cancel.isVisible)
    QTest.keyClick(page.form.cancel, Qt.Key.Key_Space)
    until(lambda: is_idle(program))
    assert program.bridge is not None
    assert not program.auto_lock.is_encrypted
    assert files_with(vault, NEEDLE)


def test_locking_ends_the_process_and_begins_a_locked_one(
    launch: Callable[..., Program], until: Until, encrypted: Path, tmp_path: Path
) -> None:
    VaultEncryption(encrypted).unlock(PASSPHRASE)
    again: list[list[str]] = []
    ended: list[bool] = []

    def relaunch(_vault: Path, arguments: Sequence[str]) -> bool:
        again.append(list(arguments))
        return True

    program = launch(encrypted, relaunch=relaunch)
    program.finished.connect(lambda: ended.append(True))
    until(lambda: is_idle(program) and program.auto_lock.is_encrypted)
    program.capture.bring_to_front(f"half a {NEEDLE} thought")
    program.window.registry.qaction("file.lock").trigger()
    until(lambda: bool(ended))
    assert again == [["--locked"]]
    assert files_with(tmp_path, NEEDLE) == []
    # The draft became a note: nothing that was typed is lost.
    host = Host(encrypted, serve=False)
    host.start()
    try:
        assert any(f"half a {NEEDLE} thought" in row.preview for row in host.ask("note.list"))
    finally:
        host.stop()


def test_a_locked_start_asks_even_where_the_key_is_known(
    launch: Callable[..., Program], until: Until, encrypted: Path
) -> None:
    VaultEncryption(encrypted).unlock(PASSPHRASE)
    program = launch(encrypted, locked=True)
    until(program.window.start_page.form.isVisible)
    assert program.bridge is None


def test_a_plain_vault_cannot_be_locked(launch: Callable[..., Program], until: Until, tmp_path: Path) -> None:
    program = launch(tmp_path / "plain", locked=True)
    until(lambda: is_idle(program))
    assert not program.window.registry.qaction("file.lock").isEnabled()
    assert not program.auto_lock.is_encrypted


def test_a_decryption_that_was_not_requested_here_waits_for_an_answer(
    launch: Callable[..., Program], until: Until, encrypted: Path
) -> None:
    VaultEncryption(encrypted).decrypt(PASSPHRASE)
    file = read_key_file(locked(encrypted))
    assert file is not None
    remove_request(file.request)  # as on another computer
    program = launch(encrypted)
    page = program.window.start_page
    until(page.form.isVisible)
    QTest.keyClicks(page.form.field, PASSPHRASE)
    QTest.keyClick(page.form.field, Qt.Key.Key_Return)
    until(page.decryption.isVisible)
    assert files_with(encrypted, NEEDLE) == []
    page.decryption.keep.click()
    until(lambda: is_idle(program))
    until(lambda: program.auto_lock.is_encrypted)
    assert files_with(encrypted, NEEDLE) == []
