"""Undoing an import takes the files it brought, and no others; undoing that brings them back."""

from pathlib import Path

import pytest

from app.core.regular_files import make_folder
from app.errors import NotFoundError
from app.host import Host
from app.store.encryption.vault_encryption import VaultEncryption
from tests.helpers.encryption import PASSPHRASE, files_with, locked, needs_cipher
from tests.unit.app.exchange.reading import write_zip

PICTURE = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c4944415408d763f8cfc000000301010018dd8db0"
    "0000000049454e44ae426082"
)


def files(host: Host) -> list[str]:
    return [one.name for one in host.ask("attachment.list")]


def garden(tmp_path: Path, name: str = "Garden") -> Path:
    return write_zip(
        tmp_path / f"{name}.zip",
        {"Rose.md": b"![[rose.png]]", "Tulip.md": b"![[tulip.png]]", "rose.png": PICTURE, "tulip.png": PICTURE + b"t"},
    )


def test_files_go_with_their_import_and_come_back(host: Host, tmp_path: Path) -> None:
    report = host.ask("exchange.import", path=str(garden(tmp_path)))
    brought = files(host)
    assert (report.memories, report.attachments, len(brought)) == (2, 2, 2)
    for _ in range(2):
        host.ask("memory.undo", run_id=report.run_id)
        assert (host.ask("note.ids"), files(host)) == ([], [])
        with pytest.raises(NotFoundError):
            host.ask("memory.undo", run_id="run-unknown")
        host.ask("memory.undo", run_id=f"undo:{report.run_id}")
        assert (len(host.ask("note.ids")), files(host)) == (2, brought)


def test_a_file_that_something_else_shows_stays(host: Host, tmp_path: Path) -> None:
    report = host.ask("exchange.import", path=str(garden(tmp_path)))
    (rose, _) = sorted(files(host))
    host.ask("note.save", content=f"Mine too: ![](attachments/{rose})")
    host.ask("memory.undo", run_id=report.run_id)
    assert files(host) == [rose]


def test_a_file_of_a_deleted_note_stays(host: Host, tmp_path: Path) -> None:
    report = host.ask("exchange.import", path=str(garden(tmp_path)))
    (rose, _) = sorted(files(host))
    mine = host.ask("note.save", content=f"Mine too: ![](attachments/{rose})")
    host.ask("note.delete", id=mine.id)
    host.ask("memory.undo", run_id=report.run_id)
    assert files(host) == [rose]


def test_one_note_restored_brings_its_file_back(host: Host, tmp_path: Path) -> None:
    report = host.ask("exchange.import", path=str(garden(tmp_path)))
    notes = [host.ask("note.get", id=one) for one in host.ask("note.ids")]
    rose = next(note for note in notes if note.title == "Rose")
    name = rose.content.partition("attachments/")[2].rstrip(")")
    host.ask("memory.undo", run_id=report.run_id)
    host.ask("note.restore", id=rose.id)
    assert host.ask("attachment.locate", link=f"attachments/{name}").name == name
    assert files(host) == [name]


def test_the_next_start_goes_on_where_bringing_back_was_cut_off(host: Host, tmp_path: Path) -> None:
    report = host.ask("exchange.import", path=str(garden(tmp_path)))
    brought, vault = files(host), host.vault
    make_folder(vault / "attachments")
    (vault / "attachments" / brought[0]).rename(vault / "attachments" / f".undone-{brought[0]}")
    assert files(host) == brought[1:]
    host.stop()
    again = Host(vault, serve=False)
    again.start()
    try:
        again.ask("memory.undo", run_id=report.run_id)
        again.ask("memory.undo", run_id=f"undo:{report.run_id}")
        assert files(again) == brought
    finally:
        again.stop()


def test_undone_files_are_removed_for_ever_with_their_notes(host: Host, tmp_path: Path) -> None:
    report = host.ask("exchange.import", path=str(garden(tmp_path)))
    ids = host.ask("note.ids")
    host.ask("memory.undo", run_id=report.run_id)
    host.ask("memory.forget_forever", ids=ids, confirm=True)
    assert [one.name for one in (host.vault / "attachments").iterdir()] == []


@needs_cipher
def test_files_that_are_set_aside_are_encrypted_too(vault: Path, tmp_path: Path) -> None:
    host = Host(vault, serve=False)
    host.start()
    text = write_zip(tmp_path / "Garden.zip", {"Rose.md": b"[](words.txt)", "words.txt": b"Zanzibarian words"})
    report = host.ask("exchange.import", path=str(text))
    host.ask("memory.undo", run_id=report.run_id)
    host.stop()
    assert files_with(vault, "Zanzibarian")
    VaultEncryption(vault).encrypt(PASSPHRASE)
    host = Host(vault, serve=False)
    host.start()
    try:
        assert files_with(vault, "Zanzibarian") == []
        assert files(host) == []
        host.ask("memory.undo", run_id=f"undo:{report.run_id}")
        (name,) = files(host)
        assert host.ask("attachment.read", link=f"attachments/{name}", offset=0, length=100)
        host.ask("memory.undo", run_id=report.run_id)
        assert files(host) == []
        assert files_with(vault, "Zanzibarian") == []
    finally:
        host.stop()
        locked(vault)
