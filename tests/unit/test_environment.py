"""The interpreter and Qt underneath are a pair that works, and the pins keep it so."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.core.paths import default_vault

ROOT = Path(__file__).resolve().parents[2]
PROGRAM_PINS = (ROOT / "packaging" / "constraints.txt").read_text(encoding="utf-8")
DEVELOPER_PINS = (ROOT / "packaging" / "constraints-dev.txt").read_text(encoding="utf-8")
CONSTRAINTS = PROGRAM_PINS + DEVELOPER_PINS
VOID_CALLS = 1000


def test_void_qt_calls_keep_the_count_of_none(qtbot: QtBot) -> None:
    """PySide6 6.12 on Python before 3.12 loses a reference to None at each void call and aborts within seconds."""
    widget = QWidget()
    qtbot.addWidget(widget)
    before = sys.getrefcount(None)
    for _ in range(VOID_CALLS):
        widget.update()
    assert sys.getrefcount(None) - before >= -5


def test_each_python_has_the_qt_that_suits_it() -> None:
    pins = re.findall(r"^pyside6-essentials==(\d+)\.(\d+)\S* ; (.+?) \\$", CONSTRAINTS, re.MULTILINE)
    pinned = {marker: (int(major), int(minor)) for major, minor, marker in pins}
    assert pinned.keys() == {"python_full_version < '3.12'", "python_full_version >= '3.12'"}
    assert pinned["python_full_version < '3.12'"] == (6, 11)
    assert pinned["python_full_version >= '3.12'"] >= (6, 12)


def test_the_guard_agrees_with_the_pins() -> None:
    from ui.process.runtime_check import refusal

    assert refusal("6.12.0", (3, 11, 9))
    assert not refusal("6.12.0", (3, 12, 0))
    assert not refusal("6.11.3", (3, 11, 9))


def names_in(requirements: list[str]) -> set[str]:
    return {re.split(r"[^\w.-]", line)[0].lower().replace("_", "-") for line in requirements}


def pinned_in(pins: str) -> set[str]:
    blocks = re.split(r"\n(?=\S)", pins)
    return {block.split("==")[0] for block in blocks if "==" in block and "--hash=sha256:" in block}


def test_every_requirement_is_pinned_with_a_hash() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    extras = project["project"]["optional-dependencies"]
    needed = [*project["build-system"]["requires"], *project["project"]["dependencies"], *extras["packages"]]
    program, developers = pinned_in(PROGRAM_PINS), pinned_in(DEVELOPER_PINS)
    assert names_in(needed) <= program
    assert names_in(extras["dev"]) <= developers
    assert not program & developers
    lines = {line.split("==")[0] for line in CONSTRAINTS.splitlines() if not line.startswith(" ")}
    assert len(lines) == len(program | developers)


def test_the_pins_leave_nothing_to_resolve() -> None:
    """The pins are installed without resolving, so each package must find what it requires among them."""
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "check"]
    checked = subprocess.run(command, capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_the_pins_name_no_index() -> None:
    assert "http" not in CONSTRAINTS.replace("httpcore", "").replace("httpx", "")
    assert "--index-url" not in CONSTRAINTS
    assert "--find-links" not in CONSTRAINTS


def test_no_test_sees_the_persons_home(test_home: Path) -> None:
    assert Path.home() == test_home
    assert default_vault().is_relative_to(test_home)
    assert not [name for name in os.environ if name.startswith("KEEPSAKE_")]


def test_the_window_is_offscreen(qapp: QApplication, pytestconfig: pytest.Config) -> None:
    assert qapp.platformName() == "offscreen" or pytestconfig.getoption("--headed")
