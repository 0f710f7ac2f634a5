"""Start of frequent commands without loading the engine."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from app.host import Host

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
        "from app.rpc.client import Client",
    ],
)
def test_a_start_loads_nothing_heavy(script: str) -> None:
    assert loaded_after(script) == set()


# What a hook loads beside what Python itself has loaded; an agent waits for it.
HOOK_MODULES = {
    "app",
    "app.__main__",
    "app.cli",
    "app.cli.quick",
    "app.cli.quick.hook",
    "app.cli.quick.quick_client",
    "app.cli.quick.quick_start",
    "app.core",
    "app.core.text_rules",
    "app.core.text_rules.project_name",
    "app.core.whole_lines",
    "app.rpc",
    "app.rpc.peer",
}
OF_HOOKS = {
    "app.cli.quick.hook",
    "app.core",
    "app.core.text_rules",
    "app.core.text_rules.project_name",
    "app.core.whole_lines",
}
SLOW_TO_LOAD = {
    "typer",
    "click",
    "msgspec",
    "dataclasses",
    "inspect",
    "pathlib",
    "platformdirs",
    "logging",
    "asyncio",
    "tempfile",
}


@pytest.mark.parametrize(
    ("arguments", "ours"),
    [
        (["hook", "prompt"], HOOK_MODULES),
        (["hook", "stop"], HOOK_MODULES),
        (["capture", "A note"], HOOK_MODULES - OF_HOOKS),
    ],
)
def test_hooks_and_capture_load_what_they_need_and_nothing_else(
    host: Host, tmp_path: Path, arguments: list[str], ours: set[str]
) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text('{"type": "user", "uuid": "1", "message": {"role": "user", "content": "Hello"}}\n')
    given = json.dumps({"session_id": "s", "transcript_path": str(path), "prompt": "Hello"})
    script = (
        "import sys; before = set(sys.modules)\n"
        f"from app.__main__ import main\nstatus = main({arguments!r})\n"
        "print(file=sys.stderr)\nprint(*sorted(set(sys.modules) - before), file=sys.stderr)\nsys.exit(status)"
    )
    # -S leaves out what the installation itself loads, such as the finder of an editable one.
    done = subprocess.run(
        [sys.executable, "-S", "-c", script],
        cwd=ROOT,
        input=given,
        capture_output=True,
        text=True,
        env={**os.environ, "KEEPSAKE_VAULT": str(host.vault)},
        check=False,
    )
    loaded = set(done.stderr.splitlines()[-1].split())
    assert done.returncode == 0, done.stderr
    assert {name for name in loaded if name.split(".")[0] in ("app", "ui")} == ours
    assert loaded & SLOW_TO_LOAD == set()
