"""What was done on any machine can be undone on any other, and all agree afterwards."""

from typing import Any

import pytest

from app.errors import StaleError
from tests.integration.sync.machines import Machine, settle


def update(machine: Machine, note: str, **fields: Any) -> int:
    """Change a note and return the entry of the history."""
    [found] = machine.ask("memory.get", ids=[note]).memories
    machine.ask("note.update", id=note, version=found.version, **fields)
    return newest(machine, note)


def newest(machine: Machine, target: str) -> int:
    [(entry,)] = machine.rows(
        "SELECT h.id FROM memory_history h JOIN lanes l ON l.lane = h.lane AND l.is_own WHERE target = ?"
        " ORDER BY h.n DESC LIMIT 1",
        target,
    )
    return int(entry)


def as_known(machine: Machine, other: Machine, entry: int) -> int:
    """Return the id that another machine has for an entry."""
    [(lane, n)] = machine.rows("SELECT lane, n FROM memory_history WHERE id = ?", entry)
    [(found,)] = other.rows("SELECT id FROM memory_history WHERE lane = ? AND n = ?", lane, n)
    return int(found)


def undo(machine: Machine, *entries: int) -> list[int]:
    return list(machine.ask("memory.undo", history_ids=list(entries)))


def concurrent(pair: tuple[Machine, Machine], first: dict[str, Any], second: dict[str, Any]) -> tuple[str, int, int]:
    """Let two machines change one note at the same time, and hear of each other."""
    one, other = pair
    note = one.ask("note.save", content="first\nsecond\nthird\n", title="Begun").id
    settle(one, other)
    entries = update(one, note, **first), update(other, note, **second)
    settle(one, other)
    return note, *entries


def test_an_edit_beside_another_can_be_undone(joined: tuple[Machine, Machine]) -> None:
    one, other = joined
    note, entry, _ = concurrent(joined, {"content": "FIRST\nsecond\nthird\n"}, {"content": "first\nsecond\nTHIRD\n"})
    assert one.contents() == ["FIRST\nsecond\nTHIRD\n"]
    [made] = undo(other, as_known(one, other, entry))
    settle(one, other)
    assert one.contents() == ["first\nsecond\nTHIRD\n"]
    undo(one, as_known(other, one, made))
    settle(one, other)
    assert one.contents() == other.contents() == ["FIRST\nsecond\nTHIRD\n"]
    [found] = one.ask("memory.search", query="FIRST").hits
    assert found.id == note


def test_of_two_texts_of_the_same_lines_the_other_one_stands_again(joined: tuple[Machine, Machine]) -> None:
    one, other = joined
    _note, first, second = concurrent(joined, {"content": "of one\n"}, {"content": "of other\n"})
    taken = one.contents()
    entry, left = (second, "of one\n") if taken == ["of other\n"] else (first, "of other\n")
    machine = other if entry == second else one
    undo(machine, entry)
    settle(one, other)
    assert one.contents() == [left]
    undo(one, as_known(other, one, second) if left == "of other\n" else first)
    settle(one, other)
    assert other.contents() == ["first\nsecond\nthird\n"]


def test_what_another_machine_did_to_the_same_field_since_is_in_the_way(joined: tuple[Machine, Machine]) -> None:
    one, other = joined
    note, first, _ = concurrent(joined, {"title": "Of one"}, {"tags": ["x"]})
    update(other, note, pinned=True)
    settle(one, other)
    later = update(other, note, title="Later")
    settle(one, other)
    with pytest.raises(StaleError, match="was changed again since \\(title\\)"):
        undo(one, first)
    undo(other, later)
    settle(one, other)
    undo(one, first)
    settle(one, other)
    [found] = other.ask("memory.get", ids=[note]).memories
    assert (found.title, found.tags, found.pinned) == ("Begun", ("x",), True)


def test_a_deletion_beside_an_edit_can_be_undone(joined: tuple[Machine, Machine]) -> None:
    one, other = joined
    note = one.ask("note.save", content="begun").id
    settle(one, other)
    one.ask("note.delete", id=note)
    deleted = newest(one, note)
    update(other, note, content="edited")
    settle(one, other)
    assert one.contents() == ["edited"]
    undo(one, deleted)
    settle(one, other)
    assert one.contents() == other.contents() == ["edited"]


def test_what_left_the_archive_goes_back_and_comes_again(joined: tuple[Machine, Machine]) -> None:
    one, other = joined
    note = one.ask("note.save", content="begun").id
    settle(one, other)
    update(other, note, title="Of other")
    one.ask("archive.put", ids=[note])
    settle(one, other)
    for machine in joined:
        if machine.rows("SELECT 1 FROM memory_archive"):
            machine.ask("archive.restore", id=note)
            settle(one, other)
    update(other, note, tags=["x"])
    one.ask("archive.put", ids=[note])
    one.sync()
    one.ask("archive.restore", id=note)
    settle(one, other)
    [undone] = undo(one, newest(one, note))
    assert one.contents() == []
    undo(one, undone)
    settle(one, other)
    assert one.contents() == other.contents() == ["begun"]


def test_two_deletions_at_the_same_time_are_undone_by_one(joined: tuple[Machine, Machine]) -> None:
    one, other = joined
    note = one.ask("note.save", content="begun").id
    settle(one, other)
    update(one, note, content="edited")
    for machine in joined:
        machine.ask("note.delete", id=note)
    settle(one, other)
    assert other.contents() == []
    undo(other, newest(other, note))
    settle(one, other)
    assert one.contents() == other.contents() == ["edited"]


def test_an_undo_beside_forgetting_for_ever_brings_nothing_back(joined: tuple[Machine, Machine]) -> None:
    one, other = joined
    note, entry, _ = concurrent(joined, {"content": "FIRST\nsecond\nthird\n"}, {"title": "Other"})
    known = as_known(one, other, entry)
    one.ask("memory.forget_forever", ids=[note], confirm=True)
    undo(other, known)
    settle(one, other)
    assert one.contents() == other.contents() == []
    for machine in joined:
        assert machine.rows("SELECT 1 FROM memory_history WHERE target = ?", note) == []


def test_two_undos_of_one_change_are_one_and_stay_as_they_were_written(joined: tuple[Machine, Machine]) -> None:
    one, other = joined
    _note, entry, _ = concurrent(joined, {"content": "FIRST\nsecond\nthird\n"}, {"title": "Other"})
    made = undo(one, entry), undo(other, as_known(one, other, entry))
    settle(one, other)
    assert one.contents() == other.contents() == ["first\nsecond\nthird\n"]
    for machine in joined:
        found = machine.rows("SELECT undoes_lane, undoes_n FROM memory_history WHERE undoes_n IS NOT NULL")
        assert len(found) == len(made)
        assert len(set(found)) == 1
    [(counting,)] = one.rows("SELECT undone_by FROM memory_history WHERE id = ?", entry)
    undo(one, counting)
    settle(one, other)
    assert other.contents() == ["FIRST\nsecond\nthird\n"]


def test_a_run_of_the_other_machine_is_undone_as_a_whole(joined: tuple[Machine, Machine]) -> None:
    one, other = joined
    notes = [one.ask("note.save", content=f"note {number}\nend").id for number in range(3)]
    settle(one, other)
    one.ask("note.tag_many", ids=notes, add=["x"])
    [(run,)] = one.rows("SELECT DISTINCT run_id FROM memory_history WHERE run_id IS NOT NULL")
    settle(one, other)
    update(other, notes[0], content="note 0\nend\nof other")
    settle(one, other)
    other.ask("memory.undo", run_id=run)
    settle(one, other)
    found = one.ask("memory.get", ids=notes).memories
    assert [memory.tags for memory in found] == [(), (), ()]
    assert "note 0\nend\nof other" in one.contents()


def test_a_fact_that_another_one_holds_instead_of_can_be_taken_back(joined: tuple[Machine, Machine]) -> None:
    one, other = joined
    for machine, value in zip(joined, ("Riga", "Oslo"), strict=True):
        machine.ask("fact.set", category="home", key="city", value=value)
    settle(one, other)
    [(superseded,)] = one.rows("SELECT id FROM memories WHERE superseded_by IS NOT NULL")
    [(entry,)] = one.rows("SELECT id FROM memory_history WHERE target = ? AND event = 'ADD'", superseded)
    undo(one, entry)
    settle(one, other)
    assert len(other.rows("SELECT 1 FROM memories WHERE kind = 'fact' AND valid_until IS NULL")) == 1
