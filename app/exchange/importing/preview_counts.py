"""Counts for the preview of an import."""

import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from app.exchange.importing.batches import Batch
from app.exchange.model import ImportPreview, MessageRecord, SessionRecord
from app.memories.foreign_record import MemoryRecord, Problem

MAX_SECONDS: Final = 6.0
SHOWN_PROBLEMS: Final = 50


def without_remarks(problems: Iterable[Problem]) -> tuple[list[Problem], list[Problem]]:
    """Return the problems, and apart from them the remarks about what is no fault."""
    listed = list(problems)
    return [problem for problem in listed if not problem.foreign or problem.is_file], [
        problem for problem in listed if problem.foreign and not problem.is_file
    ]


class PreviewCounts:
    """Counts of what an import would make, limited in time.

    Args:
        found: What detection says.
        until: The moment on the monotonic clock after which nothing more is read.
    """

    def __init__(self, preview: ImportPreview, until: float | None = None) -> None:
        self._preview = preview
        self._until = time.monotonic() + MAX_SECONDS if until is None else until
        self._is_complete = False

    @property
    def is_finished(self) -> bool:
        """True when nothing more is to be read."""
        return self._is_complete or time.monotonic() > self._until

    def add(self, batch: Batch, known: int) -> None:
        """Count a batch, of which ``known`` records are there already."""
        kinds = Counter(type(record) for record in batch.records)
        before = self._preview
        problems, remarks = without_remarks(batch.problems)
        self._is_complete = batch.is_last
        self._preview = replace(
            before,
            notes=before.notes + kinds[MemoryRecord],
            conversations=before.conversations + kinds[SessionRecord],
            messages=before.messages + kinds[MessageRecord],
            attachments=before.attachments + batch.attachments,
            known=before.known + known,
            problems=(*before.problems, *problems)[:SHOWN_PROBLEMS],
            problem_count=before.problem_count + len(problems),
            remarks=(*before.remarks, *remarks)[:SHOWN_PROBLEMS],
            remark_count=before.remark_count + len(remarks),
            secrets=before.secrets + batch.secrets,
            items=batch.items or before.items,
        )

    def preview(self) -> ImportPreview:
        """Return what was counted."""
        return replace(self._preview, is_complete=self._is_complete)
