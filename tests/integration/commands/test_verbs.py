"""The commands of the catalogue against a running host: pipes, terminals, exit statuses and what they load."""

import contextlib
import json
import os
import pty
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import apsw
import pytest

from tests.helpers.processes.warm_start import keepsake_command
from tests.integration.commands.test_cli import LIMIT_S, Done, sentence, serving, surroundings

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals and sockets of Unix")

HEAVY = (
    "numpy",
    "apsw",
    "rich",
    "typer",
    "pydantic",
    "asyncio",
    "tomlkit",
    "app.host",
    "app.engine",
    "app.api.catalogue",
)
LOADED = f"""
import sys
from app.__main__ import main
status = main(sys.argv[1:])
print(*(name for name in {HEAVY!r} if name in sys.modules), file=sys.stderr)
sys.exit(status)
"""
Keepsake = Callable[..., Done]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Return a home whose vault a host serves."""
    made = tmp_path_factory.mktemp("home")
    with serving(made / "vault", made):
        yield made


@pytest.fixture
def keepsake(home: Path) -> Keepsake:
    """Return what runs ``keepsake`` on the vault that is served."""

    def run(*arguments: str, stdin: str | None = None, **environment: str) -> Done:
        return subprocess.run(
            [*keepsake_command(), "--vault", str(home / "vault"), *arguments],
            env=surroundings(home, **environment),
            input=None if stdin is None else stdin.encode(),
            stdin=subprocess.DEVNULL if stdin is None else None,
            capture_output=True,
            timeout=LIMIT_S,
            check=False,
        )

    return run


def shown(done: Done) -> str:
    assert done.returncode == 0, done.stderr
    return done.stdout.decode()


def test_a_note_goes_through_pipes(keepsake: Keepsake, tmp_path: Path) -> None:
    (tmp_path / "text.md").write_text("from a file\n")
    piped = shown(keepsake("note", "save", "Piped", "-", "--tag", "pipe,old", stdin="from a pipe\n")).strip()
    filed = shown(keepsake("note", "save", "Filed", f"@{tmp_path / 'text.md'}", "--tag", "pipe")).strip()
    found = json.loads(shown(keepsake("note", "get", piped, "--json")))
    assert (found["content"], found["title"], found["tags"]) == ("from a pipe\n", "Piped", ["pipe", "old"])
    listed = shown(keepsake("note", "list", "--tag", "pipe"))
    assert {line.split("\t")[0] for line in listed.splitlines()} == {piped, filed}
    as_json = shown(keepsake("note", "list", "--tag", "pipe", "--json"))
    assert set(shown(keepsake("note", "delete-many", "-", stdin=as_json)).split()) == {piped, filed}
    assert shown(keepsake("note", "list", "--tag", "pipe")) == ""
    assert shown(keepsake("note", "restore", filed)).strip() == filed
    updated = shown(keepsake("note", "update", filed, "--title", "Renamed")).strip()
    assert json.loads(shown(keepsake("note", "get", updated, "--json")))["title"] == "Renamed"


def test_a_search_reads_its_words_from_a_pipe(keepsake: Keepsake) -> None:
    shown(keepsake("fact", "set", "garden", "heron", "-", stdin="The heron nests at the sluice."))
    assert "sluice" in shown(keepsake("memory", "search", "-", stdin="heron sluice"))
    assert shown(keepsake("memory", "search", "heron", "--limit", "1")) == shown(
        keepsake("search", "heron", "--limit", "1")
    )


def test_what_is_gone_for_ever_asks_first(keepsake: Keepsake) -> None:
    shown(keepsake("session", "append", '{"role": "user", "content": "x"}', "--session", "gone"))
    refused = keepsake("memory", "forget-forever", "--session", "gone")
    assert refused.returncode == 2
    assert "cannot be undone. Add --yes" in sentence(refused)
    shown(keepsake("session", "get", "gone"))
    shown(keepsake("memory", "forget-forever", "--session", "gone", "--yes"))
    assert keepsake("session", "get", "gone").returncode == 65


def test_an_answer_that_is_not_ok_ends_with_1(tmp_path: Path) -> None:
    def run(*words: str) -> int:
        command = [*keepsake_command(), "--vault", str(tmp_path / "vault"), *words]
        done = subprocess.run(command, env=surroundings(tmp_path), capture_output=True, timeout=LIMIT_S, check=False)
        return done.returncode

    assert run("note", "save", "The heron nests.") == 0
    with contextlib.closing(apsw.Connection(str(tmp_path / "vault" / "memory.db"))) as connection:
        connection.execute("DELETE FROM chunks")
    assert [run("vault", "check"), run("vault", "repair"), run("vault", "check")] == [1, 0, 0]


def test_exit_statuses(keepsake: Keepsake) -> None:
    statuses = {
        ("note",): 2,
        ("note", "--help"): 0,
        ("note", "nonsense"): 2,
        ("note", "get"): 2,
        ("note", "list", "--limit", "many"): 2,
        ("note", "get", "note-nowhere"): 65,
        ("note", "list", "--limit", "-1"): 65,
        ("help", "note", "save"): 0,
        ("help", "note", "nonsense"): 2,
        ("vault", "status"): 0,
    }
    for arguments, status in statuses.items():
        assert keepsake(*arguments).returncode == status, arguments
    denied = keepsake("vault", "status", KEEPSAKE_TOKEN="nobody's")
    assert denied.returncode == 77
    assert "allow" in sentence(denied)


def test_a_deletion_that_finds_nothing_fails(keepsake: Keepsake) -> None:
    nothing = keepsake("note", "delete-many", "note-nowhere", "note-neither")
    assert nothing.returncode == 65
    assert "Nothing was deleted: nothing has any of these ids" in sentence(nothing)
    made = shown(keepsake("note", "save", "-", stdin="To be deleted.")).strip()
    assert shown(keepsake("note", "delete-many", made, "note-nowhere")).split() == [made]
    assert keepsake("note", "delete-many", made).returncode == 65


def test_a_model_that_does_not_answer_fails_its_test(keepsake: Keepsake) -> None:
    silent = keepsake("llm", "test")
    assert silent.returncode == 1
    assert "No language model" in silent.stdout.decode()
    assert json.loads(keepsake("llm", "test", "--json").stdout)["ok"] is False


def test_an_agent_is_added_and_its_token_works(keepsake: Keepsake) -> None:
    added = keepsake("agent", "add", "reader", "--trust", "inner", "--stores", "shared,social", "--json")
    made = json.loads(shown(added))
    assert (made["name"], made["stores"]) == ("reader", ["shared", "social"])
    who = json.loads(shown(keepsake("agent", "whoami", "--json", KEEPSAKE_TOKEN=made["token"])))
    assert (who["name"], who["trust"]) == ("reader", "inner")
    assert keepsake("agent", "list", KEEPSAKE_TOKEN=made["token"]).returncode == 77
    again = shown(keepsake("agent", "rotate", "reader"))
    assert "KEEPSAKE_TOKEN=" in again
    shown(keepsake("agent", "revoke", "reader", "--yes"))
    assert keepsake("note", "list", KEEPSAKE_TOKEN=made["token"]).returncode == 77


def test_a_terminal_gets_a_table_a_sentence_and_how_to_undo(home: Path) -> None:
    saved = _on_terminal(home, "note", "save", "Shown\x1b[31m", "body \x1b]0;title\x07")
    assert "Saved note-" in saved
    assert "Undo with: keepsake memory undo " in saved
    listed = _on_terminal(home, "note", "list")
    assert listed.splitlines()[0].split()[:2] == ["ID", "KIND"]
    assert all(len(line) <= 80 for line in listed.splitlines())
    answered = _on_terminal(home, "memory", "forget-forever", "nowhere", typed="n\n")
    assert "[y/N]" in answered
    assert "Nothing was changed." in answered
    for text in (saved, listed):
        assert "\x1b" not in text


@pytest.mark.parametrize(
    "arguments", [["note", "list", "--json"], ["memory", "search", "heron"], ["fact", "set", "a", "b", "c"]]
)
def test_a_verb_loads_nothing_heavy(home: Path, arguments: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", LOADED, "--vault", str(home / "vault"), *arguments],
        env=surroundings(home),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=LIMIT_S,
        check=True,
    )
    assert done.stderr.decode().split() == []


def _on_terminal(home: Path, *arguments: str, typed: str = "") -> str:
    """Run ``keepsake`` on a terminal of 80 columns without styles and return what it shows."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "app", "--vault", str(home / "vault"), *arguments],
        env=surroundings(home, NO_COLOR="1", COLUMNS="80"),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    if typed:
        os.write(ours, typed.encode())
    output = b""
    try:
        while part := os.read(ours, 4096):
            output += part
    except OSError:
        pass  # how Linux says that the other side has left
    os.close(ours)
    process.wait(LIMIT_S)
    return output.decode().replace("\r\n", "\n").replace("\r\x1b[K", "")


@pytest.mark.parametrize(
    "words", [("attachment", "add", "--path", "rose.txt"), ("call", "attachment.add", '{"path": "rose.txt"}')]
)
def test_a_relative_path_is_one_of_the_folder_of_the_command(
    home: Path, tmp_path: Path, words: tuple[str, ...]
) -> None:
    (tmp_path / "rose.txt").write_text("A rose.", encoding="utf-8")
    done = subprocess.run(
        [*keepsake_command(), "--vault", str(home / "vault"), *words],
        cwd=tmp_path,
        env=surroundings(home),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=LIMIT_S,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"rose" in done.stdout
