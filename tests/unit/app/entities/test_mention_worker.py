"""The background reading finds names in what is new, forgets them with what is forgotten, and survives a rebuild."""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import apsw
import pytest

from app.core.stores import STORES, StoreName
from app.core.text_rules.token_estimate import estimate_tokens
from app.entities import mention_worker, ner_backlog
from app.entities.linking import Linker
from app.entities.mention_worker import ACTOR, known_names, read_names
from app.entities.ner.strategy import NerStrategy, fast_strategy
from app.knowledge_graph.model import GraphEntity, GraphRelation
from app.knowledge_graph.service import KnowledgeGraphService
from app.sessions.model import NewMessage
from app.sessions.service import NewSession
from tests.helpers.access import EVERYTHING
from tests.helpers.sample_data import NAUGHTY
from tests.unit.app.entities.conftest import EntityHarness


def test_turns_and_memories_are_read_once_and_changes_are_published(harness: EntityHarness) -> None:
    harness.say("Alice Jones lives in Berlin.", author="Maria")
    harness.say("You are Bob.", role="system")
    harness.note("Mail bob@example.org about #garden.", title="Paris")
    harness.read_all()
    assert harness.names() == {
        "Alice Jones": 1,
        "Berlin": 1,
        "Maria": 1,
        "#garden": 1,
        "Paris": 1,
    }
    assert [change.actor for change in harness.published] == [ACTOR]
    assert harness.published[0].areas == {"entities"}
    harness.read_all()
    assert len(harness.published) == 1
    assert harness.rows("SELECT count(*) FROM pending_mentions") == [(0,)]


def test_a_changed_note_is_read_again(harness: EntityHarness) -> None:
    note = harness.note("Alice Jones lives in Berlin.")
    harness.read_all()
    harness.do(harness.memories.update(EVERYTHING, note.id, 1, content="Alice Jones lives in Paris."))
    assert harness.names() == {}
    harness.read_all()
    assert harness.names() == {"Alice Jones": 1, "Paris": 1}
    harness.do(harness.memories.update(EVERYTHING, note.id, 2, tags=["x"]))
    assert harness.names() == {"Alice Jones": 1, "Paris": 1}


def test_a_note_that_changes_while_it_is_read_waits_for_the_next_time(harness: EntityHarness) -> None:
    note = harness.note("Alice Jones lives in Berlin.")
    batch = harness.do(harness.store.read(partial(ner_backlog.next_batch, limit=10)))
    assert batch is not None
    found = read_names(
        fast_strategy(), harness.do(harness.store.read(partial(known_names, frequent={}))), batch.readings
    )
    harness.do(harness.memories.update(EVERYTHING, note.id, 1, content="Nobody."))
    assert harness.write(partial(ner_backlog.record, batch=batch, found=found, now_ms=1)) == 0
    assert harness.rows("SELECT owner_id FROM pending_mentions") == [(note.id,)]
    harness.read_all()
    assert harness.names() == {}


def test_what_is_deleted_or_forgotten_is_named_nowhere_and_comes_back(harness: EntityHarness) -> None:
    note = harness.note("Alice Jones lives in Berlin.")
    harness.say("Bob lives in Paris.", session="a")
    harness.say("Bob lives in Rome.", session="a#b")
    harness.read_all()
    before = harness.names()
    forgotten = harness.do(harness.sessions.forget("a", "person")).changes
    deleted = harness.do(harness.memories.delete(EVERYTHING, note.id)).changes
    assert harness.names() == {"Bob": 1, "Rome": 1}
    harness.read_all()
    assert harness.rows("SELECT count(*) FROM entities") == [(2,)]
    harness.undo(forgotten)
    harness.undo(deleted)
    harness.read_all()
    assert harness.names() == before


def test_turns_of_a_session_forgotten_while_they_are_read_are_passed_over(harness: EntityHarness) -> None:
    harness.say("Bob lives in Paris.")
    batch = harness.do(harness.store.read(partial(ner_backlog.next_batch, limit=10)))
    assert batch is not None
    found = read_names(
        fast_strategy(), harness.do(harness.store.read(partial(known_names, frequent={}))), batch.readings
    )
    harness.do(harness.sessions.forget("s", "person"))
    assert harness.write(partial(ner_backlog.record, batch=batch, found=found, now_ms=1)) == 0
    harness.read_all()
    assert harness.names() == {}


def test_a_long_session_comes_back_in_steps(harness: EntityHarness) -> None:
    harness.say(*["Bob lives in Paris."] * 250)
    harness.read_all()
    forgotten = harness.do(harness.sessions.forget("s", "person")).changes
    harness.undo(forgotten)
    harness.read_all()
    assert harness.names() == {"Bob": 250, "Paris": 250}


def test_rows_that_are_used_again_after_a_deletion_are_read(harness: EntityHarness) -> None:
    harness.say("Bob lives in Paris.", "Bob lives in Rome.")
    harness.read_all()
    harness.write(lambda connection: connection.execute("DELETE FROM messages").get)
    assert harness.names() == {}
    harness.say("Alice Jones is here.", session="t")
    harness.read_all()
    assert harness.names() == {"Alice Jones": 1}


def test_a_rebuild_keeps_what_a_person_decided(harness: EntityHarness) -> None:
    harness.say("Bob lives in Paris.", "Robert Smith lives in Paris.")
    harness.read_all()
    bob, robert = harness.id("Bob"), harness.id("Robert Smith")
    harness.do(harness.service.merge([bob], robert, actor="person"))
    harness.do(harness.service.rename(robert, "Bobby", actor="person"))
    harness.do(harness.service.protect(harness.id("Paris"), actor="person"))
    before = harness.picture()
    harness.do(harness.sync.start_over())
    harness.read_all()
    assert harness.picture() == before
    harness.write(
        lambda connection: connection.execute("UPDATE meta SET value = 'old' WHERE key = ?", (ner_backlog.RULES,)).get
    )
    harness.sync._begun = False
    harness.read_all()
    assert harness.picture() == before


def test_names_people_care_about_are_found_in_small_letters(harness: EntityHarness) -> None:
    harness.say("Zorbulon gave Bob a book.", author="Quillon")
    harness.read_all()
    assert "Zorbulon" not in harness.names()
    harness.say("Dr. Zorbulon agrees.")
    harness.read_all()
    harness.do(harness.service.protect(harness.id("Zorbulon"), actor="person"))
    harness.say("a letter from zorbulon came")
    harness.read_all()
    assert harness.names()["Zorbulon"] == 2


def test_private_things_stay_private_when_the_store_changes(harness: EntityHarness) -> None:
    note = harness.note("Alice Jones lives in Berlin.", store="social")
    harness.read_all()
    assert set(harness.names(("social",))) == {"Alice Jones", "Berlin"}
    harness.do(harness.memories.update(EVERYTHING, note.id, 1, store="private"))
    assert harness.names(("shared", "social")) == {}


@pytest.mark.parametrize("text", NAUGHTY)
def test_any_text_can_be_read(harness: EntityHarness, text: str) -> None:
    harness.say(f"{text} Bob", author=text)
    harness.note(f"{text} Bob", title=text[:50])
    harness.read_all()
    assert estimate_tokens(text) >= 0
    assert harness.rows("SELECT count(*) FROM pending_mentions") == [(0,)]


def test_a_bug_in_a_provider_shows_and_leaves_no_caller_waiting(
    harness: EntityHarness, caplog: pytest.LogCaptureFixture
) -> None:
    class Broken:
        name = "broken"

        def extract(self, text: str, known: object) -> list[object]:
            raise ZeroDivisionError

    harness.sync._strategy = NerStrategy("broken", (Broken(),))  # type: ignore[arg-type]
    harness.say("Bob")

    async def work() -> None:
        harness.sync.wake()
        task = asyncio.create_task(harness.sync.run())
        await harness.sync.wait_idle()
        await asyncio.gather(task, return_exceptions=True)
        harness.sync.wake()
        await asyncio.wait_for(harness.sync.wait_idle(), 10)

    caplog.set_level(logging.CRITICAL, "app.entities.mention_worker")
    harness.do(work())
    assert "ZeroDivisionError" in harness.sync.failure


def test_what_was_decided_and_undone_can_be_done_again_after_nothing_names_it_any_more(harness: EntityHarness) -> None:
    note = harness.note("Bob lives in Paris.")
    harness.read_all()
    bob = harness.id("Bob")
    renamed = harness.do(harness.service.rename(bob, "Robert", actor="person")).changes
    undone = harness.undo(renamed)
    harness.do(harness.memories.delete(EVERYTHING, note.id))
    harness.read_all()
    assert harness.names() == {}
    harness.undo(undone)
    assert harness.get(bob).name == "Robert"
    assert harness.rows("SELECT count(*) FROM entities WHERE name_key = 'paris'") == [(0,)]


def test_it_rests_as_long_as_it_reads_not_as_long_as_it_waited(
    harness: EntityHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    passed = [0.0]
    monkeypatch.setattr(mention_worker.time, "perf_counter", lambda: passed[0])

    async def after_an_hour() -> None:
        passed[0] += 3_600

    harness.sync._ready = after_an_hour
    harness.say("Bob lives in Paris.")

    async def work() -> None:
        harness.sync.wake()
        task = asyncio.create_task(harness.sync.run())
        try:
            await asyncio.wait_for(harness.sync.wait_idle(), 30)
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    harness.do(work())
    assert harness.names() == {"Bob": 1, "Paris": 1}


def test_addresses_are_found_again_where_something_was_decided_or_stated_about_them(harness: EntityHarness) -> None:
    harness.note("Bob Jones came. Mail bob@ferrous.io, see https://wiki.ferrous.io/team. ann@ferrous.io, x@ferrous.io.")
    harness.note("Ask BOB@ferrous.io or www.ferrous.io.")
    harness.read_all()

    def earlier(connection: apsw.Connection) -> dict[str, str]:
        linker = Linker(connection, 1)
        return {
            name: linker.link(name, "email" if "@" in name else "url")
            for name in ("bob@ferrous.io", "https://wiki.ferrous.io/team", "ann@ferrous.io", "www.ferrous.io")
        }

    ids, bob = harness.write(earlier), harness.id("Bob Jones")
    harness.do(harness.service.merge([ids["bob@ferrous.io"]], bob, actor="person"))
    harness.do(harness.service.rename(ids["https://wiki.ferrous.io/team"], "Team wiki", actor="person"))
    harness.do(harness.service.relate(bob, "knows", ids["ann@ferrous.io"], actor="person"))
    harness.do(harness.service.protect(ids["www.ferrous.io"], actor="person"))
    harness.do(harness.sync.start_over())
    harness.read_all()
    assert harness.names() == {"Bob Jones": 3, "Team wiki": 1, "ann@ferrous.io": 1, "www.ferrous.io": 1}


@pytest.mark.parametrize("hidden", ["shared", "social"])
def test_how_often_other_texts_say_a_name_decides_nothing_about_private_ones(
    harness: EntityHarness, hidden: str
) -> None:
    def small() -> list[tuple[str, float]]:
        sql = "SELECT owner_id, confidence FROM mentions WHERE owner_id = 'note-small' AND start > 0"
        return [(str(owner), float(confidence)) for owner, confidence in harness.rows(sql)]

    for number in range(6):
        harness.note(f"Letter {number} was written by Clara Weber.", store=hidden)
    harness.note("Yesterday Clara Weber came by.", store="private")
    harness.note("I think that clara weber is ill.", store="private", id="note-small")
    harness.read_all()
    harness.do(harness.sync.start_over())
    harness.read_all()
    assert small() == []
    for number in range(2):
        harness.note(f"Day {number}: Clara Weber called.", store="private")
    harness.read_all()
    harness.do(harness.sync.start_over())
    harness.read_all()
    assert [owner for owner, _ in small()] == ["note-small"]


def test_what_is_known_by_hidden_statements_is_found_for_full_trust_alone(harness: EntityHarness) -> None:
    graph = KnowledgeGraphService(harness.store, harness.memories, harness.clock)
    private, shared = (EVERYTHING.within(stores) for stores in (("private",), ("shared",)))
    hidden = [GraphRelation("Quillon", "ann@ferrous.io", "guards")]
    harness.do(graph.create_relations(replace(shared, actor="other"), hidden, "shared"))
    harness.do(graph.create_entities(shared, [GraphEntity("Brackmoor", "place")], "shared"))
    harness.do(graph.create_entities(private, [GraphEntity("Tessaly", "place")], "private"))
    for store in ("private", "shared"):
        harness.note("they went to quillon, brackmoor and tessaly, says ann@ferrous.io", store=store)
    harness.say("Bob Jones lives in Paris.")
    harness.read_all()
    bob, paris = harness.id("Bob Jones"), harness.id("Paris")
    harness.do(harness.service.relate(bob, "writes from", paris, actor="person"))
    harness.say("then bob jones went to quillon.")
    harness.read_all()
    assert harness.names(("private",)) == {"Bob Jones": 1, "Paris": 1, "tessaly": 1}
    assert harness.names(("shared",)) == {"brackmoor": 1}
    known = {"Quillon": 3, "Brackmoor": 2, "Tessaly": 2, "ann@ferrous.io": 2, "Bob Jones": 2, "Paris": 1}
    assert harness.names() == known


def seen_by(harness: EntityHarness, *stores: StoreName) -> dict[str, list[tuple[str, str]]]:
    """Return what a caller who may read some stores is told that each memory mentions, as name and type."""
    access = EVERYTHING.within(stores)
    return {
        str(owner): [(one.name, one.type) for one in harness.do(harness.reads.of(access, str(owner)))]
        for (owner,) in harness.rows("SELECT id FROM memories ORDER BY id")
    }


_DECISIONS: dict[str, Callable[[EntityHarness, str], object]] = {
    "rename": lambda harness, entity: harness.do(harness.service.rename(entity, "Doe House", actor="person")),
    "type": lambda harness, entity: harness.do(
        harness.service.rename(entity, "Vortexa", kind="project", summary="Ours", actor="person")
    ),
    "protect": lambda harness, entity: harness.do(harness.service.protect(entity, actor="person")),
    "merge": lambda harness, entity: harness.do(
        harness.service.merge([entity], harness.id("Bob Jones"), actor="person")
    ),
    "split": lambda harness, entity: harness.do(
        harness.service.split(entity, owners=[("memory", "note-far")], name="Another", actor="person")
    ),
}


@pytest.mark.parametrize("decision", _DECISIONS)
@pytest.mark.parametrize("stores", [("private",), ("private", "shared"), ("shared",)])
def test_what_a_person_decides_tells_nothing_to_who_may_not_read_every_store(
    harness: EntityHarness, stores: tuple[StoreName, ...], decision: str
) -> None:
    harness.note("Mr. Vortexa came with Bob Jones.", store="social", id="note-far")
    harness.note("Mr. Vortexa lives in Paris.", store="shared", id="note-near")
    for store in ("private", "shared"):
        harness.note("they went to vortexa, VORTEXA and the company Vortexa", store=store, id=f"note-{store}")
    harness.say("a letter for vortexa", author="vortexa")
    harness.read_all()
    before, found = seen_by(harness, *stores), harness.names(stores)
    _DECISIONS[decision](harness, harness.id("Vortexa"))
    harness.do(harness.sync.start_over())
    harness.read_all()
    assert (seen_by(harness, *stores), harness.names(stores)) == (before, found)


def test_who_reads_every_store_finds_what_was_decided_where_others_find_another_name(harness: EntityHarness) -> None:
    harness.note("Acme GmbH called.", store="private", id="note-first")
    harness.read_all()
    harness.do(harness.service.rename(harness.id("Acme GmbH"), "Vortexa Street", actor="person"))
    for store in STORES:
        harness.note("They live in Vortexa Street, not on vortexa street.", store=store, id=f"note-{store}")
    harness.read_all()
    for store in STORES:
        whole, narrowed = (seen_by(harness, *stores)[f"note-{store}"] for stores in (STORES, (store,)))
        assert whole == [("Vortexa Street", "organization")] * 2
        assert narrowed == [("Vortexa Street", "location")]
    assert harness.names() == {"Vortexa Street": 7}
    assert harness.rows("SELECT count(*) FROM entities WHERE merged_into IS NULL") == [(1,)]


def test_a_memory_that_moves_to_another_store_is_read_by_what_is_known_there(harness: EntityHarness) -> None:
    graph = KnowledgeGraphService(harness.store, harness.memories, harness.clock)
    for store, name in (("private", "Tessaly"), ("shared", "Brackmoor")):
        access = EVERYTHING.within((store,))  # type: ignore[arg-type]
        harness.do(graph.create_entities(access, [GraphEntity(name, "place")], store))  # type: ignore[arg-type]
    hidden = [GraphRelation("Quillon", "ann@ferrous.io", "guards")]
    harness.do(graph.create_relations(replace(EVERYTHING.within(("shared",)), actor="other"), hidden, "shared"))
    note = harness.note("they went to quillon, brackmoor and tessaly, says ann@ferrous.io", store="private")
    harness.read_all()
    assert harness.names(("private",)) == {"tessaly": 1}
    harness.do(harness.memories.update(EVERYTHING, note.id, 1, store="shared"))
    harness.read_all()
    assert harness.names(("shared",)) == {"brackmoor": 1}
    assert harness.names(("private",)) == {}


def test_people_of_a_memory_are_mentioned_once_beside_its_text(harness: EntityHarness) -> None:
    note = harness.note("The kiln was lit with Alice Jones.", people=("Alice Jones", "ndeye o."))
    harness.note("Nobody came.", people=("alice jones",))
    harness.read_all()
    assert harness.names() == {"Alice Jones": 2, "ndeye o.": 1}
    assert harness.rows("SELECT start, provider FROM mentions WHERE surface = 'person:ndeye o.'") == [(-1, "stated")]
    harness.do(harness.memories.delete(EVERYTHING, note.id))
    harness.read_all()
    assert harness.names() == {"Alice Jones": 1}


def test_a_project_is_mentioned_by_its_memories_and_the_first_messages_of_its_conversations(
    harness: EntityHarness,
) -> None:
    heading = NewSession(attributes={"project": "alice/garden"})
    messages = [NewMessage("system", "You are Bob."), NewMessage("user", "Water the beds."), NewMessage("user", "Yes.")]
    harness.do(harness.sessions.append(messages, "s", heading, "person", owner=None))
    harness.note("Beds are wet.", attributes={"project": "alice/garden"})
    for odd in (["alice/garden"], {"a": 1}, 7, None, ""):
        harness.note("Odd.", attributes={"project": odd})
    harness.read_all()
    assert harness.names() == {"alice/garden": 2}
    owners = harness.rows("SELECT owner_kind, substr(owner_id, 1, 3), surface FROM mentions ORDER BY 1")
    assert owners == [("memory", "not", "project:alice/garden"), ("message", "s#1", "project:alice/garden")]
    assert harness.rows("SELECT type FROM entities") == [("project",)]
