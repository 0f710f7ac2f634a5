"""Undo gives the state before, can itself be undone, and refuses to undo what was changed since."""

from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from app.errors import InputError, NotFoundError, StaleError
from app.history.state_diff import VOLATILE
from app.memories.model import Memory
from app.memories.state_codec import to_state
from tests.unit.app.memories.conftest import MemoryHarness


def said(memory: Memory) -> dict[str, Any]:
    return {name: value for name, value in to_state(memory).items() if name not in VOLATILE - {"updated_at"}}


def latest(desk: MemoryHarness, memory_id: str) -> int:
    return desk.do(desk.undoing.history(memory_id, 1))[0].id


def test_undo_of_an_update_and_its_redo(desk: MemoryHarness) -> None:
    memory = desk.save("one #a [[X]]", title="T")
    desk.clock.ms += 1000
    updated = desk.do(desk.service.update(memory.id, 1, content="two #b [[Y]]", title="U", pinned=True)).value
    change = latest(desk, memory.id)
    desk.clock.ms += 1000

    undone = desk.undo(change)
    back = desk.get(memory.id)
    assert said(back) == said(memory)
    assert back.version == 3
    assert [link.title for link in desk.do(desk.reads.links(memory.id)).outgoing] == ["X"]
    assert desk.held == {memory.id: memory.content}

    redone = desk.undo(*undone)
    assert said(desk.get(memory.id)) == said(updated)
    assert redone != undone


def test_undo_of_a_creation_and_of_a_deletion(desk: MemoryHarness) -> None:
    memory = desk.save("one #a")
    undone = desk.undo(latest(desk, memory.id))
    assert desk.get(memory.id).deleted_at is not None
    assert desk.held == {}
    desk.undo(*undone)
    assert said(desk.get(memory.id)) == said(memory)
    desk.do(desk.service.delete(memory.id))
    desk.undo(latest(desk, memory.id))
    assert said(desk.get(memory.id)) == said(memory)
    assert [entry.event for entry in desk.do(desk.undoing.history(memory.id))] == [
        "RESTORE",
        "DELETE",
        "RESTORE",
        "DELETE",
        "ADD",
    ]


def test_undone_twice_is_refused_and_redone_stands_again(desk: MemoryHarness) -> None:
    memory = desk.save("one")
    desk.do(desk.service.update(memory.id, 1, content="two"))
    change = latest(desk, memory.id)
    undone = desk.undo(change)
    with pytest.raises(InputError, match="undone already"):
        desk.undo(change)
    desk.undo(*undone)
    shown = {entry.id: entry.undone_by for entry in desk.do(desk.undoing.history(memory.id))}
    assert shown[change] is None
    assert shown[undone[0]] is not None
    desk.undo(change)
    assert desk.get(memory.id).content == "one"


def test_changed_since_is_refused_and_says_in_what(desk: MemoryHarness) -> None:
    memory = desk.save("one")
    desk.do(desk.service.update(memory.id, 1, title="T"))
    change = latest(desk, memory.id)
    desk.do(desk.service.update(memory.id, 2, content="two", tags=["x"]))
    with pytest.raises(StaleError, match=r"content, tags") as refused:
        desk.undo(change)
    assert set(refused.value.data["changed"]) >= {"content", "tags"}
    desk.do(desk.service.delete(memory.id))
    with pytest.raises(StaleError, match="deleted since"):
        desk.undo(change)
    assert desk.get(memory.id).title == "T"


def test_unknown_entry_is_not_found(desk: MemoryHarness) -> None:
    with pytest.raises(NotFoundError):
        desk.undo(4711)


def test_all_or_none(desk: MemoryHarness) -> None:
    first, second = desk.save("one"), desk.save("two")
    entries = [latest(desk, memory.id) for memory in (first, second)]
    desk.do(desk.service.update(first.id, 1, content="changed"))
    with pytest.raises(StaleError):
        desk.undo(*entries)
    assert desk.get(second.id).deleted_at is None
    assert set(desk.held) == {first.id, second.id}


def test_several_changes_of_one_memory_are_undone_together(desk: MemoryHarness) -> None:
    memory = desk.save("0")
    for number in range(1, 4):
        desk.do(desk.service.update(memory.id, number, content=str(number)))
    entries = [entry.id for entry in desk.do(desk.undoing.history(memory.id)) if entry.event == "UPDATE"]
    redo = desk.undo(*sorted(entries))
    assert desk.get(memory.id).content == "0"
    desk.undo(*redo)
    assert desk.get(memory.id).content == "3"


def test_undo_makes_an_open_editor_stale(desk: MemoryHarness) -> None:
    memory = desk.save("one")
    desk.do(desk.service.update(memory.id, 1, content="two"))
    desk.undo(latest(desk, memory.id))
    with pytest.raises(StaleError):
        desk.do(desk.service.update(memory.id, 2, content="from the editor"))


def test_fact_whose_key_is_taken_is_not_brought_back(desk: MemoryHarness) -> None:
    old = desk.save("Bern", kind="fact", category="p", key="home")
    desk.do(desk.service.delete(old.id))
    deletion = latest(desk, old.id)
    desk.save("Genf", kind="fact", category="p", key="home")
    with pytest.raises(StaleError, match="taken the place"):
        desk.undo(deletion)


def test_superseding_is_undone_and_redone_whole(desk: MemoryHarness) -> None:
    old = desk.save("Bern", kind="fact", category="p", key="home")
    new = desk.save("Genf", kind="fact", category="p", key="home")
    entries = [latest(desk, old.id), latest(desk, new.id)]
    redo = desk.undo(*entries)
    assert desk.get(old.id).deleted_at is None
    assert desk.get(new.id).deleted_at is not None
    desk.undo(*redo)
    assert desk.get(old.id).superseded_by == new.id
    assert set(desk.held) == {new.id}


def test_history_hides_what_the_caller_may_not_see(desk: MemoryHarness) -> None:
    hidden, shared = desk.save("secret"), desk.save("open", store="shared")
    moved = desk.save("was secret")
    desk.do(desk.service.update(moved.id, 1, store="shared"))
    seen = desk.do(desk.undoing.history(stores=("shared",)))
    assert [entry.target for entry in seen] == [shared.id]
    with pytest.raises(NotFoundError):
        desk.do(desk.undoing.undo([latest(desk, hidden.id)], stores=("shared",)))


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

    def __init__(self, desk: MemoryHarness) -> None:
        self.desk = desk
        self.first: int = desk.rows("SELECT coalesce(max(id), 0) FROM memory_history")[0][0]
        self.ids: list[str] = []
        self.entries: list[int] = []
        self.undone: list[int] = []

    def act(self, action: str, number: int, text: str) -> None:
        self.desk.clock.ms += 1
        service, target = self.desk.service, self.ids[number % len(self.ids)] if self.ids else "note-none"
        try:
            if action == "save":
                self.ids.append(self.desk.save("s" + text, tags=(text,)).id)
            elif action == "fact":
                self.ids.append(self.desk.save("f" + text, kind="fact", category="c", key=f"k{number}").id)
            elif action == "update":
                version = self.desk.get(target).version
                self.desk.do(service.update(target, version, content="u" + text, title=text))
            elif action == "tag":
                self.desk.do(service.tag_many(self.ids, add=[text], remove=["x"]))
            elif action == "pin":
                self.desk.do(service.pin(target, pinned=number > 2))
            elif action == "undo" and self.entries:
                self.undone.extend(self.desk.undo(self.entries[-1 - number % len(self.entries)]))
                return
            elif action == "redo" and self.undone:
                self.desk.undo(self.undone[-1])
                return
            elif action in ("delete", "restore"):
                self.desk.do(getattr(service, action)(target))
        except InputError:  # refused: not found, stale, undone already, not deleted
            return
        self.entries = [row[0] for row in self.desk.rows("SELECT id FROM memory_history WHERE id > ?", (self.first,))]

    def world(self) -> dict[str, object]:
        memories = [self.desk.get(memory_id) for memory_id in sorted(self.ids)]
        alive = [said(memory) for memory in memories if memory.deleted_at is None]
        links = self.desk.rows(
            "SELECT l.memory_id, l.target FROM memory_links l JOIN memories m ON m.id = l.memory_id"
            " WHERE m.valid_until IS NULL ORDER BY 1, 2"
        )
        return {"alive": alive, "links": links, "held": sorted(self.desk.held)}


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(ACTIONS)
@example([("fact", 0, ""), ("fact", 0, ""), ("save", 0, ""), ("restore", 0, ""), ("undo", 5, "")])
def test_undoing_everything_gives_the_beginning(desk: MemoryHarness, actions: list[tuple[str, int, str]]) -> None:
    for memory_id in list(desk.held):
        desk.do(desk.service.delete(memory_id))
    play = Play(desk)
    for action in actions:
        play.act(*action)
    end = play.world()
    made = [entry for entry in desk.do(desk.undoing.history(limit=10_000)) if entry.id > play.first]
    undoing = {row[0] for row in desk.rows("SELECT undone_by FROM memory_history WHERE undone_by IS NOT NULL")}
    standing = [entry.id for entry in made if entry.id not in undoing and entry.undone_by is None]
    redo = desk.undo(*standing) if standing else []
    assert play.world() == {"alive": [], "links": [], "held": []}
    if redo:
        desk.undo(*redo)
    assert play.world() == end


def test_creation_is_undone_after_an_edit_was_undone(desk: MemoryHarness) -> None:
    memory = desk.save("one")
    creation = latest(desk, memory.id)
    desk.do(desk.service.update(memory.id, 1, content="two"))
    edit = latest(desk, memory.id)
    redone = desk.undo(*desk.undo(edit))
    assert redone
    desk.undo(edit)
    desk.undo(creation)
    assert desk.get(memory.id).deleted_at is not None


def test_creation_is_undone_after_a_deletion_was_undone(desk: MemoryHarness) -> None:
    memory = desk.save("one")
    creation = latest(desk, memory.id)
    desk.do(desk.service.delete(memory.id))
    desk.undo(latest(desk, memory.id))
    desk.undo(creation)
    assert desk.get(memory.id).deleted_at is not None


@pytest.mark.parametrize("change", ["pin", "delete"])
def test_refusal_names_the_entry_to_undo_first(desk: MemoryHarness, change: str) -> None:
    memory = desk.save("one")
    creation = latest(desk, memory.id)
    if change == "pin":
        desk.do(desk.service.pin(memory.id, pinned=True))
        first = latest(desk, memory.id)
        desk.do(desk.service.pin(memory.id, pinned=False))
    else:
        desk.do(desk.service.delete(memory.id))
        first = latest(desk, memory.id)
        desk.do(desk.service.restore(memory.id))
    second = latest(desk, memory.id)
    with pytest.raises(StaleError, match=f"entry {second} of the history first") as refused:
        desk.undo(creation)
    assert refused.value.data["later"] == second
    desk.undo(second)
    desk.undo(first)
    desk.undo(creation)
    assert desk.get(memory.id).deleted_at is not None


def test_refusal_of_an_edit_names_the_later_edit(desk: MemoryHarness) -> None:
    memory = desk.save("one")
    desk.do(desk.service.update(memory.id, 1, title="T"))
    earlier = latest(desk, memory.id)
    desk.do(desk.service.update(memory.id, 2, title="U", pinned=True))
    later = latest(desk, memory.id)
    with pytest.raises(StaleError, match=rf"title.*entry {later} of the history first, an edit by person at 2023"):
        desk.undo(earlier)
