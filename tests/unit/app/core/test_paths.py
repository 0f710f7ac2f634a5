"""Where things are."""

from pathlib import Path

import pytest

from app.core import paths
from app.errors import InputError


def test_the_programs_own_files_are_there() -> None:
    assert (paths.resources() / "icons" / "keepsake.svg").is_file()
    assert (paths.migrations() / "0001_first.sql").is_file()


def test_the_environment_names_the_vault(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("KEEPSAKE_VAULT", str(tmp_path))
    assert paths.default_vault() == tmp_path
    monkeypatch.delenv("KEEPSAKE_VAULT")
    assert paths.default_vault().name == "vault"


@pytest.mark.parametrize("written", ["", "   ", "a\x00b", "~nobody-has-this-name/x", "/x" * 5000, f"/{'x' * 300}"])
def test_what_is_no_path(written: str) -> None:
    with pytest.raises(InputError):
        paths.user_path(written)


def test_home_is_known(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert paths.user_path("~/notes") == tmp_path / "notes"


def test_a_relative_path_of_another_program_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert paths.whole_path("~/notes") == tmp_path / "notes"
    assert paths.whole_path(str(tmp_path)) == tmp_path
    for written in ("notes", "./notes", "", "~nobody-has-this-name"):
        with pytest.raises(InputError):
            paths.whole_path(written)
