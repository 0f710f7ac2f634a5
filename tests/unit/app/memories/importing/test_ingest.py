"""A second import adds nothing, a changed record updates, what a person deleted stays deleted."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.core.ids import new_id
from app.memories import validation
from app.memories.foreign_record import MemoryRecord
from app.memories.importing.ingest import IngestResult
from app.memories.model import MemoryFilter
from tests.helpers.access import EVERYTHING
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


def only(harness: MemoryHarness) -> str:
    (memory_id,) = harness.do(harness.reads.ids(EVERYTHING, MemoryFilter()))
    return memory_id


def test_record_becomes_a_memory_with_its_origin(harness: MemoryHarness) -> None:
    done = harness.ingest(GARDEN)
    assert counts(done) == (1, 0, 0, 0)
    memory = harness.get(only(harness))
    assert (memory.title, memory.content, memory.tags) == ("Garden", GARDEN.content, ("plants", "compost"))
    assert memory.source == "import:markdown"
    assert memory.attributes == {
        "aliases": ["plot"],
        "origin": {"format": "markdown", "key": "notes/garden.md"},
    }
    assert (memory.created_at.year, memory.updated_at.year) == (2020, 2022)
    assert done.changes.ids == (memory.id,)
    assert {"memories", "tags", "links", "index"} == done.changes.areas
    (entry,) = harness.do(harness.undoing.history(EVERYTHING, memory.id))
    assert (entry.event, entry.actor) == ("ADD", "import")


def test_second_import_changes_nothing_even_with_new_times(harness: MemoryHarness) -> None:
    harness.ingest(GARDEN)
    before = harness.get(only(harness))
    assert counts(harness.ingest(GARDEN, replace(GARDEN, updated_ms=1_690_000_000_000))) == (0, 0, 2, 0)
    assert harness.get(only(harness)) == before
    assert len(harness.do(harness.undoing.history(EVERYTHING))) == 1


def test_changed_record_updates_and_can_be_undone(harness: MemoryHarness) -> None:
    harness.ingest(GARDEN)
    memory = harness.get(only(harness))
    changed = harness.ingest(replace(GARDEN, content="New soil", tags=(), updated_ms=1_660_000_000_000))
    assert counts(changed) == (0, 1, 0, 0)
    after = harness.get(memory.id)
    assert (after.content, after.tags, after.version, after.created_at) == ("New soil", (), 2, memory.created_at)
    assert after.updated_at.timestamp() == 1_660_000_000
    harness.undo(*changed.changes.history_ids)
    assert harness.get(memory.id).content == GARDEN.content


def test_a_change_of_case_or_space_is_a_change(harness: MemoryHarness) -> None:
    harness.ingest(GARDEN)
    assert counts(harness.ingest(replace(GARDEN, content="soil  #compost [[Rosa]]"))) == (0, 1, 0, 0)


def test_pin_and_edits_of_the_person_survive_the_same_import(harness: MemoryHarness) -> None:
    harness.ingest(GARDEN)
    memory_id = only(harness)
    harness.do(harness.service.update(EVERYTHING, memory_id, 1, content="edited here", pinned=True))
    assert counts(harness.ingest(GARDEN)) == (0, 0, 1, 0)
    assert harness.get(memory_id).content == "edited here"
    harness.ingest(replace(GARDEN, content="edited there"))
    assert (harness.get(memory_id).content, harness.get(memory_id).pinned) == ("edited there", True)


def test_deleted_memory_comes_back_only_with_a_changed_record(harness: MemoryHarness) -> None:
    harness.ingest(GARDEN)
    memory_id = only(harness)
    harness.do(harness.service.delete(EVERYTHING, memory_id))
    assert counts(harness.ingest(GARDEN)) == (0, 0, 1, 0)
    assert harness.do(harness.reads.ids(EVERYTHING, MemoryFilter())) == []
    assert counts(harness.ingest(replace(GARDEN, content="changed"))) == (0, 1, 0, 0)
    assert only(harness) == memory_id
    assert harness.get(memory_id).content == "changed"


def test_import_that_was_undone_can_be_repeated(harness: MemoryHarness) -> None:
    done = harness.ingest(GARDEN)
    memory_id = only(harness)
    harness.undo(*done.changes.history_ids)
    again = harness.ingest(GARDEN)
    assert counts(again) == (1, 0, 0, 0)
    assert only(harness) == memory_id
    harness.do(harness.service.delete(EVERYTHING, memory_id))
    assert counts(harness.ingest(GARDEN)) == (0, 0, 1, 0)


def test_same_key_in_another_format_is_another_memory(harness: MemoryHarness) -> None:
    harness.ingest(GARDEN)
    assert counts(harness.ingest(GARDEN, fmt="keepsake")) == (1, 0, 0, 0)


def test_record_chooses_its_store_or_gets_the_imports(harness: MemoryHarness) -> None:
    harness.ingest(GARDEN, replace(GARDEN, key="b.md", store="social"), store="shared")
    rows = harness.do(harness.reads.listed(EVERYTHING, MemoryFilter()))
    assert sorted(row.store for row in rows) == ["shared", "social"]


def test_duplicate_facts_supersede_each_other_and_import_once(harness: MemoryHarness) -> None:
    facts = [
        MemoryRecord(f"f{number}", f"home {number}", kind="fact", category="p", fact_key="home") for number in range(3)
    ]
    assert counts(harness.ingest(*facts)) == (3, 0, 0, 0)
    assert harness.get(only(harness)).content == "home 2"
    assert counts(harness.ingest(*facts)) == (0, 0, 3, 0)


def test_fact_that_is_known_already_is_not_doubled(harness: MemoryHarness) -> None:
    known = harness.save("Bern", kind="fact", category="p", key="home")
    record = MemoryRecord("f1", "Bern", kind="fact", category="p", fact_key="home")
    assert counts(harness.ingest(record)) == (0, 0, 1, 0)
    assert only(harness) == known.id
    assert counts(harness.ingest(replace(record, content="Genf"))) == (0, 1, 0, 0)
    assert harness.get(known.id).content == "Genf"


def test_own_export_keeps_ids_and_every_field(harness: MemoryHarness) -> None:
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
    assert counts(harness.ingest(record, fmt="keepsake")) == (1, 0, 0, 0)
    memory = harness.get(key)
    assert (memory.facts, memory.type, memory.source, memory.session_id) == (
        ("one", "two"),
        "decision",
        "claude",
        "ses-1",
    )
    assert (memory.confidence, memory.decay_rate, memory.mention_count, memory.pinned) == (0.25, 0.01, 7, True)
    assert memory.attributes == {"x": 1}


def test_own_export_over_its_own_vault(harness: MemoryHarness) -> None:
    memory = harness.save("text", title="T")
    same = MemoryRecord(memory.id, "text", title="T", updated_ms=harness.clock.ms)
    assert counts(harness.ingest(same, fmt="keepsake")) == (0, 0, 1, 0)
    older = replace(same, content="old text", updated_ms=harness.clock.ms - 1)
    harness.rows("SELECT 1")
    assert counts(harness.ingest(older, fmt="backup")) == (0, 0, 1, 0)
    newer = replace(same, content="new text", updated_ms=harness.clock.ms + 1)
    assert counts(harness.ingest(newer, fmt="other")) == (0, 1, 0, 0)
    harness.do(harness.service.delete(EVERYTHING, memory.id))
    assert counts(harness.ingest(same, fmt="fourth")) == (1, 0, 0, 0)
    assert harness.get(memory.id).deleted_at is None


def test_deleted_and_superseded_records_arrive_as_such(harness: MemoryHarness) -> None:
    gone, old, new = new_id("note"), new_id("fact"), new_id("fact")
    fact = MemoryRecord(new, "Genf", kind="fact", category="p", fact_key="home")
    records = (
        MemoryRecord(gone, "gone", deleted_ms=1_600_000_000_000),
        fact,
        replace(fact, key=old, content="Bern", deleted_ms=1_600_000_000_000, superseded_by=new),
    )
    done = harness.ingest(*records, fmt="keepsake")
    assert counts(done) == (3, 0, 0, 0)
    assert only(harness) == new
    assert harness.do(harness.reads.ids(EVERYTHING, MemoryFilter(deleted=True))) == [gone]
    assert harness.get(old).superseded_by == new
    assert set(harness.held) == {new}
    assert counts(harness.ingest(*records, fmt="keepsake")) == (0, 0, 3, 0)
    redo = harness.undo(*done.changes.history_ids)
    assert harness.do(harness.reads.ids(EVERYTHING, MemoryFilter())) == []
    harness.undo(*redo)
    assert (only(harness), harness.get(old).superseded_by) == (new, new)


def test_import_deletes_nothing(harness: MemoryHarness) -> None:
    memory = harness.save("text")
    record = MemoryRecord(memory.id, "text", deleted_ms=harness.clock.ms + 5, updated_ms=harness.clock.ms + 5)
    assert counts(harness.ingest(record, fmt="keepsake")) == (0, 0, 1, 0)
    assert harness.get(memory.id).deleted_at is None


def test_what_cannot_be_stored_is_told_and_the_rest_goes_in(harness: MemoryHarness) -> None:
    deep: Any = []
    for _ in range(200):
        deep = [deep]
    done = harness.ingest(MemoryRecord("empty.md", ""), MemoryRecord("deep.md", "x", attributes={"a": deep}), GARDEN)
    assert counts(done) == (1, 0, 0, 2)
    assert [problem.place for problem in done.problems] == ["empty.md", "deep.md"]
    assert all(problem.lost for problem in done.problems)
    assert len(harness.do(harness.undoing.history(EVERYTHING))) == 1


def test_long_title_is_cut_and_kept_whole_beside(harness: MemoryHarness) -> None:
    title = "word " * 1000
    harness.ingest(MemoryRecord("a.md", "x", title=title))
    memory = harness.get(only(harness))
    assert len(memory.title) <= validation.MAX_TITLE
    assert memory.attributes["full_title"] == title.strip()


def test_foreign_origin_in_front_matter_stays(harness: MemoryHarness) -> None:
    harness.ingest(MemoryRecord("a.md", "x", attributes={"origin": "Japan"}))
    assert harness.get(only(harness)).attributes == {"origin": "Japan"}
    assert counts(harness.ingest(MemoryRecord("a.md", "x", attributes={"origin": "Japan"}))) == (0, 0, 1, 0)


@pytest.mark.parametrize("text", NAUGHTY)
def test_naughty_records_go_in_once(harness: MemoryHarness, text: str) -> None:
    record = MemoryRecord(text, f"x{text}", title=text, tags=(text,), attributes={text: [text]})
    assert counts(harness.ingest(record)) == (1, 0, 0, 0)
    assert counts(harness.ingest(record)) == (0, 0, 1, 0)
    assert harness.get(only(harness)).content == f"x{text}"


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
def test_any_records_import_twice_as_once(harness: MemoryHarness, records: list[MemoryRecord]) -> None:
    first = harness.ingest(*records)
    assert first.added + first.updated + first.unchanged + len(first.problems) == len(records)
    world = harness.rows("SELECT id, version, content, valid_until FROM memories ORDER BY id")
    second = harness.ingest(*records)
    assert (second.added, second.updated) == (0, 0)
    assert harness.rows("SELECT id, version, content, valid_until FROM memories ORDER BY id") == world
