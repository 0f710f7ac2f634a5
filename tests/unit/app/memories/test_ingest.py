"""A second import adds nothing, a changed record updates, what a person deleted stays deleted."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.core.ids import new_id
from app.memories import validation
from app.memories.foreign_record import MemoryRecord
from app.memories.ingest import IngestResult
from app.memories.model import MemoryFilter
from tests.helpers.sample_data import NAUGHTY
from tests.unit.app.memories.conftest import MemoryHarness

GARDEN = MemoryRecord(
    "notes/garden.md",
    "Soil #compost [[Rosa]]",
    title="Garden",
    tags=("plants",),
    created_ms=1_600_000_000_000,
    updated_ms=1_650_000_000_000,
    attributes={"aliases": ["plot"]},
)


def counts(done: IngestResult) -> tuple[int, int, int, int]:
    return done.added, done.updated, done.unchanged, len(done.problems)


def only(desk: MemoryHarness) -> str:
    (memory_id,) = desk.do(desk.reads.ids(MemoryFilter()))
    return memory_id


def test_record_becomes_a_memory_with_its_origin(desk: MemoryHarness) -> None:
    done = desk.ingest(GARDEN)
    assert counts(done) == (1, 0, 0, 0)
    memory = desk.get(only(desk))
    assert (memory.title, memory.content, memory.tags) == ("Garden", GARDEN.content, ("plants", "compost"))
    assert memory.source == "import:markdown"
    assert memory.attributes == {
        "aliases": ["plot"],
        "origin": {"format": "markdown", "key": "notes/garden.md"},
    }
    assert (memory.created_at.year, memory.updated_at.year) == (2020, 2022)
    assert done.changes.ids == (memory.id,)
    assert {"memories", "tags", "links", "index"} == done.changes.areas
    (entry,) = desk.do(desk.undoing.history(memory.id))
    assert (entry.event, entry.actor) == ("ADD", "import")


def test_second_import_changes_nothing_even_with_new_times(desk: MemoryHarness) -> None:
    desk.ingest(GARDEN)
    before = desk.get(only(desk))
    assert counts(desk.ingest(GARDEN, replace(GARDEN, updated_ms=1_690_000_000_000))) == (0, 0, 2, 0)
    assert desk.get(only(desk)) == before
    assert len(desk.do(desk.undoing.history())) == 1


def test_changed_record_updates_and_can_be_undone(desk: MemoryHarness) -> None:
    desk.ingest(GARDEN)
    memory = desk.get(only(desk))
    changed = desk.ingest(replace(GARDEN, content="New soil", tags=(), updated_ms=1_660_000_000_000))
    assert counts(changed) == (0, 1, 0, 0)
    after = desk.get(memory.id)
    assert (after.content, after.tags, after.version, after.created_at) == ("New soil", (), 2, memory.created_at)
    assert after.updated_at.timestamp() == 1_660_000_000
    desk.undo(*changed.changes.history_ids)
    assert desk.get(memory.id).content == GARDEN.content


def test_a_change_of_case_or_space_is_a_change(desk: MemoryHarness) -> None:
    desk.ingest(GARDEN)
    assert counts(desk.ingest(replace(GARDEN, content="soil  #compost [[Rosa]]"))) == (0, 1, 0, 0)


def test_pin_and_edits_of_the_person_survive_the_same_import(desk: MemoryHarness) -> None:
    desk.ingest(GARDEN)
    memory_id = only(desk)
    desk.do(desk.service.update(memory_id, 1, content="edited here", pinned=True))
    assert counts(desk.ingest(GARDEN)) == (0, 0, 1, 0)
    assert desk.get(memory_id).content == "edited here"
    desk.ingest(replace(GARDEN, content="edited there"))
    assert (desk.get(memory_id).content, desk.get(memory_id).pinned) == ("edited there", True)


def test_deleted_memory_comes_back_only_with_a_changed_record(desk: MemoryHarness) -> None:
    desk.ingest(GARDEN)
    memory_id = only(desk)
    desk.do(desk.service.delete(memory_id))
    assert counts(desk.ingest(GARDEN)) == (0, 0, 1, 0)
    assert desk.do(desk.reads.ids(MemoryFilter())) == []
    assert counts(desk.ingest(replace(GARDEN, content="changed"))) == (0, 1, 0, 0)
    assert only(desk) == memory_id
    assert desk.get(memory_id).content == "changed"


def test_import_that_was_undone_can_be_repeated(desk: MemoryHarness) -> None:
    done = desk.ingest(GARDEN)
    memory_id = only(desk)
    desk.undo(*done.changes.history_ids)
    again = desk.ingest(GARDEN)
    assert counts(again) == (1, 0, 0, 0)
    assert only(desk) == memory_id
    desk.do(desk.service.delete(memory_id))
    assert counts(desk.ingest(GARDEN)) == (0, 0, 1, 0)


def test_same_key_in_another_format_is_another_memory(desk: MemoryHarness) -> None:
    desk.ingest(GARDEN)
    assert counts(desk.ingest(GARDEN, fmt="keepsake")) == (1, 0, 0, 0)


def test_record_chooses_its_store_or_gets_the_imports(desk: MemoryHarness) -> None:
    desk.ingest(GARDEN, replace(GARDEN, key="b.md", store="social"), store="shared")
    rows = desk.do(desk.reads.listed(MemoryFilter()))
    assert sorted(row.store for row in rows) == ["shared", "social"]


def test_duplicate_facts_supersede_each_other_and_import_once(desk: MemoryHarness) -> None:
    facts = [
        MemoryRecord(f"f{number}", f"home {number}", kind="fact", category="p", fact_key="home") for number in range(3)
    ]
    assert counts(desk.ingest(*facts)) == (3, 0, 0, 0)
    assert desk.get(only(desk)).content == "home 2"
    assert counts(desk.ingest(*facts)) == (0, 0, 3, 0)


def test_fact_that_is_known_already_is_not_doubled(desk: MemoryHarness) -> None:
    known = desk.save("Bern", kind="fact", category="p", key="home")
    record = MemoryRecord("f1", "Bern", kind="fact", category="p", fact_key="home")
    assert counts(desk.ingest(record)) == (0, 0, 1, 0)
    assert only(desk) == known.id
    assert counts(desk.ingest(replace(record, content="Genf"))) == (0, 1, 0, 0)
    assert desk.get(known.id).content == "Genf"


def test_own_export_keeps_ids_and_every_field(desk: MemoryHarness) -> None:
    key = new_id("observation")
    record = MemoryRecord(
        key,
        "text",
        kind="observation",
        facts=("one", "two"),
        type="decision",
        source="claude",
        session_key="ses-1",
        confidence=0.25,
        decay_rate=0.01,
        mention_count=7,
        pinned=True,
        event_ms=1_500_000_000_000,
        updated_ms=1_600_000_000_000,
        attributes={"x": 1},
    )
    assert counts(desk.ingest(record, fmt="keepsake")) == (1, 0, 0, 0)
    memory = desk.get(key)
    assert (memory.facts, memory.type, memory.source, memory.session_id) == (
        ("one", "two"),
        "decision",
        "claude",
        "ses-1",
    )
    assert (memory.confidence, memory.decay_rate, memory.mention_count, memory.pinned) == (0.25, 0.01, 7, True)
    assert memory.attributes == {"x": 1}


def test_own_export_over_its_own_vault(desk: MemoryHarness) -> None:
    memory = desk.save("text", title="T")
    same = MemoryRecord(memory.id, "text", title="T", updated_ms=desk.clock.ms)
    assert counts(desk.ingest(same, fmt="keepsake")) == (0, 0, 1, 0)
    older = replace(same, content="old text", updated_ms=desk.clock.ms - 1)
    desk.rows("SELECT 1")
    assert counts(desk.ingest(older, fmt="backup")) == (0, 0, 1, 0)
    newer = replace(same, content="new text", updated_ms=desk.clock.ms + 1)
    assert counts(desk.ingest(newer, fmt="other")) == (0, 1, 0, 0)
    desk.do(desk.service.delete(memory.id))
    assert counts(desk.ingest(same, fmt="fourth")) == (1, 0, 0, 0)
    assert desk.get(memory.id).deleted_at is None


def test_deleted_and_superseded_records_arrive_as_such(desk: MemoryHarness) -> None:
    gone, old, new = new_id("note"), new_id("fact"), new_id("fact")
    fact = MemoryRecord(new, "Genf", kind="fact", category="p", fact_key="home")
    records = (
        MemoryRecord(gone, "gone", deleted_ms=1_600_000_000_000),
        fact,
        replace(fact, key=old, content="Bern", deleted_ms=1_600_000_000_000, superseded_by=new),
    )
    done = desk.ingest(*records, fmt="keepsake")
    assert counts(done) == (3, 0, 0, 0)
    assert only(desk) == new
    assert desk.do(desk.reads.ids(MemoryFilter(deleted=True))) == [gone]
    assert desk.get(old).superseded_by == new
    assert set(desk.held) == {new}
    assert counts(desk.ingest(*records, fmt="keepsake")) == (0, 0, 3, 0)
    redo = desk.undo(*done.changes.history_ids)
    assert desk.do(desk.reads.ids(MemoryFilter())) == []
    desk.undo(*redo)
    assert (only(desk), desk.get(old).superseded_by) == (new, new)


def test_import_deletes_nothing(desk: MemoryHarness) -> None:
    memory = desk.save("text")
    record = MemoryRecord(memory.id, "text", deleted_ms=desk.clock.ms + 5, updated_ms=desk.clock.ms + 5)
    assert counts(desk.ingest(record, fmt="keepsake")) == (0, 0, 1, 0)
    assert desk.get(memory.id).deleted_at is None


def test_what_cannot_be_stored_is_told_and_the_rest_goes_in(desk: MemoryHarness) -> None:
    deep: Any = []
    for _ in range(200):
        deep = [deep]
    done = desk.ingest(MemoryRecord("empty.md", ""), MemoryRecord("deep.md", "x", attributes={"a": deep}), GARDEN)
    assert counts(done) == (1, 0, 0, 2)
    assert [problem.place for problem in done.problems] == ["empty.md", "deep.md"]
    assert all(problem.lost for problem in done.problems)
    assert len(desk.do(desk.undoing.history())) == 1


def test_long_title_is_cut_and_kept_whole_beside(desk: MemoryHarness) -> None:
    title = "word " * 1000
    desk.ingest(MemoryRecord("a.md", "x", title=title))
    memory = desk.get(only(desk))
    assert len(memory.title) <= validation.MAX_TITLE
    assert memory.attributes["full_title"] == title.strip()


def test_foreign_origin_in_front_matter_stays(desk: MemoryHarness) -> None:
    desk.ingest(MemoryRecord("a.md", "x", attributes={"origin": "Japan"}))
    assert desk.get(only(desk)).attributes == {"origin": "Japan"}
    assert counts(desk.ingest(MemoryRecord("a.md", "x", attributes={"origin": "Japan"}))) == (0, 0, 1, 0)


@pytest.mark.parametrize("text", NAUGHTY)
def test_naughty_records_go_in_once(desk: MemoryHarness, text: str) -> None:
    record = MemoryRecord(text, f"x{text}", title=text, tags=(text,), attributes={text: [text]})
    assert counts(desk.ingest(record)) == (1, 0, 0, 0)
    assert counts(desk.ingest(record)) == (0, 0, 1, 0)
    assert desk.get(only(desk)).content == f"x{text}"


RECORDS = st.builds(
    MemoryRecord,
    key=st.sampled_from(["a", "b", "c", "\ud800", "\x00"]),
    content=st.text(max_size=20),
    title=st.text(max_size=20),
    kind=st.sampled_from(["note", "fact"]),
    category=st.sampled_from(["", "p"]),
    fact_key=st.sampled_from(["", "k"]),
    tags=st.lists(st.text(max_size=5), max_size=3).map(tuple),
    attributes=st.dictionaries(st.text(max_size=3), st.integers() | st.floats() | st.dates() | st.text(max_size=5)),
)


@settings(max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(RECORDS, max_size=6, unique_by=lambda record: record.key))
def test_any_records_import_twice_as_once(desk: MemoryHarness, records: list[MemoryRecord]) -> None:
    first = desk.ingest(*records)
    assert first.added + first.updated + first.unchanged + len(first.problems) == len(records)
    world = desk.rows("SELECT id, version, content, valid_until FROM memories ORDER BY id")
    second = desk.ingest(*records)
    assert (second.added, second.updated) == (0, 0)
    assert desk.rows("SELECT id, version, content, valid_until FROM memories ORDER BY id") == world
