"""``keepsake agent connect`` and ``disconnect``: the entry in a client's configuration."""

import os
import shlex
import shutil
import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from app.cli import terminal
from app.cli.connect import open_connection
from app.connections import config_files, planning, receipts
from app.connections.clients import CLIENTS, client_config
from app.connections.model import ClientConfig, ConnectionReceipt, FilePlan, ServerEntry, WrittenFile
from app.core.paths import default_vault
from app.errors import InputError, KeepsakeError

_PLACEHOLDER: Final = "kst_made_when_written"
_VAULT: Final = "KEEPSAKE_VAULT"

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
    agent = terminal.given(name) or client
    found = client_config(client, os.environ)
    if show:
        _print_entry(context, found, agent, trust, review=review, dry_run=dry_run)
        return
    if found is None:
        raise InputError(f"There is no client '{client}'. Use one of {', '.join(CLIENTS)}; --print serves all others.")
    if client in receipts.read_receipts(context.obj):
        raise InputError(f"{found.title} is connected already. Use 'keepsake agent disconnect {client}' first.")
    if hooks and not found.hooks:
        raise InputError(f"{found.title} has no hooks. Leave out --hooks; its transcripts can be watched instead.")
    plans = _plans(context, found, _PLACEHOLDER, hooks=hooks)
    for plan in plans:
        terminal.say(plan.path)
        terminal.say(planning.diff(plan))
    if dry_run or not _is_confirmed(yes=yes):
        terminal.tell("Nothing was written.")
        return
    _connect(context, found, agent, {"trust": trust, "review": review}, hooks=hooks)
    terminal.say(f"{found.title} is connected as the agent {agent} with {trust} trust. {found.restart}")


@application.command()
def disconnect(context: typer.Context, client: Client, yes: Yes = False, dry_run: DryRun = False) -> None:
    """Take back what connect wrote into a client's configuration, and end the agent's access."""
    known = receipts.read_receipts(context.obj)
    made = known.get(client)
    found = client_config(client, os.environ)
    if made is None or found is None:
        raise InputError(f"'{client}' was not connected from this vault, so there is nothing to take back.")
    plans: list[FilePlan] = []
    for written in made.files:
        plan, left = _removal(found, written)
        for sentence in left:
            terminal.tell(sentence)
        if plan.before != plan.after:
            plans.append(plan)
            terminal.say(plan.path)
            terminal.say(planning.diff(plan))
    if dry_run or not _is_confirmed(yes=yes):
        terminal.tell("Nothing was written.")
        return
    for plan in plans:
        config_files.write_config(Path(plan.path), plan.before, plan.after)
    _revoke(context, made.agent)
    receipts.write_receipts(context.obj, {name: other for name, other in known.items() if name != client})
    terminal.say(f"{found.title} is no longer connected, and the access of the agent {made.agent} has ended.")


# Connect ----------------------------------------------------------------------------------------------------------


def _connect(context: typer.Context, client: ClientConfig, agent: str, given: dict[str, Any], *, hooks: bool) -> None:
    with open_connection(context.obj) as connection:
        made = connection.call("agent.add", name=agent, **given)
    done: list[WrittenFile] = []
    try:
        # Planned again, for the file may have changed while the person was reading.
        for plan in _plans(context, client, made["token"], hooks=hooks):
            backup = config_files.write_config(Path(plan.path), plan.before, plan.after)
            done.append(_receipt(context, client, plan, backup, made["token"], hooks=hooks))
        known = receipts.read_receipts(context.obj)
        receipts.write_receipts(context.obj, {**known, client.name: ConnectionReceipt(client.name, agent, tuple(done))})
    except BaseException:
        for written in done:
            _put_back(written)
        _revoke(context, agent)
        raise


def _plans(context: typer.Context, client: ClientConfig, token: str, *, hooks: bool) -> list[FilePlan]:
    text = config_files.read_config(Path(client.path))
    plan = planning.plan_entry(client, text, _entry(context, client, token))
    if not hooks:
        return [plan]
    commands = _hooks(context, client, token)
    if client.hooks_path == client.path:
        # One file for both: the hooks are added to what the entry made of it.
        added = planning.plan_hooks(client, plan.after, commands)
        return [replace(plan, after=added.after, made=(*plan.made, *added.made))]
    text = config_files.read_config(Path(client.hooks_path))
    return [plan, planning.plan_hooks(client, text, commands)]


def _receipt(
    context: typer.Context, client: ClientConfig, plan: FilePlan, backup: str, token: str, *, hooks: bool
) -> WrittenFile:
    has_entry, has_hooks = plan.path == client.path, hooks and plan.path == client.hooks_path
    return WrittenFile(
        plan.path,
        backup,
        "" if plan.before is None else planning.digest_of(plan.before),
        planning.digest_of(plan.after or ""),
        planning.digest_of(_entry(context, client, token).value()) if has_entry else "",
        {
            event: planning.digest_of(planning.hook_value(client, command))
            for event, command in _hooks(context, client, token).items()
        }
        if has_hooks
        else {},
        plan.made,
    )


def _entry(context: typer.Context, client: ClientConfig | None, token: str) -> ServerEntry:
    command, *arguments = _program()
    vault = {} if context.obj == default_vault().absolute() and _VAULT not in os.environ else {_VAULT: str(context.obj)}
    env = {"KEEPSAKE_TOKEN": token, **vault}
    return ServerEntry(command, (*arguments, "mcp"), env, has_type=client is not None and client.has_type)


def _hooks(context: typer.Context, client: ClientConfig, token: str) -> dict[str, str]:
    """Return our hook commands by event, with the token as a shell variable."""
    env = _entry(context, client, token).env
    variables = " ".join(f"{name}={shlex.quote(value)}" for name, value in env.items())
    program = shlex.join(_program())
    return {event: f"{variables} {program} hook {ours}" for event, ours in client.hooks}


def _program() -> list[str]:
    """Return how this program is started, with an absolute path."""
    if getattr(sys, "frozen", False):
        return [sys.executable]
    started = Path(sys.argv[0])
    if started.stem == "keepsake" and started.is_file():
        return [str(started.absolute())]
    installed = shutil.which("keepsake", path=str(Path(sys.executable).parent))
    return [installed] if installed else [sys.executable, "-m", "app"]


def _print_entry(
    context: typer.Context, client: ClientConfig | None, agent: str, trust: str, *, review: bool, dry_run: bool
) -> None:
    token = _PLACEHOLDER
    if not dry_run:
        with open_connection(context.obj) as connection:
            token = connection.call("agent.add", name=agent, trust=trust, review=review)["token"]
    form = client or ClientConfig(agent, agent, "")
    terminal.say(planning.printed(form, _entry(context, client, token)).rstrip("\n"))
    terminal.tell(
        f"{'Would be added' if dry_run else 'Added'}: the agent {agent} with {trust} trust."
        + (f" The entry belongs in {client.path}." if client is not None else "")
    )


# Disconnect -------------------------------------------------------------------------------------------------------


def _removal(client: ClientConfig, written: WrittenFile) -> tuple[FilePlan, tuple[str, ...]]:
    text = config_files.read_config(Path(written.path))
    if text is None:
        return FilePlan(written.path, None, None), (f"{written.path} is gone already.",)
    if planning.digest_of(text) == written.after:
        # Nobody has touched it since: it becomes what it was, to the byte.
        original = config_files.read_config(Path(written.backup)) if written.backup else None
        if original is not None and planning.digest_of(original) == written.before:
            return FilePlan(written.path, text, original), ()
        if not written.before:
            return FilePlan(written.path, text, None), ()
    removal = planning.plan_removal(client, text, written)
    return FilePlan(written.path, text, removal.text), removal.left


def _put_back(written: WrittenFile) -> None:
    path = Path(written.path)
    before = config_files.read_config(Path(written.backup)) if written.backup else None
    config_files.write_config(path, config_files.read_config(path), before)


def _revoke(context: typer.Context, agent: str) -> None:
    try:
        with open_connection(context.obj) as connection:
            connection.call("agent.revoke", name=agent)
    except KeepsakeError as error:
        terminal.tell(f"The agent {agent} keeps its access: {error.message}")


def _is_confirmed(*, yes: bool) -> bool:
    if yes:
        return True
    if sys.stdin is None or not sys.stdin.isatty():
        terminal.tell("Use --yes to write this without being asked.")
        return False
    return typer.confirm("Write this?")
