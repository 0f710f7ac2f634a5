"""Sealed exchange: a place with what seals and opens segments for this device."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import apsw

from app.errors import ExchangeError
from app.store import meta
from app.sync.exchanges.exchange_point import ExchangePoint
from app.sync.membership import REVISION
from app.sync.sealing.signed_text import TornError
from app.sync.segments import capture
from app.sync.segments.lane_sealer import LaneSealer, RemovedWriterError
from app.sync.segments.lane_segment import Segment, SegmentPlace

MOST_CHARACTERS: Final = 1 << 20
"""Of the texts of a segment, unless one change alone has more."""


@dataclass(frozen=True, slots=True)
class SealedExchange:
    """Exchange point with what seals for this device.

    Args:
        point: The exchange point.
        sealer: Seals and opens segments.
    """

    point: ExchangePoint
    sealer: LaneSealer

    def segment(self, name: str, place: SegmentPlace) -> Segment | None:
        """Return the segment with a name, ``None`` where there is none.

        Raises:
            TornError: It ends too early.
            ExchangeError: It is damaged, not the one of its place, or not signed by a member.
        """
        return self.opened(name, self.point.get(name), place)

    def opened(self, name: str, data: bytes | None, place: SegmentPlace) -> Segment | None:
        """Return the segment in an object, ``None`` where there is none; raises like ``segment``."""
        return None if data is None else self.sealer.open(name, data, place)

    def lanes_of_removed(self) -> list[int]:
        """Return the lanes whose last segment was signed by a device that was removed."""
        lanes: list[int] = []
        for lane in self.point.lanes():
            names = [name for name in self.point.names(lane) if "/s-" in name]
            data = self.point.get(max(names)) if names else None
            if data is not None and self.sealer.is_of_removed(max(names), data):
                lanes.append(int(lane, 16))
        return lanes

    def are_of_removed(self, names: Sequence[str]) -> bool:
        """Return whether all of some segments were added by devices that were removed before."""
        return all(self._is_added_by_removed(name) for name in names)

    def _is_added_by_removed(self, name: str) -> bool:
        data = self.point.get(name)
        try:
            if data is not None:
                self.sealer.header(name, data)
        except RemovedWriterError:
            return True
        except (TornError, ExchangeError):
            pass
        return False

    def keep(self, name: str, data: bytes) -> bool:
        """Keep an object; return False where another one has its name."""
        return self.point.put_new(name, data)

    def sealed(
        self, lane: int, after: int, previous: str, connection: apsw.Connection
    ) -> tuple[str, bytes, str, int] | None:
        """Return the next segment of a lane: name, bytes, digest and last number."""
        part = capture.part_after(connection, lane, after, MOST_CHARACTERS)
        if part is None:
            return None
        revision = int(meta.read(connection, REVISION) or 0)
        return (*self.sealer.seal(part, previous, revision), part.last)

    def digest(self, lane: int, after: int, last: int, previous: str, connection: apsw.Connection) -> str | None:
        """Return the digest of a segment, ``None`` where not all of it is here."""
        part = capture.part_after(connection, lane, after, MOST_CHARACTERS, last)
        return None if part is None else self.sealer.digest_of(part, previous)
