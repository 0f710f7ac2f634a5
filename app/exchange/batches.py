"""A reader's records in batches of a size one transaction can take."""

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from app.exchange.model import MemoryRecord, MessageRecord, Position, Problem, Record, SessionRecord
from app.exchange.source import readable

Storable = SessionRecord | MessageRecord | MemoryRecord

MAX_RECORDS = 500
MAX_CHARACTERS = 4 << 20
MAX_SECONDS = 0.25


@dataclass(slots=True)
class Batch:
    """What was read in one go, and how far that brought the reader; ``is_last`` when nothing follows."""

    records: list[Storable] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    position: Position | None = None
    is_last: bool = False


class BatchReader:
    """Draws batches from a reader. One thread at a time may use it.

    Args:
        records: The reader.
        path: What it reads, for errors.
    """

    def __init__(self, records: Iterator[Record], path: Path) -> None:
        self._records = records
        self._path = path

    def next(self) -> Batch:
        """Read until a batch is full, or for a quarter of a second.

        Raises:
            FormatError: The source cannot be read as what it was taken for.
            MachineError: The machine refuses to read it.
        """
        batch, size = Batch(), 0
        until = time.monotonic() + MAX_SECONDS
        with readable(self._path):
            for record in self._records:
                if isinstance(record, Position):
                    batch.position = record
                elif isinstance(record, Problem):
                    batch.problems.append(record)
                else:
                    batch.records.append(record)
                    size += _size(record)
                if len(batch.records) >= MAX_RECORDS or size >= MAX_CHARACTERS or time.monotonic() > until:
                    return batch
        batch.is_last = True
        return batch

    def close(self) -> None:
        """Let go of the files the reader holds open."""
        close = getattr(self._records, "close", None)
        if close is not None:
            close()


def _size(record: Storable) -> int:
    if isinstance(record, MessageRecord):
        return len(record.message.content)
    return len(record.content) if isinstance(record, MemoryRecord) else len(record.title)
