"""Architecture: the engine runs without a window, starts cheaply, and no file is too long."""

import ast
import re
import subprocess
import sys
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FILE_LINES = 600
FUNCTION_LINES = 60
FOLDER_FILES = 20

EVERY_MODULE_WITHOUT_QT = """
import importlib, pkgutil, sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"PySide6", "shiboken6", "qasync", "ui"}:
            raise ModuleNotFoundError(f"{name} is not there in this test", name=name)

sys.meta_path.insert(0, Absent())
import app
for module in pkgutil.walk_packages(app.__path__, "app.", onerror=lambda name: sys.exit(f"{name} cannot be imported")):
    importlib.import_module(module.name)
"""

HEAVY = ("numpy", "onnxruntime", "fastembed", "tokenizers", "huggingface_hub", "croniter", "PIL")

WHAT_A_START_LOADS = f"""
import sys
import app.host
print(*(name for name in {HEAVY!r} if name in sys.modules))
"""


def sources() -> list[Path]:
    """Return every file of the program."""
    return [path for folder in ("app", "ui", "packaging") for path in sorted((ROOT / folder).rglob("*.py"))]


def run(script: str) -> str:
    """Run a script in a fresh interpreter and return what it printed."""
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_every_module_of_the_engine_loads_without_qt() -> None:
    run(EVERY_MODULE_WITHOUT_QT)


def test_a_start_loads_no_heavy_library() -> None:
    assert run(WHAT_A_START_LOADS) == ""


@cache
def tree(path: Path) -> ast.Module:
    """Return what a file of the program says; each is read once for all tests."""
    return ast.parse(path.read_bytes())


def too_long(path: Path) -> list[str]:
    """Return the functions of a file that are too long, and the file itself where it is."""
    functions = [node for node in ast.walk(tree(path)) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    found = [node.name for node in functions if (node.end_lineno or 0) - node.lineno >= FUNCTION_LINES]
    found += ["the file"] * (path.read_bytes().count(b"\n") > FILE_LINES)
    return [f"{path.relative_to(ROOT)}: {name}" for name in found]


def test_lengths() -> None:
    assert [line for path in sources() for line in too_long(path)] == []


def test_what_is_too_long_is_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("tests.unit.test_architecture.ROOT", tmp_path)
    path = tmp_path / "long.py"
    path.write_text("def whole():\n" + "    pass\n" * FUNCTION_LINES + "\n" * FILE_LINES)
    assert too_long(path) == ["long.py: whole", "long.py: the file"]


def too_full(root: Path) -> list[str]:
    """Return the folders below a root that hold too many modules for a reader to find one at a glance."""
    folders = Counter(path.parent for path in root.rglob("*.py"))
    return sorted(str(folder.relative_to(root)) for folder, count in folders.items() if count > FOLDER_FILES)


@pytest.mark.parametrize("folder", ["app", "ui", "packaging", "tests"])
def test_no_folder_holds_too_many_files(folder: str) -> None:
    assert too_full(ROOT / folder) == []


def test_a_folder_that_is_too_full_is_found(tmp_path: Path) -> None:
    for number in range(FOLDER_FILES + 1):
        (tmp_path / f"module_{number}.py").touch()
    assert too_full(tmp_path) == ["."]


def _imports(module: str, path: Path, known: set[str]) -> set[str]:
    """Return the modules that one file imports; imports for types and inside functions count."""
    found: set[str] = set()
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                found.add(full if full in known else node.module)
    return (found & known) - {module}


def _import_graph() -> dict[str, set[str]]:
    """Return what each module of app and ui imports from them."""
    paths = {}
    for folder in ("app", "ui"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            paths[".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")] = path
    return {module: _imports(module, path, set(paths)) for module, path in paths.items()}


def _find_circle(graph: dict[str, set[str]]) -> list[str]:
    """Return the modules in circles: those left after taking away, again and again, the ends of every chain."""
    left = {module: set(imported) for module, imported in graph.items()}
    while True:
        imported = set().union(*left.values())
        ends = {module for module, targets in left.items() if not targets & left.keys() or module not in imported}
        if not ends:
            return sorted(left)
        for module in ends:
            del left[module]


def test_no_modules_import_each_other_in_a_circle() -> None:
    assert _find_circle({"a": {"b"}, "b": {"c"}, "c": {"b", "d"}, "d": set()}) == ["b", "c"]
    assert _find_circle(_import_graph()) == []


def test_only_the_generated_calls_name_operations() -> None:
    by_string = re.compile(r'\bTypedCall\(|\.(?:call|reply)\(\s*f?"')
    found = [path.name for path in sorted((ROOT / "ui").rglob("*.py")) if by_string.search(path.read_text("utf-8"))]
    assert found == ["operations.py", "typed_call.py"], "make the call with ui.operations, where mypy checks it"


def _with_default(function: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    arguments = function.args
    places = [*arguments.posonlyargs, *arguments.args]
    named = [one for one, value in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if value is not None]
    return {one.arg for one in [*places[len(places) - len(arguments.defaults) :], *named]}


def test_who_acts_and_whose_conversations_are_meant_have_no_default() -> None:
    found = [
        f"{path.relative_to(ROOT)}: {node.name}"
        for path in sorted((ROOT / "app").rglob("*.py"))
        for node in ast.walk(tree(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        if {"access", "actor", "owner"} & _with_default(node)
    ]
    assert found == []
