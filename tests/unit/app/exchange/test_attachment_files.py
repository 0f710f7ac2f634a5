"""Attachments go out with exports and backups, and come back with imports."""

import os
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

import pytest

from app.errors import InputError
from app.exchange.attachment_files import attachments_folder, with_moved_links
from app.host import Host
from app.recovery.salvage import salvage

PNG = b"\x89PNG\r\n\x1a\n" + b"0" * 40
NOTE = "![r](attachments/rose.png)"


def opened(vault: Path) -> Host:
    host = Host(vault, serve=False, overrides={"embedding.model": "hashed"})
    host.start()
    return host


@pytest.fixture
def host(vault: Path) -> Iterator[Host]:
    running = opened(vault)
    (vault.parent / "rose.png").write_bytes(PNG)
    running.ask("attachment.add", path=str(vault.parent / "rose.png"))
    running.ask("note.save", title="Rose", content=NOTE)
    yield running
    running.stop()


@pytest.mark.parametrize(("format_name", "name"), [("jsonl", "all.jsonl.gz"), ("markdown", "folder")])
def test_an_export_brings_them_into_another_vault(host: Host, tmp_path: Path, format_name: str, name: str) -> None:
    out = tmp_path / name
    report = host.ask("exchange.export", path=str(out), format=format_name)
    assert report.files >= 2
    again = host.ask("exchange.export", path=str(out), format=format_name)
    assert again.files == report.files
    other = opened(tmp_path / "other")
    try:
        other.ask("exchange.import", path=str(out))
        assert NOTE in [other.ask("note.get", id=one).content for one in other.ask("note.ids")]
        found = other.ask("attachment.locate", link="attachments/rose.png")
        assert Path(found.path).read_bytes() == PNG
    finally:
        other.stop()


def test_an_export_never_overwrites_other_files(host: Host, tmp_path: Path) -> None:
    folder = tmp_path / "all.attachments"
    folder.mkdir()
    (folder / "rose.png").write_bytes(b"mine")
    with pytest.raises(InputError, match="another file"):
        host.ask("exchange.export", path=str(tmp_path / "all.jsonl"))
    assert (folder / "rose.png").read_bytes() == b"mine"
    assert not (tmp_path / "all.jsonl").exists()


def test_an_import_reports_what_it_leaves_out(host: Host, vault: Path, tmp_path: Path) -> None:
    folder = tmp_path / "from"
    (folder / "attachments").mkdir(parents=True)
    (folder / "n.md").write_text("text")
    (folder / "attachments" / "rose.png").write_bytes(PNG + b"another")
    (folder / "attachments" / "broken.png").write_bytes(b"no picture")
    (folder / "attachments" / "run.exe").write_bytes(b"MZ")
    (folder / "attachments" / "out.png").symlink_to("/etc/hostname")
    os.mkfifo(folder / "attachments" / "pipe.png")
    report = host.ask("exchange.import", path=str(folder))
    places = {problem.place for problem in report.problems if problem.is_file}
    assert {"attachments/rose.png", "attachments/broken.png", "attachments/run.exe"} <= places
    assert [one.name for one in host.ask("attachment.list")] == ["rose.png"]
    assert (vault / "attachments" / "rose.png").read_bytes() == PNG


def test_a_backup_keeps_them_and_a_restore_brings_them_back(host: Host, vault: Path, tmp_path: Path) -> None:
    backup = host.ask("backup.now")
    assert (vault / "backups" / "attachments" / "rose.png").read_bytes() == PNG
    assert [one.name for one in host.ask("backup.list")] == [backup.name]
    (vault / "attachments" / "rose.png").unlink()
    host.ask("backup.restore", name=backup.name)
    assert (vault / "attachments" / "rose.png").read_bytes() == PNG


@pytest.mark.parametrize(
    ("text", "folder", "moved"),
    [
        ("![r](attachments/r.png)", "notes", "![r](attachments/r.png)"),
        ("![r](attachments/r.png)", "notes/a/b", "![r](../../attachments/r.png)"),
        ("[r](<attachments/r.png>)", "facts", "[r](<../notes/attachments/r.png>)"),
        ("`](attachments/r.png)` attachments/r.png", "notes/a", "`](attachments/r.png)` attachments/r.png"),
    ],
)
def test_links_lead_to_the_exported_files(text: str, folder: str, moved: str) -> None:
    assert with_moved_links(text, PurePosixPath(folder)) == moved


def test_the_attachments_folder_a_file_bears_its_name(tmp_path: Path) -> None:
    names: dict[str, Any] = {"a.jsonl": "a", "a.jsonl.gz": "a", "a": "a", "a.b.jsonl": "a.b"}
    assert {name: attachments_folder(tmp_path / name).name for name in names} == {
        name: f"{stem}.attachments" for name, stem in names.items()
    }


def test_a_salvaged_vault_has_them_too(host: Host, vault: Path, tmp_path: Path) -> None:
    host.stop()
    (vault / "attachments" / "out.png").symlink_to("/etc/hostname")
    report = salvage(vault, tmp_path / "saved")
    assert report.attachments_lost == ()
    assert [path.name for path in (tmp_path / "saved" / "attachments").iterdir()] == ["rose.png"]
    assert (tmp_path / "saved" / "attachments" / "rose.png").read_bytes() == PNG
