"""Sentences about errors in the person's language, with the names and numbers in them."""

import ast
import errno
import importlib.util
import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication

from app.core.files import from_os
from app.errors import DiskFullError, InputError, KeepsakeError, VaultDamagedError
from app.host import Host
from app.rpc.host_backend import HostBackend
from app.sentence import Sentence
from ui import translation
from ui.dialogs.exchange.import_report import problem_lines
from ui.engine_texts import engine_report, engine_text, error_text, sentence_text

ROOT = Path(__file__).resolve().parents[3]
PARTS = frozenset({"WrongFieldError", "NotFetchedError"})
"""Errors that never leave their module; what they say is noted in reports and logs."""
_SENTENCES_OF = {
    "Problem": (0, 1),
    "file_problem": (0, 1),
    "Finding": (2, 3),
    "ConfigFinding": (2, 3),
    "BackupCheck": (2,),
    "JobResult": (0,),
    "UpkeepPlan": (1,),
    "PlannedChange": (3,),
}
"""Where the sentences of answers stand among the arguments of what makes them."""
_METHODS = frozenset({"format", "join", "replace"})
FIELD = re.compile(r"\{(\w+)\}")


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("translations", ROOT / "packaging" / "translations.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(params=["de", "es", "zh_CN"])
def language(qapp: QApplication, request: pytest.FixtureRequest) -> Iterator[str]:
    translation.install(qapp, request.param)
    yield request.param
    translation.remove(qapp)


def test_every_sentence_is_told_in_the_language_with_its_values(tool: ModuleType, language: str) -> None:
    templates = tool.error_texts()
    assert len(templates) > 150
    for template in templates:
        values = {name: f"«{name}»" for name in FIELD.findall(template)}
        sentence = Sentence(template, **values)
        text = sentence_text(sentence)
        assert text != sentence, template
        assert all(value in text for value in values.values()), template


def test_sentences_with_values_are_templates() -> None:
    """A text put together from words and values could not be told in another language."""
    trees = {path: ast.parse(path.read_text("utf-8")) for top in ("app", "ui") for path in (ROOT / top).rglob("*.py")}
    kinds = _kinds_of_errors(trees.values())
    assert {"InputError", "FrameError", "TextsRefusedError"} <= kinds
    places = [
        f"{path.relative_to(ROOT)}:{call.lineno}"
        for path, tree in trees.items()
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef | ast.Module)
        for call in ast.walk(function)
        if isinstance(call, ast.Call) and call.args and _makes_error(call, kinds)
        if any(map(_is_put_together, [call.args[0], *_assigned(function, call.args[0])]))
    ]
    assert places == []


@pytest.mark.parametrize(
    "statement",
    [
        'raise InputError(f"{name} is not there.")',
        'raise InputError("%s is not there." % name)',
        'raise InputError("There is no " + name)',
        'raise InputError("{} is not there.".format(name))',
        'raise InputError(" ".join(parts))',
        'words = f"{name} is not there."\n    raise InputError(words)',
        "raise type(error)(error.message, **error.data)",
    ],
)
def test_the_rule_about_templates_sees_every_way_around_it(statement: str) -> None:
    tree = ast.parse(f"def work(name, error, parts):\n    {statement}")
    call = next(node for node in ast.walk(tree) if isinstance(node, ast.Call) and _makes_error(node, {"InputError"}))
    assert any(map(_is_put_together, [call.args[0], *_assigned(tree, call.args[0])]))


def test_sentences_of_answers_are_templates() -> None:
    """What an import, a check, a run or a plan of one says is told in the language, too."""
    trees = {path: ast.parse(path.read_text("utf-8")) for path in (ROOT / "app").rglob("*.py")}
    places = [
        f"{path.relative_to(ROOT)}:{call.lineno}"
        for path, tree in trees.items()
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for call in ast.walk(function)
        if isinstance(call, ast.Call) and (indexes := _SENTENCES_OF.get(getattr(call.func, "id", "")))
        for index, text in enumerate(call.args)
        if index in indexes
        if any(map(_is_put_together, [text, *_assigned(function, text), *_returned(tree, function, text)]))
    ]
    assert places == []


def _returned(tree: ast.Module, function: ast.AST, text: ast.expr) -> list[ast.expr]:
    """Return what the functions of a module return whose answer is used as a sentence."""
    calls = [item for item in (text, *_assigned(function, text)) if isinstance(item, ast.Call)]
    names = {getattr(call.func, "id", getattr(call.func, "attr", "")) for call in calls}
    return [
        node.value
        for called in ast.walk(tree)
        if isinstance(called, ast.FunctionDef | ast.AsyncFunctionDef) and called.name in names
        for node in ast.walk(called)
        if isinstance(node, ast.Return) and node.value is not None
    ]


def _kinds_of_errors(trees: Iterable[ast.Module]) -> set[str]:
    """Return the names of ``KeepsakeError`` and of all that come from it."""
    bases = {
        node.name: {getattr(base, "id", getattr(base, "attr", "")) for base in node.bases}
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
    }
    kinds = {"KeepsakeError"}
    while more := {name for name, parents in bases.items() if parents & kinds} - kinds:
        kinds |= more
    return kinds - PARTS


def _makes_error(call: ast.Call, kinds: set[str]) -> bool:
    """Return whether a call makes an error, by name or by ``type(error)``."""
    if isinstance(call.func, ast.Call):
        return getattr(call.func.func, "id", "") == "type"
    return getattr(call.func, "id", getattr(call.func, "attr", "")) in kinds


def _is_put_together(text: ast.expr) -> bool:
    is_method = isinstance(text, ast.Call) and isinstance(text.func, ast.Attribute) and text.func.attr in _METHODS
    is_translated = is_method and "tr" in {getattr(node, "attr", "") for node in ast.walk(text)}
    if isinstance(text, ast.JoinedStr):  # a path has no words of a language
        return not all(part.value == "/" for part in text.values if isinstance(part, ast.Constant))
    is_english = isinstance(text, ast.Attribute) and text.attr == "message" and getattr(text.value, "id", "") == "error"
    return isinstance(text, ast.BinOp) or (is_method and not is_translated) or is_english


def _assigned(function: ast.AST, text: ast.expr) -> list[ast.expr]:
    """Return what a function gives to the name that it uses as a message."""
    return [
        node.value
        for node in ast.walk(function)
        if isinstance(node, ast.Assign) and isinstance(text, ast.Name)
        if any(getattr(target, "id", "") == text.id for target in node.targets)
    ]


def test_no_page_shows_the_english_sentence() -> None:
    """A report that a person copies stays English."""
    reports = {"start_page.py", "debug_information.py"}
    shown = re.compile(r"\berror\.message\b")
    files = [path for path in (ROOT / "ui").rglob("*.py") if shown.search(path.read_text(encoding="utf-8"))]
    assert {path.name for path in files} <= reports


def test_a_taken_name_is_refused_in_the_language(host: Host, qapp: QApplication) -> None:
    for name in ("Ana Lopez", "Ben Kowalski"):
        host.ask("session.append", messages=[{"role": "user", "content": f"{name} came."}], session=name)
    host.ask("vault.settle")
    while host.ask("vault.status").pending_names:
        host.ask("vault.settle")
    names = {row.name: row.id for row in host.ask("entity.list")}
    with pytest.raises(InputError) as refused:
        host.ask("entity.rename", id=names["Ana Lopez"], name="Ben Kowalski")
    translation.install(qapp, "de")
    try:
        assert error_text(refused.value) == (
            "Es gibt schon einen anderen Eintrag dieser Art (Person) namens Ben Kowalski. "
            "Führe beide stattdessen zusammen."
        )
    finally:
        translation.remove(qapp)


def test_a_window_beside_another_processes_host_refuses_in_the_language(host: Host, qapp: QApplication) -> None:
    backend = HostBackend(host.vault, lambda: None)
    backend.start()
    try:
        with pytest.raises(InputError) as refused:
            backend.call("settings.set", {"name": "search.limit", "value": 0}).result(30)
    finally:
        backend.stop()
    translation.install(qapp, "de")
    try:
        assert error_text(refused.value) == "„search.limit“ muss eine ganze Zahl von 5 bis 500 sein, nicht 0."
    finally:
        translation.remove(qapp)


def test_a_number_of_any_size_is_told(language: str) -> None:
    assert "000" in sentence_text(Sentence("{count} rows.", count=10**40))


def test_a_setting_is_refused_in_the_language(host: Host, qapp: QApplication) -> None:
    with pytest.raises(InputError) as refused:
        host.ask("settings.set", name="search.limit", value=0)
    translation.install(qapp, "de")
    try:
        assert error_text(refused.value) == "„search.limit“ muss eine ganze Zahl von 5 bis 500 sein, nicht 0."
    finally:
        translation.remove(qapp)


def test_a_damaged_vault_is_told_with_what_the_window_offers(qapp: QApplication) -> None:
    error: KeepsakeError = VaultDamagedError("The vault's database is damaged. Run 'keepsake check'.")
    assert "keepsake check" not in error_text(error)
    assert "Check now" in error_text(error)
    assert error_text(DiskFullError("Nothing that is known.")) == "Nothing that is known."


def test_a_damaged_file_is_not_told_as_a_damaged_database(qapp: QApplication) -> None:
    sealed = VaultDamagedError("An encrypted file of the vault is damaged or cut off.", state="sealed")
    assert error_text(sealed) == "An encrypted file of the vault is damaged or cut off."


def test_a_sentence_is_its_english_text() -> None:
    sentence = Sentence("{name} is called {other} too.", name="A {b}", other=3)
    assert sentence == "A {b} is called 3 too."
    assert InputError(sentence).message == sentence
    assert type(InputError(sentence).message) is str


@pytest.mark.parametrize(
    ("tongue", "number"), [("en", "12,000"), ("de", "12.000"), ("es", "12.000"), ("zh_CN", "12,000")]
)
def test_numbers_are_written_as_in_the_language(qapp: QApplication, tongue: str, number: str) -> None:
    sentence = Sentence("A goal has 1 to {max_goal} characters.", max_goal=12_000)
    assert sentence == "A goal has 1 to 12,000 characters."
    translation.install(qapp, tongue)
    try:
        assert number in sentence_text(sentence)
    finally:
        translation.remove(qapp)


def test_what_the_system_says_of_a_file_is_told_in_the_language(qapp: QApplication, tmp_path: Path) -> None:
    error = from_os(OSError(errno.EACCES, "Permission denied"), tmp_path)
    translation.install(qapp, "de")
    try:
        refusal = f"Das System verweigert den Zugriff auf {tmp_path}: Zugriff verweigert."
        assert error_text(error) == f"{refusal} Prüfe die Zugriffsrechte und die des Ordners."
    finally:
        translation.remove(qapp)


def test_an_id_in_a_sentence_has_no_separators(host: Host) -> None:
    with pytest.raises(KeepsakeError, match="The history has no entry 123456"):
        host.ask("memory.undo", history_ids=[123456])


def test_the_engine_gives_sentences_numbers_as_numbers() -> None:
    formatted = re.compile(r'=f"\{[^{}"]+:,\}"')
    sources = [path for path in (ROOT / "app").rglob("*.py") if "Sentence(" in path.read_text(encoding="utf-8")]
    assert [path.name for path in sources if formatted.search(path.read_text(encoding="utf-8"))] == []


@pytest.mark.parametrize("is_remote", [False, True], ids=["own", "other process"])
def test_sentences_of_answers_are_told_in_the_language(host: Host, qapp: QApplication, is_remote: bool) -> None:
    (host.vault / "memory (of the laptop).db").write_bytes(b"")
    backend = HostBackend(host.vault, lambda: None)
    backend.start()
    try:
        ask: Any = (lambda name: backend.call(name, {}).result().value) if is_remote else host.ask
        [finding] = [item for item in ask("vault.check").findings if item.area == "files"]
    finally:
        backend.stop()
    translation.install(qapp, "de")
    try:
        assert engine_text(finding.what) == (
            "memory (of the laptop).db sieht nach einer Kopie aus, die ein Synchronisierungsprogramm angelegt hat."
            " Keepsake liest sie nicht."
        )
        assert engine_text(finding.remedy).startswith("Sieh sie dir mit „keepsake --vault“")
    finally:
        translation.remove(qapp)


def test_problems_of_an_import_are_told_in_the_language(host: Host, qapp: QApplication, tmp_path: Path) -> None:
    chat = tmp_path / "notes"
    chat.mkdir()
    (chat / "a.md").write_bytes("Grüße aus Köln, schöne Grüße".encode("cp1252"))
    report = host.ask("exchange.import", path=str(chat))
    translation.install(qapp, "de")
    try:
        assert (
            "a.md: Es ist kein UTF-8 und wurde als cp1252 gelesen; prüfe die Sonderzeichen." in problem_lines(report)[0]
        )
    finally:
        translation.remove(qapp)


def test_notes_of_a_search_are_told_in_the_language(host: Host, qapp: QApplication) -> None:
    answer = host.ask("memory.search", query="kind:banana qqzzx")
    translation.install(qapp, "de")
    try:
        [hint] = map(engine_text, answer.query.hints)
        assert hint.startswith("kind: kennt „banana“ nicht. Darauf passt nichts. Möglich sind message, note,")
    finally:
        translation.remove(qapp)


def test_places_of_an_import_are_told_in_the_language(host: Host, qapp: QApplication, tmp_path: Path) -> None:
    chats = tmp_path / "chats"
    chats.mkdir()
    lines = ({"type": "session", "id": "s"}, {"type": "message", "session": "s", "role": "user"})
    (chats / "chat.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    (chats / "list.json").write_text('[{"id":"x","mapping":{}}]', encoding="utf-8")
    report = host.ask("exchange.import", path=str(chats))
    translation.install(qapp, "de")
    try:
        problems = problem_lines(report)
    finally:
        translation.remove(qapp)
    assert any(line.startswith("chat.jsonl, Zeile 2:") for line in problems)
    assert any(line.startswith("list.json, Unterhaltung 1:") for line in problems)


@pytest.mark.parametrize("is_remote", [False, True], ids=["own", "other process"])
def test_the_output_of_a_run_is_told_in_the_language(host: Host, qapp: QApplication, is_remote: bool) -> None:
    host.ask("upkeep.run", job="housekeeping")
    backend = HostBackend(host.vault, lambda: None)
    backend.start()
    try:
        arguments = {"id": "sch-housekeeping"}
        runs = backend.call("schedule.runs", arguments).result().value if is_remote else None
        [run, *_] = runs or host.ask("schedule.runs", **arguments)
        plan = host.ask("upkeep.plan", job="decay")
    finally:
        backend.stop()
    translation.install(qapp, "de")
    try:
        assert engine_report(run.output).startswith("Die Datenbank wurde optimiert. ")
        assert "Es gab keine Sicherung" in engine_report(run.output_summary)
        assert engine_report(plan.summary) == "Kein Fakt muss verblassen."
        assert engine_report("Importing the list failed.") == "Importing the list failed."  # a model's words stay
    finally:
        translation.remove(qapp)
