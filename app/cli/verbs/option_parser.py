"""Parser of a verb's command line.

Typer loads ``pydantic`` to check any value, which takes longer than the call itself, and ``argparse`` refuses values
that begin with a dash and treats ``--`` differently in every version of Python.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from app.cli.usage import WrongUsageError, suggestion
from app.cli.verbs.model import JSON, YES_NO, Verb, VerbParameter

HELP: Final = ("-h", "--help")
AS_JSON: Final = "--json"
YES: Final = "--yes"


@dataclass(slots=True)
class ParsedLine:
    """Values and flags of a command line.

    Args:
        values: By the parameter's identifier: a text, a list of texts, or true or false for a flag.
        as_json: Whether to print the answer as JSON.
        is_sure: Whether not to ask.
        wants_help: Whether to show the help instead.
    """

    values: dict[str, Any] = field(default_factory=dict)
    as_json: bool = False
    is_sure: bool = False
    wants_help: bool = False


def parsed(verb: Verb, words: Sequence[str]) -> ParsedLine:
    """Return what the words after a verb give it.

    Raises:
        WrongUsageError: They do not fit.
    """
    line = ParsedLine()
    options = {name: item for item in verb.parameters if item.place == "option" for name in item.names}
    arguments = [item for item in verb.parameters if item.place == "argument"]
    # What stands at a place may also be named, such as ``--since today``.
    options = {f"--{item.name.replace('_', '-')}": item for item in arguments} | options
    placed: list[str] = []
    rest = iter(words)
    for word in rest:
        if word == "--":
            placed += rest
        elif word == "-" or not word.startswith("-"):
            placed.append(word)
        elif word in HELP:
            line.wants_help = True
        elif word == AS_JSON:
            line.as_json = True
        elif word == YES:
            line.is_sure = True
        else:
            _take_option(line, options, word, rest)
    if not line.wants_help:
        _place(line, [item for item in arguments if item.identifier not in line.values], placed)
    return line


def takes_several(item: VerbParameter) -> bool:
    """Return whether a parameter without an option takes all the words that are left."""
    return item.joins or (item.many and item.kind != JSON)


def is_flag(item: VerbParameter) -> bool:
    """Return whether an option stands alone, without a value."""
    return item.kind == YES_NO and not item.nullable


def _take_option(line: ParsedLine, options: dict[str, VerbParameter], word: str, rest: Iterator[str]) -> None:
    name, sign, value = word.partition("=")
    item = options.get(name)
    if item is None:
        raise WrongUsageError(f"No such option: {name}{suggestion(name, [*options, AS_JSON, *HELP])}")
    if is_flag(item):
        if sign:
            raise WrongUsageError(f"Option '{name}' does not take a value")
        line.values[item.identifier] = name == item.names[0]
        return
    option_value = value if sign else next(rest, None)
    if option_value is None:
        raise WrongUsageError(f"Option '{name}' requires an argument")
    if item.many or item.kind == JSON:
        line.values.setdefault(item.identifier, []).append(option_value)
    else:
        line.values[item.identifier] = option_value


def _place(line: ParsedLine, items: Sequence[VerbParameter], words: list[str]) -> None:
    """Give the words to the parameters in order; one may take several.

    One that may be left out gets a word only if enough are left for those that may not.
    """
    after = 0
    for at, item in enumerate(items):
        after = len(items) - at - 1
        if takes_several(item):
            count = max(len(words) - after, 0)
            values: Any = words[:count]
            del words[:count]
        else:
            needed = sum(later.required for later in items[at + 1 :])
            values = words.pop(0) if len(words) > (0 if item.required else needed) else None
        if not values and values != "" and item.required:
            raise WrongUsageError(f"Missing argument '{item.name.upper()}'")
        if values is not None:
            line.values[item.identifier] = values
    if words:
        plural = "s" if len(words) > 1 else ""
        raise WrongUsageError(f"Got unexpected extra argument{plural} ({' '.join(words)})")
