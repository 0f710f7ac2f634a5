"""Parts of snapshots give back what was put in, and are refused where they are none."""

import zlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.store.lanes import ChangePlace
from app.sync.segments.change import ERASE, Change
from app.sync.segments.turn_log import LaneTurn
from app.sync.snapshots import snapshot_format
from app.sync.snapshots.snapshot_format import DamagedSnapshotError, LaneEnd, PartName, SnapshotHead

DEVICE = "ab" * 16
_states = st.none() | st.fixed_dictionaries({"content": st.text(max_size=8), "pinned": st.booleans()})


@st.composite
def _changes(draw: st.DrawFn) -> list[Change]:
    """Draw changes row by row, where some go on with what the one before left."""
    changes: list[Change] = []
    for row in range(draw(st.integers(0, 3))):
        known: dict[str, Any] | None = None
        for n in range(1, draw(st.integers(1, 4)) + 1):
            before = known if draw(st.booleans()) else draw(_states)
            known = draw(_states)
            place = ChangePlace(draw(st.integers(1, 1 << 40)), draw(st.integers(1, 3)), n)
            undoes = draw(st.none() | st.tuples(st.integers(1, 3), st.integers(1, 9)))
            event = "update" if before is not None or known is not None else ERASE
            changes.append(Change(place, {}, n, "person", None, "memory", f"note-{row}", event, before, known, undoes))
    return changes


@given(_changes())
def test_changes_come_back_as_they_were(changes: list[Change]) -> None:
    part = snapshot_format.unpack(snapshot_format.pack(snapshot_format.change_lines(changes)))
    assert list(part.changes) == changes


def test_a_state_that_follows_from_the_one_before_is_not_repeated() -> None:
    text = "a long text that stands once"
    state = {"content": text}
    changes = [
        Change(ChangePlace(n, 1, n), {}, n, "person", None, "memory", "note-1", "update", state, state)
        for n in range(1, 4)
    ]
    assert zlib.decompress(snapshot_format.pack(snapshot_format.change_lines(changes))).decode().count(text) == 4


def test_turns_sessions_names_and_knowledge_come_back() -> None:
    turn = LaneTurn(1, "ses-1", 5, 7, {"content": "said"})
    lines = [{"session": {"id": "ses-1"}}, {"name": ["ent-1", "Anna", "person"]}, {"knew": [1, 2, 3, 4]}]
    part = snapshot_format.unpack(snapshot_format.pack([*lines, *snapshot_format.turn_lines([turn])]))
    assert part.turns == (turn,)
    assert part.sessions == ({"id": "ses-1"},)
    assert part.names == {"ent-1": ("Anna", "person")}
    assert part.knowledge == ((1, 2, 3, 4),)


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"no zlib",
        zlib.compress(b"{}\n"),
        zlib.compress(b"[]\n"),
        zlib.compress(b'{"other":1}\n'),
        zlib.compress(b'{"change":[0,{}]}\n'),
        zlib.compress(b'{"turn":["ses-1",1,-1,{}]}\n'),
        zlib.compress(b'{"knew":[1,2,3]}\n'),
        zlib.compress(b'{"session":1}\n'),
        zlib.compress(b"{}\n")[:-3],
        zlib.compress(b"") + b"more",
    ],
)
def test_what_is_no_part_is_refused(text: bytes) -> None:
    with pytest.raises(DamagedSnapshotError):
        snapshot_format.unpack(text)


def test_a_head_comes_back_as_it_was() -> None:
    name = snapshot_format.head_name(3, DEVICE)
    parts = tuple(PartName(snapshot_format.part_name(3, DEVICE, "0" * 8, number), "digest") for number in (1, 2))
    head = SnapshotHead(name, 5, {1: LaneEnd(4, "digest", 9)}, {1: 2}, 10, parts[:1], parts[1:])
    assert snapshot_format.decode_head(name, snapshot_format.encode_head(head)) == head
    assert (head.number, head.parts) == (3, parts)


@pytest.mark.parametrize("text", [b"", b"{}", b"[]", b'{"at":1,"lanes":{"x":[1,"",1]}}', b"\xff"])
def test_what_is_no_head_is_refused(text: bytes) -> None:
    with pytest.raises(DamagedSnapshotError):
        snapshot_format.decode_head(snapshot_format.head_name(1, DEVICE), text)


def test_a_head_that_names_other_objects_as_its_parts_is_refused() -> None:
    head = SnapshotHead("", 5, {}, {}, 0, (PartName("members/m-000001", ""),), ())
    with pytest.raises(DamagedSnapshotError):
        snapshot_format.decode_head(snapshot_format.head_name(1, DEVICE), snapshot_format.encode_head(head))
