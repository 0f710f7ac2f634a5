"""The parser's commands for verbs, each made when it is asked for."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal

import typer

from app.cli.usage import WrongUsageError
from app.cli.verbs.model import JSON, NUMBER, WHOLE, YES_NO, Verb, VerbParameter
from app.cli.verbs.values import arguments_of, standard_input

_NUMBERS: Final = {WHOLE: int, NUMBER: float}


@dataclass(frozen=True, slots=True)
class VerbCall:
    """A verb as it was called.

    Args:
        verb: The verb.
        arguments: The operation's arguments, as JSON values.
        context: The parser's context, which holds the vault.
        as_json: Whether to print the answer as JSON.
        is_sure: Whether not to ask.
    """

    verb: Verb
    arguments: dict[str, Any]
    context: typer.Context
    as_json: bool
    is_sure: bool


def command_of(verb: Verb, perform: Callable[[VerbCall], None]) -> Any:
    """Return the parser's command of a verb.

    Args:
        verb: The verb.
        perform: Takes each call of it.
    """

    def run(**given: Any) -> None:
        context: typer.Context = given.pop("context")
        as_json, is_sure = bool(given.pop("as_json__")), bool(given.pop("is_sure__", False))
        try:
            arguments = arguments_of(verb, given, standard_input)
            perform(VerbCall(verb, arguments, context, as_json, is_sure))
        except WrongUsageError as error:
            error.command = context.command_path
            raise

    made = [inspect.Parameter("context", _KEYWORD, annotation=typer.Context)]
    made += [_parameter(item) for item in verb.parameters if item.place != "hidden"]
    made.append(_flag("as_json__", "--json", "Print the answer as JSON."))
    if verb.asks:
        made.append(_flag("is_sure__", "--yes", "Do not ask; this cannot be undone."))
    run.__signature__ = inspect.Signature(made)  # type: ignore[attr-defined]
    run.__annotations__ = {item.name: item.annotation for item in made}
    application = typer.Typer(rich_markup_mode=None, add_completion=False, pretty_exceptions_enable=False)
    settings = {"help_option_names": ["-h", "--help"]}
    application.command(name=verb.words[-1], help=_help_text(verb), context_settings=settings)(run)
    return typer.main.get_command(application)


_KEYWORD: Final = inspect.Parameter.KEYWORD_ONLY


def _parameter(item: VerbParameter) -> inspect.Parameter:
    if item.place == "argument":
        declared: Any = typer.Argument(metavar=_metavar(item), help=help_words(item), show_default=False)
    else:
        names = ["/".join(item.names)] if item.kind == YES_NO else list(item.names)
        metavar = None if item.kind == YES_NO and not item.nullable else _metavar(item)
        declared = typer.Option(*names, metavar=metavar, help=help_words(item), show_default=False)
    default = inspect.Parameter.empty if item.required else None
    kind = _kind(item) if item.required else _kind(item) | None
    return inspect.Parameter(item.identifier, _KEYWORD, annotation=Annotated[kind, declared], default=default)


def _kind(item: VerbParameter) -> Any:
    if item.joins or (item.many and not (item.kind == JSON and item.place == "argument")):
        return list[str]
    if item.kind == JSON:
        return str if item.place == "argument" else list[str]
    if item.choices:
        return Literal[item.choices]
    if item.kind == YES_NO and item.nullable:
        return Literal["true", "false", "null"]
    return bool if item.kind == YES_NO else _NUMBERS.get(item.kind, str)


def _flag(name: str, option: str, help_text: str) -> inspect.Parameter:
    declared = Annotated[bool, typer.Option(option, help=help_text)]
    return inspect.Parameter(name, _KEYWORD, annotation=declared, default=False)


def _metavar(item: VerbParameter) -> str | None:
    if item.place == "argument":
        name = item.name.upper()
        name = name.removesuffix("S") if item.many and item.kind != JSON else name
        name += "..." if item.joins or (item.many and item.kind != JSON) else ""
        return name if item.required else f"[{name}]"
    if item.choices:
        return "|".join(item.choices)
    return {WHOLE: "NUMBER", NUMBER: "NUMBER", YES_NO: "true|false|null"}.get(item.kind, item.kind.upper())


def synopsis(verb: Verb) -> str:
    """Return the arguments of a verb as its usage shows them."""
    return " ".join(_metavar(item) or "" for item in verb.parameters if item.place == "argument")


def help_words(item: VerbParameter) -> str:
    """Return what a parameter means, with what it may be and what it is when left out."""
    parts = [item.help]
    if item.choices and item.place == "argument":
        parts.append(f"One of {', '.join(item.choices)}.")
    if item.splits:
        parts.append("Several with commas, or by giving it again.")
    if item.reads:
        file = ", '@FILE' that file" if item.reads == "file" else ""
        parts.append(f"'-' is standard input{file}.")
    if item.default is not None and item.default is not False:
        shown = "yes" if item.default is True else ", ".join(map(str, _listed(item.default)))
        parts.append(f"[default: {shown}]")
    return " ".join(part for part in parts if part).replace("``", "'")


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _help_text(verb: Verb) -> str:
    return f"{verb.summary}\n\n{verb.doc}".strip().replace("``", "'")
