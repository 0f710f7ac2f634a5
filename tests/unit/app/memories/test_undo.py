"""Undo gives the state before, can itself be undone, and refuses to undo what was changed since."""

from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from app.errors import InputError, NotFoundError, StaleError
from app.history.state_diff import VOLATILE
from app.memories.model import Memory
from app.memories.state_codec import to_state
from tests.helpers.access import EVERYTHING
from tests.unit.app.memories.conftest import MemoryHarness


def said(memory: Memory) -> dict[str, Any]:
    return {name: value for name, value in to_state(memory).items() if name not in VOLATILE - {"updated_at"}}


def latest(harness: MemoryHarness, memory_id: str) -> int:
    return harness.do(harness.undoing.history(EVERYTHING, memory_id, 1))[0].id


def test_undo_of_an_update_and_its_redo(harness: MemoryHarness) -> None:
    memory = harness.save("one #a [[X]]", title="T")
    harness.clock.ms += 1000
    updated = harness.do(
        harness.service.update(EVERYTHING, memory.id, 1, content="two #b [[Y]]", title="U", pinned=True)
    ).value
    change = latest(harness, memory.id)
    harness.clock.ms += 1000

    undone = harness.undo(change)
    back = harness.get(memory.id)
    assert said(back) == said(memory)
    assert back.version == 3
    assert [link.title for link in harness.do(harness.reads.links(EVERYTHING, memory.id)).outgoing] == ["X"]
    assert harness.held == {memory.id: memory.content}

    redone = harness.undo(*undone)
    assert said(harness.get(memory.id)) == said(updated)
    assert redone != undone


def test_undo_of_a_creation_and_of_a_deletion(harness: MemoryHarness) -> None:
    memory = harness.save("one #a")
    undone = harness.undo(latest(harness, memory.id))
    assert harness.get(memory.id).deleted_at is not None
    assert harness.held == {}
    harness.undo(*undone)
    assert said(harness.get(memory.id)) == said(memory)
    harness.do(harness.service.delete(EVERYTHING, memory.id))
    harness.undo(latest(harness, memory.id))
    assert said(harness.get(memory.id)) == said(memory)
    assert [entry.event for entry in harness.do(harness.undoing.history(EVERYTHING, memory.id))] == [
        "RESTORE",
        "DELETE",
        "RESTORE",
        "DELETE",
        "ADD",
    ]


def test_undone_twice_is_refused_and_redone_stands_again(harness: MemoryHarness) -> None:
    memory = harness.save("one")
    harness.do(harness.service.update(EVERYTHING, memory.id, 1, content="two"))
    change = latest(harness, memory.id)
    undone = harness.undo(change)
    with pytest.raises(InputError, match="undone already"):
        harness.undo(change)
    harness.undo(*undone)
    shown = {entry.id: entry.undone_by for entry in harness.do(harness.undoing.history(EVERYTHING, memory.id))}
    assert shown[change] is None
    assert shown[undone[0]] is not None
    harness.undo(change)
    assert harness.get(memory.id).content == "one"


def test_changed_since_is_refused_and_says_in_what(harness: MemoryHarness) -> None:
    memory = harness.save("one")
    harness.do(harness.service.update(EVERYTHING, memory.id, 1, title="T"))
    change = latest(harness, memory.id)
    harness.do(harness.service.update(EVERYTHING, memory.id, 2, content="two", tags=["x"]))
    with pytest.raises(StaleError, match=r"since \(text, tags\)\.") as refused:
        harness.undo(change)
    assert set(refused.value.data["changed"]) >= {"content", "tags"}
    harness.do(harness.service.delete(EVERYTHING, memory.id))
    with pytest.raises(StaleError, match="deleted since"):
        harness.undo(change)
    assert harness.get(memory.id).title == "T"


def test_unknown_entry_is_not_found(harness: MemoryHarness) -> None:
    with pytest.raises(NotFoundError):
        harness.undo(4711)


def test_all_or_none(harness: MemoryHarness) -> None:
    first, second = harness.save("one"), harness.save("two")
    entries = [latest(harness, memory.id) for memory in (first, second)]
    harness.do(harness.service.update(EVERYTHING, first.id, 1, content="changed"))
    with pytest.raises(StaleError):
        harness.undo(*entries)
    assert harness.get(second.id).deleted_at is None
    assert set(harness.held) == {first.id, second.id}


def test_several_changes_of_one_memory_are_undone_together(harness: MemoryHarness) -> None:
    memory = harness.save("0")
    for number in range(1, 4):
        harness.do(harness.service.update(EVERYTHING, memory.id, number, content=str(number)))
    entries = [
        entry.id for entry in harness.do(harness.undoing.history(EVERYTHING, memory.id)) if entry.event == "UPDATE"
    ]
    redo = harness.undo(*sorted(entries))
    assert harness.get(memory.id).content == "0"
    harness.undo(*redo)
    assert harness.get(memory.id).content == "3"


def test_undo_makes_an_open_editor_stale(harness: MemoryHarness) -> None:
    memory = harness.save("one")
    harness.do(harness.service.update(EVERYTHING, memory.id, 1, content="two"))
    harness.undo(latest(harness, memory.id))
    with pytest.raises(StaleError):
        harness.do(harness.service.update(EVERYTHING, memory.id, 2, content="from the editor"))


def test_fact_whose_key_is_taken_is_not_brought_back(harness: MemoryHarness) -> None:
    old = harness.save("Bern", kind="fact", category="p", key="home")
    harness.do(harness.service.delete(EVERYTHING, old.id))
    deletion = latest(harness, old.id)
    harness.save("Genf", kind="fact", category="p", key="home")
    with pytest.raises(StaleError, match="taken the place"):
        harness.undo(deletion)


def test_superseding_is_undone_and_redone_whole(harness: MemoryHarness) -> None:
    old = harness.save("Bern", kind="fact", category="p", key="home")
    new = harness.save("Genf", kind="fact", category="p", key="home")
    entries = [latest(harness, old.id), latest(harness, new.id)]
    redo = harness.undo(*entries)
    assert harness.get(old.id).deleted_at is None
    assert harness.get(new.id).deleted_at is not None
    harness.undo(*redo)
    assert harness.get(old.id).superseded_by == new.id
    assert set(harness.held) == {new.id}


def test_history_hides_what_the_caller_may_not_see(harness: MemoryHarness) -> None:
    hidden, shared = harness.save("secret"), harness.save("open", store="shared")
    moved = harness.save("was secret")
    harness.do(harness.service.update(EVERYTHING, moved.id, 1, store="shared"))
    seen = harness.do(harness.undoing.history(EVERYTHING.within(("shared",))))
    assert [entry.target for entry in seen] == [shared.id]
    with pytest.raises(NotFoundError):
        harness.do(harness.undoing.undo(EVERYTHING.within(("shared",)), [latest(harness, hidden.id)]))


ACTIONS = st.lists(
    st.tuples(
        st.sampled_from(["save", "update", "tag", "delete", "restore", "pin", "fact", "undo", "redo"]),
        st.integers(0, 5),
        st.sampled_from(["", "a #x", "b #y [[L]]", "c", "é \u2028"]),
    ),
    max_size=14,
)


class Play:
    """Plays actions, keeping the entries that are not themselves undoing."""

    def __init__(self, harness: MemoryHarness) -> None:
        self.harness = harness
        self.first: int = harness.rows("SELECT coalesce(max(id), 0) FROM memory_history")[0][0]
        self.ids: list[str] = []
        self.entries: list[int] = []
        self.undone: list[int] = []

    def act(self, action: str, number: int, text: str) -> None:
        self.harness.clock.ms += 1
        service, target = self.harness.service, self.ids[number % len(self.ids)] if self.ids else "note-none"
        try:
            if action == "save":
                self.ids.append(self.harness.save("s" + text, tags=(text,)).id)
            elif action == "fact":
                self.ids.append(self.harness.save("f" + text, kind="fact", category="c", key=f"k{number}").id)
            elif action == "update":
                version = self.harness.get(target).version
                self.harness.do(service.update(EVERYTHING, target, version, content="u" + text, title=text))
            elif action == "tag":
                self.harness.do(service.tag_many(EVERYTHING, self.ids, add=[text], remove=["x"]))
            elif action == "pin":
                self.harness.do(service.pin(EVERYTHING, target, pinned=number > 2))
            elif action == "undo" and self.entries:
                self.undone.extend(self.harness.undo(self.entries[-1 - number % len(self.entries)]))
                return
            elif action == "redo" and self.undone:
                self.harness.undo(self.undone[-1])
                return
            elif action in ("delete", "restore"):
                self.harness.do(getattr(service, action)(EVERYTHING, target))
        except InputError:  # refused: not found, stale, undone already, not deleted
            return
        self.entries = [
            row[0] for row in self.harness.rows("SELECT id FROM memory_history WHERE id > ?", (self.first,))
        ]

    def world(self) -> dict[str, object]:
        memories = [self.harness.get(memory_id) for memory_id in sorted(self.ids)]
        alive = [said(memory) for memory in memories if memory.deleted_at is None]
        links = self.harness.rows(
            "SELECT l.memory_id, l.target FROM memory_links l JOIN memories m ON m.id = l.memory_id"
            " WHERE m.valid_until IS NULL ORDER BY 1, 2"
        )
        return {"alive": alive, "links": links, "held": sorted(self.harness.held)}


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(ACTIONS)
@example([("fact", 0, ""), ("fact", 0, ""), ("save", 0, ""), ("restore", 0, ""), ("undo", 5, "")])
def test_undoing_everything_gives_the_beginning(harness: MemoryHarness, actions: list[tuple[str, int, str]]) -> None:
    for memory_id in list(harness.held):
        harness.do(harness.service.delete(EVERYTHING, memory_id))
    play = Play(harness)
    for action in actions:
        play.act(*action)
    end = play.world()
    made = [entry for entry in harness.do(harness.undoing.history(EVERYTHING, limit=10_000)) if entry.id > play.first]
    undoing = {row[0] for row in harness.rows("SELECT undone_by FROM memory_history WHERE undone_by IS NOT NULL")}
    standing = [entry.id for entry in made if entry.id not in undoing and entry.undone_by is None]
    redo = harness.undo(*standing) if standing else []
    assert play.world() == {"alive": [], "links": [], "held": []}
    if redo:
        harness.undo(*redo)
    assert play.world() == end


def test_creation_is_undone_after_an_edit_was_undone(harness: MemoryHarness) -> None:
    memory = harness.save("one")
    creation = latest(harness, memory.id)
    harness.do(harness.service.update(EVERYTHING, memory.id, 1, content="two"))
    edit = latest(harness, memory.id)
    redone = harness.undo(*harness.undo(edit))
    assert redone
    harness.undo(edit)
    harness.undo(creation)
    assert harness.get(memory.id).deleted_at is not None


def test_creation_is_undone_after_a_deletion_was_undone(harness: MemoryHarness) -> None:
    memory = harness.save("one")
    creation = latest(harness, memory.id)
    harness.do(harness.service.delete(EVERYTHING, memory.id))
    harness.undo(latest(harness, memory.id))
    harness.undo(creation)
    assert harness.get(memory.id).deleted_at is not None


@pytest.mark.parametrize("change", ["pin", "delete"])
def test_refusal_names_the_entry_to_undo_first(harness: MemoryHarness, change: str) -> None:
    memory = harness.save("one")
    creation = latest(harness, memory.id)
    if change == "pin":
        harness.do(harness.service.pin(EVERYTHING, memory.id, pinned=True))
        first = latest(harness, memory.id)
        harness.do(harness.service.pin(EVERYTHING, memory.id, pinned=False))
    else:
        harness.do(harness.service.delete(EVERYTHING, memory.id))
        first = latest(harness, memory.id)
        harness.do(harness.service.restore(EVERYTHING, memory.id))
    second = latest(harness, memory.id)
    with pytest.raises(StaleError, match=f"Undo this first: entry {second} of the history, ") as refused:
        harness.undo(creation)
    assert refused.value.data["later"] == second
    harness.undo(second)
    harness.undo(first)
    harness.undo(creation)
    assert harness.get(memory.id).deleted_at is not None


def test_refusal_of_an_edit_names_the_later_edit(harness: MemoryHarness) -> None:
    memory = harness.save("one")
    harness.do(harness.service.update(EVERYTHING, memory.id, 1, title="T"))
    earlier = latest(harness, memory.id)
    harness.do(harness.service.update(EVERYTHING, memory.id, 2, title="U", pinned=True))
    later = latest(harness, memory.id)
    with pytest.raises(
        StaleError, match=rf"\(title, .*\)\. Undo this first: entry {later} of the history, an edit by person at 2023"
    ) as refused:
        harness.undo(earlier)
    assert refused.value.data["later"] == later
