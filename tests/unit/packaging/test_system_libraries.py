"""Libraries of the system that the program brings along or expects, by real packages and real libraries."""

import json
import shutil
import sysconfig
from pathlib import Path
from types import ModuleType

import pytest

from tests.unit.packaging.test_packages import script

TERMS = """\
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/

Files: *
Copyright: 2001 Rose
License: Zlib

Files: contrib/*
Copyright: 2002 Tulip
License: BSD-3-clause or GPL-2

Files: debian/*
Copyright: 2003 Lily
License: GPL-3+

License: GPL-3+
 On Debian systems, see /usr/share/common-licenses.
"""


@pytest.fixture
def libraries() -> ModuleType:
    return script("system_libraries")


@pytest.fixture
def c_library() -> Path:
    """Return the C library of a Debian machine."""
    if shutil.which("dpkg-query") is None or shutil.which("readelf") is None:
        pytest.skip("needs dpkg and binutils")
    return next(Path("/usr/lib", sysconfig.get_config_var("MULTIARCH")).glob("libc.so.*"))


def test_licences_are_those_of_the_source(libraries: ModuleType) -> None:
    assert libraries.licences_in(TERMS) == ("Zlib", "BSD-3-clause or GPL-2")
    assert libraries.licences_in("This package was debianised by Lily.\n\nIts licence: do as you please.") == ()


def test_a_library_is_known_by_its_package(libraries: ModuleType, c_library: Path, tmp_path: Path) -> None:
    own = tmp_path / "own.so"
    (tmp_path / "binaries.json").write_text(json.dumps({"libc.so": str(c_library), "own.so": str(own)}))
    (package,) = libraries.packages_in(tmp_path / "binaries.json")
    assert package.name == "libc6"
    assert package.version[0].isdigit()
    assert package.files == ("libc.so",)
    assert "GNU" in package.terms
    component = script("bill_of_materials").system_component(package)
    assert component["version"] == package.version
    assert component["purl"].startswith("pkg:deb/debian/libc6@")
    assert component["licenses"]
    assert component["evidence"] == {"occurrences": [{"location": "libc.so"}]}
    assert f"libc6 {package.version}: " in script("bill_of_materials").notices([package])


def test_a_library_of_no_package_is_refused(libraries: ModuleType, c_library: Path, tmp_path: Path) -> None:
    foreign = c_library.parent / "libthistle.so.1"
    (tmp_path / "binaries.json").write_text(json.dumps({"libthistle.so.1": str(foreign)}))
    with pytest.raises(libraries.UnknownLibraryError, match="libthistle"):
        libraries.packages_in(tmp_path / "binaries.json")


def test_what_is_loaded_from_outside_is_a_dependency(libraries: ModuleType, c_library: Path, tmp_path: Path) -> None:
    maths = next(c_library.parent.glob("libm.so.*"))
    shutil.copy(maths, tmp_path / maths.name)
    (tmp_path / "note.txt").write_text("not a program")
    wanted = libraries.requirements(tmp_path)
    assert c_library.name in wanted.libraries
    assert wanted.glibc >= (2, 2)
    first, *others = script("debian_package").depends(tmp_path)
    assert first == f"libc6 (>= {'.'.join(map(str, wanted.glibc))})"
    assert not any(dependency.startswith("libc6") for dependency in others)
    shutil.copy(c_library, tmp_path / c_library.name)
    assert c_library.name not in libraries.requirements(tmp_path).libraries
