"""Vectors of another model are made while the old ones answer, and take their place at once, all of them."""

import asyncio
import threading
from typing import Any

import apsw
import pytest

from app.changes import ChangeSet, Progress
from app.errors import ModelUnavailableError
from app.index import rebuild
from app.index.generations import generation_repo
from app.index.vectors.vector_repo import Generation
from app.sessions.model import NewMessage
from app.sessions.service import NewSession
from app.upkeep.repair import vectors
from tests.helpers.unexpected_logs import AllowLogs
from tests.unit.app.index.bench import DAY_MS, Bench, CountedEmbedder, cancel_at, change

# Where something is wrong -------------------------------------------------------------------------------------------


def test_a_new_model_that_cannot_be_opened_changes_nothing(bench: Bench) -> None:
    bench.wanted = "new"
    bench.gone = {"new"}
    bench.start()
    bench.run()
    assert bench.served() == "old"
    assert bench.finds("turn 7")
    assert bench.builder.failure == "There is no new."
    assert bench.generations.note == "There is no new. Until then the vectors made so far answer searches."
    assert bench.states() == [("old", "serving", 100)]
    bench.gone = set()
    bench.run()
    assert bench.builder.failure == bench.generations.note == ""
    assert bench.states() == [("old", "retired", 100), ("new", "serving", 100)]


def test_a_new_model_that_fails_goes_on_later_where_it_was(bench: Bench) -> None:
    bench.wanted = "new"
    bench.start()
    new = bench.embedders["new"]
    calls = iter(range(100))

    def fail_third() -> None:
        new.fails = "The model is out." if next(calls) == 3 else None

    new.before = fail_third
    bench.run(lambda: asyncio.sleep(0))
    assert bench.builder.failure == "The model is out."
    assert bench.finds("turn 7")
    assert bench.states() == [("old", "serving", 100), ("new", "building", 48)]
    assert [event.state for event in bench.events if isinstance(event, Progress)][-1] == "failed"
    bench.run()
    assert bench.states() == [("old", "retired", 100), ("new", "serving", 100)]
    assert new.texts == 100


def test_an_old_model_that_is_gone_makes_room_at_once(bench: Bench) -> None:
    bench.wanted = "new"
    bench.gone = {"old"}
    bench.start()
    bench.run()
    assert bench.states() == [("old", "retired", 100), ("new", "serving", 100)]
    assert bench.generations.note == "The vectors so far cannot be used any more and are made anew: There is no old."


def test_neither_model_is_there(bench: Bench) -> None:
    bench.wanted = "new"
    bench.gone = {"old", "new"}
    bench.start()
    bench.shelf.say("one more")
    bench.run()
    assert bench.sync.failure == "There is no new."
    assert bench.states() == [("old", "serving", 100)]
    with pytest.raises(ModelUnavailableError, match=r"There is no new\."):
        bench.served()


def test_a_model_of_the_same_name_that_is_another_one(bench: Bench) -> None:
    bench.embedders["old"] = CountedEmbedder("old, newly trained")
    bench.start()
    bench.shelf.say("one more")
    bench.run()
    assert "another one than before" in bench.generations.note
    assert [state for _, state, _ in bench.states()] == ["retired", "serving"]
    assert bench.finds("turn 7")


def test_a_bug_shows_and_leaves_nobody_waiting(bench: Bench, allow_logs: AllowLogs) -> None:
    allow_logs("building vectors broke")
    bench.embedders["new"].fails = ZeroDivisionError("a bug")
    bench.wanted = "new"
    bench.start()
    bench.run()
    assert "error in Keepsake" in bench.builder.failure
    assert bench.finds("turn 7")


def test_what_a_repair_forgot_is_made_anew(bench: Bench) -> None:
    def forget(connection: apsw.Connection) -> None:
        connection.execute("DROP TABLE vectors_1")
        vectors(connection)

    bench.shelf.do(bench.shelf.store.write(forget))
    bench.shelf.say("one more")
    bench.run()
    bench.run()
    assert bench.finds("one more")
    bench.shelf.do(bench.shelf.store.write(rebuild.clear))
    bench.shelf.say("another")
    bench.run()
    assert bench.finds("another")


# Building -----------------------------------------------------------------------------------------------------------


def test_the_old_one_answers_until_all_is_there(bench: Bench) -> None:
    seen: list[tuple[str, int]] = []
    new = bench.embedders["new"]

    def look() -> None:
        if bench.generations._serving is not None:
            seen.append((bench.generations._serving.embedder.identity.model, new.texts))

    new.before = look
    bench.run(change(bench, "new"))
    assert {name for name, _ in seen} == {"old"}
    assert [made for _, made in seen] == [*range(0, 100, 16)]
    assert bench.states() == [("old", "retired", 100), ("new", "serving", 100)]
    assert bench.finds("turn 7")
    assert bench.shelf.wrong_vectors() == []
    assert bench.shelf.check() == []
    assert next(event for event in bench.events if isinstance(event, ChangeSet)).areas == {"index"}
    last = [event for event in bench.events if isinstance(event, Progress)][-1]
    assert (last.job, last.state, last.done, last.total) == ("embedding", "finished", 100, 100)


def test_the_quick_look_up_changes_with_the_vectors(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.index.worker.ANN_MIN_VECTORS", 10)
    bench.shelf.say("one more")
    bench.run()
    warm = bench.sync.warm

    async def late(generation: Generation) -> None:
        await warm(generation)
        await bench.shelf.sessions.append([NewMessage("user", "said late")], "t", NewSession(), "person")

    monkeypatch.setattr(bench.sync, "warm", late)
    bench.run(change(bench, "new"))
    serving = bench.shelf.do(bench.generations.serving())
    near = bench.sync.near()
    assert near is not None
    for text in ("turn 7", "one more", "said late"):
        found = near.nearest(serving.generation, serving.embedder.embed_query(text).tobytes(), 1)
        assert found is not None
        assert bench.shelf.rows("SELECT text FROM chunks WHERE id = ?", int(found[0][0])) == [(text,)]


def test_what_is_said_and_unsaid_meanwhile(bench: Bench) -> None:
    new = bench.embedders["new"]
    told = False

    def say() -> None:
        nonlocal told
        if new.texts > 40 and not told:
            told = True
            talking.set()

    async def talk() -> None:
        await asyncio.to_thread(talking.wait, 30)
        await bench.shelf.sessions.append([NewMessage("user", "said meanwhile")], "t", NewSession(), "person")
        await bench.shelf.sessions.append([NewMessage("user", "and more")], "t", NewSession(), "person")
        bench.sync.wake()

    talking = threading.Event()
    new.before = say
    bench.run(change(bench, "new"), talk)
    assert bench.served() == "new"
    assert bench.finds("said meanwhile")
    assert bench.shelf.wrong_vectors() == []
    assert bench.shelf.check() == []
    # Back again, the old one knows them too: they went to both.
    assert bench.states() == [("old", "retired", 102), ("new", "serving", 102)]
    bench.shelf.forget("s")
    assert [count for *_, count in bench.states()] == [2, 2]


def test_pausing_keeps_what_is_there_over_a_restart(bench: Bench) -> None:
    new = bench.embedders["new"]
    cancel_at(bench, "new", 32)
    bench.run(change(bench, "new"))
    assert bench.states() == [("old", "serving", 100), ("new", "building", 48)]
    assert [event.state for event in bench.events if isinstance(event, Progress)][-1] == "cancelled"
    new.before = lambda: None
    bench.start()
    bench.run()
    assert bench.states() == [("old", "serving", 100), ("new", "building", 48)]
    bench.shelf.do(bench.shelf.store.write(lambda connection: generation_repo.pause(connection, is_paused=False)))
    bench.start()
    bench.run()
    assert bench.states() == [("old", "retired", 100), ("new", "serving", 100)]
    assert new.texts == 100


def test_ending_the_program_does_not_pause(bench: Bench) -> None:
    new = bench.embedders["new"]

    async def end() -> None:
        while new.texts < 32:
            await asyncio.sleep(0)
        bench.jobs.cancel_all()
        raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        bench.run(change(bench, "new"), end)
    assert not bench.shelf.do(bench.shelf.store.read(generation_repo.is_paused))


def test_choosing_a_third_and_the_first_again(bench: Bench) -> None:
    cancel_at(bench, "new", 32)
    bench.run(change(bench, "new"))
    assert bench.states()[1] == ("new", "building", 48)
    bench.shelf.do(bench.shelf.store.write(lambda connection: generation_repo.pause(connection, is_paused=False)))
    cancel_at(bench, "other", 0)
    bench.run(change(bench, "other"))
    assert bench.states() == [("old", "serving", 100), ("new", "retired", 48), ("other", "building", 16)]
    bench.shelf.do(bench.shelf.store.write(lambda connection: generation_repo.pause(connection, is_paused=False)))
    bench.run(change(bench, "old"))
    assert [state for _, state, _ in bench.states()] == ["serving", "retired", "retired"]
    assert bench.finds("turn 7")
    # What never served is nothing to go back to.
    former = bench.shelf.do(
        bench.shelf.store.read(lambda c: generation_repo.previous_generation(c, bench.shelf.clock.ms))
    )
    assert former is None


# The way back -------------------------------------------------------------------------------------------------------


def test_the_way_back_is_open_for_a_week(bench: Bench) -> None:
    bench.run(change(bench, "new"))
    bench.shelf.say("said later")

    def former() -> Any:
        return bench.shelf.do(
            bench.shelf.store.read(lambda c: generation_repo.previous_generation(c, bench.shelf.clock.ms))
        )

    bench.shelf.clock.ms += 6 * DAY_MS
    row = former()
    old = bench.embedders["old"]
    old.texts = 0
    bench.wanted = "old"
    bench.run(lambda: bench.generations.return_to(row, old))
    assert old.texts == 1
    assert bench.finds("said later")
    assert bench.states() == [("old", "serving", 101), ("new", "retired", 100)]
    assert bench.shelf.check() == []
    bench.shelf.clock.ms += 7 * DAY_MS
    assert former() is None
    bench.builder.wake()
    bench.run()
    assert bench.states() == [("old", "serving", 101)]
    assert bench.shelf.rows("SELECT count(*) FROM pragma_table_list WHERE name LIKE 'vectors_2%'") == [(0,)]
    assert bench.shelf.check() == []
