"""Texts with a number in them agree with it, in the window and in what the engine says."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from app.core.text import counted
from ui.models.dates import counted as shown

ROOT: Final = Path(__file__).parents[2]
_FIELD: Final = r"(?:n|count|all|total|days|sessions|messages|memories|texts|names|more)"
_SEVERAL: Final = re.compile(rf"\{{{_FIELD}\}} (?:\w+ ){{0,2}}(?!this\b)(?:[a-z]+s|memories|people)\b")
_SINGLE: Final = re.compile(
    r"\b(?:1|[Oo]ne|[Oo]nce|[Aa]n?)\b|^Every \w+$|‘\{(?:title|name)\}’|Tags, separated|the note"
)
# A selection, a merge and a group are of two at least; the others count what is never one.
_ALWAYS_SEVERAL: Final = frozenset(
    {
        "{count} names selected",
        "{count} notes selected",
        "{count} conversations selected",
        "Merged {count} names into ‘{title}’",
        "Merged {count} notes into ‘{title}’",
        "{n} files",
        "These {n} files will change",
        "{count} files are too many at once. Attach at most {most}, or import their folder.",
        "{n} numbers each",
        "{n} runs",
        "said {n} times",
        "Delete {count} notes",
        "Delete {count} conversations",
        "Draw facts from {count} conversations now",
        "Undoing {count} changes. This may take some seconds.",
        "Redoing {count} changes. This may take some seconds.",
        "At least {n} characters; several words are better than one.",
        "There is room for {count} tags. Remove one first.",
        "This text has {count} characters, so it is shown as written: the first {part}.",
        "Show more ({count} more characters)",
    }
)
_NOUN: Final = re.compile(r" (?!it\b)(?:\w+ ){0,2}(?:[a-z]+s|memories|people)\b")
# Nothing is one byte or one character long where its length is told.
_LENGTH: Final = re.compile(r" (?:\w+ ){0,2}(?:bytes|characters)\b")
_NUMBERS: Final = frozenset(
    {"n", "count", "number", "total", "lost", "left", "more", "kept", "missing", "others", "unused", "rest", "made"}
    | {"dropped", "removed", "messages", "memories", "sessions", "found", "failures", "turns", "unknown", "bad"}
    | {"orphans", "stray", "replaced", "same"}
)
# They speak of the sample, of which they know how much it holds.
_OF_SAMPLE: Final = frozenset({"app/cli/demo.py", "app/cli/self_test.py"})


def parents_of(tree: ast.AST) -> dict[ast.AST, ast.AST]:
    return {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}


def translated(node: ast.AST) -> str:
    """Return the text that a call translates, an empty one for others."""
    if not isinstance(node, ast.Call):
        return ""
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    if name not in ("tr", "translate", "QT_TRANSLATE_NOOP"):
        return ""
    texts = [one.value for one in node.args if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    return (texts[0] if name == "tr" else texts[-1]) if texts else ""


def without_single(source: str) -> Iterator[str]:
    """Yield the texts about several things of which the function has none about one."""
    tree = ast.parse(source)
    parents = parents_of(tree)
    for node in ast.walk(tree):
        text = translated(node)
        if not _SEVERAL.search(text) or text in _ALWAYS_SEVERAL:
            continue
        place: ast.AST = node
        while place in parents and not isinstance(place, ast.FunctionDef | ast.AsyncFunctionDef):
            place = parents[place]
        if text.startswith("1 "):
            continue
        others = [said for other in ast.walk(place) if (said := translated(other)) and said != text]
        if not any(_SINGLE.search(said) for said in others):
            yield text


def is_number(value: ast.FormattedValue) -> bool:
    """Return whether a field is a number that may be one; constants are more."""
    said = ast.unparse(value.value)
    name = said.rpartition(".")[2].strip("_")
    if name.isupper():
        return False
    if value.format_spec is not None:
        return "," in ast.unparse(value.format_spec)
    return said.startswith("len(") or name in _NUMBERS


def uncounted(source: str) -> Iterator[str]:
    """Yield the texts in which a plural follows a number whatever it is."""
    tree = ast.parse(source)
    parents = parents_of(tree)
    for node in ast.walk(tree):
        if not isinstance(node, ast.JoinedStr):
            continue
        for value, words in zip(node.values, node.values[1:], strict=False):
            if not (isinstance(value, ast.FormattedValue) and isinstance(words, ast.Constant) and is_number(value)):
                continue
            place: ast.AST = node
            while place in parents and not isinstance(place, ast.stmt | ast.IfExp):
                place = parents[place]
            said = str(words.value)
            if _NOUN.match(said) and not _LENGTH.match(said) and not isinstance(place, ast.IfExp):
                yield ast.unparse(node)


@pytest.mark.parametrize("path", sorted(ROOT.glob("ui/*/")), ids=lambda path: path.name)
def test_each_text_of_the_window_about_several_has_one_about_one(path: Path) -> None:
    files = [*path.rglob("*.py"), *(ROOT.glob("ui/*.py") if path.name == "shell" else ())]
    assert [(file.name, text) for file in files for text in without_single(file.read_text(encoding="utf-8"))] == []


@pytest.mark.parametrize("path", sorted(ROOT.glob("app/*/")), ids=lambda path: path.name)
def test_what_the_engine_counts_agrees_with_its_number(path: Path) -> None:
    files = [file for file in path.rglob("*.py") if file.relative_to(ROOT).as_posix() not in _OF_SAMPLE]
    assert [(file.name, text) for file in files for text in uncounted(file.read_text(encoding="utf-8"))] == []


def test_the_search_finds_a_plural_that_does_not_agree() -> None:
    assert list(without_single('def f(self): return self.tr("{n} links").format(n=1)')) == ["{n} links"]
    assert list(uncounted('said = f"{len(rest)} files were left out."')) == ["f'{len(rest)} files were left out.'"]


@pytest.mark.parametrize(
    ("number", "words"), [(0, "0 memories"), (1, "1 memory"), (2, "2 memories"), (12345, "12,345 memories")]
)
def test_counted_chooses_the_word(number: int, words: str) -> None:
    assert counted(number, "memory") == words
    assert shown(number, "1 memory", "{n} memories") == words


def test_other_fields_stay() -> None:
    assert shown(2, "{name}: 1 link", "{name}: {n} links") == "{name}: 2 links"
