"""``keepsake agent connect`` and ``disconnect``: the entry in a client's configuration."""

import os
import sys
from typing import Annotated, Any, Final

import typer

from app.cli import terminal
from app.cli.connect import VaultConnection, open_connection
from app.connections import entries, planning
from app.connections.clients import CLIENTS, VARIABLES, client_config
from app.connections.model import ClientConfig

_PLACEHOLDER: Final = "kst_made_when_written"
_REFUSED: Final = 1

application = typer.Typer(rich_markup_mode=None)

Client = Annotated[str, typer.Argument(help=f"The client: {', '.join(CLIENTS)}.", show_default=False)]
Yes = Annotated[bool, typer.Option("--yes", help="Write without asking.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show the change; add no agent and write nothing.")]


@application.command()
def connect(
    context: typer.Context,
    client: Client,
    trust: Annotated[str, typer.Option(help="full, inner, familiar or public.")] = "inner",
    name: Annotated[str, typer.Option(help="The agent's name; the client's by default.")] = "",
    hooks: Annotated[bool, typer.Option("--hooks", help="Also install hooks, where the client has them.")] = False,
    review: Annotated[bool, typer.Option("--review", help="Let its writes wait in the inbox.")] = False,
    show: Annotated[bool, typer.Option("--print", help="Print the entry for any client; change no file.")] = False,
    yes: Yes = False,
    dry_run: DryRun = False,
) -> None:
    """Connect a client: add an agent for it, and Keepsake to its configuration.

    The change is shown first, and the configuration is copied before it is written. The agent's token stands in the
    entry; 'keepsake agent disconnect' takes both back.
    """
    agent = terminal.given(name)
    if show:
        _print_entry(context, client, agent or client, trust, review=review, dry_run=dry_run)
        return
    wanted = {"client": client, "agent": agent, "trust": trust, "hooks": hooks, "variables": _variables()}
    with open_connection(context.obj) as connection:
        seen = _shown(connection, wanted)
        if dry_run or not _is_confirmed(yes=yes):
            terminal.tell("Nothing was written.")
            raise typer.Exit(0 if dry_run else _REFUSED)
        result = connection.call("connection.write", **wanted, review=review, seen=seen)
    terminal.say(
        f"{result['title']} is connected as the agent {result['agent']} with {trust} trust. {result['next_step']}"
    )


@application.command()
def disconnect(context: typer.Context, client: Client, yes: Yes = False, dry_run: DryRun = False) -> None:
    """Take back what connect wrote into a client's configuration, and end the agent's access."""
    wanted = {"client": client, "variables": _variables()}
    with open_connection(context.obj) as connection:
        seen = _shown(connection, {**wanted, "removal": True})
        if dry_run or not _is_confirmed(yes=yes):
            terminal.tell("Nothing was written.")
            raise typer.Exit(0 if dry_run else _REFUSED)
        ended = connection.call("connection.remove", **wanted, seen=seen)
    terminal.say(f"{ended['title']} is no longer connected, and the access of the agent {ended['agent']} has ended.")


def _shown(connection: VaultConnection, wanted: dict[str, Any]) -> str:
    """Show what would change, and return the digest of it."""
    preview = connection.call("connection.preview", **wanted)
    for sentence in preview["left"]:
        terminal.tell(sentence)
    for file in preview["files"]:
        terminal.say(file["path"])
        terminal.say(file["diff"])
    return str(preview["digest"])


def _variables() -> dict[str, str]:
    """Return the variables of this command, for a running Keepsake may have others."""
    return {name: os.environ[name] for name in VARIABLES if name in os.environ}


def _print_entry(context: typer.Context, client: str, agent: str, trust: str, *, review: bool, dry_run: bool) -> None:
    config = client_config(client, os.environ)
    token = _PLACEHOLDER
    if not dry_run:
        with open_connection(context.obj) as connection:
            token = connection.call("agent.add", name=agent, trust=trust, review=review)["token"]
    form = config or ClientConfig(agent, agent, "")
    terminal.say(planning.printed(form, entries.server_entry(context.obj, config, token)).rstrip("\n"))
    terminal.tell(
        f"{'Would be added' if dry_run else 'Added'}: the agent {agent} with {trust} trust."
        + (f" The entry belongs in {config.path}." if config is not None else "")
    )


def _is_confirmed(*, yes: bool) -> bool:
    if yes:
        return True
    if sys.stdin is None or not sys.stdin.isatty():
        terminal.tell("Use --yes to write this without being asked.")
        return False
    return typer.confirm("Write this?")
