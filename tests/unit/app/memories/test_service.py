"""What can be done to memories, on a real vault."""

import asyncio

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.core.tag_names import MAX_TAG_LENGTH, MAX_TAGS
from app.core.text import storable, without_controls
from app.errors import InputError, NotFoundError, StaleError
from app.history import history_repo
from app.memories import validation
from app.memories.model import Memory, MemoryFilter, NewMemory
from app.memories.service import MemoryService
from tests.helpers.sample_data import NAUGHTY
from tests.unit.app.memories.conftest import MemoryHarness


def test_saved_note_is_read_back_as_it_was_returned(desk: MemoryHarness) -> None:
    changed = desk.do(
        desk.service.save(
            NewMemory(
                "Soil with #compost and [[Rosa]]\r\n",
                title="  The\tgarden ",
                tags=("Plants", "#plants", " "),
                store="shared",
                source="claude",
                attributes={"aliases": ["plot"], "year": 2024},
            ),
            actor="claude",
        )
    )
    memory = changed.value
    assert desk.get(memory.id) == memory
    assert memory.title == "The garden"
    assert memory.content == "Soil with #compost and [[Rosa]]\r\n"
    assert memory.tags == ("plants", "compost")
    assert memory.version == 1
    assert memory.tokens > 0
    assert changed.changes.areas == {"memories", "tags", "links", "index"}
    assert changed.changes.ids == (memory.id,)
    assert changed.changes.actor == "claude"
    (entry,) = desk.do(desk.undoing.history(memory.id))
    assert (entry.event, entry.before, entry.id) == ("ADD", None, changed.changes.history_ids[0])
    assert entry.after is not None
    assert entry.after["content"] == memory.content
    assert entry.after["tags"] == ["plants", "compost"]
    assert desk.held == {memory.id: memory.content}


@pytest.mark.parametrize(("content", "title"), [("", ""), ("  \n\t", ""), ("", " \r\n ")])
def test_empty_memory_is_refused(desk: MemoryHarness, content: str, title: str) -> None:
    with pytest.raises(InputError, match="nothing to store"):
        desk.save(content, title=title)


def test_title_alone_is_enough(desk: MemoryHarness) -> None:
    assert desk.save("", title="Later").title == "Later"


@pytest.mark.parametrize("field", ["id", "source", "category", "key", "type", "session_id"])
@pytest.mark.parametrize("control", ["\x1b", "\x7f", "\x9b", "\u202e"])
def test_control_characters_are_refused_in_names(desk: MemoryHarness, field: str, control: str) -> None:
    draft = NewMemory("x", **{field: f"a{control}b"})  # type: ignore[arg-type]
    with pytest.raises(InputError, match="control characters"):
        desk.do(desk.service.save(draft))


def test_known_id_is_refused_even_after_deletion(desk: MemoryHarness) -> None:
    memory = desk.save("one", id="note-mine")
    assert memory.id == "note-mine"
    desk.do(desk.service.delete("note-mine"))
    with pytest.raises(InputError, match="use update"):
        desk.save("two", id="note-mine")


def test_too_much_text_is_refused_with_a_sentence(desk: MemoryHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(validation, "MAX_BYTES", 4 * 1024 * 1024)
    desk.save("x" * 4 * 1024 * 1024)
    with pytest.raises(InputError, match="at most 4 MB of text; this one has 8 MB"):
        desk.save("é" * 4 * 1024 * 1024)


@pytest.mark.parametrize(
    "fields",
    [
        {"title": "x" * (validation.MAX_TITLE + 1)},
        {"id": " "},
        {"confidence": float("nan")},
        {"confidence": 1.5},
        {"store": "secret"},
        {"kind": "dream"},
        {"source": "x" * (validation.MAX_NAME + 1)},
    ],
)
def test_field_out_of_bounds_is_refused_and_leaves_nothing(desk: MemoryHarness, fields: dict[str, object]) -> None:
    with pytest.raises(InputError):
        desk.save("text", **fields)
    assert desk.rows("SELECT count(*) FROM memories") == [(0,)]
    assert desk.do(desk.undoing.history()) == []


def test_update_changes_what_is_given_and_counts_versions(desk: MemoryHarness) -> None:
    memory = desk.save("one #a", title="T", tags=("kept",))
    desk.clock.ms += 1000
    changed = desk.do(desk.service.update(memory.id, 1, content="two #b [[X]]"))
    after = changed.value
    assert (after.version, after.content, after.title, after.tags) == (2, "two #b [[X]]", "T", ("kept", "b"))
    assert after.updated_at > memory.updated_at
    assert after.created_at == memory.created_at
    assert desk.get(memory.id) == after
    assert [link.title for link in desk.do(desk.reads.links(memory.id)).outgoing] == ["X"]


def test_update_that_changes_nothing_writes_nothing(desk: MemoryHarness) -> None:
    memory = desk.save("one #a", title="T")
    changed = desk.do(
        desk.service.update(memory.id, 1, content="one #a", title=" T ", tags=["A"], store="private", pinned=False)
    )
    assert changed.value == memory
    assert changed.changes.history_ids == ()
    assert changed.changes.areas == frozenset()
    assert len(desk.do(desk.undoing.history(memory.id))) == 1


def test_stale_update_is_refused_with_the_current_version(desk: MemoryHarness) -> None:
    memory = desk.save("one")
    desk.do(desk.service.update(memory.id, 1, content="two"))
    with pytest.raises(StaleError) as refused:
        desk.do(desk.service.update(memory.id, 1, content="three"))
    assert refused.value.data["version"] == 2
    assert desk.get(memory.id).content == "two"


def test_of_concurrent_updates_exactly_one_wins(desk: MemoryHarness) -> None:
    memory = desk.save("start")

    async def all_at_once() -> list[object]:
        updates = [desk.service.update(memory.id, 1, content=f"by {number}") for number in range(8)]
        return list(await asyncio.gather(*updates, return_exceptions=True))

    answers = desk.do(all_at_once())
    assert sum(isinstance(answer, StaleError) for answer in answers) == 7
    assert desk.get(memory.id).version == 2
    assert len(desk.do(desk.undoing.history(memory.id))) == 2


def test_update_to_nothing_is_refused(desk: MemoryHarness) -> None:
    memory = desk.save("one", title="T")
    with pytest.raises(InputError):
        desk.do(desk.service.update(memory.id, 1, content="", title=""))
    assert desk.get(memory.id) == memory


def test_deleted_memory_keeps_its_tags_and_leaves_lists_and_index(desk: MemoryHarness) -> None:
    memory = desk.save("one #a [[B]]", title="T")
    changed = desk.do(desk.service.delete(memory.id))
    assert changed.value.deleted_at is not None
    assert desk.get(memory.id).tags == ("a",)
    assert desk.held == {}
    assert desk.do(desk.reads.ids(MemoryFilter())) == []
    assert desk.do(desk.reads.ids(MemoryFilter(deleted=True))) == [memory.id]
    assert desk.do(desk.reads.tags()) == []
    assert desk.do(desk.reads.resolve("T")) is None
    (deletion, _) = desk.do(desk.undoing.history(memory.id))
    assert (deletion.event, deletion.after) == ("DELETE", None)
    for again in (
        desk.service.delete(memory.id),
        desk.service.update(memory.id, 2, content="x"),
        desk.service.pin(memory.id),
    ):
        with pytest.raises(NotFoundError):
            desk.do(again)


def test_restored_memory_is_back_everywhere(desk: MemoryHarness) -> None:
    memory = desk.save("one #a", title="T")
    desk.do(desk.service.delete(memory.id))
    restored = desk.do(desk.service.restore(memory.id)).value
    assert (restored.content, restored.tags, restored.deleted_at, restored.version) == ("one #a", ("a",), None, 3)
    assert desk.held == {memory.id: restored.content}
    assert desk.do(desk.reads.resolve("t")) == memory.id
    with pytest.raises(InputError, match="not deleted"):
        desk.do(desk.service.restore(memory.id))


def test_unknown_id_is_not_found(desk: MemoryHarness) -> None:
    for call in (desk.reads.get("note-x"), desk.service.delete("note-x"), desk.service.update("note-x", 1)):
        with pytest.raises(NotFoundError):
            desk.do(call)


def test_memory_in_another_store_is_not_found(desk: MemoryHarness) -> None:
    memory = desk.save("secret", title="Diary", tags=("t",))
    seen = ("shared", "social")
    for call in (
        desk.reads.get(memory.id, stores=seen),
        desk.service.delete(memory.id, stores=seen),
        desk.service.restore(memory.id, stores=seen),
        desk.service.update(memory.id, 1, content="x", stores=seen),
        desk.service.pin(memory.id, stores=seen),
        desk.reads.links(memory.id, stores=seen),
    ):
        with pytest.raises(NotFoundError):
            desk.do(call)
    assert desk.do(desk.service.delete_many([memory.id], stores=seen)).value == ()
    assert desk.get(memory.id) == memory


def test_pinning_is_no_change_of_the_text(desk: MemoryHarness) -> None:
    memory = desk.save("one")
    desk.clock.ms += 1000
    pinned = desk.do(desk.service.pin(memory.id)).value
    assert (pinned.pinned, pinned.version, pinned.updated_at) == (True, 2, memory.updated_at)
    assert desk.do(desk.service.pin(memory.id)).changes.history_ids == ()
    assert desk.index.stored == 1


def test_bulk_actions_are_one_run_and_tell_what_changed(desk: MemoryHarness) -> None:
    ids = [desk.save(f"note {number}", tags=("old",)).id for number in range(3)]
    tagged = desk.do(desk.service.tag_many([*ids, "note-gone", ids[0]], add=["New"], remove=["#old"]))
    assert tagged.value == tuple(ids)
    assert {desk.get(memory_id).tags for memory_id in ids} == {("new",)}
    assert len({entry.run_id for entry in desk.do(desk.undoing.history(limit=3))}) == 1
    assert desk.do(desk.service.tag_many(ids, add=["new"])).value == ()
    deleted = desk.do(desk.service.delete_many(ids))
    assert deleted.value == tuple(ids)
    run = desk.do(desk.undoing.history(limit=1))[0].run_id
    assert run is not None
    desk.do(desk.undoing.undo_run(run))
    assert len(desk.do(desk.reads.ids(MemoryFilter()))) == 3
    with pytest.raises(NotFoundError):
        desk.do(desk.undoing.undo_run(run))


def test_many_changes_are_not_named_one_by_one(desk: MemoryHarness) -> None:
    ids = [desk.save(f"note {number}").id for number in range(3)]
    assert desk.do(desk.service.delete_many(ids)).changes.ids == tuple(ids)


def test_tags_are_capped_given_ones_first(desk: MemoryHarness) -> None:
    inline = " ".join(f"#inline{number}" for number in range(40))
    memory = desk.save(inline, tags=tuple(f"given{number}" for number in range(10)))
    assert len(memory.tags) == MAX_TAGS
    assert memory.tags[9:12] == ("given9", "inline0", "inline1")


def test_tags_of_ten_thousand_characters_are_cut_and_links_left_as_text(desk: MemoryHarness) -> None:
    memory = desk.save(f"#{'y' * 10_000} [[{'z' * 10_000}]]", tags=("x" * 10_000,))
    assert memory.tags == ("x" * MAX_TAG_LENGTH,)
    assert desk.do(desk.reads.links(memory.id)).outgoing == ()


def test_same_fact_key_supersedes(desk: MemoryHarness) -> None:
    old = desk.save("Lives in Bern", kind="fact", category="person", key="home")
    changed = desk.do(desk.service.save(NewMemory("Lives in Genf", kind="fact", category="person", key="home")))
    now = desk.get(old.id)
    assert (now.superseded_by, now.deleted_at is not None) == (changed.value.id, True)
    assert len(changed.changes.history_ids) == 2
    assert changed.changes.ids == (old.id, changed.value.id)
    assert set(desk.held) == {changed.value.id}
    assert desk.do(desk.reads.ids(MemoryFilter(deleted=True))) == []
    desk.undo(*changed.changes.history_ids)
    assert desk.get(old.id).superseded_by is None
    assert set(desk.held) == {old.id}


def test_facts_without_a_key_stand_side_by_side(desk: MemoryHarness) -> None:
    desk.save("one", kind="fact", category="person")
    desk.save("two", kind="fact", category="person")
    assert len(desk.do(desk.reads.ids(MemoryFilter(kinds=("fact",))))) == 2


def test_restored_fact_takes_its_key_back(desk: MemoryHarness) -> None:
    old = desk.save("Bern", kind="fact", category="p", key="home")
    desk.do(desk.service.delete(old.id))
    new = desk.save("Genf", kind="fact", category="p", key="home")
    desk.do(desk.service.restore(old.id))
    assert desk.get(new.id).superseded_by == old.id
    assert desk.do(desk.reads.ids(MemoryFilter())) == [old.id]


@pytest.mark.parametrize("text", NAUGHTY)
def test_naughty_strings_are_kept(desk: MemoryHarness, text: str) -> None:
    memory = desk.save(
        f"x{text}",
        title=text[:900],
        tags=(text, f"a{text}"),
        source=without_controls(" ".join(text[:900].split())),
        attributes={text: text},
    )
    assert desk.get(memory.id) == memory
    assert memory.content == f"x{text}"
    assert memory.attributes == {text: text}
    assert desk.do(desk.reads.rows([memory.id]))[0].id == memory.id
    desk.do(desk.reads.titles(text))
    desk.do(desk.reads.tags(text))
    if memory.title:
        assert desk.do(desk.reads.resolve(memory.title)) == memory.id
    for word in text[:900].split():
        assert desk.do(desk.reads.ids(MemoryFilter(text=word))) == [memory.id]


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(content=st.text(), title=st.text(max_size=100), tags=st.lists(st.text(max_size=80), max_size=20))
def test_any_text_is_stored_and_read_back(desk: MemoryHarness, content: str, title: str, tags: list[str]) -> None:
    memory = desk.save("x" + content, title=title, tags=tuple(tags), attributes={title: [content]})
    assert desk.get(memory.id) == memory
    assert memory.content == storable("x" + content)[0]
    assert len(memory.tags) <= MAX_TAGS
    assert all(0 < len(tag) <= MAX_TAG_LENGTH for tag in memory.tags)
    (entry,) = desk.do(desk.undoing.history(memory.id))
    assert entry.after is not None
    assert entry.after["content"] == memory.content


def test_nul_and_surrogates_become_visible(desk: MemoryHarness) -> None:
    memory = desk.save("a\x00b\ud800", title="t\x00", tags=("x\ud800y",), attributes={"k\x00": "\udfff"})
    assert desk.get(memory.id) == memory
    assert (memory.content, memory.title) == ("a\u2400b\ufffd", "t\u2400")
    assert memory.attributes == {"k\u2400": "\ufffd"}


def test_failed_index_leaves_nothing_behind(desk: MemoryHarness) -> None:
    class BrokenIndex(type(desk.index)):  # type: ignore[misc]
        def memory_stored(self, connection: object, memory: Memory) -> None:
            raise InputError("no")

    service = MemoryService(desk.store, BrokenIndex(), desk.clock)
    with pytest.raises(InputError):
        desk.do(service.save(NewMemory("text #a [[b]]")))
    counts = [desk.rows(f"SELECT count(*) FROM {table}") for table in ("memories", "memory_tags", "memory_links")]
    assert counts == [[(0,)]] * 3
    assert desk.read(history_repo.entries) == []
