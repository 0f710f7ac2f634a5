"""Vaults of foreign origin: no file in them leads out or blocks Keepsake."""

import os
import shutil
import sys
from pathlib import Path

import pytest

from app.errors import VaultUnusableError
from app.host import Host
from app.store.backup import backup_name
from app.upkeep.backups import backup_files
from tests.helpers.processes.warm_process import start_module
from tests.integration.processes.planted_vaults import KINDS, NAMES

LIMIT_S = 300
CONTENT = b"what somebody else keeps here\n"

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="makes links and pipes")


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a closed vault with a note, backup and vectors, for reading only."""
    vault = tmp_path_factory.mktemp("planted") / "template"
    host = Host(vault, serve=False, overrides={"embedding.model": "hashed"})
    host.start()
    host.ask("note.save", content="A heron stood in the pond.")
    host.ask("vault.settle")
    path = Path(host.ask("backup.now").path)
    host.stop()
    path.rename(path.with_name("template.db"))
    return vault


def state_of(folder: Path) -> dict[str, object]:
    """Return the names below a folder, and of each file the bytes and the mode."""
    return {
        path.relative_to(folder).as_posix(): (path.read_bytes(), path.stat().st_mode) if path.is_file() else None
        for path in sorted(folder.rglob("*"))
    }


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """Return a folder of another user."""
    folder = tmp_path / "outside"
    (folder / "folder").mkdir(parents=True)
    (folder / "file").write_bytes(CONTENT)
    (folder / "file").chmod(0o644)
    (folder / "folder" / "memory.db").write_bytes(CONTENT)
    return folder


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_planted_leads_out_of_the_vault_or_blocks(
    template: Path, outside: Path, tmp_path: Path, kind: str
) -> None:
    shutil.copytree(template, tmp_path / "template")
    (tmp_path / "blocked").write_bytes(b"")
    before = state_of(outside)
    # Without a folder for sockets, the vault's own is used.
    environment = os.environ | {"XDG_RUNTIME_DIR": str(tmp_path / "blocked")}
    module = "tests.integration.processes.planted_vaults"
    with start_module(module, str(tmp_path), kind, environment=environment) as process:
        assert process.stdout is not None
        lines = process.stdout.read().splitlines()
        assert process.wait(LIMIT_S) == 0, lines
    assert lines[-1] == "done"
    assert [line for line in lines if line in NAMES] == [*NAMES]
    assert state_of(outside) == before


def test_a_refusal_names_the_file_and_what_to_do(vault: Path, outside: Path) -> None:
    (vault / "backups").symlink_to(outside / "folder")
    with pytest.raises(VaultUnusableError, match=r"backups is a link\. .* remove it"):
        Host(vault, serve=False).start()


def test_a_link_among_the_backups_is_no_backup(template: Path, outside: Path, tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    shutil.copytree(template, vault)
    name = backup_name("daily")
    (vault / "backups" / name).symlink_to(outside / "file")
    (vault / "backups" / f"{name}.partial").symlink_to(outside / "file")
    before = state_of(outside)
    assert [item.name for item in backup_files.list_backups(vault)] == ["template.db"]
    host = Host(vault, serve=False, overrides={"embedding.model": "hashed"})
    host.start()
    note = host.ask("note.save", content="The plumbagovitch quarterdeck")
    host.ask("memory.forget_forever", ids=[note.id], confirm=True, backups="rewrite")
    host.ask("vault.repair")
    host.stop()
    assert state_of(outside) == before
