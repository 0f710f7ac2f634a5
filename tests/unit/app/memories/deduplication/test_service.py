"""Writing so that nothing is stored twice: equal text, similar words, and what a reconciler decides."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app.errors import AccessDeniedError, InputError, ModelUnavailableError
from app.memories.deduplication.reconciler import Decision
from app.memories.model import NewMemory, Source, Written
from tests.helpers.access import EVERYTHING
from tests.unit.app.memories.deduplication_harness import DeduplicationHarness, FixedCandidates, ScriptedReconciler

OLD = "Rosa waters the tomatoes in the garden every single morning"
NEW = "Rosa waters the tomatoes in the garden on Sundays"


@pytest.fixture
def harness(vault: Path) -> Iterator[DeduplicationHarness]:
    harness = DeduplicationHarness(vault)
    yield harness
    harness.close()


def answer(action: str, index: int | None = None, **more: Any) -> str:
    return json.dumps({"action": action, "index": index, **more})


# Bad input ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "fields",
    [
        {"content": " "},
        {"content": "x", "store": "secret"},
        {"content": "x", "kind": "dream"},
        {"content": "x", "people": ("y" * 1_001,)},
        {"content": "x", "files": tuple(map(str, range(1_001)))},
        {"content": "x", "sources": (Source("dream", "a"),)},  # type: ignore[arg-type]
        {"content": "x", "sources": (Source("memory", " "),)},
    ],
)
def test_what_cannot_be_stored_is_refused_and_leaves_nothing(
    harness: DeduplicationHarness, fields: dict[str, Any]
) -> None:
    with pytest.raises(InputError):
        harness.write(**fields)
    assert harness.state() == []
    assert harness.rows("SELECT count(*) FROM memory_history") == [(0,)]


def test_a_store_that_the_caller_does_not_see_cannot_be_written(harness: DeduplicationHarness) -> None:
    harness.write(OLD)
    with pytest.raises(AccessDeniedError, match="shared or social, not in private"):
        harness.write(OLD, stores=("shared", "social"))


def test_what_has_expired_already_is_refused(harness: DeduplicationHarness) -> None:
    past = harness.save("x").created_at
    with pytest.raises(InputError, match="has passed"):
        harness.write("y", expires_at=past)


# Without a reconciler ----------------------------------------------------------------------------------------------


def test_observation_is_known_by_all_it_says(harness: DeduplicationHarness) -> None:
    first = harness.write("We met.", title="Meeting", facts=("Ana leaves", "Bo stays"))
    assert first.outcome == "ADD"
    again = harness.write("we  met.", title=" meeting", facts=("ana  leaves", "Bo stays"))
    assert (again.outcome, again.matched, again.decided_by) == ("EXACT_DUP", first.memory.id, "hash")
    assert again.memory.mention_count == 2
    assert harness.contents() == ["We met."]
    assert harness.write("Told otherwise", title="Meeting", facts=("Ana leaves", "Bo stays")).outcome == "ADD"
    assert harness.write("We met.", title="Meeting", facts=("Ana leaves",)).outcome == "ADD"


def test_of_equal_memories_the_oldest_is_counted(harness: DeduplicationHarness) -> None:
    first, second = harness.save("Likes tea"), harness.save("Likes tea")
    again = harness.write("likes tea", kind=first.kind)
    assert (again.outcome, again.matched) == ("EXACT_DUP", min(first, second, key=lambda one: one.created_at).id)


def test_others_are_known_by_title_and_content(harness: DeduplicationHarness) -> None:
    harness.write("Likes tea", kind="fact")
    assert harness.write("likes   TEA", kind="fact").outcome == "EXACT_DUP"
    assert harness.write("Likes tea", kind="note").outcome == "ADD"
    assert harness.write("Likes tea", kind="fact", store="shared").outcome == "ADD"
    assert harness.write("Likes tea", kind="fact", title="Drinks").outcome == "ADD"


def test_what_shares_three_quarters_of_its_words_is_counted_and_not_stored(harness: DeduplicationHarness) -> None:
    first = harness.write("one two three four five six seven eight")
    same = harness.write("one two three four five six seven nine ten")  # 7 of 10
    assert same.outcome == "ADD"
    same = harness.write("One two three, four; five six seven!")  # 7 of 8
    assert (same.outcome, same.matched, same.decided_by) == ("NONE", first.memory.id, "words")
    assert same.memory.mention_count == 2
    assert "88%" in same.reason


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("the code of the red front door is 4711", "the code of the red front door is 4712"),
        ("the younger sister of Rosa lives in Graz now", "the younger sister of Rosa lives in Linz now"),
        ("Rosa does like the new red car a lot", "Rosa does not like the new red car a lot"),
        ("I like the red car parked in the garage", "I like the blue car parked in the garage"),
        ("Mona Harker wrote to Jonas Harker in Dover", "Lena Harker wrote to Jonas Harker in Dover"),
    ],
)
def test_another_number_or_name_or_colour_or_a_negation_is_news(
    harness: DeduplicationHarness, old: str, new: str
) -> None:
    harness.write(old)
    written = harness.write(new)
    assert written.outcome == "ADD"
    assert "not all of what it says" in written.reason
    assert harness.contents() == [old, new]


def test_deleted_and_expired_memories_do_not_count(harness: DeduplicationHarness) -> None:
    gone = harness.write(OLD).memory
    harness.do(harness.service.delete(EVERYTHING, gone.id))
    later = harness.write(OLD, expires_at=gone.created_at.replace(year=2090))
    assert later.outcome == "ADD"
    harness.clock.ms = 4_000_000_000_000
    assert harness.write(OLD).outcome == "ADD"


def test_fact_with_a_key_takes_the_place_of_the_one_before(harness: DeduplicationHarness) -> None:
    first = harness.write("Berlin", kind="fact", category="home", key="city")
    assert harness.write("Berlin", kind="fact", category="home", key="city").outcome == "EXACT_DUP"
    assert harness.write("Berlin", kind="fact", category="work", key="city").outcome == "ADD"
    new = harness.write("Paris", kind="fact", category="home", key="city")
    assert (new.outcome, new.matched, new.decided_by) == ("DELETE", first.memory.id, "key")
    assert new.memory.attributes == {"supersedes": [first.memory.id]}
    assert harness.get(first.memory.id).superseded_by == new.memory.id


def test_related_files_people_and_sources_are_kept_through_changes_and_undo(harness: DeduplicationHarness) -> None:
    sources = (Source("message", "s#1"), Source("memory", "note-1"))
    made = harness.write("![[b.png]] seen", files=("a.md", "b.png"), people=("Ana", "Ana "), sources=sources).memory
    assert (made.files, made.people) == (("a.md", "b.png"), ("Ana",))
    assert set(made.sources) == set(sources)
    assert harness.get(made.id) == made
    links = "SELECT relation, target FROM memory_links ORDER BY 1, 2"
    assert harness.rows(links) == [("file", "a.md"), ("file", "b.png"), ("person", "Ana")]
    before = harness.state()
    entry = harness.do(harness.service.update(EVERYTHING, made.id, 1, content="seen no picture")).changes.history_ids[0]
    assert harness.rows(links) == [("file", "a.md"), ("file", "b.png"), ("person", "Ana")]
    harness.undo(entry)
    assert harness.state() == before


def test_mention_is_recorded_and_undone_and_disturbs_no_editor(harness: DeduplicationHarness) -> None:
    made = harness.write(OLD).memory
    before = harness.state()
    changed = harness.changed(OLD)
    assert changed.changes.areas == {"memories"}
    assert harness.get(made.id).version == made.version
    (entry,) = changed.changes.history_ids
    assert harness.do(harness.undoing.history(EVERYTHING, made.id))[0].event == "MENTION"
    harness.undo(entry)
    assert harness.state() == before


def test_equal_and_similar_writes_at_once_are_stored_once(harness: DeduplicationHarness) -> None:
    texts = [OLD, OLD.upper(), OLD + " indeed"] * 8

    async def all_at_once() -> list[Written]:
        writing = harness.writing()
        jobs = [writing.write(EVERYTHING, NewMemory(text, kind="fact")) for text in texts]
        return [one.value for one in await asyncio.gather(*jobs)]

    written = harness.do(all_at_once())
    assert sorted(one.outcome for one in written).count("ADD") == 1
    assert len(harness.contents()) == 1
    assert harness.get(written[0].memory.id).mention_count == len(texts)


# With a reconciler -------------------------------------------------------------------------------------------------


def test_reconciler_is_not_asked_when_nothing_resembles(harness: DeduplicationHarness) -> None:
    harness.write("Something else altogether")
    script = ScriptedReconciler()
    assert harness.write(NEW, script).outcome == "ADD"
    assert harness.write(NEW, script).outcome == "EXACT_DUP"
    assert script.requested == []


def test_reconciler_sees_dense_candidates_of_the_same_kind_and_store_only(harness: DeduplicationHarness) -> None:
    harness.save(OLD, kind="observation", store="shared")
    harness.save(OLD, kind="fact")
    gone = harness.save(OLD + " gone", kind="observation")
    harness.do(harness.service.delete(EVERYTHING, gone.id))
    mine = harness.write(OLD, title="T", facts=("f",), type="habit").memory
    other = harness.save(OLD + " indeed", kind="observation")
    script = ScriptedReconciler(answer("ADD"))
    everything = [row[0] for row in harness.rows("SELECT id FROM memories ORDER BY rowid")]
    assert harness.write(NEW, script, candidates=FixedCandidates("note-nowhere", *everything)).outcome == "ADD"
    (requested,) = script.requested
    assert [candidate.index for candidate in requested.candidates] == [0, 1]
    assert [candidate.content for candidate in requested.candidates] == [mine.content, other.content]
    assert (requested.candidates[0].title, requested.candidates[0].facts, requested.candidates[0].type) == (
        "T",
        ("f",),
        "habit",
    )
    assert (requested.kind, requested.store, requested.content) == ("observation", "private", NEW)


def test_words_stand_in_where_the_search_for_candidates_fails(harness: DeduplicationHarness) -> None:
    old = harness.write(OLD).memory
    broken = FixedCandidates(error=ModelUnavailableError("no model"))
    written = harness.write(NEW, ScriptedReconciler(answer("NONE", 0)), candidates=broken)
    assert (written.outcome, written.matched) == ("NONE", old.id)


def test_update_lets_the_old_memory_say_it(harness: DeduplicationHarness) -> None:
    old = harness.write(OLD, title="Garden", tags=("a",), facts=("x",), files=("f",), attributes={"k": 1}).memory
    before = harness.state()
    decision = Decision("UPDATE", 0, content="Rosa waters on Sundays", reason="newer")
    draft = {"facts": ("y",), "tags": ("b",), "people": ("Rosa",), "sources": (Source("message", "s#4"),)}
    changed = harness.changed(NEW, ScriptedReconciler(decision), **draft)
    written = changed.value
    assert (written.outcome, written.matched, written.decided_by) == ("UPDATE", old.id, "reconciler")
    assert written.reason == "newer"
    after = harness.get(old.id)
    assert after == written.memory
    assert (after.content, after.title, after.facts, after.tags) == (
        "Rosa waters on Sundays",
        "Garden",
        ("x", "y"),
        ("a", "b"),
    )
    assert (after.files, after.people, after.attributes, after.version) == (("f",), ("Rosa",), {"k": 1}, 2)
    assert harness.do(harness.undoing.history(EVERYTHING, old.id))[0].event == "UPDATE"
    harness.undo(*changed.changes.history_ids)
    assert harness.state() == before


def test_delete_expires_the_stale_memory_and_stores_the_new_one(harness: DeduplicationHarness) -> None:
    old = harness.write(OLD).memory
    before = harness.state()
    changed = harness.changed(NEW, ScriptedReconciler(answer("DELETE", 0)))
    new = changed.value.memory
    assert (changed.value.outcome, changed.value.matched) == ("DELETE", old.id)
    assert harness.contents() == [NEW]
    assert harness.get(old.id).superseded_by == new.id
    assert new.attributes == {"supersedes": [old.id]}
    assert harness.do(harness.undoing.history(EVERYTHING, old.id))[0].event == "DELETE"
    harness.undo(*changed.changes.history_ids)
    assert harness.state() == before


def test_none_counts_a_mention_only(harness: DeduplicationHarness) -> None:
    old = harness.write(OLD).memory
    written = harness.write(NEW, ScriptedReconciler(answer("NONE", 0)))
    assert (written.outcome, written.memory.mention_count) == ("NONE", 2)
    assert harness.contents() == [OLD]
    assert harness.get(old.id).version == 1


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("not json", "not a JSON object"),
        ("```json\n" + answer("NONE", 0) + "\n```", "not a JSON object"),
        (answer("FORGET", 0), "not a JSON object"),
        (answer("NONE", 0, id="x"), "not a JSON object"),
        ('{"action": "NONE", "index": "0"}', "not a JSON object"),
        ("[" * 100_000, "not a JSON object"),
        ("\ud800", "not a JSON object"),
        (answer("UPDATE", 1), "candidate 1, which is none of the 1"),
        (answer("DELETE", -1), "candidate -1, which is none of the 1"),
        (answer("NONE"), "named none of the candidates"),
        (answer("UPDATE", 0, content=" "), "nothing to store"),
        (answer("UPDATE", 0, title="x" * 2_000), "at most"),
        (answer("DELETE", 0, content=" "), "nothing to store"),
        (ModelUnavailableError("The model is away."), "The model is away."),
        (RuntimeError("secret"), "RuntimeError"),
        (None, "too long"),
    ],
)
def test_answer_that_cannot_be_used_adds_and_says_why(harness: DeduplicationHarness, said: Any, reason: str) -> None:
    harness.write(OLD)
    harness.terms = type(harness.terms)(seconds=0.01) if said is None else harness.terms
    written = harness.write(NEW, ScriptedReconciler(said))
    assert (written.outcome, written.decided_by) == ("ADD", "nobody")
    assert reason in written.reason
    assert "secret" not in written.reason
    assert harness.contents() == [OLD, NEW]
    harness.trace.close()
    traced = (harness.store.vault / "trace" / "trace.jsonl").read_text()
    assert '"outcome":"ADD"' in traced
    assert "tomatoes" not in traced


def test_what_loads_before_an_answer_takes_none_of_its_time(harness: DeduplicationHarness) -> None:
    harness.write(OLD)
    harness.terms = type(harness.terms)(seconds=0.2)
    script = ScriptedReconciler(answer("NONE", 0))
    script.preparing_s = 0.5
    assert harness.write(NEW, script).outcome == "NONE"
    assert len(script.requested) == 1


def test_decision_on_what_changed_meanwhile_is_made_once_more_and_then_added(harness: DeduplicationHarness) -> None:
    old = harness.write(OLD).memory
    script = ScriptedReconciler(answer("DELETE", 0), answer("DELETE", 0))

    async def edited() -> None:
        version = (await harness.reads.get(EVERYTHING, old.id)).version
        await harness.service.update(EVERYTHING, old.id, version, content=f"{OLD} {'indeed ' * version}")

    script.meanwhile = edited
    written = harness.write(NEW, script)
    assert (written.outcome, len(script.requested)) == ("ADD", 2)
    assert "changed while" in written.reason
    assert len(harness.contents()) == 2


def test_equal_writes_at_once_are_stored_once_although_the_reconciler_says_add(harness: DeduplicationHarness) -> None:
    harness.write(OLD)

    async def all_at_once() -> list[Written]:
        writing = harness.writing(ScriptedReconciler(*[answer("ADD")] * 6))
        jobs = (writing.write(EVERYTHING, NewMemory(NEW, kind="observation")) for _ in range(6))
        return [one.value for one in await asyncio.gather(*jobs)]

    outcomes = [one.outcome for one in harness.do(all_at_once())]
    assert outcomes.count("ADD") == 1
    assert harness.contents() == [OLD, NEW]
