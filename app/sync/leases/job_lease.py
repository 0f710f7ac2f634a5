"""Lease of one piece of work, as it stands at the exchange point.

A lease is a chain of objects, of which the newest counts. Who wants the work adds the next object; of two who do, the
place lets one. It says which runs were begun or done, by digests that only members can make; nobody's clock is in it.
"""

import hashlib
import hmac
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from app.errors import ExchangeError
from app.sync.exchanges.exchange_point import LEASES, ExchangePoint
from app.sync.sealing import primitives, sealed_object
from app.sync.sealing.device_keys import DeviceKeys
from app.sync.sealing.member_list import MemberList
from app.sync.sealing.signed_text import TornError

MOST_RUNS: Final = 32
"""So many runs are remembered: a clock that is days ahead runs what others come to only then."""
_NAME: Final = re.compile(rf"{LEASES}/j-([0-9a-f]{{32}})-([0-9]{{12}})")
_DIGEST: Final = re.compile(r"[0-9a-f]{32}")
_NAMES: Final = "names of leases"


@dataclass(frozen=True, slots=True)
class JobLease:
    """Lease as a machine left it.

    Args:
        number: The number of its object, 0 where nobody ever had it.
        device: The machine, ``""`` where it is no member or the object cannot be read.
        runs: The last runs that were begun, the newest last.
        is_begun: Whether the newest of them goes on.
    """

    number: int = 0
    device: str = ""
    runs: tuple[str, ...] = ()
    is_begun: bool = False

    @property
    def running(self) -> str:
        """The run that goes on, ``""`` for none."""
        return self.runs[-1] if self.is_begun and self.runs else ""

    @property
    def last_ended(self) -> str:
        """The last run that ended, ``""`` for none."""
        return next(reversed(self.runs[:-1] if self.is_begun else self.runs), "")


def digest(keys: DeviceKeys, *parts: str) -> str:
    """Return the name that members have for something, which tells others nothing."""
    secret = primitives.derived(keys.shared, _NAMES)
    return hmac.new(secret, "\0".join(parts).encode(), hashlib.sha256).hexdigest()[:32]


def latest(point: ExchangePoint, members: MemberList, chain: str) -> JobLease:
    """Return a lease as it stands at the place.

    Args:
        point: The exchange point.
        members: The list of members.
        chain: The name of the work; see ``digest``.
    """
    number = max(_numbers(point, chain), default=0)
    return JobLease() if not number else _read(point, members, chain, number)


def put_next(
    point: ExchangePoint, keys: DeviceKeys, members: MemberList, chain: str, lease: JobLease
) -> JobLease | None:
    """Add the next object of a lease, and return the lease.

    Args:
        point: The exchange point.
        keys: The keys of this device.
        members: The list of members.
        chain: The name of the work.
        lease: The lease with the number of its newest object, and with what is to be said now.

    Returns:
        The lease as it is then, ``None`` where another machine was faster.
    """
    number, runs = lease.number + 1, lease.runs[-MOST_RUNS:]
    name = _name(chain, number)
    said = {"runs": list(runs), "begun": lease.is_begun}
    if not point.put_new(name, sealed_object.seal(keys, members.epoch, members.vault, name, b"", said)):
        return None
    numbers = _numbers(point, chain)
    if max(numbers, default=0) > number:
        return None
    for old in numbers:
        if old < number:
            point.remove(_name(chain, old))
    return JobLease(number, keys.id, runs, lease.is_begun)


def _read(point: ExchangePoint, members: MemberList, chain: str, number: int) -> JobLease:
    name = _name(chain, number)
    data = point.get(name)
    try:
        found = None if data is None else sealed_object.read(data, members.vault, name, members.signing_keys)
    except (TornError, ExchangeError):
        found = None
    if found is None or found.device not in members.members:
        return JobLease(number)
    return _said(number, found.device, found.fields)


def _said(number: int, device: str, fields: Mapping[str, Any]) -> JobLease:
    runs, is_begun = fields.get("runs"), fields.get("begun")
    is_sound = isinstance(runs, list) and all(isinstance(run, str) and _DIGEST.fullmatch(run) for run in runs)
    if not is_sound or not isinstance(is_begun, bool):
        return JobLease(number)
    return JobLease(number, device, tuple(fields["runs"][-MOST_RUNS:]), is_begun)


def _name(chain: str, number: int) -> str:
    return f"{LEASES}/j-{chain}-{number:012d}"


def _numbers(point: ExchangePoint, chain: str) -> Sequence[int]:
    matches = (_NAME.fullmatch(name) for name in point.names(LEASES))
    return [int(match[2]) for match in matches if match is not None and match[1] == chain]
