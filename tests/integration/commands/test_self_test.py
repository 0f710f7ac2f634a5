"""``keepsake --self-test`` in processes of its own: a whole installation, and damaged ones."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from app.cli.self_test import run_self_test
from tests.helpers.mcp_clients import ROOT

PARTS = (
    "start", "import", "search", "meaning", "paint", "socket", "MCP", "scheduled run", "backup", "close and open",
    "encryption",
)  # fmt: skip


def tried(root: Path, home: Path) -> "subprocess.CompletedProcess[str]":
    environment = {**os.environ, "HOME": str(home), "XDG_DATA_HOME": str(home / "data"), "PYTHONPATH": str(root)}
    return subprocess.run(
        [sys.executable, "-m", "app", "--self-test"],
        cwd=root,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def test_every_part_works_and_the_person_is_left_alone(tmp_path: Path) -> None:
    done = tried(ROOT, tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    reported = [line for line in done.stdout.splitlines() if line.startswith("ok ")]
    assert [line[8:26].strip() for line in reported] == list(PARTS)
    assert done.stdout.splitlines()[-1] == "Everything works."
    assert not (tmp_path / "data").exists()


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a whole installation; a test gives back what it takes away."""
    folder = tmp_path_factory.mktemp("installation")
    for part in ("app", "ui", "migrations", "resources"):
        shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__", "pictures"))
    return folder


@contextmanager
def taken_away(path: Path) -> Iterator[None]:
    """Let a part of an installation be missing until the block ends."""
    path.rename(path.with_name("away"))
    yield
    path.with_name("away").rename(path)


def test_what_is_missing_is_named(copy: Path, tmp_path: Path) -> None:
    with taken_away(copy / "resources" / "sample" / "searches.json"):
        done = tried(copy, tmp_path)
    assert done.returncode == 1
    failed = [line[8:26].strip() for line in done.stdout.splitlines() if line.startswith("FAILED")]
    assert "search" in failed
    assert "MCP" not in failed
    assert done.stdout.splitlines()[-1].endswith("parts failed.")


def test_nothing_is_tried_without_a_vault(copy: Path, tmp_path: Path) -> None:
    with taken_away(copy / "migrations"):
        done = tried(copy, tmp_path)
    assert done.returncode == 1
    assert done.stdout.count("FAILED") == 1, done.stdout
    assert callable(run_self_test)
