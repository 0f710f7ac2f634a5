"""Renamed and merged tags: in every memory and its text, as one run that can be undone."""

import pytest

from app.core.access import Access
from app.core.stores import STORES
from app.errors import InputError, NotFoundError
from app.memories.tags.service import BATCH, TagService
from app.memories.unit_of_work import MemoryUnitOfWork
from tests.helpers.access import EVERYTHING
from tests.unit.app.memories.conftest import MemoryHarness


@pytest.fixture
def tags(harness: MemoryHarness) -> TagService:
    """Return the service that renames tags."""
    return TagService(MemoryUnitOfWork(harness.store, harness.index, harness.clock))


@pytest.mark.parametrize(
    ("old", "new", "refusal"),
    [
        ("garden", "", InputError),
        ("garden", " # ", InputError),
        ("garden", "#Garden", InputError),
        ("", "hof", InputError),
        ("none", "hof", NotFoundError),
        ("garden", "x" * 64, InputError),
        ("inline", "two words", InputError),
    ],
)
def test_what_cannot_be_is_refused_and_changes_nothing(
    harness: MemoryHarness, tags: TagService, old: str, new: str, refusal: type[Exception]
) -> None:
    note = harness.save("by #inline", tags=("garden/soil",))
    with pytest.raises(refusal):
        harness.do(tags.rename(EVERYTHING, old, new))
    assert harness.get(note.id).version == 1


def test_nested_tags_and_texts_follow(harness: MemoryHarness, tags: TagService) -> None:
    text = "#Garden and #garden/soil, `#garden` [[x#garden]] #gardening a#garden #garden."
    note = harness.save(text, tags=("z", "garden"), facts=("said",))
    other = harness.save("nothing", tags=("gardens",))
    done = harness.do(tags.rename(EVERYTHING, "#Garden", "Hof/grün"))
    after = harness.get(note.id)
    assert after.content == "#hof/grün and #hof/grün/soil, `#garden` [[x#garden]] #gardening a#garden #hof/grün."
    assert after.tags == ("z", "hof/grün", "hof/grün/soil", "gardening")
    assert after.version == 2
    assert harness.held[note.id] == after.content
    assert harness.get(other.id).version == 1
    assert done.value.changed == 1
    harness.do(harness.runs.undo(EVERYTHING.within(STORES), done.value.run_id))
    assert (harness.get(note.id).content, harness.get(note.id).tags) == (text, note.tags)


def test_a_name_without_a_place_in_texts_is_for_tags_outside_of_them(harness: MemoryHarness, tags: TagService) -> None:
    note = harness.save("no mark", tags=("garden",))
    harness.do(tags.rename(EVERYTHING, "garden", "My garden"))
    assert harness.get(note.id).tags == ("my garden",)


def test_merging_makes_one_of_many_and_is_undone_as_one(harness: MemoryHarness, tags: TagService) -> None:
    notes = [harness.save(f"{number} #a", tags=(f"t{number % 3}/part", "keep")) for number in range(BATCH + 5)]
    done = harness.do(tags.merge(EVERYTHING, ["a", "t0", "t1", "one"], "one"))
    assert done.value.changed == len(notes)
    assert len(done.changes.history_ids) == len(notes)
    assert harness.get(notes[0].id).tags == ("one/part", "keep", "one")
    assert harness.get(notes[2].id).tags == ("t2/part", "keep", "one")
    assert len({row[0] for row in harness.rows("SELECT run_id FROM memory_history WHERE event = 'UPDATE'")}) == 1
    harness.do(harness.runs.undo(EVERYTHING.within(STORES), done.value.run_id))
    assert [harness.get(note.id).tags for note in notes] == [note.tags for note in notes]


def test_the_longest_name_wins_and_a_tag_may_move_below_itself(harness: MemoryHarness, tags: TagService) -> None:
    note = harness.save("", title="t", tags=("a", "a/b", "a/b/c"))
    harness.do(tags.rename(EVERYTHING, "a/b", "z"))
    assert harness.get(note.id).tags == ("a", "z", "z/c")
    harness.do(tags.rename(EVERYTHING, "a", "a/old"))
    assert harness.get(note.id).tags == ("a/old", "z", "z/c")


def test_others_rename_what_they_see_and_nothing_else(harness: MemoryHarness, tags: TagService) -> None:
    hidden, seen = harness.save("x", tags=("garden",)), harness.save("y", tags=("garden",), store="shared")
    harness.do(harness.service.delete(EVERYTHING, harness.save("z", tags=("garden",), store="shared").id))
    done = harness.do(tags.rename(Access("agent", ("shared",), "tag.rename", None), "garden", "hof"))
    assert done.changes.ids == (seen.id,)
    assert harness.get(hidden.id).tags == ("garden",)
    with pytest.raises(NotFoundError):
        harness.do(tags.rename(EVERYTHING.within(("social",)), "garden", "hof"))
