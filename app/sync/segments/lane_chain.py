"""Chain of a lane's segments in an exchange, read from its beginning.

Each segment names the one before it, and who took in a lane up to a segment goes on with the next. Where segments were
lost and written anew, or a vault that was put back added its tail beside what the exchange had already, the numbers are
cut in other places than before; then the chain tells which segments belong together.
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from app.errors import ExchangeError
from app.sync.exchanges.exchange_point import ExchangePoint
from app.sync.sealing.signed_text import TornError
from app.sync.segments.lane_sealer import LaneSealer, OtherEpochError, RemovedWriterError
from app.sync.segments.lane_segment import Forgotten, SegmentPlace

_NAME: Final = re.compile(r"s-(\d+)-(\d+)(?:-r(\d+))?")


@dataclass(frozen=True, slots=True)
class SegmentObject:
    """Object of an exchange by its name.

    Args:
        name: The name.
        first: The number of its first change.
        last: That of the last.
        revision: How often it was written anew without what was forgotten.
    """

    name: str
    first: int
    last: int
    revision: int


@dataclass(frozen=True, slots=True)
class ChainLink:
    """Segment that follows from the beginning of its lane.

    Args:
        found: The object.
        place: Where it stands.
        digest: What the next one names as the one before it.
    """

    found: SegmentObject
    place: SegmentPlace
    digest: str


def objects_of(point: ExchangePoint, lane: int) -> list[SegmentObject]:
    """Return the segments of a lane in order, the newest of each last."""
    found = [
        SegmentObject(name, int(match[1]), int(match[2]), int(match[3] or 0))
        for name in point.names(f"{lane:016x}")
        if (match := _NAME.fullmatch(name.partition("/")[2])) is not None
    ]
    return sorted(found, key=lambda one: (one.first, one.last, one.revision))


def is_without_gap(objects: list[SegmentObject], last: int, covered: int) -> bool:
    """Return whether some segments have all numbers up to one, by their names.

    Args:
        objects: The segments, in order.
        last: The number.
        covered: Up to which number a snapshot has the lane, so that no segment needs to.
    """
    reached = covered
    for one in objects:
        if one.first > reached + 1:
            break
        reached = max(reached, one.last)
    return reached >= last


def links_of(point: ExchangePoint, sealer: LaneSealer, lane: int) -> Iterator[ChainLink]:
    """Yield the segments that follow from the beginning of a lane, in order.

    Raises:
        OtherEpochError: One cannot be opened at the moment.
    """
    reached: defaultdict[int, set[str]] = defaultdict(set, {0: {""}})
    for one in objects_of(point, lane):
        data = point.get(one.name)
        try:
            header = None if data is None else sealer.header(one.name, data)
        except OtherEpochError:
            raise
        except (TornError, ExchangeError):
            continue
        if (
            header is not None
            and (header.first, header.last) == (one.first, one.last)
            and header.previous in reached[one.first - 1]
        ):
            reached[one.last].add(header.digest)
            place = SegmentPlace(sealer.vault, lane, one.first - 1, header.previous)
            yield ChainLink(one, place, header.digest)


def link_over(point: ExchangePoint, sealer: LaneSealer, lane: int, n: int) -> ChainLink | None:
    """Return the longest segment of the chain with the change ``n``, ``None`` without one."""
    over = [link for link in links_of(point, sealer, lane) if link.found.first <= n <= link.found.last]
    return max(over, key=lambda link: (link.found.last, link.found.revision), default=None)


def last_whole(point: ExchangePoint, sealer: LaneSealer, lane: int) -> tuple[int, str]:
    """Return the last number of a lane's chain and the digest there, or ``(0, "")``."""
    return max(((link.found.last, link.digest) for link in links_of(point, sealer, lane)), default=(0, ""))


def last_opening(point: ExchangePoint, sealer: LaneSealer, lane: int) -> tuple[int, str]:
    """Return the same up to the first segment that does not open."""
    last = (0, "")
    try:
        for link in links_of(point, sealer, lane):
            last = max(last, (link.found.last, link.digest))
    except OtherEpochError:
        pass
    return last


def rewrite(point: ExchangePoint, sealer: LaneSealer, lane: int, n: int, forgotten: Forgotten) -> bool:
    """Write the segments of a lane anew without what was forgotten.

    Returns False where one could not be read.

    Args:
        point: The exchange point.
        sealer: Seals what is written anew.
        lane: A lane that was written on this machine.
        n: The number of its last change that is here.
        forgotten: What was forgotten for ever.
    """
    is_done = True
    objects = objects_of(point, lane)
    newest = {(one.first, one.last): one for one in objects}
    for one in objects:
        if newest[one.first, one.last] is not one:
            point.remove(one.name)  # the process ended between the two
            continue
        data = point.get(one.name)
        name = f"{lane:016x}/s-{one.first:012d}-{one.last:012d}-r{one.revision + 1}"
        try:
            anew = None if data is None else sealer.without(one.name, data, forgotten, name)
        except OtherEpochError:  # it is whole, and is opened when the epochs agree
            is_done = False
            continue
        except RemovedWriterError:  # no machine reads it, and none will
            continue
        except (TornError, ExchangeError):
            if one.last <= n:  # it is here as a whole, and is added again
                point.remove(one.name)
            is_done = False
            continue
        if one.last > forgotten.known and forgotten.entities:  # who knew of what is not known yet
            is_done = False
        if anew is not None:
            point.put_new(name, anew)
            point.remove(one.name)
    return is_done
