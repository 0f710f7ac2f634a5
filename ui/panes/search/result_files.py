"""Results as files: Markdown to read, CSV for tables, JSON Lines for programs."""

import csv
import io
import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Final

from app.retrieval.model import Hit
from ui.models.dates import full_date
from ui.panes.pane import Place
from ui.shell.navigation import link_of

COLUMNS: Final = ("link", "kind", "title", "date", "said_by", "from", "tags", "words", "text")
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")
"""Beginnings that a spreadsheet takes for a formula."""


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


FORMATS: Final[dict[str, Callable[[str, Sequence[Hit], str], str]]] = {
    ".md": markdown,
    ".csv": csv_table,
    ".jsonl": json_lines,
}
"""Writers by the ending of a file's name."""


def write_results(path: Path, query: str, hits: Sequence[Hit], untitled: str) -> None:
    """Write results to a file in the format of its name.

    Raises:
        OSError: It cannot be written.
    """
    text = FORMATS[path.suffix.lower()](query, hits, untitled)
    # Lone surrogates come from broken imports; a file is better with a mark for them than not written.
    path.write_bytes(text.encode("utf-8", "replace"))


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
