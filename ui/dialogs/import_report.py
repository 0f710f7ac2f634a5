"""An import's report in words."""

from app.exchange.model import ImportReport
from ui.shell.status_line import count, span
from ui.translation import translate


def format_name(name: str) -> str:
    """Return what a person calls a format."""
    names = {
        "chatgpt": translate("Report", "ChatGPT export"),
        "claude": translate("Report", "Claude export"),
        "markdown": translate("Report", "Markdown notes"),
        "keepsake": translate("Report", "Keepsake export"),
    }
    return names.get(name, name)


def report_text(report: ImportReport) -> tuple[str, str]:
    """Return a heading and the lines below it."""
    title = translate("Report", "Stopped") if report.cancelled else translate("Report", "Imported")
    parts = [
        text.format(n=count(number))
        for number, text in (
            (
                report.sessions,
                translate("Report", "1 conversation")
                if report.sessions == 1
                else translate("Report", "{n} conversations"),
            ),
            (
                report.messages,
                translate("Report", "1 message") if report.messages == 1 else translate("Report", "{n} messages"),
            ),
            (
                report.memories,
                translate("Report", "1 note") if report.memories == 1 else translate("Report", "{n} notes"),
            ),
        )
        if number
    ]
    lines = [
        (" · ".join(parts) or translate("Report", "Nothing new"))
        + " · "
        + translate("Report", "in {span}").format(span=span(report.seconds))
    ]
    if report.updated:
        lines.append(translate("Report", "{n} updated").format(n=count(report.updated)))
    if report.unchanged:
        lines.append(translate("Report", "{n} were there already").format(n=count(report.unchanged)))
    if report.cancelled:
        lines.append(translate("Report", "What was imported so far stays. Import it again to continue."))
    if report.problem_count:
        lines.append(
            translate("Report", "{n} problems, each listed below; everything else went in.").format(
                n=count(report.problem_count)
            )
        )
    return title, "\n".join(lines)


def problem_lines(report: ImportReport) -> list[str]:
    """Return one line a problem, and one about those not listed."""
    lines = [
        f"{item.place}: {item.what}" + ("" if item.lost or item.foreign else translate("Report", " (repaired)"))
        for item in report.problems
    ]
    more = report.problem_count - len(report.problems)
    return [*lines, translate("Report", "… and {n} more").format(n=count(more))] if more > 0 else lines
