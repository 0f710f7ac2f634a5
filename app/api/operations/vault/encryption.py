"""Operations on the vault's encryption; no answer, trace or failure ever holds a passphrase."""

import asyncio
from functools import partial
from typing import Final

from app.api.caller import Caller
from app.api.registry import operation
from app.changes import Area, Changed, ChangeSet
from app.encryption.model import EncryptionStatus
from app.engine import Engine
from app.errors import AccessDeniedError
from app.store.encryption.vault_encryption import VaultEncryption

_change = partial(operation, access="write", owner_only=True, review="refused", kind="settings", undo="operation")

_AREAS: Final[frozenset[Area]] = frozenset({"settings"})


@operation("encryption.status", owner_only=True)
async def status(engine: Engine, caller: Caller) -> EncryptionStatus:
    """Return how much of the vault is encrypted, and whether this installation can encrypt."""
    return await asyncio.to_thread(_encryption(engine).status)


@_change("encryption.encrypt")
async def encrypt(engine: Engine, caller: Caller, passphrase: str) -> Changed[EncryptionStatus]:
    """Have the vault encrypted when it is next opened.

    Its database, attachments, backups and caches are then encrypted; without the passphrase nobody can read them, and
    nobody can bring it back. A decryption that was requested and has not begun is called off.

    Args:
        passphrase: At least eight characters on one line.
    """
    await asyncio.to_thread(_encryption(engine).encrypt, passphrase, is_open=True)
    return await _changed(engine, caller)


@operation(
    "encryption.decrypt",
    access="write",
    owner_only=True,
    destructive=True,
    review="refused",
    kind="settings",
    undo="none",
)
async def decrypt(engine: Engine, caller: Caller, passphrase: str) -> Changed[EncryptionStatus]:
    """Have the vault decrypted when it is next opened.

    Args:
        passphrase: The vault's passphrase.
    """
    await asyncio.to_thread(_encryption(engine).decrypt, passphrase, is_open=True)
    return await _changed(engine, caller)


@operation("encryption.cancel", access="write", owner_only=True, undo="operation")
async def cancel(engine: Engine, caller: Caller) -> Changed[EncryptionStatus]:
    """Call off an encryption that was requested and has not begun.

    No file is encrypted yet, so it needs no passphrase. Afterwards only ``encryption.decrypt`` takes it back.
    """
    await asyncio.to_thread(_encryption(engine).cancel, is_open=True)
    return await _changed(engine, caller)


@_change("encryption.change")
async def change(engine: Engine, caller: Caller, old: str, new: str) -> Changed[EncryptionStatus]:
    """Put another passphrase in the place of the old one, at once.

    The key that encrypts the files stays: an older copy of the vault's folder still opens with the old passphrase.

    Args:
        old: The vault's passphrase.
        new: The one to put in its place, of at least eight characters.
    """
    await asyncio.to_thread(_encryption(engine).change, old, new)
    return await _changed(engine, caller)


@_change("encryption.remember")
async def remember(engine: Engine, caller: Caller, passphrase: str) -> Changed[EncryptionStatus]:
    """Put the vault's key into the system's keyring.

    This account then opens the vault without the passphrase.

    Args:
        passphrase: The vault's passphrase.
    """
    await asyncio.to_thread(_encryption(engine).remember, passphrase)
    return await _changed(engine, caller)


@_change("encryption.forget")
async def forget(engine: Engine, caller: Caller) -> Changed[EncryptionStatus]:
    """Take the vault's key out of the system's keyring.

    The next start asks for the passphrase.
    """
    await asyncio.to_thread(_encryption(engine).forget)
    return await _changed(engine, caller)


def _encryption(engine: Engine) -> VaultEncryption:
    if engine.isolated is None:
        raise AccessDeniedError("An isolated agent cannot change the encryption: it is the person's.")
    return VaultEncryption(engine.vault)


async def _changed(engine: Engine, caller: Caller) -> Changed[EncryptionStatus]:
    status = await asyncio.to_thread(_encryption(engine).status)
    return Changed(status, ChangeSet(_AREAS, (), caller.name))
