"""Reports of long work, in words."""

from typing import TYPE_CHECKING

from app.cli.terminal import one_line, printable
from app.core.declared_operations import declared_operations
from app.core.text import counted, plural
from app.exchange.model import MIXED

# Only to check types: 'keepsake capture' has no use for these and should not wait for them.
if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.changes import Progress
    from app.exchange.model import CapsuleOrigin, ExportReport, ImportPart, ImportPreview, ImportReport
    from app.memories.foreign_record import Problem
    from app.upkeep.model import CheckReport

SHOWN_PROBLEMS = 20
SHOWN_PLACES = 3
_KILO = 1000


def _title(name: str) -> str:
    """Return what people call a format."""
    return "Several kinds of exports" if name == MIXED else declared_operations().formats.get(name, name)


def preview_lines(preview: "ImportPreview") -> list[str]:
    """Return what an import would make."""
    beginning = "" if preview.is_complete else "of its beginning, as counting the rest takes long: "
    holds = f"{counted(preview.conversations, 'conversation')} with {counted(preview.messages, 'message')}"
    sentence = (
        f"{holds}, {counted(preview.notes, 'note or fact', 'notes and facts')}, {counted(preview.attachments, 'file')}"
    )
    lines = [f"{_title(preview.format)}, {size_words(preview.bytes)}: {beginning}{sentence}."]
    lines += _part_lines(preview.parts)
    if preview.capsule is not None:
        lines.append(_capsule_line(preview.capsule))
    if preview.known:
        lines.append(f"{counted(preview.known, 'conversation or note', 'conversations and notes')} there already.")
    if preview.secrets:
        which = "1 text looks" if preview.secrets == 1 else f"{preview.secrets:,} texts look"
        lines.append(f"{which} as if holding a key or a password; --skip-secrets leaves such texts out.")
    return lines + _account_lines(preview) + _problem_lines(preview)


def _part_lines(parts: "Sequence[ImportPart]") -> list[str]:
    """Return a line for each part of a folder, with its counts."""
    lines = []
    for part in parts:
        files = f", {counted(part.files, 'file')}" if part.files > 1 else ""
        held = ((part.conversations, "conversation", ""), (part.messages, "message", ""))
        counts = [counted(*count) for count in (*held, (part.notes, "note or fact", "notes and facts")) if count[0]]
        lines.append(f"  {printable(part.name)} ({_title(part.format)}{files}): {', '.join(counts) or 'nothing new'}")
    return lines


def _capsule_line(origin: "CapsuleOrigin") -> str:
    key = f"the key {origin.fingerprint}"
    if origin.is_own:
        return f"You made it yourself, with {key}."
    sender = one_line(origin.sender) or "somebody without a name"
    if origin.known_since is None:
        return (
            f"It says that it is from {sender}, with {key}, from which you have imported nothing so far. Anybody can"
            " write that name: ask them for their key in another way, and compare."
        )
    name = one_line(origin.known_as) or "somebody without a name"
    return f"It is from {sender}, with {key}, which you know as {name} since {origin.known_since:%Y-%m-%d}."


def import_lines(report: "ImportReport") -> list[str]:
    """Return what an import did."""
    verb = "Stopped after importing" if report.cancelled else "Imported"
    source = one_line(report.source)
    lines = [f"{verb} {_holdings(report)} from {source} ({_title(report.format)}, {report.seconds:.1f} s)."]
    lines += _part_lines(report.parts)
    if report.updated:
        lines.append(f"{counted(report.updated, 'item')} changed since the last import and brought up to date.")
    if report.unchanged:
        lines.append(f"{counted(report.unchanged, 'item')} there already.")
    if report.secrets:
        lines.append(f"{counted(report.secrets, 'secret')} replaced by a mark; the setting capture.secrets keeps them.")
    if report.attachments:
        lines.append(f"{counted(report.attachments, 'file')} came along as attachments.")
    if report.skipped:
        lines.append(f"{counted(report.skipped, 'text')} left out that may hold a key or a password.")
    if report.recalled:
        lines.append(f"Keepsake's own text was left out of {counted(report.recalled, 'message')}.")
    return lines + _account_lines(report) + _problem_lines(report)


def export_lines(report: "ExportReport") -> list[str]:
    """Return what an export wrote."""
    files = "" if report.files == 1 else f" in {counted(report.files, 'file')}"
    lines = [f"Wrote {_holdings(report)}{files} ({size_words(report.bytes)}) to {printable(report.path)}."]
    if report.skipped:
        names = ", ".join(map(printable, report.skipped[:10])) + (" …" if len(report.skipped) > 10 else "")  # noqa: PLR2004
        files = counted(
            len(report.skipped), "attachment could not be read and was", "attachments could not be read and were"
        )
        lines.append(f"{files} left out: {names}")
    return lines


def check_lines(report: "CheckReport") -> list[str]:
    """Return what a check found."""
    lines = []
    for finding in report.findings:
        lines += [f"{finding.severity}: {finding.area}: {printable(finding.what)}", f"  {printable(finding.remedy)}"]
    sound = "The vault is sound" if report.ok else "The vault has errors"
    return [*lines, f"{sound} ({report.seconds:.1f} s)."]


def progress_words(progress: "Progress") -> str:
    """Return how far work has come, on one line."""
    is_bytes = progress.unit == "bytes"
    done = size_words(progress.done) if is_bytes else counted(progress.done, _singular(progress.unit), progress.unit)
    parts = [one_line(progress.title)]
    if progress.total:
        parts.append(f"{min(100, 100 * progress.done // progress.total)} %")
    parts.append(one_line(progress.detail) if progress.detail and not progress.done else done)
    if progress.rate:
        parts.append(f"{size_words(int(progress.rate)) if is_bytes else f'{progress.rate:,.0f}'}/s")
    return "  ".join(parts)


def size_words(size: int) -> str:
    """Return a number of bytes as a person says it: ``12 kB``, ``3.4 MB``."""
    amount = float(size)
    for unit in ("bytes", "kB", "MB"):
        if amount < _KILO:
            return f"{amount:.0f} {unit}" if unit != "MB" else f"{amount:.1f} {unit}"
        amount /= _KILO
    return f"{amount:.1f} GB"


def _holdings(report: "ImportReport | ExportReport") -> str:
    conversations = f"{counted(report.sessions, 'conversation')} with {counted(report.messages, 'message')}"
    return f"{conversations}, and {counted(report.memories, 'note or fact', 'notes and facts')}"


def _account_lines(report: "ImportReport | ImportPreview") -> list[str]:
    """Return the account of the source where something in it was not stored."""
    items = report.items
    if not items.left_out and not items.wordless:
        return []
    read = counted(items.read, items.noun, plural(items.noun))
    parts = [f"{items.stored:,} stored"]
    parts += [f"{items.left_out:,} left out, as named below"] if items.left_out else []
    parts += [f"{items.wordless:,} in which nobody says anything"] if items.wordless else []
    return [f"Of {read} in it: {', '.join(parts)}."]


def _problem_lines(report: "ImportReport | ImportPreview") -> list[str]:
    lines: list[str] = []
    if report.problem_count:
        lines.append(f"{counted(report.problem_count, 'problem')}:")
        lines += _alike_lines(report.problems, report.problem_count)
    if report.remark_count:
        lines.append("To know:")
        lines += _alike_lines(report.remarks, report.remark_count)
    return lines


def _alike_lines(problems: "Sequence[Problem]", count: int) -> list[str]:
    """Return a line for each sort of problem, with some of its places."""
    lines: list[str] = []
    places: dict[str, list[str]] = {}
    for problem in problems:
        places.setdefault(f"{printable(problem.what)}{_outcome(problem)}", []).append(printable(problem.place))
    shown = 0
    for what, alike in list(places.items())[:SHOWN_PROBLEMS]:
        shown += len(alike)
        others = f" and {len(alike) - SHOWN_PLACES:,} more" if len(alike) > SHOWN_PLACES else ""
        lines.append(f"  {', '.join(alike[:SHOWN_PLACES])}{others}: {what}")
    if (more := count - shown) > 0:
        lines.append(f"  … and {more:,} more.")
    return lines


def _outcome(problem: "Problem") -> str:
    if "left out" in problem.what:
        return ""
    if problem.is_file:
        return " (left out)"
    if problem.foreign:
        return ""
    return " (left out)" if problem.lost else " (repaired)"


def _singular(plural_noun: str) -> str:
    return f"{plural_noun[:-3]}y" if plural_noun.endswith("ies") else plural_noun.removesuffix("s")
