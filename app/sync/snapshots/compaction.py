"""Compaction: segments go from the place once a snapshot has them and every machine too.

In the place of those of a lane stands a segment without content, which names the digest that the next one follows. So
the chain of the lane has no gap, and a Keepsake that does not know snapshots reads from it that it is too old.
"""

from collections.abc import Mapping

from app.sync.sealed_exchange import SealedExchange
from app.sync.segments import lane_chain
from app.sync.segments.lane_chain import SegmentObject
from app.sync.snapshots.snapshot_format import LaneEnd


def count_beyond(joined: SealedExchange, covered: Mapping[int, int]) -> int:
    """Return how many segments have changes that no snapshot has.

    Args:
        joined: The place.
        covered: Up to which number a snapshot has each lane.
    """
    return sum(
        one.last > covered.get(int(lane, 16), 0)
        for lane in joined.point.lanes()
        for one in lane_chain.objects_of(joined.point, int(lane, 16))
    )


def are_lost(joined: SealedExchange, marks: Mapping[int, int], covered: Mapping[int, int]) -> bool:
    """Return whether the place has lost segments of other machines that are here.

    Args:
        joined: The place.
        marks: Up to which number each lane of another machine is here.
        covered: Up to which number a snapshot has each lane.
    """
    return not all(
        lane_chain.is_without_gap(lane_chain.objects_of(joined.point, lane), n, covered.get(lane, 0))
        for lane, n in marks.items()
        if n > covered.get(lane, 0)
    )


def cover(joined: SealedExchange, lane: int, end: LaneEnd) -> int:
    """Take a lane's segments away that a snapshot has, and return how many.

    Args:
        joined: The place.
        lane: The lane.
        end: Up to where the snapshot has it; all machines have it up to there.
    """
    objects = lane_chain.objects_of(joined.point, lane)
    if any(one.first <= end.n < one.last for one in objects):
        return 0  # cut in other places than the snapshot's writer had it; the next snapshot ends beyond it
    old = [one for one in objects if one.last <= end.n]
    covers = [one for one in old if (one.first, one.last) == (1, end.n) and _is_cover(joined, one)]
    if not covers:
        revision = 1 + max((one.revision for one in old if (one.first, one.last) == (1, end.n)), default=0)
        name = f"{lane:016x}/s-{1:012d}-{end.n:012d}-r{revision}"
        if not joined.keep(name, joined.sealer.cover(name, end.n, end.digest)):
            return 0  # another machine does the same
        covers = [SegmentObject(name, 1, end.n, revision)]
    gone = [one for one in old if one.name != covers[-1].name]
    for one in gone:
        joined.point.remove(one.name)
    return len(gone)


def _is_cover(joined: SealedExchange, one: SegmentObject) -> bool:
    data = joined.point.get(one.name)
    return data is not None and joined.sealer.is_cover(one.name, data)
