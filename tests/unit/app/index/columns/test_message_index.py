"""The chunks of turns are found by their place, whenever they came."""

import apsw
import numpy as np
import pytest

from app.index.columns import message_index as module
from app.index.columns.chunk_columns import ChunkColumns, last_chunk, place_keys
from app.index.columns.index_cache import IndexCache
from app.index.columns.message_index import MessageIndex
from app.index.repo import Chunk, insert_chunks
from tests.unit.app.vault_harness import VaultHarness


def found(
    vault_harness: VaultHarness, index_cache: IndexCache, turns: MessageIndex, wanted: list[tuple[str, int]]
) -> list[int]:
    def work(connection: apsw.Connection) -> list[int]:
        columns = index_cache.columns(connection, last_chunk(connection))
        owner = np.array([columns.numbers.get(session, 0) for session, _ in wanted])
        seq = np.array([seq for _, seq in wanted])
        ids: list[int] = turns.find(columns, place_keys(owner, seq)).tolist()
        return ids

    return vault_harness.do(vault_harness.store.read(work))


@pytest.mark.parametrize("most_new", [0, 2, 100])
def test_later_turns_are_found_too(vault_harness: VaultHarness, monkeypatch: pytest.MonkeyPatch, most_new: int) -> None:
    monkeypatch.setattr(module, "_MAX_NEW", most_new)
    index_cache, turns = IndexCache(), MessageIndex()
    for number in range(5):
        vault_harness.say("a heron", "a grebe " * 400, session=f"s{number % 2}")
        vault_harness.save(f"teal {number}")
        vault_harness.sync()
        rows = vault_harness.rows(
            "SELECT id, session_id, seq_start FROM chunks WHERE kind = 'message' ORDER BY id DESC"
        )
        wanted = [("s0", 99), *((session, seq) for _, session, seq in rows), ("s0", -1)]
        assert found(vault_harness, index_cache, turns, wanted) == [chunk for chunk, *_ in rows]
    assert found(vault_harness, index_cache, turns, []) == []


def test_of_a_turn_that_came_again_both_chunks_are_given(vault_harness: VaultHarness) -> None:
    index_cache, turns = IndexCache(), MessageIndex()
    vault_harness.say("one", "two")
    assert found(vault_harness, index_cache, turns, [("s", 2), ("s", 1)]) == [2, 1]
    again = Chunk("message", "one", "", 0, session_id="s", seq_start=1, seq_end=1)
    vault_harness.do(vault_harness.store.write(lambda connection: insert_chunks(connection, [again])))
    assert found(vault_harness, index_cache, turns, [("s", 2), ("s", 1)]) == [2, 1, 3]


def test_what_others_took_in_meanwhile_is_not_given(vault_harness: VaultHarness) -> None:
    index_cache, turns = IndexCache(), MessageIndex()
    read = vault_harness.store.read

    def index_now(connection: apsw.Connection) -> ChunkColumns:
        return index_cache.columns(connection, last_chunk(connection))

    vault_harness.say("one")
    before = vault_harness.do(read(index_now))
    vault_harness.say("two")
    after = vault_harness.do(read(index_now))
    wanted = place_keys(np.array([1, 1]), np.array([2, 1]))
    assert turns.find(after, wanted).tolist() == [2, 1]
    assert turns.find(before, wanted).tolist() == [1]
