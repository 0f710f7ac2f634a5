"""Configuration files of other programs: refused where they are unusual, replaced as a whole otherwise."""

import os
from pathlib import Path

import pytest

from app.connections import config_files
from app.connections.config_files import read_config, write_config
from app.errors import FormatError, MachineError


def test_a_missing_file_is_made_for_its_owner_only(tmp_path: Path) -> None:
    path = tmp_path / "new" / "mcp.json"
    assert read_config(path) is None
    assert write_config(path, None, "{}") == ""
    assert path.read_text() == "{}"
    assert path.stat().st_mode & 0o077 == 0


def test_line_ends_and_the_copy_of_before_are_kept_to_the_byte(tmp_path: Path) -> None:
    path = tmp_path / "mcp.json"
    path.write_bytes(b'\xef\xbb\xbf{\r\n "a": 1\r\n}')
    text = read_config(path)
    backup = write_config(path, text, f"{text} ")
    assert Path(backup).read_bytes() == b'\xef\xbb\xbf{\r\n "a": 1\r\n}'
    assert path.read_bytes() == b'\xef\xbb\xbf{\r\n "a": 1\r\n} '
    assert write_config(path, f"{text} ", "x") != backup


def test_a_link_is_kept_and_its_target_written(tmp_path: Path) -> None:
    target, link = tmp_path / "dotfiles" / "mcp.json", tmp_path / "mcp.json"
    target.parent.mkdir()
    target.write_text("{}")
    target.chmod(0o640)
    link.symlink_to(target)
    text = read_config(link)
    backup = Path(write_config(link, text, "{} "))
    assert link.is_symlink()
    assert target.read_text() == "{} "
    assert backup.parent == tmp_path  # not into a repository of settings
    write_config(link, "{} ", text)
    assert target.read_text() == "{}"
    assert link.is_symlink()


def test_a_link_that_leads_nowhere_makes_its_target_and_a_circle_is_refused(tmp_path: Path) -> None:
    link = tmp_path / "mcp.json"
    link.symlink_to(tmp_path / "later.json")
    assert read_config(link) is None
    write_config(link, None, "{}")
    assert (tmp_path / "later.json").read_text() == "{}"
    one, two = tmp_path / "one.json", tmp_path / "two.json"
    one.symlink_to(two)
    two.symlink_to(one)
    with pytest.raises(MachineError, match=r"leads nowhere|could not be read"):
        read_config(one)


@pytest.mark.parametrize("data", ["{}".encode("utf-16"), b"\xff\x00", b"{\x00}", b"\x80abc"])
def test_another_encoding_is_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "mcp.json"
    path.write_bytes(data)
    with pytest.raises(FormatError, match="Nothing was changed"):
        read_config(path)
    assert path.read_bytes() == data


def test_a_read_only_file_a_folder_a_pipe_and_a_huge_file_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    locked, pipe = tmp_path / "locked.json", tmp_path / "pipe"
    locked.write_text("{}")
    locked.chmod(0o400)
    os.mkfifo(pipe)
    for path, reason in ((locked, "read-only"), (tmp_path, "not a file"), (pipe, "not a file")):
        with pytest.raises(MachineError, match=reason):
            read_config(path)
    huge = tmp_path / "huge.json"
    with huge.open("wb") as file:
        file.truncate(config_files.MAX_BYTES + 1)
    with pytest.raises(FormatError, match="no configuration has"):
        read_config(huge)


def test_a_file_that_changed_meanwhile_is_left(tmp_path: Path) -> None:
    path = tmp_path / "mcp.json"
    path.write_text("{}")
    text = read_config(path)
    path.write_text('{"new": 1}')
    with pytest.raises(MachineError, match="meanwhile"):
        write_config(path, text, "x")
    assert path.read_text() == '{"new": 1}'
    assert [file.name for file in tmp_path.iterdir()] == ["mcp.json"]
