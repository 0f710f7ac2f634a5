"""Manifests: keys of segments of earlier epochs, sealed under the key of the present one.

So a new epoch changes no segment. A manifest pins each segment by its digest; one that is not in it was added later,
by somebody who no longer counts, and is not opened. Once the key of an epoch is destroyed, what was sealed in it and is
in no manifest can be opened by nobody, wherever a copy is kept.
"""

import json
import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from app.errors import ExchangeError
from app.sync.exchanges.exchange_point import ExchangePoint
from app.sync.sealing import sealed_object
from app.sync.sealing.device_keys import DeviceKeys
from app.sync.sealing.member_list import MemberList
from app.sync.sealing.sealed_object import SealedObject
from app.sync.sealing.signed_text import TornError

_NAME: Final = re.compile(r"k-(\d{6})-([0-9a-f]{32})-(\d{1,6})")
_SEGMENT: Final = re.compile(r"s-\d{12}-\d{12}(-r\d+)?")


@dataclass(frozen=True, slots=True)
class PinnedKey:
    """Key of a segment, with the digest of the object that it is for.

    Args:
        digest: The digest.
        key: The key.
    """

    digest: str
    key: bytes = field(repr=False)


def key_in(pinned: Mapping[str, PinnedKey], found: SealedObject) -> bytes | None:
    """Return the key of an object, ``None`` where no manifest pins it."""
    pin = pinned.get(found.name)
    return pin.key if pin is not None and pin.digest == found.digest else None


def pinned_keys(
    point: ExchangePoint, keys: DeviceKeys, members: MemberList, epoch: int, lane: str
) -> dict[str, PinnedKey]:
    """Return the keys in a lane's manifests of an epoch, by name of the segment.

    A manifest that does not open is one of an epoch that another device began first.
    """
    pinned: dict[str, PinnedKey] = {}
    for name in point.names(lane):
        match = _NAME.fullmatch(name.partition("/")[2])
        if match is None or int(match[1]) != epoch or (data := point.get(name)) is None:
            continue
        try:
            found = sealed_object.read(data, members.vault, name, members.signing_keys)
            secret = sealed_object.key_of(found, keys)
            if secret is None or found.device not in members.members or found.epoch != epoch:
                continue
            lines = json.loads(zlib.decompress(sealed_object.opened(found, secret)))
            pinned |= {str(segment): PinnedKey(str(digest), bytes.fromhex(key)) for segment, digest, key in lines}
        except (TornError, ExchangeError, zlib.error, ValueError, TypeError):
            continue
    return pinned


def pin_segments(
    point: ExchangePoint, keys: DeviceKeys, members: MemberList, epoch: int, *, are_own_only: bool
) -> None:
    """Write manifests of an epoch with the keys of all segments of earlier ones.

    Args:
        point: The exchange point.
        keys: The keys of this device, with those of the epoch and of the ones that the segments were sealed in.
        members: The list of members as it is now.
        epoch: The epoch of the manifests.
        are_own_only: Only segments that this device signed are pinned, as those that it added too late.
    """
    for lane in point.lanes():
        pinned = pinned_keys(point, keys, members, epoch, lane)
        before = {
            name: pin
            for number in sorted(keys.epochs)
            if number < epoch
            for name, pin in pinned_keys(point, keys, members, number, lane).items()
        }
        anew: dict[str, PinnedKey] = {}
        for name in point.names(lane):
            if name not in pinned and _SEGMENT.fullmatch(name.partition("/")[2]):
                pin = _pin(point, keys, members, epoch, name, before, are_own_only=are_own_only)
                if pin is not None:
                    anew[name] = pin
        if anew:
            _write(point, keys, members.vault, epoch, lane, anew)


def remove_former(point: ExchangePoint, epoch: int) -> None:
    """Remove the manifests of all epochs before one."""
    for lane in point.lanes():
        for name in point.names(lane):
            match = _NAME.fullmatch(name.partition("/")[2])
            if match is not None and int(match[1]) < epoch:
                point.remove(name)


def _pin(
    point: ExchangePoint,
    keys: DeviceKeys,
    members: MemberList,
    epoch: int,
    name: str,
    before: Mapping[str, PinnedKey],
    *,
    are_own_only: bool,
) -> PinnedKey | None:
    """Return the key of a segment, ``None`` where it is not to be pinned."""
    data = point.get(name)
    try:
        found = None if data is None else sealed_object.read(data, members.vault, name, members.signing_keys)
        if found is None or found.epoch >= epoch or (are_own_only and found.device != keys.id):
            return None
        secret = key_in(before, found)
        if secret is None and found.device in members.members:
            secret = sealed_object.key_of(found, keys)
    except (TornError, ExchangeError):
        return None
    return None if secret is None else PinnedKey(found.digest, secret)


def _write(
    point: ExchangePoint, keys: DeviceKeys, vault: str, epoch: int, lane: str, pinned: Mapping[str, PinnedKey]
) -> None:
    lines = [[name, pin.digest, pin.key.hex()] for name, pin in sorted(pinned.items())]
    body = zlib.compress(json.dumps(lines).encode())
    number = 0
    is_written = False
    while not is_written:
        number += 1
        name = f"{lane}/k-{epoch:06d}-{keys.id}-{number}"
        is_written = point.put_new(name, sealed_object.seal(keys, epoch, vault, name, body, {}))
