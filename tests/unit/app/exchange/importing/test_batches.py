"""Batches grow while storing is quick and shrink when it is not, so that nobody waits long for an import."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.exchange.importing.batches import MAX_RECORDS, TARGET_SECONDS, Batch, BatchPace, BatchReader
from app.exchange.model import MessageRecord, Position, Record
from app.memories.foreign_record import MemoryRecord
from app.sessions.model import NewMessage


def turns(count: int, text: str = "yes") -> Iterator[Record]:
    for _ in range(count):
        yield MessageRecord("talk", NewMessage("user", text))


def read_all(reader: BatchReader, seconds_each: float) -> list[Batch]:
    """Read as if storing took so long for each unit of weight."""
    batches = []
    while True:
        batch = reader.next()
        batches.append(batch)
        reader.took(batch, batch.weight * seconds_each)
        if batch.is_last:
            return batches


def test_quick_ones_grow_to_the_most(tmp_path: Path) -> None:
    sizes = [len(batch.records) for batch in read_all(BatchReader(turns(5_000), tmp_path), 1e-7)]
    assert sum(sizes) == 5_000
    assert sizes[0] < sizes[1] < max(sizes) == MAX_RECORDS


@pytest.mark.parametrize("seconds_each", [0.0002, 0.001, 0.002])
def test_slow_ones_take_about_the_time_allowed(tmp_path: Path, seconds_each: float) -> None:
    batches = read_all(BatchReader(turns(3_000), tmp_path), seconds_each)
    assert sum(len(batch.records) for batch in batches) == 3_000
    assert all(batch.weight * seconds_each < 1.2 * TARGET_SECONDS for batch in batches[2:])


def test_long_turns_and_memories_weigh_more(tmp_path: Path) -> None:
    short, long = (BatchReader(turns(500, text), tmp_path).next() for text in ("yes", "word " * 2_000))
    notes: Iterator[Record] = (MemoryRecord("note", f"n{number}", "", "text") for number in range(500))
    assert len(short.records) > 5 * len(BatchReader(notes, tmp_path).next().records)
    assert len(short.records) > 5 * len(long.records) > 0


def test_one_enormous_turn_is_a_batch(tmp_path: Path) -> None:
    reader = BatchReader(turns(2, "x" * 10_000_000), tmp_path)
    assert [len(reader.next().records) for _ in range(3)] == [1, 1, 0]


def test_nothing_but_positions_is_one_last_batch(tmp_path: Path) -> None:
    batch = BatchReader(iter([Position(1, 2), Position(2, 2)]), tmp_path).next()
    assert (batch.is_last, batch.records, batch.position) == (True, [], Position(2, 2))


@given(st.lists(st.tuples(st.floats(0, 1e6), st.floats(0, 100))))
def test_there_is_always_room_for_something(steps: list[tuple[float, float]]) -> None:
    pace = BatchPace()
    for weight, seconds in steps:
        pace.took(weight, seconds)
        assert pace.room > 0
