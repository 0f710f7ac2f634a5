"""Segments: consecutive changes of a lane, as the text of one sealed object.

A segment is zlib-compressed JSON lines. Its header names the vault, the lane, the numbers, the digest of the segment
before it and that of each line. A segment's own digest follows from its header alone, so that forgetting a line for
ever changes no other.
"""

import hashlib
import json
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from app.core.time_rules import hybrid_clock
from app.errors import ExchangeError
from app.store.lanes import ChangePlace
from app.sync.sealing import sealed_object
from app.sync.segments import capture
from app.sync.segments.capture import LanePart
from app.sync.segments.change import ERASE, Change
from app.sync.segments.turn_log import COLUMNS, LaneTurn

MOST_BYTES: Final = 256 << 20
"""No segment is larger once it is unpacked."""
_DIGEST_BYTES: Final = 16
_GONE: Final = "null"
_MOST_AHEAD_MS: Final = 100 * 366 * 86_400_000
_LEVEL: Final = 6
_MOST_N: Final = (1 << 48) - 1
_MOST_INTEGER: Final = (1 << 63) - 1
_NAME_FIELDS, _TURN_FIELDS = 3, 5
_KNOWN: Final = {
    "session": {"id", "title", "agent", "channel", "trust", "created_at", "first_seen", "attributes", "aliases"},
    "change": {
        "hlc", "n", "at", "actor", "run", "kind", "target", "event", "before", "after", "undoes",
    },
}  # fmt: skip
"""Fields that a conversation and a change have."""

Line = dict[str, Any]


@dataclass(frozen=True, slots=True)
class SegmentPlace:
    """Place of a segment among those of its lane.

    Args:
        vault: The id of the vault.
        lane: The lane.
        after: The number of the last change before it.
        previous: The digest of the segment before it, ``""`` for the first.
    """

    vault: str
    lane: int
    after: int
    previous: str


@dataclass(frozen=True, slots=True)
class Forgotten:
    """Contents that the segments of a lane are to hold no more.

    Args:
        ids: Ids of what was forgotten for ever.
        entities: For each entity of which earlier changes are forgotten, the number of the last of them in the lane.
        known: The number of the last change in the lane of which it is known.
    """

    ids: frozenset[str]
    entities: Mapping[str, int]
    known: int


@dataclass(frozen=True, slots=True)
class Segment:
    """A segment and what it holds.

    Args:
        digest: What the next one names as the one before it.
        part: The changes; their ``seen`` is empty, for it follows from what the lane learned so far.
    """

    digest: str
    part: LanePart


def encode(part: LanePart, vault: str, previous: str) -> tuple[bytes, str]:
    """Return changes as a segment, with its header.

    Args:
        part: The changes.
        vault: The id of the vault.
        previous: The digest of the segment before it, ``""`` for the first.
    """
    lines = [dump(line) for line in _lines(part)]
    header = dump(
        {
            "vault": vault,
            "lane": part.lane,
            "first": part.first,
            "last": part.last,
            "previous": previous,
            "knowledge": part.knowledge,
            "places": part.places,
            "lines": [digest_of(line) for line in lines],
        }
    )
    return pack(header, lines), header


def decode(data: bytes, place: SegmentPlace) -> LanePart:
    """Return what a segment holds, once all of it was checked.

    Args:
        data: The segment.
        place: Where it stands.

    Raises:
        ExchangeNewerError: It says what this Keepsake does not know.
        ExchangeError: It is damaged, of another vault or lane, or not the next one.
    """
    header, texts = unpack(data)
    fields = json.loads(header)
    require_next(fields, place)
    try:
        lines = [json.loads(text) for text in texts if text != _GONE]
        if not all(map(_is_known, lines)):
            raise sealed_object.newer(sealed_object.FORMAT + 1)
        return _part(fields, lines)
    except (LookupError, TypeError, ValueError, RecursionError) as error:
        raise damaged(place.lane) from error


def unpack(data: bytes) -> tuple[str, list[str]]:
    """Return header and lines of a segment, each line as its digest says.

    A line that was forgotten for ever is ``null``.

    Raises:
        ExchangeError: It is damaged.
    """
    unpacking = zlib.decompressobj()
    try:
        text = unpacking.decompress(data, MOST_BYTES)
        header, *lines = text.decode().split("\n")[:-1]
        digests = json.loads(header)["lines"]
    except (zlib.error, ValueError, LookupError, TypeError, RecursionError) as error:
        raise damaged(0) from error
    is_whole = unpacking.eof and not unpacking.unused_data and len(lines) == len(digests)
    if not is_whole or any(
        line not in (_GONE,) and digest_of(line) != digest for line, digest in zip(lines, digests, strict=True)
    ):
        raise damaged(0)
    return header, lines


def pack(header: str, lines: Iterable[str]) -> bytes:
    """Return the bytes of a segment, the reverse of ``unpack``."""
    return zlib.compress("".join(f"{line}\n" for line in (header, *lines)).encode(), _LEVEL)


def without(data: bytes, forgotten: Forgotten) -> bytes | None:
    """Return a segment without what was forgotten, ``None`` where it has nothing of it.

    With a change the names go that no other one gives.
    """
    header, texts = unpack(data)
    lines = [json.loads(text) for text in texts]
    kept = [None if line is None or _is_about(line, forgotten) else line for line in lines]
    if kept == lines:
        return None
    states = [state for line in kept if line is not None and "change" in line for state in _states(line["change"])]
    named = {entity for state in states for entity in capture.named_ids(state)}
    kept = [None if line is not None and "name" in line and line["name"][0] not in named else line for line in kept]
    return pack(header, (_GONE if line is None else text for line, text in zip(kept, texts, strict=True)))


def require_plausible(part: LanePart, now_ms: int) -> None:
    """Refuse changes whose clock is too far ahead to be followed.

    Every machine follows the clocks that it hears of, for a change has to come after those that its writer saw. A clock
    that is wrong by years does no harm; the limit leaves room for one here that was set to 1970.

    Raises:
        ExchangeError: It is ahead of this machine's by more than a hundred years.
    """
    clocks = [change.place.hlc for change in part.changes] + [hlc for _, hlc, _ in part.places]
    if max(clocks, default=0) > hybrid_clock.at_wall(now_ms + _MOST_AHEAD_MS):
        raise ExchangeError(
            "The clock of another machine is more than a hundred years ahead; what it wrote is not taken in.",
            lane=f"{part.lane:016x}",
        )


def damaged(lane: int) -> ExchangeError:
    """Return the error for a segment that is not as it was written."""
    return ExchangeError(
        "A file that another machine left is damaged. Keepsake there writes it anew if the file is removed.",
        lane=f"{lane:016x}",
    )


def digest_of(text: str) -> str:
    """Return the digest of a header or line."""
    return hashlib.blake2b(text.encode(), digest_size=_DIGEST_BYTES).hexdigest()


def require_next(said: Mapping[str, Any], place: SegmentPlace) -> None:
    """Refuse a segment that does not stand in its place, by what its header says.

    Raises:
        ExchangeError: It is of another vault or lane, or not the next one.
    """
    lane = f"{place.lane:016x}"
    if said.get("vault") != place.vault:
        raise ExchangeError("A file in the folder belongs to another vault. Move it away.", lane=lane)
    if said.get("lane") != place.lane:
        raise ExchangeError(
            "A file in the folder stands in the place of another. Put it back, or remove it.", lane=lane
        )
    if said.get("first") != place.after + 1:
        raise ExchangeError(
            "A file of another machine is missing, or one stands twice. Wait until the folder is complete.", lane=lane
        )
    if said.get("previous") != place.previous:
        raise ExchangeError(
            "Files of another machine do not follow each other: the folder shows an older state than it did, or two"
            " copies of one vault wrote to it.",
            lane=lane,
        )


def _lines(part: LanePart) -> Iterable[Line]:
    yield from ({"session": dict(session)} for session in part.sessions)
    yield from ({"name": [identity, *said]} for identity, said in (part.names or {}).items())
    yield from ({"change": change_line(change)} for change in part.changes)
    yield from ({"turn": [turn.n, turn.session, turn.lane, turn.seq, turn.said]} for turn in part.turns)


def change_line(change: Change) -> Line:
    """Return a change as a line holds it, without its lane."""
    return {
        "hlc": change.place.hlc,
        "n": change.place.n,
        "at": change.at_ms,
        "actor": change.actor,
        "run": change.run_id,
        "kind": change.target_kind,
        "target": change.target,
        "event": change.event,
        "before": change.before,
        "after": change.after,
        "undoes": change.undoes,
    }


def _is_known(line: Line) -> bool:
    """Return whether this Keepsake knows all fields of a line, those of states apart.

    Those it does not know are kept in the history, for machines that do.
    """
    if not isinstance(line, dict):
        raise TypeError("not a line")
    [(kind, said)] = line.items()
    if kind == "turn":
        return len(said) == _TURN_FIELDS and set(said[-1]) <= set(COLUMNS)
    if kind == "name":
        return len(said) == _NAME_FIELDS
    return kind in _KNOWN and set(said) <= _KNOWN[kind]


def _part(said: Mapping[str, Any], lines: Sequence[Line]) -> LanePart:
    lane = whole(said["lane"], 1)
    last = whole(said["last"], 1, _MOST_N)
    first = whole(said["first"], 1, last)
    part = LanePart(
        lane=lane,
        first=first,
        last=last,
        knowledge=tuple(
            (whole(n, first, last), whole(other, 1), whole(known, 0, _MOST_N)) for n, other, known in said["knowledge"]
        ),
        sessions=tuple(line["session"] for line in lines if "session" in line),
        names={line["name"][0]: (line["name"][1], line["name"][2]) for line in lines if "name" in line},
        changes=tuple(change_of(lane, line["change"]) for line in lines if "change" in line),
        turns=tuple(turn_of(*line["turn"]) for line in lines if "turn" in line),
        places=tuple((whole(n, first, last), clock(hlc), whole(at)) for n, hlc, at in said["places"]),
    )
    numbers = [change.place.n for change in part.changes]
    clocks = [change.place.hlc for change in part.changes]
    batches = {n for n, _, _ in part.places}
    is_sound = (
        numbers == sorted(set(numbers))
        and clocks == sorted(set(clocks))
        and all(first <= n <= last for n in (*numbers, *batches))
        and batches.isdisjoint(numbers)
        and all(turn.n in batches for turn in part.turns)
    )
    if not is_sound:
        raise damaged(lane)
    return part


def change_of(lane: int, line: Mapping[str, Any]) -> Change:
    """Return the change of a lane that a line holds."""
    undoes = line["undoes"]
    return Change(
        place=ChangePlace(clock(line["hlc"]), lane, whole(line["n"], 1, _MOST_N)),
        seen={},
        at_ms=whole(line["at"]),
        actor=line["actor"],
        run_id=line["run"],
        target_kind=line["kind"],
        target=line["target"],
        event=line["event"],
        before=line["before"],
        after=line["after"],
        undoes=None if undoes is None else (whole(undoes[0], 1), whole(undoes[1], 1, _MOST_N)),
    )


def turn_of(n: Any, session: str, lane: Any, seq: Any, said: dict[str, Any]) -> LaneTurn:
    """Return a turn by what a line says of it."""
    return LaneTurn(whole(n, 1, _MOST_N), session, whole(lane, 1), whole(seq, 1, _MOST_N), said)


def clock(value: Any) -> int:
    """Return a hybrid clock, and refuse all else with ``ValueError``."""
    return whole(value, 1, hybrid_clock.END - 1)


def whole(value: Any, least: int = -_MOST_INTEGER, most: int = _MOST_INTEGER) -> int:
    """Return a whole number that is in its limits, and refuse all else with ``ValueError``."""
    if type(value) is not int or not least <= value <= most:
        raise ValueError("not a whole number in its limits")
    return value


def _is_about(line: Line, forgotten: Forgotten) -> bool:
    if "change" in line:
        change = line["change"]
        last = forgotten.entities.get(change["target"], 0)
        return change["event"] != ERASE and (change["target"] in forgotten.ids or int(change["n"]) <= last)
    if "turn" in line:
        return line["turn"][1] in forgotten.ids
    return "session" in line and line["session"]["id"] in forgotten.ids


def _states(change: Line) -> Iterator[Line]:
    if change["kind"] == "entity":
        yield from (state for state in (change["before"], change["after"]) if state is not None)


def dump(line: Line) -> str:
    """Return a line as text, the same for the same line."""
    return json.dumps(line, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
