"""Snapshots at an exchange point: listing, reading, writing and removing them."""

import hashlib
import secrets
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field

from app.errors import ExchangeError, ExchangeNewerError
from app.sync.sealed_exchange import SealedExchange
from app.sync.sealing.key_manifest import SNAPSHOTS
from app.sync.sealing.signed_text import TornError
from app.sync.segments.lane_sealer import OtherEpochError
from app.sync.snapshots import snapshot_format
from app.sync.snapshots.snapshot_format import PartName, SnapshotHead


@dataclass(frozen=True, slots=True)
class SnapshotListing:
    """Snapshots that are at a place.

    Args:
        names: The names of all their objects.
        snapshots: Those whose head could be read.
        damaged: The names of those whose head is not as it was written, or cannot be opened.
    """

    names: frozenset[str] = frozenset()
    snapshots: tuple[SnapshotHead, ...] = ()
    damaged: frozenset[str] = frozenset()

    @property
    def whole(self) -> list[SnapshotHead]:
        """Snapshots of which all parts are there, the one with most last."""
        whole = [head for head in self.snapshots if all(part.name in self.names for part in head.parts)]
        return sorted(whole, key=lambda head: (head.number, sum(end.n for end in head.lanes.values()), head.name))

    @property
    def newest(self) -> SnapshotHead | None:
        """The one that counts, ``None`` without one that is whole."""
        return next(reversed(self.whole), None)

    @property
    def has_any(self) -> bool:
        """Tell that there is a head, whether or not it can be read."""
        return any(snapshot_format.is_head(name) for name in self.names)


@dataclass(slots=True)
class SnapshotPlace:
    """Snapshots of an exchange point, each head read once.

    Any thread may use it, one at a time.
    """

    _read: dict[str, SnapshotHead] = field(default_factory=dict)

    def listing(self, joined: SealedExchange) -> SnapshotListing:
        """Return which snapshots are there."""
        names = frozenset(joined.point.names(SNAPSHOTS))
        snapshots: list[SnapshotHead] = []
        damaged: set[str] = set()
        for name in sorted(filter(snapshot_format.is_head, names)):
            try:
                head = self._read.get(name) or _head(joined, name)
            except (ExchangeNewerError, OtherEpochError, TornError):
                continue
            except ExchangeError:
                damaged.add(name)
                continue
            if head is not None:
                self._read[name] = head
                snapshots.append(head)
        self._read = {head.name: head for head in snapshots}
        return SnapshotListing(names, tuple(snapshots), frozenset(damaged))


def text_of(joined: SealedExchange, part: PartName) -> bytes | None:
    """Return what a part has, ``None`` where it is not there as a whole.

    Raises:
        DamagedSnapshotError: It is not the one that the head names, or was not signed by a member.
        OtherEpochError: It cannot be opened at the moment.
        ExchangeNewerError: A newer Keepsake wrote it.
    """
    data = joined.point.get(part.name)
    if data is None:
        return None
    try:
        text = joined.sealer.text(part.name, data)
    except TornError:
        return None
    except (OtherEpochError, ExchangeNewerError):
        raise
    except ExchangeError as error:
        raise snapshot_format.damaged() from error
    if hashlib.sha256(data).hexdigest() != part.digest:
        raise snapshot_format.damaged()
    return text


def is_sound(joined: SealedExchange, head: SnapshotHead) -> bool:
    """Return whether all parts of a snapshot are as they were written, by reading them."""
    try:
        return all(text_of(joined, part) is not None for part in head.parts)
    except ExchangeError:
        return False


@dataclass(slots=True)
class SnapshotWriter:
    """Writer of one snapshot.

    Args:
        joined: The place.
        number: The number of the snapshot.
    """

    joined: SealedExchange
    number: int
    _build: str = field(default_factory=lambda: secrets.token_hex(4))
    _names: list[str] = field(default_factory=list)

    def add(self, text: bytes) -> PartName:
        """Add a part."""
        name = snapshot_format.part_name(self.number, self.joined.sealer.device, self._build, len(self._names) + 1)
        self._names.append(name)
        data = self.joined.sealer.snapshot(name, text)
        self.joined.point.put_new(name, data)
        return PartName(name, hashlib.sha256(data).hexdigest())

    def drop(self) -> None:
        """Remove the parts again."""
        for name in self._names:
            self.joined.point.remove(name)

    def end(self, make: Callable[[str], SnapshotHead]) -> SnapshotHead | None:
        """Add the head, which makes it a snapshot.

        Returns ``None``, without the parts, where a place that lagged has a head of that name.
        """
        head = make(snapshot_format.head_name(self.number, self.joined.sealer.device))
        data = self.joined.sealer.snapshot(head.name, snapshot_format.encode_head(head))
        if self.joined.point.put_new(head.name, data):
            return head
        self.drop()
        return None


def remove_former(joined: SealedExchange, listing: SnapshotListing, kept: SnapshotHead) -> None:
    """Remove the snapshots before one, and what was begun before it and has no head.

    A snapshot that has something which the kept one has not stays. Of others the head goes first.

    Args:
        joined: The place.
        listing: What is there.
        kept: The snapshot that stays.
    """
    staying = [kept, *(head for head in listing.whole if not kept.has_all_of(head))]
    names = {name for head in staying for name in (head.name, *(part.name for part in head.parts))}
    for name in sorted(listing.names - names, key=lambda name: (not snapshot_format.is_head(name), name)):
        number, device = snapshot_format.number_of(name), snapshot_format.device_of(name)
        # A part of the same number may be of a snapshot that another machine is writing at this moment.
        is_being_written = number == kept.number and snapshot_format.is_part(name) and device != joined.sealer.device
        if 0 < number <= kept.number and not is_being_written:
            joined.point.remove(name)


def remove_unended(joined: SealedExchange, listing: SnapshotListing) -> None:
    """Remove parts without a head, but those that another member may be writing.

    Args:
        joined: The place.
        listing: What is there.
    """
    for name in filter(snapshot_format.is_part, listing.names):
        device = snapshot_format.device_of(name)
        if device == joined.sealer.device or not joined.sealer.is_member(device):
            joined.point.remove(name)


def next_number(names: Collection[str]) -> int:
    """Return the number of the next snapshot."""
    return 1 + max((snapshot_format.number_of(name) for name in names), default=0)


def _head(joined: SealedExchange, name: str) -> SnapshotHead | None:
    data = joined.point.get(name)
    return None if data is None else snapshot_format.decode_head(name, joined.sealer.text(name, data))


def covered_by(snapshots: Collection[SnapshotHead]) -> Mapping[int, int]:
    """Return up to which number snapshots have each lane."""
    covered: dict[int, int] = {}
    for head in snapshots:
        for lane, end in head.lanes.items():
            covered[lane] = max(end.n, covered.get(lane, 0))
    return covered
