"""What the built program holds: what nothing names, or only developers need, fails the build."""

import json
from importlib import metadata
from pathlib import Path
from types import ModuleType

import pytest

from tests.unit.packaging.test_packages import script


@pytest.fixture
def contents() -> ModuleType:
    return script("contents")


def install(folder: Path, name: str, *files: str) -> None:
    """Write what a registry's client leaves of a distribution."""
    for file in files:
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).touch()
    described = folder / f"{name.replace('-', '_')}-1.0.dist-info"
    described.mkdir(parents=True)
    (described / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n", encoding="utf-8")
    (described / "RECORD").write_text("".join(f"{file},,\n" for file in files), encoding="utf-8")


@pytest.fixture
def owner(contents: ModuleType, tmp_path: Path) -> dict[str, str]:
    install(tmp_path, "Rose_Garden", "rose/__init__.py", "rose/petal.py", "rose/_fast.abi3.so")
    install(tmp_path, "jaraco.rose", "jaraco/rose/__init__.py")
    install(tmp_path, "jaraco.weed", "jaraco/weed.py")
    install(tmp_path, "mypy", "mypy/__init__.py", "mypy/build.py")
    return dict(contents.owners(metadata.distributions(path=[str(tmp_path)])))


def test_what_is_named_is_in_order(contents: ModuleType, owner: dict[str, str]) -> None:
    modules = {
        "rose",
        "rose.petal",
        "app.api.operations.notes.notes",
        "json",
        "pyimod02_importers",
        "jaraco",
        "jaraco.rose",
    }
    files = {"rose/_fast.abi3.so", "libz.so.1", "resources/help/index.md"}
    assert contents.strangers(modules, files, {"rose-garden", "jaraco-rose"}, owner) == []


@pytest.mark.parametrize(
    ("part", "named"),
    [
        ("rose.petal", "rose-garden: nothing names it"),
        ("rose/_fast.abi3.so", "rose-garden: nothing names it"),
        ("jaraco.weed", "jaraco-weed: nothing names it"),
        ("mypy.build", "mypy: only developers need it"),
        ("thistle.seed", "no known distribution (thistle)"),
    ],
)
def test_a_stranger_is_named(contents: ModuleType, owner: dict[str, str], part: str, named: str) -> None:
    files = {part} if "/" in part else set()
    (line,) = contents.strangers({"jaraco.rose", part} - files, files, {"jaraco-rose"}, owner)
    assert line.startswith(named)
    assert line.endswith(part)


def test_bill_and_notices_both_have_to_name_it(contents: ModuleType, tmp_path: Path) -> None:
    components = [{"name": name} for name in ("rose-garden", "tulip")]
    (tmp_path / contents.BILL).write_text(json.dumps({"components": components}), encoding="utf-8")
    line = "=" * 100
    (tmp_path / contents.NOTICES).write_text(f"{line}\nRose_Garden 1.0: MIT\n{line}\n\n{line}\nlily 2: MIT\n{line}\n")
    assert contents.named_in(tmp_path) == {"rose-garden"}


def test_a_library_of_the_system_has_to_be_named(contents: ModuleType, owner: dict[str, str], tmp_path: Path) -> None:
    named = {"name": "zlib1g", "evidence": {"occurrences": [{"location": "libz.so.1"}]}}
    (tmp_path / contents.BILL).write_text(json.dumps({"components": [{"name": "rose"}, named]}), encoding="utf-8")
    files = {"libz.so.1", "rose/_fast.abi3.so", "python3.13/lib-dynload/math.so", "libpython3.13.so.1.0", "data.txt"}
    assert contents.nameless_libraries(tmp_path, files, owner) == []
    (line,) = contents.nameless_libraries(tmp_path, files | {"libffi.so.8"}, owner)
    assert line.startswith("libffi.so.8: ")


def test_the_notices_of_the_program_are_read(contents: ModuleType, tmp_path: Path) -> None:
    materials = script("bill_of_materials")
    binaries = tmp_path / "binaries.json"
    binaries.write_text("{}", encoding="utf-8")
    materials.main(tmp_path, "1.2.3", binaries)
    shipped = {contents.canonical(distribution.metadata["Name"]) for distribution in materials.shipped()}
    assert contents.named_in(tmp_path) == shipped
    assert not shipped & contents.developer_tools()


def test_developers_tools_are_known_by_the_pins(contents: ModuleType) -> None:
    tools = contents.developer_tools()
    assert {"mypy", "hypothesis", "ast-serialize", "pytest", "ruff"} <= tools
    assert not {"numpy", "setuptools", "pyinstaller"} & tools
