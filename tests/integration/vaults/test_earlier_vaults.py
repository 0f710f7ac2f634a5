"""Vaults that earlier versions made: brought up to date without loss, and refused by a program that is older."""

import os
import shutil
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from app.core.paths import migrations
from app.host import Host
from app.store.connection import open_writer
from app.store.migrate import migrate, migrations_in
from app.store.store import Store
from tests.helpers.archives import unpack

ROOT = Path(__file__).resolve().parents[3]
FOLDER = ROOT / "tests" / "vaults"
ARCHIVES = sorted(path.name for path in FOLDER.glob("*.tar.xz"))
# Words whose stems are those of stop words.
KEPT_WORDS = ("Ines", "ones")


def unpacked(name: str, folder: Path) -> Path:
    vault = folder / "vault"
    vault.mkdir(mode=0o700)
    unpack(FOLDER / name, vault)
    return vault


def texts_in(database: Path) -> list[str]:
    connection = apsw.Connection(str(database), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        rows = connection.execute("SELECT content FROM messages UNION ALL SELECT content FROM memories").fetchall()
    finally:
        connection.close()
    return sorted(str(text) for (text,) in rows)


def test_there_is_a_vault_of_each_number() -> None:
    assert [name.removeprefix("schema-").removesuffix(".tar.xz") for name in ARCHIVES] == ["0004", "0009", "0015"]


@pytest.mark.parametrize("name", ARCHIVES)
def test_it_is_brought_up_to_date_without_loss(name: str, tmp_path: Path) -> None:
    vault = unpacked(name, tmp_path)
    before = texts_in(vault / "memory.db")
    assert len(before) == 21
    host = Host(vault, serve=False)
    host.start()
    try:
        host.ask("vault.settle")
        stats = host.ask("memory.stats")
        assert (stats.messages, stats.memories, stats.sessions) == (14, 7, 1)
        assert stats.embedded == stats.chunks > 0
        assert host.ask("vault.check").findings == ()
        for word in KEPT_WORDS:
            hits = host.ask("memory.search", query=word, recipe="words", limit=100).hits
            assert hits
            assert all(word in hit.snippet for hit in hits), word
        hits = host.ask("memory.search", query="When does Kenji arrive?", limit=3).hits
        assert any("14th" in hit.snippet for hit in hits)
        assert len(host.ask("session.messages", session="ses-sample-orchard-survey")) == 14
        kept = next(row.id for row in host.ask("note.list") if row.id.startswith("note-"))
        note = host.ask("note.get", id=kept)
        assert note.content.strip() == "Kenji arrives on the 14th"
        change = {"id": note.id, "version": note.version, "content": "Kenji arrives on the 15th"}
        changes = host.call("note.update", change).result().changes
        assert changes is not None
        host.ask("memory.undo", history_ids=list(changes.history_ids))
        assert host.ask("note.get", id=note.id).content == note.content
    finally:
        host.stop()
    assert texts_in(vault / "memory.db") == before
    (copy,) = (vault / "backups").glob("*-before-migration*.db")
    assert texts_in(copy) == before


def test_an_upgrade_that_ended_after_any_of_its_steps_goes_on(tmp_path: Path) -> None:
    vault = unpacked(ARCHIVES[0], tmp_path)
    before = texts_in(vault / "memory.db")
    steps, first = migrations_in(migrations()), int(ARCHIVES[0][len("schema-") :][:4])
    folder = tmp_path / "migrations"
    folder.mkdir()
    for step in steps[:first]:
        shutil.copy(step.path, folder / step.path.name)
    for step in steps[first:-1]:
        shutil.copy(step.path, folder / step.path.name)
        with closing(open_writer(vault / "memory.db")) as connection:
            assert migrate(connection, folder, lambda: None) == step.number
        copy = tmp_path / f"ended-after-{step.number}"
        shutil.copytree(vault, copy)
        Store.open(copy, migrations()).close()
        assert texts_in(copy / "memory.db") == before, step.number
        (backup,) = (copy / "backups").glob("*-before-migration*.db")
        assert texts_in(backup) == before, step.number
        shutil.rmtree(copy)


@pytest.mark.parametrize("name", ARCHIVES)
def test_an_older_program_refuses_it_and_changes_nothing(name: str, tmp_path: Path) -> None:
    vault, older = unpacked(name, tmp_path), tmp_path / "older"
    held = (vault / "memory.db").read_bytes()
    for part in ("app", "migrations", "resources"):
        shutil.copytree(ROOT / part, older / part, ignore=shutil.ignore_patterns("__pycache__", "pictures"))
    number = int(name.removeprefix("schema-").removesuffix(".tar.xz"))
    for path in (older / "migrations").glob("*.sql"):
        if int(path.name[:4]) >= number:
            path.unlink()
    done = subprocess.run(
        [sys.executable, "-m", "app", "--vault", str(vault), "memory", "stats"],
        cwd=older,
        env={**os.environ, "PYTHONPATH": str(older)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode != 0
    assert "newer Keepsake" in done.stderr
    assert "Traceback" not in done.stderr
    assert (vault / "memory.db").read_bytes() == held
