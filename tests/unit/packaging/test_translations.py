"""The translations: complete, faithful to fields and tags, and current in the files that the program reads."""

import ast
import importlib.util
import json
import re
import shutil
from pathlib import Path
from types import ModuleType

import pytest
from PySide6.QtCore import QTranslator

ROOT = Path(__file__).resolve().parents[3]
LANGUAGES = ("de", "es", "zh_CN")


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("translations", ROOT / "packaging" / "translations.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Texts(ast.NodeVisitor):
    """Finds each text of a source file that is to be translated, with the context that Qt looks it up in."""

    def __init__(self) -> None:
        self.found: list[tuple[str, str]] = []
        self.unreadable: list[int] = []
        self._classes: list[str] = []

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._classes.append(node.name)
        self.generic_visit(node)
        self._classes.pop()

    def visit_Call(self, node: ast.Call) -> None:
        named = node.func
        name = named.attr if isinstance(named, ast.Attribute) else getattr(named, "id", "")
        if name == "tr":
            self._take(node, self._classes[-1] if self._classes else None, node.args[:1])
        elif name == "QT_TRANSLATE_NOOP":
            self._take(node, _text(node.args[0]), node.args[1:2])
        elif name == "translate" and len(node.args) > 1 and _text(node.args[1]) is not None:
            # What is no literal here is marked where it is declared.
            self._take(node, _text(node.args[0]), node.args[1:2])
        self.generic_visit(node)

    def _take(self, node: ast.Call, context: str | None, texts: list[ast.expr]) -> None:
        text = _text(texts[0]) if texts else None
        if context is None or text is None:
            self.unreadable.append(node.lineno)
        else:
            self.found.append((context, text))


def _text(node: ast.expr) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


@pytest.fixture(scope="module")
def sources() -> dict[Path, Texts]:
    """Read the texts of every file of the window, once for all tests."""
    read = {}
    for path in sorted((ROOT / "ui").rglob("*.py")):
        texts = Texts()
        texts.visit(ast.parse(path.read_text(encoding="utf-8")))
        read[path.relative_to(ROOT)] = texts
    return read


@pytest.fixture(scope="module")
def wanted(tool: ModuleType, sources: dict[Path, Texts]) -> set[tuple[str, str]]:
    """Return all texts of the window and the engine, each with its context."""
    settings = {(tool.engine_context(), text) for text in tool.engine_texts()}
    return settings | {found for texts in sources.values() for found in texts.found}


def test_texts_are_literals_within_a_context(sources: dict[Path, Texts]) -> None:
    """Qt's tool reads only ``self.tr("text")`` in a class and ``translate("Context", "text")``."""
    assert [f"{path}:{line}" for path, texts in sources.items() for line in texts.unreadable] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_text_is_in_the_file(tool: ModuleType, wanted: set[tuple[str, str]], language: str) -> None:
    listed = {(context, message.findtext("source")) for context, message in tool.messages(tool.file_of(language))}
    assert sorted(wanted - listed) == [], "run 'make translations'"
    assert sorted(listed - wanted) == [], "run 'make translations'"


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_text_is_translated(tool: ModuleType, language: str) -> None:
    assert tool.problems(language) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_the_program_reads_is_current(tool: ModuleType, language: str) -> None:
    translator = QTranslator()
    assert translator.load(str(tool.file_of(language, "qm")))
    wrong = [
        message.findtext("source")
        for context, message in tool.messages(tool.file_of(language))
        if tool.is_finished(message) and message.get("numerus") is None
        if translator.translate(context, message.findtext("source"), message.findtext("comment") or "")
        != tool.translations_of(message)[0]
    ]
    assert wrong == [], "run 'make translations'"


@pytest.mark.parametrize(
    ("source", "translation"),
    [
        ("{n} notes", "n Notizen"),
        ("{n} notes", "{m} Notizen"),
        ("{size:.1f} MB", "{size} MB"),
        ("{n} of {n}", "{n}"),
        ("%n note(s)", "Notizen"),
        ("&File", "Datei"),
        ("File", "&Datei"),
        ("<b>Now</b> or later", "<b>Jetzt oder später"),
        ("5 &lt; 6", "5 < 6"),
        (" (repaired)", "(repariert)"),
        ("Name: ", "Name:"),
    ],
)
def test_a_translation_that_breaks_its_text_is_refused(tool: ModuleType, source: str, translation: str) -> None:
    assert tool.problem_of(source, translation)


@pytest.mark.parametrize(
    ("source", "translation"),
    [
        ("{n} of {total}", "von {total} sind es {n}"),
        ("Salt && pepper", "Salz && Pfeffer"),
        ("&File", "&Datei"),
        ("A < B", "A < B"),
        ("<b>Now</b>", "<b>Jetzt</b>"),
    ],
)
def test_a_faithful_translation_is_accepted(tool: ModuleType, source: str, translation: str) -> None:
    assert tool.problem_of(source, translation) == ""


@pytest.fixture
def copies(tool: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with German texts of one file, all untranslated."""
    monkeypatch.setattr(tool, "FOLDER", tmp_path)
    nothing = "<translation type='unfinished'></translation>"
    tmp_path.joinpath("keepsake_de.ts").write_text(
        f'<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE TS>\n<TS version="2.1" language="de">'
        f"<context><name>First</name><message><source>Open</source>{nothing}</message>"
        f"<message><source>{{n}} &amp; more</source>{nothing}</message></context>"
        f"<context><name>Second</name><message><source>Open</source>{nothing}</message>"
        "<message numerus='yes'><source>%n note(s)</source><translation type='unfinished'><numerusform></numerusform>"
        "<numerusform></numerusform></translation></message></context></TS>",
        encoding="utf-8",
    )
    return tmp_path


def test_missing_texts_are_listed_once_with_their_contexts(tool: ModuleType, copies: Path) -> None:
    assert tool.missing("de") == [
        {"source": "Open", "contexts": ["First", "Second"], "translation": ""},
        {"source": "{n} & more", "contexts": ["First"], "translation": ""},
        {"source": "%n note(s)", "contexts": ["Second"], "translation": ["", ""]},
    ]


def test_translations_are_put_back(tool: ModuleType, copies: Path) -> None:
    entries = json.loads(json.dumps(tool.missing("de")))
    entries[0]["translation"] = "Öffnen"
    entries[1]["translation"] = "{n} & weitere"
    entries[2]["translation"] = ["Eine Notiz", "%n Notizen"]
    assert tool.fill("de", entries) == 4
    assert tool.missing("de") == []
    assert tool.problems("de") == []


def test_a_broken_translation_stays_out(tool: ModuleType, copies: Path) -> None:
    entries = tool.missing("de")
    entries[0]["translation"] = "Öffnen"
    entries[1]["translation"] = "{m} & weitere"
    with pytest.raises(tool.TranslationError, match=r"lacks \{n\}"):
        tool.fill("de", entries)
    assert [entry["source"] for entry in tool.missing("de")] == ["{n} & more", "%n note(s)"]


def test_update_changes_nothing_where_all_is_current(tool: ModuleType, tmp_path: Path) -> None:
    for language in LANGUAGES:
        shutil.copy(tool.file_of(language), tmp_path)
    tool.update(tmp_path)
    for language in LANGUAGES:
        made = tmp_path / tool.file_of(language).name
        assert made.read_text(encoding="utf-8") == tool.file_of(language).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("language", "formal"),
    [
        ("de", r"\bIhnen\b|[a-zäöü]en Sie\b|(?<![.:!?] )(?<!^)\bIhre?[nmrs]?\b"),
        ("es", r"\b[Uu]sted(?:es)?\b|\bsus recuerdos\b"),
        ("zh_CN", "您"),
    ],
)
def test_a_language_addresses_the_person_in_one_way(language: str, formal: str) -> None:
    texts = re.findall(
        r"<translation>([^<]*)</translation>",
        (ROOT / f"resources/translations/keepsake_{language}.ts").read_text("utf-8"),
    )
    assert texts
    assert [text for text in texts if re.search(formal, text)] == []


@pytest.mark.parametrize(
    ("language", "chosen", "other"),
    [
        ("de", "zusammen", r"(?i)verein(?:t|en)\b|verschm[eo]lz"),
        ("es", "fusi", r"(?i)\bcombin"),
        ("zh_CN", "合并", "融合|并合"),
    ],
)
def test_merging_has_one_word_in_a_language(tool: ModuleType, language: str, chosen: str, other: str) -> None:
    texts = {
        text: message.findtext("source") or ""
        for _, message in tool.messages(tool.file_of(language))
        for text in tool.translations_of(message)
    }
    assert any(chosen in text for text in texts)
    assert [text for text in texts if re.search(other, text)] == []
