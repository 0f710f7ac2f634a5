"""Sums of the batches of an import."""

import time
from dataclasses import dataclass, field, replace

from app.exchange.importing.batches import Batch
from app.exchange.importing.preview_counts import without_remarks
from app.exchange.model import ImportReport
from app.memories.foreign_record import Problem

MAX_PROBLEMS = 1000


@dataclass(frozen=True, slots=True)
class Ingested:
    """Counts of one stored batch: new, unchanged and updated records, and problems.

    ``seconds`` is how long the processor was busy with it; 0 where that is not known. ``run_id`` names the import in
    the history of memories.
    """

    sessions: int = 0
    messages: int = 0
    memories: int = 0
    unchanged: int = 0
    updated: int = 0
    problems: tuple[Problem, ...] = ()
    seconds: float = 0.0
    run_id: str = ""
    secrets: int = 0
    recalled: int = 0


@dataclass(slots=True)
class ImportTally:
    """Adds up an import's batches."""

    report: ImportReport
    begun: float = field(default_factory=time.monotonic)

    def add(self, batch: Batch, stored: Ingested) -> None:
        """Count a batch that went in."""
        report = self.report
        everything = (*batch.problems, *stored.problems)
        problems, remarks = without_remarks(everything)
        self.report = replace(
            report,
            sessions=report.sessions + stored.sessions,
            messages=report.messages + stored.messages,
            memories=report.memories + stored.memories,
            unchanged=report.unchanged + stored.unchanged,
            updated=report.updated + stored.updated,
            problems=(*report.problems, *problems[: MAX_PROBLEMS - len(report.problems)]),
            problem_count=report.problem_count + len(problems),
            remarks=(*report.remarks, *remarks[: MAX_PROBLEMS - len(report.remarks)]),
            remark_count=report.remark_count + len(remarks),
            run_id=stored.run_id or report.run_id,
            secrets=report.secrets + stored.secrets,
            recalled=report.recalled + stored.recalled,
            attachments=report.attachments + batch.attachments,
            skipped=report.skipped + batch.secrets,
            lost=report.lost + sum(problem.count for problem in problems if problem.lost),
            lost_files=report.lost_files + sum(problem.is_file for problem in problems),
            items=report.items if batch.items is None else report.items + batch.items,
        )

    def finished(self, *, cancelled: bool) -> ImportReport:
        """Return the report of the whole import."""
        return replace(self.report, cancelled=cancelled, seconds=round(time.monotonic() - self.begun, 3))

    @property
    def detail(self) -> str:
        """Progress in words: how much was imported so far."""
        counts = (("messages", self.report.messages), ("memories", self.report.memories))
        return ", ".join(f"{count:,} {name}" for name, count in counts if count)
