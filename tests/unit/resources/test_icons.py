"""Every icon can be tinted and drawn on the same grid."""

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

ICONS = Path(__file__).resolve().parents[3] / "resources" / "icons"
OWN = {"keepsake", "keepsake-symbolic"}
DRAWN = sorted(path for path in ICONS.glob("*.svg") if path.stem not in OWN)


def test_the_set_is_there_with_its_licence() -> None:
    assert len(DRAWN) >= 60
    assert "ISC License" in (ICONS / "LICENSE").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", DRAWN, ids=lambda path: path.stem)
def test_icon_takes_the_colour_of_its_place(path: Path) -> None:
    root = ET.fromstring(path.read_text(encoding="utf-8"))
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert root.get("viewBox") == "0 0 24 24"
    assert root.get("stroke") == "currentColor"
    assert len(root) > 0


@pytest.mark.parametrize("name", sorted(OWN))
def test_the_mark_is_square_and_has_no_lettering(name: str) -> None:
    text = (ICONS / f"{name}.svg").read_text(encoding="utf-8")
    root = ET.fromstring(text)
    assert root.get("viewBox") == "0 0 512 512"
    assert root.find(".//{http://www.w3.org/2000/svg}text") is None


def test_the_symbolic_mark_has_one_colour() -> None:
    text = (ICONS / "keepsake-symbolic.svg").read_text(encoding="utf-8")
    assert 'fill="currentColor"' in text
    assert "#" not in text
