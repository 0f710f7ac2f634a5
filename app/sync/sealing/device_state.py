"""State of a device: how far it has come and what it forgot.

A device keeps one such object in the exchange, sealed for the others. Forgetting for ever is complete once the states
of all members say so.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from app.errors import ExchangeError
from app.sync.exchanges.exchange_point import ExchangePoint
from app.sync.sealing import primitives, sealed_object
from app.sync.sealing.device_keys import DeviceKeys
from app.sync.sealing.member_list import MemberList
from app.sync.sealing.signed_text import TornError

PREFIX: Final = "devices"
_NAME: Final = re.compile(rf"{PREFIX}/d-([0-9a-f]{{32}})-([0-9]{{12}})")


@dataclass(frozen=True, slots=True)
class DeviceState:
    """State of a device when it last met the others.

    Args:
        at_ms: When that was, milliseconds UTC by its own clock.
        marks: Up to which number it has the changes of each lane.
        erased: Up to which number it carried out the erasures of each lane, with all that follows from them.
        receipts: A digest of its receipts of them.
        receiving: The public key that the next epoch's is to be encrypted to, in hexadecimal digits.
        reader: The newest format that it reads.
        snapshot: The newest snapshot that it saw whole.
        unreadable: The snapshot that it could not read.
    """

    at_ms: int
    marks: Mapping[str, int] = field(default_factory=dict)
    erased: Mapping[str, int] = field(default_factory=dict)
    receipts: str = ""
    receiving: str = ""
    reader: int = sealed_object.OLDEST_READER
    snapshot: str = ""
    unreadable: str = ""


def publish(point: ExchangePoint, keys: DeviceKeys, members: MemberList, state: DeviceState) -> None:
    """Put the state of this device in the place of its former one."""
    former = _names_of(point, keys.id)
    fields = [state.at_ms, dict(state.marks), dict(state.erased), state.receipts, state.receiving]
    body = json.dumps(fields).encode()
    number = 1 + max((_number(name) for name in former), default=0)
    name = f"{PREFIX}/d-{keys.id}-{number:012d}"
    # In the header, for a Keepsake that does not know them reads only so many fields in the body.
    extra = {"reader": sealed_object.FORMAT, "snapshot": state.snapshot, "unreadable": state.unreadable}
    point.put_new(name, sealed_object.seal(keys, members.epoch, members.vault, name, body, extra))
    for old in former:
        point.remove(old)


def remove(point: ExchangePoint, device: str) -> None:
    """Remove the states of a device."""
    for name in _names_of(point, device):
        point.remove(name)


def states_of(point: ExchangePoint, keys: DeviceKeys, members: MemberList) -> dict[str, DeviceState]:
    """Return the newest states of members that were sealed in the present epoch, by id."""
    states: dict[str, DeviceState] = {}
    for name in sorted(point.names(PREFIX)):
        match = _NAME.fullmatch(name)
        if match is not None and match[1] in members.members:
            state = _state(point, keys, members, name, match[1])
            if state is not None:
                states[match[1]] = state
    return states


def _state(point: ExchangePoint, keys: DeviceKeys, members: MemberList, name: str, device: str) -> DeviceState | None:
    """Return the state in an object, ``None`` where the device did not sign it."""
    data = point.get(name)
    try:
        found = None if data is None else sealed_object.read(data, members.vault, name, members.signing_keys)
        if found is None or found.device != device or found.epoch != members.epoch:
            return None
        secret = sealed_object.key_of(found, keys)
        if secret is None:
            return None
        at_ms, marks, erased, receipts, receiving = json.loads(sealed_object.opened(found, secret))
        if len(bytes.fromhex(receiving)) != primitives.KEY_BYTES:
            return None
        return DeviceState(
            int(at_ms),
            _numbers(marks),
            _numbers(erased),
            str(receipts),
            receiving,
            int(found.fields.get("reader", sealed_object.OLDEST_READER)),
            str(found.fields.get("snapshot", "")),
            str(found.fields.get("unreadable", "")),
        )
    except (TornError, ExchangeError, ValueError, TypeError, AttributeError):
        return None


def _names_of(point: ExchangePoint, device: str) -> list[str]:
    return [name for name in point.names(PREFIX) if name.startswith(f"{PREFIX}/d-{device}-")]


def _numbers(fields: Mapping[str, int]) -> dict[str, int]:
    return {str(lane): int(n) for lane, n in fields.items()}


def _number(name: str) -> int:
    match = _NAME.fullmatch(name)
    return 0 if match is None else int(match[2])
