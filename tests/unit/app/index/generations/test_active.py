"""Generation manager: change, wait, switch and rollback, and failures of each."""

import asyncio
import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import apsw
import pytest

from app.errors import DiskFullError, InputError, ModelUnavailableError, NotFoundError, VaultLockedError
from app.index.generations import generation_repo
from app.index.generations.active import ActiveEmbedding, hide_folder
from app.retrieval.model import Found
from app.retrieval.service import NO_MEANING, SearchService
from app.sentence import Sentence
from app.sessions.model import NewMessage
from app.sessions.service import NewSession
from app.trace.trace import Trace
from tests.helpers.access import EVERYTHING
from tests.helpers.disks import SmallDisk
from tests.unit.app.index.index_harness import DAY_MS, CountedEmbedder, IndexHarness, Step, cancel_at, change
from tests.unit.app.vault_harness import VaultHarness

if TYPE_CHECKING:
    from app.embed.model import Embedder


def say(harness: IndexHarness, *texts: str) -> Step:
    """Return a step in which something is said."""

    async def step() -> None:
        messages = [NewMessage("user", text) for text in texts]
        await harness.vault_harness.sessions.append(messages, "s", NewSession(), "person", owner=None)
        harness.sync.wake()

    return step


def built(harness: IndexHarness) -> Step:
    """Return a step that waits until nothing is left to build."""

    async def step() -> None:
        await harness.sync.wait_idle()
        await harness.builder.wait_idle()

    return step


def let_serve(harness: IndexHarness) -> Step:
    async def step() -> None:
        await harness.vault_harness.store.write(generation_repo.allow_activation)
        harness.builder.wake()

    return step


def search(harness: IndexHarness, text: str, **requested: Any) -> Found:
    async def work() -> Found:
        service = SearchService(harness.vault_harness.store, harness.sync, Trace(), harness.vault_harness.clock)
        return await service.search(EVERYTHING, text, **requested)

    return harness.vault_harness.do(work())


def compared(harness: IndexHarness, number: int, then: Callable[[ActiveEmbedding], Any] = lambda _: None) -> Any:
    """Do something with vectors that do not serve."""

    async def work() -> Any:
        async with harness.generations.open_for_comparison(number) as serving:
            found = then(serving)
            return await found if asyncio.iscoroutine(found) else found

    return harness.vault_harness.do(work())


def write(harness: IndexHarness, work: Callable[[apsw.Connection], Any]) -> Any:
    return harness.vault_harness.do(harness.vault_harness.store.write(work))


# Where something is wrong -------------------------------------------------------------------------------------------


def test_a_question_that_cannot_be_embedded_is_answered_by_words_and_says_so(harness: IndexHarness) -> None:
    assert search(harness, "turn 7").notes == ()
    harness.embedders["old"].fails = "The model is out."
    found = search(harness, "turn 7")
    assert found.hits[0].snippet == "turn 7"
    assert (found.legs, found.notes) == (("words",), (f"{NO_MEANING}The model is out.",))
    harness.embedders["old"].fails = None
    assert search(harness, "turn 7").notes == ()


def test_a_model_that_is_gone_is_answered_for_by_words(harness: IndexHarness) -> None:
    harness.gone = {"old"}
    harness.start()
    found = search(harness, "turn 7")
    assert found.hits[0].snippet == "turn 7"
    assert found.notes == (f"{NO_MEANING}There is no old.",)


@pytest.fixture
def small(small_disk: SmallDisk) -> Iterator[IndexHarness]:
    """Return a bench on a disk that little more goes on."""
    place = small_disk(24) / "vault"
    place.mkdir(mode=0o700)
    vault_harness = VaultHarness(place)
    vault_harness.say(*[f"turn {number}" for number in range(100)])
    made = IndexHarness(vault_harness)
    made.start()
    made.run()
    yield made
    vault_harness.close()


def fill(harness: IndexHarness) -> Path:
    """Fill the disk and the database's log; return the file that fills it."""
    with contextlib.closing(apsw.Connection(str(harness.vault_harness.store.vault / "memory.db"))) as other:
        other.set_busy_timeout(10_000)
        assert other.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall() == [(0, 0, 0)]
    ballast = harness.vault_harness.store.vault / "ballast"
    with ballast.open("ab", buffering=0) as file:
        for size in (1 << 20, 1 << 12, 1):
            with contextlib.suppress(OSError):
                while file.write(b"\0" * size):
                    pass
    return ballast


def test_a_full_disk_stops_the_building_and_what_is_there_stays(small: IndexHarness) -> None:
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
    assert small.vault_harness.wrong_vectors() == []
    assert small.vault_harness.check() == []


def test_a_full_disk_refuses_another_model_before_anything_is_changed(small: IndexHarness) -> None:
    ballast = fill(small)
    with pytest.raises(DiskFullError):
        small.vault_harness.do(change(small, "new")())
    assert small.states() == [("old", "serving", 100)]
    assert small.finds("turn 7")
    ballast.unlink()
    small.run(change(small, "new"))
    assert small.states() == [("old", "retired", 100), ("new", "serving", 100)]


def test_a_database_that_another_program_holds_is_built_in_later(harness: IndexHarness) -> None:
    new = harness.embedders["new"]
    other = apsw.Connection(str(harness.vault_harness.store.vault / "memory.db"))

    def hold() -> None:
        if new.texts == 32 and not other.in_transaction:
            other.execute("BEGIN IMMEDIATE")

    write(harness, lambda connection: connection.set_busy_timeout(1))
    new.before = hold
    harness.run(change(harness, "new"))
    assert harness.builder.failure == "Another program holds the vault's database. Close it and try again."
    assert harness.states() == [("old", "serving", 100), ("new", "building", 32)]
    assert harness.finds("turn 7")
    new.before = lambda: None
    other.execute("ROLLBACK")
    other.close()
    harness.run()
    assert harness.states() == [("old", "retired", 100), ("new", "serving", 100)]


def test_a_switch_that_the_disk_refuses_is_made_later(harness: IndexHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise DiskFullError("The disk is full.")

    with monkeypatch.context() as patched:
        patched.setattr("app.index.generations.active.vector_repo.activate", refuse)
        harness.run(change(harness, "new"))
        assert harness.states() == [("old", "serving", 100), ("new", "building", 100)]
        assert harness.builder.failure == "The disk is full."
        assert harness.finds("turn 7")
    harness.run()
    assert harness.states() == [("old", "retired", 100), ("new", "serving", 100)]


def test_choosing_another_while_the_database_is_held_changes_nothing(harness: IndexHarness) -> None:
    other = apsw.Connection(str(harness.vault_harness.store.vault / "memory.db"))
    write(harness, lambda connection: connection.set_busy_timeout(1))
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(VaultLockedError):
        harness.vault_harness.do(change(harness, "new")())
    other.execute("ROLLBACK")
    other.close()
    harness.wanted = "old"
    harness.run()
    assert harness.states() == [("old", "serving", 100)]
    assert harness.finds("turn 7")


# Killed, paused, taken back -----------------------------------------------------------------------------------------


def test_cut_off_while_building_it_goes_on_where_it_was(harness: IndexHarness) -> None:
    new = harness.embedders["new"]

    async def cut() -> None:
        while new.texts < 48:
            await asyncio.sleep(0)
        raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        harness.run(change(harness, "new"), cut)
    name, state, made = harness.states()[1]
    assert (name, state) == ("new", "building")
    assert 32 <= made < 100
    new.texts = 0
    harness.start()
    harness.run(say(harness, "said after the start"))
    assert harness.states() == [("old", "retired", 101), ("new", "serving", 101)]
    assert new.texts == 101 - made
    assert harness.vault_harness.wrong_vectors() == []


def test_paused_it_rests_and_the_old_one_takes_what_comes(harness: IndexHarness) -> None:
    new = harness.embedders["new"]
    cancel_at(harness, "new", 32)
    harness.run(change(harness, "new"))
    new.before = lambda: None
    made = harness.states()[1][2]
    harness.run(say(harness, "said while it rests"))
    assert harness.states() == [("old", "serving", 101), ("new", "building", made)]
    assert harness.finds("said while it rests")
    write(harness, lambda connection: generation_repo.pause(connection, is_paused=False))
    harness.run()
    assert harness.states() == [("old", "retired", 101), ("new", "serving", 101)]


def test_giving_up_what_is_built_leaves_the_old_one(harness: IndexHarness) -> None:
    new = harness.embedders["new"]

    async def give_up() -> None:
        while new.texts < 48:
            await asyncio.sleep(0)
        harness.wanted = "old"
        building = await harness.generations.building()
        assert building is not None
        assert await harness.generations.cancel_build(building.generation) is not None

    harness.run(change(harness, "new"), give_up)
    assert harness.states()[0] == ("old", "serving", 100)
    assert harness.states()[1][:2] == ("new", "retired")
    assert harness.finds("turn 7")
    harness.start()
    harness.run()
    assert harness.states()[0] == ("old", "serving", 100)


def test_what_serves_by_now_is_not_given_up(harness: IndexHarness) -> None:
    harness.run(change(harness, "new"))
    states = harness.states()

    async def give_up() -> None:
        serving = await harness.generations.serving()
        assert await harness.generations.cancel_build(serving.generation) is None

    harness.run(give_up)
    assert harness.states() == states


def test_settings_put_back_by_hand_give_up_what_was_built(harness: IndexHarness) -> None:
    harness.run(change(harness, "new", waits=True))
    assert harness.states()[1] == ("new", "building", 100)
    harness.wanted = "old"
    harness.start()
    harness.run()
    assert harness.states() == [("old", "serving", 100), ("new", "retired", 100)]


def test_the_way_back_and_forth_within_a_week_embeds_nothing_twice(harness: IndexHarness) -> None:
    harness.run(change(harness, "new"))
    for name in ("old", "new", "old"):
        harness.vault_harness.clock.ms += DAY_MS
        harness.embedders[name].texts = 0
        harness.run(change(harness, name))
        assert harness.served() == name
        assert harness.embedders[name].texts == 0
    assert harness.finds("turn 7")


def test_after_a_week_there_is_no_way_back_and_no_table(harness: IndexHarness) -> None:
    harness.run(change(harness, "new"))
    harness.vault_harness.clock.ms += 7 * DAY_MS
    harness.run()
    assert harness.states() == [("new", "serving", 100)]
    assert harness.vault_harness.rows("SELECT count(*) FROM sqlite_schema WHERE name LIKE 'vectors_1%'") == [(0,)]
    with pytest.raises(NotFoundError):
        compared(harness, 1)


# Waiting to be switched to ------------------------------------------------------------------------------------------


def test_what_is_to_wait_is_made_and_does_not_serve(harness: IndexHarness) -> None:
    harness.run(change(harness, "new", waits=True))
    assert harness.states() == [("old", "serving", 100), ("new", "building", 100)]
    assert harness.served() == "old"
    harness.start()
    harness.run()
    assert harness.states() == [("old", "serving", 100), ("new", "building", 100)]
    assert harness.embedders["new"].texts == 100
    harness.run(let_serve(harness))
    assert harness.states() == [("old", "retired", 100), ("new", "serving", 100)]


def test_what_came_while_it_waited_is_there_when_it_serves(harness: IndexHarness) -> None:
    harness.run(change(harness, "new", waits=True))
    harness.run(say(harness, "said while it waits"), built(harness), let_serve(harness))
    assert harness.states() == [("old", "retired", 101), ("new", "serving", 101)]
    assert harness.finds("said while it waits")
    assert harness.vault_harness.wrong_vectors() == []


def test_let_serve_before_it_is_complete_switches_when_it_is(harness: IndexHarness) -> None:
    new = harness.embedders["new"]

    async def let() -> None:
        while new.texts < 48:
            await asyncio.sleep(0)
        await harness.vault_harness.store.write(generation_repo.allow_activation)

    harness.run(change(harness, "new", waits=True), let)
    assert harness.states() == [("old", "retired", 100), ("new", "serving", 100)]


def test_what_waits_takes_no_memory_for_a_second_look_up(
    harness: IndexHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    harness.run(change(harness, "narrow"))
    monkeypatch.setattr("app.index.generations.active_ann_cache.MIN_VECTORS", 10)
    harness.run(change(harness, "slim", waits=True))
    assert harness.sync.active_ann_cache._next is None
    harness.run(let_serve(harness))
    ann_cache = harness.sync.ann_cache()
    assert ann_cache is not None
    assert ann_cache.count() == 100


def test_a_failure_is_told_without_the_folder_nobody_named() -> None:
    sentence = Sentence("{folder} holds no {file}.", folder=Path("/home/ada/m"), file="table")
    reported = hide_folder(ModelUnavailableError(sentence, folder="/home/ada/m", model="m"))
    assert (reported.message, reported.data) == ("Its folder holds no table.", {})
    deeper = hide_folder(ModelUnavailableError("/home/ada/m/table is damaged.", folder="/home/ada/m"))
    assert deeper.message == "Its folder/table is damaged."
    known = hide_folder(ModelUnavailableError("/m holds no table.", folder="/m", reason="incomplete"))
    assert known.data == {"reason": "incomplete"}
    plain = ModelUnavailableError("The model is out.")
    assert hide_folder(plain) is plain


# Searched without serving -------------------------------------------------------------------------------------------


def test_no_vectors_of_that_number(harness: IndexHarness) -> None:
    with pytest.raises(NotFoundError):
        compared(harness, 99)
    with pytest.raises(InputError, match="already"):
        compared(harness, 1)


def test_a_model_that_is_gone_cannot_be_compared_with(harness: IndexHarness) -> None:
    harness.run(change(harness, "new"))
    harness.gone = {"old"}
    with pytest.raises(ModelUnavailableError, match="There is no old"):
        compared(harness, 1)
    harness.gone = set()
    harness.embedders["old"] = CountedEmbedder("old, newly trained")
    with pytest.raises(ModelUnavailableError, match="not the model that made"):
        compared(harness, 1)
    assert harness.embedders["old"].closed == 1
    assert harness.finds("turn 7")


def test_what_is_kept_is_searched_with_its_own_model_and_closed(harness: IndexHarness) -> None:
    harness.run(change(harness, "narrow"))
    closed = harness.embedders["old"].closed
    requested: list[Embedder] = []

    async def ask(serving: ActiveEmbedding) -> Found:
        requested.append(serving.embedder)
        service = SearchService(harness.vault_harness.store, harness.sync, Trace(), harness.vault_harness.clock)
        return await service.search(EVERYTHING, "turn 7", legs=("vector",), limit=1, active_embedding=serving)

    found = compared(harness, 1, ask)
    assert [hit.snippet for hit in found.hits] == ["turn 7"]
    assert found.notes == ()
    assert requested == [harness.embedders["old"]]
    assert harness.embedders["old"].closed == closed + 1
    assert harness.served() == "narrow"


def test_what_waits_is_searched_with_the_model_that_makes_it(harness: IndexHarness) -> None:
    harness.run(change(harness, "new", waits=True))
    assert compared(harness, 2, lambda serving: serving.embedder) is harness.embedders["new"]
    assert harness.embedders["new"].closed == 0
    harness.vault_harness.do(let_serve(harness)())
    harness.run()
    assert harness.finds("turn 7")


def test_vectors_that_vanish_while_they_are_searched_leave_the_words(harness: IndexHarness) -> None:
    harness.run(change(harness, "new"))

    async def ask(serving: ActiveEmbedding) -> Found:
        await harness.vault_harness.store.write(lambda c: c.execute(f"DROP TABLE {serving.generation.table}"))
        service = SearchService(harness.vault_harness.store, harness.sync, Trace(), harness.vault_harness.clock)
        return await service.search(EVERYTHING, "turn 7", active_embedding=serving)

    found = compared(harness, 1, ask)
    assert found.hits[0].snippet == "turn 7"
    assert found.notes[0].startswith(NO_MEANING)


# Other lengths ------------------------------------------------------------------------------------------------------


def test_vectors_of_two_lengths_side_by_side(harness: IndexHarness) -> None:
    harness.run(change(harness, "narrow", waits=True), say(harness, "said meanwhile"))
    assert harness.states() == [("old", "serving", 101), ("narrow", "building", 101)]
    assert harness.finds("said meanwhile")
    widths = harness.vault_harness.rows("SELECT id, dimensions FROM generations ORDER BY id")
    assert widths == [(1, 512), (2, 48)]
    sizes = {row[0] for row in harness.vault_harness.rows("SELECT length(embedding) FROM vectors_2")}
    assert sizes == {48}
    found = compared(harness, 2, lambda serving: search_over(harness, serving, "said meanwhile"))
    assert found.hits[0].snippet == "said meanwhile"


def test_a_change_of_length_and_back(harness: IndexHarness) -> None:
    harness.run(change(harness, "narrow"))
    assert harness.finds("turn 7")
    harness.run(say(harness, "said later"))
    harness.run(change(harness, "old"))
    assert harness.finds("said later")
    assert harness.states() == [("old", "serving", 101), ("narrow", "retired", 101)]
    assert harness.vault_harness.check() == []


def test_the_quick_look_up_follows_a_change_of_length(harness: IndexHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    harness.run(change(harness, "narrow"))
    monkeypatch.setattr("app.index.generations.active_ann_cache.MIN_VECTORS", 10)
    harness.run(say(harness, "one more"))
    assert harness.sync.ann_cache() is not None
    for name in ("slim", "narrow"):
        harness.run(change(harness, name))
        assert search(harness, "turn 7", legs=("vector",), limit=1).hits[0].snippet == "turn 7"


async def search_over(harness: IndexHarness, serving: ActiveEmbedding, text: str) -> Found:
    service = SearchService(harness.vault_harness.store, harness.sync, Trace(), harness.vault_harness.clock)
    return await service.search(EVERYTHING, text, legs=("vector",), limit=1, active_embedding=serving)
