"""Batches of imported records, small enough for a short transaction each.

So no other writer waits long for an import.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from app.exchange.importing.accounting import Account, kept_by
from app.exchange.importing.secret_texts import holds_secret
from app.exchange.importing.source_files import readable
from app.exchange.model import (
    AttachmentRecord,
    ItemCounts,
    MessageRecord,
    Position,
    Record,
    SessionRecord,
    VaultDetail,
)
from app.memories.foreign_record import MemoryRecord, Problem

Storable = SessionRecord | MessageRecord | MemoryRecord | VaultDetail

MAX_RECORDS = 2_000
MAX_CHARACTERS = 4 << 20
MAX_SECONDS = 0.25
TARGET_SECONDS = 0.04

_FIRST_ROOM = 64.0
_LEAST_ROOM = 8.0
_GROWTH = 2.0
# What records cost beside a short message: a memory has tags, links, history and several chunks.
_MEMORY_WEIGHT = 10.0
_CHARACTERS = 1_000


@dataclass(slots=True)
class Batch:
    """Batch of records, with the position that the reader reached.

    ``is_last`` says that nothing follows; ``weight`` says how much work storing it is, in short messages. ``items`` is
    the account of the source, known with the last batch.
    """

    records: list[Storable] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    position: Position | None = None
    is_last: bool = False
    weight: float = 0.0
    attachments: int = 0
    secrets: int = 0
    items: ItemCounts | None = None


def _keep_nothing(_record: AttachmentRecord) -> Problem | None:
    return None


@dataclass(frozen=True, slots=True)
class Intake:
    """Handling of attachments and of texts with secrets.

    Args:
        keep: Stores an attachment, and returns what is wrong with it; called in the reader's thread.
        secrets: Whether texts that look as if they held a secret are not looked for, counted, or left out.
    """

    keep: Callable[[AttachmentRecord], Problem | None] = _keep_nothing
    secrets: Literal["ignore", "count", "skip"] = "ignore"


class BatchPace:
    """Batch size, learned from the time that the last batches took."""

    def __init__(self) -> None:
        self.room = _FIRST_ROOM

    def took(self, weight: float, seconds: float) -> None:
        """Note how long storing a batch of ``weight`` took."""
        if weight > 0 and seconds > 0:
            fitting = weight * TARGET_SECONDS / seconds
            self.room = max(_LEAST_ROOM, min(fitting, self.room * _GROWTH))


class BatchReader:
    """Draws batches from a reader. One thread at a time may use it.

    Args:
        records: The reader.
        path: What it reads, for errors.
        intake: What becomes of attachments and secrets.
        account: Counts what the reader passes over.
    """

    def __init__(
        self, records: Iterator[Record], path: Path, intake: Intake = Intake(), account: Account | None = None
    ) -> None:
        self._records = records
        self._account = account or Account()
        self._intake = intake
        self._path = path
        self._pace = BatchPace()

    def next(self) -> Batch:
        """Read until a batch is full, or for a quarter of a second.

        Raises:
            FormatError: The source cannot be read as what it was taken for.
            MachineError: The machine refuses to read it.
        """
        batch, size = Batch(), 0
        until = time.monotonic() + MAX_SECONDS
        with readable(self._path), kept_by(self._account):
            for record in self._records:
                self._account.add(record)
                if isinstance(record, Position):
                    batch.position = record
                elif isinstance(record, Problem):
                    batch.problems.append(record)
                elif isinstance(record, AttachmentRecord):
                    self._attach(record, batch)
                elif not self._is_left_out(record, batch):
                    batch.records.append(record)
                    size += _size(record)
                    batch.weight += _weight(record)
                is_full = len(batch.records) >= MAX_RECORDS or batch.weight >= self._pace.room
                if is_full or size >= MAX_CHARACTERS or time.monotonic() > until:
                    return batch
        batch.is_last = True
        batch.items, left_out = self._account.close(self._path.name)
        batch.problems += left_out
        return batch

    def _attach(self, record: AttachmentRecord, batch: Batch) -> None:
        problem = self._intake.keep(record)
        if problem is None:
            batch.attachments += 1
        else:
            batch.problems.append(problem)

    def _is_left_out(self, record: Storable, batch: Batch) -> bool:
        if self._intake.secrets == "ignore" or not holds_secret(record):
            return False
        batch.secrets += 1
        return self._intake.secrets == "skip"

    def took(self, batch: Batch, seconds: float) -> None:
        """Note how long storing a batch took, which sizes the next ones."""
        self._pace.took(batch.weight, seconds)

    def close(self) -> None:
        """Let go of the files the reader holds open."""
        close = getattr(self._records, "close", None)
        if close is not None:
            close()


def _size(record: Storable) -> int:
    if isinstance(record, MessageRecord):
        return len(record.message.content)
    if isinstance(record, VaultDetail):
        return sum(len(value) for value in record.fields.values() if isinstance(value, str))
    return len(record.content) if isinstance(record, MemoryRecord) else len(record.title)


def _weight(record: Storable) -> float:
    return (_MEMORY_WEIGHT if isinstance(record, MemoryRecord | VaultDetail) else 1.0) + _size(record) / _CHARACTERS
