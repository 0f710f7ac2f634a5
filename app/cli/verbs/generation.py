"""Generation of the file of commands, from the catalogue and the commands written by hand."""

import dataclasses
import functools
import inspect
import json
import operator
import types
import typing
from collections.abc import Collection, Iterator, Mapping
from datetime import datetime
from typing import Any, Final

from app.api.catalogue import declared
from app.api.operation import Operation, Parameter
from app.api.subjects import SUBJECTS
from app.cli.generated.field_docs import field_docs
from app.cli.verbs.model import JSON, MOMENT, NUMBER, TEXT, WHOLE, YES_NO, OptionShape, Verb, VerbParameter

# Options that no verb has; a passphrase is never an argument, where other programs could read it.
_HIDDEN: Final = frozenset({"job", "confirm", "passphrase"})
# Parameters whose words may come from a file or a pipe, and those that are tags.
_FILES: Final = frozenset({"content", "summary", "prompt"})
_PIPED: Final = frozenset({"query", "text", "value", "ids", "history_ids", "items"})
_TAGS: Final = frozenset({"tags", "add", "remove"})
_SIMPLE: Final = {str: TEXT, int: WHOLE, float: NUMBER, bool: YES_NO, datetime: MOMENT}
_EMPTY: Final[tuple[object, ...]] = (None, "", [], {}, ())


def generated(commands: Mapping[str, Any]) -> str:
    """Return the text of the file, with every entry on its own line.

    Args:
        commands: The commands written by hand, by their words.
    """
    verbs = {" ".join(item.words): _entry(item) for item in map(verb_of, declared())}
    groups = {" ".join(words.split()[:at]) for words in verbs for at in range(1, len(words.split()))}
    parts: dict[str, dict[str, Any]] = {
        "subjects": {name: about_subject(name) for name in sorted(groups)},
        "verbs": dict(sorted(verbs.items())),
        "commands": dict(sorted(commands.items())),
    }
    blocks = [
        f"{json.dumps(name)}: {{\n"
        + ",\n".join(f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}" for key, value in entries.items())
        + "\n}"
        for name, entries in parts.items()
    ]
    return "{\n" + ",\n".join(blocks) + "\n}\n"


def verb_of(operation: Operation) -> Verb:
    """Return the verb that calls an operation."""
    words = operation.words or operation.name.replace(".", " ").replace("_", "-")
    hints = typing.get_type_hints(operation.arguments)
    parameters = [
        parameter for item in operation.parameters for parameter in _parameters(operation, item, hints[item.name])
    ]
    wanted = _argument_names(operation)
    arguments = sorted((item for item in parameters if item.name in wanted), key=lambda item: wanted.index(item.name))
    options = [item for item in parameters if item.name not in wanted or item.inside]
    return Verb(
        operation.name,
        tuple(words.split()),
        operation.summary,
        operation.doc,
        operation.access,
        operation.asks,
        _answer(operation.returns),
        tuple(_in_place(item) for item in arguments if not item.inside)
        + tuple(_named(item, [other.name for other in parameters if other is not item]) for item in options),
        operation.undo,
    )


def command_entry(command: Any) -> dict[str, Any]:
    """Return the entry of a command written by hand."""
    # From the function's annotations: how the parser holds its types changes with its version.
    hints = typing.get_type_hints(inspect.unwrap(command.callback)) if command.callback is not None else {}
    shapes: dict[str, list[dict[str, Any]]] = {"options": [], "arguments": []}
    for item in command.params:
        choices = tuple(map(str, _literal_values(hints.get(item.name))))
        is_option = item.param_type_name == "option"
        names = (*item.opts, *item.secondary_opts) if is_option else ()
        shape = OptionShape(names, item.help or "", choices, not getattr(item, "is_flag", False))
        if not getattr(item, "hidden", False):
            shapes["options" if is_option else "arguments"].append(_entry(shape))
    raw: dict[str, Any] = {"summary": (command.help or "").strip().partition("\n")[0]}
    if command.hidden:
        raw["hidden"] = True
    if hasattr(command, "commands"):
        raw["is_group"] = True
    return raw | {name: shape for name, shape in shapes.items() if shape}


def _literal_values(hint: Any) -> tuple[Any, ...]:
    return typing.get_args(hint) if typing.get_origin(hint) is typing.Literal else ()


def _argument_names(operation: Operation) -> tuple[str, ...]:
    names = operation.positional
    required = [item.name for item in operation.parameters if item.required and item.name not in names]
    return (*names, *(name for name in required if name != operation.filled))


def _parameters(operation: Operation, item: Parameter, hint: Any) -> Iterator[VerbParameter]:
    """Yield the parameter, and the fields of a filter as parameters of their own."""
    parameter = _typed(item.name, hint, item.help)
    default = None if item.required or dataclasses.is_dataclass(item.default) else item.default
    is_filled = item.name == operation.filled
    fields = list(_fields(item.name, hint)) if item.name == "filter" else []
    yield dataclasses.replace(
        parameter,
        required=item.required and not is_filled,
        default=None if default in _EMPTY else default,
        nullable=parameter.nullable and default is not None,
        place="hidden" if item.name in _HIDDEN else "option",
        joins=item.name == operation.joined,
        is_filled=is_filled,
    )
    yield from fields


def _fields(owner: str, hint: Any) -> Iterator[VerbParameter]:
    helps = field_docs(hint)
    hints = typing.get_type_hints(hint)
    for item in dataclasses.fields(hint):
        parameter = _typed(item.name, hints[item.name], helps.get(item.name, ""))
        default = None if item.default in _EMPTY else item.default
        yield dataclasses.replace(parameter, inside=owner, nullable=False, default=default)


def _typed(name: str, hint: Any, help_text: str) -> VerbParameter:
    kind, nullable = _without_null(hint)
    if typing.get_origin(kind) is typing.Annotated:
        kind = typing.get_args(kind)[0]
    base = VerbParameter(name, help=help_text, nullable=nullable)
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if origin is typing.Literal:
        return dataclasses.replace(base, choices=tuple(map(str, inner)))
    if origin in (list, tuple):
        item = _typed(name, inner[0], help_text)
        is_one_kind = origin is list or inner[1:] == (...,)
        if item.kind == JSON or item.many or not is_one_kind:
            return dataclasses.replace(base, kind=JSON, many=True, reads="file")
        splits = bool(item.choices) or item.kind != TEXT or name in _TAGS
        reads = "input" if name in _PIPED else ""
        return dataclasses.replace(item, nullable=nullable, many=True, splits=splits, reads=reads)
    if kind in _SIMPLE:
        reads = "file" if name in _FILES else "input" if name in _PIPED else ""
        return dataclasses.replace(base, kind=_SIMPLE[kind], reads=reads if kind is str else "")
    if origin in (typing.Union, types.UnionType):
        return dataclasses.replace(base, reads="input")
    return dataclasses.replace(base, kind=JSON, reads="file")


def _without_null(hint: Any) -> tuple[Any, bool]:
    inner = typing.get_args(hint)
    if typing.get_origin(hint) in (typing.Union, types.UnionType) and type(None) in inner:
        rest = tuple(item for item in inner if item is not type(None))
        return functools.reduce(operator.or_, rest), True
    return hint, False


def _in_place(item: VerbParameter) -> VerbParameter:
    return dataclasses.replace(item, place="argument")


def _named(item: VerbParameter, others: Collection[str]) -> VerbParameter:
    """Return an option with its names, for a list also the singular."""
    long = "--" + item.name.replace("_", "-")
    if item.inside and item.name in others:
        long = f"--{item.inside}-{long[2:]}"
    if item.kind == YES_NO:
        has_opposite = item.default is not False and not item.nullable
        return dataclasses.replace(item, names=(long, f"--no-{long[2:]}") if has_opposite else (long,))
    single = item.name.removesuffix("s")
    if item.many and item.kind != JSON and single != item.name and single not in others:
        return dataclasses.replace(item, names=(long, "--" + single.replace("_", "-")))
    return dataclasses.replace(item, names=(long,))


def _answer(kind: Any) -> str:
    kind, _ = _without_null(kind)
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if origin in (list, tuple):
        return f"list {_answer(inner[0])}"
    return kind.__name__ if isinstance(kind, type) else "any"


def about_subject(subject: str) -> str:
    """Return what the commands of a subject are about, ``""`` for none."""
    declaration = SUBJECTS.get(subject.replace("-", "_").replace(" ", "."))
    return "" if declaration is None else declaration.about


def _entry(item: Any) -> dict[str, Any]:
    """Return what of a declaration differs from its default."""
    raw: dict[str, Any] = {}
    for each in dataclasses.fields(item):
        value = getattr(item, each.name)
        if each.name == "parameters":
            raw[each.name] = [_entry(entry) for entry in value]
        elif each.name != "words" and (type(value) is not type(each.default) or value != each.default):
            raw[each.name] = list(value) if isinstance(value, tuple) else value
    return raw
