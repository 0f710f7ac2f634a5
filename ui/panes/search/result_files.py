"""Results as files: Markdown, HTML, PDF, CSV for tables, JSON Lines for programs."""

import csv
import io
import json
from collections.abc import Callable, Iterable, Sequence
from html import escape
from pathlib import Path
from typing import Final

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QMarginsF
from PySide6.QtGui import QPageLayout, QPageSize, QPdfWriter, QTextDocument

from app.core.files import replace_file
from app.retrieval.model import Hit
from ui.models.dates import full_date
from ui.panes.pane import Place
from ui.shell.navigation import link_of

COLUMNS: Final = ("link", "kind", "title", "date", "said_by", "from", "tags", "words", "text")
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")
"""Beginnings that a spreadsheet takes for a formula."""
_MARGIN_MM: Final = 18
_STYLE: Final = (
    "body { font: 16px/1.5 sans-serif; max-width: 44rem; margin: 2rem auto; padding: 0 1rem; }"
    " h2 { margin-bottom: 0; font-size: 1.1rem; } .about { color: #616a70; margin: 0; }"
    " .text { white-space: pre-wrap; }"
)


def markdown(query: str, hits: Sequence[Hit], untitled: str) -> str:
    """Return results as Markdown, a numbered list."""
    lines = [f"# {query}", ""]
    for number, hit in enumerate(hits, 1):
        who = ", ".join(part for part in (hit.author or hit.role, hit.agent, full_date(hit.created_at)) if part)
        title = " ".join((hit.title or untitled).split())
        lines += [f"{number}. **{title}** ({who}, <{_link(hit)}>)", f"   {' '.join(hit.snippet.split())}", ""]
    return "\n".join(lines)


def csv_table(query: str, hits: Sequence[Hit], untitled: str) -> str:
    """Return results as CSV with a line of headings; no cell is a formula."""
    del query
    file = io.StringIO(newline="")
    writer = csv.writer(file)
    writer.writerow(COLUMNS)
    for hit in hits:
        writer.writerow([_harmless(str(_flat(value))) for value in _values(hit, untitled)])
    return file.getvalue()


def json_lines(query: str, hits: Sequence[Hit], untitled: str) -> str:
    """Return results as JSON, one object a line."""
    del query
    rows = (dict(zip(COLUMNS, _values(hit, untitled), strict=True)) for hit in hits)
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def web_page(query: str, hits: Sequence[Hit], untitled: str) -> str:
    """Return results as a page of HTML that loads nothing."""
    title = escape(" ".join(query.split()))
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    parts = [
        '<!doctype html>\n<html>\n<head>\n<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        f"<title>{title}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>",
    ]
    for hit in hits:
        who = " \u00b7 ".join(filter(None, (hit.author or hit.role, hit.agent, full_date(hit.created_at))))
        tags = "".join(f" #{tag}" for tag in hit.tags)
        parts.append(
            f'<h2><a href="{escape(_link(hit))}">{escape(" ".join((hit.title or untitled).split()))}</a></h2>\n'
            f'<p class="about">{escape(who + tags)}</p>\n<p class="text">{escape(hit.snippet)}</p>'
        )
    return "\n".join([*parts, "</body>\n</html>\n"])


def pdf(query: str, hits: Sequence[Hit], untitled: str) -> bytes:
    """Return results as a PDF of A4 pages; for any thread."""
    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(buffer)
    writer.setTitle(" ".join(query.split()))
    writer.setPageSize(QPageSize(QPageSize.PageSizeId.A4))
    writer.setPageMargins(QMarginsF(_MARGIN_MM, _MARGIN_MM, _MARGIN_MM, _MARGIN_MM), QPageLayout.Unit.Millimeter)
    document = QTextDocument()
    document.setHtml(web_page(query, hits, untitled))
    document.print_(writer)
    buffer.close()
    return bytes(data.data())


FORMATS: Final[dict[str, Callable[[str, Sequence[Hit], str], str | bytes]]] = {
    ".md": markdown,
    ".html": web_page,
    ".pdf": pdf,
    ".csv": csv_table,
    ".jsonl": json_lines,
}
"""Writers by the ending of a file's name."""


def write_results(path: Path, query: str, hits: Sequence[Hit], untitled: str) -> None:
    """Write results to a file in the format of its name.

    An earlier file stays until they are written.

    Raises:
        KeepsakeError: It cannot be written.
    """
    text = FORMATS[path.suffix.lower()](query, hits, untitled)
    # Lone surrogates come from broken imports; a file is better with a mark for them than not written.
    replace_file(path, text if isinstance(text, bytes) else text.encode("utf-8", "replace"))


def _values(hit: Hit, untitled: str) -> tuple[str | list[str], ...]:
    return (
        _link(hit), hit.kind, hit.title or untitled, hit.created_at.isoformat(), hit.author or hit.role, hit.agent,
        list(hit.tags), list(hit.why.terms), hit.snippet,
    )  # fmt: skip


def _link(hit: Hit) -> str:
    if hit.target == "message" and hit.session_id:
        return link_of(Place("sessions", hit.session_id, str(hit.seq)))
    return link_of(Place("notes", hit.id))


def _flat(value: str | Iterable[str]) -> str:
    return value if isinstance(value, str) else " ".join(value)


def _harmless(cell: str) -> str:
    return f"'{cell}" if cell.startswith(_FORMULA) else cell
