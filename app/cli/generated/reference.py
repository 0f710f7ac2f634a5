"""The reference, made from the declarations: operations, settings and commands as Markdown pages."""

import dataclasses
import inspect
import json
import typing
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from app.api.catalogue import declared
from app.api.operation import Operation, Parameter
from app.api.registry import type_name
from app.cli.generated import window_calls
from app.cli.generated.field_docs import field_docs
from app.cli.generated.man_page import man_page
from app.cli.root import commands_by_hand
from app.cli.verbs import declarations
from app.cli.verbs.command_help import help_words, option_term, synopsis
from app.cli.verbs.generation import command_entry, generated, verb_of
from app.cli.verbs.model import Verb
from app.config.config import variable
from app.config.schema import SETTINGS, Setting
from app.core import declared_operations
from app.core.paths import resources
from app.errors import UnknownOperationError
from app.exchange.formats.known_formats import SPECS
from app.sentence import Sentence

_TRUST = {
    "public": "open to any caller",
    "familiar": "for familiar trust or more",
    "inner": "for inner trust or more",
    "full": "for full trust",
}
_EMPTY: tuple[object, ...] = (None, "", [], {})


def write_reference(folder: Path | None = None) -> list[Path]:
    """Write the pages, the manual page and the declarations of commands, and return their paths.

    Args:
        folder: Where the pages go; the program's own places, and its declarations, too, when ``None``.
    """
    by_hand = commands_by_hand()
    help_folder, man_folder = (folder, folder) if folder is not None else (resources() / "help", resources() / "man")
    texts = {help_folder / f"{name}.md": text for name, text in pages(by_hand).items()}
    texts[man_folder / "keepsake.1"] = man_page(by_hand, verbs())
    if folder is None:
        texts[declarations.path()] = command_declarations(by_hand)
        texts[declared_operations.path()] = operation_declarations()
        texts[window_calls.path()] = window_calls.window_calls()
    for path, text in texts.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
    return list(texts)


def pages(by_hand: Mapping[str, Any]) -> dict[str, str]:
    """Return every page by its file name without ending."""
    bodies = {"operations": operations_page(), "settings": settings_page(), "commands": commands_page(by_hand)}
    return {name: "\n".join(lines) + "\n" for name, lines in bodies.items()}


def verbs() -> list[Verb]:
    """Return the commands made from the catalogue, by their words."""
    return sorted(map(verb_of, declared()), key=lambda item: (item.words[:-1], item.words))


def command_declarations(by_hand: Mapping[str, Any]) -> str:
    """Return the text of the file of commands."""
    return generated({words: command_entry(command) for words, command in by_hand.items()})


def operation_declarations() -> str:
    """Return the text of the file of operations for clients."""
    known = list(declared())
    flags = ("checks_facts", "removes", "replaces", "erases", "imports", "brings_back")
    parts = {
        "keys": {item.name: item.key for item in known if item.key},
        "not_for_models": [item.name for item in known if not item.for_models],
        **{flag: [item.name for item in known if getattr(item, flag)] for flag in flags},
        "sentences": {item.name: item.sentence for item in known if item.sentence},
        "formats": {name: spec.title for name, spec in SPECS.items()},
    }
    return json.dumps(parts, indent=1) + "\n"


def operations_page() -> list[str]:
    """Return the page of operations and of the values they take and give."""
    lines = [
        "# Operations",
        "",
        "Everything Keepsake can do, by name. The window, the command line (`keepsake call NAME JSON`) and other",
        "programs at the local socket all call these, with arguments by name. Times are ISO 8601.",
    ]
    subject = ""
    for item in declared():
        if (head := item.name.partition(".")[0]) != subject:
            subject = head
            lines += ["", f"## {subject}"]
        lines += ["", f"### {item.name}", "", *_operation_body(item)]
    lines += ["", "## Values", "", "What operations take and answer, field by field."]
    for kind in _values():
        lines += ["", f"### {kind.__name__}", "", *_value_body(kind)]
    return lines


def settings_page() -> list[str]:
    """Return the page of settings."""
    lines = [
        "# Settings",
        "",
        "In the window under Settings, with `keepsake config`, or by hand in the vault's `config.toml`. An environment",
        "variable wins over the file. Only what differs from the default is saved.",
    ]
    section = ""
    for item in SETTINGS:
        if (head := item.name.partition(".")[0]) != section:
            section = head
            lines += ["", f"## {section}"]
        lines += ["", f"### {item.name}", "", *_setting_body(item)]
    return lines


def commands_page(by_hand: Mapping[str, Any]) -> list[str]:
    """Return the page of the command line."""
    root = by_hand[""]
    lines = ["# Command line", "", _joined(root.help or ""), "", *_option_lines(root)]
    for words, command in by_hand.items():
        if words and not command.hidden and not _needs_command(command):
            usage = " ".join([words, *(_placeholder(item) for item in command.params if _is_argument(item))])
            lines += ["", f"## keepsake {words}", "", f"`keepsake {usage}`"]
            lines += ["", _joined(command.help or ""), *_spaced(_option_lines(command))]
    lines += [
        "",
        "## Commands of the catalogue",
        "",
        "Every [operation](operations.md) is a command too. Its answer is a table or a sentence; in a pipe, lines with",
        "tabs, the id first; with `--json`, the operation's answer as JSON. A text or a list may be `-`, which is",
        "standard input, and a long text `@FILE`. Times are as in a [search](search.md): `2026-03`, `yesterday`,",
        '`"last week"`. What cannot be undone is asked about; `--yes` answers in a script.',
    ]
    for item in verbs():
        if " ".join(item.words) not in by_hand:
            lines += _verb_lines(item)
    return lines


def _needs_command(command: Any) -> bool:
    return hasattr(command, "commands") and not command.invoke_without_command


def _verb_lines(item: Verb) -> list[str]:
    words = " ".join(["keepsake", *item.words])
    shown = [
        f"- `{option_term(option) if option.names else option.name.upper()}`: {help_words(option)}".removesuffix(": ")
        for option in item.parameters
        if option.place != "hidden" and (option.place == "option" or option.help)
    ]
    asks = ["It cannot be undone, and so asks first."] if item.asks else []
    about = [item.summary, *_spaced([_joined(item.doc)] if item.doc else []), *_spaced(asks)]
    return ["", f"### {words}", "", f"`{f'{words} {synopsis(item)}'.strip()}`", "", *about, *_spaced(shown)]


def operation_lines(name: str = "") -> list[str]:
    """Return one operation in full, or every operation on a line, for a terminal.

    Raises:
        UnknownOperationError: There is none of that name.
    """
    every = {item.name: item for item in declared()}
    if not name:
        width = max(map(len, every))
        return [f"{item.name:<{width}}  {item.summary}" for item in every.values()]
    if name not in every:
        raise UnknownOperationError(
            Sentence("There is no operation '{name}'. See 'keepsake call --list'.", name=name), operation=name
        )
    item = every[name]
    lines = [f"{item.name}: {item.summary}", *_spaced([item.doc] if item.doc else [])]
    for parameter in item.parameters:
        lines += ["", f"  {parameter.name}: {parameter.type}{_default_words(parameter)}"]
        lines += [f"      {parameter.help}"] if parameter.help else []
    return [*lines, "", f"  answers {type_name(item.returns)}"]


def _operation_body(item: Operation) -> list[str]:
    lines = [item.summary]
    if item.doc:
        lines += ["", _joined(item.doc)]
    if item.parameters:
        lines += ["", "| argument | type | default | |", "|---|---|---|---|"]
        lines += [
            f"| `{each.name}` | {_code(each.type)} | {_default(each)} | {_cell(each.help)} |"
            for each in item.parameters
        ]
    traits = ["changes the vault" if item.access == "write" else "only reads", _TRUST[item.trust]]
    if item.destructive:
        traits.append("takes something away")
    return [*lines, "", f"Answers {_code(type_name(item.returns))}; {', '.join(traits)}."]


def _default(parameter: Parameter) -> str:
    if parameter.required:
        return "required"
    value = msgspec.to_builtins(parameter.default)
    if dataclasses.is_dataclass(parameter.default) or value in _EMPTY:
        return ""
    return f"`{msgspec.json.encode(value).decode()}`"


def _default_words(parameter: Parameter) -> str:
    shown = _default(parameter).strip("`")
    return f" ({shown if parameter.required else f'default {shown}'})" if shown else ""


def _values() -> list[Any]:
    """Return every dataclass in an argument or answer, by name."""
    values: dict[str, Any] = {}
    for item in declared():
        kinds = [field.type for field in msgspec.structs.fields(item.arguments)]
        for kind in [*kinds, item.returns]:
            _collect(kind, values)
    return [values[name] for name in sorted(values)]


def _collect(kind: Any, kinds: dict[str, Any]) -> None:
    for inner in typing.get_args(kind):
        _collect(inner, kinds)
    if isinstance(kind, type) and dataclasses.is_dataclass(kind) and kind.__name__ not in kinds:
        kinds[kind.__name__] = kind
        for hint in typing.get_type_hints(kind).values():
            _collect(hint, kinds)


def _value_body(kind: Any) -> list[str]:
    head = (inspect.getdoc(kind) or "").partition("\nArgs:\n")[0]
    helps = field_docs(kind)
    lines = [_joined(head), "", "| field | type | |", "|---|---|---|"]
    hints = typing.get_type_hints(kind)
    return lines + [
        f"| `{field.name}` | {_code(type_name(hints[field.name]))} | {_cell(helps.get(field.name, ''))} |"
        for field in dataclasses.fields(kind)
    ]


def _setting_body(item: Setting) -> list[str]:
    allowed = ", ".join(f"`{choice}`" for choice in item.choices)
    if item.minimum is not None and item.maximum is not None:
        allowed = f"{item.minimum:g} to {item.maximum:g}"
    default = msgspec.json.encode(item.default).decode()
    lines = [item.description, "", f"- Type: {item.type}" + (f" ({allowed})" if allowed else "")]
    lines += [f"- Default: `{default}`", f"- Variable: `{variable(item)}`"]
    return [*lines, "- Takes effect at the next start."] if item.restart else lines


def _option_lines(command: Any) -> list[str]:
    lines = []
    for item in command.params:
        names = _placeholder(item) if _is_argument(item) else ", ".join([*item.opts, *item.secondary_opts])
        if item.help:
            lines.append(f"- `{names}`: {item.help}")
    return lines


def _is_argument(item: Any) -> bool:
    return bool(item.param_type_name == "argument")


def _placeholder(item: Any) -> str:
    name = str(item.name).upper().strip("_") + ("…" if item.nargs == -1 else "")
    return name if item.required else f"[{name}]"


def _code(text: str) -> str:
    return f"`{_cell(text)}`"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("``", "`")


def _joined(text: str) -> str:
    """Return paragraphs with each on one line."""
    return "\n\n".join(" ".join(part.split()) for part in text.replace("``", "`").split("\n\n"))


def _spaced(lines: Iterable[str]) -> list[str]:
    spaced = list(lines)
    return ["", *spaced] if spaced else []
