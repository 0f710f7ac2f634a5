"""Previews and reports of the parts of a folder, added up."""

from dataclasses import replace
from pathlib import PurePosixPath
from typing import Final, TypeVar

from app.exchange.formats.markdown import NOT_MARKDOWN
from app.exchange.model import ImportPart, ImportPreview, ImportReport
from app.exchange.parsing.item_places import moved
from app.memories.foreign_record import Problem
from app.sentence import Sentence

SHOWN_PROBLEMS: Final = 1000
_SUMS: Final = ("problem_count", "remark_count", "problems", "remarks", "secrets", "attachments", "items")
_OF_PREVIEW: Final = (*_SUMS, "bytes", "notes", "conversations", "messages", "known")
_OF_REPORT: Final = (
    *(*_SUMS, "sessions", "messages", "memories", "unchanged", "updated", "recalled", "skipped", "lost", "lost_files"),
)
T = TypeVar("T", ImportPreview, ImportReport)


def joined(first: ImportPreview, other: ImportPreview) -> ImportPreview:
    """Return the preview of two sources together."""
    return replace(_sum(first, other, _OF_PREVIEW), is_complete=first.is_complete and other.is_complete)


def together(first: ImportReport, other: ImportReport) -> ImportReport:
    """Return the report of two imports together."""
    sums = _sum(first, other, _OF_REPORT)
    return replace(sums, cancelled=first.cancelled or other.cancelled, run_id=first.run_id or other.run_id)


def with_part(total: ImportPreview, name: str, files: int, preview: ImportPreview) -> ImportPreview:
    """Return the preview of a folder with one more part."""
    part = ImportPart(name, preview.format, files, preview.conversations, preview.messages, preview.notes)
    return replace(joined(total, _placed(preview, name)), parts=(*total.parts, part))


def with_report(total: ImportReport, name: str, files: int, report: ImportReport) -> ImportReport:
    """Return the report of a folder with one more part."""
    part = ImportPart(name, report.format, files, report.sessions, report.messages, report.memories)
    return replace(together(total, _placed(report, name)), parts=(*total.parts, part))


def _sum(first: T, other: T, names: tuple[str, ...]) -> T:
    sums = {name: getattr(first, name) + getattr(other, name) for name in names}
    sums |= {name: sums[name][:SHOWN_PROBLEMS] for name in ("problems", "remarks")}
    return replace(first, **sums)


def _placed(part: T, name: str) -> T:
    """Return a preview or report that names the part in its problems."""
    remarks = tuple(_in_part(remark, name) for remark in part.remarks if NOT_MARKDOWN not in remark.what)
    count = part.remark_count - len(part.remarks) + len(remarks)
    problems = tuple(_in_part(problem, name) for problem in part.problems)
    return replace(part, problems=problems, remarks=remarks, remark_count=count)


def _in_part(problem: Problem, name: str) -> Problem:
    """Return a problem whose place begins with the part that it is in."""
    own = PurePosixPath(name).name
    if name == "." or problem.place.startswith(name):
        return problem
    place = moved(problem.place, own, name)
    return replace(problem, place=place or Sentence("{part}: {place}", part=name, place=problem.place))
