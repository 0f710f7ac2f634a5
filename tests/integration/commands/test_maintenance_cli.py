"""``keepsake check``, ``backup``, ``restore`` and ``salvage`` as a person runs them."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from app.store.store import DATABASE
from tests.helpers.processes.warm_start import keepsake_command
from tests.helpers.sample_data import ROOT

LIMIT_S = 60

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals and sockets of Unix")


class Shell:
    """Runs ``keepsake`` on one vault."""

    def __init__(self, vault: Path) -> None:
        self.vault = vault
        self.environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUTF8": "1", "KEEPSAKE_INDEX_VECTORS": "false"}
        self.command = [*keepsake_command(), "--vault", str(vault)]

    def run(self, *arguments: str, status: int = 0) -> str:
        """Return what the command said on both streams."""
        done = subprocess.run(
            [*self.command, *arguments],
            cwd=self.vault.parent,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=LIMIT_S,
            check=False,
        )
        assert done.returncode == status, (arguments, done)
        assert "Traceback" not in done.stderr
        return done.stdout + done.stderr

    @contextmanager
    def serving(self) -> Iterator[None]:
        process = subprocess.Popen(
            [*self.command, "serve"], env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        assert process.stdout is not None
        try:
            assert process.stdout.readline().startswith(b"Keepsake serves ")
            yield
        finally:
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=LIMIT_S)


@pytest.fixture
def shell(vault: Path) -> Shell:
    shell = Shell(vault)
    shell.run("capture", "--title", "First", "the first note of herons")
    return shell


def test_backups_are_made_listed_verified_and_restored(shell: Shell) -> None:
    assert "There are no backups" in shell.run("backup", "list")
    path = Path(shell.run("backup").strip())
    assert path.parent == shell.vault / "backups"
    shell.run("capture", "written since")
    (line,) = shell.run("backup", "list").splitlines()
    assert path.name in line
    assert " manual " in line
    assert "is whole: 0 conversations with 0 messages, and 1 note or fact" in shell.run("backup", "verify", path.stem)
    lines = shell.run("restore", path.name).splitlines()
    assert lines[1] == "It is now the vault."
    assert "before-restore.db" in lines[2]
    assert "herons" in shell.run("search", "herons")
    assert "written since" not in shell.run("search", "written")
    assert shell.run("backup", "verify").count(" is whole: ") == 2
    assert "no backup of that name" in shell.run("restore", "nowhere", status=65)
    path.write_bytes(path.read_bytes()[:20_000])
    assert "cannot be restored: " in shell.run("backup", "verify", path.name, status=1)
    assert "Nothing was changed" in shell.run("restore", path.name, status=65)
    assert "The vault is sound" in shell.run("check")


def test_while_keepsake_runs_a_restore_waits_for_the_next_start(shell: Shell) -> None:
    made = Path(shell.run("backup").strip())
    with shell.serving():
        shell.run("capture", "written since")
        assert "when Keepsake is started again" in shell.run("restore", made.name)
        assert "written since" in shell.run("search", "written")
    assert "written since" not in shell.run("search", "written")
    assert "before-restore" in shell.run("backup", "list")


def test_a_damaged_vault_from_the_first_word_to_a_sound_one(shell: Shell) -> None:
    database = shell.vault / DATABASE
    made = Path(shell.run("backup").strip())
    whole = database.read_bytes()
    database.write_bytes(whole[: len(whole) // 3])
    run = shell.run("check", status=1)
    assert "error: database: " in run
    assert f"keepsake restore {made.name}" in run
    assert "The vault cannot be opened." in run
    assert "damaged" in shell.run("search", "herons", status=74)
    assert database.read_bytes() == whole[: len(whole) // 3]
    saved = shell.vault.with_name("vault-salvaged")
    run = shell.run("salvage", status=1)
    assert f"The new vault is {saved}" in run
    assert "note" in run
    assert database.read_bytes() == whole[: len(whole) // 3]
    assert "is in use" in shell.run("salvage", "--into", str(saved), status=65)
    assert "are kept in" in shell.run("restore", str(saved))
    assert "The vault is sound" in shell.run("check")
    database.write_bytes(b"")
    assert f"keepsake restore {made.name}" in shell.run("check", "--repair", status=1)
    shell.run("restore", made.name)
    assert "herons" in shell.run("search", "herons")


def test_a_repair_says_what_it_did(shell: Shell) -> None:
    shell.run("capture", "a second note")
    (shell.vault / DATABASE).chmod(0o644)
    assert "chmod" in shell.run("check")
    assert "repaired: Made memory.db readable for you only." in shell.run("check", "--repair")
    assert "There was nothing to repair. The vault is sound." in shell.run("check", "--repair")


def test_there_is_nothing_to_salvage(shell: Shell, tmp_path: Path) -> None:
    assert "no vault at" in Shell(tmp_path / "nowhere").run("salvage", status=65)
    (tmp_path / "empty").mkdir()
    assert "nothing to salvage" in Shell(tmp_path / "empty").run("salvage", status=74)
    assert "Nothing was lost." in shell.run("salvage", "--into", str(tmp_path / "new"))


def test_sound_vault_is_salvaged_only_on_request(shell: Shell) -> None:
    folders = sorted(shell.vault.parent.iterdir())
    said = shell.run("salvage", status=65)
    assert "The vault is sound" in said
    assert "--into" in said
    assert sorted(shell.vault.parent.iterdir()) == folders


@pytest.mark.parametrize(("answer", "is_made"), [("n", False), ("y", True)])
def test_salvage_of_a_sound_vault_asks_in_a_terminal(shell: Shell, answer: str, is_made: bool) -> None:
    terminal, other_end = os.openpty()
    os.write(terminal, f"{answer}\n".encode())
    try:
        done = subprocess.run(
            [*shell.command, "salvage"],
            stdin=other_end,
            env=shell.environment,
            cwd=shell.vault.parent,
            capture_output=True,
            text=True,
            timeout=LIMIT_S,
            check=False,
        )
    finally:
        os.close(terminal)
        os.close(other_end)
    assert done.returncode == 0, done
    assert "The vault is sound" in done.stderr
    assert "anyway?" in done.stdout + done.stderr
    assert shell.vault.with_name("vault-salvaged").exists() == is_made
