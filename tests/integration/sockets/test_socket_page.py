"""The help page on the socket: its client runs, and its tables are those of the program."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from app.core.paths import resources
from app.host import Host
from app.rpc.error_codec import NUMBERS
from app.rpc.hostfile import read_hostfile

PAGE = (resources() / "help" / "socket.md").read_text(encoding="utf-8")
NODE = shutil.which("node")


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """Return the client of the page as a file."""
    result = re.search(r"```js\n(.*?)```", PAGE, re.DOTALL)
    assert result is not None
    path = tmp_path / "client.mjs"
    path.write_text(result[1], encoding="utf-8")
    return path


def run(program: Path, host: Host, token: str, method: str, **params: object) -> "subprocess.CompletedProcess[str]":
    assert NODE is not None
    command = [NODE, str(program), str(host.vault), method, json.dumps(params)]
    environment = {**os.environ, "KEEPSAKE_TOKEN": token}
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.skipif(NODE is None, reason="there is no Node.js here to run the page's client")
def test_the_client_of_the_page_reads_writes_and_is_refused(host: Host, program: Path) -> None:
    token = host.ask("agent.add", name="scout", trust="inner").token
    saved = run(program, host, token, "note.save", content="Compost in spring \u2603", store="social")
    assert json.loads(saved.stdout)["content"] == "Compost in spring \u2603"
    found = run(program, host, token, "memory.search", query="compost")
    assert len(json.loads(found.stdout)["hits"]) == 1
    refused = run(program, host, "kst_wrong", "memory.search", query="compost")
    assert refused.returncode == 1
    assert refused.stderr.startswith("access_required: ")
    assert "host.json" not in refused.stderr
    requested = run(program, host, "", "agent.request_access", name="newcomer")
    assert json.loads(requested.stdout)["token"].startswith("kst_")
    owner = run(program, host, read_hostfile(host.vault).token, "agent.list")
    assert [agent["name"] for agent in json.loads(owner.stdout)] == ["scout"]


def test_the_page_names_every_error_number() -> None:
    rows = dict(re.findall(r"^\| (-\d+) \| `(\w+)` \|", PAGE, re.MULTILINE))
    assert {code: int(number) for number, code in rows.items()} == NUMBERS
