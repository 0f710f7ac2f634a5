"""An import's report in words."""

from app.core.declared_operations import declared_operations
from app.exchange.model import MIXED, CapsuleOrigin, ImportPart, ImportPreview, ImportReport, ItemCounts
from ui.engine_texts import engine_text
from ui.models.dates import counted, format_number, full_date
from ui.shell.status.status_line import amount, span
from ui.translation import translate

SHOWN_PROBLEMS = 8
_KILOBYTES_TILL = 1_000_000


def format_name(name: str) -> str:
    """Return what a person calls a format."""
    if name == MIXED:
        return translate("Report", "Several kinds of exports")
    return engine_text(declared_operations().formats.get(name, name))


def part_text(part: ImportPart) -> str:
    """Return what a part of a folder is, and how much is in it."""
    files = translate("Report", "{n} files").format(n=format_number(part.files)) if part.files > 1 else ""
    counts = _counts(part.conversations, part.messages, part.notes, 0)
    return " · ".join(filter(None, (part.name, format_name(part.format), files, counts)))


def size_text(size: int) -> str:
    """Return the size of a file, small ones in kilobytes."""
    if size >= _KILOBYTES_TILL:
        return amount(size, "bytes")
    return translate("Report", "{n} kB").format(n=format_number(max(1, round(size / 1000))))


def preview_text(preview: ImportPreview) -> str:
    """Return what an import would make, a line for each kind of news."""
    if preview.is_locked:
        return translate("Report", "Type its passphrase to see what it holds.")
    counts = _counts(preview.conversations, preview.messages, preview.notes, preview.attachments)
    lines = [
        counts if preview.is_complete or not counts else translate("Report", "At least {made}").format(made=counts)
    ]
    if preview.known == 1:
        lines.append(translate("Report", "1 conversation or note is there already"))
    elif preview.known:
        lines.append(
            translate("Report", "{n} conversations and notes are there already").format(n=format_number(preview.known))
        )
    lines.append(_account_text(preview.items))
    if preview.problem_count == 1:
        lines.append(translate("Report", "1 problem:"))
    elif preview.problem_count:
        lines.append(translate("Report", "{n} problems:").format(n=format_number(preview.problem_count)))
    lines += [
        f"• {engine_text(problem.place)}: {engine_text(problem.what)}" for problem in preview.problems[:SHOWN_PROBLEMS]
    ]
    if preview.remarks:
        lines.append(translate("Report", "Good to know:"))
        lines += [
            f"• {engine_text(remark.place)}: {engine_text(remark.what)}" for remark in preview.remarks[:SHOWN_PROBLEMS]
        ]
    return "\n".join(filter(None, lines))


def _account_text(items: ItemCounts) -> str:
    """Return how many items of the source are not stored, ``""`` where all are."""
    if not items.left_out:
        return ""
    words = counted(
        items.left_out,
        translate("Report", "1 of {all} lines, messages or files in it is left out"),
        translate("Report", "{n} of {all} lines, messages or files in it are left out"),
    )
    return words.format(all=format_number(items.read))


def capsule_text(origin: CapsuleOrigin) -> str:
    """Return whom a capsule is from, with their key, and its last day."""
    sender = origin.sender or translate("Report", "somebody without a name")
    if origin.is_own:
        lines = [translate("Report", "You made it yourself.")]
    else:
        lines = [translate("Report", "It says that it is from {name}.").format(name=sender)]
    if origin.recipient:
        lines.append(translate("Report", "For {name}").format(name=origin.recipient))
    lines.append(translate("Report", "Key: {key}").format(key=origin.fingerprint))
    if origin.known_since is not None:
        known = translate("Report", "You know this key since {day}, as that of {name}.")
        name = origin.known_as or translate("Report", "somebody without a name")
        lines.append(known.format(day=full_date(origin.known_since), name=name))
    lines.append(translate("Report", "It can be imported until {day}.").format(day=full_date(origin.expires_at)))
    return "\n".join(lines)


def unknown_key_text(origin: CapsuleOrigin) -> str:
    """Return the warning about a key that is not known, ``""`` for none."""
    if origin.is_own or origin.known_since is not None:
        return ""
    return translate(
        "Report",
        "You have imported nothing with this key so far, and anybody can write that name. Ask the sender for their key"
        " in another way, such as by telephone, and compare it with the one above.",
    )


def secrets_text(number: int) -> str:
    """Return the words of the choice to leave out texts with secrets."""
    if number == 1:
        return translate("Report", "Leave out 1 text that looks as if it held a key or a password")
    return translate("Report", "Leave out {n} texts that look as if they held a key or a password").format(
        n=format_number(number)
    )


def _counts(conversations: int, messages: int, notes: int, attachments: int) -> str:
    """Return the numbers of what there is, without what there is none of."""
    parts = [
        text.format(n=format_number(number))
        for number, text in (
            (
                conversations,
                translate("Report", "1 conversation")
                if conversations == 1
                else translate("Report", "{n} conversations"),
            ),
            (messages, translate("Report", "1 message") if messages == 1 else translate("Report", "{n} messages")),
            (notes, translate("Report", "1 note") if notes == 1 else translate("Report", "{n} notes")),
            (
                attachments,
                translate("Report", "1 attachment") if attachments == 1 else translate("Report", "{n} attachments"),
            ),
        )
        if number
    ]
    return " · ".join(parts)


def report_text(report: ImportReport) -> tuple[str, str]:
    """Return a heading and the lines below it."""
    title = translate("Report", "Stopped") if report.cancelled else translate("Report", "Imported")
    counts = _counts(report.sessions, report.messages, report.memories, report.attachments)
    lines = [
        (counts or translate("Report", "Nothing new"))
        + " · "
        + translate("Report", "in {span}").format(span=span(report.seconds))
    ]
    if report.updated:
        lines.append(translate("Report", "{n} updated").format(n=format_number(report.updated)))
    if report.unchanged:
        lines.append(translate("Report", "{n} were there already").format(n=format_number(report.unchanged)))
    if report.skipped:
        lines.append(
            translate("Report", "{n} left out that may hold a key or a password").format(
                n=format_number(report.skipped)
            )
        )
    if report.cancelled:
        lines.append(translate("Report", "What was imported so far stays. Import it again to continue."))
    lines += [part_text(part) for part in report.parts]
    lines.append(_account_text(report.items))
    if report.problem_count == 1:
        lines.append(translate("Report", "1 problem, listed below; everything else went in."))
    elif report.problem_count:
        lines.append(
            translate("Report", "{n} problems, each listed below; everything else went in.").format(
                n=format_number(report.problem_count)
            )
        )
    lines = list(filter(None, lines))
    return title, "\n".join(lines)


def problem_lines(report: ImportReport) -> list[str]:
    """Return one line a problem, and one about those not listed."""
    lines = [
        f"{engine_text(item.place)}: {engine_text(item.what)}"
        + ("" if item.lost or item.foreign else translate("Report", " (repaired)"))
        for item in (*report.problems, *report.remarks)
    ]
    more = report.problem_count + report.remark_count - len(lines)
    return [*lines, translate("Report", "… and {n} more").format(n=format_number(more))] if more > 0 else lines
