import unicodedata
from pathlib import Path, PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.exchange.exporting.filenames import FileNames, safe_folders, safe_name

RESERVED = ("CON", "nul", "com1", "LPT9", "aux.txt", "COM¹", "prn.tar.gz")


@pytest.mark.parametrize("title", ["Plain", "Größe 筆記 😀", "a.b.c", "(x) [y] #z & co", "don't"])
def test_good_names_stay(title: str) -> None:
    assert safe_name(title) == title


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("a/b\\c", "a-b-c"),
        ("What? <Why>: *|\"'", "What- -Why- -'"),
        ("../../etc/passwd", "_.-..-etc-passwd"),
        ("..", "Untitled"),
        ("", "Untitled"),
        ("...hidden", "_..hidden"),
        ("ends with dot. ", "ends with dot"),
        ("nul\x00line\n", "nul-line-"),
        *((name, f"_{name}") for name in RESERVED),
    ],
)
def test_bad_names_are_made_good(title: str, name: str) -> None:
    assert safe_name(title) == name


@given(st.text(max_size=300) | st.sampled_from(RESERVED))
def test_any_title_is_a_name_every_system_takes(title: str) -> None:
    name = safe_name(title)
    assert 0 < len(name) <= 121
    assert len(name.encode()) <= 201
    assert name == name.rstrip(". ")
    assert not set(name) & set('<>:"/\\|?*')
    assert not any(unicodedata.category(character) in ("Cc", "Cs") for character in name)
    assert not name.startswith(".")
    assert PurePosixPath("folder", name).parent.name == "folder"
    assert safe_name(name) == name


@given(st.text(max_size=60))
def test_folders_never_lead_upwards(path: str) -> None:
    folders = safe_folders(f"{path}/note.md")
    assert not folders.is_absolute()
    assert ".." not in folders.parts


@given(st.lists(st.sampled_from(["a", "A", "a (2)", "é", "e\u0301", "É"]), max_size=12))
def test_each_name_is_given_once_whatever_its_case(stems: list[str]) -> None:
    names = FileNames()
    given = [str(names.take(PurePosixPath("n"), stem)) for stem in stems]
    assert len({name.casefold() for name in given}) == len(given)


def test_the_disk_takes_them_all(tmp_path: Path) -> None:
    names = FileNames()
    for title in ("x" * 500, "😀" * 500, "a", "A", *RESERVED):
        place = names.take(PurePosixPath(), safe_name(title))
        (tmp_path / place).open("x").close()
