"""Root of the commands written by hand, which are loaded one by one."""

from importlib import import_module
from typing import Annotated, Any, Final

import typer

from app import __version__
from app.cli import terminal
from app.cli.input import given_path
from app.cli.verbs.group import ListedGroup, listed_group
from app.core.paths import default_vault

# Groups of commands: module and name. Every single command is in ``_COMMANDS``.
_GROUPS: Final = {
    "agent": ("app.cli.groups.agent_commands", "application"),
    "backup": ("app.cli.groups.maintenance", "backups"),
    "config": ("app.cli.groups.config_commands", "application"),
    "encryption": ("app.cli.groups.encryption_commands", "application"),
    "secret": ("app.cli.groups.secret_commands", "application"),
}
_COMMANDS: Final = ("app.cli.commands", "application")


class RootGroup(ListedGroup):
    """The program: commands written by hand, and the subjects of the catalogue."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(load=_load, **attributes)


application = typer.Typer(
    name="keepsake",
    cls=RootGroup,
    no_args_is_help=False,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _on_version(wanted: bool) -> None:
    if wanted:
        terminal.say(f"keepsake {__version__}")
        raise typer.Exit


def _on_self_test(wanted: bool) -> None:
    if wanted:
        from app.cli.self_test import run_self_test  # noqa: PLC0415

        raise typer.Exit(run_self_test(terminal.say))


@application.callback(invoke_without_command=True)
def window(
    context: typer.Context,
    vault: Annotated[str | None, typer.Option(metavar="FOLDER", help="The vault's folder.", show_default=False)] = None,
    hidden: Annotated[bool, typer.Option("--hidden", help="Start the window in the tray.")] = False,
    safe_mode: Annotated[
        bool, typer.Option("--safe-mode", help="Start the window without schedules, models and your appearance.")
    ] = False,
    locked: Annotated[
        bool, typer.Option("--locked", help="Start the window locked, whatever the system's keyring holds.")
    ] = False,
    link: Annotated[str, typer.Option("--open", metavar="LINK", help="Open the window at a keepsake:// link.")] = "",
    debug: Annotated[bool, typer.Option("--debug", help="Say more, with the traceback of a failure.")] = False,
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", is_eager=True, callback=_on_version)
    ] = False,
    self_test: Annotated[
        bool,
        typer.Option(
            "--self-test",
            help="Try every part of this installation on a temporary vault.",
            is_eager=True,
            callback=_on_self_test,
        ),
    ] = False,
) -> None:
    """Keep one person's long-term memory. Without a command, open the window.

    The vault is --vault, else the variable KEEPSAKE_VAULT, else the platform's data folder. If Keepsake has the vault
    open, commands go through it; otherwise they open the vault themselves. Exit statuses: 0 done, 1 something was left
    out or is wrong, 2 wrong usage, 3 only pictures and other files were left out, 65 wrong input, 69 not running, 74 a
    failure of the machine, 75 the vault is in use, 77 not allowed, 130 interrupted.
    """
    context.obj = given_path(vault) if vault is not None else default_vault().absolute()
    if context.invoked_subcommand is None:
        from app.cli.entry_points import open_window  # noqa: PLC0415

        arguments = ["--hidden"] * hidden + ["--safe-mode"] * safe_mode + ["--locked"] * locked
        arguments += ["--open", link] if link else []
        raise typer.Exit(open_window(context.obj, arguments))


def root() -> Any:
    """Return the parser's command of the program."""
    return typer.main.get_command(application)


def commands_by_hand() -> dict[str, Any]:
    """Return every command written by hand, by its words; ``""`` is the program itself."""
    commands: dict[str, Any] = {"": root()}
    single, name = _COMMANDS
    everything: dict[str, Any] = {**typer.main.get_group(getattr(import_module(single), name)).commands}
    everything |= {group: group_command for group in _GROUPS if (group_command := _load(group)) is not None}
    for words, command in everything.items():
        commands[words] = command
        commands |= {
            f"{words} {inner}": inner_command for inner, inner_command in getattr(command, "commands", {}).items()
        }
    return commands


def _load(name: str) -> Any:
    """Return a command written by hand, ``None`` where there is none."""
    module, attribute = _GROUPS.get(name, _COMMANDS)
    application = getattr(import_module(module), attribute)
    if name in _GROUPS:
        has_commands = application.registered_commands or application.registered_groups
        return listed_group(name, typer.main.get_group(application)) if has_commands else None
    return typer.main.get_group(application).commands.get(name)
