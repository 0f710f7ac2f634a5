"""List of members: the devices that share a vault, as a chain of signed entries.

An entry says the whole list as it is from then on, and names the digest of the one before it. Each is signed by a
device that the one before it has as a member; the first is signed by the only device that it names. Names of devices
are encrypted; the place sees their number and their public keys.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from app.errors import ExchangeError, InternalError
from app.sync.sealing import primitives, sealed_object, signed_text
from app.sync.sealing.device_keys import DeviceKeys, device_id
from app.sync.sealing.primitives import NotOpenedError
from app.sync.sealing.signed_text import MalformedError, SignedText, TornError

PREFIX: Final = "members"
_SIGNING, _NAMES, _EPOCH = "members", "names of members", "epoch key"
MOST_MEMBERS: Final = 16


@dataclass(frozen=True, slots=True)
class Member:
    """Device that is or was a member.

    Args:
        signing: Its public signing key.
        receiving: The public key that new epoch keys are encrypted to, ``b""`` once it was removed.
        added_at_ms: When it was added, milliseconds UTC.
        removed_at_ms: When it was removed, ``None`` for a member.
    """

    signing: bytes
    receiving: bytes
    added_at_ms: int
    removed_at_ms: int | None = None

    @property
    def id(self) -> str:
        """The device's id."""
        return device_id(self.signing)


@dataclass(frozen=True, slots=True)
class MemberList:
    """List of members as of one entry.

    Args:
        vault: The id of the vault.
        number: The number of the entry, from 1; 0 before the first.
        digest: Its digest, ``""`` before the first.
        epoch: The epoch that holds.
        devices: All devices that are or were members, by id.
        boxes: The epoch's key, encrypted to each member but the one that drew it, by id; empty where it is the same as
            before.
        names: The names of the devices, encrypted.
        forgotten: What was forgotten for ever by all members before the epoch began, as a digest.
    """

    vault: str
    number: int = 0
    digest: str = ""
    epoch: int = 0
    devices: Mapping[str, Member] = field(default_factory=dict)
    boxes: Mapping[str, bytes] = field(default_factory=dict)
    names: bytes = b""
    forgotten: str = ""

    @property
    def members(self) -> Mapping[str, Member]:
        """Devices that are members."""
        return {identity: one for identity, one in self.devices.items() if one.removed_at_ms is None}

    @property
    def signing_keys(self) -> Mapping[str, bytes]:
        """Public signing keys of all devices that are or were members, by id."""
        return {identity: one.signing for identity, one in self.devices.items()}


def entry_name(number: int) -> str:
    """Return the name of an entry in the exchange."""
    return f"{PREFIX}/m-{number:06d}"


def entry(before: MemberList, after: MemberList, keys: DeviceKeys, names: Mapping[str, str]) -> bytes:
    """Return the entry that makes one list of another, signed.

    Args:
        before: The list until then.
        after: The list from then on; its number, digest, boxes and names are not looked at.
        keys: The keys of the device that signs, which has those of the epoch.
        names: The names of all devices, by id.
    """
    number = before.number + 1
    bound_to = _bound_to(before.vault, number)
    secret = keys.epoch_key(after.epoch, _NAMES)
    if secret is None:
        raise InternalError("No entry can be written without the key of its epoch.")
    fields = {
        "format": sealed_object.FORMAT,
        "min_reader": sealed_object.OLDEST_READER,
        "vault": before.vault,
        "number": number,
        "previous": before.digest,
        "by": keys.id,
        "epoch": after.epoch,
        "forgotten": after.forgotten,
        "devices": {
            identity: [one.signing.hex(), one.receiving.hex(), one.added_at_ms, one.removed_at_ms]
            for identity, one in after.devices.items()
        },
        "keys": {},
        "names": primitives.encrypt(secret, json.dumps(dict(names)).encode(), bound_to).hex(),
    }
    if before.number and after.epoch > before.epoch:
        fields["keys"] = {
            identity: primitives.encrypt_to(one.receiving, _EPOCH, keys.epochs[after.epoch], bound_to).hex()
            for identity, one in after.members.items()
            if identity != keys.id
        }
    return signed_text.signed(keys.signing, _SIGNING, fields)


def vault_of(data: bytes) -> str:
    """Return the id of the vault that an entry names, ``""`` where it is none.

    Nothing is checked.
    """
    try:
        return str(signed_text.read(data).fields.get("vault", ""))
    except (MalformedError, TornError):
        return ""


def following(before: MemberList, data: bytes) -> MemberList:
    """Return the list as of the next entry, once it was checked.

    Raises:
        TornError: The entry ends too early.
        ExchangeNewerError: A newer Keepsake wrote it.
        ExchangeError: It is damaged, or does not follow.
    """
    try:
        text = signed_text.read(data)
        after = _list_of(before, text, data)
        by = str(text.fields["by"])
    except (MalformedError, LookupError, TypeError, ValueError, AttributeError):
        raise _untrue() from None
    signer = (before if before.number else after).members.get(by)
    if signer is None or not text.is_by(signer.signing, _SIGNING):
        raise _untrue()
    sealed_object.require_readable(text.fields)
    place = (text.fields["vault"], text.fields["number"], text.fields["previous"])
    if place != (before.vault, before.number + 1, before.digest):
        raise _untrue()
    is_new_epoch = after.epoch == before.epoch + 1
    is_sound = (
        (after.epoch == before.epoch or is_new_epoch)
        and all(one.id == identity for identity, one in after.devices.items())
        and before.devices.keys() <= after.devices.keys()
        and set(after.boxes) == (after.members.keys() - {by} if is_new_epoch else set())
        and (before.number > 0 or (len(after.devices) == 1 and is_new_epoch))
    )
    if not is_sound:
        raise _untrue()
    return after


def names_of(members: MemberList, keys: DeviceKeys) -> Mapping[str, str]:
    """Return the names of all devices by id, none without the epoch's key."""
    secret = keys.epoch_key(members.epoch, _NAMES)
    if secret is None:
        return {}
    try:
        plain = primitives.decrypt(secret, members.names, _bound_to(members.vault, members.number))
    except NotOpenedError:
        raise _untrue() from None
    names: dict[str, str] = json.loads(plain)
    return names


def epoch_key_of(members: MemberList, keys: DeviceKeys) -> tuple[bytes, bytes]:
    """Return the key of an epoch, with the private key that it was encrypted to.

    Raises:
        NotOpenedError: The device has no such key.
    """
    box = members.boxes.get(keys.id, b"")
    for private in reversed(keys.receiving):
        try:
            return primitives.decrypt_as(private, _EPOCH, box, _bound_to(members.vault, members.number)), private
        except NotOpenedError:
            continue
    raise NotOpenedError


def chain(vault: str, entries: Sequence[bytes]) -> list[MemberList]:
    """Return the list as of each entry, from the first of all on; see ``following``."""
    lists: list[MemberList] = []
    for data in entries:
        lists.append(following(lists[-1] if lists else MemberList(vault), data))
    return lists


def with_device(members: MemberList, device: Member) -> MemberList:
    """Return a list with one device more, or with another state of one."""
    return replace(members, devices={**members.devices, device.id: device})


def _list_of(before: MemberList, text: SignedText, data: bytes) -> MemberList:
    fields: Mapping[str, Any] = text.fields
    devices = {
        str(identity): Member(
            bytes.fromhex(signing), bytes.fromhex(receiving), int(added), None if removed is None else int(removed)
        )
        for identity, (signing, receiving, added, removed) in fields["devices"].items()
    }
    return MemberList(
        vault=before.vault,
        number=before.number + 1,
        digest=hashlib.sha256(data).hexdigest(),
        epoch=int(fields["epoch"]),
        devices=devices,
        boxes={str(identity): bytes.fromhex(box) for identity, box in fields["keys"].items()},
        names=bytes.fromhex(fields["names"]),
        forgotten=str(fields["forgotten"]),
    )


def _bound_to(vault: str, number: int) -> bytes:
    return f"{vault} {number}".encode()


def _untrue() -> ExchangeError:
    return ExchangeError(
        "The list of your machines at the place was changed by somebody else, or its files were mixed up. Nothing is"
        " taken in before it is put right: put the files back, or share anew in an empty place."
    )
