"""An import's report in words."""

from PySide6.QtCore import QCoreApplication

from app.exchange.model import ImportReport
from ui.shell.status_line import count, span


def tr(text: str) -> str:
    """Translate in this file's context."""
    return QCoreApplication.translate("Report", text)


def format_name(name: str) -> str:
    """Return what a person calls a format."""
    names = {
        "chatgpt": tr("ChatGPT export"),
        "claude": tr("Claude export"),
        "markdown": tr("Markdown notes"),
        "keepsake": tr("Keepsake export"),
    }
    return names.get(name, name)


def report_text(report: ImportReport) -> tuple[str, str]:
    """Return a heading and the lines below it."""
    title = tr("Stopped") if report.cancelled else tr("Imported")
    parts = [
        text.format(n=count(number))
        for number, text in (
            (report.sessions, tr("1 conversation") if report.sessions == 1 else tr("{n} conversations")),
            (report.messages, tr("1 message") if report.messages == 1 else tr("{n} messages")),
            (report.memories, tr("1 note") if report.memories == 1 else tr("{n} notes")),
        )
        if number
    ]
    lines = [(" · ".join(parts) or tr("Nothing new")) + " · " + tr("in {span}").format(span=span(report.seconds))]
    if report.updated:
        lines.append(tr("{n} updated").format(n=count(report.updated)))
    if report.unchanged:
        lines.append(tr("{n} were there already").format(n=count(report.unchanged)))
    if report.cancelled:
        lines.append(tr("What was imported so far stays. Import it again to continue."))
    if report.problem_count:
        lines.append(
            tr("{n} problems, each listed below; everything else went in.").format(n=count(report.problem_count))
        )
    return title, "\n".join(lines)


def problem_lines(report: ImportReport) -> list[str]:
    """Return one line a problem, and one about those not listed."""
    lines = [
        f"{item.place}: {item.what}" + ("" if item.lost or item.foreign else tr(" (repaired)"))
        for item in report.problems
    ]
    more = report.problem_count - len(report.problems)
    return [*lines, tr("… and {n} more").format(n=count(more))] if more > 0 else lines
