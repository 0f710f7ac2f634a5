"""Manifests: keys of objects of earlier epochs, sealed under that of the present one.

The objects are segments and snapshots; a new epoch changes none of them. A manifest pins each by its digest; one that
is not in it was added later, by somebody who no longer counts, and is not opened. Once the key of an epoch is
destroyed, what was sealed in it and is in no manifest can be opened by nobody, wherever a copy is kept.
"""

import json
import re
import zlib
from collections.abc import Collection, Mapping
from typing import Final

from app.errors import ExchangeError
from app.sync.exchanges.exchange_point import ExchangePoint
from app.sync.sealing import sealed_object
from app.sync.sealing.device_keys import DeviceKeys
from app.sync.sealing.member_list import MemberList
from app.sync.sealing.sealed_object import SealedObject
from app.sync.sealing.signed_text import TornError

_NAME: Final = re.compile(r"k-(\d{6})-([0-9a-f]{32})-(\d{1,6})")
_PINNED: Final = re.compile(r"s-\d{12}-\d{12}(-r\d+)?|h-\d{6}-[0-9a-f]{32}|p-\d{6}-[0-9a-f]{32}-[0-9a-f]{8}-\d{6}")
SNAPSHOTS: Final = "snapshots"
"""First part of the names of snapshots; those of segments have their lane there."""


Pinned = Mapping[tuple[str, str], bytes]
"""Keys of segments, by the name and the digest of the object that each is for."""


def key_in(pinned: Pinned, found: SealedObject) -> bytes | None:
    """Return the key of an object, ``None`` where no manifest pins it."""
    return pinned.get((found.name, found.digest))


def pinned_keys(
    point: ExchangePoint, keys: DeviceKeys, members: MemberList, epoch: int, prefix: str
) -> dict[tuple[str, str], bytes]:
    """Return the keys in the manifests of an epoch.

    A manifest that does not open is one of an epoch that another device began first.
    """
    pinned: dict[tuple[str, str], bytes] = {}
    for name in point.names(prefix):
        match = _NAME.fullmatch(name.partition("/")[2])
        if match is None or int(match[1]) != epoch or (data := point.get(name)) is None:
            continue
        try:
            found = sealed_object.read(data, members.vault, name, members.signing_keys)
            secret = sealed_object.key_of(found, keys)
            if secret is None or found.device not in members.members or found.epoch != epoch:
                continue
            lines = json.loads(zlib.decompress(sealed_object.opened(found, secret)))
            pinned |= {(str(segment), str(digest)): bytes.fromhex(key) for segment, digest, key in lines}
        except (TornError, ExchangeError, zlib.error, ValueError, TypeError):
            continue
    return pinned


def pin_segments(
    point: ExchangePoint, keys: DeviceKeys, members: MemberList, epoch: int, own_lanes: Collection[str] | None = None
) -> None:
    """Write manifests of an epoch with the keys of all objects of earlier ones.

    Args:
        point: The exchange point.
        keys: The keys of this device, with those of the epoch and of the ones that the segments were sealed in.
        members: The list of members as it is now.
        epoch: The epoch of the manifests.
        own_lanes: Where another device began the epoch, the lanes that are written here: only what this device signed
            is pinned then, as what it added too late. What can be opened no more is removed, to be added anew.
    """
    for lane in (*point.lanes(), SNAPSHOTS):
        pinned = pinned_keys(point, keys, members, epoch, lane)
        former = {
            pin: key
            for number in sorted(keys.epochs)
            if number < epoch
            for pin, key in pinned_keys(point, keys, members, number, lane).items()
        }
        known = set() if own_lanes is not None and lane in own_lanes else {name for name, _ in pinned}
        anew: dict[tuple[str, str], bytes] = {}
        for name in point.names(lane):
            found = None if name in known else _segment_of_former(point, members, epoch, name)
            if found is None or key_in(pinned, found) is not None:
                continue
            if own_lanes is not None and found.device != keys.id:
                continue
            secret = _secret(keys, members, former, found)
            if secret is not None:
                anew[found.name, found.digest] = secret
            elif own_lanes is not None and lane in own_lanes:
                point.remove(name)
        if anew:
            _write(point, keys, members.vault, epoch, lane, anew)


def remove_former(point: ExchangePoint, epoch: int) -> None:
    """Remove the manifests of all epochs before one."""
    for lane in (*point.lanes(), SNAPSHOTS):
        for name in point.names(lane):
            match = _NAME.fullmatch(name.partition("/")[2])
            if match is not None and int(match[1]) < epoch:
                point.remove(name)


def _segment_of_former(point: ExchangePoint, members: MemberList, epoch: int, name: str) -> SealedObject | None:
    """Return what was sealed before an epoch and is pinned, ``None`` for any other object."""
    if not _PINNED.fullmatch(name.partition("/")[2]):
        return None
    data = point.get(name)
    try:
        found = None if data is None else sealed_object.read(data, members.vault, name, members.signing_keys)
    except (TornError, ExchangeError):
        return None
    return found if found is not None and found.epoch < epoch else None


def _secret(keys: DeviceKeys, members: MemberList, former: Pinned, found: SealedObject) -> bytes | None:
    """Return the key of a segment, ``None`` where it is not here."""
    secret = key_in(former, found)
    if secret is None and found.device in members.members:
        try:
            secret = sealed_object.key_of(found, keys)
        except ExchangeError:
            return None
    return secret


def _write(point: ExchangePoint, keys: DeviceKeys, vault: str, epoch: int, lane: str, pinned: Pinned) -> None:
    lines = [[name, digest, key.hex()] for (name, digest), key in sorted(pinned.items())]
    body = zlib.compress(json.dumps(lines).encode())
    number = 0
    is_written = False
    while not is_written:
        number += 1
        name = f"{lane}/k-{epoch:06d}-{keys.id}-{number}"
        is_written = point.put_new(name, sealed_object.seal(keys, epoch, vault, name, body, {}))
