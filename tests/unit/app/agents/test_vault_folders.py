"""Folders of isolated agents: safe on every system, one for each name, and they say whose they are."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.agents import vault_folders
from app.errors import MachineError

HOSTILE = [
    "..",
    "../../etc",
    "/",
    "C:\\x",
    "CON",
    "con",
    "nul.txt",
    "",
    " ",
    ".",
    "a" * 5_000,
    "日记",
    "é",
    "\ud800",
    "\x00",
]


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_name_stays_in_the_vault(tmp_path: Path, name: str) -> None:
    folder = vault_folders.folder_of(tmp_path, name)
    assert folder.parent == tmp_path / vault_folders.AGENTS
    assert len(folder.name) <= 64
    assert set(folder.name) <= set("abcdefghijklmnopqrstuvwxyz0123456789-")
    vault_folders.prepare(folder, name)
    assert folder.is_dir()
    assert folder.stat().st_mode & 0o077 == 0


def test_hostile_names_have_folders_of_their_own(tmp_path: Path) -> None:
    distinct = {vault_folders.cleaned(name) for name in HOSTILE}
    assert len({vault_folders.folder_of(tmp_path, name) for name in HOSTILE}) == len(distinct)


@given(first=st.text(max_size=80), second=st.text(max_size=80))
def test_folders_are_equal_only_for_equal_names(first: str, second: str) -> None:
    same = vault_folders.folder_of(Path("v"), first) == vault_folders.folder_of(Path("v"), second)
    assert same == (vault_folders.cleaned(first) == vault_folders.cleaned(second))


def test_folders_that_differ_do_so_without_case_too(tmp_path: Path) -> None:
    assert (
        vault_folders.folder_of(tmp_path, "Bot").name.casefold()
        != vault_folders.folder_of(tmp_path, "bot").name.casefold()
    )


def test_what_is_there_is_listed_with_its_name(tmp_path: Path) -> None:
    assert vault_folders.existing(tmp_path) == []
    for name in ("scout", "../evil"):
        folder = vault_folders.folder_of(tmp_path, name)
        vault_folders.prepare(folder, name)
        (folder / vault_folders.DATABASE).write_bytes(b"12345")
    newcomer = tmp_path / vault_folders.AGENTS / "moved-here"
    newcomer.mkdir()
    (newcomer / vault_folders.DATABASE).write_bytes(b"")
    (newcomer / "agent.txt").write_text("scout")
    (tmp_path / vault_folders.AGENTS / "empty").mkdir()
    assert [name for name, _ in vault_folders.existing(tmp_path)] == ["", "../evil", "scout"]
    assert vault_folders.size_of(vault_folders.folder_of(tmp_path, "scout")) == 5


def test_a_file_in_the_way(tmp_path: Path) -> None:
    (tmp_path / vault_folders.AGENTS).write_text("")
    with pytest.raises(MachineError):
        vault_folders.prepare(vault_folders.folder_of(tmp_path, "scout"), "scout")
