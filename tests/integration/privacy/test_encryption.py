"""Encrypted vaults from outside: what stands on the disk while Keepsake runs, after a kill, and in every copy."""

import base64
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from app.encryption.key_file import read_key_file, write_key_file
from app.encryption.model import KEY_FILE, EncryptionState
from app.encryption.vault_keys import require_key, unlock
from app.errors import HostUnreachableError, PassphraseRequiredError
from app.host import Host
from app.mcp.host_launcher import ensure_host
from app.store.encryption.vault_encryption import VARIABLE, VaultEncryption
from app.upkeep.closed_vault import ClosedVault
from tests.helpers.encryption import PASSPHRASE, files_with, locked, needs_cipher
from tests.helpers.processes.warm_process import start_module
from tests.helpers.processes.warm_start import keepsake_command
from tests.helpers.sample_data import ROOT

pytestmark = needs_cipher

ROUNDS = int(os.environ.get("CRASH_ROUNDS", "6"))
NEEDLE = "Zanzibarian"


def fill(host: Host) -> None:
    """Write the needle wherever content goes."""
    host.ask("note.save", title=f"{NEEDLE} roses", content=f"The {NEEDLE} rose blooms in June.", tags=[NEEDLE.lower()])
    host.ask("session.append", session="talk", messages=[{"role": "user", "content": f"Where do {NEEDLE} roses grow?"}])
    host.ask("session.summary.set", session="talk", summary=f"They spoke of {NEEDLE} roses.")
    host.ask("fact.remember", content=f"I like {NEEDLE} roses.")
    data = base64.b64encode(f"{NEEDLE} in a file".encode()).decode()
    host.ask("attachment.add", name=f"{NEEDLE}.txt", data=data)
    host.ask("saved_search.save", name=f"{NEEDLE}", query=f"{NEEDLE} roses")
    host.ask("vault.settle")
    host.ask("memory.search", query=f"{NEEDLE} roses")
    host.ask("backup.now")


def contents(host: Host) -> list[str]:
    """Return what a person would look for first."""
    notes = [row.title for row in host.ask("note.list")]
    turns = [turn.content for turn in host.ask("session.messages", session="talk", limit=10)]
    files = [file.name for file in host.ask("attachment.list")]
    return [*notes, *turns, *files]


@pytest.fixture
def encrypted(vault: Path) -> Iterator[Path]:
    """Return a vault that was filled while it was encrypted."""
    VaultEncryption(vault).encrypt(PASSPHRASE)
    host = Host(vault, serve=False)
    host.start()
    fill(host)
    host.stop()
    yield vault
    locked(vault)


def started(vault: Path, *arguments: str, passphrase: str = PASSPHRASE) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "app", "--vault", str(vault), *arguments]
    environment = {**os.environ, VARIABLE: passphrase}
    return subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def command(vault: Path, *arguments: str, given: str = "", passphrase: str = "") -> "subprocess.CompletedProcess[str]":
    environment = {name: value for name, value in os.environ.items() if name != VARIABLE}
    if passphrase:
        environment[VARIABLE] = passphrase
    line = [*keepsake_command(), "--vault", str(vault), *arguments]
    return subprocess.run(
        line, cwd=ROOT, env=environment, input=given, capture_output=True, text=True, timeout=120, check=False
    )


def test_nothing_plain_stands_on_the_disk_while_it_runs_and_after_a_kill(vault: Path, tmp_path: Path) -> None:
    VaultEncryption(vault).encrypt(PASSPHRASE)
    host = Host(vault, serve=False)
    host.start()
    try:
        fill(host)
        assert len(contents(host)) == 4
        assert files_with(tmp_path, NEEDLE) == []
        assert files_with(tmp_path, NEEDLE.lower()) == []
    finally:
        host.stop()
    serving = started(vault, "serve")
    try:
        assert serving.stdout is not None
        assert "serves" in serving.stdout.readline()
        written = command(vault, "capture", f"Another {NEEDLE} thought")
        assert written.returncode == 0, written.stderr
        assert files_with(tmp_path, NEEDLE) == []
        serving.send_signal(signal.SIGKILL)
        serving.wait()
        assert files_with(tmp_path, NEEDLE) == []
    finally:
        serving.kill()
        serving.communicate()
    again = Host(vault, serve=False)
    again.start()
    try:
        assert len(contents(again)) == 5
        assert again.ask("vault.check").findings == ()
    finally:
        again.stop()
    assert files_with(tmp_path, NEEDLE) == []


def test_a_locked_vault_answers_nobody(encrypted: Path) -> None:
    locked(encrypted)
    with pytest.raises(PassphraseRequiredError):
        Host(encrypted).start()
    refused = command(encrypted, "memory", "search", NEEDLE)
    assert refused.returncode == 77
    assert "encrypted" in refused.stderr
    assert NEEDLE not in refused.stdout
    wrong = command(encrypted, "memory", "search", NEEDLE, passphrase="wrong horse battery")
    assert wrong.returncode == 77
    found = command(encrypted, "memory", "search", NEEDLE, passphrase=PASSPHRASE)
    assert found.returncode == 0
    assert NEEDLE in found.stdout


def test_the_backups_of_a_locked_vault_are_listed_without_the_passphrase(encrypted: Path) -> None:
    locked(encrypted)
    listed = command(encrypted, "backup", "list")
    assert (listed.returncode, listed.stderr) == (0, "")
    (line,) = listed.stdout.splitlines()
    assert line.rstrip().endswith("-manual.db")  # and not that it cannot be read
    assert command(encrypted, "backup", "verify").returncode == 77
    assert "is whole" in command(encrypted, "backup", "verify", passphrase=PASSPHRASE).stdout


def test_an_agent_is_told_that_the_vault_is_locked(encrypted: Path) -> None:
    locked(encrypted)
    with pytest.raises(HostUnreachableError, match="encrypted and locked"):
        ensure_host(encrypted, 120)


def test_the_passphrase_from_the_command_line(vault: Path) -> None:
    host = Host(vault, serve=False)
    host.start()
    fill(host)
    host.stop()
    assert files_with(vault, NEEDLE)
    for wrong in ("short\n", "\n", ""):
        assert command(vault, "encryption", "encrypt", given=wrong).returncode == 65
    assert not (vault / KEY_FILE).exists()
    assert command(vault, "call", "encryption.encrypt", json.dumps({"passphrase": PASSPHRASE})).returncode == 65
    done = command(vault, "encryption", "encrypt", given=PASSPHRASE + "\n")
    assert done.returncode == 0, done.stderr
    assert "are encrypted" in done.stdout
    assert files_with(vault, NEEDLE) == []
    changed = command(vault, "encryption", "change", given=f"{PASSPHRASE}\nanother fine phrase\n")
    assert changed.returncode == 0, changed.stderr
    assert command(vault, "encryption", "decrypt", given=PASSPHRASE + "\n").returncode == 77
    opened = command(vault, "encryption", "decrypt", given="another fine phrase\n")
    assert opened.returncode == 0, opened.stderr
    assert "not encrypted" in opened.stdout
    host = Host(vault, serve=False)
    host.start()
    try:
        assert len(contents(host)) == 4
        assert host.ask("vault.check").findings == ()
    finally:
        host.stop()


def test_a_running_host_is_told_and_it_happens_at_the_next_start(vault: Path) -> None:
    host = Host(vault)
    host.start()
    try:
        fill(host)
        done = command(vault, "encryption", "encrypt", given=PASSPHRASE + "\n")
        assert "when they are next opened" in done.stdout, done.stderr
        # All goes on meanwhile, and what is new is plain like everything else until then.
        host.ask("attachment.add", name="later.txt", data=base64.b64encode(f"{NEEDLE} later".encode()).decode())
        host.ask("backup.now")
        assert len(contents(host)) == 5
    finally:
        host.stop()
    assert files_with(vault, NEEDLE)
    host = Host(vault)
    host.start()
    try:
        assert files_with(vault, NEEDLE) == []
        assert len(contents(host)) == 5
        done = command(vault, "encryption", "decrypt", given=PASSPHRASE + "\n")
        assert "when they are next opened" in done.stdout, done.stderr
        assert len(contents(host)) == 5
        host.ask("backup.now")
    finally:
        host.stop()
    locked(vault)
    assert command(vault, "encryption", "status", "--json").returncode == 0
    again = command(vault, "note", "list", passphrase=PASSPHRASE)
    assert again.returncode == 0, again.stderr
    assert not (vault / KEY_FILE).exists()
    assert f"{NEEDLE} roses" in again.stdout


def test_an_encryption_that_has_not_begun_is_called_off_without_the_passphrase(vault: Path) -> None:
    host = Host(vault)
    host.start()
    try:
        fill(host)
        assert command(vault, "encryption", "encrypt", given=PASSPHRASE + "\n").returncode == 0
        host.ask("attachment.add", name="later.txt", data=base64.b64encode(f"{NEEDLE} later".encode()).decode())
        done = command(vault, "encryption", "cancel")
        assert "called off" in done.stdout, done.stderr
        assert not (vault / KEY_FILE).exists()
        host.ask("note.save", title="Afterwards", content="Still plain.")
        assert command(vault, "encryption", "cancel").returncode == 65
        assert command(vault, "encryption", "encrypt", given=PASSPHRASE + "\n").returncode == 0
    finally:
        host.stop()
        locked(vault)
    listed = command(vault, "note", "list")
    assert (listed.returncode, "encryption cancel" in listed.stderr or "encrypted" in listed.stderr) == (77, True)
    done = command(vault, "encryption", "cancel")
    assert done.returncode == 0, done.stderr
    assert f"{NEEDLE} roses" in command(vault, "note", "list").stdout
    host = Host(vault, serve=False)
    host.start()
    try:
        assert len(contents(host)) == 6
        assert host.ask("attachment.read", link="attachments/later.txt")
        assert host.ask("vault.check").findings == ()
    finally:
        host.stop()


def test_an_encryption_that_has_begun_is_not_called_off(vault: Path) -> None:
    VaultEncryption(vault).encrypt(PASSPHRASE)
    file = read_key_file(vault)
    assert file is not None
    write_key_file(vault, replace(file, has_begun=True), require_key(vault))
    refused = command(vault, "encryption", "cancel")
    assert (refused.returncode, "has begun" in refused.stderr) == (65, True)
    assert read_key_file(vault) is not None
    host = Host(vault, serve=False)
    host.start()
    host.stop()
    locked(vault)
    refused = command(vault, "encryption", "cancel")
    assert (refused.returncode, "no encryption to call off" in refused.stderr) == (65, True)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_killed_while_files_are_converted(vault: Path) -> None:
    dice = random.Random(7)
    host = Host(vault, serve=False)
    host.start()
    fill(host)
    for _ in range(3):
        host.ask("backup.now")
    host.stop()
    encryption = VaultEncryption(vault)
    for round_ in range(ROUNDS):
        if is_encrypting := round_ % 2 == 0:
            encryption.encrypt(PASSPHRASE)
        else:
            encryption.decrypt(PASSPHRASE)
        for _ in range(3):
            _convert(vault, kill_after=dice.random() / 20)
        _convert(vault)
        assert encryption.status().state is (EncryptionState.ENCRYPTED if is_encrypting else EncryptionState.NONE)
        assert bool(files_with(vault, NEEDLE)) is not is_encrypting
    host = Host(vault, serve=False)
    host.start()
    try:
        assert len(contents(host)) == 4
        assert host.ask("vault.check").findings == ()
        assert all(host.ask("backup.verify", name=item.name).ok for item in host.ask("backup.list"))
    finally:
        host.stop()
        locked(vault)


def _convert(vault: Path, kill_after: float | None = None) -> None:
    """Open the vault in a process, which may be killed some seconds after its first step."""
    environment = {**os.environ, VARIABLE: PASSPHRASE}
    with start_module("tests.integration.processes.encrypting", str(vault), environment=environment) as process:
        assert process.stdout is not None
        process.stdout.readline()
        if kill_after is not None:
            time.sleep(kill_after)
            process.kill()
        process.stdout.read()
    assert kill_after is not None or process.returncode == 0


def test_a_damaged_encrypted_vault_is_salvaged_and_stays_encrypted(encrypted: Path, tmp_path: Path) -> None:
    database = encrypted / "memory.db"
    data = bytearray(database.read_bytes())
    at = len(data) // 4096 // 2 * 4096
    data[at : at + 4096] = os.urandom(4096)
    database.write_bytes(bytes(data))
    into = tmp_path / "rescued"
    ClosedVault(encrypted).salvage(into)
    assert files_with(tmp_path, NEEDLE) == []
    found = read_key_file(into)
    assert found is not None
    locked(into)
    unlock(into, PASSPHRASE)
    host = Host(into, serve=False)
    host.start()
    try:
        assert contents(host)[-1] == f"{NEEDLE}.txt"
        assert base64.b64decode(host.ask("attachment.read", link=f"attachments/{NEEDLE}.txt")) == (
            f"{NEEDLE} in a file".encode()
        )
    finally:
        host.stop()
        locked(into)


def test_forgetting_for_ever_is_verified_in_encrypted_files(encrypted: Path) -> None:
    host = Host(encrypted, serve=False)
    host.start()
    try:
        note = host.ask("note.save", title="Quagga", content="The quaggaish secret of the zebra.")
        host.ask("vault.settle")
        host.ask("backup.now")
        receipt = host.ask("memory.forget_forever", ids=[note.id], confirm=True, backups="rewrite")
        assert receipt.verified, receipt
        assert {item.outcome for item in receipt.backups} <= {"rewritten", "clean"}
        backups = host.ask("backup.list")
        assert all(host.ask("backup.verify", name=item.name).ok for item in backups)
        assert "Quagga" not in [row.title for row in host.ask("note.list")]
    finally:
        host.stop()


def test_an_export_in_plain_text_is_wanted_knowingly(
    encrypted: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "run"))  # as after signing in, when no host has run
    target = tmp_path / "out.jsonl"
    refused = command(encrypted, "export", str(target), passphrase=PASSPHRASE)
    assert refused.returncode == 65
    assert "--plain-text" in refused.stderr
    assert not target.exists()
    assert files_with(tmp_path, NEEDLE) == []
    done = command(encrypted, "export", str(target), "--plain-text", passphrase=PASSPHRASE)
    assert done.returncode == 0, done.stderr
    assert NEEDLE in target.read_text()
    printed = command(encrypted, "export", "-", "--plain-text", passphrase=PASSPHRASE)
    assert NEEDLE in printed.stdout


def test_an_agents_own_vault_is_encrypted_with_it(encrypted: Path) -> None:
    host = Host(encrypted)
    host.start()
    try:
        host.ask("agent.add", name="scout", trust="inner", isolated=True)
        token = host.ask("agent.rotate", name="scout").token
        caller = host.authenticate(token, "scout", "1")
        saved = host.call("note.save", {"title": "Mine", "content": f"A {NEEDLE} of my own."}, caller).result()
        assert saved.value is not None
        assert list((encrypted / "agents").rglob("memory.db"))
        assert files_with(encrypted, NEEDLE) == []
    finally:
        host.stop()
    assert files_with(encrypted, NEEDLE) == []
