"""``keepsake agent connect`` and ``disconnect`` on the configurations of a test home."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from app.host import Host
from tests.helpers.processes.warm_start import keepsake_command
from tests.helpers.sample_data import ROOT

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="sockets of Unix")

Done = subprocess.CompletedProcess[bytes]
Run = Callable[..., Done]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    (folder / ".claude").mkdir(parents=True)
    (folder / ".cursor").mkdir()
    return folder


@pytest.fixture
def serving(vault: Path) -> Iterator[Host]:
    host = Host(vault)
    host.start()
    yield host
    host.stop()


@pytest.fixture
def agent(vault: Path, home: Path) -> Run:
    def run(*arguments: str) -> Done:
        environment = {**os.environ, "HOME": str(home), "KEEPSAKE_VAULT": str(vault), "PYTHONPATH": str(ROOT)}
        environment["XDG_CONFIG_HOME"] = str(home / ".config")
        command = [*keepsake_command(), "agent", *arguments]
        return subprocess.run(command, capture_output=True, timeout=60, env=environment, cwd=home, check=False)

    return run


def names(host: Host) -> dict[str, bool]:
    return {one.name: one.revoked_at is None for one in host.ask("agent.list")}


def snapshot(home: Path) -> dict[str, bytes]:
    return {str(file): file.read_bytes() for file in sorted(home.rglob("*")) if file.is_file()}


def test_connect_works_and_disconnect_takes_back_exactly_that(serving: Host, agent: Run, home: Path) -> None:
    (home / ".claude.json").write_text('{\n  // mine\n  "projects": {"/x": {"n": 1}}, "mcpServers": {}\n}\n')
    (home / ".claude" / "settings.json").write_text('{"model": "opus"}')
    before = snapshot(home)

    done = agent("connect", "claude-code", "--hooks", "--yes")

    assert done.returncode == 0, done.stderr
    assert b"kst_\xe2\x80\xa6" in done.stdout
    hooks = json.loads((home / ".claude" / "settings.json").read_text())["hooks"]
    assert set(hooks) == {"SessionStart", "UserPromptSubmit", "Stop", "PreCompact"}
    command = hooks["UserPromptSubmit"][0]["hooks"][0]["command"]
    token_file = Path(command.partition("KEEPSAKE_TOKEN_FILE=")[2].split()[0])
    token = token_file.read_text()
    assert token_file.stat().st_mode & 0o077 == 0
    assert "kst_" not in (home / ".claude" / "settings.json").read_text()
    assert token.encode() not in done.stdout + (serving.vault / "connections.json").read_bytes()
    assert token in (home / ".claude.json").read_text()
    serving.ask("note.save", content="The heron nests by the pond", store="shared")
    given = json.dumps({"session_id": "s", "hook_event_name": "UserPromptSubmit", "prompt": "Where is the heron?"})
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    answered = subprocess.run(
        command, shell=True, input=given.encode(), capture_output=True, timeout=60, env=environment, check=True
    )
    assert b"by the pond" in answered.stdout, answered.stderr

    assert agent("connect", "claude-code", "--yes").returncode == 65
    assert agent("disconnect", "claude-code", "--yes").returncode == 0
    after = snapshot(home)
    assert {name: after[name] for name in before} == before
    assert all(name.endswith(".keepsake-backup") for name in after.keys() - before.keys())
    assert names(serving) == {"claude-code": False}
    assert agent("disconnect", "claude-code", "--yes").returncode == 65


@pytest.mark.parametrize("client", ["claude-desktop", "cursor", "vscode", "codex", "windsurf", "gemini"])
def test_every_client_from_nothing_and_back_to_nothing(serving: Host, agent: Run, home: Path, client: str) -> None:
    assert agent("connect", client, "--yes").returncode == 0
    assert len(snapshot(home)) == 1
    assert agent("disconnect", client, "--yes").returncode == 0
    assert snapshot(home) == {}
    assert names(serving) == {client: False}


def test_what_the_person_changed_since_is_left(serving: Host, agent: Run, home: Path) -> None:
    path = home / ".cursor" / "mcp.json"
    agent("connect", "cursor", "--yes")
    path.write_text(path.read_text().replace('"mcp"', '"mcp", "--profile", "full"'))
    changed = path.read_bytes()
    done = agent("disconnect", "cursor", "--yes")
    assert b"was changed since" in done.stderr
    assert path.read_bytes() == changed
    assert names(serving) == {"cursor": False}


def broken(path: Path) -> None:
    path.write_text('{"mcpServers": ')


def in_utf16(path: Path) -> None:
    path.write_bytes("{}".encode("utf-16"))


def read_only(path: Path) -> None:
    path.write_text("{}")
    path.chmod(0o444)


def taken(path: Path) -> None:
    path.write_text('{"mcpServers": {"keepsake": {"command": "other"}}}')


@pytest.mark.parametrize("spoil", [broken, in_utf16, read_only, taken])
def test_an_unusual_configuration_is_one_clear_error_and_nothing_changes(
    serving: Host, agent: Run, home: Path, spoil: Callable[[Path], Any]
) -> None:
    spoil(home / ".cursor" / "mcp.json")
    before = snapshot(home)
    done = agent("connect", "cursor", "--yes")
    assert done.returncode in (65, 74), done.stderr
    assert done.stderr.startswith(b"keepsake: ")
    assert done.stderr.count(b"\n") == 1
    assert (snapshot(home), names(serving)) == (before, {})


def test_showing_printing_and_not_being_asked_write_nothing(serving: Host, agent: Run, home: Path) -> None:
    assert agent("connect", "cursor", "--dry-run").returncode == 0
    refused = agent("connect", "cursor")
    assert (refused.returncode, b"--yes" in refused.stderr) == (1, True)
    entry = json.loads(agent("connect", "zed", "--print", "--dry-run").stdout)
    assert entry["mcpServers"]["keepsake"]["args"][-1] == "mcp"
    assert Path(entry["mcpServers"]["keepsake"]["command"]).is_absolute()
    assert (snapshot(home), names(serving)) == ({}, {})
    printed = agent("connect", "zed", "--print")
    assert json.loads(printed.stdout)["mcpServers"]["keepsake"]["env"]["KEEPSAKE_TOKEN"].startswith("kst_")
    assert names(serving) == {"zed": True}
    assert b"claude-desktop" in agent("connect", "emacs", "--yes").stderr
    assert b"has no hooks" in agent("connect", "cursor", "--hooks", "--yes").stderr
