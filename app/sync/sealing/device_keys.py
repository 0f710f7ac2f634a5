"""Keys of one device: its own, and those that all members share."""

import base64
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from app.sync.sealing import primitives

_DIGESTS: Final = "digests"
_ID_BYTES: Final = 16


@dataclass(frozen=True, slots=True)
class DeviceKeys:
    """Keys of a device, as they are kept outside the vault.

    Args:
        signing: The private Ed25519 key.
        receiving: The private X25519 keys; the newest is the last.
        epochs: The keys of the epochs by number; none as long as the device is no member.
        shared: The secret that all members have for good, ``b""`` as long as the device is no member.
        anchor: The digest of the first entry of the list of members, which all others follow from.
    """

    signing: bytes = field(repr=False)
    receiving: tuple[bytes, ...] = field(repr=False)
    epochs: Mapping[int, bytes] = field(repr=False, default_factory=dict)
    shared: bytes = field(repr=False, default=b"")
    anchor: str = ""

    @property
    def id(self) -> str:
        """The id of the device, which follows from its key."""
        return device_id(primitives.public_signing_key(self.signing))

    @property
    def digest_key(self) -> bytes:
        """Key of the digests by which segments name one another."""
        return primitives.derived(self.shared, _DIGESTS)

    def epoch_key(self, epoch: int, purpose: str) -> bytes | None:
        """Return the key for one purpose in an epoch, ``None`` where it is not here."""
        secret = self.epochs.get(epoch)
        return None if secret is None else primitives.derived(secret, purpose)

    def with_epoch(self, epoch: int, key: bytes) -> "DeviceKeys":
        """Return the keys with that of one more epoch."""
        return replace(self, epochs={**self.epochs, epoch: key})

    def from_epoch(self, epoch: int) -> "DeviceKeys":
        """Return the keys without those of earlier epochs."""
        return replace(self, epochs={number: key for number, key in self.epochs.items() if number >= epoch})

    def as_text(self) -> str:
        """Return the keys as one line of text."""
        return json.dumps(
            {
                "signing": _text(self.signing),
                "receiving": [_text(key) for key in self.receiving],
                "epochs": {str(number): _text(key) for number, key in self.epochs.items()},
                "shared": _text(self.shared),
                "anchor": self.anchor,
            },
            separators=(",", ":"),
        )


def new_device_keys() -> DeviceKeys:
    """Return the keys of a new device, which is no member yet."""
    return DeviceKeys(primitives.random_key(), (primitives.random_key(),))


def keys_from_text(text: str) -> DeviceKeys:
    """Return the keys in a text that ``DeviceKeys.as_text`` gave.

    Raises:
        ValueError: It is none.
    """
    try:
        fields: dict[str, Any] = json.loads(text)
        return DeviceKeys(
            _bytes(fields["signing"]),
            tuple(_bytes(key) for key in fields["receiving"]),
            {int(number): _bytes(key) for number, key in fields["epochs"].items()},
            _bytes(fields["shared"]),
            str(fields["anchor"]),
        )
    except (LookupError, TypeError, AttributeError) as error:
        raise ValueError("not the keys of a device") from error


def device_id(public: bytes) -> str:
    """Return the id of the device with a public signing key."""
    return hashlib.blake2b(public, digest_size=_ID_BYTES, person=b"keepsake device").hexdigest()


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _bytes(text: str) -> bytes:
    return base64.b64decode(text, validate=True)
