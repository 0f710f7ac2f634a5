"""``keepsake encryption``: a vault's passphrase.

A passphrase is never an argument and is never shown.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Final

import msgspec
import typer

from app.cli import terminal
from app.cli.connect import open_connection
from app.cli.passphrase import new_passphrase, typed_passphrase
from app.encryption.model import EncryptionState, EncryptionStatus
from app.errors import HostUnreachableError
from app.rpc.client import Client

application = typer.Typer(
    name="encryption", help="Encrypt the vault with a passphrase, change it, or decrypt it.", rich_markup_mode=None
)

Json = Annotated[bool, typer.Option("--json", help="Print the answer as JSON.")]

_STATES: Final = {
    EncryptionState.NONE: "These memories are not encrypted.",
    EncryptionState.ENCRYPTING: "These memories will be encrypted when they are next opened.",
    EncryptionState.ENCRYPTED: "These memories are encrypted.",
    EncryptionState.DECRYPTING: "These memories will be decrypted when they are next opened.",
}
_FREED: Final = (
    "The files that were there are overwritten. What the disk had freed before, such as earlier logs of the database,"
    " may still hold texts: the help on encryption says what helps."
)
_LOST: Final = "Nobody can bring a forgotten passphrase back: write it down where only you find it."


@application.command(name="status")
def status(context: typer.Context, as_json: Json = False) -> None:
    """Say whether the vault is encrypted; the vault stays closed."""
    status = _vault_encryption(context.obj).status()
    if as_json:
        terminal.say_json(msgspec.to_builtins(status))
        return
    terminal.say(_STATES[status.state])
    if status.is_in_keyring:
        terminal.say("Its key is in the system's keyring too, so this account opens it without the passphrase.")
    if not status.is_available:
        terminal.say(
            "This installation cannot encrypt: the package apsw has taken the place of apsw-sqlite3mc. Remove both,"
            " then install Keepsake again."
        )


@application.command(name="encrypt")
def encrypt(context: typer.Context) -> None:
    """Encrypt the vault with a passphrase, which is typed unseen or read from standard input.

    If Keepsake is running, the vault is encrypted when it is started again. A decryption that has not ended is called
    off, with the vault's own passphrase.
    """
    if _vault_encryption(context.obj).status().state is EncryptionState.DECRYPTING:
        passphrase = typed_passphrase("Passphrase")
    else:
        terminal.tell(_LOST)
        passphrase = new_passphrase()
    _carry_out(context.obj, "encryption.encrypt", {"passphrase": passphrase}, _closed_encrypt)


@application.command(name="decrypt")
def decrypt(context: typer.Context) -> None:
    """Decrypt the vault, for which its passphrase is asked.

    If Keepsake is running, the vault is decrypted when it is started again.
    """
    _carry_out(context.obj, "encryption.decrypt", {"passphrase": typed_passphrase("Passphrase")}, _closed_decrypt)


@application.command(name="cancel")
def cancel(context: typer.Context) -> None:
    """Call off an encryption that has not begun, which needs no passphrase.

    It begins when the vault is next opened with the passphrase.
    """
    try:
        client = Client.connect(context.obj)
    except HostUnreachableError:
        _vault_encryption(context.obj).cancel()
    else:
        with client:
            client.call("encryption.cancel")
    terminal.say("The encryption is called off. These memories stay as they are, not encrypted.")


@application.command(name="change")
def change(context: typer.Context) -> None:
    """Change the passphrase.

    The old one is asked for, then the new one; piped in, they are two lines.
    """
    old = typed_passphrase("Old passphrase")
    _vault_encryption(context.obj).change(old, new_passphrase())
    terminal.say("The passphrase is changed. Older copies of the folder still open with the old one.")


@application.command(name="remember")
def remember(context: typer.Context) -> None:
    """Put the key into the system's keyring.

    This account then opens the vault without the passphrase.
    """
    _vault_encryption(context.obj).remember(typed_passphrase("Passphrase"))
    terminal.say("The key is in the system's keyring.")


@application.command(name="forget")
def forget(context: typer.Context) -> None:
    """Take the key out of the system's keyring; the next start asks for the passphrase."""
    _vault_encryption(context.obj).forget()
    terminal.say("The keyring does not hold the key any more.")


def _carry_out(vault: Path, operation: str, arguments: dict[str, str], here: Callable[[Any, str], None]) -> None:
    """Have a running host do it at its next start, or do it now."""
    try:
        client = Client.connect(vault)
    except HostUnreachableError:
        here(_vault_encryption(vault), arguments["passphrase"])
        terminal.show_line("Working on every file of the vault…")
        with open_connection(vault):
            pass
        terminal.show_line("")
        state = _vault_encryption(vault).status().state
        terminal.say(_STATES[state])
        if state is EncryptionState.ENCRYPTED:
            terminal.tell(_FREED)
        return
    with client:
        status = msgspec.convert(client.call(operation, arguments), EncryptionStatus)
    terminal.say(_STATES[status.state])


def _closed_encrypt(encryption: Any, passphrase: str) -> None:
    encryption.encrypt(passphrase)


def _closed_decrypt(encryption: Any, passphrase: str) -> None:
    encryption.decrypt(passphrase)


def _vault_encryption(vault: Path) -> Any:
    # Loaded only here: loading the engine takes longer than a call to a running one.
    from app.store.encryption.vault_encryption import VaultEncryption  # noqa: PLC0415

    return VaultEncryption(vault)
