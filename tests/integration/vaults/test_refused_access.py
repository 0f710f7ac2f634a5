"""Files and folders that the system refuses: said in a sentence, nothing is left out silently, all comes back."""

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from app.errors import InternalError, KeepsakeError, MachineError
from app.rpc.client import Client
from tests.helpers.hostile.refused_access import like_anybody, refused
from tests.helpers.sample_data import ROOT
from tests.integration.processes.serving import serving

PICTURE = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489"
    "0000000d49444154789c626001000000ffff03000006000557bfabd40000000049454e44ae426082"
)
REFUSES = "The system refuses access"


@pytest.fixture
def client(vault: Path, tmp_path: Path) -> Iterator[Client]:
    """Return a client of a host for which modes count; the vault has a note with a picture, and a backup."""
    (tmp_path / "pic.png").write_bytes(PICTURE)
    with serving(vault, beginning=like_anybody()), closing(Client.connect(vault)) as client:
        client.call("attachment.add", {"path": str(tmp_path / "pic.png")})
        client.call("note.save", {"title": "Boiler", "content": "![x](attachments/pic.png)"})
        client.call("backup.now", {})
        yield client


def refusal(client: Client, operation: str, **arguments: Any) -> str:
    """Return the sentence by which an operation is refused, ``""`` where it is not."""
    failure = client.submit(operation, arguments).exception()
    assert failure is None or (isinstance(failure, KeepsakeError) and not isinstance(failure, InternalError))
    return "" if failure is None else str(failure)


def titles(client: Client) -> set[str]:
    return {str(note["title"]) for note in client.call("note.list", {})}


@pytest.mark.slow
def test_attachments_that_are_refused_are_named(client: Client, vault: Path, tmp_path: Path) -> None:
    with refused(vault / "attachments"):
        assert REFUSES in refusal(client, "attachment.list")
        assert REFUSES in refusal(client, "attachment.add", path=str(tmp_path / "pic.png"))
        assert REFUSES in refusal(client, "backup.now")
        for name, form in (("out.jsonl", "jsonl"), ("out", "folder"), ("out.keepsake", "encrypted")):
            words = {"passphrase": "red kites over the hill"} if form == "encrypted" else {}
            report = client.call("exchange.export", {"path": str(tmp_path / name), "format": form, **words})
            assert report["skipped"] == ["attachments"]
        [finding] = client.call("vault.check", {})["findings"]
        assert finding["what"] == "The system refuses access to attachments."
        assert client.call("vault.overview", {})["vault"] == str(vault)
        client.call("note.save", {"title": "Meanwhile", "content": "words"})
    assert client.call("vault.check", {})["ok"]
    assert [file["name"] for file in client.call("attachment.list", {})] == ["pic.png"]
    assert client.call("exchange.export", {"path": str(tmp_path / "whole.jsonl"), "format": "jsonl"})["skipped"] == []
    assert titles(client) == {"Boiler", "Meanwhile"}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["", "backups", "memory.db"])
def test_a_host_goes_on_once_it_may_again(client: Client, vault: Path, name: str) -> None:
    with refused(vault / name):
        for operation in (
            "vault.check",
            "backup.now",
            "backup.list",
            "vault.overview",
            "vault.stats",
            "attachment.list",
        ):
            refusal(client, operation)
        is_refused = bool(refusal(client, "note.save", title="Meanwhile", content="words"))
        assert titles(client) == {"Boiler"} | (set() if is_refused else {"Meanwhile"})
    client.call("note.save", {"title": "Later", "content": "words"})
    assert client.call("vault.check", {})["ok"]
    client.call("backup.now", {})
    assert titles(client) == {"Boiler", "Later"} | (set() if is_refused else {"Meanwhile"})


@pytest.mark.slow
@pytest.mark.parametrize("name", ["", "memory.db"])
def test_a_vault_that_is_refused_is_called_so(vault: Path, name: str) -> None:
    """Nothing of it is called damaged, and nothing begins anew in its place."""
    command = [*like_anybody(), sys.executable, "-m", "app", "--vault", str(vault)]

    def run(*arguments: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run([*command, *arguments], cwd=ROOT, capture_output=True, text=True, check=False)

    assert run("note", "save", "first words").returncode == 0
    before = (vault / "memory.db").read_bytes()
    with refused(vault / name):
        for arguments in (("note", "list"), ("note", "save", "second words"), ("check",)):
            answer = run(*arguments)
            assert answer.returncode == MachineError.exit_status
            assert REFUSES in answer.stderr
            assert "Traceback" not in answer.stderr
    assert (vault / "memory.db").read_bytes() == before
    notes: list[Mapping[str, Any]] = json.loads(run("note", "list", "--json").stdout)
    assert [note["preview"] for note in notes] == ["first words"]
