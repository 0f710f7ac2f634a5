"""Credentials of a client: the token it shows and the name it gives."""

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from app import __version__
from app.errors import KeyringUnavailableError

VARIABLE: Final = "KEEPSAKE_TOKEN"


@dataclass(frozen=True, slots=True)
class Credentials:
    """Credentials of an agent.

    Args:
        token: Its token, ``""`` for a program that has none yet.
        name: The name of the program.
        version: Its version.
    """

    token: str
    name: str
    version: str = __version__


def environment_credentials(name: str) -> Credentials | None:
    """Return the credentials in the variable ``KEEPSAKE_TOKEN``, ``None`` where it is not set.

    Args:
        name: The name that the program gives of itself.
    """
    token = os.environ.get(VARIABLE, "").strip()
    return Credentials(token, name) if token else None


def kept_token(vault: Path, name: str) -> str:
    """Return the token in the system's keyring, ``""`` where none is found."""
    from app.config.keyring import Keyring  # noqa: PLC0415  (loaded only where no variable is set)

    try:
        return Keyring().read(keyring_name(vault, name))
    except KeyringUnavailableError:
        return ""


def keep_token(vault: Path, name: str, token: str) -> bool:
    """Store a token in the system's keyring; False where none takes it."""
    from app.config.keyring import Keyring  # noqa: PLC0415

    try:
        Keyring().write(keyring_name(vault, name), token)
    except KeyringUnavailableError:
        return False
    return True


def keyring_name(vault: Path, name: str) -> str:
    """Return the name under which the keyring holds an agent's token."""
    place = hashlib.sha256(str(vault.expanduser().absolute()).encode("utf-8", "surrogateescape")).hexdigest()[:16]
    return f"agent {name} {place}"
