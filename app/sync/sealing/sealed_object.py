"""Sealed objects of an exchange: a signed public header, and an encrypted body.

The body is encrypted under a random key of its own, in the segments of ``app.encryption.segments``, and padded to one
of few lengths (Padmé: Nikitin and others, *Reducing Metadata Leakage from Encrypted Files and Communication with
PURBs*, 2019), so that its size says little. The key is encrypted under the epoch's, bound to the header, which names
vault and object: no object counts in the place of another.
"""

import hashlib
import io
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from app.encryption.segments import SegmentDamagedError, SegmentEncryptor, decrypted_segments
from app.errors import ExchangeError, ExchangeNewerError, InternalError
from app.sync.sealing import primitives, signed_text
from app.sync.sealing.device_keys import DeviceKeys
from app.sync.sealing.primitives import NotOpenedError
from app.sync.sealing.signed_text import MalformedError, TornError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

FORMAT: Final = 2
"""The newest format that this Keepsake reads: 2 knows snapshots."""
OLDEST_READER: Final = 1
"""The oldest format that reads what has nothing newer in it."""
SNAPSHOT_READER: Final = 2
"""The oldest format that knows snapshots."""
MOST_BYTES: Final = 256 << 20
"""No body is longer."""
_SIGNING, _WRAPPING = "object", "object keys"
_LENGTH_BYTES: Final = 8
_UNBOUND: Final = ("key", "size", "sum")
"""Fields that follow from the encryption itself."""


@dataclass(frozen=True, slots=True)
class SealedObject:
    """Object whose header and body are as a device signed them.

    Args:
        name: The name in the exchange.
        device: Who signed it.
        epoch: The epoch whose key its own is encrypted under.
        fields: All that the header says.
        digest: The digest of the whole.
        body: The encrypted body.
    """

    name: str
    device: str
    epoch: int
    fields: Mapping[str, Any]
    digest: str
    body: bytes


def seal(
    keys: DeviceKeys,
    epoch: int,
    vault: str,
    name: str,
    body: bytes,
    extra: Mapping[str, Any],
    min_reader: int = OLDEST_READER,
) -> bytes:
    """Return a sealed object.

    Args:
        keys: The keys of the device that writes it, a member.
        epoch: The epoch under whose key it is sealed, which the device has.
        vault: The id of the vault.
        name: The name that it gets in the exchange.
        body: What is encrypted.
        extra: More fields of the header, which the exchange can read.
        min_reader: The oldest format that reads it.
    """
    wrapping = keys.epoch_key(epoch, _WRAPPING)
    if wrapping is None:
        raise InternalError("Nothing can be sealed without the key of its epoch.")
    fields = {
        "format": FORMAT, "min_reader": min_reader, "vault": vault, "name": name, "device": keys.id, "epoch": epoch,
        **extra,
    }  # fmt: skip
    secret = primitives.random_key()
    encrypted = _encrypted(secret, body)
    fields["key"] = primitives.encrypt(wrapping, secret, signed_text.dumped(fields)).hex()
    fields |= {"size": len(encrypted), "sum": hashlib.sha256(encrypted).hexdigest()}
    return signed_text.signed(keys.signing, _SIGNING, fields) + encrypted


def read(data: bytes, vault: str, name: str, signing_keys: Mapping[str, bytes]) -> SealedObject:
    """Return an object once its signature, its place and its body were checked.

    Args:
        data: The object of the exchange.
        vault: The id of the vault.
        name: The name in the exchange.
        signing_keys: The public keys of those who may have written it, by id.

    Raises:
        TornError: It ends too early.
        ExchangeNewerError: A newer Keepsake wrote it.
        ExchangeError: It is damaged, of another vault or name, or nobody's whose key is here.
    """
    try:
        text = signed_text.read(data)
        fields = text.fields
        device = str(fields["device"])
    except (MalformedError, LookupError):
        raise damaged(name) from None
    if (public := signing_keys.get(device)) is None:
        raise ExchangeError(
            "A file comes from a machine that is not in the list of your machines here. If you have just added one,"
            " wait until all files are copied; otherwise remove the file.",
            name=name,
        )
    if not text.is_by(public, _SIGNING):
        raise damaged(name)
    require_readable(fields)
    if fields.get("vault") != vault:
        raise ExchangeError("A file in the folder belongs to another vault. Move it away.", name=name)
    if fields.get("name") != name:
        raise ExchangeError(
            "A file in the folder stands in the place of another. Put it back, or remove it.", name=name
        )
    body = data[text.start :]
    try:
        epoch, size, digest = int(fields["epoch"]), int(fields["size"]), str(fields["sum"])
    except (LookupError, TypeError, ValueError):
        raise damaged(name) from None
    if len(body) < size:
        raise TornError
    if len(body) > size or hashlib.sha256(body).hexdigest() != digest:
        raise damaged(name)
    return SealedObject(name, device, epoch, fields, hashlib.sha256(data).hexdigest(), body)


def key_of(found: SealedObject, keys: DeviceKeys) -> bytes | None:
    """Return the key of an object's body, ``None`` without the key of its epoch.

    Raises:
        ExchangeError: It is not the key that its header says.
    """
    wrapping = keys.epoch_key(found.epoch, _WRAPPING)
    if wrapping is None:
        return None
    bound_to = signed_text.dumped({name: value for name, value in found.fields.items() if name not in _UNBOUND})
    try:
        return primitives.decrypt(wrapping, bytes.fromhex(str(found.fields["key"])), bound_to)
    except (NotOpenedError, ValueError):
        raise damaged(found.name) from None


def opened(found: SealedObject, secret: bytes) -> bytes:
    """Return the body of an object.

    Raises:
        ExchangeError: It is not sealed with this key.
    """
    try:
        padded = b"".join(decrypted_segments(_cipher(secret), io.BytesIO(found.body)))
    except SegmentDamagedError:
        raise damaged(found.name) from None
    length = int.from_bytes(padded[:_LENGTH_BYTES])
    if not length <= min(len(padded) - _LENGTH_BYTES, MOST_BYTES):
        raise damaged(found.name)
    return padded[_LENGTH_BYTES : _LENGTH_BYTES + length]


def padded_length(length: int) -> int:
    """Return the length that a text is padded to, at most 12 % more (Padmé)."""
    exponent = length.bit_length() - 1
    last_bits = max(exponent - exponent.bit_length(), 0)
    mask = (1 << last_bits) - 1
    return (length + mask) & ~mask


def require_readable(fields: Mapping[str, Any]) -> None:
    """Refuse what a newer Keepsake wrote.

    Raises:
        ExchangeNewerError: It did.
    """
    if fields.get("min_reader", FORMAT) > FORMAT:
        raise newer(fields["min_reader"])


def newer(wanted: int) -> ExchangeNewerError:
    """Return the error for what a newer Keepsake wrote.

    Args:
        wanted: The format that one has to read for it.
    """
    return ExchangeNewerError(
        "Another machine writes with a newer Keepsake. Update Keepsake here to see its changes.", format=wanted
    )


def damaged(name: str) -> ExchangeError:
    """Return the error for an object that is not as it was written."""
    return ExchangeError(
        "A file that another machine left is damaged. Keepsake there writes it anew if the file is removed.", name=name
    )


def _encrypted(secret: bytes, body: bytes) -> bytes:
    plain = len(body).to_bytes(_LENGTH_BYTES) + body
    encryptor = SegmentEncryptor(_cipher(secret))
    parts = [*encryptor.add(plain.ljust(padded_length(len(plain)), b"\0")), encryptor.end()]
    return b"".join(parts)


def _cipher(secret: bytes) -> "AESGCM":
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: PLC0415  (only who shares needs it)

    return AESGCM(secret)
