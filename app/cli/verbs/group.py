"""The parser's groups: a subject's verbs, and beside them the commands written by hand."""

from collections.abc import Callable
from typing import Any

from typer.core import TyperGroup

from app.cli.verbs.command import VerbCall, command_of
from app.cli.verbs.declarations import declarations, names_after, verb

Load = Callable[[str], Any]


def perform(call: VerbCall) -> None:
    """Call a verb's operation and print the answer."""
    from app.cli.verbs.performance import perform_call  # noqa: PLC0415  (help and completion have no use for it)

    perform_call(call)


class VerbGroup(TyperGroup):
    """Commands after some words, each made when it is asked for.

    Args:
        words: The words; none for the program itself.
        load: Returns a command written by hand by its name, ``None`` where there is none; it goes before a verb.
        attributes: Those of the parser's group.
    """

    def __init__(self, *, words: str = "", load: Load | None = None, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.words = words
        self.load = load

    def list_commands(self, _ctx: Any) -> list[str]:
        """Return the names of the commands."""
        return sorted(names_after(self.words))

    def get_command(self, _ctx: Any, cmd_name: str) -> Any:
        """Return a command by its name."""
        known = self.commands.get(cmd_name)
        if known is None:
            known = self._made(cmd_name)
            if known is not None:
                self.commands[cmd_name] = known
        return known

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the commands with a line about each, without making them."""
        rows = sorted(names_after(self.words).items())
        width = max(formatter.width - 6 - max((len(name) for name, _ in rows), default=0), 20)
        if rows:
            with formatter.section("Commands"):
                formatter.write_dl([(name, _shortened(about, width)) for name, about in rows])
        del ctx

    def _made(self, name: str) -> Any:
        known, words = declarations(), f"{self.words} {name}".strip()
        is_verb = words in known.subjects or words in known.verbs
        is_by_hand = self.load is not None and (words in known.commands or not is_verb)
        by_hand = self.load(name) if self.load is not None and is_by_hand else None
        if by_hand is None and words in known.subjects:
            return subject_group(words)
        if by_hand is not None and words in known.subjects and hasattr(by_hand, "commands"):
            return _merged(by_hand, words)
        if by_hand is None and (found := verb(words)) is not None:
            return command_of(found, perform)
        return by_hand


def subject_group(words: str, load: Load | None = None, **attributes: Any) -> VerbGroup:
    """Return the group of a subject's verbs."""
    defaults = {
        "name": words.split()[-1],
        "help": declarations().subjects.get(words, ""),
        "no_args_is_help": True,
        "rich_markup_mode": None,
        "context_settings": {"help_option_names": ["-h", "--help"]},
    }
    return VerbGroup(words=words, load=load, **{**defaults, **attributes})


def _merged(by_hand: Any, words: str) -> VerbGroup:
    return subject_group(
        words,
        by_hand.commands.get,
        help=by_hand.help or declarations().subjects[words],
        callback=by_hand.callback,
        params=by_hand.params,
        invoke_without_command=by_hand.invoke_without_command,
        no_args_is_help=not by_hand.invoke_without_command,
    )


def _shortened(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 3].rsplit(" ", 1)[0] + "..."

