"""Declarations of commands, as the generated file holds them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

WHOLE: Final = "whole"
NUMBER: Final = "number"
YES_NO: Final = "yes_no"
MOMENT: Final = "moment"
JSON: Final = "json"
TEXT: Final = "text"


@dataclass(frozen=True, slots=True)
class VerbParameter:
    """A parameter of a verb.

    Args:
        name: The operation's name for it.
        kind: ``text``, ``whole``, ``number``, ``yes_no``, ``moment`` or ``json``.
        help: What it means.
        place: ``argument``, ``option``, or ``hidden`` for what the program itself fills in.
        required: Whether the verb cannot do without it.
        default: The operation's value for it, where that is worth showing.
        choices: The texts it may be.
        many: Whether it is a list.
        nullable: Whether null means something other than its default.
        reads: ``input`` when ``-`` means standard input, ``file`` when also ``@path`` means a file.
        splits: Whether commas separate its values.
        joins: Whether its words are joined by blanks.
        is_filled: Whether the program looks it up when it is left out.
        inside: The object parameter that it is a field of.
        names: Its options on the command line.
    """

    name: str
    kind: str = TEXT
    help: str = ""
    place: str = "option"
    required: bool = False
    default: Any = None
    choices: tuple[str, ...] = ()
    many: bool = False
    nullable: bool = False
    reads: str = ""
    splits: bool = False
    joins: bool = False
    is_filled: bool = False
    inside: str = ""
    names: tuple[str, ...] = ()

    @property
    def identifier(self) -> str:
        """Return a name that no other parameter of the verb has."""
        return f"{self.inside}__{self.name}" if self.inside else self.name


@dataclass(frozen=True, slots=True)
class Verb:
    """A command that calls one operation.

    Args:
        operation: The operation's name.
        words: What is typed after ``keepsake``.
        summary: What it does, in a line.
        doc: The rest of its documentation.
        access: ``read`` or ``write``.
        asks: Whether it takes away something that cannot be brought back, and so asks first.
        answer: The name of the answer's type.
        parameters: In the order of the command line.
        undo: ``history`` where the undo of its entry there brings back what it changed, ``operation`` where another
            operation does.
    """

    operation: str
    words: tuple[str, ...]
    summary: str
    doc: str = ""
    access: str = "read"
    asks: bool = False
    answer: str = ""
    parameters: tuple[VerbParameter, ...] = ()
    undo: str = ""


@dataclass(frozen=True, slots=True)
class OptionShape:
    """An option or argument as completion sees it."""

    names: tuple[str, ...] = ()
    help: str = ""
    choices: tuple[str, ...] = ()
    takes_value: bool = True
    splits: bool = False


@dataclass(frozen=True, slots=True)
class CommandShape:
    """A command as completion sees it.

    Args:
        summary: What it does, in a line.
        hidden: Whether it is left out of lists.
        is_group: Whether commands follow it.
        options: Its options.
        arguments: Its arguments.
    """

    summary: str = ""
    hidden: bool = False
    is_group: bool = False
    options: tuple[OptionShape, ...] = ()
    arguments: tuple[OptionShape, ...] = ()


@dataclass(frozen=True, slots=True)
class Declarations:
    """Every command of the program.

    Args:
        subjects: What the verbs of a subject are about, by the words before the verb.
        verbs: The verbs as the file holds them, by their words joined with blanks.
        commands: The commands written by hand as the file holds them, by their words; ``""`` is the program itself.
    """

    subjects: Mapping[str, str] = field(default_factory=dict)
    verbs: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    commands: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


def verb_of(words: str, raw: Mapping[str, Any]) -> Verb:
    """Return the verb in an entry of the file."""
    values = {name: value for name, value in raw.items() if name != "parameters"}
    return Verb(
        **values, words=tuple(words.split()), parameters=tuple(parameter_of(item) for item in raw.get("parameters", ()))
    )


def parameter_of(raw: Mapping[str, Any]) -> VerbParameter:
    """Return the parameter in an entry of the file."""
    values: dict[str, Any] = {name: tuple(value) if name in _TUPLES else value for name, value in raw.items()}
    return VerbParameter(**values)


def shape_of(raw: Mapping[str, Any]) -> CommandShape:
    """Return the command in an entry of the file."""
    values = {name: value for name, value in raw.items() if name not in {"options", "arguments"}}
    return CommandShape(
        **values,
        options=tuple(option_of(item) for item in raw.get("options", ())),
        arguments=tuple(option_of(item) for item in raw.get("arguments", ())),
    )


def option_of(raw: Mapping[str, Any]) -> OptionShape:
    """Return the option in an entry of the file."""
    values: dict[str, Any] = {name: tuple(value) if name in _TUPLES else value for name, value in raw.items()}
    return OptionShape(**values)


_TUPLES: Final = frozenset({"choices", "names"})
