"""What can be done to memories, on a real vault."""

import asyncio

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.core.access import Access
from app.core.stores import STORES
from app.core.text import storable, without_controls
from app.core.text_rules.tag_names import MAX_TAG_LENGTH, MAX_TAGS
from app.errors import InputError, NotFoundError, StaleError
from app.history import history_repo
from app.memories import validation
from app.memories.model import Memory, MemoryFilter, NewMemory
from app.memories.service import MemoryService
from app.memories.unit_of_work import MemoryUnitOfWork
from tests.helpers.access import EVERYTHING
from tests.helpers.sample_data import NAUGHTY
from tests.unit.app.memories.conftest import MemoryHarness


def test_saved_note_is_read_back_as_it_was_returned(harness: MemoryHarness) -> None:
    changed = harness.do(
        harness.service.save(
            Access.everything("claude", "test"),
            NewMemory(
                "Soil with #compost and [[Rosa]]\r\n",
                title="  The\tgarden ",
                tags=("Plants", "#plants", " "),
                store="shared",
                source="claude",
                attributes={"aliases": ["plot"], "year": 2024},
            ),
        )
    )
    memory = changed.value
    assert harness.get(memory.id) == memory
    assert memory.title == "The garden"
    assert memory.content == "Soil with #compost and [[Rosa]]\r\n"
    assert memory.tags == ("plants", "compost")
    assert memory.version == 1
    assert memory.tokens > 0
    assert changed.changes.areas == {"memories", "tags", "links", "index"}
    assert changed.changes.ids == (memory.id,)
    assert changed.changes.actor == "claude"
    (entry,) = harness.do(harness.undoing.history(EVERYTHING, memory.id))
    assert (entry.event, entry.before, entry.id) == ("ADD", None, changed.changes.history_ids[0])
    assert entry.after is not None
    assert entry.after["content"] == memory.content
    assert entry.after["tags"] == ["plants", "compost"]
    assert harness.held == {memory.id: memory.content}


@pytest.mark.parametrize(("content", "title"), [("", ""), ("  \n\t", ""), ("", " \r\n ")])
def test_empty_memory_is_refused(harness: MemoryHarness, content: str, title: str) -> None:
    with pytest.raises(InputError, match="nothing to store"):
        harness.save(content, title=title)


def test_title_alone_is_enough(harness: MemoryHarness) -> None:
    assert harness.save("", title="Later").title == "Later"


@pytest.mark.parametrize("field", ["id", "source", "category", "key", "type", "session_id"])
@pytest.mark.parametrize("control", ["\x1b", "\x7f", "\x9b", "\u202e"])
def test_control_characters_are_refused_in_names(harness: MemoryHarness, field: str, control: str) -> None:
    draft = NewMemory("x", **{field: f"a{control}b"})  # type: ignore[arg-type]
    with pytest.raises(InputError, match="control characters"):
        harness.do(harness.service.save(EVERYTHING, draft))


def test_known_id_is_refused_even_after_deletion(harness: MemoryHarness) -> None:
    memory = harness.save("one", id="note-mine")
    assert memory.id == "note-mine"
    harness.do(harness.service.delete(EVERYTHING, "note-mine"))
    with pytest.raises(InputError, match="use update"):
        harness.save("two", id="note-mine")


def test_too_much_text_is_refused_with_a_sentence(harness: MemoryHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(validation, "MAX_BYTES", 4 * 1024 * 1024)
    harness.save("x" * 4 * 1024 * 1024)
    with pytest.raises(InputError, match="at most 4 MB of text; this one has 8 MB"):
        harness.save("é" * 4 * 1024 * 1024)


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
def test_field_out_of_bounds_is_refused_and_leaves_nothing(harness: MemoryHarness, fields: dict[str, object]) -> None:
    with pytest.raises(InputError):
        harness.save("text", **fields)
    assert harness.rows("SELECT count(*) FROM memories") == [(0,)]
    assert harness.do(harness.undoing.history(EVERYTHING)) == []


def test_update_changes_what_is_given_and_counts_versions(harness: MemoryHarness) -> None:
    memory = harness.save("one #a", title="T", tags=("kept",))
    harness.clock.ms += 1000
    changed = harness.do(harness.service.update(EVERYTHING, memory.id, 1, content="two #b [[X]]"))
    after = changed.value
    assert (after.version, after.content, after.title, after.tags) == (2, "two #b [[X]]", "T", ("kept", "b"))
    assert after.updated_at > memory.updated_at
    assert after.created_at == memory.created_at
    assert harness.get(memory.id) == after
    assert [link.title for link in harness.do(harness.reads.links(EVERYTHING, memory.id)).outgoing] == ["X"]


def test_update_that_changes_nothing_writes_nothing(harness: MemoryHarness) -> None:
    memory = harness.save("one #a", title="T")
    changed = harness.do(
        harness.service.update(
            EVERYTHING, memory.id, 1, content="one #a", title=" T ", tags=["A"], store="private", pinned=False
        )
    )
    assert changed.value == memory
    assert changed.changes.history_ids == ()
    assert changed.changes.areas == frozenset()
    assert len(harness.do(harness.undoing.history(EVERYTHING, memory.id))) == 1


def test_stale_update_is_refused_with_the_current_version(harness: MemoryHarness) -> None:
    memory = harness.save("one")
    harness.do(harness.service.update(EVERYTHING, memory.id, 1, content="two"))
    with pytest.raises(StaleError) as refused:
        harness.do(harness.service.update(EVERYTHING, memory.id, 1, content="three"))
    assert refused.value.data["version"] == 2
    assert harness.get(memory.id).content == "two"


def test_of_concurrent_updates_exactly_one_wins(harness: MemoryHarness) -> None:
    memory = harness.save("start")

    async def all_at_once() -> list[object]:
        updates = [harness.service.update(EVERYTHING, memory.id, 1, content=f"by {number}") for number in range(8)]
        return list(await asyncio.gather(*updates, return_exceptions=True))

    answers = harness.do(all_at_once())
    assert sum(isinstance(answer, StaleError) for answer in answers) == 7
    assert harness.get(memory.id).version == 2
    assert len(harness.do(harness.undoing.history(EVERYTHING, memory.id))) == 2


def test_update_to_nothing_is_refused(harness: MemoryHarness) -> None:
    memory = harness.save("one", title="T")
    with pytest.raises(InputError):
        harness.do(harness.service.update(EVERYTHING, memory.id, 1, content="", title=""))
    assert harness.get(memory.id) == memory


def test_deleted_memory_keeps_its_tags_and_leaves_lists_and_index(harness: MemoryHarness) -> None:
    memory = harness.save("one #a [[B]]", title="T")
    changed = harness.do(harness.service.delete(EVERYTHING, memory.id))
    assert changed.value.deleted_at is not None
    assert harness.get(memory.id).tags == ("a",)
    assert harness.held == {}
    assert harness.do(harness.reads.ids(EVERYTHING, MemoryFilter())) == []
    assert harness.do(harness.reads.ids(EVERYTHING, MemoryFilter(deleted=True))) == [memory.id]
    assert harness.do(harness.reads.tags(EVERYTHING)) == []
    assert harness.do(harness.reads.resolve(EVERYTHING, "T")) is None
    (deletion, _) = harness.do(harness.undoing.history(EVERYTHING, memory.id))
    assert (deletion.event, deletion.after) == ("DELETE", None)
    for again in (
        harness.service.delete(EVERYTHING, memory.id),
        harness.service.update(EVERYTHING, memory.id, 2, content="x"),
        harness.service.pin(EVERYTHING, memory.id),
    ):
        with pytest.raises(NotFoundError):
            harness.do(again)


def test_restored_memory_is_back_everywhere(harness: MemoryHarness) -> None:
    memory = harness.save("one #a", title="T")
    harness.do(harness.service.delete(EVERYTHING, memory.id))
    restored = harness.do(harness.service.restore(EVERYTHING, memory.id)).value
    assert (restored.content, restored.tags, restored.deleted_at, restored.version) == ("one #a", ("a",), None, 3)
    assert harness.held == {memory.id: restored.content}
    assert harness.do(harness.reads.resolve(EVERYTHING, "t")) == memory.id
    with pytest.raises(InputError, match="not deleted"):
        harness.do(harness.service.restore(EVERYTHING, memory.id))


def test_unknown_id_is_not_found(harness: MemoryHarness) -> None:
    for call in (
        harness.reads.get(EVERYTHING, "note-x"),
        harness.service.delete(EVERYTHING, "note-x"),
        harness.service.update(EVERYTHING, "note-x", 1),
    ):
        with pytest.raises(NotFoundError):
            harness.do(call)


def test_memory_in_another_store_is_not_found(harness: MemoryHarness) -> None:
    memory = harness.save("secret", title="Diary", tags=("t",))
    seen = ("shared", "social")
    for call in (
        harness.reads.get(EVERYTHING.within(seen), memory.id),
        harness.service.delete(EVERYTHING.within(seen), memory.id),
        harness.service.restore(EVERYTHING.within(seen), memory.id),
        harness.service.update(EVERYTHING.within(seen), memory.id, 1, content="x"),
        harness.service.pin(EVERYTHING.within(seen), memory.id),
        harness.reads.links(EVERYTHING.within(seen), memory.id),
    ):
        with pytest.raises(NotFoundError):
            harness.do(call)
    assert harness.do(harness.service.delete_many(EVERYTHING.within(seen), [memory.id])).value == ()
    assert harness.get(memory.id) == memory


def test_pinning_is_no_change_of_the_text(harness: MemoryHarness) -> None:
    memory = harness.save("one")
    harness.clock.ms += 1000
    pinned = harness.do(harness.service.pin(EVERYTHING, memory.id)).value
    assert (pinned.pinned, pinned.version, pinned.updated_at) == (True, 2, memory.updated_at)
    assert harness.do(harness.service.pin(EVERYTHING, memory.id)).changes.history_ids == ()
    assert harness.index.stored == 1


def test_bulk_actions_are_one_run_and_tell_what_changed(harness: MemoryHarness) -> None:
    ids = [harness.save(f"note {number}", tags=("old",)).id for number in range(3)]
    tagged = harness.do(harness.service.tag_many(EVERYTHING, [*ids, "note-gone", ids[0]], add=["New"], remove=["#old"]))
    assert tagged.value == tuple(ids)
    assert {harness.get(memory_id).tags for memory_id in ids} == {("new",)}
    assert len({entry.run_id for entry in harness.do(harness.undoing.history(EVERYTHING, limit=3))}) == 1
    assert harness.do(harness.service.tag_many(EVERYTHING, ids, add=["new"])).value == ()
    deleted = harness.do(harness.service.delete_many(EVERYTHING, ids))
    assert deleted.value == tuple(ids)
    run = harness.do(harness.undoing.history(EVERYTHING, limit=1))[0].run_id
    assert run is not None
    harness.do(harness.runs.undo(EVERYTHING.within(STORES), run))
    assert len(harness.do(harness.reads.ids(EVERYTHING, MemoryFilter()))) == 3
    with pytest.raises(NotFoundError):
        harness.do(harness.runs.undo(EVERYTHING.within(STORES), run))


def test_many_changes_are_not_named_one_by_one(harness: MemoryHarness) -> None:
    ids = [harness.save(f"note {number}").id for number in range(3)]
    assert harness.do(harness.service.delete_many(EVERYTHING, ids)).changes.ids == tuple(ids)


def test_tags_are_capped_given_ones_first(harness: MemoryHarness) -> None:
    inline = " ".join(f"#inline{number}" for number in range(40))
    memory = harness.save(inline, tags=tuple(f"given{number}" for number in range(10)))
    assert len(memory.tags) == MAX_TAGS
    assert memory.tags[9:12] == ("given9", "inline0", "inline1")


def test_tags_of_ten_thousand_characters_are_cut_and_links_left_as_text(harness: MemoryHarness) -> None:
    memory = harness.save(f"#{'y' * 10_000} [[{'z' * 10_000}]]", tags=("x" * 10_000,))
    assert memory.tags == ("x" * MAX_TAG_LENGTH,)
    assert harness.do(harness.reads.links(EVERYTHING, memory.id)).outgoing == ()


def test_same_fact_key_supersedes(harness: MemoryHarness) -> None:
    old = harness.save("Lives in Bern", kind="fact", category="person", key="home")
    changed = harness.do(
        harness.service.save(EVERYTHING, NewMemory("Lives in Genf", kind="fact", category="person", key="home"))
    )
    now = harness.get(old.id)
    assert (now.superseded_by, now.deleted_at is not None) == (changed.value.id, True)
    assert len(changed.changes.history_ids) == 2
    assert changed.changes.ids == (old.id, changed.value.id)
    assert set(harness.held) == {changed.value.id}
    assert harness.do(harness.reads.ids(EVERYTHING, MemoryFilter(deleted=True))) == []
    harness.undo(*changed.changes.history_ids)
    assert harness.get(old.id).superseded_by is None
    assert set(harness.held) == {old.id}


def test_facts_without_a_key_stand_side_by_side(harness: MemoryHarness) -> None:
    harness.save("one", kind="fact", category="person")
    harness.save("two", kind="fact", category="person")
    assert len(harness.do(harness.reads.ids(EVERYTHING, MemoryFilter(kinds=("fact",))))) == 2


def test_restored_fact_takes_its_key_back(harness: MemoryHarness) -> None:
    old = harness.save("Bern", kind="fact", category="p", key="home")
    harness.do(harness.service.delete(EVERYTHING, old.id))
    new = harness.save("Genf", kind="fact", category="p", key="home")
    harness.do(harness.service.restore(EVERYTHING, old.id))
    assert harness.get(new.id).superseded_by == old.id
    assert harness.do(harness.reads.ids(EVERYTHING, MemoryFilter())) == [old.id]


@pytest.mark.parametrize("text", NAUGHTY)
def test_naughty_strings_are_kept(harness: MemoryHarness, text: str) -> None:
    memory = harness.save(
        f"x{text}",
        title=text[:900],
        tags=(text, f"a{text}"),
        source=without_controls(" ".join(text[:900].split())),
        attributes={text: text},
    )
    assert harness.get(memory.id) == memory
    assert memory.content == f"x{text}"
    assert memory.attributes == {text: text}
    assert harness.do(harness.reads.rows(EVERYTHING, [memory.id]))[0].id == memory.id
    harness.do(harness.reads.titles(EVERYTHING, text))
    harness.do(harness.reads.tags(EVERYTHING, text))
    if memory.title:
        assert harness.do(harness.reads.resolve(EVERYTHING, memory.title)) == memory.id
    for word in text[:900].split():
        assert harness.do(harness.reads.ids(EVERYTHING, MemoryFilter(text=word))) == [memory.id]


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(content=st.text(), title=st.text(max_size=100), tags=st.lists(st.text(max_size=80), max_size=20))
def test_any_text_is_stored_and_read_back(harness: MemoryHarness, content: str, title: str, tags: list[str]) -> None:
    memory = harness.save("x" + content, title=title, tags=tuple(tags), attributes={title: [content]})
    assert harness.get(memory.id) == memory
    assert memory.content == storable("x" + content)[0]
    assert len(memory.tags) <= MAX_TAGS
    assert all(0 < len(tag) <= MAX_TAG_LENGTH for tag in memory.tags)
    (entry,) = harness.do(harness.undoing.history(EVERYTHING, memory.id))
    assert entry.after is not None
    assert entry.after["content"] == memory.content


def test_nul_and_surrogates_become_visible(harness: MemoryHarness) -> None:
    memory = harness.save("a\x00b\ud800", title="t\x00", tags=("x\ud800y",), attributes={"k\x00": "\udfff"})
    assert harness.get(memory.id) == memory
    assert (memory.content, memory.title) == ("a\u2400b\ufffd", "t\u2400")
    assert memory.attributes == {"k\u2400": "\ufffd"}


def test_failed_index_leaves_nothing_behind(harness: MemoryHarness) -> None:
    class BrokenIndex(type(harness.index)):  # type: ignore[misc]
        def memory_stored(self, connection: object, memory: Memory) -> None:
            raise InputError("no")

    service = MemoryService(MemoryUnitOfWork(harness.store, BrokenIndex(), harness.clock))
    with pytest.raises(InputError):
        harness.do(service.save(EVERYTHING, NewMemory("text #a [[b]]")))
    counts = [harness.rows(f"SELECT count(*) FROM {table}") for table in ("memories", "memory_tags", "memory_links")]
    assert counts == [[(0,)]] * 3
    assert harness.read(history_repo.entries) == []
