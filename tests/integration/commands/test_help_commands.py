"""Every command in the help and in README is run in a shell, in the order in which a reader would type it.

Installers, windows and targets of ``make`` are left to ``make packages-check`` and to those who run them; the socket's
page has a test of its own.
"""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from app.core.paths import resources
from app.host import Host
from app.rpc.hostfile import FILE
from app.store.encryption.vault_encryption import VARIABLE
from tests.helpers.encryption import PASSPHRASE, files_with, needs_cipher
from tests.helpers.processes.warm_start import keepsake_command
from tests.helpers.sample_data import ROOT

HELP = resources() / "help"
REFERENCE = {"commands", "operations", "settings"}
_BLOCK = re.compile(r"^```\n(.*?)^```", re.MULTILINE | re.DOTALL)
_NOT_RUN = re.compile(r"(?:make|sudo|tar|pipx|uv|\./keepsake|keepsake --(self-test|safe-mode)|export KEEPSAKE_VAULT)\b")
Run = Callable[[str], str]


def commands(page: Path) -> list[str]:
    """Return the lines of a page's blocks that a reader types."""
    lines = [line.strip() for block in _BLOCK.findall(page.read_text("utf-8")) for line in block.splitlines()]
    typed = [line for line in lines if re.match(r"(?:keepsake|export|unset|eval) ", line)]
    return [line for line in typed if not _NOT_RUN.match(line)]


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Run]:
    """Run lines in a shell whose variables stay, with a home and a vault of its own."""
    home = tmp_path / "home"
    (home / "bin").mkdir(parents=True)
    shim = home / "bin" / "keepsake"
    shim.write_text(f'#!/bin/sh\nexec {" ".join(keepsake_command())} "$@"\n', "utf-8")
    shim.chmod(0o755)
    variables = {
        **os.environ,
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "XDG_DATA_HOME": str(home / ".local/share"),
        "PATH": f"{home / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "KEEPSAKE_VAULT": str(tmp_path / "v"),
        "PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring",
    }
    shell = subprocess.Popen(
        ["bash"], cwd=home, env=variables, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, bufsize=1,
    )  # fmt: skip
    assert shell.stdin is not None
    assert shell.stdout is not None

    def typed(line: str) -> str:
        assert shell.stdin is not None
        assert shell.stdout is not None
        if line.startswith("keepsake agent connect"):
            line += " --yes"  # as a person answers who has a terminal
        shell.stdin.write(
            f'{{ {line}; }} </dev/null\necho "=== $?"\n' if "&" not in line else f"{line}\necho '=== 0'\n"
        )
        shell.stdin.flush()
        said: list[str] = []
        for answer in shell.stdout:
            if answer.startswith("=== "):
                assert answer == "=== 0\n", f"{line}\n{''.join(said)}"
                return "".join(said)
            said.append(answer)
        raise AssertionError(f"the shell ended at: {line}\n{''.join(said)}")

    yield typed
    shell.stdin.write("kill $(jobs -p) 2>/dev/null; wait; exit\n")
    shell.stdin.close()
    shell.wait(30)
    shell.stdout.close()


def fill(vault: Path) -> None:
    host = Host(vault, serve=False)
    host.start()
    try:
        for tag in ("garden", "old"):
            host.ask("note.save", title=f"Of {tag}", content="Roses, pruned last month.", tags=[tag])
    finally:
        host.stop()


def test_commands_of_the_guide(run: Run, tmp_path: Path) -> None:
    fill(tmp_path / "v")
    for line in commands(HELP / "guide.md"):
        run(line)
    assert "endoscope" in run("keepsake search endoscope")


@needs_cipher
def test_commands_of_the_page_on_encryption(run: Run, tmp_path: Path) -> None:
    fill(tmp_path / "v")
    for line in commands(HELP / "encryption.md"):
        # These two read the passphrase of the file; that of the vault is typed where there is a terminal.
        opens = f"{VARIABLE}='{PASSPHRASE}' " if line.startswith(("keepsake export", "keepsake import")) else ""
        run(f"echo '{PASSPHRASE}' | {opens}{line}")
    assert (tmp_path / "home" / "everything.keepsake").is_file()
    assert files_with(tmp_path / "v", "Roses") == []
    assert "are encrypted" in run("keepsake encryption status")


def test_commands_of_the_readme(run: Run, tmp_path: Path) -> None:
    fill(tmp_path / "v")
    downloads = tmp_path / "home" / "Downloads"
    downloads.mkdir()
    talk = [{"role": "user", "content": "When do I prune roses?"}, {"role": "assistant", "content": "In March."}]
    for path in (downloads / "chatgpt.zip", tmp_path / "home" / "big.zip"):
        path.write_text(json.dumps(talk), "utf-8")  # formats are known by their content
    found = {
        line: run(line) for line in (re.sub(r"\s{2,}#.*", "", command) for command in commands(ROOT / "README.md"))
    }
    assert "1 conversation" in found["keepsake import ~/Downloads/chatgpt.zip"]
    assert (tmp_path / "home" / "everything.jsonl").is_file()
    assert "garden" in found["keepsake note list --tag garden"]
    assert "Of old" not in run("keepsake note list --tag old")


def test_commands_of_the_page_on_agents(run: Run, tmp_path: Path) -> None:
    vault, token, numbers = tmp_path / "v", "", list[str]()
    for line in commands(HELP / "agents.md"):
        if line.startswith(("keepsake agent allow", "keepsake agent refuse")):
            request_access(run, vault)
        if line == "keepsake inbox list":
            propose(run)
        if "NUMBER" in line:
            line = line.replace("NUMBER", numbers.pop())  # noqa: PLW2901  (as a reader does)
        said = run(line.replace("kst_...", token))
        if line == "keepsake inbox list":
            numbers = re.findall(r"\b\d{16,}\b", run("keepsake inbox list --json"))[:2]
        if line == "keepsake serve &":
            wait_for(vault / FILE)
        if line.startswith("keepsake agent add"):
            token = re.findall(r"kst_[\w-]+", said)[0]
        if line == 'keepsake memory search "garden gate"':
            assert "4711" not in said
        if line == 'keepsake memory search "tea"':
            assert "sugar" in said


def wait_for(path: Path) -> None:
    command = f"for i in $(seq 600); do [ -e '{path}' ] && exit 0; sleep 0.05; done; exit 1"
    assert subprocess.run(["bash", "-c", command], check=False).returncode == 0


def request_access(run: Run, vault: Path) -> None:
    """Ask to be let in, as a program without a token does."""
    code = (
        "from pathlib import Path; from app.rpc.client import Client, Credentials;"
        f"c = Client.connect(Path({str(vault)!r}), Credentials('', 'Claude Desktop'));"
        "c.call('agent.request_access', {'name': 'Claude Desktop', 'trust': 'inner', 'reason': 'To help.'})"
    )
    run(f'{sys.executable} -c "{code}"')


def propose(run: Run) -> None:
    """Write twice as an agent whose writes wait in the inbox."""
    token = re.findall(r"kst_[\w-]+", run("keepsake agent add reviewed --trust inner --review"))[0]
    for number in (1, 2):
        run(f'KEEPSAKE_TOKEN={token} keepsake memory write "Proposal {number} of a plan." --kind fact')


@pytest.mark.parametrize("page", sorted(path.stem for path in HELP.glob("*.md") if path.stem not in REFERENCE))
def test_commands_within_sentences_exist(page: str) -> None:
    declared = json.loads((resources() / "commands.json").read_text("utf-8"))
    text = (HELP / f"{page}.md").read_text("utf-8")
    known = json.dumps(declared)
    for command in re.findall(r"`keepsake ([^`]+)`", text):
        words = [word for word in command.split() if re.fullmatch(r"[a-z][a-z-]+", word)]
        assert words or command.startswith("--"), command
        if words:
            assert f'"{words[0]}"' in known, f"{page}: keepsake {command}"


def test_commands_of_the_page_on_several_machines_exist(run: Run) -> None:
    """Their work needs other machines and servers, which ``integration/sync`` and ``integration/projection`` have."""
    for line in commands(HELP / "several-machines.md"):
        program, subject, verb, *_ = line.split()
        assert run(f"{program} {subject} {verb} --help").startswith(f"Usage: keepsake {subject} {verb}"), line


def test_no_block_of_commands_is_left_out() -> None:
    covered = {"guide", "agents", "encryption", "several-machines"}
    assert {page.stem for page in HELP.glob("*.md") if commands(page)} - REFERENCE == covered
