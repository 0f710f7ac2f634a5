"""Facts: set, corrected, confirmed, forgotten, settled, found by name and metadata; stored in batches; reflections."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from app.errors import AccessDeniedError, InputError, NotFoundError
from app.memories.deduplication.batch import MAX_BATCH
from app.memories.fact_service import draft_of
from app.memories.model import NewMemory, Source
from tests.unit.app.memories.deduplication_harness import DeduplicationHarness, FixedCandidates, ScriptedReconciler

INNER = ("shared", "social")


@pytest.fixture
def desk(vault: Path) -> Iterator[DeduplicationHarness]:
    made = DeduplicationHarness(vault)
    yield made
    made.close()


def put(desk: DeduplicationHarness, value: str, category: str = "home", key: str = "city", **more: Any) -> Any:
    asked = {name: more.pop(name) for name in ("stores", "keeps_store") if name in more}
    return desk.do(desk.facts.set(draft_of(value, category=category, key=key, **more), **asked))


# Bad input ---------------------------------------------------------------------------------------------------------


def test_set_without_a_key_is_refused(desk: DeduplicationHarness) -> None:
    with pytest.raises(InputError, match="needs a key"):
        put(desk, "Berlin", key=" ")


def test_only_active_facts_that_the_caller_sees_are_changed(desk: DeduplicationHarness) -> None:
    note = desk.save("a note")
    fact, gone = desk.fact("Rosa likes tea"), desk.fact("The sky is blue")
    desk.do(desk.facts.forget(gone.id))
    for one, stores in ((note.id, ("private",)), (gone.id, ("private",)), (fact.id, INNER), ("fact-x", ("private",))):
        for work in (
            desk.facts.correct(one, "other", stores=stores),
            desk.facts.confirm(one, stores=stores),
            desk.facts.forget(one, stores=stores),
            desk.facts.resolve(one, fact.id + "x", stores=stores),
        ):
            with pytest.raises(NotFoundError):
                desk.do(work)
    with pytest.raises(InputError, match="itself"):
        desk.do(desk.facts.resolve(fact.id, fact.id))
    with pytest.raises(InputError, match="says that already"):
        desk.do(desk.facts.correct(fact.id, " rosa LIKES tea"))
    with pytest.raises(InputError, match="nothing to store"):
        desk.do(desk.facts.correct(fact.id, " "))
    assert desk.get(fact.id) == fact


# One fact ----------------------------------------------------------------------------------------------------------


def test_set_returns_the_new_fact_and_the_superseded_one(desk: DeduplicationHarness) -> None:
    first = put(desk, "Berlin", tags=("Places",)).value
    assert (first.fact.content, first.fact.tags, first.superseded) == ("Berlin", ("places",), None)
    before = desk.state()
    changed = put(desk, "Paris")
    second = changed.value
    assert second.superseded == desk.get(first.fact.id)
    assert second.superseded.superseded_by == second.fact.id
    assert second.fact.attributes["supersedes"] == [first.fact.id]
    assert desk.do(desk.fact_reads.get("home", "city")) == second.fact
    desk.undo(*changed.changes.history_ids)
    assert desk.state() == before
    assert desk.do(desk.fact_reads.get("home", "city")).content == "Berlin"


def test_setting_the_same_value_counts_it(desk: DeduplicationHarness) -> None:
    first = put(desk, "Berlin").value.fact
    again = put(desk, " berlin").value
    assert (again.fact.id, again.fact.mention_count, again.superseded) == (first.id, 2, None)


def test_value_in_a_store_the_caller_does_not_see_stands_in_nobodys_way(desk: DeduplicationHarness) -> None:
    private = put(desk, "Berlin").value.fact
    shared = put(desk, "Paris", store="shared", stores=INNER).value
    assert shared.superseded is None
    assert desk.get(private.id) == private
    assert desk.do(desk.fact_reads.get("home", "city", stores=INNER)).content == "Paris"
    with pytest.raises(NotFoundError):
        desk.do(desk.fact_reads.get("home", "city", stores=("social",)))
    with pytest.raises(AccessDeniedError):
        put(desk, "Rome", stores=INNER)
    everywhere = put(desk, "Rome").value
    assert desk.contents() == ["Rome"]
    assert everywhere.fact.attributes == {"supersedes": [private.id]}


def test_new_value_stays_in_the_store_of_the_old_one(desk: DeduplicationHarness) -> None:
    put(desk, "Paris", store="shared")
    assert put(desk, "Rome", keeps_store=True).value.fact.store == "shared"
    assert put(desk, "Oslo").value.fact.store == "private"


def test_correct_replaces_the_fact_and_links_both(desk: DeduplicationHarness) -> None:
    old = desk.fact("Rosa has 2 cats", tags=("pets",), people=("Rosa",), sources=(Source("message", "s#1"),))
    before = desk.state()
    changed = desk.do(desk.facts.correct(old.id, "Rosa has 3 cats", actor="claude"))
    new, gone = changed.value.fact, changed.value.superseded
    assert gone is not None
    assert (new.content, new.tags, new.people, new.sources) == ("Rosa has 3 cats", ("pets",), ("Rosa",), old.sources)
    assert new.source == "claude"
    assert new.attributes["supersedes"] == [old.id]
    assert (gone.id, gone.superseded_by, gone.deleted_at is None) == (old.id, new.id, False)
    assert desk.contents() == ["Rosa has 3 cats"]
    desk.undo(*changed.changes.history_ids)
    assert desk.state() == before


def test_correct_to_what_another_fact_says_leaves_one(desk: DeduplicationHarness) -> None:
    wrong, right = desk.fact("Rosa has 2 cats"), desk.fact("Rosa has 3 cats")
    changed = desk.do(desk.facts.correct(wrong.id, "rosa has 3 cats"))
    assert changed.value.fact.id == right.id
    assert desk.get(wrong.id).superseded_by == right.id
    assert desk.contents() == ["Rosa has 3 cats"]


def test_confirm_makes_a_fact_certain_for_good(desk: DeduplicationHarness) -> None:
    fact = desk.fact("Rosa has 2 cats", confidence=0.4, decay_rate=0.1)
    before = desk.state()
    changed = desk.do(desk.facts.confirm(fact.id))
    assert (changed.value.confidence, changed.value.decay_rate) == (1.0, 0.0)
    assert desk.do(desk.undoing.history(fact.id))[0].event == "CONFIRM"
    assert desk.do(desk.facts.confirm(fact.id)).changes.history_ids == ()
    desk.undo(*changed.changes.history_ids)
    assert desk.state() == before


def test_forget_can_be_undone(desk: DeduplicationHarness) -> None:
    fact = desk.fact("Rosa has 2 cats")
    before = desk.state()
    changed = desk.do(desk.facts.forget(fact.id))
    assert desk.contents() == []
    desk.undo(*changed.changes.history_ids)
    assert desk.state() == before


def test_resolve_lowers_the_old_fact_and_names_it_superseded(desk: DeduplicationHarness) -> None:
    old, new = desk.fact("Rosa has 2 cats"), desk.fact("Rosa has 3 cats")
    before = desk.state()
    changed = desk.do(desk.facts.resolve(new.id, old.id))
    assert desk.get(old.id).confidence == 0.3
    assert desk.get(new.id).attributes["supersedes"] == [old.id]
    assert desk.get(old.id).deleted_at is None
    assert desk.do(desk.facts.resolve(new.id, old.id)).changes.history_ids == ()
    desk.undo(*changed.changes.history_ids)
    assert desk.state() == before


# Questions ---------------------------------------------------------------------------------------------------------


def test_facts_are_found_by_metadata_as_text(desk: DeduplicationHarness) -> None:
    attributes = {"topic": 'a"b\\ü', "count": 3, "flag": True, "nested": {"topic": "x"}, "": "empty"}
    fact = desk.fact("Rosa has cats", attributes=attributes)
    desk.fact("The sky is blue", attributes={"other": 'a"b\\ü'}, store="shared")

    def by(key: str, value: str, **more: Any) -> list[str]:
        return [one.id for one in desk.do(desk.fact_reads.by_metadata(key, value, **more))]

    assert by("topic", 'a"b\\ü') == by("count", "3") == by("", "empty") == by("flag", "true") == [fact.id]
    assert by("topic", "x") == by("topic", 'A"B') == by("flag", "1") == by("topic", "%") == []
    assert by("topic", 'a"b\\ü', stores=INNER) == by("topic", 'a"b\\ü', limit=0) == []


def test_facts_are_listed_by_category_without_what_has_expired(desk: DeduplicationHarness) -> None:
    soon = desk.save("x").created_at + timedelta(seconds=1)
    put(desk, "Paris")
    put(desk, "Rosa", key="cat", expires_at=soon)
    put(desk, "Oslo", category="work", store="shared")
    assert [one.key for one in desk.do(desk.fact_reads.listed("home"))] == ["cat", "city"]
    assert len(desk.do(desk.fact_reads.listed())) == 3
    assert [one.content for one in desk.do(desk.fact_reads.listed(stores=INNER))] == ["Oslo"]
    desk.clock.ms += 1_000
    assert [one.key for one in desk.do(desk.fact_reads.listed("home"))] == ["city"]
    with pytest.raises(NotFoundError):
        desk.do(desk.fact_reads.get("home", "cat"))


def test_conflicts_are_facts_on_the_same_matter(desk: DeduplicationHarness) -> None:
    near = desk.fact("Rosa lives in Berlin")
    desk.fact("The sky is blue")
    desk.fact("Rosa lives in Paris", store="shared")
    desk.save("Rosa lives in a note")
    asked = desk.fact_reads.conflicts("Rosa lives in Rome", stores=("private",))
    assert [one.id for one in desk.do(asked)] == [near.id]
    assert desk.do(desk.fact_reads.conflicts("rosa LIVES in Berlin", stores=("private",))) == []
    hybrid = type(desk.fact_reads)(desk.store, desk.finder, desk.clock, FixedCandidates("note-x", near.id))
    assert [one.id for one in desk.do(hybrid.conflicts("Domicile: Rome"))] == [near.id]


# Batches -----------------------------------------------------------------------------------------------------------


def test_batch_is_deduplicated_in_itself_and_against_the_vault_as_one_run(desk: DeduplicationHarness) -> None:
    known = desk.fact("Rosa waters the tomatoes in the garden")
    before = desk.state()
    texts = [
        "Likes tea",
        "Rosa waters tomatoes in the garden",
        "likes  TEA",
        "Has a dog",
        "rosa waters the tomatoes in the garden",
    ]
    changed = desk.do(desk.batches().write([draft_of(text) for text in texts]))
    written = changed.value.written
    assert [one.outcome for one in written] == ["ADD", "NONE", "EXACT_DUP", "ADD", "EXACT_DUP"]
    assert [one.matched for one in written] == ["", known.id, written[0].memory.id, "", known.id]
    assert desk.get(written[0].memory.id).mention_count == 1
    runs = desk.rows("SELECT DISTINCT run_id FROM memory_history WHERE id > 1")
    assert runs == [(changed.value.run_id,)]
    desk.do(desk.undoing.undo_run(changed.value.run_id))
    assert desk.state() == before


def test_batch_with_something_bad_stores_nothing_and_says_which(desk: DeduplicationHarness) -> None:
    drafts = [draft_of(f"fact number {number}") for number in range(25)] + [draft_of(" ")]
    with pytest.raises(InputError, match="nothing to store") as caught:
        desk.do(desk.batches().write(drafts))
    assert caught.value.data["item"] == 25
    with pytest.raises(AccessDeniedError):
        desk.do(desk.batches().write([draft_of("x")], stores=INNER))
    with pytest.raises(InputError, match="At most"):
        desk.do(desk.batches().write([draft_of("x")] * (MAX_BATCH + 1)))
    assert desk.contents() == []


def test_batch_of_many_transactions_keeps_the_order(desk: DeduplicationHarness) -> None:
    words = [f"unlike{number} other{number}" for number in range(25)]
    done = desk.do(desk.batches().write([draft_of(word) for word in words], run_id="run-mine"))
    assert [one.memory.content for one in done.value.written] == words
    assert done.value.run_id == "run-mine"
    assert len(done.changes.history_ids) == 25


def test_batch_asks_the_reconciler(desk: DeduplicationHarness) -> None:
    desk.fact("Rosa waters the tomatoes every morning")
    script = ScriptedReconciler('{"action": "DELETE", "index": 0}')
    done = desk.do(desk.batches(script).write([draft_of("Rosa waters the tomatoes on Sundays"), draft_of("Likes tea")]))
    assert [one.outcome for one in done.value.written] == ["DELETE", "ADD"]
    assert desk.contents() == ["Rosa waters the tomatoes on Sundays", "Likes tea"]


# Reflections and expiry ----------------------------------------------------------------------------------------------


def test_reflection_never_fades_and_tells_its_sources(desk: DeduplicationHarness) -> None:
    assert desk.do(desk.reflections.latest()) is None
    fact, shared = desk.fact("Rosa likes tea"), desk.fact("The sky is blue", store="shared")
    drawn_from = [Source("memory", one) for one in (fact.id, shared.id, "note-gone")]
    sources = (*drawn_from, Source("message", "s#1"))
    draft = NewMemory("You like it quiet.", tags=("Mood",), sources=sources, decay_rate=0.5, store="shared")
    saved = desk.do(desk.reflections.save(draft)).value
    assert (saved.kind, saved.decay_rate, saved.tags) == ("reflection", 0.0, ("weekly", "mood"))
    assert desk.do(desk.reflections.latest()) == saved
    told = desk.do(desk.reflections.sources(saved.id))
    assert {(one.id, one.text) for one in told} == {
        (fact.id, "Rosa likes tea"),
        (shared.id, "The sky is blue"),
        ("note-gone", ""),
        ("s#1", ""),
    }
    assert [one.id for one in desk.do(desk.reflections.sources(saved.id, stores=INNER))] == [shared.id]
    assert desk.do(desk.reflections.latest(stores=INNER)) == replace(saved, sources=())
    assert desk.do(desk.reflections.latest(stores=("social",))) is None
    with pytest.raises(NotFoundError):
        desk.do(desk.reflections.sources(saved.id, stores=("social",)))


def test_change_by_who_does_not_see_the_sources_keeps_them(desk: DeduplicationHarness) -> None:
    made = desk.fact("Rosa likes tea", store="shared", sources=(Source("message", "s#1"),))
    entry = desk.do(desk.service.pin(made.id, stores=INNER)).changes.history_ids[0]
    assert desk.get(made.id).sources == made.sources
    desk.undo(entry)


def test_expired_memories_are_set_aside_told_and_stay_when_brought_back(desk: DeduplicationHarness) -> None:
    soon = desk.save("x").created_at + timedelta(seconds=10)
    made = [desk.fact(f"one{number} two{number}", expires_at=soon) for number in range(60)]
    assert desk.do(desk.expiry.expire()) == ()
    desk.clock.ms += 10_000
    assert set(desk.do(desk.expiry.expire("run-1"))) == {one.id for one in made}
    assert desk.contents() == ["x"]
    (change,) = desk.told
    assert change.actor == "expiry"
    assert {"memories", "index"} <= change.areas
    assert desk.rows("SELECT count(*) FROM chunks WHERE text LIKE 'one%'") == [(0,)]
    desk.undo(change.history_ids[0])
    assert len(desk.contents()) == 2
    assert desk.do(desk.expiry.expire()) == ()
