"""Which vectors answer: change, wait, switch, way back, and what happens when something is wrong on the way."""

import asyncio
import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import apsw
import pytest

from app.errors import DiskFullError, InputError, ModelUnavailableError, NotFoundError, VaultLockedError
from app.index.generations import generation_repo
from app.index.generations.active import ActiveEmbedding, without_folder
from app.retrieval.model import Found
from app.retrieval.service import NO_MEANING, SearchService
from app.sessions.model import NewMessage
from app.sessions.service import NewSession
from app.trace.trace import Trace
from tests.helpers.disks import SmallDisk
from tests.unit.app.index.bench import DAY_MS, Bench, CountedEmbedder, Step, cancel_at, change
from tests.unit.app.shelf import Shelf

if TYPE_CHECKING:
    from app.embed.model import Embedder


def say(bench: Bench, *texts: str) -> Step:
    """Return a step in which something is said."""

    async def step() -> None:
        messages = [NewMessage("user", text) for text in texts]
        await bench.shelf.sessions.append(messages, "s", NewSession(), "person")
        bench.sync.wake()

    return step


def built(bench: Bench) -> Step:
    """Return a step that waits until nothing is left to build."""

    async def step() -> None:
        await bench.sync.wait_idle()
        await bench.builder.wait_idle()

    return step


def let_serve(bench: Bench) -> Step:
    async def step() -> None:
        await bench.shelf.store.write(generation_repo.allow_activation)
        bench.builder.wake()

    return step


def search(bench: Bench, text: str, **asked: Any) -> Found:
    async def work() -> Found:
        service = SearchService(bench.shelf.store, bench.sync, Trace(), bench.shelf.clock)
        return await service.search(text, **asked)

    return bench.shelf.do(work())


def beside(bench: Bench, number: int, then: Callable[[ActiveEmbedding], Any] = lambda _: None) -> Any:
    """Do something with vectors that do not serve."""

    async def work() -> Any:
        async with bench.generations.beside(number) as serving:
            found = then(serving)
            return await found if asyncio.iscoroutine(found) else found

    return bench.shelf.do(work())


def write(bench: Bench, work: Callable[[apsw.Connection], Any]) -> Any:
    return bench.shelf.do(bench.shelf.store.write(work))


# Where something is wrong -------------------------------------------------------------------------------------------


def test_a_question_that_cannot_be_embedded_is_answered_by_words_and_says_so(bench: Bench) -> None:
    assert search(bench, "turn 7").notes == ()
    bench.embedders["old"].fails = "The model is out."
    found = search(bench, "turn 7")
    assert found.hits[0].snippet == "turn 7"
    assert (found.legs, found.notes) == (("words",), (f"{NO_MEANING}The model is out.",))
    bench.embedders["old"].fails = None
    assert search(bench, "turn 7").notes == ()


def test_a_model_that_is_gone_is_answered_for_by_words(bench: Bench) -> None:
    bench.gone = {"old"}
    bench.start()
    found = search(bench, "turn 7")
    assert found.hits[0].snippet == "turn 7"
    assert found.notes == (f"{NO_MEANING}There is no old.",)


@pytest.fixture
def small(small_disk: SmallDisk) -> Iterator[Bench]:
    """Return a bench on a disk that little more goes on."""
    place = small_disk(24) / "vault"
    place.mkdir(mode=0o700)
    shelf = Shelf(place)
    shelf.say(*[f"turn {number}" for number in range(100)])
    made = Bench(shelf)
    made.start()
    made.run()
    yield made
    shelf.close()


def fill(bench: Bench) -> Path:
    """Leave no room on the disk, nor in the log beside the database; return what takes it."""
    with contextlib.closing(apsw.Connection(str(bench.shelf.store.vault / "memory.db"))) as other:
        other.set_busy_timeout(10_000)
        assert other.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall() == [(0, 0, 0)]
    ballast = bench.shelf.store.vault / "ballast"
    with ballast.open("ab", buffering=0) as file:
        for size in (1 << 20, 1 << 12, 1):
            with contextlib.suppress(OSError):
                while file.write(b"\0" * size):
                    pass
    return ballast


def test_a_full_disk_stops_the_building_and_what_is_there_stays(small: Bench) -> None:
    new = small.embedders["new"]
    ballast: list[Path] = []

    def at_third() -> None:
        if new.texts == 32 and not ballast:
            ballast.append(fill(small))

    new.before = at_third
    small.run(change(small, "new"))
    assert small.builder.failure.startswith("The disk is full.")
    assert small.states()[1][:2] == ("new", "building")
    made = small.states()[1][2]
    assert made < 100
    assert small.served() == "old"
    assert small.finds("turn 7")
    ballast[0].unlink()
    new.texts = 0
    small.start()
    small.run()
    assert small.builder.failure == ""
    assert small.states() == [("old", "retired", 100), ("new", "serving", 100)]
    assert new.texts == 100 - made
    assert small.shelf.wrong_vectors() == []
    assert small.shelf.check() == []


def test_a_full_disk_refuses_another_model_before_anything_is_changed(small: Bench) -> None:
    ballast = fill(small)
    with pytest.raises(DiskFullError):
        small.shelf.do(change(small, "new")())
    assert small.states() == [("old", "serving", 100)]
    assert small.finds("turn 7")
    ballast.unlink()
    small.run(change(small, "new"))
    assert small.states() == [("old", "retired", 100), ("new", "serving", 100)]


def test_a_database_that_another_program_holds_is_built_in_later(bench: Bench) -> None:
    new = bench.embedders["new"]
    other = apsw.Connection(str(bench.shelf.store.vault / "memory.db"))

    def hold() -> None:
        if new.texts == 32 and not other.in_transaction:
            other.execute("BEGIN IMMEDIATE")

    write(bench, lambda connection: connection.set_busy_timeout(1))
    new.before = hold
    bench.run(change(bench, "new"))
    assert bench.builder.failure == "Another program holds the vault's database. Close it and try again."
    assert bench.states() == [("old", "serving", 100), ("new", "building", 32)]
    assert bench.finds("turn 7")
    new.before = lambda: None
    other.execute("ROLLBACK")
    other.close()
    bench.run()
    assert bench.states() == [("old", "retired", 100), ("new", "serving", 100)]


def test_a_switch_that_the_disk_refuses_is_made_later(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise DiskFullError("The disk is full.")

    with monkeypatch.context() as patched:
        patched.setattr("app.index.generations.active.vectors.activate", refuse)
        bench.run(change(bench, "new"))
        assert bench.states() == [("old", "serving", 100), ("new", "building", 100)]
        assert bench.builder.failure == "The disk is full."
        assert bench.finds("turn 7")
    bench.run()
    assert bench.states() == [("old", "retired", 100), ("new", "serving", 100)]


def test_choosing_another_while_the_database_is_held_changes_nothing(bench: Bench) -> None:
    other = apsw.Connection(str(bench.shelf.store.vault / "memory.db"))
    write(bench, lambda connection: connection.set_busy_timeout(1))
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(VaultLockedError):
        bench.shelf.do(change(bench, "new")())
    other.execute("ROLLBACK")
    other.close()
    bench.wanted = "old"
    bench.run()
    assert bench.states() == [("old", "serving", 100)]
    assert bench.finds("turn 7")


# Killed, paused, taken back -----------------------------------------------------------------------------------------


def test_cut_off_while_building_it_goes_on_where_it_was(bench: Bench) -> None:
    new = bench.embedders["new"]

    async def cut() -> None:
        while new.texts < 48:
            await asyncio.sleep(0)
        raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        bench.run(change(bench, "new"), cut)
    name, state, made = bench.states()[1]
    assert (name, state) == ("new", "building")
    assert 32 <= made < 100
    new.texts = 0
    bench.start()
    bench.run(say(bench, "said after the start"))
    assert bench.states() == [("old", "retired", 101), ("new", "serving", 101)]
    assert new.texts == 101 - made
    assert bench.shelf.wrong_vectors() == []


def test_paused_it_rests_and_the_old_one_takes_what_comes(bench: Bench) -> None:
    new = bench.embedders["new"]
    cancel_at(bench, "new", 32)
    bench.run(change(bench, "new"))
    new.before = lambda: None
    made = bench.states()[1][2]
    bench.run(say(bench, "said while it rests"))
    assert bench.states() == [("old", "serving", 101), ("new", "building", made)]
    assert bench.finds("said while it rests")
    write(bench, lambda connection: generation_repo.pause(connection, is_paused=False))
    bench.run()
    assert bench.states() == [("old", "retired", 101), ("new", "serving", 101)]


def test_giving_up_what_is_built_leaves_the_old_one(bench: Bench) -> None:
    new = bench.embedders["new"]

    async def give_up() -> None:
        while new.texts < 48:
            await asyncio.sleep(0)
        bench.wanted = "old"
        building = await bench.generations.building()
        assert building is not None
        assert await bench.generations.stay(building.generation) is not None

    bench.run(change(bench, "new"), give_up)
    assert bench.states()[0] == ("old", "serving", 100)
    assert bench.states()[1][:2] == ("new", "retired")
    assert bench.finds("turn 7")
    bench.start()
    bench.run()
    assert bench.states()[0] == ("old", "serving", 100)


def test_what_serves_by_now_is_not_given_up(bench: Bench) -> None:
    bench.run(change(bench, "new"))
    states = bench.states()

    async def give_up() -> None:
        serving = await bench.generations.serving()
        assert await bench.generations.stay(serving.generation) is None

    bench.run(give_up)
    assert bench.states() == states


def test_settings_put_back_by_hand_give_up_what_was_built(bench: Bench) -> None:
    bench.run(change(bench, "new", waits=True))
    assert bench.states()[1] == ("new", "building", 100)
    bench.wanted = "old"
    bench.start()
    bench.run()
    assert bench.states() == [("old", "serving", 100), ("new", "retired", 100)]


def test_the_way_back_and_forth_within_a_week_embeds_nothing_twice(bench: Bench) -> None:
    bench.run(change(bench, "new"))
    for name in ("old", "new", "old"):
        bench.shelf.clock.ms += DAY_MS
        bench.embedders[name].texts = 0
        bench.run(change(bench, name))
        assert bench.served() == name
        assert bench.embedders[name].texts == 0
    assert bench.finds("turn 7")


def test_after_a_week_there_is_no_way_back_and_no_table(bench: Bench) -> None:
    bench.run(change(bench, "new"))
    bench.shelf.clock.ms += 7 * DAY_MS
    bench.run()
    assert bench.states() == [("new", "serving", 100)]
    assert bench.shelf.rows("SELECT count(*) FROM sqlite_schema WHERE name LIKE 'vectors_1%'") == [(0,)]
    with pytest.raises(NotFoundError):
        beside(bench, 1)


# Waiting to be switched to ------------------------------------------------------------------------------------------


def test_what_is_to_wait_is_made_and_does_not_serve(bench: Bench) -> None:
    bench.run(change(bench, "new", waits=True))
    assert bench.states() == [("old", "serving", 100), ("new", "building", 100)]
    assert bench.served() == "old"
    bench.start()
    bench.run()
    assert bench.states() == [("old", "serving", 100), ("new", "building", 100)]
    assert bench.embedders["new"].texts == 100
    bench.run(let_serve(bench))
    assert bench.states() == [("old", "retired", 100), ("new", "serving", 100)]


def test_what_came_while_it_waited_is_there_when_it_serves(bench: Bench) -> None:
    bench.run(change(bench, "new", waits=True))
    bench.run(say(bench, "said while it waits"), built(bench), let_serve(bench))
    assert bench.states() == [("old", "retired", 101), ("new", "serving", 101)]
    assert bench.finds("said while it waits")
    assert bench.shelf.wrong_vectors() == []


def test_let_serve_before_it_is_complete_switches_when_it_is(bench: Bench) -> None:
    new = bench.embedders["new"]

    async def let() -> None:
        while new.texts < 48:
            await asyncio.sleep(0)
        await bench.shelf.store.write(generation_repo.allow_activation)

    bench.run(change(bench, "new", waits=True), let)
    assert bench.states() == [("old", "retired", 100), ("new", "serving", 100)]


def test_what_waits_takes_no_memory_for_a_second_look_up(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.run(change(bench, "narrow"))
    monkeypatch.setattr("app.index.worker.ANN_MIN_VECTORS", 10)
    bench.run(change(bench, "slim", waits=True))
    assert bench.sync._next_near is None
    bench.run(let_serve(bench))
    near = bench.sync.near()
    assert near is not None
    assert near.count() == 100


def test_a_failure_is_told_without_the_folder_nobody_named() -> None:
    told = without_folder(ModelUnavailableError("/home/ada/m holds no table.", folder="/home/ada/m", model="m"))
    assert (told.message, told.data) == ("Its folder holds no table.", {})
    known = without_folder(ModelUnavailableError("/m holds no table.", folder="/m", reason="incomplete"))
    assert known.data == {"reason": "incomplete"}
    plain = ModelUnavailableError("The model is out.")
    assert without_folder(plain) is plain


# Searched without serving -------------------------------------------------------------------------------------------


def test_no_vectors_of_that_number(bench: Bench) -> None:
    with pytest.raises(NotFoundError):
        beside(bench, 99)
    with pytest.raises(InputError, match="already"):
        beside(bench, 1)


def test_a_model_that_is_gone_cannot_be_compared_with(bench: Bench) -> None:
    bench.run(change(bench, "new"))
    bench.gone = {"old"}
    with pytest.raises(ModelUnavailableError, match="There is no old"):
        beside(bench, 1)
    bench.gone = set()
    bench.embedders["old"] = CountedEmbedder("old, newly trained")
    with pytest.raises(ModelUnavailableError, match="another model"):
        beside(bench, 1)
    assert bench.embedders["old"].closed == 1
    assert bench.finds("turn 7")


def test_what_is_kept_is_searched_with_its_own_model_and_closed(bench: Bench) -> None:
    bench.run(change(bench, "narrow"))
    closed = bench.embedders["old"].closed
    asked: list[Embedder] = []

    async def ask(serving: ActiveEmbedding) -> Found:
        asked.append(serving.embedder)
        service = SearchService(bench.shelf.store, bench.sync, Trace(), bench.shelf.clock)
        return await service.search("turn 7", legs=("vector",), limit=1, active_embedding=serving)

    found = beside(bench, 1, ask)
    assert [hit.snippet for hit in found.hits] == ["turn 7"]
    assert found.notes == ()
    assert asked == [bench.embedders["old"]]
    assert bench.embedders["old"].closed == closed + 1
    assert bench.served() == "narrow"


def test_what_waits_is_searched_with_the_model_that_makes_it(bench: Bench) -> None:
    bench.run(change(bench, "new", waits=True))
    assert beside(bench, 2, lambda serving: serving.embedder) is bench.embedders["new"]
    assert bench.embedders["new"].closed == 0
    bench.shelf.do(let_serve(bench)())
    bench.run()
    assert bench.finds("turn 7")


def test_vectors_that_vanish_while_they_are_searched_leave_the_words(bench: Bench) -> None:
    bench.run(change(bench, "new"))

    async def ask(serving: ActiveEmbedding) -> Found:
        await bench.shelf.store.write(lambda c: c.execute(f"DROP TABLE {serving.generation.table}"))
        service = SearchService(bench.shelf.store, bench.sync, Trace(), bench.shelf.clock)
        return await service.search("turn 7", active_embedding=serving)

    found = beside(bench, 1, ask)
    assert found.hits[0].snippet == "turn 7"
    assert found.notes[0].startswith(NO_MEANING)


# Other lengths ------------------------------------------------------------------------------------------------------


def test_vectors_of_two_lengths_side_by_side(bench: Bench) -> None:
    bench.run(change(bench, "narrow", waits=True), say(bench, "said meanwhile"))
    assert bench.states() == [("old", "serving", 101), ("narrow", "building", 101)]
    assert bench.finds("said meanwhile")
    widths = bench.shelf.rows("SELECT id, dimensions FROM generations ORDER BY id")
    assert widths == [(1, 512), (2, 48)]
    sizes = {row[0] for row in bench.shelf.rows("SELECT length(embedding) FROM vectors_2")}
    assert sizes == {4 * 48}
    found = beside(bench, 2, lambda serving: search_over(bench, serving, "said meanwhile"))
    assert found.hits[0].snippet == "said meanwhile"


def test_a_change_of_length_and_back(bench: Bench) -> None:
    bench.run(change(bench, "narrow"))
    assert bench.finds("turn 7")
    bench.run(say(bench, "said later"))
    bench.run(change(bench, "old"))
    assert bench.finds("said later")
    assert bench.states() == [("old", "serving", 101), ("narrow", "retired", 101)]
    assert bench.shelf.check() == []


def test_the_quick_look_up_follows_a_change_of_length(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.run(change(bench, "narrow"))
    monkeypatch.setattr("app.index.worker.ANN_MIN_VECTORS", 10)
    bench.run(say(bench, "one more"))
    assert bench.sync.near() is not None
    for name in ("slim", "narrow"):
        bench.run(change(bench, name))
        assert search(bench, "turn 7", legs=("vector",), limit=1).hits[0].snippet == "turn 7"


async def search_over(bench: Bench, serving: ActiveEmbedding, text: str) -> Found:
    service = SearchService(bench.shelf.store, bench.sync, Trace(), bench.shelf.clock)
    return await service.search(text, legs=("vector",), limit=1, active_embedding=serving)
