"""An editor that saves every few seconds adds one entry to the history for a whole spell of writing."""

from typing import Any

import pytest

from app.changes import Changed
from app.core.access import Access
from app.errors import StaleError
from app.history.model import HistoryEntry
from app.memories.model import Memory
from app.memories.writer import EDIT_BURST_MS
from tests.helpers.access import EVERYTHING
from tests.unit.app.memories.conftest import MemoryHarness


def write(
    harness: MemoryHarness, memory: Memory, content: str | None, actor: str = "person", **fields: Any
) -> Changed[Memory]:
    access = Access.everything(actor, "note.update")
    return harness.do(harness.service.update(access, memory.id, memory.version, content=content, **fields))


def history(harness: MemoryHarness, memory: Memory) -> list[HistoryEntry]:
    return harness.do(harness.undoing.history(EVERYTHING, memory.id, 100))


def spell(
    harness: MemoryHarness, memory: Memory, *contents: str, pause: int = 2_000, **fields: Any
) -> list[Changed[Memory]]:
    done: list[Changed[Memory]] = []
    for content in contents:
        harness.clock.ms += pause
        done.append(write(harness, done[-1].value if done else memory, content, **fields))
    return done


def test_a_spell_is_one_entry_and_one_undo(harness: MemoryHarness) -> None:
    note = harness.save("begun", title="Note")
    done = spell(harness, note, "begun w", "begun wr #tag", "begun writing #tag")
    assert [change.value.version for change in done] == [2, 3, 4]
    [entry] = {change.changes.history_ids for change in done}
    update, add = history(harness, note)
    assert (update.id, update.event, add.event) == (*entry, "UPDATE", "ADD")
    assert update.before is not None
    assert update.after is not None
    assert (update.before["content"], update.after["content"]) == ("begun", "begun writing #tag")
    assert all({"memories", "index"} <= change.changes.areas for change in done)
    [undone] = harness.undo(*entry)
    assert (harness.get(note.id).content, harness.get(note.id).tags, harness.get(note.id).version) == ("begun", (), 5)
    harness.undo(undone)
    assert (harness.get(note.id).content, harness.get(note.id).tags) == ("begun writing #tag", ("tag",))
    assert harness.held == {note.id: "begun writing #tag"}


def test_a_long_history_of_saves_stays_small(harness: MemoryHarness) -> None:
    note = harness.save("x")
    spell(harness, note, *["x" * length for length in range(2, 302)])
    # Ten minutes of saves: an entry for each time the five minutes were over.
    assert len(history(harness, note)) <= 4


def test_after_a_while_a_new_entry_begins(harness: MemoryHarness) -> None:
    note = harness.save("one")
    [first] = spell(harness, note, "two")
    [second] = spell(harness, first.value, "three", pause=EDIT_BURST_MS)
    [third] = spell(harness, second.value, "four", pause=1)
    assert [entry.event for entry in history(harness, note)] == ["UPDATE", "UPDATE", "ADD"]
    harness.undo(*third.changes.history_ids)
    assert harness.get(note.id).content == "three"


def test_a_clock_set_back_begins_a_new_entry(harness: MemoryHarness) -> None:
    note = harness.save("one")
    [first] = spell(harness, note, "two")
    spell(harness, first.value, "three", pause=-1)
    assert len(history(harness, note)) == 3


def test_another_actor_begins_a_new_entry(harness: MemoryHarness) -> None:
    note = harness.save("one")
    [first] = spell(harness, note, "two")
    [second] = spell(harness, first.value, "three", actor="agent")
    spell(harness, second.value, "four")
    assert [entry.actor for entry in history(harness, note)][:3] == ["person", "agent", "person"]


@pytest.mark.parametrize("between", ["pin", "title", "store", "tags", "delete"])
def test_anything_else_in_between_begins_a_new_entry(harness: MemoryHarness, between: str) -> None:
    note = harness.save("one")
    [first] = spell(harness, note, "two")
    current = first.value
    if between == "pin":
        current = harness.do(harness.service.pin(EVERYTHING, note.id)).value
    elif between == "delete":
        harness.do(harness.service.delete(EVERYTHING, note.id))
        current = harness.do(harness.service.restore(EVERYTHING, note.id)).value
    else:
        change = {"title": "Title", "store": "shared", "tags": ["tag"]}[between]
        current = write(harness, current, None, **{between: change}).value
    before = len(history(harness, note))
    [last] = spell(harness, current, "three")
    assert len(history(harness, note)) == before + 1
    harness.undo(*last.changes.history_ids)
    assert harness.get(note.id).content == "two"


def test_something_done_elsewhere_begins_a_new_entry(harness: MemoryHarness) -> None:
    note, other = harness.save("one"), harness.save("other")
    [first] = spell(harness, note, "two")
    harness.do(harness.service.pin(EVERYTHING, other.id))
    [last] = spell(harness, first.value, "three")
    assert len(history(harness, note)) == 3
    harness.undo(*last.changes.history_ids)
    assert (harness.get(note.id).content, harness.get(other.id).pinned) == ("two", True)


def test_what_others_do_elsewhere_does_not_end_a_spell(harness: MemoryHarness) -> None:
    note, other = harness.save("one"), harness.save("other")
    [first] = spell(harness, note, "two")
    harness.do(harness.service.pin(Access.everything("agent", "test"), other.id))
    spell(harness, first.value, "three")
    assert len(history(harness, note)) == 2


def test_a_change_of_more_than_the_text_stands_alone(harness: MemoryHarness) -> None:
    note = harness.save("one")
    [first] = spell(harness, note, "two")
    write(harness, first.value, "three", store="shared")
    assert len(history(harness, note)) == 3


def test_a_title_written_with_the_text_belongs_to_the_spell(harness: MemoryHarness) -> None:
    note = harness.save("one", title="O")
    [first] = spell(harness, note, "two", title="On")
    write(harness, first.value, "three", title="One")
    assert len(history(harness, note)) == 2


def test_what_was_undone_or_undoes_is_never_written_over(harness: MemoryHarness) -> None:
    note = harness.save("one")
    [first] = spell(harness, note, "two")
    harness.undo(*first.changes.history_ids)
    [again] = spell(harness, harness.get(note.id), "three")
    events = [(entry.event, entry.undone_by is None) for entry in history(harness, note)]
    assert events == [("UPDATE", True), ("UPDATE", True), ("UPDATE", False), ("ADD", True)]
    harness.undo(*again.changes.history_ids)
    assert harness.get(note.id).content == "one"


def test_an_entry_of_a_run_is_never_written_over(harness: MemoryHarness) -> None:
    note = harness.save("one")
    harness.do(harness.service.tag_many(EVERYTHING, [note.id], add=["tag"]))
    spell(harness, harness.get(note.id), "two")
    assert len(history(harness, note)) == 3


def test_a_stale_save_is_refused_in_the_middle_of_a_spell(harness: MemoryHarness) -> None:
    note = harness.save("one")
    spell(harness, note, "two", "three")
    with pytest.raises(StaleError):
        write(harness, note, "four")
    assert harness.get(note.id).content == "three"


def test_writing_elsewhere_and_coming_back_is_undone_in_that_order(harness: MemoryHarness) -> None:
    first, second = harness.save("one"), harness.save("two")
    [begun] = spell(harness, first, "one a")
    done = spell(harness, second, "two a", "two b")
    [last] = spell(harness, begun.value, "one b")
    assert (len(history(harness, first)), len(history(harness, second))) == (3, 2)
    for change, texts in ((last, ("one a", "two b")), (done[-1], ("one a", "two"))):
        harness.undo(*change.changes.history_ids)
        assert (harness.get(first.id).content, harness.get(second.id).content) == texts


def test_what_was_sealed_is_not_written_on(harness: MemoryHarness) -> None:
    note = harness.save("begun", title="Note")
    (done,) = spell(harness, note, "begun wr")
    harness.do(harness.store.seal())
    again = spell(harness, done.value, "begun writing", "begun writing it")
    contents = [(entry.after or {}).get("content") for entry in history(harness, note)]
    assert contents == ["begun writing it", "begun wr", "begun"]
    harness.undo(history(harness, again[-1].value)[0].id)
    assert harness.get(note.id).content == "begun wr"
