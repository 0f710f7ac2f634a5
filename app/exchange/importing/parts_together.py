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


def joined(one: ImportPreview, other: ImportPreview) -> ImportPreview:
    """Return the preview of two sources together."""
    return replace(_sum(one, other, _OF_PREVIEW), is_complete=one.is_complete and other.is_complete)


def together(one: ImportReport, other: ImportReport) -> ImportReport:
    """Return the report of two imports together."""
    sums = _sum(one, other, _OF_REPORT)
    return replace(sums, cancelled=one.cancelled or other.cancelled, run_id=one.run_id or other.run_id)


def with_part(total: ImportPreview, name: str, files: int, found: ImportPreview) -> ImportPreview:
    """Return the preview of a folder with one more part."""
    part = ImportPart(name, found.format, files, found.conversations, found.messages, found.notes)
    return replace(joined(total, _placed(found, name)), parts=(*total.parts, part))


def with_report(total: ImportReport, name: str, files: int, made: ImportReport) -> ImportReport:
    """Return the report of a folder with one more part."""
    part = ImportPart(name, made.format, files, made.sessions, made.messages, made.memories)
    return replace(together(total, _placed(made, name)), parts=(*total.parts, part))


def _sum(one: T, other: T, names: tuple[str, ...]) -> T:
    sums = {name: getattr(one, name) + getattr(other, name) for name in names}
    sums |= {name: sums[name][:SHOWN_PROBLEMS] for name in ("problems", "remarks")}
    return replace(one, **sums)


def _placed(found: T, name: str) -> T:
    """Return a preview or report that names the part in its problems."""
    remarks = tuple(_in_part(remark, name) for remark in found.remarks if NOT_MARKDOWN not in remark.what)
    count = found.remark_count - len(found.remarks) + len(remarks)
    problems = tuple(_in_part(problem, name) for problem in found.problems)
    return replace(found, problems=problems, remarks=remarks, remark_count=count)


def _in_part(problem: Problem, name: str) -> Problem:
    """Return a problem whose place begins with the part that it is in."""
    own = PurePosixPath(name).name
    if name == "." or problem.place.startswith(name):
        return problem
    place = moved(problem.place, own, name)
    return replace(problem, place=place or Sentence("{part}: {place}", part=name, place=problem.place))
