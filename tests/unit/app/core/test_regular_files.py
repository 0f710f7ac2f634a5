"""Regular files: nothing but a file of the vault's own is opened, and what is refused stays as it was."""

import os
import sys
from pathlib import Path

import pytest

from app.core.files import replace_file
from app.core.regular_files import UnsafeFileError, make_folder, open_file, open_for_reading, open_replacing
from app.errors import KeepsakeError, VaultUnusableError

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="makes links and pipes")
WRITING = os.O_RDWR | os.O_CREAT | os.O_TRUNC


def test_a_new_file_is_its_owners_alone(tmp_path: Path) -> None:
    os.close(open_file(tmp_path / "new", WRITING))
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o600


def test_what_was_there_is_cut_off_only_where_it_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "old").write_bytes(b"before")
    (tmp_path / "link").symlink_to(tmp_path / "old")
    with pytest.raises(UnsafeFileError, match="it is a link"):
        open_file(tmp_path / "link", WRITING)
    assert (tmp_path / "old").read_bytes() == b"before"
    os.close(open_file(tmp_path / "old", WRITING))
    assert (tmp_path / "old").read_bytes() == b""


def test_a_second_name_may_be_read_but_not_written(tmp_path: Path) -> None:
    (tmp_path / "one").write_bytes(b"before")
    (tmp_path / "two").hardlink_to(tmp_path / "one")
    with open_for_reading(tmp_path / "two") as file:
        assert file.read() == b"before"
    with pytest.raises(UnsafeFileError):
        open_file(tmp_path / "two", WRITING)


def test_a_file_made_anew_leaves_what_a_link_led_to(tmp_path: Path) -> None:
    (tmp_path / "outside").write_bytes(b"before")
    (tmp_path / "place").symlink_to(tmp_path / "outside")
    os.close(open_replacing(tmp_path / "place"))
    assert not (tmp_path / "place").is_symlink()
    assert (tmp_path / "outside").read_bytes() == b"before"


@pytest.mark.parametrize("kind", ["a pipe", "a folder", "a device"])
def test_what_is_no_file_is_named(tmp_path: Path, kind: str) -> None:
    place = tmp_path / "place"
    if kind == "a pipe":
        os.mkfifo(place)
    elif kind == "a folder":
        place.mkdir()
    else:
        place = Path(os.devnull)
    with pytest.raises(UnsafeFileError) as caught:
        open_for_reading(place)
    assert caught.value.sentence.startswith(f"{place} is {kind}, not a file.")


def test_no_folder_is_made_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UnsafeFileError):
        make_folder(tmp_path / "link")


def test_replacing_a_file_leaves_nothing_beside_it(tmp_path: Path) -> None:
    place = tmp_path / "config.toml"
    place.write_bytes(b"old")
    abandoned = tmp_path / "config.toml.0123456789ab.partial"
    abandoned.write_bytes(b"half")
    os.utime(abandoned, (0, 0))
    replace_file(place, b"new")
    assert [path.name for path in tmp_path.iterdir()] == ["config.toml"]
    assert place.read_bytes() == b"new"


def test_a_folder_in_the_place_of_a_file_is_an_error_of_the_machine(tmp_path: Path) -> None:
    (tmp_path / "config.toml").mkdir()
    with pytest.raises(KeepsakeError) as caught:
        replace_file(tmp_path / "config.toml", b"new")
    assert isinstance(caught.value, VaultUnusableError)
    assert [path.name for path in tmp_path.iterdir()] == ["config.toml"]
