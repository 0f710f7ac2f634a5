"""Maintenance commands: ``keepsake check``, ``backup``, ``restore`` and ``salvage``, also for a damaged vault."""

import sys
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from app.cli import terminal
from app.cli.connect import open_connection
from app.cli.groups import maintenance_messages
from app.cli.passphrase import unlock_at_terminal
from app.core.paths import user_path
from app.errors import (
    HostUnreachableError,
    InputError,
    VaultDamagedError,
    VaultUnusableError,
)
from app.rpc.client import Client
from app.sentence import Sentence

_WRONG = 1

backups = typer.Typer(
    name="backup",
    help="Copy the database into the vault's backups folder, and print the path of the copy.",
    rich_markup_mode=None,
)
Name = Annotated[
    str, typer.Argument(help="Its name as 'keepsake backup list' shows it, or a path to a vault.", show_default=False)
]


def check(
    context: typer.Context,
    repair: Annotated[bool, typer.Option("--repair", help="Rebuild what can be rebuilt from your content.")] = False,
) -> None:
    """Check that the vault is sound; the exit status is 1 when it is not.

    A repair rebuilds search entries, vectors, counts and indexes from your content, which stays as it is.
    """
    from app.upkeep.model import CheckReport, RepairReport  # noqa: PLC0415

    is_closed = True
    try:
        with open_connection(context.obj) as connection:
            is_closed = False
            if repair:
                repaired = msgspec.convert(connection.call("vault.repair"), RepairReport)
                terminal.say_all(maintenance_messages.repair_lines(repaired))
                raise typer.Exit(0 if repaired.ok else _WRONG)
            report = msgspec.convert(connection.call("vault.check"), CheckReport)
    except (VaultDamagedError, VaultUnusableError) as error:
        backups = _backup_files().list_backups(context.obj)
        terminal.say_all(maintenance_messages.damage_lines(error.message, backups, is_closed=is_closed))
        raise typer.Exit(_WRONG) from error
    terminal.say_all(maintenance_messages.check_lines(report))
    raise typer.Exit(0 if report.ok else _WRONG)


@backups.callback(invoke_without_command=True)
def backup(context: typer.Context) -> None:
    """Copy the database into the vault's backups folder, and print the path of the copy."""
    if context.invoked_subcommand is None:
        with open_connection(context.obj) as connection:
            terminal.say(connection.call("backup.now")["path"])


@backups.command(name="list")
def list_backups(context: typer.Context) -> None:
    """List the backups, newest first, even of a vault that does not open."""
    terminal.say_all(maintenance_messages.backup_lines(_backup_files().list_backups(context.obj), context.obj))


@backups.command(name="verify")
def verify(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="Its name; every backup when left out.", show_default=False)] = "",
) -> None:
    """Verify a backup by reading all of it.

    The exit status is 1 when one is not sound.
    """
    unlock_at_terminal(context.obj)
    copies = _backup_files()
    names = [name] if name else [item.name for item in copies.list_backups(context.obj) if not item.is_damaged_original]
    checks = [copies.verify(copies.find_backup(context.obj, terminal.given(each))) for each in names]
    terminal.say_all(
        [maintenance_messages.backup_words(item) for item in checks] or ["There are no backups to verify."]
    )
    raise typer.Exit(0 if all(item.ok for item in checks) else _WRONG)


def restore(context: typer.Context, name: Name) -> None:
    """Replace the vault's database with a backup, after verifying the backup.

    The database that was there becomes a backup itself; when it is damaged, its files are kept. If Keepsake is running,
    the backup takes effect when it is started again. Settings stay as they are.
    """
    from app.upkeep.model import RestorePlan  # noqa: PLC0415

    given_name = _absolute(terminal.given(name))
    try:
        client = Client.connect(context.obj)
    except HostUnreachableError:
        _restore_here(context.obj, given_name)
        return
    with client:
        plan = msgspec.convert(client.call("backup.restore", {"name": given_name}), RestorePlan)
    terminal.say(maintenance_messages.backup_words(plan.backup))
    terminal.say(plan.remark)


backups.command(name="restore")(restore)


def _restore_here(vault: Path, name: str) -> None:
    unlock_at_terminal(vault)
    restored = _closed(vault).restore(name)
    # Opening the vault migrates an older database.
    with open_connection(vault):
        pass
    set_aside = Path(restored.kept) if restored.kept else None
    terminal.say_all(maintenance_messages.restore_lines(restored.backup, set_aside))


def salvage(
    context: typer.Context,
    into: Annotated[str, typer.Option(metavar="FOLDER", help="A new folder; one beside the vault when left out.")] = "",
) -> None:
    """Save the readable content of a damaged vault into a new vault.

    The damaged vault is only read.

    Use it when the vault does not open, or a check reports damage, and no backup is recent enough. When the vault is
    sound, the command asks first, unless --into names a folder. The exit status is 1 when something could not be saved.
    """
    vault: Path = context.obj
    closed = _closed(vault)
    target = user_path(into) if into else closed.salvage_folder()
    if not vault.is_dir():
        raise InputError(Sentence("There is no vault at {vault}. Name it with --vault.", vault=vault))
    unlock_at_terminal(vault)
    if not into:
        with closed.locked():
            is_sound = _is_sound(vault)
        if is_sound:
            _confirm_salvage(target)
    report = closed.salvage(target)
    terminal.show_line("Making the search index of the new vault…")
    with open_connection(target) as connection:
        connection.call("vault.settle")
        sound = connection.call("vault.check")["ok"]
    terminal.show_line("")
    terminal.say_all(maintenance_messages.salvage_lines(report))
    raise typer.Exit(_WRONG if maintenance_messages.has_losses(report) or not sound else 0)


def _is_sound(vault: Path) -> bool:
    """Read all of the database, without opening the vault, and return whether it is sound."""
    from app.store.staged_restore import DATABASE  # noqa: PLC0415

    database = vault / DATABASE
    return database.is_file() and bool(_backup_files().verify(database).ok)


def _confirm_salvage(target: Path) -> None:
    """Ask whether to salvage a sound vault; leave when the answer is no.

    Raises:
        InputError: There is no terminal to ask in.
    """
    sound = "The vault is sound: there is nothing to salvage."
    if sys.stdin is None or not sys.stdin.isatty():
        raise InputError(
            Sentence("{sound} To copy its content into a new vault anyway, name a folder with --into.", sound=sound)
        )
    terminal.tell(sound)
    if not typer.confirm(f"Copy its content into the new vault {terminal.one_line(str(target))} anyway?", err=True):
        raise typer.Exit(0)


def _absolute(name: str) -> str:
    """Return a path as an absolute one, for a host in another folder.

    A plain name stays as it is.
    """
    return str(user_path(name)) if ("/" in name or "\\" in name) and name.strip() else name


def _closed(vault: Path) -> Any:
    from app.upkeep.closed_vault import ClosedVault  # noqa: PLC0415

    return ClosedVault(vault)


def _backup_files() -> Any:
    # Loaded only here: loading the engine takes longer than a call to a running one.
    from app.upkeep.backups import backup_files  # noqa: PLC0415

    return backup_files
