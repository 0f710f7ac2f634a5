"""Generation builder: new vectors replace the active ones only when all are complete."""

import asyncio
import threading
from typing import Any

import apsw
import pytest

from app.changes import ChangeSet, Progress
from app.errors import ModelUnavailableError
from app.index import rebuild, repo
from app.index.generations import generation_repo
from app.index.vectors.vector_repo import Generation
from app.sessions.model import NewMessage
from app.sessions.service import NewSession
from app.upkeep.checks.repair import vectors
from tests.helpers.guards.unexpected_logs import AllowLogs
from tests.unit.app.index.index_harness import DAY_MS, CountedEmbedder, IndexHarness, cancel_at, change

# Where something is wrong -------------------------------------------------------------------------------------------


def test_a_new_model_that_cannot_be_opened_changes_nothing(harness: IndexHarness) -> None:
    harness.wanted = "new"
    harness.gone = {"new"}
    harness.start()
    harness.run()
    assert harness.served() == "old"
    assert harness.finds("turn 7")
    assert harness.builder.failure == "There is no new."
    assert harness.generations.note == "There is no new. Until then the vectors made so far answer searches."
    assert harness.states() == [("old", "serving", 100)]
    harness.gone = set()
    harness.run()
    assert harness.builder.failure == harness.generations.note == ""
    assert harness.states() == [("old", "retired", 100), ("new", "serving", 100)]


def test_a_new_model_that_fails_goes_on_later_where_it_was(harness: IndexHarness) -> None:
    harness.wanted = "new"
    harness.start()
    new = harness.embedders["new"]
    calls = iter(range(100))

    def fail_third() -> None:
        new.fails = "The model is out." if next(calls) == 3 else None

    new.before = fail_third
    harness.run(lambda: asyncio.sleep(0))
    assert harness.builder.failure == "The model is out."
    assert harness.finds("turn 7")
    assert harness.states() == [("old", "serving", 100), ("new", "building", 48)]
    assert [event.state for event in harness.events if isinstance(event, Progress)][-1] == "failed"
    harness.run()
    assert harness.states() == [("old", "retired", 100), ("new", "serving", 100)]
    assert new.texts == 100


def test_an_old_model_that_is_gone_makes_room_at_once(harness: IndexHarness) -> None:
    harness.wanted = "new"
    harness.gone = {"old"}
    harness.start()
    harness.run()
    assert harness.states() == [("old", "retired", 100), ("new", "serving", 100)]
    assert harness.generations.note == "The vectors so far cannot be used any more and are made anew: There is no old."


def test_neither_model_is_there(harness: IndexHarness) -> None:
    harness.wanted = "new"
    harness.gone = {"old", "new"}
    harness.start()
    harness.vault_harness.say("one more")
    harness.run()
    assert harness.sync.failure == "There is no new."
    assert harness.states() == [("old", "serving", 100)]
    with pytest.raises(ModelUnavailableError, match=r"There is no new\."):
        harness.served()


def test_a_model_of_the_same_name_that_is_another_one(harness: IndexHarness) -> None:
    harness.embedders["old"] = CountedEmbedder("old, newly trained")
    harness.start()
    harness.vault_harness.say("one more")
    harness.run()
    assert "not the same model as before" in harness.generations.note
    assert [state for _, state, _ in harness.states()] == ["retired", "serving"]
    assert harness.finds("turn 7")


def test_a_bug_shows_and_leaves_nobody_waiting(harness: IndexHarness, allow_logs: AllowLogs) -> None:
    allow_logs("building vectors broke")
    harness.embedders["new"].fails = ZeroDivisionError("a bug")
    harness.wanted = "new"
    harness.start()
    harness.run()
    assert "error in Keepsake" in harness.builder.failure
    assert harness.finds("turn 7")


def test_what_a_repair_forgot_is_made_anew(harness: IndexHarness) -> None:
    def forget(connection: apsw.Connection) -> None:
        connection.execute("DROP TABLE vectors_1")
        vectors(connection)

    harness.vault_harness.do(harness.vault_harness.store.write(forget))
    harness.vault_harness.say("one more")
    harness.run()
    harness.run()
    assert harness.finds("one more")
    harness.vault_harness.do(harness.vault_harness.store.write(rebuild.clear))
    harness.vault_harness.say("another")
    harness.run()
    assert harness.finds("another")


# Building -----------------------------------------------------------------------------------------------------------


def test_the_old_one_answers_until_all_is_there(harness: IndexHarness) -> None:
    seen: list[tuple[str, int]] = []
    new = harness.embedders["new"]

    def look() -> None:
        if harness.generations._serving is not None:
            seen.append((harness.generations._serving.embedder.identity.model, new.texts))

    new.before = look
    harness.run(change(harness, "new"))
    assert {name for name, _ in seen} == {"old"}
    assert [made for _, made in seen] == [*range(0, 100, 16)]
    assert harness.states() == [("old", "retired", 100), ("new", "serving", 100)]
    assert harness.finds("turn 7")
    assert harness.vault_harness.wrong_vectors() == []
    assert harness.vault_harness.check() == []
    assert next(event for event in harness.events if isinstance(event, ChangeSet)).areas == {"index"}
    last = [event for event in harness.events if isinstance(event, Progress)][-1]
    assert (last.job, last.state, last.done, last.total) == ("embedding", "finished", 100, 100)


def test_the_quick_look_up_changes_with_the_vectors(harness: IndexHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.index.generations.active_ann_cache.MIN_VECTORS", 10)
    harness.vault_harness.say("one more")
    harness.run()
    warm = harness.sync.active_ann_cache.prepare

    async def late(generation: Generation) -> None:
        await warm(generation)
        await harness.vault_harness.sessions.append(
            [NewMessage("user", "said late")], "t", NewSession(), "person", owner=None
        )

    monkeypatch.setattr(harness.sync.active_ann_cache, "prepare", late)
    harness.run(change(harness, "new"))
    serving = harness.vault_harness.do(harness.generations.serving())
    ann_cache = harness.sync.ann_cache()
    assert ann_cache is not None
    for text in ("turn 7", "one more", "said late"):
        found = ann_cache.nearest(serving.generation, serving.embedder.embed_query(text).tobytes(), 1)
        assert found is not None
        assert harness.vault_harness.rows("SELECT text FROM chunk_texts WHERE id = ?", int(found[0][0])) == [(text,)]


def test_what_is_said_and_unsaid_meanwhile(harness: IndexHarness) -> None:
    new = harness.embedders["new"]
    reported = False

    def say() -> None:
        nonlocal reported
        if new.texts > 40 and not reported:
            reported = True
            talking.set()

    async def talk() -> None:
        await asyncio.to_thread(talking.wait, 30)
        await harness.vault_harness.sessions.append(
            [NewMessage("user", "said meanwhile")], "t", NewSession(), "person", owner=None
        )
        await harness.vault_harness.sessions.append(
            [NewMessage("user", "and more")], "t", NewSession(), "person", owner=None
        )
        harness.sync.wake()

    talking = threading.Event()
    new.before = say
    harness.run(change(harness, "new"), talk)
    assert harness.served() == "new"
    assert harness.finds("said meanwhile")
    assert harness.vault_harness.wrong_vectors() == []
    assert harness.vault_harness.check() == []
    # Back again, the old one knows them too: they went to both.
    assert harness.states() == [("old", "retired", 102), ("new", "serving", 102)]
    harness.vault_harness.forget("s")
    harness.vault_harness.do(
        harness.vault_harness.store.write(lambda connection: repo.delete_of_session(connection, "s"))
    )
    assert [count for *_, count in harness.states()] == [2, 2]


def test_pausing_keeps_what_is_there_over_a_restart(harness: IndexHarness) -> None:
    new = harness.embedders["new"]
    cancel_at(harness, "new", 32)
    harness.run(change(harness, "new"))
    assert harness.states() == [("old", "serving", 100), ("new", "building", 48)]
    assert [event.state for event in harness.events if isinstance(event, Progress)][-1] == "cancelled"
    new.before = lambda: None
    harness.start()
    harness.run()
    assert harness.states() == [("old", "serving", 100), ("new", "building", 48)]
    harness.vault_harness.do(
        harness.vault_harness.store.write(lambda connection: generation_repo.pause(connection, is_paused=False))
    )
    harness.start()
    harness.run()
    assert harness.states() == [("old", "retired", 100), ("new", "serving", 100)]
    assert new.texts == 100


def test_ending_the_program_does_not_pause(harness: IndexHarness) -> None:
    new = harness.embedders["new"]

    async def end() -> None:
        while new.texts < 32:
            await asyncio.sleep(0)
        harness.jobs.cancel_all()
        raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        harness.run(change(harness, "new"), end)
    assert not harness.vault_harness.do(harness.vault_harness.store.read(generation_repo.is_paused))


def test_choosing_a_third_and_the_first_again(harness: IndexHarness) -> None:
    cancel_at(harness, "new", 32)
    harness.run(change(harness, "new"))
    assert harness.states()[1] == ("new", "building", 48)
    harness.vault_harness.do(
        harness.vault_harness.store.write(lambda connection: generation_repo.pause(connection, is_paused=False))
    )
    cancel_at(harness, "other", 0)
    harness.run(change(harness, "other"))
    assert harness.states() == [("old", "serving", 100), ("new", "retired", 48), ("other", "building", 16)]
    harness.vault_harness.do(
        harness.vault_harness.store.write(lambda connection: generation_repo.pause(connection, is_paused=False))
    )
    harness.run(change(harness, "old"))
    assert [state for _, state, _ in harness.states()] == ["serving", "retired", "retired"]
    assert harness.finds("turn 7")
    # What never served is nothing to go back to.
    former = harness.vault_harness.do(
        harness.vault_harness.store.read(
            lambda c: generation_repo.previous_generation(c, harness.vault_harness.clock.ms)
        )
    )
    assert former is None


# The way back -------------------------------------------------------------------------------------------------------


def test_the_way_back_is_open_for_a_week(harness: IndexHarness) -> None:
    harness.run(change(harness, "new"))
    harness.vault_harness.say("said later")

    def former() -> Any:
        return harness.vault_harness.do(
            harness.vault_harness.store.read(
                lambda c: generation_repo.previous_generation(c, harness.vault_harness.clock.ms)
            )
        )

    harness.vault_harness.clock.ms += 6 * DAY_MS
    row = former()
    old = harness.embedders["old"]
    old.texts = 0
    harness.wanted = "old"
    harness.run(lambda: harness.generations.roll_back(row, old))
    assert old.texts == 1
    assert harness.finds("said later")
    assert harness.states() == [("old", "serving", 101), ("new", "retired", 100)]
    assert harness.vault_harness.check() == []
    harness.vault_harness.clock.ms += 7 * DAY_MS
    assert former() is None
    harness.builder.wake()
    harness.run()
    assert harness.states() == [("old", "serving", 101)]
    assert harness.vault_harness.rows("SELECT count(*) FROM pragma_table_list WHERE name LIKE 'vectors_2%'") == [(0,)]
    assert harness.vault_harness.check() == []
