"""Passphrase of an encrypted vault, typed at the terminal."""

import getpass
import os
import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Final

from app.cli import terminal
from app.errors import InputError, PassphraseRequiredError, WrongPassphraseError
from app.sentence import Sentence

if TYPE_CHECKING:
    from app.store.encryption.vault_encryption import VaultEncryption

_TRIES: Final = 3
_MOST: Final = 1 << 16


def typed_passphrase(question: str) -> str:
    """Return a line that is typed unseen, or piped in.

    Raises:
        InputError: There is nothing to read it from, or what is typed would be shown.
    """
    if sys.stdin is None:
        raise InputError("There is no standard input to read the passphrase from.")
    if not sys.stdin.isatty():
        line = sys.stdin.readline(_MOST)
        if not line:
            raise InputError("Standard input has no passphrase. Type it in a terminal, or pipe it in.")
        return line.rstrip("\r\n")
    with warnings.catch_warnings():
        # Where typing cannot be hidden it would be shown.
        warnings.simplefilter("error", getpass.GetPassWarning)
        try:
            return getpass.getpass(f"{question} (not shown): ")
        except getpass.GetPassWarning:
            raise InputError("This terminal cannot hide what is typed; pipe the passphrase in instead.") from None


def new_passphrase() -> str:
    """Return a passphrase that was typed twice alike, or piped in once.

    Raises:
        InputError: The two differ, or it cannot be used.
    """
    from app.encryption.model import problem_of  # noqa: PLC0415

    typed = typed_passphrase("New passphrase")
    if problem := problem_of(typed):
        raise InputError(problem)
    if sys.stdin is not None and sys.stdin.isatty() and typed_passphrase("The same again") != typed:
        raise InputError("The two passphrases differ. Nothing was changed.")
    return typed


def export_passphrase(path: Path) -> str:
    """Return the passphrase of an encrypted export, ``""`` for a file of another kind.

    Raises:
        InputError: There is nothing to read it from, or it is empty.
    """
    from app.encryption.encrypted_file import is_encrypted_file  # noqa: PLC0415

    try:
        if not path.is_file():
            return ""
        with path.open("rb") as file:
            if not is_encrypted_file(file.read(64)):
                return ""
    except OSError:  # the import says what is wrong with it
        return ""
    typed = typed_passphrase(f"Passphrase of {terminal.one_line(path.name)}")
    if not typed:
        raise InputError(
            Sentence("{name} is encrypted: type its passphrase, or pipe it in as one line.", name=path.name)
        )
    return typed


def unlock_at_terminal(vault: Path) -> None:
    """Unlock an encrypted vault for this process; does nothing where it is not locked.

    The environment and the keyring come first; then the person is asked, where there is a terminal. There they also
    say whether it is to be decrypted, where that was not requested from this account of this computer.

    Raises:
        PassphraseRequiredError: Nobody can be asked.
        WrongPassphraseError: It was wrong three times.
    """
    import typer  # noqa: PLC0415  (heavy, and rarely needed)

    from app.encryption.key_file import has_key_file  # noqa: PLC0415  (most vaults are not encrypted)

    if not has_key_file(vault):
        return
    from app.encryption.vault_keys import is_unlocked  # noqa: PLC0415
    from app.store.encryption.vault_encryption import VARIABLE, VaultEncryption  # noqa: PLC0415

    encryption = VaultEncryption(vault)
    encryption.unlock_unattended(os.environ)
    if not is_unlocked(vault):
        if not terminal.can_ask():
            raise PassphraseRequiredError(
                Sentence(
                    "These memories are encrypted. Open Keepsake and type the passphrase, run 'keepsake serve'"
                    " in a terminal, or set {variable}.",
                    variable=VARIABLE,
                ),
                path=str(vault),
            )
        _unlock(encryption)
    if terminal.can_ask() and encryption.must_confirm():
        terminal.tell(
            "A decryption of these memories was requested, and not from this account of this computer. If it was not"
            " you, somebody has changed the folder. Decrypted, anyone who can read this disk can read them."
        )
        encryption.confirm(is_wanted=typer.confirm("Decrypt them?", err=True))


def _unlock(encryption: "VaultEncryption") -> None:
    for tries in reversed(range(_TRIES)):
        try:
            encryption.unlock(typed_passphrase("Passphrase"))
        except WrongPassphraseError as error:
            if not tries:
                raise
            terminal.tell(error.message)
        else:
            return
