"""Wheel of the program: one package ``keepsake`` that holds the four folders of the tree.

In the tree they are packages of their own; installed, they would take names that other programs use too. setuptools
can map the folders (``package_dir``) but not the imports in them, so both are changed in the wheel alone.
"""

import ast
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

from setuptools import setup
from setuptools.command.bdist_wheel import bdist_wheel

PACKAGE = "keepsake"
CODE = ("app", "ui")
FOLDERS = (*CODE, "resources", "migrations")
DOCSTRING = '"""Keepsake: the engine in ``keepsake.app``, the window in ``keepsake.ui``."""\n'


class BuildError(Exception):
    """Why a module cannot be moved into the package."""


def modules_in(root: Path) -> frozenset[str]:
    """Return the full name of each module and package in the tree."""
    paths = (path.relative_to(root) for folder in CODE for path in (root / folder).rglob("*.py"))
    return frozenset(".".join(path.with_suffix("").parts).removesuffix(".__init__") for path in paths)


def moved(source: str, modules: frozenset[str]) -> str:
    """Return a module's source with the names of our modules as they are inside the package.

    Args:
        source: The module as it is in the tree.
        modules: See ``modules_in``.

    Raises:
        BuildError: It names one of our modules in a way that cannot be followed.
    """
    lines = source.encode().splitlines(keepends=True)
    for line, column, name in sorted(_names(ast.parse(source), modules), reverse=True):
        text = lines[line - 1]
        if not text.startswith(name.encode(), column):
            raise BuildError(f"Line {line} does not name {name} in the plain way: {text.decode().strip()}")
        lines[line - 1] = text[:column] + f"{PACKAGE}.".encode() + text[column:]
    return b"".join(lines).decode()


def _names(tree: ast.Module, modules: frozenset[str]) -> Iterator[tuple[int, int, str]]:
    """Yield line, column in bytes and text of each name of our modules."""
    for node in ast.walk(tree):
        match node:
            case ast.ImportFrom(module=str(name), level=0) if name.split(".")[0] in CODE:
                yield node.lineno, node.col_offset + len("from "), name
            case ast.Import(names=[ast.alias(name=name), *_]) if name.split(".")[0] in CODE:
                raise BuildError(f"Line {node.lineno}: write 'from … import …' for {name}.")
            case ast.Constant(value=str(name)) if "." in name and name in modules:
                yield node.lineno, node.col_offset + 1, name
            case ast.JoinedStr(values=[ast.Constant(value=str(name)), *_]) if name.startswith(("app.", "ui.")):
                raise BuildError(f"Line {node.lineno}: the name of a module is put together from parts.")


def gather(root: Path, metadata: Path) -> None:
    """Move the tree's folders into the package, and let the entry points name what lies there.

    Args:
        root: The tree of a wheel.
        metadata: Its folder of metadata.
    """
    modules = modules_in(root)
    for path in (path for folder in CODE for path in (root / folder).rglob("*.py*") if path.suffix in {".py", ".pyi"}):
        try:
            path.write_bytes(moved(path.read_bytes().decode(), modules).encode())
        except BuildError as error:
            raise BuildError(f"{path.relative_to(root)}: {error}") from None
    package = root / PACKAGE
    package.mkdir()
    (package / "__init__.py").write_text(DOCSTRING, encoding="utf-8")
    for folder in FOLDERS:
        shutil.move(root / folder, package / folder)
    points = metadata / "entry_points.txt"
    named = re.sub(rf"^(\w+ = )(?=(?:{'|'.join(CODE)})\.)", rf"\1{PACKAGE}.", points.read_text("utf-8"), flags=re.M)
    points.write_text(named, encoding="utf-8")
    (metadata / "top_level.txt").write_text(f"{PACKAGE}\n", encoding="utf-8")


class OnePackageWheel(bdist_wheel):
    """Wheel with everything inside one package; an editable one leaves the tree as it is."""

    def write_wheelfile(self, wheelfile_base: str, *arguments: str) -> None:
        """Gather the folders when they are in place and the metadata is complete."""
        root = Path(self.bdist_dir)
        if (root / CODE[0]).is_dir():
            gather(root, Path(wheelfile_base))
        super().write_wheelfile(wheelfile_base, *arguments)


if __name__ == "__main__":
    setup(cmdclass={"bdist_wheel": OnePackageWheel})
