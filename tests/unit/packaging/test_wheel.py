"""Wheel of the program: one package, in which every name of a module of ours is followed."""

import importlib.util
import os
import shutil
import subprocess
import sys
import zipfile
from configparser import ConfigParser
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[3]
MODULES = frozenset({"app", "app.errors", "app.core", "app.core.clock", "ui.app"})
IMPORT_ALL = """
import importlib, pkgutil, sys, keepsake
for module in pkgutil.walk_packages(keepsake.__path__, "keepsake."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)
print(*sorted({name.split(".")[0] for name in sys.modules} & {"app", "ui", "resources", "migrations"}))
print(sum(name.startswith("keepsake.") for name in sys.modules))
"""


@pytest.fixture(scope="module")
def build() -> ModuleType:
    described = importlib.util.spec_from_file_location("keepsake_setup", ROOT / "setup.py")
    assert described is not None
    assert described.loader is not None
    module = importlib.util.module_from_spec(described)
    described.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("from app.errors import InputError\n", "from keepsake.app.errors import InputError\n"),
        ("from app import __version__\n", "from keepsake.app import __version__\n"),
        ("def f():\n    from ui.app import main\n", "def f():\n    from keepsake.ui.app import main\n"),
        ('"é"; clock = LazyModule("app.core.clock")\n', '"é"; clock = LazyModule("keepsake.app.core.clock")\n'),
        ('TABLE = {"a": ("app.errors", "app")}\n', 'TABLE = {"a": ("keepsake.app.errors", "app")}\n'),
        ("from .errors import InputError\n", "from .errors import InputError\n"),
        ("from apple.errors import Pip\n", "from apple.errors import Pip\n"),
        ('"""Speaks of app.errors in a sentence."""\n', '"""Speaks of app.errors in a sentence."""\n'),
        ('"app.unheard.of"\n', '"app.unheard.of"\n'),
    ],
)
def test_names_of_modules_are_followed(build: ModuleType, source: str, expected: str) -> None:
    assert build.moved(source, MODULES) == expected


@pytest.mark.parametrize(
    "source", ["import app.errors\n", 'f"ui.panes.{name}.pane"\n', "from  app.errors import InputError\n"]
)
def test_a_name_that_cannot_be_followed_stops_the_build(build: ModuleType, source: str) -> None:
    with pytest.raises(build.BuildError, match="Line 1"):
        build.moved(source, MODULES)


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the files of the wheel."""
    tree, wheels, installed = (tmp_path_factory.mktemp(name) for name in ("tree", "wheels", "installed"))
    for folder in ("app", "ui", "resources", "migrations"):
        shutil.copytree(ROOT / folder, tree / folder, ignore=shutil.ignore_patterns("__pycache__"))
    for file in ("setup.py", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / file, tree)
    code = "import sys; from setuptools import build_meta; build_meta.build_wheel(sys.argv[1])"
    subprocess.run([sys.executable, "-c", code, str(wheels)], cwd=tree, check=True, capture_output=True)
    zipfile.ZipFile(next(wheels.glob("*.whl"))).extractall(installed)
    return installed


def test_the_wheel_takes_one_name(installed: Path) -> None:
    (metadata,) = installed.glob("*.dist-info")
    assert {path.name for path in installed.iterdir()} == {"keepsake", metadata.name}
    assert {path.name for path in (installed / "keepsake").iterdir()} == {
        "__init__.py", "app", "migrations", "resources", "ui",
    }  # fmt: skip
    points = ConfigParser()
    points.read(metadata / "entry_points.txt", encoding="utf-8")
    assert {point for name in points.sections() for point in points[name].values()} == {
        "keepsake.app.__main__:main", "keepsake.ui.app:main", "keepsake.ui.render:render_vault",
    }  # fmt: skip


def test_every_module_loads_no_other_copy_of_the_program(installed: Path, tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(installed), "QT_QPA_PLATFORM": "offscreen"}
    loaded = subprocess.run(
        [sys.executable, "-c", IMPORT_ALL], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
    )
    others, count = loaded.stdout.split("\n")[:2]
    assert others == ""
    assert int(count) > 800


def test_the_program_starts_itself_by_its_own_name(installed: Path, tmp_path: Path) -> None:
    code = "from keepsake.app.core.process.program_command import program_command; print(*program_command()[1:])"
    environment = {**os.environ, "PYTHONPATH": str(installed), "PYTHONSAFEPATH": "1"}
    command = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
    ).stdout.split()
    version = subprocess.run(
        [sys.executable, *command, "--version"], env=environment, capture_output=True, text=True, check=True
    )
    assert version.stdout.startswith("keepsake ")
