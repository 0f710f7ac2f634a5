"""Scripts that package the program: icons, bill of materials, versions and descriptions."""

import configparser
import importlib.util
import struct
import sys
from importlib import metadata
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree

import pytest
from PySide6.QtGui import QImage

from app import __version__
from ui.app import CAPTURE_LINK, DESKTOP_ID
from ui.shell.navigation import place_of

PACKAGING = Path(__file__).resolve().parents[3] / "packaging"
LINUX = PACKAGING / "linux"


def script(name: str) -> ModuleType:
    described = importlib.util.spec_from_file_location(f"packaging_{name}", PACKAGING / f"{name}.py")
    assert described is not None
    assert described.loader is not None
    module = importlib.util.module_from_spec(described)
    sys.modules[described.name] = module
    sys.path.append(str(PACKAGING))  # the scripts lie beside each other
    try:
        described.loader.exec_module(module)
    finally:
        sys.path.remove(str(PACKAGING))
    return module


def test_the_version_is_the_programs() -> None:
    assert script("packages").version() == __version__ == metadata.version("keepsake")


def test_every_requirement_is_in_the_bill() -> None:
    made = script("bill_of_materials").bill("1.2.3")
    names = {component["name"] for component in made["components"]}
    assert {"CPython", "apsw-sqlite3mc", "numpy", "pyside6-essentials", "sqlite-vec", "mcp"} <= names
    assert not {"pytest", "ruff", "pyinstaller", "keepsake", "apsw", "hf-xet"} & names
    by_name = {component["name"]: component for component in made["components"]}
    assert by_name["apsw-sqlite3mc"]["version"] == metadata.version("apsw-sqlite3mc")
    assert made["metadata"]["component"]["version"] == "1.2.3"
    references = {component["bom-ref"] for component in made["components"]}
    assert set(made["dependencies"][0]["dependsOn"]) == references
    assert len(references) == len(made["components"])


def test_the_bill_names_what_a_part_was_linked_with() -> None:
    made = script("bill_of_materials").bill("1")
    by_name = {component["name"]: component for component in made["components"]}
    linked = {part["name"]: part for part in by_name["cryptography"]["components"]}
    assert "openssl" in linked
    assert linked["openssl"]["version"]
    assert "cryptography" not in linked
    assert all("bom-ref" not in part for part in linked.values())


def test_the_bill_is_the_same_twice() -> None:
    materials = script("bill_of_materials")
    assert materials.bill("1") == materials.bill("1")


def test_notices_hold_the_licence_of_each_part() -> None:
    text = script("bill_of_materials").notices()
    assert "PySide6_Essentials" in text
    assert "LGPL" in text
    assert "Permission is hereby granted" in text


@pytest.mark.usefixtures("qapp")
def test_icons_can_be_read_in_every_form(tmp_path: Path) -> None:
    icons = script("icons")
    written = {file.name: file for file in icons.draw(tmp_path)}
    for size in icons.SIZES:
        image = QImage(str(written[f"keepsake-{size}.png"]))
        assert (image.width(), image.height()) == (size, size)
        assert image.hasAlphaChannel()
        colours = {image.pixel(x, y) for x in range(0, size, 4) for y in range(0, size, 4)}
        assert len(colours) > 1
    windows = written["keepsake.ico"].read_bytes()
    assert struct.unpack("<HHH", windows[:6]) == (0, 1, len(icons.WINDOWS_SIZES))
    for number in range(len(icons.WINDOWS_SIZES)):
        length, offset = struct.unpack("<II", windows[6 + 16 * number + 8 : 6 + 16 * number + 16])
        assert windows[offset : offset + 4] == b"\x89PNG"
        assert offset + length <= len(windows)
    apple = written["keepsake.icns"].read_bytes()
    assert apple[:4] == b"icns"
    assert struct.unpack(">I", apple[4:8])[0] == len(apple)


def test_the_desktop_entry_calls_what_the_program_understands() -> None:
    entry = configparser.RawConfigParser(delimiters=("=",), comment_prefixes=("#",))
    entry.optionxform = str  # type: ignore[assignment, method-assign]
    entry.read(LINUX / f"{DESKTOP_ID}.desktop", encoding="utf-8")
    main = entry["Desktop Entry"]
    assert main["Exec"] == "keepsake --open %u"
    assert main["Icon"] == DESKTOP_ID
    assert "x-scheme-handler/keepsake" in main["MimeType"]
    for action in main["Actions"].strip(";").split(";"):
        link = entry[f"Desktop Action {action}"]["Exec"].removeprefix("keepsake --open ")
        assert link == CAPTURE_LINK or place_of(link) is not None


def test_the_description_names_the_desktop_entry() -> None:
    root = ElementTree.parse(LINUX / f"{DESKTOP_ID}.metainfo.xml").getroot()
    assert root.findtext("id") == DESKTOP_ID
    assert root.findtext("launchable") == f"{DESKTOP_ID}.desktop"
    assert root.findtext("project_license") == "MIT"
    release = root.find("releases/release")
    assert release is not None
    assert release.attrib["version"] == "@VERSION@"


def test_the_licence_of_the_package_is_the_projects() -> None:
    debian = script("debian_package")
    assert debian.IDENTITY == DESKTOP_ID
    assert "Expat" in debian.COPYRIGHT
