"""Encrypted exports from outside: commands that ask for the passphrase, and what stands on the disk."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from app.encryption.segments import ENCRYPTED_SEGMENT
from app.host import Host
from app.store.encryption.vault_encryption import VARIABLE, VaultEncryption
from tests.helpers.encryption import PASSPHRASE, files_with, locked, needs_cipher
from tests.helpers.processes.warm_start import keepsake_command
from tests.helpers.sample_data import ROOT

NEEDLE = "Zanzibarian"


def command(vault: Path, *arguments: str, given: str = "", passphrase: str = "") -> "subprocess.CompletedProcess[str]":
    environment = {name: value for name, value in os.environ.items() if name != VARIABLE}
    if passphrase:
        environment[VARIABLE] = passphrase
    line = [*keepsake_command(), "--vault", str(vault), *arguments]
    return subprocess.run(
        line, cwd=ROOT, env=environment, input=given, capture_output=True, text=True, timeout=120, check=False
    )


def fill(vault: Path, messages: int = 1) -> None:
    host = Host(vault, serve=False, overrides={"index.vectors": False})
    host.start()
    try:
        host.ask("note.save", title=f"{NEEDLE} roses", content="They bloom in June.")
        for number in range(messages):
            text = f"{NEEDLE} {os.urandom(6_000).hex()}"
            host.ask("session.append", session=f"s{number}", messages=[{"role": "user", "content": text}])
    finally:
        host.stop()


def test_export_and_import_ask_for_the_passphrase(vault: Path, tmp_path: Path) -> None:
    fill(vault)
    file, other = tmp_path / "all.keepsake", tmp_path / "other"
    for wrong in ("short\n", ""):
        assert command(vault, "export", str(file), "--format", "encrypted", given=wrong).returncode == 65
    assert not file.exists()
    done = command(vault, "export", str(file), "--format", "encrypted", given=PASSPHRASE + "\n")
    assert done.returncode == 0, done.stderr
    assert f"to {file}" in done.stdout
    assert NEEDLE.encode() not in file.read_bytes()
    refused = command(other, "import", "--no-wait", str(file), given="another fine phrase\n")
    assert (refused.returncode, "not the passphrase of all.keepsake" in refused.stderr) == (77, True)
    nothing = command(other, "import", "--no-wait", str(file))
    assert (nothing.returncode, "no passphrase" in nothing.stderr) == (65, True)
    seen = command(other, "import", "--preview", str(file), given=PASSPHRASE + "\n")
    assert "1 conversation with 1 message, 1 note or fact" in seen.stdout
    imported = command(other, "import", "--no-wait", str(file), given=PASSPHRASE + "\n")
    assert imported.returncode == 0, imported.stderr
    assert "1 conversation with 1 message" in imported.stdout
    assert f"{NEEDLE} roses" in command(other, "note", "list").stdout


def test_a_damaged_file_ends_with_a_status_and_says_what_was_read(vault: Path, tmp_path: Path) -> None:
    fill(vault, messages=40)
    file, other = tmp_path / "all.keepsake", tmp_path / "other"
    assert command(vault, "export", str(file), "--format", "encrypted", given=PASSPHRASE + "\n").returncode == 0
    data = bytearray(file.read_bytes())
    data[2 * ENCRYPTED_SEGMENT + 900] ^= 1
    file.write_bytes(data)
    imported = command(other, "import", "--no-wait", str(file), given=PASSPHRASE + "\n")
    assert imported.returncode == 1, imported.stderr
    assert "all.keepsake, part 3 of" in imported.stdout
    assert "damaged or cut off here" in imported.stdout


def test_a_passphrase_is_never_an_argument(vault: Path, tmp_path: Path) -> None:
    fill(vault)
    file = tmp_path / "all.keepsake"
    wanted = json.dumps({"path": str(file), "format": "encrypted", "passphrase": PASSPHRASE})
    refused = command(vault, "call", "exchange.export", wanted)
    assert (refused.returncode, "keepsake export" in refused.stderr) == (65, True)
    option = command(vault, "exchange", "export", str(file), "--format", "encrypted", "--passphrase", PASSPHRASE)
    assert option.returncode != 0
    assert not file.exists()
    piped = command(vault, "call", "exchange.export", "-", given=wanted)
    assert piped.returncode == 0, piped.stderr
    assert file.exists()


@needs_cipher
def test_nothing_of_an_encrypted_vault_stands_plain_on_the_disk(vault: Path, tmp_path: Path) -> None:
    VaultEncryption(vault).encrypt(PASSPHRASE)
    fill(vault)
    locked(vault)
    file = tmp_path / "all.keepsake"
    done = command(
        vault, "export", str(file), "--format", "encrypted", given="another fine phrase\n", passphrase=PASSPHRASE
    )
    assert done.returncode == 0, done.stderr
    assert files_with(tmp_path, NEEDLE) == []
    assert files_with(tmp_path, "another fine phrase") == []


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="signals of POSIX")
def test_a_kill_leaves_the_earlier_export_and_nothing_plain(vault: Path, tmp_path: Path) -> None:
    fill(vault, messages=300)
    out = tmp_path / "out"
    out.mkdir()
    file = out / "all.keepsake"
    assert command(vault, "export", str(file), "--format", "encrypted", given=PASSPHRASE + "\n").returncode == 0
    before = file.read_bytes()
    line = [sys.executable, "-m", "app", "--vault", str(vault), "export", str(file), "--format", "encrypted"]
    process = subprocess.Popen(line, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdin is not None
    process.stdin.write(PASSPHRASE.encode() + b"\n")
    process.stdin.close()
    until = time.monotonic() + 60
    while not list(out.glob(".all*")) and process.poll() is None and time.monotonic() < until:
        time.sleep(0.01)
    process.kill()
    process.wait()
    for stream in (process.stdout, process.stderr):
        assert stream is not None
        stream.close()
    assert files_with(out, NEEDLE) == []
    if list(out.glob(".all*")):
        assert file.read_bytes() == before
