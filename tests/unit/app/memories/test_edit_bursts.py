"""An editor that saves every few seconds adds one entry to the history for a whole spell of writing."""

from typing import Any

import pytest

from app.changes import Changed
from app.errors import StaleError
from app.history.model import HistoryEntry
from app.memories.model import Memory
from app.memories.writer import EDIT_BURST_MS
from tests.unit.app.memories.conftest import MemoryHarness


def write(desk: MemoryHarness, memory: Memory, content: str | None, **fields: Any) -> Changed[Memory]:
    return desk.do(desk.service.update(memory.id, memory.version, content=content, **fields))


def history(desk: MemoryHarness, memory: Memory) -> list[HistoryEntry]:
    return desk.do(desk.undoing.history(memory.id, 100))


def spell(
    desk: MemoryHarness, memory: Memory, *contents: str, pause: int = 2_000, **fields: Any
) -> list[Changed[Memory]]:
    done: list[Changed[Memory]] = []
    for content in contents:
        desk.clock.ms += pause
        done.append(write(desk, done[-1].value if done else memory, content, **fields))
    return done


def test_a_spell_is_one_entry_and_one_undo(desk: MemoryHarness) -> None:
    note = desk.save("begun", title="Note")
    done = spell(desk, note, "begun w", "begun wr #tag", "begun writing #tag")
    assert [change.value.version for change in done] == [2, 3, 4]
    [entry] = {change.changes.history_ids for change in done}
    update, add = history(desk, note)
    assert (update.id, update.event, add.event) == (*entry, "UPDATE", "ADD")
    assert update.before is not None
    assert update.after is not None
    assert (update.before["content"], update.after["content"]) == ("begun", "begun writing #tag")
    assert all({"memories", "index"} <= change.changes.areas for change in done)
    [undone] = desk.undo(*entry)
    assert (desk.get(note.id).content, desk.get(note.id).tags, desk.get(note.id).version) == ("begun", (), 5)
    desk.undo(undone)
    assert (desk.get(note.id).content, desk.get(note.id).tags) == ("begun writing #tag", ("tag",))
    assert desk.held == {note.id: "begun writing #tag"}


def test_a_long_history_of_saves_stays_small(desk: MemoryHarness) -> None:
    note = desk.save("x")
    spell(desk, note, *["x" * length for length in range(2, 302)])
    # Ten minutes of saves: an entry for each time the five minutes were over.
    assert len(history(desk, note)) <= 4


def test_after_a_while_a_new_entry_begins(desk: MemoryHarness) -> None:
    note = desk.save("one")
    [first] = spell(desk, note, "two")
    [second] = spell(desk, first.value, "three", pause=EDIT_BURST_MS)
    [third] = spell(desk, second.value, "four", pause=1)
    assert [entry.event for entry in history(desk, note)] == ["UPDATE", "UPDATE", "ADD"]
    desk.undo(*third.changes.history_ids)
    assert desk.get(note.id).content == "three"


def test_a_clock_set_back_begins_a_new_entry(desk: MemoryHarness) -> None:
    note = desk.save("one")
    [first] = spell(desk, note, "two")
    spell(desk, first.value, "three", pause=-1)
    assert len(history(desk, note)) == 3


def test_another_actor_begins_a_new_entry(desk: MemoryHarness) -> None:
    note = desk.save("one")
    [first] = spell(desk, note, "two")
    [second] = spell(desk, first.value, "three", actor="agent")
    spell(desk, second.value, "four")
    assert [entry.actor for entry in history(desk, note)][:3] == ["person", "agent", "person"]


@pytest.mark.parametrize("between", ["pin", "title", "store", "tags", "delete"])
def test_anything_else_in_between_begins_a_new_entry(desk: MemoryHarness, between: str) -> None:
    note = desk.save("one")
    [first] = spell(desk, note, "two")
    current = first.value
    if between == "pin":
        current = desk.do(desk.service.pin(note.id)).value
    elif between == "delete":
        desk.do(desk.service.delete(note.id))
        current = desk.do(desk.service.restore(note.id)).value
    else:
        change = {"title": "Title", "store": "shared", "tags": ["tag"]}[between]
        current = write(desk, current, None, **{between: change}).value
    before = len(history(desk, note))
    [last] = spell(desk, current, "three")
    assert len(history(desk, note)) == before + 1
    desk.undo(*last.changes.history_ids)
    assert desk.get(note.id).content == "two"


def test_a_change_of_more_than_the_text_stands_alone(desk: MemoryHarness) -> None:
    note = desk.save("one")
    [first] = spell(desk, note, "two")
    write(desk, first.value, "three", store="shared")
    assert len(history(desk, note)) == 3


def test_a_title_written_with_the_text_belongs_to_the_spell(desk: MemoryHarness) -> None:
    note = desk.save("one", title="O")
    [first] = spell(desk, note, "two", title="On")
    write(desk, first.value, "three", title="One")
    assert len(history(desk, note)) == 2


def test_what_was_undone_or_undoes_is_never_written_over(desk: MemoryHarness) -> None:
    note = desk.save("one")
    [first] = spell(desk, note, "two")
    desk.undo(*first.changes.history_ids)
    [again] = spell(desk, desk.get(note.id), "three")
    events = [(entry.event, entry.undone_by is None) for entry in history(desk, note)]
    assert events == [("UPDATE", True), ("UPDATE", True), ("UPDATE", False), ("ADD", True)]
    desk.undo(*again.changes.history_ids)
    assert desk.get(note.id).content == "one"


def test_an_entry_of_a_run_is_never_written_over(desk: MemoryHarness) -> None:
    note = desk.save("one")
    desk.do(desk.service.tag_many([note.id], add=["tag"]))
    spell(desk, desk.get(note.id), "two")
    assert len(history(desk, note)) == 3


def test_a_stale_save_is_refused_in_the_middle_of_a_spell(desk: MemoryHarness) -> None:
    note = desk.save("one")
    spell(desk, note, "two", "three")
    with pytest.raises(StaleError):
        write(desk, note, "four")
    assert desk.get(note.id).content == "three"


def test_another_memory_has_its_own_spell(desk: MemoryHarness) -> None:
    first, second = desk.save("one"), desk.save("two")
    for number in range(3):
        first = write(desk, first, f"one {number}").value
        second = write(desk, second, f"two {number}").value
    assert len(history(desk, first)) == len(history(desk, second)) == 2
