"""The chunks of turns are found by their place, whenever they came."""

import apsw
import numpy as np
import pytest

from app.index.columns import message_index as module
from app.index.columns.chunk_columns import ChunkColumns, place_keys
from app.index.columns.chunk_lengths import last_chunk
from app.index.columns.index_cache import IndexCache
from app.index.columns.message_index import MessageIndex
from tests.unit.app.shelf import Shelf


def found(shelf: Shelf, index_cache: IndexCache, turns: MessageIndex, wanted: list[tuple[str, int]]) -> list[int]:
    def work(connection: apsw.Connection) -> list[int]:
        columns = index_cache.columns(connection, last_chunk(connection))
        owner = np.array([columns.numbers.get(session, 0) for session, _ in wanted])
        seq = np.array([seq for _, seq in wanted])
        ids: list[int] = turns.find(columns, place_keys(owner, seq)).tolist()
        return ids

    return shelf.do(shelf.store.read(work))


@pytest.mark.parametrize("most_new", [0, 2, 100])
def test_later_turns_are_found_too(shelf: Shelf, monkeypatch: pytest.MonkeyPatch, most_new: int) -> None:
    monkeypatch.setattr(module, "_MAX_NEW", most_new)
    index_cache, turns = IndexCache(), MessageIndex()
    for number in range(5):
        shelf.say("a heron", "a grebe " * 400, session=f"s{number % 2}")
        shelf.save(f"teal {number}")
        shelf.sync()
        rows = shelf.rows("SELECT id, session_id, seq_start FROM chunks WHERE kind = 'message' ORDER BY id DESC")
        wanted = [("s0", 99), *((session, seq) for _, session, seq in rows), ("s0", -1)]
        assert found(shelf, index_cache, turns, wanted) == [chunk for chunk, *_ in rows]
    assert found(shelf, index_cache, turns, []) == []


def test_of_a_turn_that_came_again_both_chunks_are_given(shelf: Shelf) -> None:
    index_cache, turns = IndexCache(), MessageIndex()
    shelf.say("one", "two")
    assert found(shelf, index_cache, turns, [("s", 2), ("s", 1)]) == [2, 1]
    copied = "INSERT INTO chunks (kind, session_id, seq_start, seq_end, text, content_hash, created_at)"
    sql = f"{copied} SELECT kind, session_id, seq_start, seq_end, text, content_hash, created_at FROM chunks WHERE id=1"
    shelf.do(shelf.store.write(lambda connection: connection.execute(sql)))
    assert found(shelf, index_cache, turns, [("s", 2), ("s", 1)]) == [2, 1, 3]


def test_what_others_took_in_meanwhile_is_not_given(shelf: Shelf) -> None:
    index_cache, turns = IndexCache(), MessageIndex()
    read = shelf.store.read

    def heads_now(connection: apsw.Connection) -> ChunkColumns:
        return index_cache.columns(connection, last_chunk(connection))

    shelf.say("one")
    before = shelf.do(read(heads_now))
    shelf.say("two")
    after = shelf.do(read(heads_now))
    wanted = place_keys(np.array([1, 1]), np.array([2, 1]))
    assert turns.find(after, wanted).tolist() == [2, 1]
    assert turns.find(before, wanted).tolist() == [1]
