"""Index worker: passages and vectors follow the stored messages, also after failures."""

import asyncio
import shutil
import threading
from itertools import pairwise
from pathlib import Path

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.errors import ModelUnavailableError
from app.index.worker import LONGEST_REST_S, RETRY_MS
from app.store.store import DATABASE
from tests.helpers.unexpected_logs import AllowLogs
from tests.unit.app.shelf import MoodyEmbedder, Shelf


def test_passages_cover_each_turn_that_says_something(shelf: Shelf) -> None:
    shelf.say(*[f"turn {number} " + "word " * (number % 40) for number in range(300)], "", "  ", "last")
    shelf.sync()
    covered = {seq for start, end, _ in shelf.passages() for seq in range(start, end + 1)}
    assert covered >= set(range(1, 301)) | {303}
    assert shelf.rows("SELECT last_seq - passage_seq FROM session_state") == [(0,)]
    assert shelf.check() == []


TEXTS = st.lists(
    st.one_of(st.sampled_from(["", " ", "yes", "no", "word " * 60]), st.text(max_size=40), st.just("long " * 400)),
    min_size=1,
    max_size=25,
)


@given(texts=TEXTS, cuts=st.sets(st.integers(1, 24), max_size=6))
def test_the_index_is_the_same_built_at_once_or_bit_by_bit(
    template_db: Path, tmp_path_factory: pytest.TempPathFactory, texts: list[str], cuts: set[int]
) -> None:
    built = []
    for parts in ([texts], _parts(texts, cuts)):
        vault = tmp_path_factory.mktemp("vault")
        vault.chmod(0o700)
        shutil.copy(template_db, vault / DATABASE)
        (vault / DATABASE).chmod(0o600)
        shelf = Shelf(vault)
        try:
            for part in parts:
                shelf.say(*part)
                shelf.sync()
            assert shelf.check() == []
            assert shelf.wrong_vectors() == []
            built.append(shelf.passages())
        finally:
            shelf.close()
    assert built[0] == built[1]


def _parts(texts: list[str], cuts: set[int]) -> list[list[str]]:
    places = [0, *sorted(cut for cut in cuts if cut < len(texts)), len(texts)]
    return [texts[start:end] for start, end in pairwise(places)]


def test_every_chunk_gets_the_vector_of_its_text(shelf: Shelf) -> None:
    shelf.say(*[f"turn {number}" for number in range(600)])
    shelf.save("a note", title="Note")
    shelf.sync()
    assert shelf.wrong_vectors() == []
    assert shelf.told[-1] == 0
    assert shelf.embedder.texts == len(shelf.vectors())


def test_forgetting_drops_chunks_and_vectors_and_undoing_brings_them_back(shelf: Shelf) -> None:
    shelf.say("kept", session="other")
    shelf.say(*[f"turn {number} " + "word " * 200 for number in range(20)])
    shelf.sync()
    before, whole = shelf.passages(), len(shelf.vectors())
    entry = shelf.forget("s")
    assert shelf.passages() == []
    assert shelf.rows("SELECT DISTINCT session_id FROM chunks") == [("other",)]
    assert shelf.wrong_vectors() == []
    shelf.sync()
    assert shelf.check() == []
    shelf.undo(entry)
    shelf.sync()
    assert shelf.passages() == before
    assert len(shelf.vectors()) == whole
    assert shelf.wrong_vectors() == []
    assert shelf.check() == []


def test_a_forgotten_conversation_keeps_its_memories_in_the_index(shelf: Shelf) -> None:
    shelf.say("we talked")
    shelf.save("what came of it", session_id="s")
    shelf.save("of a conversation that is not there", session_id="elsewhere")
    shelf.forget("s")
    assert shelf.rows("SELECT kind, count(*) FROM chunks GROUP BY kind") == [("memory", 2)]
    assert shelf.check() == []


def test_an_update_replaces_the_vector(shelf: Shelf) -> None:
    note = shelf.save("as it was", title="Note")
    shelf.sync()
    changed = shelf.do(shelf.memories.update(note.id, note.version, content="as it is now")).value
    shelf.sync()
    assert shelf.wrong_vectors() == []
    shelf.do(shelf.memories.delete(changed.id))
    assert shelf.vectors() == {}
    assert shelf.check() == []


def test_a_text_changed_while_it_was_embedded_is_embedded_again(shelf: Shelf) -> None:
    note = shelf.save("as it was")
    begun: list[int] = []

    def change() -> None:
        if not begun:
            begun.append(1)
            writer = shelf.memories.update(note.id, note.version, content="as it is now")
            asyncio.run(writer)

    shelf.embedder.before = change
    shelf.sync()
    assert shelf.wrong_vectors() == []
    assert shelf.check() == []


# Failures -----------------------------------------------------------------------------------------------------------


def test_a_failing_embedder_is_tried_again_later_and_less_often(shelf: Shelf) -> None:
    shelf.say("words")
    shelf.embedder.fails = "The model is out."
    waits = []
    for _ in range(4):
        sync = shelf.sync()
        assert sync.failure == "The model is out."
        [(attempts, retry_at)] = shelf.rows("SELECT DISTINCT attempts, retry_at FROM pending_vectors")
        waits.append(retry_at - shelf.clock.ms)
        shelf.clock.ms = retry_at
        assert attempts == len(waits)
    assert waits == [RETRY_MS, 2 * RETRY_MS, 4 * RETRY_MS, 8 * RETRY_MS]
    assert shelf.rows("SELECT count(*) FROM chunks_fts WHERE chunks_fts MATCH 'words'") == [(2,)]
    assert shelf.check() == []
    assert shelf.rows("SELECT embedding_error FROM messages") == [("The model is out.",)]
    assert shelf.rows("SELECT DISTINCT error FROM chunks") == [("The model is out.",)]
    shelf.embedder.fails = None
    assert shelf.sync().failure == ""
    assert shelf.rows("SELECT embedding_error FROM messages") == [(None,)]
    assert shelf.rows("SELECT DISTINCT error FROM chunks") == [(None,)]
    assert shelf.wrong_vectors() == []


def test_before_its_time_nothing_is_tried_again(shelf: Shelf) -> None:
    shelf.say("words")
    shelf.embedder.fails = "The model is out."
    shelf.sync()
    shelf.embedder.fails = None
    sync = shelf.sync()
    assert shelf.embedder.texts == 0
    state = shelf.do(sync.state())
    assert state.pending == state.chunks > 0


def test_a_failure_passes_without_anything_else_happening(shelf: Shelf) -> None:
    shelf.say("words")
    shelf.embedder.fails = "The model is out."

    async def work() -> None:
        sync = shelf.syncing(retry_s=0.001)
        task = asyncio.create_task(sync.run())
        await sync.wait_idle()
        assert sync.failure
        shelf.clock.ms += 100 * RETRY_MS
        shelf.embedder.fails = None
        async with asyncio.timeout(20):
            while sync.failure:
                await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        assert (await sync.state()).pending == 0

    shelf.do(work())


def test_an_embedder_that_cannot_be_opened(shelf: Shelf) -> None:
    shelf.say("words " * 400)

    def refuse() -> MoodyEmbedder:
        raise ModelUnavailableError("There is no such model.")

    sync = shelf.syncing()
    sync._open_embedder = refuse

    async def work() -> None:
        task = asyncio.create_task(sync.run())
        await sync.wait_idle()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    shelf.do(work())
    assert sync.failure == "There is no such model."
    assert shelf.passages()
    assert shelf.check() == []


def test_a_bug_shows_and_leaves_nobody_waiting(shelf: Shelf, allow_logs: AllowLogs) -> None:
    allow_logs("indexing broke")
    shelf.say("words")
    shelf.embedder.fails = ZeroDivisionError("a bug")
    sync = shelf.sync()
    assert "error inside Keepsake" in sync.failure
    sync.wake()
    shelf.do(asyncio.wait_for(sync.wait_idle(), 10))


def test_switched_off_makes_passages_but_no_vectors(shelf: Shelf) -> None:
    shelf.say("words " * 400)
    sync = shelf.sync(embeds=False)
    assert shelf.passages()
    assert shelf.embedder.texts == 0
    assert sync.failure == ""


# Generations --------------------------------------------------------------------------------------------------------


def test_another_embedder_and_back_again(shelf: Shelf) -> None:
    shelf.say("first", "second")
    gone = shelf.save("a note")
    shelf.sync()
    first = shelf.embedder
    shelf.embedder = MoodyEmbedder("other")
    shelf.say("third")
    shelf.do(shelf.memories.delete(gone.id))
    shelf.save("another note")
    shelf.sync()
    assert shelf.embedder.texts == len(shelf.vectors()) == 4
    assert shelf.wrong_vectors() == []
    # Back: what the first one knew is used, the rest made; nothing of what is gone.
    shelf.embedder, first.texts = first, 0
    shelf.say("fourth")
    shelf.sync()
    assert first.texts == 3
    assert shelf.wrong_vectors() == []
    assert shelf.rows("SELECT state FROM generations ORDER BY id") == [("serving",), ("retired",)]
    assert shelf.check() == []


def test_what_waits_for_another_embedder_is_not_made_twice(shelf: Shelf) -> None:
    shelf.say("first", "second")
    shelf.sync()
    first = shelf.embedder
    shelf.embedder = MoodyEmbedder("other")
    shelf.embedder.fails = "The model is out."
    shelf.sync()
    shelf.embedder, first.texts = first, 0
    sync = shelf.sync()
    assert first.texts == 0
    assert shelf.do(sync.state()).pending == 0
    assert shelf.wrong_vectors() == []


# Interruptions ------------------------------------------------------------------------------------------------------


def test_stopped_in_the_middle_it_goes_on_from_there(shelf: Shelf) -> None:
    shelf.say(*[f"turn {number}" for number in range(1_000)])

    async def part() -> None:
        sync = shelf.syncing()
        task = asyncio.create_task(sync.run())
        while not shelf.told:
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    shelf.do(part())
    made = shelf.embedder.texts
    assert 0 < made < 1_000
    assert shelf.check() == []
    shelf.sync()
    assert shelf.wrong_vectors() == []
    assert shelf.embedder.texts <= 1_000 + 256


def test_lost_words_and_vectors_are_found_by_the_check(shelf: Shelf) -> None:
    shelf.say("one", "two")
    note = shelf.save("three")
    shelf.sync()

    def harm(connection: apsw.Connection) -> None:
        connection.execute("DELETE FROM chunks WHERE kind = 'message' AND seq_start = 1")
        connection.execute("DELETE FROM chunks WHERE memory_id = ?", (note.id,))
        connection.execute("DELETE FROM vectors_1 WHERE chunk_id = (SELECT id FROM chunks WHERE seq_start = 2)")

    shelf.do(shelf.store.write(harm))
    assert {(finding.area, finding.what.split(" ", 1)[1]) for finding in shelf.check()} == {
        ("words", "messages cannot be found by search."),
        ("words", "notes cannot be found by search."),
        ("vectors", "vectors belong to nothing."),
        ("vectors", "search entries have no vector and wait for none."),
    }


def _rests(shelf: Shelf, *, is_searched: bool) -> list[float]:
    """Index 900 messages, with or without searches meanwhile, and return the length of each rest."""
    rests: list[float] = []

    async def rest(seconds: float) -> None:
        rests.append(seconds)

    indexed = threading.Event()
    sync = shelf.syncing(rest=rest, batch=300)

    async def work() -> None:
        tasks = [asyncio.create_task(shelf.store.read(lambda _connection: indexed.wait(30)))] if is_searched else []
        tasks.append(asyncio.create_task(sync.run()))
        await sync.wait_idle()
        indexed.set()
        tasks[-1].cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    shelf.say(*[f"turn {number}" for number in range(900)])
    shelf.do(work())
    assert sync.failure == ""
    return rests


def test_indexing_rests_after_each_step_while_somebody_searches(shelf: Shelf) -> None:
    rests = _rests(shelf, is_searched=True)
    assert len(rests) >= 900 // 300
    assert all(0 < seconds <= LONGEST_REST_S for seconds in rests)


def test_indexing_does_not_rest_for_its_own_reads(shelf: Shelf) -> None:
    assert _rests(shelf, is_searched=False) == []
