"""The translations of the window: ``python packaging/translations.py update`` after texts in ``ui/`` have changed.

``missing de > de.json`` lists what is still to be translated, each text once, with the places that show it; write the
translations beside the texts (``"translation"``) and put them back with ``fill de de.json``. A text whose ``contexts``
need different words may stand there several times, with fewer contexts each. Keep ``{fields}``, ``%n``, ``&`` of access
keys and ``<tags>`` as in the source; ``fill`` refuses a text that does not. ``check`` says what is wrong.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import json
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "resources" / "translations"
LANGUAGES = ("de", "es", "zh_CN")
PLURAL_FORMS = {"de": 2, "es": 2, "zh_CN": 1}
PROGRAM_SOURCES = (
    "app/cli",
    "app/mcp",
    "app/rpc/framing.py",
    "app/rpc/messages.py",
    "app/rpc/peer.py",
    "app/rpc/server",
)
"""Sources whose sentences only terminals and other programs meet; those of all others reach the window."""
ERROR_TABLES = ("app/errors.py", "app/store/sqlite_errors.py", "app/sync/exchanges/server_refusals.py")
"""Modules that keep the sentences about errors in tables."""
_KEPT = re.compile(r"\{[^{}]*\}|%L?n|%\d|</?\w[^<>]*>|&\w+;")
_SENTENCE = re.compile(r"[A-Z{‘“'].*[.?!]", re.DOTALL)
_ACCESS_KEY = re.compile(r"(?<!&)&(?=\w)(?!\w+;)")


class TranslationError(Exception):
    """A fault of a translation, as a sentence."""


def tool(name: str) -> Path:
    """Return one of Qt's tools, ``lupdate`` or ``lrelease``, of the pinned PySide6."""
    import PySide6  # noqa: PLC0415

    return Path(PySide6.__file__).parent / (f"{name}.exe" if sys.platform == "win32" else name)


def file_of(language: str, suffix: str = "ts") -> Path:
    """Return the file of a language: ``ts`` for translators, ``qm`` for the program."""
    return FOLDER / f"keepsake_{language}.{suffix}"


def engine_context() -> str:
    """Return the context of the texts that the window shows but does not write itself."""
    return str(_texts_module().CONTEXT)


def engine_texts() -> list[str]:
    """Return the texts of the engine that the window translates where it shows them."""
    return list(dict.fromkeys([*_texts_module().texts(), *error_texts()]))


def error_texts() -> list[str]:
    """Return the templates of the sentences that the window shows, as the sources have them.

    They are those of all sources but ``PROGRAM_SOURCES``: the errors of the engine, and every ``Sentence``.
    """
    texts: dict[str, None] = {}
    for path in filter(is_error_source, sorted([*(ROOT / "app").rglob("*.py"), *(ROOT / "ui").rglob("*.py")])):
        source = path.read_text(encoding="utf-8")
        if not any(call in source for call in ("Error(", "Sentence(", "counted_sentence(")):
            continue
        tree = ast.parse(source)
        named = dict(_named_texts(tree))
        for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call) and node.args):
            name = getattr(call.func, "id", "")
            is_error = name.endswith("Error") and name != "InternalError" and path.is_relative_to(ROOT / "app")
            if not is_error and name not in {"Sentence", "counted_sentence"}:
                continue
            for text in call.args[1:3] if name == "counted_sentence" else call.args[:1]:
                value = named.get(text.id) if isinstance(text, ast.Name) else getattr(text, "value", None)
                if not isinstance(value, str) or not any(map(str.isalpha, _KEPT.sub("", value))):
                    continue
                if not is_error or _SENTENCE.fullmatch(value):  # others are parts of what is noted elsewhere
                    texts[value] = None
        if path.relative_to(ROOT).as_posix() in ERROR_TABLES:
            texts |= dict.fromkeys(value.value for node in tree.body for value in _sentences_of(node))
    return list(texts)


def is_error_source(path: Path) -> bool:
    """Return whether the window shows the errors that a source file raises."""
    place = path.relative_to(ROOT).as_posix()
    return not any(place == source or place.startswith(f"{source}/") for source in PROGRAM_SOURCES)


def _named_texts(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Yield the names and values of a module's texts."""
    for node in tree.body:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        value = getattr(getattr(node, "value", None), "value", None)
        for target in targets:
            if isinstance(target, ast.Name) and isinstance(value, str):
                yield target.id, value


def _sentences_of(node: ast.stmt) -> Iterator[Any]:
    if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
        for part in ast.walk(node.value):
            if isinstance(part, ast.Constant) and isinstance(part.value, str) and part.value.endswith("."):
                yield part


def _texts_module() -> Any:
    if str(ROOT) not in sys.path:
        sys.path.insert(0, str(ROOT))
    return importlib.import_module("ui.engine_texts")


def _as_source(context: str, texts: list[str]) -> str:
    """Return a source file in which Qt's tool finds ``texts``."""
    lines = [f"QT_TRANSLATE_NOOP({json.dumps(context)}, {json.dumps(text, ensure_ascii=False)})" for text in texts]
    return "\n".join(["from PySide6.QtCore import QT_TRANSLATE_NOOP", *lines, ""])


def update(folder: Path | None = None) -> None:
    """Bring the ``.ts`` files up to the sources, and the ``.qm`` files up to them."""
    sources = [str(path.relative_to(ROOT)) for path in sorted((ROOT / "ui").rglob("*.py"))]
    with tempfile.TemporaryDirectory() as scratch:
        engine = Path(scratch) / "engine_texts.py"
        engine.write_text(_as_source(engine_context(), engine_texts()), encoding="utf-8")
        for language in LANGUAGES:
            file = (folder or FOLDER) / file_of(language).name
            options = ["-silent", "-no-obsolete", "-locations", "none", "-sort-messages"]
            for heuristic in ("sametext", "similartext"):
                options += ["-disable-heuristic", heuristic]
            command = [str(tool("lupdate")), *options, *sources, str(engine), "-target-language", language]
            subprocess.run([*command, "-ts", str(file)], cwd=ROOT, check=True)
    release(folder)


def release(folder: Path | None = None) -> None:
    """Make the ``.qm`` files of the ``.ts`` files."""
    for language in LANGUAGES:
        source = (folder or FOLDER) / file_of(language).name
        command = [
            str(tool("lrelease")),
            "-silent",
            "-nounfinished",
            str(source),
            "-qm",
            str(source.with_suffix(".qm")),
        ]
        subprocess.run(command, cwd=ROOT, check=True)


def messages(path: Path) -> list[tuple[str, ET.Element]]:
    """Return the messages of a ``.ts`` file with their contexts."""
    root = ET.parse(path).getroot()  # noqa: S314  (our own file)
    return [
        (context.findtext("name") or "", message)
        for context in root.iter("context")
        for message in context.iter("message")
    ]


def translations_of(message: ET.Element) -> list[str]:
    """Return the translations of a message: one, or one for each plural form."""
    translation = message.find("translation")
    if translation is None:
        return [""]
    forms = translation.findall("numerusform")
    return [form.text or "" for form in forms] if message.get("numerus") == "yes" else [translation.text or ""]


def is_finished(message: ET.Element) -> bool:
    """Return whether a message has all its translations."""
    translation = message.find("translation")
    return translation is not None and translation.get("type") is None and all(translations_of(message))


def problem_of(source: str, translation: str, *, is_plural: bool = False) -> str:
    """Return what a translation of ``source`` lacks or has too much, ``""`` for nothing."""
    wanted, given = Counter(_KEPT.findall(source)), Counter(_KEPT.findall(translation))
    if is_plural:  # a form for one thing may say "one"
        wanted.pop("%n", None)
        given.pop("%n", None)
    if wanted != given:
        missing, surplus = " ".join((wanted - given).elements()), " ".join((given - wanted).elements())
        return " and ".join(
            part for part in (missing and f"lacks {missing}", surplus and f"has {surplus} too much") if part
        )
    if bool(_ACCESS_KEY.search(source)) != bool(_ACCESS_KEY.search(translation)):
        return "must have an access key (&) just where the source has one"
    for side, edge in (("begin", 0), ("end", -1)):
        if source[edge].isspace() != translation[edge].isspace():
            return f"must {side} with a space just where the source does"
    return ""


def problems(language: str) -> list[str]:
    """Return what is wrong with the ``.ts`` file of a language, in sentences."""
    faults = []
    for context, message in messages(file_of(language)):
        source = message.findtext("source") or ""
        if not is_finished(message):
            faults.append(f"{context}: “{source}” is not translated")
            continue
        is_plural = message.get("numerus") == "yes"
        faults += [
            f"{context}: “{text}” for “{source}” {wrong}"
            for text in translations_of(message)
            if (wrong := problem_of(source, text, is_plural=is_plural))
        ]
    return faults


def missing(language: str) -> list[dict[str, Any]]:
    """Return the texts that are not translated, each once, with its contexts."""
    entries: dict[tuple[str, str], dict[str, Any]] = {}
    for context, message in messages(file_of(language)):
        if is_finished(message):
            continue
        source, comment = message.findtext("source") or "", message.findtext("comment") or ""
        entry = entries.setdefault((source, comment), {"source": source, "contexts": [], "translation": ""})
        entry["contexts"].append(context)
        if comment:
            entry["comment"] = comment
        if message.get("numerus") == "yes":
            entry["translation"] = [""] * PLURAL_FORMS[language]
    return list(entries.values())


def fill(language: str, entries: list[dict[str, Any]]) -> int:
    """Put translations into the ``.ts`` file of a language; return to how many messages.

    Raises:
        TranslationError: A translation differs from its source in a field, a tag or an access key.
    """
    given = {
        (context, entry["source"], entry.get("comment", "")): entry["translation"]
        for entry in entries
        if entry["translation"]
        for context in entry["contexts"]
    }
    tree = ET.parse(file_of(language))  # noqa: S314  (our own file)
    filled, wrong = 0, []
    for context in tree.getroot().iter("context"):
        for message in context.iter("message"):
            source = message.findtext("source") or ""
            text = given.get((context.findtext("name") or "", source, message.findtext("comment") or ""))
            if not text:
                continue
            forms = text if isinstance(text, list) else [text]
            is_plural = message.get("numerus") == "yes"
            faults = [problem_of(source, form, is_plural=is_plural) if form else "is empty" for form in forms]
            if any(faults):
                wrong.append(f"“{text}” for “{source}” {next(filter(None, faults))}")
                continue
            _set_translation(message, forms, is_plural=is_plural)
            filled += 1
    write(tree, file_of(language))
    if wrong:
        raise TranslationError(f"{filled} filled; these were left out:\n" + "\n".join(wrong))
    return filled


def _set_translation(message: ET.Element, forms: list[str], *, is_plural: bool) -> None:
    old = message.find("translation")
    if old is not None:
        message.remove(old)
    new = ET.SubElement(message, "translation")
    if is_plural:
        for form in forms:
            ET.SubElement(new, "numerusform").text = form
    else:
        new.text = forms[0]


def write(tree: ET.ElementTree[Any], path: Path) -> None:
    """Write a ``.ts`` file; ``update`` gives it the form of Qt's tools."""
    body = ET.tostring(tree.getroot(), encoding="unicode", short_empty_elements=False)
    path.write_text(f'<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE TS>\n{body}\n', encoding="utf-8")


def parser() -> argparse.ArgumentParser:
    """Return the command line."""
    parser = argparse.ArgumentParser("translations", description="Keep the translations of the window.")
    verbs = parser.add_subparsers(dest="verb", required=True)
    verbs.add_parser("update", help="bring the files up to the sources")
    verbs.add_parser("release", help="make what the program reads of what translators edit")
    for verb, about in (
        ("missing", "list what is not translated, as JSON"),
        ("fill", "put translations in"),
        ("check", "say what is wrong"),
    ):
        command = verbs.add_parser(verb, help=about)
        command.add_argument("language", choices=LANGUAGES)
        if verb == "fill":
            command.add_argument("file", type=Path, help="JSON as 'missing' writes it, with translations")
    return parser


def main() -> int:
    """Run one verb; return the exit status."""
    options = parser().parse_args()
    if options.verb == "update":
        update()
    elif options.verb == "release":
        release()
    elif options.verb == "missing":
        print(json.dumps(missing(options.language), ensure_ascii=False, indent=1))
    elif options.verb == "check":
        messages = problems(options.language)
        print("\n".join(messages) or "Everything is translated.")
        return 1 if messages else 0
    else:
        try:
            count = fill(options.language, json.loads(options.file.read_text(encoding="utf-8")))
        except TranslationError as error:
            print(error)
            return 1
        finally:
            update()
        print(f"{count} translations put in")
    return 0


if __name__ == "__main__":
    sys.exit(main())
