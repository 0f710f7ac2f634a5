"""Command line: calls verbs at once, and loads typer for other commands only."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from app.cli import terminal
from app.cli.error_output import USAGE
from app.cli.input import given_path
from app.cli.usage import WrongUsageError, suggestion
from app.cli.verbs.declarations import declarations, names_after, verb
from app.core.paths import default_vault

_HELP = ("-h", "--help")


@dataclass(frozen=True, slots=True)
class CommandLine:
    """A command line that begins with a subject of the catalogue.

    Args:
        vault: The vault that it names, ``None`` for the usual one.
        words: The command, as far as it is known.
        rest: What follows it.
    """

    vault: str | None
    words: str
    rest: tuple[str, ...]


def run(arguments: Sequence[str]) -> int:
    """Run a command line and return its exit status."""
    line = verb_line(arguments)
    return run_by_hand(arguments) if line is None else _run_line(line)


def verb_line(arguments: Sequence[str]) -> CommandLine | None:
    """Return the verb or subject of a command line, ``None`` for other commands."""
    vault, rest = None, list(arguments)
    while rest and rest[0].startswith("--"):
        name, sign, value = rest.pop(0).partition("=")
        if name == "--vault" and (sign or rest):
            vault = value if sign else rest.pop(0)
        elif name != "--debug" or sign:
            return None
    known, words = declarations(), ""
    while rest and (longer := f"{words} {rest[0]}".strip()) and _is_of_catalogue(longer):
        words = longer
        rest.pop(0)
        if words in known.verbs:
            break
    by_hand = f"{words} {rest[0]}" if rest else words
    if not words or by_hand in known.commands or (words in known.commands and words not in known.verbs):
        return None
    return CommandLine(vault, words, tuple(rest))


def _is_of_catalogue(words: str) -> bool:
    known = declarations()
    return words in known.subjects or (words in known.verbs and words not in known.commands)


def _run_line(line: CommandLine) -> int:
    declaration = verb(line.words)
    if declaration is not None:
        from app.cli.verbs.performance import run_verb  # noqa: PLC0415  (help of a subject has no use for it)

        vault = given_path(line.vault) if line.vault is not None else default_vault().absolute()
        return run_verb(declaration, line.rest, Path(vault))
    if line.rest and line.rest[0] not in _HELP:
        shown = terminal.one_line(line.rest[0])
        near = suggestion(shown, names_after(line.words))
        raise WrongUsageError(f"No such command '{shown}'{near}", f"keepsake {line.words}")
    from app.cli.verbs.command_help import subject_help  # noqa: PLC0415

    terminal.say_all(subject_help(line.words))
    return 0 if line.rest else USAGE


def run_by_hand(arguments: Sequence[str]) -> int:
    """Run a command line whose command is written by hand, and return its exit status."""
    import typer  # noqa: PLC0415

    from app.cli.root import root  # noqa: PLC0415

    # Not its ``main``, which would leave with a status of its own when the reader of our output has gone.
    command = root()
    try:
        with command.make_context("keepsake", list(arguments)) as context:
            command.invoke(context)
    except typer.Exit as leaving:
        return leaving.exit_code
    return 0


def help_lines(words: Sequence[str]) -> list[str]:
    """Return the help of a command.

    Raises:
        WrongUsageError: There is none of that name.
    """
    line = verb_line(words) if words else None
    if line is None:
        return _help_by_hand(words)
    from app.cli.verbs.command_help import subject_help, verb_help  # noqa: PLC0415

    declaration = verb(line.words)
    if line.rest:
        raise WrongUsageError(f"There is no command '{terminal.one_line(' '.join(words))}'")
    return subject_help(line.words) if declaration is None else verb_help(declaration)


def _help_by_hand(words: Sequence[str]) -> list[str]:
    import typer  # noqa: PLC0415

    from app.cli.root import root  # noqa: PLC0415

    command = root()
    shown = typer.Context(command, info_name="keepsake")
    for word in words:
        inner = command.get_command(shown, word) if hasattr(command, "get_command") else None
        if inner is None:
            raise WrongUsageError(f"There is no command '{terminal.one_line(' '.join(words))}'")
        shown = typer.Context(inner, info_name=word, parent=shown)
        command = inner
    return str(command.get_help(shown)).split("\n")
