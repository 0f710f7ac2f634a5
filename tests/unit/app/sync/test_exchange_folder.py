"""A plain folder keeps objects whole, never writes over one, and leaves other files alone."""

import os
from pathlib import Path

import pytest

from app.errors import ExchangeError, MachineError
from app.sync.exchanges.exchange_folder import ROOT, ExchangeFolder, FolderPlace
from app.sync.exchanges.exchange_point import MOST_BYTES

VAULT, LANE = "a" * 32, "0" * 15 + "1"
FIRST, SECOND = f"{LANE}/s-000000000001-000000000004", f"{LANE}/s-000000000005-000000000005"


def made(folder: Path) -> ExchangeFolder:
    FolderPlace(folder).make_vault(VAULT)
    return ExchangeFolder(folder, VAULT)


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    made(tmp_path).require_there()
    with pytest.raises(ExchangeError, match="Connect the disk"):
        ExchangeFolder(tmp_path / "stick", VAULT).require_there()
    with pytest.raises(ExchangeError, match="Connect the disk"):
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


def test_what_a_dead_process_left_long_ago_is_removed(tmp_path: Path) -> None:
    point = made(tmp_path)
    assert point.put_new(FIRST, b"one")
    lane = tmp_path / ROOT / VAULT / LANE
    names = (".s-000000000001-000000000004.0123abcd.part", ".s-000000000001-000000000004.4567abcd.part", ".other.part")
    young, old, foreign = (lane / name for name in names)
    for path in (young, old, foreign):
        path.write_bytes(b"half")
        if path is not young:
            os.utime(path, (0, 0))
    assert point.names(LANE) == [FIRST]
    assert {path.name for path in lane.iterdir()} == {FIRST.partition("/")[2], young.name, foreign.name}


def test_what_is_no_file_of_ours_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    point = made(tmp_path)
    lane = tmp_path / ROOT / VAULT / LANE
    lane.mkdir()
    os.mkfifo(tmp_path / ROOT / VAULT / FIRST)
    with pytest.raises(ExchangeError, match="pipe"):
        point.get(FIRST)
    (tmp_path / ROOT / VAULT / SECOND).symlink_to("/etc/hostname")
    with pytest.raises(ExchangeError, match="link"):
        point.get(SECOND)
    (tmp_path / ROOT / VAULT / FIRST).unlink()
    with (tmp_path / ROOT / VAULT / FIRST).open("wb") as file:
        file.truncate(MOST_BYTES + 1)
    with pytest.raises(ExchangeError, match="larger than any file"):
        point.get(FIRST)


def test_a_file_in_the_place_of_the_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(MachineError):
        FolderPlace(tmp_path / "file").make_vault(VAULT)
    with pytest.raises(MachineError):
        ExchangeFolder(tmp_path / "file", VAULT).put_new(FIRST, b"one")
