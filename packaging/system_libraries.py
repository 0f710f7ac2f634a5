"""Libraries of the system: those that the program brings along, and those that it expects where it runs."""

import json
import re
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

FOLDERS = ("/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/")
_DOCUMENTATION = Path("/usr/share/doc")


class UnknownLibraryError(Exception):
    """A library's package cannot be told, in a sentence a person can act on."""


@dataclass(frozen=True, slots=True)
class SystemPackage:
    """A package of the building system, of which the program brings libraries along.

    Attributes:
        name: Debian's name of it.
        version: Debian's version of it.
        architecture: Such as ``amd64``.
        licences: Short names of the licences of what it was built from, empty where it names none.
        terms: Its copyright notice and licences, whole.
        files: Its libraries, relative to the program's folder of libraries.
    """

    name: str
    version: str
    architecture: str
    licences: tuple[str, ...]
    terms: str
    files: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Requirements:
    """What the libraries and programs in a folder load from outside it.

    Attributes:
        libraries: Names that the loader looks for, such as ``libGL.so.1``.
        glibc: The newest version of the C library that one of them was built for, such as ``(2, 34)``.
    """

    libraries: frozenset[str]
    glibc: tuple[int, ...]


def packages_in(binaries: Path) -> list[SystemPackage]:
    """Return the packages whose libraries were copied into the program, by name.

    Args:
        binaries: The list that ``pyinstaller/keepsake.spec`` wrote: each library's place, and where it came from.

    Raises:
        UnknownLibraryError: A library is of no Debian package.
    """
    files: dict[str, list[str]] = {}
    for place, source in json.loads(binaries.read_text(encoding="utf-8")).items():
        if source.startswith(FOLDERS):
            files.setdefault(_package_of(source), []).append(place)
    return [_described(package, tuple(sorted(files[package]))) for package in sorted(files)]


def _package_of(source: str) -> str:
    path = str(Path(source).resolve())
    # Where /lib is a link into /usr, some packages still name their files by the link.
    for name in (path, path.removeprefix("/usr")):
        process = subprocess.run(["dpkg-query", "--search", name], capture_output=True, text=True, check=False)
        if process.returncode == 0:
            return process.stdout.split(": ")[0].split(",")[0]
    raise UnknownLibraryError(f"{source} is of no Debian package, so its version and licence are not known.")


def _described(package: str, files: tuple[str, ...]) -> SystemPackage:
    fields = "${Package}\n${Version}\n${Architecture}"
    query = ["dpkg-query", "--show", f"--showformat={fields}", package]
    name, version, architecture = subprocess.run(query, capture_output=True, text=True, check=True).stdout.split("\n")
    terms = (_DOCUMENTATION / name / "copyright").read_text(encoding="utf-8", errors="replace").strip()
    return SystemPackage(name, version, architecture, licences_in(terms), terms, files)


def licences_in(terms: str) -> tuple[str, ...]:
    """Return the licences that a machine-readable copyright file names for the files of the source, in its order."""
    paragraphs = re.split(r"\n\s*\n", terms)
    # The licence of Debian's own files says nothing about the library.
    named = [paragraph for paragraph in paragraphs if re.match(r"Files:(?!\s*debian/)", paragraph)]
    matches = (re.search(r"^License:[ \t]*(\S.*)$", paragraph, re.MULTILINE) for paragraph in named)
    return tuple(dict.fromkeys(match[1].strip() for match in matches if match))


def requirements(folder: Path) -> Requirements:
    """Return what a built program loads from the system.

    Args:
        folder: The program with its libraries.
    """
    files = [path for path in folder.rglob("*") if path.is_file() and not path.is_symlink() and _is_elf(path)]
    command = ["readelf", "--wide", "--dynamic", "--version-info", *map(str, files)]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    wanted = set(re.findall(r"\(NEEDED\).*\[(.+)\]", text))
    return Requirements(
        frozenset(wanted - {path.name for path in folder.rglob("*")}),
        max(_versions(re.findall(r"Name: GLIBC_([0-9.]+)", text)), default=()),
    )


def _is_elf(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(4) == b"\x7fELF"


def _versions(texts: Iterable[str]) -> Iterable[tuple[int, ...]]:
    return (tuple(map(int, text.split("."))) for text in set(texts))
