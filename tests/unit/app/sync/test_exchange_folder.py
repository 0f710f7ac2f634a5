"""A plain folder keeps objects whole, never writes over one, and leaves other files alone."""

import os
from pathlib import Path

import pytest

from app.errors import ExchangeError, MachineError
from app.sync.exchanges.exchange_folder import ROOT, ExchangeFolder, FolderPlace

VAULT, LANE = "a" * 32, "0" * 15 + "1"
FIRST, SECOND = f"{LANE}/s-000000000001-000000000004", f"{LANE}/s-000000000005-000000000005"


def made(folder: Path) -> ExchangeFolder:
    FolderPlace(folder).make_vault(VAULT)
    return ExchangeFolder(folder, VAULT)


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    made(tmp_path).require_there()
    with pytest.raises(ExchangeError, match="Connect the disk"):
        ExchangeFolder(tmp_path / "stick", VAULT).require_there()
    with pytest.raises(MachineError):
        ExchangeFolder(tmp_path / "stick", VAULT).put_new(FIRST, b"one")
    assert not (tmp_path / "stick").exists()


def test_without_links_an_object_is_still_kept_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError("no links here")

    monkeypatch.setattr(os, "link", refuse)
    point = made(tmp_path)
    assert point.put_new(FIRST, b"one")
    assert not point.put_new(FIRST, b"two")
    assert point.get(FIRST) == b"one"


def test_other_files_are_left_alone(tmp_path: Path) -> None:
    point = made(tmp_path)
    point.put_new(FIRST, b"one")
    base = tmp_path / ROOT / VAULT
    strange = [
        base / "desktop.ini",
        base / LANE / "desktop.ini",
        base / f"{FIRST}.sync-conflict-20261127-101500-ABCDEFG",
        base / LANE / ".s-000000000005-000000000005.part",
        base / LANE / "s-5-5",
        tmp_path / ROOT / ".stfolder",
    ]
    for path in strange:
        path.write_text("strange")
    assert point.lanes() == [LANE]
    assert point.names(LANE) == [FIRST]
    assert FolderPlace(tmp_path).vault() == VAULT
    assert all(path.read_text() == "strange" for path in strange)


def test_what_a_dead_process_left_is_no_object(tmp_path: Path) -> None:
    point = made(tmp_path)
    (tmp_path / ROOT / VAULT / LANE).mkdir(parents=True)
    (tmp_path / ROOT / VAULT / LANE / ".s-000000000001-000000000004.part").write_bytes(b"on")
    assert point.names(LANE) == []
    assert point.put_new(FIRST, b"one")
    assert point.get(FIRST) == b"one"


def test_a_file_in_the_place_of_the_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(MachineError):
        FolderPlace(tmp_path / "file").make_vault(VAULT)
    with pytest.raises(MachineError):
        ExchangeFolder(tmp_path / "file", VAULT).put_new(FIRST, b"one")
