"""The parser's groups of commands written by hand, listed together with the verbs beside them."""

from collections.abc import Callable
from typing import Any

from typer.core import TyperGroup

from app.cli import terminal
from app.cli.usage import WrongUsageError, suggestion
from app.cli.verbs.declarations import names_after

Load = Callable[[str], Any]


class ListedGroup(TyperGroup):
    """Commands after some words, each loaded when it is asked for.

    Verbs are called before this parser is loaded; here they are only listed.

    Args:
        words: The words; none for the program itself.
        load: Returns a command written by hand by its name, ``None`` where there is none.
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
        if cmd_name not in self.commands and self.load is not None:
            command = self.load(cmd_name)
            if command is not None:
                self.commands[cmd_name] = command
        return self.commands.get(cmd_name)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command of the next word.

        Raises:
            WrongUsageError: There is none; the sentence names one like it.
        """
        if args and not args[0].startswith("-") and self.get_command(ctx, args[0]) is None:
            shown = terminal.one_line(args[0])
            raise WrongUsageError(
                f"No such command '{shown}'{suggestion(shown, self.list_commands(ctx))}", ctx.command_path
            )
        return super().resolve_command(ctx, args)

    def format_commands(self, _ctx: Any, formatter: Any) -> None:
        """Write the commands with a line about each, without making them."""
        rows = sorted(names_after(self.words).items())
        if rows:
            with formatter.section("Commands"):
                formatter.write_dl(rows)


def listed_group(words: str, group: Any) -> ListedGroup:
    """Return a group written by hand that lists the verbs beside its commands."""
    return ListedGroup(
        words=words,
        name=words,
        help=group.help,
        commands=group.commands,
        callback=group.callback,
        params=group.params,
        invoke_without_command=group.invoke_without_command,
        no_args_is_help=not group.invoke_without_command,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
