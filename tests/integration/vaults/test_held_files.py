"""Files of a vault that another program holds locked: said in a sentence, and all goes on once they are free."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from app.errors import VaultLockedError
from app.host import Host
from app.store.store import DATABASE
from tests.helpers.sample_data import ROOT

if sys.platform == "win32":
    pytest.skip("locks of files are taken another way", allow_module_level=True)


@contextmanager
def held(how: str, path: Path) -> Iterator[None]:
    """Let another program hold a file: by ``flock``, by ``lockf``, or in a ``transaction`` that writes."""
    command = [sys.executable, "-m", "tests.integration.processes.held_file", how, str(path)]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield
        process.stdin.close()


def run(vault: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "app", "--vault", str(vault), *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.slow
@pytest.mark.parametrize(("how", "name"), [("flock", "lock"), ("lockf", DATABASE)])
def test_a_command_does_not_wait_for_ever(vault: Path, how: str, name: str) -> None:
    assert run(vault, "note", "save", "first words").returncode == 0
    with held(how, vault / name):
        answer = run(vault, "note", "save", "second words")
        assert answer.returncode == VaultLockedError.exit_status
        assert "Another" in answer.stderr
    assert run(vault, "note", "save", "third words").returncode == 0
    listed = run(vault, "note", "list").stdout
    assert "first words" in listed
    assert "second words" not in listed
    assert "third words" in listed


@pytest.mark.slow
def test_what_waits_in_the_background_is_done_after_a_long_write_of_another_program(vault: Path) -> None:
    messages = [
        {"role": "user", "content": f"Quirin Tannhofer wrote from Brugg, letter {place}."} for place in range(300)
    ]
    host = Host(vault, serve=False, overrides={"embedding.model": "hashed", "store.busy_timeout": 100})
    host.start()
    try:
        host.ask("session.append", session="letters", messages=messages)
        with held("transaction", vault / DATABASE):
            for _ in range(3):
                with pytest.raises(VaultLockedError, match="Another program holds"):
                    host.ask("note.save", content="refused words")
            assert host.ask("memory.search", query="letter 7").hits
        host.ask("note.save", content="later words")
        status = host.ask("vault.settle", names=True)
        assert status.pending_vectors == 0
        assert status.notes == ()
        [name] = [entity for entity in host.ask("entity.list") if entity.name == "Quirin Tannhofer"]
        assert name.mentions == len(messages)
        assert [note.preview for note in host.ask("note.list")] == ["later words"]
        assert host.ask("vault.check").findings == ()
    finally:
        host.stop()
