"""Vocabulary check: names, docstrings and comments that a newcomer would not understand.

``python -m tests.helpers.vocabulary app/index`` prints what is wrong in a folder. The words are defined in the glossary
of ``resources/help/architecture.md``.
"""

import ast
import io
import re
import sys
import tokenize
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MAX_WORDS = 15

# Private words of old versions; the glossary has the field's own for each.
DENIED_NAMES = frozenset(
    {
        *("heads", "manner", "manners", "asked", "kin", "kinship", "door", "desk", "shelf", "tend", "sought", "beside"),
        *("elsewhere", "whereabouts", "meant", "told", "tells", "heard", "nobody", "somebody", "whoever", "thereof"),
        *("house", "patience", "stranger", "strangers"),
    }
)
# Sentences as names of tests may use the plain English among them.
DENIED_TEST_NAMES = frozenset(
    {
        "heads",
        "manner",
        "manners",
        "kin",
        "kinship",
        "door",
        "desk",
        "shelf",
        "tend",
        "sought",
        "patience",
        "whereabouts",
    }
)
# In comments and docstrings, too, these would be names for things that have better ones.
DENIED_PROSE = re.compile(
    r"\b(?:heads|manners?|kin|kinship|door|desk|shelf|shelves|tend|sought|house|patience|strangers?|whereabouts|whoever"
    r"|thereof"
    # a turn that is said is a message; "turn into", "in turn" and the round that is over after an answer stay
    r"|(?:each|every|first|last) turn|turns? of (?:a|the|one) (?:conversation|session))\b",
    re.IGNORECASE,
)
# Folders whose comments, docstrings and names are still checked for the older words only.
DENIED_PHRASES = (
    *("what is known of", "whoever", "whatever", "such of", "besides", "nobody", "somebody", "lets go of", "makes way"),
    *("of that", "stands for itself", "stand out", "looked at closely", "put right", "made anew"),
)
OPENERS = re.compile(
    r"(?:What|Whoever|Whatever|How|Those|Whether|Which|Who|Whom|Whose|Where|When|Such|That|It|They|Lets|Knows|Tells|Says)\b"
)

# A local is named by its noun: ``memory``, ``matches``, ``text``.
VAGUE_LOCALS = frozenset(("found", "made", "one", "said"))
# Their locals are not checked.
ROOMS_WITH_VAGUE_LOCALS = tuple(f"app/{room}/" for room in ("entities", "history", "index", "sync"))

# Rooms that every subject has, and declarations by subject.
FIXED_MODULES = frozenset(("__init__", "__main__", "model", "repo", "service", "options", "parts", "pane"))
BY_SUBJECT = ("app/api/operations/", "app/config/sections/")


def python_files(*folders: str) -> list[Path]:
    """Return the source files below folders of the project, in order."""
    found = (ROOT / folder for folder in folders)
    return sorted(path for place in found for path in ([place] if place.is_file() else place.rglob("*.py")))


def words_of(name: str) -> list[str]:
    """Return the lower-case words of an identifier such as ``ChunkColumns`` or ``chunk_columns``."""
    return [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", name)]


def docstring_problems(path: Path) -> Iterator[str]:
    """Yield what is wrong with the first lines of a file's docstrings."""
    for node in ast.walk(ast.parse(path.read_bytes())):
        if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        text = ast.get_docstring(node)
        if not text:
            continue
        first = text.split("\n\n")[0].split("\n")[0]
        place = f"{path.relative_to(ROOT).as_posix()}:{getattr(node, 'lineno', 1)}"
        if len(first.split()) > MAX_WORDS:
            yield f"{place}: more than {MAX_WORDS} words: {first}"
        if OPENERS.match(first):
            yield f"{place}: begins like a riddle: {first}"
        for phrase in DENIED_PHRASES:
            if re.search(rf"\b{phrase}\b", first, re.IGNORECASE):
                yield f"{place}: says '{phrase}': {first}"


def prose_problems(path: Path) -> Iterator[str]:
    """Yield the private words in a file's comments and docstrings."""
    source = path.read_text(encoding="utf-8")
    if not DENIED_PROSE.search(source):
        return  # to find the docstrings and comments takes long
    place = path.relative_to(ROOT).as_posix()
    for line, text in _prose(source):
        for offset, said in enumerate(text.split("\n")):
            if found := DENIED_PROSE.search(said):
                yield f"{place}:{line + offset}: says '{found.group()}': {said.strip()}"


def _prose(source: str) -> Iterator[tuple[int, str]]:
    """Yield the docstrings and comments of a source text with the lines where they begin."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0] if node.body else None
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                text = first.value.value
                if isinstance(text, str):
                    yield first.lineno, text
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string


def defined_names(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Yield every name that a file gives: modules excluded, arguments and attributes included."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name, node.lineno
        elif isinstance(node, ast.arg):
            yield node.arg, node.lineno
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id, node.lineno
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr, node.lineno


def vague_locals(path: Path) -> Iterator[str]:
    """Yield the arguments and variables of a file that are not named by their noun; fields of classes may be."""
    place = path.relative_to(ROOT).as_posix()
    source = path.read_text(encoding="utf-8")
    if place.startswith(ROOMS_WITH_VAGUE_LOCALS) or not any(word in source for word in VAGUE_LOCALS):
        return
    fields = set[int]()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ClassDef):
            fields |= {line.lineno for line in node.body if isinstance(line, ast.Assign | ast.AnnAssign)}
        if isinstance(node, ast.arg):
            name = node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.lineno not in fields:
            name = node.id
        else:
            continue
        if name in VAGUE_LOCALS:
            yield f"{place}:{node.lineno}: a local named '{name}' says nothing of what it is"


def name_problems(path: Path) -> Iterator[str]:
    """Yield names in a file that have a denied word in them."""
    place = path.relative_to(ROOT).as_posix()
    seen = set[str]()
    source = path.read_text(encoding="utf-8")
    has_denied = any(word in source.lower() for word in DENIED_NAMES | DENIED_TEST_NAMES)
    names = [(path.stem, 1), *(defined_names(ast.parse(source)) if has_denied else ())]
    for name, line in names:
        words = DENIED_TEST_NAMES if name.startswith("test_") else DENIED_NAMES
        denied = words.intersection(words_of(name))
        if denied and name not in seen:
            seen.add(name)
            yield f"{place}:{line}: the name '{name}' has the private word '{min(denied)}'"


def doubled_modules(paths: Iterable[Path]) -> Iterator[str]:
    """Yield module names that stand for several modules."""
    places: dict[str, list[str]] = {}
    for path in paths:
        place = path.relative_to(ROOT).as_posix()
        if path.stem not in FIXED_MODULES and not place.startswith(BY_SUBJECT):
            places.setdefault(path.stem, []).append(place)
    yield from (f"{name}: {', '.join(found)}" for name, found in sorted(places.items()) if len(found) > 1)


def doubled_classes(paths: Iterable[Path]) -> Iterator[str]:
    """Yield public class names that stand for several classes."""
    places: dict[str, list[str]] = {}
    for path in paths:
        for node in ast.parse(path.read_bytes()).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places.setdefault(node.name, []).append(path.relative_to(ROOT).as_posix())
    yield from (f"{name}: {', '.join(found)}" for name, found in sorted(places.items()) if len(found) > 1)


def problems(*folders: str) -> list[str]:
    """Return everything wrong with names and docstrings below folders of the project."""
    paths = python_files(*folders)
    checks = (docstring_problems, prose_problems, name_problems, vague_locals)
    lines = [line for path in paths for check in checks for line in check(path)]
    return [*lines, *doubled_modules(paths), *doubled_classes(paths)]


def problems_of_tests() -> list[str]:
    """Return everything wrong with names, comments and docstrings of tests; their first lines may be free."""
    return [line for path in python_files("tests") for line in (*prose_problems(path), *name_problems(path))]


if __name__ == "__main__":
    sys.stdout.write("\n".join([*problems(*sys.argv[1:]), ""]))
