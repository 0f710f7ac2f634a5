"""Key wrapped by a passphrase: scrypt stretches it, AES-256-GCM encrypts the key."""

import base64
import hashlib
import secrets
import unicodedata
from dataclasses import dataclass
from typing import Any, Final

from app.encryption.model import problem_of
from app.errors import InputError, WrongPassphraseError

_NONCE: Final = 12
_SALT: Final = 16
# scrypt as OWASP's Password Storage Cheat Sheet has it: 128 MiB, about a third of a second.
COST, _BLOCK, _LANES = 1 << 17, 8, 1
_MAX_COST, _MAX_BLOCK, _MAX_LANES = 1 << 20, 16, 4  # what a planted file may ask for


@dataclass(frozen=True, slots=True)
class WrappedKey:
    """A key under a passphrase, with the parameters of the stretching.

    Args:
        cost: scrypt's N.
        block: scrypt's r.
        lanes: scrypt's p.
        salt: scrypt's salt.
        nonce: Nonce of the wrapping.
        data: The key under AES-256-GCM.
    """

    cost: int
    block: int
    lanes: int
    salt: bytes
    nonce: bytes
    data: bytes

    def unwrap(self, passphrase: str, bound_to: bytes) -> bytes:
        """Return the key.

        Args:
            passphrase: What wrapped it.
            bound_to: What it was bound to when it was wrapped.

        Raises:
            WrongPassphraseError: This is not the passphrase, or the wrapping was changed.
        """
        from cryptography.exceptions import InvalidTag  # noqa: PLC0415  (only encrypted vaults need it)
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: PLC0415

        wrapping = _stretch(passphrase, self.salt, self.cost, self.block, self.lanes)
        try:
            return AESGCM(wrapping).decrypt(self.nonce, self.data, bound_to)
        except InvalidTag:
            raise WrongPassphraseError("This is not the passphrase of these memories. Try again.") from None

    def fields(self) -> dict[str, Any]:
        """Return it as the fields ``kdf`` and ``key`` of a JSON object."""
        stretching = {"name": "scrypt", "n": self.cost, "r": self.block, "p": self.lanes, "salt": _text(self.salt)}
        return {
            "kdf": stretching,
            "key": {"cipher": "aes-256-gcm", "nonce": _text(self.nonce), "data": _text(self.data)},
        }


def wrap(secret: bytes, passphrase: str, bound_to: bytes) -> WrappedKey:
    """Wrap a key with a new passphrase.

    Args:
        secret: The key.
        passphrase: What opens it.
        bound_to: What it belongs to; without that it does not open.

    Raises:
        InputError: The passphrase cannot be used.
    """
    if problem := problem_of(passphrase):
        raise InputError(problem, field="passphrase")
    return wrap_again(secret, passphrase, bound_to)


def wrap_again(secret: bytes, passphrase: str, bound_to: bytes) -> WrappedKey:
    """Wrap a key with a passphrase that opens it already, however weak; see ``wrap``."""
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: PLC0415

    salt, nonce = secrets.token_bytes(_SALT), secrets.token_bytes(_NONCE)
    wrapping = _stretch(passphrase, salt, COST, _BLOCK, _LANES)
    return WrappedKey(COST, _BLOCK, _LANES, salt, nonce, AESGCM(wrapping).encrypt(nonce, secret, bound_to))


def from_fields(stored: dict[str, Any]) -> WrappedKey:
    """Return the key in an object that ``WrappedKey.fields`` gave.

    Raises:
        ValueError: A field has a value that no wrapping has.
        KeyError: A field is missing.
        TypeError: A field is of another type.
    """
    kdf, key = stored["kdf"], stored["key"]
    cost, block, lanes = int(kdf["n"]), int(kdf["r"]), int(kdf["p"])
    is_bounded = 1 < cost <= _MAX_COST and 1 <= block <= _MAX_BLOCK and 1 <= lanes <= _MAX_LANES
    if kdf["name"] != "scrypt" or key["cipher"] != "aes-256-gcm" or not is_bounded or cost & (cost - 1):
        raise ValueError(kdf["name"])
    fields = WrappedKey(cost, block, lanes, _bytes(kdf["salt"]), _bytes(key["nonce"]), _bytes(key["data"]))
    if len(fields.nonce) != _NONCE:
        raise ValueError(fields.nonce)
    return fields


def _stretch(passphrase: str, salt: bytes, cost: int, block: int, lanes: int) -> bytes:
    # One passphrase, however the keyboard composes its letters.
    typed = unicodedata.normalize("NFC", passphrase).encode("utf-8", "surrogatepass")
    room = 128 * block * (cost + lanes + 2) + (1 << 20)
    return hashlib.scrypt(typed, salt=salt, n=cost, r=block, p=lanes, maxmem=room, dklen=32)


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _bytes(text: str) -> bytes:
    return base64.b64decode(text, validate=True)
