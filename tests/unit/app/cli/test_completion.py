"""Candidates of completion, and the scripts of the shells."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest

from app.cli.commands import ImportFormat
from app.cli.completion import candidates, script
from app.exchange.formats.known_formats import SPECS
from tests.helpers.sample_data import ROOT


def texts(*words: str) -> list[str]:
    return [text for text, _ in candidates(words)]


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        (("no",), ["note"]),
        (("note", "de"), ["delete", "delete-many"]),
        (("session", "scratchpad", ""), ["clear", "read", "write"]),
        (("note", "list", "--or"), ["--order"]),
        (("note", "list", "--order", ""), ["recent", "oldest", "title", "created"]),
        (("note", "list", "--limit", "3", "--order", "t"), ["title"]),
        (("note", "list", "--kind", "note,f"), ["note,fact"]),
        (("--vault", "/x", "note", "sa"), ["save"]),
        (("export", "--format", ""), ["encrypted", "folder", "jsonl", "markdown", "mcp-memory"]),
        (("backup", ""), ["cancel-restore", "list", "now", "preview", "restore", "status", "verify"]),
        (("completion", ""), ["bash", "zsh", "fish"]),
        (("nonsense", ""), None),
        (("note", "save", "title", ""), []),
    ],
)
def test_candidates(words: tuple[str, ...], wanted: list[str] | None) -> None:
    found = texts(*words)
    if wanted is not None:
        assert sorted(found) == sorted(wanted)


def test_options_of_a_command_that_takes_something_away() -> None:
    assert "--yes" in texts("memory", "forget-forever", "--")
    assert "--yes" not in texts("note", "delete", "--")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_takes_its_script(shell: str, tmp_path: Path) -> None:
    found = shutil.which(shell)
    if found is None:
        pytest.skip(f"there is no {shell} here")
    (tmp_path / "script").write_text(script(shell))
    subprocess.run([found, "-n", str(tmp_path / "script")], check=True)


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_bash_completes_a_line(tmp_path: Path) -> None:
    program = tmp_path / "keepsake"
    program.write_text(f'#!/bin/sh\ncd "{ROOT}" && exec "{sys.executable}" -m app "$@"\n')
    program.chmod(0o700)
    request = "\n".join(
        [script("bash"), "COMP_WORDS=(keepsake note delete)", "COMP_CWORD=2", '_keepsake_completion keepsake',
         'printf "%s\\n" "${COMPREPLY[@]}"']
    )  # fmt: skip
    done = subprocess.run(
        ["bash", "-c", request],
        env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["delete", "delete-many"]


@pytest.mark.parametrize(
    ("environment", "shown"),
    [
        ({"_KEEPSAKE_COMPLETE": "zsh", "COMP_LINE_WORDS": "keepsake\nnote", "COMP_CURRENT": "delete-"}, "delete-many:"),
        (
            {"_KEEPSAKE_COMPLETE": "fish", "COMP_LINE_WORDS": "keepsake\nnote", "COMP_CURRENT": "delete-"},
            "delete-many\t",
        ),
        ({"_KEEPSAKE_COMPLETE": "complete_bash", "COMP_WORDS": "keepsake expo", "COMP_CWORD": "1"}, "export\n"),
    ],
)
def test_a_shell_gets_its_form(environment: dict[str, str], shown: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "app"], cwd=ROOT, env={**os.environ, **environment}, capture_output=True, text=True,
        check=True,
    )  # fmt: skip
    assert done.stdout.startswith(shown)
    assert done.stdout.count("\n") == 1


def test_import_offers_every_format() -> None:
    assert set(get_args(ImportFormat)) == {"auto", *SPECS}
