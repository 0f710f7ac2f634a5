"""Values of encryption: its states, and what a passphrase must be."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from app.encryption.common_passphrases import is_common
from app.sentence import Sentence

KEY_FILE: Final = "encryption.json"
"""The file in a vault that holds its data key, wrapped by the passphrase."""
MIN_PASSPHRASE: Final = 8
MAX_PASSPHRASE: Final = 1_024


class EncryptionState(StrEnum):
    """State of a vault's encryption."""

    NONE = "none"
    ENCRYPTING = "encrypting"
    """Its files are being encrypted, or that was cut off: the next opening goes on."""
    ENCRYPTED = "encrypted"
    DECRYPTING = "decrypting"
    """Its files are being decrypted, or that was cut off: the next opening goes on."""


@dataclass(frozen=True, slots=True)
class EncryptionStatus:
    """Encryption of one vault, as a person asks for it.

    Args:
        state: How much of it is encrypted.
        is_available: The program can encrypt: SQLite was built with ciphers.
        is_unlocked: This process has the key.
        is_in_keyring: The system's keyring opens the vault without the passphrase.
        cipher: What encrypts the pages of the database, ``""`` where nothing does.
    """

    state: EncryptionState
    is_available: bool
    is_unlocked: bool
    is_in_keyring: bool
    cipher: str


def problem_of(passphrase: str) -> str:
    """Return why a passphrase cannot be used, ``""`` where it can."""
    problem = ""
    if len(passphrase) < MIN_PASSPHRASE:
        problem = Sentence(
            "A passphrase has at least {least} characters; several words are better than one.", least=MIN_PASSPHRASE
        )
    elif len(passphrase) > MAX_PASSPHRASE:
        problem = Sentence("A passphrase has at most {most} characters.", most=MAX_PASSPHRASE)
    elif not passphrase.isprintable():
        problem = Sentence("A passphrase is one line without control characters.")
    elif passphrase != passphrase.strip():
        problem = Sentence("A passphrase does not begin or end with a space.")
    elif is_common_passphrase(passphrase):
        problem = Sentence(
            "This passphrase is one of the first that anyone tries. Choose several words that do not go together."
        )
    return problem


def is_common_passphrase(passphrase: str) -> bool:
    """Return whether a passphrase is one of those that are tried first."""
    return is_common(passphrase)
