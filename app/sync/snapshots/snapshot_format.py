"""Snapshots: all changes and turns up to a frontier, in place of segments.

A snapshot is a head and its parts. The head says up to which number of each lane all is there, and names the parts by
their digests. Parts are zlib-compressed JSON lines: those of changes have the history row by row, so that one version
of a text stands beside the next; those of turns have conversation by conversation. No change is left out but those of
what was forgotten for ever, so that a fold of them is the fold of the segments, and what can be undone stays so.
"""

import json
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from app.errors import ExchangeError
from app.sync.sealing.key_manifest import SNAPSHOTS
from app.sync.segments import lane_segment
from app.sync.segments.change import Change
from app.sync.segments.lane_segment import Line
from app.sync.segments.turn_log import LaneTurn

_HEAD: Final = re.compile(rf"{SNAPSHOTS}/h-(\d{{6}})-([0-9a-f]{{32}})")
_PART: Final = re.compile(rf"{SNAPSHOTS}/p-(\d{{6}})-([0-9a-f]{{32}})-[0-9a-f]{{8}}-\d{{6}}")
_LEVEL: Final = 6
Knowledge = tuple[int, int, int, int]
"""From which change of which lane on, of which other lane, up to which number."""


class DamagedSnapshotError(ExchangeError):
    """A snapshot is not as it was written."""

    code = "exchange_snapshot"


@dataclass(frozen=True, slots=True)
class LaneEnd:
    """Last change of a lane that a snapshot has.

    Args:
        n: Its number.
        digest: What the next segment names as the one before it.
        hlc: Its clock, or a later one of the lane.
    """

    n: int
    digest: str
    hlc: int


@dataclass(frozen=True, slots=True)
class PartName:
    """Name of a part, and the digest of the object that has it."""

    name: str
    digest: str


@dataclass(frozen=True, slots=True)
class SnapshotHead:
    """Head of a snapshot.

    Args:
        name: Its name in the exchange.
        at_ms: When it was begun, milliseconds UTC.
        lanes: Up to where it has each lane.
        erased: Up to which number of each lane its writer had carried out the erasures.
        rows: How many changes and turns it has, about.
        changes: The parts with changes.
        turns: The parts with turns, which are taken in first.
    """

    name: str
    at_ms: int
    lanes: Mapping[int, LaneEnd]
    erased: Mapping[int, int]
    rows: int
    changes: tuple[PartName, ...]
    turns: tuple[PartName, ...]

    @property
    def number(self) -> int:
        """The number of the snapshot; two that were made at once may have the same."""
        return number_of(self.name)

    @property
    def parts(self) -> tuple[PartName, ...]:
        """All its parts."""
        return (*self.changes, *self.turns)

    def has_all_of(self, other: "SnapshotHead") -> bool:
        """Return whether it has each lane as far as another one."""
        return other.is_within({lane: end.n for lane, end in self.lanes.items()})

    def is_within(self, marks: Mapping[int, int]) -> bool:
        """Return whether it has nothing that is not below some numbers."""
        return all(end.n <= marks.get(lane, 0) for lane, end in self.lanes.items())

    def has_forgotten(self, erased: Mapping[int, int]) -> bool:
        """Return whether its writer had carried out the erasures up to some numbers."""
        return all(self.erased.get(lane, 0) >= n for lane, n in erased.items())


@dataclass(frozen=True, slots=True)
class SnapshotPart:
    """Content of a part, as it was read.

    Args:
        sessions: The conversations that are meant, as they began.
        names: Name and type of entities that are meant, by id.
        changes: The changes; those of one row stand together, in canonical order.
        turns: The turns, conversation by conversation.
        knowledge: What lanes knew of others.
    """

    sessions: tuple[Mapping[str, Any], ...]
    names: Mapping[str, tuple[str, str]]
    changes: tuple[Change, ...]
    turns: tuple[LaneTurn, ...]
    knowledge: tuple[Knowledge, ...]


def head_name(number: int, device: str) -> str:
    """Return the name of a device's snapshot."""
    return f"{SNAPSHOTS}/h-{number:06d}-{device}"


def part_name(number: int, device: str, build: str, part: int) -> str:
    """Return the name of a part that a device makes."""
    return f"{SNAPSHOTS}/p-{number:06d}-{device}-{build}-{part:06d}"


def is_head(name: str) -> bool:
    """Return whether a name is that of a head."""
    return _HEAD.fullmatch(name) is not None


def is_part(name: str) -> bool:
    """Return whether a name is that of a part."""
    return _PART.fullmatch(name) is not None


def number_of(name: str) -> int:
    """Return the number of the snapshot that has a name, 0 for other names."""
    match = _HEAD.fullmatch(name) or _PART.fullmatch(name)
    return 0 if match is None else int(match[1])


def device_of(name: str) -> str:
    """Return who made a head or part, ``""`` for other names."""
    match = _HEAD.fullmatch(name) or _PART.fullmatch(name)
    return "" if match is None else match[2]


def encode_head(head: SnapshotHead) -> bytes:
    """Return a head as text."""
    return lane_segment.dump(
        {
            "at": head.at_ms,
            "lanes": {f"{lane:016x}": [end.n, end.digest, end.hlc] for lane, end in head.lanes.items()},
            "erased": {f"{lane:016x}": n for lane, n in head.erased.items()},
            "rows": head.rows,
            "changes": [[part.name, part.digest] for part in head.changes],
            "turns": [[part.name, part.digest] for part in head.turns],
        }
    ).encode()


def decode_head(name: str, text: bytes) -> SnapshotHead:
    """Return a head by its text.

    Raises:
        DamagedSnapshotError: It is none.
    """
    try:
        fields = json.loads(text)
        return SnapshotHead(
            name,
            lane_segment.whole(fields["at"]),
            {
                int(lane, 16): LaneEnd(lane_segment.whole(n, 1), str(digest), lane_segment.clock(hlc))
                for lane, (n, digest, hlc) in fields["lanes"].items()
            },
            {int(lane, 16): lane_segment.whole(n, 1) for lane, n in fields["erased"].items()},
            lane_segment.whole(fields["rows"], 0),
            _part_names(fields["changes"]),
            _part_names(fields["turns"]),
        )
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise damaged() from error


def pack(lines: Iterable[Line]) -> bytes:
    """Return lines as a part."""
    return zlib.compress("".join(f"{lane_segment.dump(line)}\n" for line in lines).encode(), _LEVEL)


def change_lines(changes: Iterable[Change]) -> Iterator[Line]:
    """Yield changes as lines; none repeats the state before it in the same row."""
    row: tuple[str, str] = ("", "")
    known: Mapping[str, Any] | None = None
    for change in changes:
        line = lane_segment.change_line(change)
        if row == (change.target_kind, change.target) and change.before == known:
            del line["before"]
        row, known = (change.target_kind, change.target), change.after
        yield {"change": [change.place.lane, line]}


def beyond(changes: Iterable[Change], marks: Mapping[int, int]) -> list[Change]:
    """Return the changes that are beyond the numbers up to which each lane is here."""
    return [change for change in changes if change.place.n > marks.get(change.place.lane, 0)]


def turn_lines(turns: Iterable[LaneTurn]) -> Iterator[Line]:
    """Yield turns as lines."""
    yield from ({"turn": [turn.session, turn.lane, turn.seq, turn.said]} for turn in turns)


def unpack(text: bytes) -> SnapshotPart:
    """Return what a part has.

    Raises:
        DamagedSnapshotError: It is none.
    """
    unpacking = zlib.decompressobj()
    try:
        plain = unpacking.decompress(text, lane_segment.MOST_BYTES)
        if not unpacking.eof or unpacking.unused_data:
            raise damaged()
        return _part([json.loads(line) for line in plain.decode().split("\n")[:-1]])
    except (zlib.error, LookupError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise damaged() from error


def damaged() -> DamagedSnapshotError:
    """Return the error for a snapshot that is not as it was written."""
    return DamagedSnapshotError("The snapshot at the place is damaged. Another of your machines writes it anew.")


def _part(lines: Iterable[Line]) -> SnapshotPart:
    found: dict[str, list[Any]] = {"session": [], "name": [], "change": [], "turn": [], "knew": []}
    for line in lines:
        [(kind, value)] = line.items()
        found[kind].append(value)
    return SnapshotPart(
        tuple(dict(head) for head in found["session"]),
        {str(identity): (str(name), str(kind)) for identity, name, kind in found["name"]},
        tuple(_changes(found["change"])),
        tuple(lane_segment.turn_of(1, str(session), lane, seq, said) for session, lane, seq, said in found["turn"]),
        tuple((_n(lane), _n(n), _n(other), lane_segment.whole(known, 0)) for lane, n, other, known in found["knew"]),
    )


def _changes(lines: Iterable[tuple[int, Line]]) -> Iterator[Change]:
    known: Mapping[str, Any] | None = None
    for lane, line in lines:
        change = lane_segment.change_of(_n(lane), {"before": known, **line})
        known = change.after
        yield change


def _n(value: Any) -> int:
    return lane_segment.whole(value, 1)


def _part_names(pairs: Iterable[tuple[str, str]]) -> tuple[PartName, ...]:
    names = tuple(PartName(str(name), str(digest)) for name, digest in pairs)
    if not all(is_part(part.name) for part in names):
        raise ValueError("not the names of parts")
    return names
