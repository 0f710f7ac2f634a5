"""Changes and turns that a vault tells other machines, each once and in order."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest

from app.erasure import erasures
from app.erasure.model import ErasureTarget
from app.memories.model import Source
from app.store import lanes
from app.sync.segments import capture, turn_log, turn_references
from app.sync.segments.capture import LanePart
from tests.helpers.access import EVERYTHING
from tests.unit.app.vault_harness import VaultHarness

WHOLE = 1 << 40


@pytest.fixture
def harness(tmp_path: Path) -> Iterator[VaultHarness]:
    made = VaultHarness(tmp_path / "vault")
    yield made
    made.runner.close()
    made.store.close()


def seal(harness: VaultHarness) -> int:
    harness.do(harness.store.write(lambda connection: turn_log.number_turns(connection, harness.clock.ms)))
    return harness.do(harness.store.seal())


def lane(harness: VaultHarness) -> int:
    return int(harness.rows("SELECT lane FROM lanes WHERE is_own")[0][0])


def part(harness: VaultHarness, after: int = 0, most: int = WHOLE) -> LanePart | None:
    own = lane(harness)
    return harness.do(harness.store.read(lambda connection: capture.part_after(connection, own, after, most)))


def whole(harness: VaultHarness, after: int = 0) -> LanePart:
    found = part(harness, after)
    assert found is not None
    return found


def write(harness: VaultHarness, work: Any) -> Any:
    return harness.do(harness.store.write(work))


def texts(found: LanePart) -> list[str]:
    return [turn.said["content"] for turn in found.turns]


def test_only_sealed_changes_are_told(harness: VaultHarness) -> None:
    harness.save("first")
    assert part(harness) is None
    last = seal(harness)
    harness.save("second")
    found = whole(harness)
    assert (found.first, found.last) == (1, last) == (1, 1)
    assert [(change.event, change.target_kind) for change in found.changes] == [("ADD", "memory")]
    assert found.changes[0].before is None
    assert found.changes[0].after is not None
    assert found.changes[0].after["content"] == "first"
    assert part(harness, last) is None


def test_an_undo_names_the_change_it_takes_back(harness: VaultHarness) -> None:
    memory = harness.save("first")
    edit = harness.do(harness.memories.update(EVERYTHING, memory.id, memory.version, content="second"))
    harness.undo(edit.changes.history_ids[0])
    seal(harness)
    own = lane(harness)
    assert [change.undoes for change in whole(harness).changes] == [None, None, (own, 2)]


def test_each_turn_is_told_once(harness: VaultHarness) -> None:
    harness.say("one", "two")
    first = seal(harness)
    assert texts(whole(harness)) == ["one", "two"]
    assert seal(harness) == first  # nothing was said since
    harness.say("three")
    seal(harness)
    found = whole(harness, first)
    assert texts(found) == ["three"]
    assert [(turn.session, turn.seq, turn.lane) for turn in found.turns] == [("s", 3, lane(harness))]
    assert [session["id"] for session in found.sessions] == ["s"]


def test_a_rowid_that_is_given_again_hides_no_turn(harness: VaultHarness) -> None:
    harness.say("one", "two", session="a")
    harness.say("three", session="b")
    first = seal(harness)
    write(harness, lambda connection: connection.execute("DELETE FROM messages WHERE session_id = 'b'"))
    write(harness, lambda connection: connection.execute("DELETE FROM messages WHERE session_id = 'a' AND seq = 2"))
    harness.say("four", session="c")
    assert harness.rows("SELECT rowid FROM messages WHERE content = 'four'") == [(2,)]
    seal(harness)
    assert texts(whole(harness, first)) == ["four"]
    assert texts(whole(harness)) == ["one", "four"]


def test_turns_of_other_machines_are_not_told_again(harness: VaultHarness) -> None:
    harness.say("one")
    write(harness, lambda connection: connection.execute("UPDATE messages SET origin_seq = 7"))
    harness.say("two")
    seal(harness)
    assert texts(whole(harness)) == ["two"]


def test_many_turns_are_cut_into_changes(harness: VaultHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turn_log, "MOST_TURNS", 2)
    harness.say(*(f"turn {number}" for number in range(5)))
    assert seal(harness) == 3
    assert [n for n, _, _ in whole(harness).places] == [1, 2, 3]
    assert [turn.n for turn in whole(harness).turns] == [1, 1, 2, 2, 3]


def test_parts_are_of_limited_size_and_follow_each_other(harness: VaultHarness) -> None:
    for number in range(12):
        harness.save(f"memory {number} " + "word " * 100)
        harness.say(f"turn {number}")
    last = seal(harness)
    after, numbers, turns = 0, [], []
    while (found := part(harness, after, 3_000)) is not None:
        assert found.first == after + 1
        numbers += [change.place.n for change in found.changes]
        turns += texts(found)
        after = found.last
    assert after == last
    assert numbers == sorted(numbers)
    assert len(numbers) == len(turns) == 12


def test_what_a_lane_knew_of_others_is_told_from_where_it_knew_it(harness: VaultHarness) -> None:
    harness.save("before")

    def hear(connection: apsw.Connection, known: int) -> None:
        connection.execute(
            "INSERT INTO lanes (lane, n, is_own, began_at) VALUES (77, ?1, 0, 0)"
            " ON CONFLICT (lane) DO UPDATE SET n = excluded.n",
            (known,),
        )
        lanes.learn(connection)

    write(harness, lambda connection: hear(connection, 3))
    write(harness, lambda connection: hear(connection, 5))
    harness.save("after")
    write(harness, lambda connection: hear(connection, 9))
    harness.save("last")
    seal(harness)
    found = whole(harness)
    assert [change.seen.get(77, 0) for change in found.changes] == [0, 5, 9]
    assert found.knowledge == ((2, 77, 5), (3, 77, 9))


def test_an_erasure_is_told_by_ids_alone(harness: VaultHarness) -> None:
    memory = harness.save("a secret")
    target = ErasureTarget("memory", memory.id)
    write(harness, lambda connection: erasures.record(connection, target, "person", harness.clock.ms))
    write(harness, lambda connection: connection.execute("DELETE FROM memory_history"))
    last = seal(harness)
    found = whole(harness)
    assert found.last == last
    assert [(one.event, one.target, one.before, one.after) for one in found.changes] == [
        ("ERASE", memory.id, None, None)
    ]
    assert "secret" not in repr(found)


def test_changes_of_a_row_are_in_canonical_order(harness: VaultHarness) -> None:
    memory = harness.save("first")
    harness.save("another")
    harness.do(harness.memories.update(EVERYTHING, memory.id, memory.version, content="second"))
    found = harness.do(harness.store.read(lambda connection: capture.changes_of_row(connection, "memory", memory.id)))
    assert [change.place.n for change in found] == [1, 3]


def test_references_to_turns_are_the_same_on_all_machines(harness: VaultHarness) -> None:
    harness.say("one", "two")
    own = lane(harness)
    memory = harness.save("drawn from it", sources=(Source("message", "s#2"), Source("message", "gone#4")))

    def both(connection: apsw.Connection) -> tuple[Any, Any]:
        change = capture.changes_of_row(connection, "memory", memory.id)[0]
        return change.after, turn_references.to_local(connection, "memory", memory.id, dict(change.after or {}))

    shared, here = harness.do(harness.store.read(both))
    assert [source["id"] for source in shared["sources"]] == ["gone#4", f"s#2@{own:x}"]
    assert [source["id"] for source in here["sources"]] == ["gone#4", "s#2"]


def test_a_withheld_turn_is_named_by_lane_and_number(harness: VaultHarness) -> None:
    harness.say("one", "two", "three")
    own = lane(harness)
    local = {"withheld:x": [[2, 3]], "summary": "sum", "summary_upper_seq": 2, "message_count": 3, "title": "t"}

    def both(connection: apsw.Connection) -> tuple[Any, Any]:
        shared = turn_references.to_global(connection, "session", "s", local)
        return shared, turn_references.to_local(connection, "session", "s", shared)

    shared, here = harness.do(harness.store.read(both))
    assert shared == {"withheld:x": [[own, 2, 3]], "summary": "sum", "summary_upper_seq": [own, 2], "title": "t"}
    assert here == {name: value for name, value in local.items() if name != "message_count"}


def test_a_range_of_turns_has_those_that_are_here(harness: VaultHarness) -> None:
    harness.say("one", "two", "three")
    said = {"withheld:x": [[lane(harness), 2, 1 << 60], [lane(harness), 1, 2]]}

    def here(connection: apsw.Connection) -> Any:
        return turn_references.to_local(connection, "session", "s", said)

    assert harness.do(harness.store.read(here)) == {"withheld:x": [[1, 3]]}
