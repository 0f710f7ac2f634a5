"""Segments say what was put into them or say clearly why they do not."""

import json
import zlib
from dataclasses import replace
from typing import Any

import pytest

from app.core.time_rules import hybrid_clock
from app.errors import ExchangeError, ExchangeNewerError
from app.store.lanes import ChangePlace
from app.sync.segments import lane_segment
from app.sync.segments.capture import LanePart
from app.sync.segments.change import Change
from app.sync.segments.lane_segment import Forgotten, SegmentPlace
from app.sync.segments.turn_log import LaneTurn

VAULT, LANE = "a" * 32, 0x1234
PLACE = SegmentPlace(VAULT, LANE, 4, "before")


def change(n: int, text: str = "hello\nthere", target: str = "note-1") -> Change:
    before, after = {"content": "old"}, {"content": text, "tags": ["ü", "\U0001f600"]}
    return Change(
        ChangePlace(1000 + n, LANE, n), {}, 5, "person", None, "memory", target, "UPDATE", before, after, (LANE, 1)
    )


def part(first: int = 5) -> LanePart:
    return LanePart(
        LANE,
        first,
        first + 4,
        knowledge=((first + 1, 77, 9),),
        sessions=({"id": "s", "title": "Talk"},),
        names={"ent-1": ("Ada", "person")},
        changes=(change(first), change(first + 1), change(first + 4, target="note-2")),
        turns=(LaneTurn(first + 2, "s", LANE, 1, {"role": "user", "content": "hi"}),),
        places=((first + 2, 1100, 6),),
    )


def test_a_segment_says_what_was_put_into_it() -> None:
    data, header = lane_segment.encode(part(), VAULT, "before")
    assert lane_segment.decode(data, PLACE) == part()
    assert lane_segment.encode(part(), VAULT, "before") == (data, header)


def test_a_segment_that_ends_too_early_is_damaged() -> None:
    data, _ = lane_segment.encode(part(), VAULT, "before")
    for length in range(len(data)):
        with pytest.raises(ExchangeError):
            lane_segment.decode(data[:length], PLACE)


@pytest.mark.parametrize(
    ("place", "said"),
    [
        (replace(PLACE, vault="b" * 32), "another vault"),
        (replace(PLACE, lane=9), "the place of another"),
        (replace(PLACE, after=5), "missing, or one stands twice"),
        (replace(PLACE, after=3), "missing, or one stands twice"),
        (replace(PLACE, previous="other"), "do not follow each other"),
    ],
)
def test_a_segment_in_the_wrong_place_is_refused(place: SegmentPlace, said: str) -> None:
    data, _ = lane_segment.encode(part(), VAULT, "before")
    with pytest.raises(ExchangeError, match=said):
        lane_segment.decode(data, place)


def altered(**changes: object) -> bytes:
    header, lines = lane_segment.unpack(lane_segment.encode(part(), VAULT, "before")[0])
    return lane_segment.pack(json.dumps(json.loads(header) | changes), lines)


@pytest.mark.parametrize(
    "changes",
    [
        {"last": 4},
        {"last": 7},
        {"places": []},
        {"places": [[5, 1, 1]]},
        {"places": [[7, hybrid_clock.END, 6]]},
        {"last": 1 << 48},
        {"lines": []},
        {"knowledge": 3},
        {"last": "x"},
    ],
)
def test_a_header_that_does_not_fit_its_lines_is_refused(changes: dict[str, object]) -> None:
    with pytest.raises(ExchangeError):
        lane_segment.decode(altered(**changes), PLACE)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("hlc", 0), ("hlc", (1 << 63) - 1), ("hlc", hybrid_clock.END), ("hlc", 1005.0), ("hlc", "1005"),
        ("n", 5.0), ("n", True), ("at", 1 << 64), ("undoes", [LANE]), ("undoes", [LANE, 0]),
    ],
)  # fmt: skip
def test_a_number_beyond_its_limits_is_refused(name: str, value: object) -> None:
    header, lines = lane_segment.unpack(lane_segment.encode(part(), VAULT, "before")[0])
    first = next(number for number, line in enumerate(lines) if "change" in json.loads(line))
    lines[first] = json.dumps({"change": json.loads(lines[first])["change"] | {name: value}})
    digests = [lane_segment.digest_of(line) for line in lines]
    data = lane_segment.pack(json.dumps(json.loads(header) | {"lines": digests}), lines)
    with pytest.raises(ExchangeError, match="damaged"):
        lane_segment.decode(data, PLACE)


@pytest.mark.parametrize(
    "line",
    [
        {"mood": ["note-1", "calm"]},
        {"name": ["ent-1", "Ada", "person", "calm"]},
        {"turn": [7, "s", LANE, 1, {"role": "user", "content": "hi", "mood": "calm"}]},
        {"turn": [7, "s", LANE, 1, {"role": "user", "content": "hi"}, "calm"]},
        {"session": {"id": "s", "title": "Talk", "mood": "calm"}},
        {"change": {"mood": "calm"}},
    ],
)
def test_what_a_line_of_a_newer_keepsake_says_is_not_left_out(line: dict[str, Any]) -> None:
    header, lines = lane_segment.unpack(lane_segment.encode(part(), VAULT, "before")[0])
    if "change" in line:
        said = next(json.loads(one) for one in lines if "change" in json.loads(one))
        line = {"change": said["change"] | line["change"]}
    lines.append(json.dumps(line))
    digests = [lane_segment.digest_of(text) for text in lines]
    data = lane_segment.pack(json.dumps(json.loads(header) | {"lines": digests}), lines)
    with pytest.raises(ExchangeNewerError, match="Update Keepsake"):
        lane_segment.decode(data, PLACE)


def test_a_header_of_endless_lists_is_refused() -> None:
    with pytest.raises(ExchangeError, match="damaged"):
        lane_segment.decode(lane_segment.pack("[" * 200_000, []), PLACE)


def test_lines_that_change_places_are_noticed() -> None:
    header, lines = lane_segment.unpack(lane_segment.encode(part(), VAULT, "before")[0])
    with pytest.raises(ExchangeError):
        lane_segment.decode(lane_segment.pack(header, lines[::-1]), PLACE)
    with pytest.raises(ExchangeError):
        lane_segment.decode(lane_segment.pack(header, lines[:-1]), PLACE)
    with pytest.raises(ExchangeError):
        lane_segment.decode(zlib.compress(b"{}\n"), PLACE)


def test_a_forgotten_line_leaves_the_header() -> None:
    data, header = lane_segment.encode(part(), VAULT, "before")
    forgotten = Forgotten(frozenset({"note-1", "s"}), {}, 0)
    anew = lane_segment.without(data, forgotten)
    assert anew is not None
    assert lane_segment.unpack(anew)[0] == header
    found = lane_segment.decode(anew, PLACE)
    assert [one.target for one in found.changes] == ["note-2"]
    assert (found.turns, found.sessions) == ((), ())
    assert b'"note-1"' not in zlib.decompress(anew)
    assert lane_segment.without(anew, forgotten) is None


def test_a_clock_that_is_ahead_by_more_than_a_century_is_not_followed() -> None:
    now_ms, year_ms = 1_700_000_000_000, 366 * 86_400_000

    def ahead(years: int) -> LanePart:
        clock = hybrid_clock.at_wall(now_ms + years * year_ms)
        return replace(part(), places=((7, clock, 6),))

    lane_segment.require_plausible(ahead(99), now_ms)
    lane_segment.require_plausible(ahead(40), 0)  # a clock here that was set to 1970
    with pytest.raises(ExchangeError, match="hundred years ahead"):
        lane_segment.require_plausible(ahead(101), now_ms)
