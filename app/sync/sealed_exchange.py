"""Sealed exchange: a place with what seals and opens segments for this device."""

from dataclasses import dataclass
from typing import Final

import apsw

from app.sync import capture
from app.sync.exchanges.exchange_point import ExchangePoint
from app.sync.lane_sealer import LaneSealer
from app.sync.lane_segment import Segment, SegmentPlace

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
        data = self.point.get(name)
        return None if data is None else self.sealer.open(name, data, place)

    def keep(self, name: str, data: bytes) -> bool:
        """Keep an object; return False where another one has its name.

        Where the connection was lost after it was kept, it is found there.
        """
        return self.point.put_new(name, data) or self.point.get(name) == data

    def sealed(
        self, lane: int, after: int, previous: str, connection: apsw.Connection
    ) -> tuple[str, bytes, str, int] | None:
        """Return the next segment of a lane: name, bytes, digest and last number."""
        part = capture.part_after(connection, lane, after, MOST_CHARACTERS)
        return None if part is None else (*self.sealer.seal(part, previous), part.last)

    def digest(self, lane: int, after: int, last: int, previous: str, connection: apsw.Connection) -> str | None:
        """Return the digest of a segment, ``None`` where not all of it is here."""
        part = capture.part_after(connection, lane, after, MOST_CHARACTERS, last)
        return None if part is None else self.sealer.digest_of(part, previous)
