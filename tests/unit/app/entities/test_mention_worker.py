"""The background reading finds names in what is new, forgets them with what is forgotten, and survives a rebuild."""

import asyncio
import logging
from functools import partial

import pytest

from app.core.tokens import estimate_tokens
from app.entities import mention_worker, ner_backlog
from app.entities.mention_worker import ACTOR, known_names, read_names
from app.entities.ner.strategy import NerStrategy, fast_strategy
from tests.helpers.sample_data import NAUGHTY
from tests.unit.app.entities.conftest import Desk


def test_turns_and_memories_are_read_once_and_everybody_is_told(desk: Desk) -> None:
    desk.say("Alice Jones lives in Berlin.", author="Maria")
    desk.say("You are Bob.", role="system")
    desk.note("Mail bob@example.org about #garden.", title="Paris")
    desk.read_all()
    assert desk.names() == {
        "Alice Jones": 1,
        "Berlin": 1,
        "Maria": 1,
        "bob@example.org": 1,
        "#garden": 1,
        "Paris": 1,
    }
    assert [change.actor for change in desk.told] == [ACTOR]
    assert desk.told[0].areas == {"entities"}
    desk.read_all()
    assert len(desk.told) == 1
    assert desk.rows("SELECT count(*) FROM pending_mentions") == [(0,)]


def test_a_changed_note_is_read_again(desk: Desk) -> None:
    note = desk.note("Alice Jones lives in Berlin.")
    desk.read_all()
    desk.do(desk.memories.update(note.id, 1, content="Alice Jones lives in Paris."))
    assert desk.names() == {}
    desk.read_all()
    assert desk.names() == {"Alice Jones": 1, "Paris": 1}
    desk.do(desk.memories.update(note.id, 2, tags=["x"]))
    assert desk.names() == {"Alice Jones": 1, "Paris": 1}


def test_a_note_that_changes_while_it_is_read_waits_for_the_next_time(desk: Desk) -> None:
    note = desk.note("Alice Jones lives in Berlin.")
    batch = desk.do(desk.store.read(partial(ner_backlog.next_batch, limit=10)))
    assert batch is not None
    found = read_names(fast_strategy(), desk.do(desk.store.read(known_names)), batch.readings)
    desk.do(desk.memories.update(note.id, 1, content="Nobody."))
    assert desk.write(partial(ner_backlog.record, batch=batch, found=found, now_ms=1)) == 0
    assert desk.rows("SELECT owner_id FROM pending_mentions") == [(note.id,)]
    desk.read_all()
    assert desk.names() == {}


def test_what_is_deleted_or_forgotten_is_named_nowhere_and_comes_back(desk: Desk) -> None:
    note = desk.note("Alice Jones lives in Berlin.")
    desk.say("Bob lives in Paris.", session="a")
    desk.say("Bob lives in Rome.", session="a#b")
    desk.read_all()
    before = desk.names()
    forgotten = desk.do(desk.sessions.forget("a", "person")).changes
    deleted = desk.do(desk.memories.delete(note.id)).changes
    assert desk.names() == {"Bob": 1, "Rome": 1}
    desk.read_all()
    assert desk.rows("SELECT count(*) FROM entities") == [(2,)]
    desk.undo(forgotten)
    desk.undo(deleted)
    desk.read_all()
    assert desk.names() == before


def test_turns_of_a_session_forgotten_while_they_are_read_are_passed_over(desk: Desk) -> None:
    desk.say("Bob lives in Paris.")
    batch = desk.do(desk.store.read(partial(ner_backlog.next_batch, limit=10)))
    assert batch is not None
    found = read_names(fast_strategy(), desk.do(desk.store.read(known_names)), batch.readings)
    desk.do(desk.sessions.forget("s", "person"))
    assert desk.write(partial(ner_backlog.record, batch=batch, found=found, now_ms=1)) == 0
    desk.read_all()
    assert desk.names() == {}


def test_a_long_session_comes_back_in_steps(desk: Desk) -> None:
    desk.say(*["Bob lives in Paris."] * 250)
    desk.read_all()
    forgotten = desk.do(desk.sessions.forget("s", "person")).changes
    desk.undo(forgotten)
    desk.read_all()
    assert desk.names() == {"Bob": 250, "Paris": 250}


def test_rows_that_are_used_again_after_a_deletion_are_read(desk: Desk) -> None:
    desk.say("Bob lives in Paris.", "Bob lives in Rome.")
    desk.read_all()
    desk.write(lambda connection: connection.execute("DELETE FROM messages").get)
    assert desk.names() == {}
    desk.say("Alice Jones is here.", session="t")
    desk.read_all()
    assert desk.names() == {"Alice Jones": 1}


def test_a_rebuild_keeps_what_a_person_decided(desk: Desk) -> None:
    desk.say("Bob lives in Paris.", "Robert Smith lives in Paris.")
    desk.read_all()
    bob, robert = desk.id("Bob"), desk.id("Robert Smith")
    desk.do(desk.service.merge([bob], robert))
    desk.do(desk.service.rename(robert, "Bobby"))
    desk.do(desk.service.protect(desk.id("Paris")))
    before = desk.picture()
    desk.do(desk.sync.start_over())
    desk.read_all()
    assert desk.picture() == before
    desk.write(
        lambda connection: connection.execute("UPDATE meta SET value = 'old' WHERE key = ?", (ner_backlog.RULES,)).get
    )
    desk.sync._begun = False
    desk.read_all()
    assert desk.picture() == before


def test_names_people_care_about_are_found_in_small_letters(desk: Desk) -> None:
    desk.say("Zorbulon gave Bob a book.", author="Quillon")
    desk.read_all()
    assert "Zorbulon" not in desk.names()
    desk.say("Dr. Zorbulon agrees.")
    desk.read_all()
    desk.do(desk.service.protect(desk.id("Zorbulon")))
    desk.say("a letter from zorbulon came")
    desk.read_all()
    assert desk.names()["Zorbulon"] == 2


def test_private_things_stay_private_when_the_store_changes(desk: Desk) -> None:
    note = desk.note("Alice Jones lives in Berlin.", store="social")
    desk.read_all()
    assert set(desk.names(("social",))) == {"Alice Jones", "Berlin"}
    desk.do(desk.memories.update(note.id, 1, store="private"))
    assert desk.names(("shared", "social")) == {}


@pytest.mark.parametrize("text", NAUGHTY)
def test_any_text_can_be_read(desk: Desk, text: str) -> None:
    desk.say(f"{text} Bob", author=text)
    desk.note(f"{text} Bob", title=text[:50])
    desk.read_all()
    assert estimate_tokens(text) >= 0
    assert desk.rows("SELECT count(*) FROM pending_mentions") == [(0,)]


def test_a_bug_in_a_provider_shows_and_leaves_nobody_waiting(desk: Desk, caplog: pytest.LogCaptureFixture) -> None:
    class Broken:
        name = "broken"

        def extract(self, text: str, known: object) -> list[object]:
            raise ZeroDivisionError

    desk.sync._strategy = NerStrategy("broken", (Broken(),))  # type: ignore[arg-type]
    desk.say("Bob")

    async def work() -> None:
        desk.sync.wake()
        task = asyncio.create_task(desk.sync.run())
        await desk.sync.wait_idle()
        await asyncio.gather(task, return_exceptions=True)
        desk.sync.wake()
        await asyncio.wait_for(desk.sync.wait_idle(), 10)

    caplog.set_level(logging.CRITICAL, "app.entities.mention_worker")
    desk.do(work())
    assert "ZeroDivisionError" in desk.sync.failure


def test_what_was_decided_and_undone_can_be_done_again_after_nothing_names_it_any_more(desk: Desk) -> None:
    note = desk.note("Bob lives in Paris.")
    desk.read_all()
    bob = desk.id("Bob")
    renamed = desk.do(desk.service.rename(bob, "Robert")).changes
    undone = desk.undo(renamed)
    desk.do(desk.memories.delete(note.id))
    desk.read_all()
    assert desk.names() == {}
    desk.undo(undone)
    assert desk.get(bob).name == "Robert"
    assert desk.rows("SELECT count(*) FROM entities WHERE name_key = 'paris'") == [(0,)]


def test_it_rests_as_long_as_it_reads_not_as_long_as_it_waited(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    passed = [0.0]
    monkeypatch.setattr(mention_worker.time, "perf_counter", lambda: passed[0])

    async def after_an_hour() -> None:
        passed[0] += 3_600

    desk.sync._ready = after_an_hour
    desk.say("Bob lives in Paris.")

    async def work() -> None:
        desk.sync.wake()
        task = asyncio.create_task(desk.sync.run())
        try:
            await asyncio.wait_for(desk.sync.wait_idle(), 30)
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    desk.do(work())
    assert desk.names() == {"Bob": 1, "Paris": 1}
