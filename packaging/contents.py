"""What the built program holds, compared with what its bill of materials and its licence notices name."""

import importlib.machinery
import json
import re
import sys
from collections.abc import Iterable, Mapping
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DEVELOPERS = ROOT / "packaging" / "constraints-dev.txt"
BILL = "keepsake.cdx.json"
NOTICES = "THIRD-PARTY-NOTICES.txt"
OWN = frozenset({"app", "ui", "resources", "migrations"})
# Its loader starts every program that it packs, and its licence lets that be under any other.
LOADER = frozenset({"pyinstaller", "pyinstaller-hooks-contrib"})
_MADE_MODULE = re.compile(r"pyimod|pyi_rth_|_pyi_rth_|pyiboot|_sysconfigdata_")  # by its loader, or with Python
_LIBRARY = re.compile(r"\.so(\.|$)")
_PYTHON = re.compile(r"python3\.\d+/|libpython3\.")
_STANDARD = frozenset(sys.stdlib_module_names) | {"__main__", "keepsake"}


def canonical(name: str) -> str:
    """Return a distribution's name as registries compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def module_of(path: str) -> str | None:
    """Return the module in a file of a distribution, ``None`` where it is none.

    Args:
        path: The file, relative to where the distribution is installed.
    """
    endings = (".py", *sorted(importlib.machinery.EXTENSION_SUFFIXES, key=len, reverse=True))
    ending = next((ending for ending in endings if path.endswith(ending)), None)
    if ending is None or path.startswith(".."):
        return None
    return path.removesuffix(ending).removesuffix("/__init__").replace("/", ".")


def owners(distributions: Iterable[metadata.Distribution]) -> dict[str, str]:
    """Return the distribution of each file and of each module, by its path or name."""
    owner: dict[str, str] = {}
    for distribution in distributions:
        name = canonical(distribution.metadata["Name"])
        for file in distribution.files or ():
            owner[file.as_posix()] = name
            if module := module_of(file.as_posix()):
                owner[module] = name
    return owner


def held_in(folder: Path) -> tuple[set[str], set[str]]:
    """Return the modules and the files of a built program, by name and by path.

    Args:
        folder: What PyInstaller made.
    """
    from PyInstaller.archive.readers import CArchiveReader  # noqa: PLC0415  (the tests of the rest need none)

    program = folder / ("keepsake.exe" if sys.platform == "win32" else "keepsake")
    archive = CArchiveReader(str(program))
    modules = {name for name, entry in archive.toc.items() if entry[-1] in {"m", "M", "s"}}
    for name, entry in archive.toc.items():
        if entry[-1] == "z":
            modules.update(archive.open_embedded_archive(name).toc)
    inside = folder / "_internal"
    return modules, {
        path.relative_to(inside).as_posix() for path in inside.rglob("*") if path.is_file() and not path.is_symlink()
    }


def named_in(folder: Path) -> set[str]:
    """Return the distributions that both the bill of materials and the notices of a program name."""
    bill = json.loads((folder / BILL).read_text(encoding="utf-8"))
    notices = (folder / NOTICES).read_text(encoding="utf-8")
    titles = {canonical(title) for title in re.findall(r"^={100}\n(\S+) .*\n={100}$", notices, re.MULTILINE)}
    return {canonical(component["name"]) for component in bill["components"]} & titles


def nameless_libraries(folder: Path, files: set[str], owner: Mapping[str, str]) -> list[str]:
    """Return a line for each library of the building system that the bill of materials does not name.

    Args:
        folder: What PyInstaller made.
        files: Its files, see ``held_in``.
        owner: See ``owners``.
    """
    bill = json.loads((folder / BILL).read_text(encoding="utf-8"))
    named = {
        place["location"]
        for component in bill["components"]
        for place in component.get("evidence", {}).get("occurrences", ())
    }
    libraries = {file for file in files if _LIBRARY.search(file) and not _PYTHON.match(file)}
    nameless = sorted(libraries - owner.keys() - named)
    return [f"{file}: a library of the system that the bill of materials does not name" for file in nameless]


def developer_tools() -> set[str]:
    """Return the distributions that only the developers need, by the pins."""
    return set(re.findall(r"^([a-z0-9-]+)==", DEVELOPERS.read_text(encoding="utf-8"), re.MULTILINE))


def strangers(modules: set[str], files: set[str], named: set[str], owner: Mapping[str, str]) -> list[str]:
    """Return a line for each distribution or module that is not named, or has no place in a package.

    Args:
        modules: Modules of the program.
        files: Its files; those that no distribution has are the system's, or the program's own.
        named: What its bill and its notices name.
        owner: See ``owners``.
    """
    tools = developer_tools()
    packages = {parent for part in owner if "/" not in part for parent in _parents(part)}
    examples: dict[str, str] = {}
    unknown = modules - packages
    for part in (*sorted(modules), *sorted(files)):
        distribution = owner.get(part)
        if distribution is None and part in unknown and not _is_ours(part):
            distribution = f"no known distribution ({part.split('.')[0]})"
        if distribution is not None:
            examples.setdefault(distribution, part)
    unnamed = examples.keys() - named - LOADER - {"keepsake"}
    reason = {name: "only developers need it" if name in tools else "nothing names it" for name in unnamed}
    return [f"{name}: {reason[name]}; for example {examples[name]}" for name in sorted(unnamed)]


def _parents(module: str) -> list[str]:
    parts = module.split(".")
    return [".".join(parts[:count]) for count in range(1, len(parts))]


def _is_ours(module: str) -> bool:
    first = module.split(".", maxsplit=1)[0]
    return first in OWN or first in _STANDARD or _MADE_MODULE.match(first) is not None


def check(folder: Path) -> list[str]:
    """Return what is wrong with the contents of a built program, nothing where all is named."""
    modules, files = held_in(folder)
    owner = owners(metadata.distributions())
    return strangers(modules, files, named_in(folder), owner) + nameless_libraries(folder, files, owner)
