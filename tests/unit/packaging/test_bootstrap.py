"""The set-up: quick when nothing changed, plain words when it cannot go on."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def bootstrap() -> ModuleType:
    spec = importlib.util.spec_from_file_location("bootstrap", ROOT / "packaging" / "bootstrap.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def finished(bootstrap: ModuleType, venv: Path, stamp: str) -> Path:
    """Return a folder that looks like a finished environment."""
    python = bootstrap.python_of(venv)
    python.parent.mkdir(parents=True)
    python.touch()
    (venv / bootstrap.STAMP).write_text(stamp, encoding="utf-8")
    return venv


def test_a_finished_environment_is_left_alone(
    bootstrap: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, version = bootstrap.find_python()
    venv = finished(bootstrap, tmp_path / "venv", bootstrap.fingerprint(version, has_dev=True))
    assert bootstrap.main(["--venv", str(venv)]) == 0
    assert capsys.readouterr() == ("", "")


def test_another_python_or_other_pins_make_it_stale(bootstrap: ModuleType, tmp_path: Path) -> None:
    venv = finished(bootstrap, tmp_path / "venv", bootstrap.fingerprint("3.11", has_dev=True))
    assert bootstrap.is_current(venv, bootstrap.fingerprint("3.11", has_dev=True))
    assert not bootstrap.is_current(venv, bootstrap.fingerprint("3.12", has_dev=True))
    assert not bootstrap.is_current(venv, bootstrap.fingerprint("3.11", has_dev=False))
    bootstrap.python_of(venv).unlink()
    assert not bootstrap.is_current(venv, bootstrap.fingerprint("3.11", has_dev=True))


def test_a_folder_of_something_else_is_never_emptied(
    bootstrap: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    letters = tmp_path / "letters"
    letters.mkdir()
    (letters / "dear.txt").write_text("dear", encoding="utf-8")
    assert bootstrap.main(["--venv", str(letters), "--no-system"]) == 1
    assert (letters / "dear.txt").is_file()
    reported = capsys.readouterr().err
    assert reported.startswith("keepsake set-up: ")
    assert "--venv" in reported


def test_nothing_is_installed_when_the_system_is_off_limits(bootstrap: ModuleType) -> None:
    assert not bootstrap.Apt(allowed=False).install(["libegl1"])


def test_a_missing_library_is_named(bootstrap: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bootstrap, "LIBRARIES", {"libnotthere.so.0": "libnotthere0"})
    assert "libnotthere0" in bootstrap.missing_system_packages()


@pytest.mark.parametrize("missing", [[], ["libegl1"]])
def test_advice_is_a_sentence(bootstrap: ModuleType, missing: list[str]) -> None:
    advice = bootstrap._advice(bootstrap.Apt(allowed=False), missing)
    assert advice.endswith("this again.")
    assert all(package in advice for package in missing)


def test_this_python_is_good_enough(bootstrap: ModuleType) -> None:
    path, version = bootstrap.find_python()
    assert path == sys.executable
    assert tuple(int(part) for part in version.split(".")) >= bootstrap.OLDEST
