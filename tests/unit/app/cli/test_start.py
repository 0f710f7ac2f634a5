"""Start of frequent commands without loading the engine."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[4]
HEAVY = ("numpy", "apsw", "rich", "asyncio", "app.host", "app.api.catalogue", "tomlkit", "PySide6", "ui")


def loaded_after(script: str) -> set[str]:
    report = f"\nimport sys\nprint(*(name for name in {HEAVY!r} if name in sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", script + report], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return set(done.stdout.splitlines()[-1].split())


@pytest.mark.parametrize(
    "script",
    [
        "from app.__main__ import main; main(['--version'])",
        "from app.__main__ import main; main(['--help'])",
        "from app.__main__ import main; main(['note', '--help'])",
        "from app.__main__ import main; main(['memory', 'search', '--help'])",
        "import app.cli.commands",
        "import app.rpc.client",
    ],
)
def test_a_start_loads_nothing_heavy(script: str) -> None:
    assert loaded_after(script) == set()
