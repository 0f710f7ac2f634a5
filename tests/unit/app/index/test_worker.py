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
from app.index import session_reindex
from app.index.worker import LONGEST_REST_S, RETRY_MS
from app.store.store import DATABASE
from tests.helpers.access import EVERYTHING
from tests.helpers.guards.unexpected_logs import AllowLogs
from tests.unit.app.vault_harness import MoodyEmbedder, VaultHarness


def test_passages_cover_each_turn_that_says_something(vault_harness: VaultHarness) -> None:
    vault_harness.say(*[f"turn {number} " + "word " * (number % 40) for number in range(300)], "", "  ", "last")
    vault_harness.sync()
    covered = {seq for start, end, _ in vault_harness.passages() for seq in range(start, end + 1)}
    assert covered >= set(range(1, 301)) | {303}
    assert vault_harness.rows("SELECT last_seq - passage_seq FROM session_state") == [(0,)]
    assert vault_harness.check() == []


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
        vault_harness = VaultHarness(vault)
        try:
            for part in parts:
                vault_harness.say(*part)
                vault_harness.sync()
            assert vault_harness.check() == []
            assert vault_harness.wrong_vectors() == []
            built.append(vault_harness.passages())
        finally:
            vault_harness.close()
    assert built[0] == built[1]


def _parts(texts: list[str], cuts: set[int]) -> list[list[str]]:
    places = [0, *sorted(cut for cut in cuts if cut < len(texts)), len(texts)]
    return [texts[start:end] for start, end in pairwise(places)]


def test_every_chunk_gets_the_vector_of_its_text(vault_harness: VaultHarness) -> None:
    vault_harness.say(*[f"turn {number}" for number in range(600)])
    vault_harness.save("a note", title="Note")
    vault_harness.sync()
    assert vault_harness.wrong_vectors() == []
    assert vault_harness.reported[-1] == 0
    assert vault_harness.embedder.texts == len(vault_harness.vectors())


def test_forgetting_drops_chunks_and_vectors_and_undoing_brings_them_back(vault_harness: VaultHarness) -> None:
    vault_harness.say("kept", session="other")
    vault_harness.say(*[f"turn {number} " + "word " * 200 for number in range(20)])
    vault_harness.sync()
    before, whole = vault_harness.passages(), len(vault_harness.vectors())
    entry = vault_harness.forget("s")
    vault_harness.clock.ms += session_reindex.GRACE_MS
    vault_harness.sync()
    assert vault_harness.passages() == []
    assert vault_harness.rows("SELECT DISTINCT session_id FROM chunks") == [("other",)]
    assert vault_harness.wrong_vectors() == []
    vault_harness.sync()
    assert vault_harness.check() == []
    vault_harness.undo(entry)
    vault_harness.sync()
    assert vault_harness.passages() == before
    assert len(vault_harness.vectors()) == whole
    assert vault_harness.wrong_vectors() == []
    assert vault_harness.check() == []


def test_a_forgotten_conversation_keeps_its_memories_in_the_index(vault_harness: VaultHarness) -> None:
    vault_harness.say("we talked")
    vault_harness.save("what came of it", session_id="s")
    vault_harness.save("of a conversation that is not there", session_id="elsewhere")
    vault_harness.forget("s")
    vault_harness.clock.ms += session_reindex.GRACE_MS
    vault_harness.sync()
    assert vault_harness.rows("SELECT kind, count(*) FROM chunks GROUP BY kind") == [("memory", 2)]
    assert vault_harness.check() == []


def test_an_update_replaces_the_vector(vault_harness: VaultHarness) -> None:
    note = vault_harness.save("as it was", title="Note")
    vault_harness.sync()
    changed = vault_harness.do(
        vault_harness.memories.update(EVERYTHING, note.id, note.version, content="as it is now")
    ).value
    vault_harness.sync()
    assert vault_harness.wrong_vectors() == []
    vault_harness.do(vault_harness.memories.delete(EVERYTHING, changed.id))
    assert vault_harness.vectors() == {}
    assert vault_harness.check() == []


def test_a_text_changed_while_it_was_embedded_is_embedded_again(vault_harness: VaultHarness) -> None:
    note = vault_harness.save("as it was")
    begun: list[int] = []

    def change() -> None:
        if not begun:
            begun.append(1)
            writer = vault_harness.memories.update(EVERYTHING, note.id, note.version, content="as it is now")
            asyncio.run(writer)

    vault_harness.embedder.before = change
    vault_harness.sync()
    assert vault_harness.wrong_vectors() == []
    assert vault_harness.check() == []


# Failures -----------------------------------------------------------------------------------------------------------


def test_a_failing_embedder_is_tried_again_later_and_less_often(vault_harness: VaultHarness) -> None:
    vault_harness.say("words")
    vault_harness.embedder.fails = "The model is out."
    waits = []
    for _ in range(4):
        sync = vault_harness.sync()
        assert sync.failure == "The model is out."
        [(attempts, retry_at)] = vault_harness.rows("SELECT DISTINCT attempts, retry_at FROM pending_vectors")
        waits.append(retry_at - vault_harness.clock.ms)
        vault_harness.clock.ms = retry_at
        assert attempts == len(waits)
    assert waits == [RETRY_MS, 2 * RETRY_MS, 4 * RETRY_MS, 8 * RETRY_MS]
    assert vault_harness.rows("SELECT count(*) FROM chunks_fts WHERE chunks_fts MATCH 'words'") == [(2,)]
    assert vault_harness.check() == []
    assert vault_harness.rows("SELECT embedding_error FROM messages") == [("The model is out.",)]
    assert vault_harness.rows("SELECT DISTINCT error FROM chunks") == [("The model is out.",)]
    vault_harness.embedder.fails = None
    assert vault_harness.sync().failure == ""
    assert vault_harness.rows("SELECT embedding_error FROM messages") == [(None,)]
    assert vault_harness.rows("SELECT DISTINCT error FROM chunks") == [(None,)]
    assert vault_harness.wrong_vectors() == []


def test_before_its_time_nothing_is_tried_again(vault_harness: VaultHarness) -> None:
    vault_harness.say("words")
    vault_harness.embedder.fails = "The model is out."
    vault_harness.sync()
    vault_harness.embedder.fails = None
    sync = vault_harness.sync()
    assert vault_harness.embedder.texts == 0
    state = vault_harness.do(sync.state())
    assert state.pending == state.chunks > 0


def test_a_failure_passes_without_anything_else_happening(vault_harness: VaultHarness) -> None:
    vault_harness.say("words")
    vault_harness.embedder.fails = "The model is out."

    async def work() -> None:
        sync = vault_harness.syncing(retry_s=0.001)
        task = asyncio.create_task(sync.run())
        await sync.wait_idle()
        assert sync.failure
        vault_harness.clock.ms += 100 * RETRY_MS
        vault_harness.embedder.fails = None
        async with asyncio.timeout(20):
            while sync.failure:
                await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        assert (await sync.state()).pending == 0

    vault_harness.do(work())


def test_an_embedder_that_cannot_be_opened(vault_harness: VaultHarness) -> None:
    vault_harness.say("words " * 400)

    def refuse() -> MoodyEmbedder:
        raise ModelUnavailableError("There is no such model.")

    vault_harness.open_embedder = refuse
    sync = vault_harness.syncing()

    async def work() -> None:
        task = asyncio.create_task(sync.run())
        await sync.wait_idle()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    vault_harness.do(work())
    assert sync.failure == "There is no such model."
    assert vault_harness.passages()
    assert vault_harness.check() == []


def test_a_bug_shows_and_leaves_nobody_waiting(vault_harness: VaultHarness, allow_logs: AllowLogs) -> None:
    allow_logs("indexing broke")
    vault_harness.say("words")
    vault_harness.embedder.fails = ZeroDivisionError("a bug")
    sync = vault_harness.sync()
    assert "error inside Keepsake" in sync.failure
    sync.wake()
    vault_harness.do(asyncio.wait_for(sync.wait_idle(), 10))


def test_switched_off_makes_passages_but_no_vectors(vault_harness: VaultHarness) -> None:
    vault_harness.say("words " * 400)
    sync = vault_harness.sync(embeds=False)
    assert vault_harness.passages()
    assert vault_harness.embedder.texts == 0
    assert sync.failure == ""


# Generations --------------------------------------------------------------------------------------------------------


def test_another_embedder_and_back_again(vault_harness: VaultHarness) -> None:
    vault_harness.say("first", "second")
    gone = vault_harness.save("a note")
    vault_harness.sync()
    first = vault_harness.embedder
    vault_harness.embedder = MoodyEmbedder("other")
    vault_harness.say("third")
    vault_harness.do(vault_harness.memories.delete(EVERYTHING, gone.id))
    vault_harness.save("another note")
    vault_harness.sync()
    assert vault_harness.embedder.texts == len(vault_harness.vectors()) == 4
    assert vault_harness.wrong_vectors() == []
    # Back: what the first one knew is used, the rest made; nothing of what is gone.
    vault_harness.embedder, first.texts = first, 0
    vault_harness.say("fourth")
    vault_harness.sync()
    assert first.texts == 3
    assert vault_harness.wrong_vectors() == []
    assert vault_harness.rows("SELECT state FROM generations ORDER BY id") == [("serving",), ("retired",)]
    assert vault_harness.check() == []


def test_what_waits_for_another_embedder_is_not_made_twice(vault_harness: VaultHarness) -> None:
    vault_harness.say("first", "second")
    vault_harness.sync()
    first = vault_harness.embedder
    vault_harness.embedder = MoodyEmbedder("other")
    vault_harness.embedder.fails = "The model is out."
    vault_harness.sync()
    vault_harness.embedder, first.texts = first, 0
    sync = vault_harness.sync()
    assert first.texts == 0
    assert vault_harness.do(sync.state()).pending == 0
    assert vault_harness.wrong_vectors() == []


# Interruptions ------------------------------------------------------------------------------------------------------


def test_stopped_in_the_middle_it_goes_on_from_there(vault_harness: VaultHarness) -> None:
    vault_harness.say(*[f"turn {number}" for number in range(1_000)])

    async def part() -> None:
        sync = vault_harness.syncing()
        task = asyncio.create_task(sync.run())
        while not vault_harness.reported:
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    vault_harness.do(part())
    made = vault_harness.embedder.texts
    assert 0 < made < 1_000
    assert vault_harness.check() == []
    vault_harness.sync()
    assert vault_harness.wrong_vectors() == []
    assert vault_harness.embedder.texts <= 1_000 + 256


def test_lost_words_and_vectors_are_found_by_the_check(vault_harness: VaultHarness) -> None:
    vault_harness.say("one", "two")
    note = vault_harness.save("three")
    vault_harness.sync()

    def harm(connection: apsw.Connection) -> None:
        connection.execute("DELETE FROM chunks WHERE kind = 'message' AND seq_start = 1")
        connection.execute("DELETE FROM chunks WHERE memory_id = ?", (note.id,))
        connection.execute("DELETE FROM vectors_1 WHERE chunk_id = (SELECT id FROM chunks WHERE seq_start = 2)")

    vault_harness.do(vault_harness.store.write(harm))
    assert {(finding.area, finding.what.split(" ", 1)[1]) for finding in vault_harness.check()} == {
        ("words", "message cannot be found by search."),
        ("words", "note cannot be found by search."),
        ("vectors", "vectors belong to nothing."),
        ("vectors", "search entry has no vector and waits for none."),
    }


def _rests(vault_harness: VaultHarness, *, is_searched: bool) -> list[float]:
    """Index 900 messages, with or without searches meanwhile, and return the length of each rest."""
    rests: list[float] = []

    async def rest(seconds: float) -> None:
        rests.append(seconds)

    indexed = threading.Event()
    sync = vault_harness.syncing(rest=rest, batch=300)

    async def work() -> None:
        tasks = (
            [asyncio.create_task(vault_harness.store.read(lambda _connection: indexed.wait(30)))] if is_searched else []
        )
        tasks.append(asyncio.create_task(sync.run()))
        await sync.wait_idle()
        indexed.set()
        tasks[-1].cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    vault_harness.say(*[f"turn {number}" for number in range(900)])
    vault_harness.do(work())
    assert sync.failure == ""
    return rests


def test_indexing_rests_after_each_step_while_somebody_searches(vault_harness: VaultHarness) -> None:
    rests = _rests(vault_harness, is_searched=True)
    assert len(rests) >= 900 // 300
    assert all(0 < seconds <= LONGEST_REST_S for seconds in rests)


def test_indexing_does_not_rest_for_its_own_reads(vault_harness: VaultHarness) -> None:
    assert _rests(vault_harness, is_searched=False) == []
