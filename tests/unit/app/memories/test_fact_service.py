"""Facts: set, corrected, confirmed, forgotten, settled, found by name and metadata; stored in batches; reflections."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from app.core.access import Access
from app.core.stores import STORES
from app.errors import AccessDeniedError, InputError, NotFoundError
from app.memories.deduplication.batch import MAX_BATCH
from app.memories.fact_service import draft_of
from app.memories.model import NewMemory, Source
from tests.helpers.access import EVERYTHING
from tests.unit.app.memories.deduplication_harness import DeduplicationHarness, FixedCandidates, ScriptedReconciler

INNER = ("shared", "social")


@pytest.fixture
def harness(vault: Path) -> Iterator[DeduplicationHarness]:
    harness = DeduplicationHarness(vault)
    yield harness
    harness.close()


def put(harness: DeduplicationHarness, value: str, category: str = "home", key: str = "city", **more: Any) -> Any:
    access = EVERYTHING.within(more.pop("stores", STORES))
    keeps_store = more.pop("keeps_store", False)
    draft = draft_of(value, category=category, key=key, **more)
    return harness.do(harness.facts.set(access, draft, keeps_store=keeps_store))


# Bad input ---------------------------------------------------------------------------------------------------------


def test_set_without_a_key_is_refused(harness: DeduplicationHarness) -> None:
    with pytest.raises(InputError, match="needs a key"):
        put(harness, "Berlin", key=" ")


def test_only_active_facts_that_the_caller_sees_are_changed(harness: DeduplicationHarness) -> None:
    note = harness.save("a note")
    fact, gone = harness.fact("Rosa likes tea"), harness.fact("The sky is blue")
    harness.do(harness.facts.forget(EVERYTHING, gone.id))
    for one, stores in ((note.id, ("private",)), (gone.id, ("private",)), (fact.id, INNER), ("fact-x", ("private",))):
        for work in (
            harness.facts.correct(EVERYTHING.within(stores), one, "other"),
            harness.facts.confirm(EVERYTHING.within(stores), one),
            harness.facts.forget(EVERYTHING.within(stores), one),
            harness.facts.resolve(EVERYTHING.within(stores), one, fact.id + "x"),
        ):
            with pytest.raises(NotFoundError):
                harness.do(work)
    with pytest.raises(InputError, match="itself"):
        harness.do(harness.facts.resolve(EVERYTHING, fact.id, fact.id))
    with pytest.raises(InputError, match="says that already"):
        harness.do(harness.facts.correct(EVERYTHING, fact.id, " rosa LIKES tea"))
    with pytest.raises(InputError, match="nothing to store"):
        harness.do(harness.facts.correct(EVERYTHING, fact.id, " "))
    assert harness.get(fact.id) == fact


# One fact ----------------------------------------------------------------------------------------------------------


def test_set_returns_the_new_fact_and_the_superseded_one(harness: DeduplicationHarness) -> None:
    first = put(harness, "Berlin", tags=("Places",)).value
    assert (first.fact.content, first.fact.tags, first.superseded) == ("Berlin", ("places",), None)
    before = harness.state()
    changed = put(harness, "Paris")
    second = changed.value
    assert second.superseded == harness.get(first.fact.id)
    assert second.superseded.superseded_by == second.fact.id
    assert second.fact.attributes["supersedes"] == [first.fact.id]
    assert harness.do(harness.fact_reads.get(EVERYTHING, "home", "city")) == second.fact
    harness.undo(*changed.changes.history_ids)
    assert harness.state() == before
    assert harness.do(harness.fact_reads.get(EVERYTHING, "home", "city")).content == "Berlin"


def test_setting_the_same_value_counts_it(harness: DeduplicationHarness) -> None:
    first = put(harness, "Berlin").value.fact
    again = put(harness, " berlin").value
    assert (again.fact.id, again.fact.mention_count, again.superseded) == (first.id, 2, None)


def test_value_in_a_store_the_caller_does_not_see_stands_in_nobodys_way(harness: DeduplicationHarness) -> None:
    private = put(harness, "Berlin").value.fact
    shared = put(harness, "Paris", store="shared", stores=INNER).value
    assert shared.superseded is None
    assert harness.get(private.id) == private
    assert harness.do(harness.fact_reads.get(EVERYTHING.within(INNER), "home", "city")).content == "Paris"
    with pytest.raises(NotFoundError):
        harness.do(harness.fact_reads.get(EVERYTHING.within(("social",)), "home", "city"))
    with pytest.raises(AccessDeniedError):
        put(harness, "Rome", stores=INNER)
    everywhere = put(harness, "Rome").value
    assert harness.contents() == ["Rome"]
    assert everywhere.fact.attributes == {"supersedes": [private.id]}


def test_new_value_stays_in_the_store_of_the_old_one(harness: DeduplicationHarness) -> None:
    put(harness, "Paris", store="shared")
    assert put(harness, "Rome", keeps_store=True).value.fact.store == "shared"
    assert put(harness, "Oslo").value.fact.store == "private"


def test_correct_replaces_the_fact_and_links_both(harness: DeduplicationHarness) -> None:
    old = harness.fact("Rosa has 2 cats", tags=("pets",), people=("Rosa",), sources=(Source("message", "s#1"),))
    before = harness.state()
    changed = harness.do(harness.facts.correct(Access.everything("claude", "test"), old.id, "Rosa has 3 cats"))
    new, gone = changed.value.fact, changed.value.superseded
    assert gone is not None
    assert (new.content, new.tags, new.people, new.sources) == ("Rosa has 3 cats", ("pets",), ("Rosa",), old.sources)
    assert new.source == "claude"
    assert new.attributes["supersedes"] == [old.id]
    assert (gone.id, gone.superseded_by, gone.deleted_at is None) == (old.id, new.id, False)
    assert harness.contents() == ["Rosa has 3 cats"]
    harness.undo(*changed.changes.history_ids)
    assert harness.state() == before


def test_correct_to_what_another_fact_says_leaves_one(harness: DeduplicationHarness) -> None:
    wrong, right = harness.fact("Rosa has 2 cats"), harness.fact("Rosa has 3 cats")
    changed = harness.do(harness.facts.correct(EVERYTHING, wrong.id, "rosa has 3 cats"))
    assert changed.value.fact.id == right.id
    assert harness.get(wrong.id).superseded_by == right.id
    assert harness.contents() == ["Rosa has 3 cats"]


def test_confirm_makes_a_fact_certain_for_good(harness: DeduplicationHarness) -> None:
    fact = harness.fact("Rosa has 2 cats", confidence=0.4, decay_rate=0.1)
    before = harness.state()
    changed = harness.do(harness.facts.confirm(EVERYTHING, fact.id))
    assert (changed.value.confidence, changed.value.decay_rate) == (1.0, 0.0)
    assert harness.do(harness.undoing.history(EVERYTHING, fact.id))[0].event == "CONFIRM"
    assert harness.do(harness.facts.confirm(EVERYTHING, fact.id)).changes.history_ids == ()
    harness.undo(*changed.changes.history_ids)
    assert harness.state() == before


def test_forget_can_be_undone(harness: DeduplicationHarness) -> None:
    fact = harness.fact("Rosa has 2 cats")
    before = harness.state()
    changed = harness.do(harness.facts.forget(EVERYTHING, fact.id))
    assert harness.contents() == []
    harness.undo(*changed.changes.history_ids)
    assert harness.state() == before


def test_resolve_lowers_the_old_fact_and_names_it_superseded(harness: DeduplicationHarness) -> None:
    old, new = harness.fact("Rosa has 2 cats"), harness.fact("Rosa has 3 cats")
    before = harness.state()
    changed = harness.do(harness.facts.resolve(EVERYTHING, new.id, old.id))
    assert harness.get(old.id).confidence == 0.3
    assert harness.get(new.id).attributes["supersedes"] == [old.id]
    assert harness.get(old.id).deleted_at is None
    assert harness.do(harness.facts.resolve(EVERYTHING, new.id, old.id)).changes.history_ids == ()
    harness.undo(*changed.changes.history_ids)
    assert harness.state() == before


# Questions ---------------------------------------------------------------------------------------------------------


def test_facts_are_found_by_metadata_as_text(harness: DeduplicationHarness) -> None:
    attributes = {"topic": 'a"b\\ü', "count": 3, "flag": True, "nested": {"topic": "x"}, "": "empty"}
    fact = harness.fact("Rosa has cats", attributes=attributes)
    harness.fact("The sky is blue", attributes={"other": 'a"b\\ü'}, store="shared")

    def by(key: str, value: str, access: Access = EVERYTHING, **more: Any) -> list[str]:
        return [one.id for one in harness.do(harness.fact_reads.by_metadata(access, key, value, **more))]

    assert by("topic", 'a"b\\ü') == by("count", "3") == by("", "empty") == by("flag", "true") == [fact.id]
    assert by("topic", "x") == by("topic", 'A"B') == by("flag", "1") == by("topic", "%") == []
    assert by("topic", 'a"b\\ü', EVERYTHING.within(INNER)) == by("topic", 'a"b\\ü', limit=0) == []


def test_facts_are_listed_by_category_without_what_has_expired(harness: DeduplicationHarness) -> None:
    soon = harness.save("x").created_at + timedelta(seconds=1)
    put(harness, "Paris")
    put(harness, "Rosa", key="cat", expires_at=soon)
    put(harness, "Oslo", category="work", store="shared")
    assert [one.key for one in harness.do(harness.fact_reads.listed(EVERYTHING, "home"))] == ["cat", "city"]
    assert len(harness.do(harness.fact_reads.listed(EVERYTHING))) == 3
    assert [one.content for one in harness.do(harness.fact_reads.listed(EVERYTHING.within(INNER)))] == ["Oslo"]
    harness.clock.ms += 1_000
    assert [one.key for one in harness.do(harness.fact_reads.listed(EVERYTHING, "home"))] == ["city"]
    with pytest.raises(NotFoundError):
        harness.do(harness.fact_reads.get(EVERYTHING, "home", "cat"))


def test_conflicts_are_facts_on_the_same_matter(harness: DeduplicationHarness) -> None:
    near = harness.fact("Rosa lives in Berlin")
    harness.fact("The sky is blue")
    harness.fact("Rosa lives in Paris", store="shared")
    harness.save("Rosa lives in a note")
    requested = harness.fact_reads.conflicts(EVERYTHING.within(("private",)), "Rosa lives in Rome")
    assert [one.id for one in harness.do(requested)] == [near.id]
    assert harness.do(harness.fact_reads.conflicts(EVERYTHING.within(("private",)), "rosa LIVES in Berlin")) == []
    hybrid = type(harness.fact_reads)(harness.store, harness.finder, harness.clock, FixedCandidates("note-x", near.id))
    assert [one.id for one in harness.do(hybrid.conflicts(EVERYTHING, "Domicile: Rome"))] == [near.id]


def test_a_word_in_common_is_no_conflict(harness: DeduplicationHarness) -> None:
    harness.fact("The old car in the garage needs four new tyres")
    harness.fact("The wifi password is on the fridge")
    assert (
        harness.do(
            harness.fact_reads.conflicts(EVERYTHING, "Quantum computers of the laboratory needs cooling at night")
        )
        == []
    )


def test_a_search_without_hits_means_no_conflicts(harness: DeduplicationHarness) -> None:
    harness.fact("Rosa lives in Berlin")
    reads = type(harness.fact_reads)(harness.store, harness.finder, harness.clock, FixedCandidates())
    assert harness.do(reads.conflicts(EVERYTHING, "Rosa lives in Rome")) == []


# Batches -----------------------------------------------------------------------------------------------------------


def test_batch_is_deduplicated_in_itself_and_against_the_vault_as_one_run(harness: DeduplicationHarness) -> None:
    known = harness.fact("Rosa waters the tomatoes in the garden")
    before = harness.state()
    texts = [
        "Likes tea",
        "Rosa waters tomatoes in the garden",
        "likes  TEA",
        "Has a dog",
        "rosa waters the tomatoes in the garden",
    ]
    changed = harness.do(harness.batches().write(EVERYTHING, [draft_of(text) for text in texts]))
    written = changed.value.written
    assert [one.outcome for one in written] == ["ADD", "NONE", "EXACT_DUP", "ADD", "EXACT_DUP"]
    assert [one.matched for one in written] == ["", known.id, written[0].memory.id, "", known.id]
    assert harness.get(written[0].memory.id).mention_count == 1
    runs = harness.rows("SELECT DISTINCT run_id FROM memory_history WHERE id > 1")
    assert runs == [(changed.value.run_id,)]
    harness.do(harness.runs.undo(EVERYTHING.within(STORES), changed.value.run_id))
    assert harness.state() == before


def test_batch_with_something_bad_stores_nothing_and_says_which(harness: DeduplicationHarness) -> None:
    drafts = [draft_of(f"fact number {number}") for number in range(25)] + [draft_of(" ")]
    with pytest.raises(InputError, match="nothing to store") as caught:
        harness.do(harness.batches().write(EVERYTHING, drafts))
    assert caught.value.data["item"] == 25
    with pytest.raises(AccessDeniedError):
        harness.do(harness.batches().write(EVERYTHING.within(INNER), [draft_of("x")]))
    with pytest.raises(InputError, match="At most"):
        harness.do(harness.batches().write(EVERYTHING, [draft_of("x")] * (MAX_BATCH + 1)))
    assert harness.contents() == []


def test_batch_of_many_transactions_keeps_the_order(harness: DeduplicationHarness) -> None:
    words = [f"unlike{number} other{number}" for number in range(25)]
    done = harness.do(
        harness.batches().write(Access.everything("person", "test", "run-mine"), [draft_of(word) for word in words])
    )
    assert [one.memory.content for one in done.value.written] == words
    assert done.value.run_id == "run-mine"
    assert len(done.changes.history_ids) == 25


def test_batch_asks_the_reconciler(harness: DeduplicationHarness) -> None:
    harness.fact("Rosa waters the tomatoes every morning")
    script = ScriptedReconciler('{"action": "DELETE", "index": 0}')
    done = harness.do(
        harness.batches(script).write(
            EVERYTHING, [draft_of("Rosa waters the tomatoes on Sundays"), draft_of("Likes tea")]
        )
    )
    assert [one.outcome for one in done.value.written] == ["DELETE", "ADD"]
    assert harness.contents() == ["Rosa waters the tomatoes on Sundays", "Likes tea"]


# Reflections and expiry ----------------------------------------------------------------------------------------------


def test_reflection_never_fades_and_tells_its_sources(harness: DeduplicationHarness) -> None:
    assert harness.do(harness.reflections.latest(EVERYTHING)) is None
    fact, shared = harness.fact("Rosa likes tea"), harness.fact("The sky is blue", store="shared")
    drawn_from = [Source("memory", one) for one in (fact.id, shared.id, "note-gone")]
    sources = (*drawn_from, Source("message", "s#1"))
    draft = NewMemory("You like it quiet.", tags=("Mood",), sources=sources, decay_rate=0.5, store="shared")
    saved = harness.do(harness.reflections.save(EVERYTHING, draft)).value
    assert (saved.kind, saved.decay_rate, saved.tags) == ("reflection", 0.0, ("weekly", "mood"))
    assert harness.do(harness.reflections.latest(EVERYTHING)) == saved
    reported = harness.do(harness.reflections.sources(EVERYTHING, saved.id))
    assert {(one.id, one.text) for one in reported} == {
        (fact.id, "Rosa likes tea"),
        (shared.id, "The sky is blue"),
        ("note-gone", ""),
        ("s#1", ""),
    }
    assert [one.id for one in harness.do(harness.reflections.sources(EVERYTHING.within(INNER), saved.id))] == [
        shared.id
    ]
    assert harness.do(harness.reflections.latest(EVERYTHING.within(INNER))) == replace(saved, sources=())
    assert harness.do(harness.reflections.latest(EVERYTHING.within(("social",)))) is None
    with pytest.raises(NotFoundError):
        harness.do(harness.reflections.sources(EVERYTHING.within(("social",)), saved.id))


def test_change_by_who_does_not_see_the_sources_keeps_them(harness: DeduplicationHarness) -> None:
    made = harness.fact("Rosa likes tea", store="shared", sources=(Source("message", "s#1"),))
    entry = harness.do(harness.service.pin(EVERYTHING.within(INNER), made.id)).changes.history_ids[0]
    assert harness.get(made.id).sources == made.sources
    harness.undo(entry)


def test_expired_memories_are_set_aside_told_and_stay_when_brought_back(harness: DeduplicationHarness) -> None:
    soon = harness.save("x").created_at + timedelta(seconds=10)
    made = [harness.fact(f"one{number} two{number}", expires_at=soon) for number in range(60)]
    assert harness.do(harness.expiry.expire()) == ()
    harness.clock.ms += 10_000
    assert set(harness.do(harness.expiry.expire("run-1"))) == {one.id for one in made}
    assert harness.contents() == ["x"]
    (change,) = harness.reported
    assert change.actor == "expiry"
    assert {"memories", "index"} <= change.areas
    assert harness.rows("SELECT count(*) FROM chunk_texts WHERE text LIKE 'one%'") == [(0,)]
    harness.undo(change.history_ids[0])
    assert len(harness.contents()) == 2
    assert harness.do(harness.expiry.expire()) == ()
