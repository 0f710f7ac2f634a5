"""``keepsake check``, ``backup``, ``restore`` and ``salvage``: the care of a vault, also of one that does not open."""

import contextlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from app.cli import maintenance_messages, terminal
from app.cli.connect import open_connection
from app.core.paths import user_path
from app.errors import (
    HostUnreachableError,
    InputError,
    VaultDamagedError,
    VaultReadOnlyError,
    VaultUnusableError,
)
from app.rpc.client import Client

_WRONG = 1

backups = typer.Typer(
    name="backup",
    help="Copy the database into the vault's backups folder, and print the copy's path.",
    rich_markup_mode=None,
)
Name = Annotated[
    str, typer.Argument(help="Its name as 'keepsake backup list' shows it, or a path to a vault.", show_default=False)
]


def check(
    context: typer.Context,
    repair: Annotated[bool, typer.Option("--repair", help="Make anew what can be made from what was written.")] = False,
) -> None:
    """Check that the vault is sound; the exit status is 1 when it is not.

    A repair makes search entries, words, vectors, counts and indexes anew; what was written stays as it is.
    """
    from app.upkeep.model import CheckReport, RepairReport  # noqa: PLC0415

    is_closed = True
    try:
        with open_connection(context.obj) as door:
            is_closed = False
            if repair:
                mended = msgspec.convert(door.call("vault.repair"), RepairReport)
                terminal.say_all(maintenance_messages.repair_lines(mended))
                raise typer.Exit(0 if mended.ok else _WRONG)
            report = msgspec.convert(door.call("vault.check"), CheckReport)
    except (VaultDamagedError, VaultUnusableError) as error:
        found = _copies().list_backups(context.obj)
        terminal.say_all(maintenance_messages.damage_lines(error.message, found, is_closed=is_closed))
        raise typer.Exit(_WRONG) from error
    terminal.say_all(maintenance_messages.check_lines(report))
    raise typer.Exit(0 if report.ok else _WRONG)


@backups.callback(invoke_without_command=True)
def backup(context: typer.Context) -> None:
    """Copy the database into the vault's backups folder, and print the copy's path."""
    if context.invoked_subcommand is None:
        with open_connection(context.obj) as door:
            terminal.say(door.call("vault.backup"))


@backups.command(name="list")
def list_backups(context: typer.Context) -> None:
    """Print every backup with when it was made and why, newest first; works also when the vault does not open."""
    terminal.say_all(maintenance_messages.backup_lines(_copies().list_backups(context.obj), context.obj))


@backups.command(name="verify")
def verify(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="Its name; every backup when left out.", show_default=False)] = "",
) -> None:
    """Read all of a backup and say whether it is whole and what it holds; the exit status is 1 when one is not."""
    copies = _copies()
    names = [name] if name else [item.name for item in copies.list_backups(context.obj) if not item.is_damaged_original]
    checks = [copies.verify(copies.find_backup(context.obj, terminal.given(each))) for each in names]
    terminal.say_all(
        [maintenance_messages.backup_words(item) for item in checks] or ["There are no backups to verify."]
    )
    raise typer.Exit(0 if all(item.ok for item in checks) else _WRONG)


def restore(context: typer.Context, name: Name) -> None:
    """Put a backup in the vault's place, after verifying it.

    What was there becomes a backup itself; when it is damaged, its files are kept. Where Keepsake runs, the backup
    takes over when it is started again. Settings stay as they are.
    """
    from app.upkeep.model import RestorePlan  # noqa: PLC0415

    given = _absolute(terminal.given(name))
    try:
        client = Client.connect(context.obj)
    except HostUnreachableError:
        _restore_here(context.obj, given)
        return
    with client:
        plan = msgspec.convert(client.call("backup.restore", {"name": given}), RestorePlan)
    terminal.say(maintenance_messages.backup_words(plan.backup))
    terminal.say(plan.remark)


backups.command(name="restore")(restore)


def _restore_here(vault: Path, name: str) -> None:
    from app.core.paths import migrations  # noqa: PLC0415
    from app.store.migrate import migrations_in  # noqa: PLC0415
    from app.store.staged_restore import DATABASE, finish_restore  # noqa: PLC0415
    from app.store.store import prepare_folder  # noqa: PLC0415
    from app.store.vault_files import require_own_files  # noqa: PLC0415

    prepare_folder(vault)
    require_own_files(vault, DATABASE)
    with _locked(vault):
        plan = _copies().stage_restore(vault, name)
        before = finish_restore(vault, len(migrations_in(migrations())))
    # Opening it brings an older one up to date.
    with open_connection(vault):
        pass
    terminal.say_all(maintenance_messages.restore_lines(plan.backup, before))


def salvage(
    context: typer.Context,
    into: Annotated[str, typer.Option(metavar="FOLDER", help="A new folder; one beside the vault when left out.")] = "",
) -> None:
    """Save what is readable of a damaged vault into a new one; the damaged one is only read.

    Use it when the vault does not open, or a check reports damage, and no backup is recent enough. The exit status is 1
    when something could not be saved.
    """
    from app.recovery.salvage import salvage as save  # noqa: PLC0415

    target = user_path(into) if into else _beside(context.obj)
    if not context.obj.is_dir():
        raise InputError(f"There is no vault at {context.obj}. Name it with --vault.")
    with _locked(context.obj):
        report = save(context.obj, target)
    terminal.show_line("Making the search index of the new vault…")
    with open_connection(target) as door:
        door.call("vault.settle")
        sound = door.call("vault.check")["ok"]
    terminal.show_line("")
    terminal.say_all(maintenance_messages.salvage_lines(report))
    raise typer.Exit(_WRONG if maintenance_messages.has_losses(report) or not sound else 0)


@contextmanager
def _locked(vault: Path) -> Iterator[None]:
    """Keep other programs out of the vault; one that cannot be written, nobody can change anyway."""
    from app.store.lock import VaultLock  # noqa: PLC0415

    lock = VaultLock(vault)
    with contextlib.suppress(VaultReadOnlyError):
        lock.acquire()
    try:
        yield
    finally:
        lock.release()


def _beside(vault: Path) -> Path:
    first = vault.with_name(f"{vault.name}-salvaged")
    names = (vault.with_name(f"{first.name}-{number}") for number in range(2, 1_000_000))
    return first if not first.exists() else next(path for path in names if not path.exists())


def _absolute(name: str) -> str:
    """Return a path from here as one from the root, for the program that runs elsewhere; a name stays one."""
    return str(user_path(name)) if ("/" in name or "\\" in name) and name.strip() else name


def _copies() -> Any:
    # Loading the engine takes longer than asking a running one.
    from app.upkeep import backup_files  # noqa: PLC0415

    return backup_files
