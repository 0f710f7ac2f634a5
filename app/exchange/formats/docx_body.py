"""Parser of the body of a Word document; notes and comments are written alike.

mammoth 1.13.0 was tried: it resolves entities that a file declares, gives nothing of a damaged document, and leaves out
headers, footers and, by default, comments.
"""

import re
from typing import Final

from app.core.safe_xml import local

_HEADING: Final = re.compile(r"(?:heading|berschrift|titre|titolo)\s*([1-6])", re.IGNORECASE)
_LISTED: Final = re.compile(r"list(?!\s*title)", re.IGNORECASE)
_MARKS: Final = {"footnoteReference": "", "endnoteReference": "e", "commentReference": "c"}


class BodyParser:
    """Parser that collects the paragraphs and tables of a document."""

    def __init__(self) -> None:
        self.blocks: list[str] = []
        self._paragraph: list[str] = []
        self._prefix = ""
        self._is_text = False
        self._cell: list[str] = []
        self._row: list[str] = []
        self._rows: list[list[str]] = []
        self._tables = 0

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """Take the beginning of an element."""
        name, value = local(tag), next((v for k, v in attributes.items() if k.endswith(" val")), "")
        if name == "tbl":
            self._tables += 1
        elif name == "pStyle":
            match = _HEADING.search(value)
            self._prefix = f"{'#' * int(match[1])} " if match else "# " if value == "Title" else self._prefix
            if not match and _LISTED.match(value):
                self._prefix = self._prefix or "- "
        elif name == "ilvl" and value.isdecimal():
            self._prefix = f"{'  ' * min(int(value), 9)}- "
        elif name == "numPr":
            self._prefix = self._prefix or "- "
        elif name in _MARKS:
            key = next((v for k, v in attributes.items() if local(k) == "id"), "")
            self._paragraph.append(f"[^{_MARKS[name]}{key}]")
        elif name in ("tab", "br"):
            self._paragraph.append("\t" if name == "tab" else "\n")
        elif name in ("blip", "imagedata"):
            picture = next((v for k, v in attributes.items() if local(k) in ("embed", "id")), "")
            self._paragraph.append(f"\0{picture}\0")
        self._is_text = name == "t"

    def end(self, tag: str) -> None:
        """Take the end of an element."""
        name = local(tag)
        self._is_text = False
        if name == "p":
            self._end_paragraph()
        elif not self._tables:
            return
        elif name == "tc" and self._tables == 1:
            self._row.append(" ".join(filter(None, self._cell)).replace("|", "\\|"))
            self._cell = []
        elif name == "tr" and self._tables == 1:
            self._rows.append(self._row)
            self._row = []
        elif name == "tbl":
            self._tables -= 1
            if not self._tables:
                self.blocks.append(_table(self._rows))
                self._rows = []

    def text(self, data: str) -> None:
        """Take characters."""
        if self._is_text:
            self._paragraph.append(data)

    def finish(self) -> str:
        """Return the document as Markdown; of a damaged one, everything before the damage."""
        self._end_paragraph()
        if self._rows:
            self.blocks.append(_table(self._rows))
        text = "\n\n".join(filter(None, self.blocks))
        return re.sub(r"(?m)^(\s*- .*)\n\n(?=\s*- )", r"\1\n", text)

    def _end_paragraph(self) -> None:
        text = "".join(self._paragraph).strip()
        if self._tables:
            self._cell.append(" ".join(text.split()))
        elif text:
            self.blocks.append(self._prefix + text)
        self._paragraph, self._prefix = [], ""


def _table(rows: list[list[str]]) -> str:
    lines = [f"| {' | '.join(row)} |" for row in rows if row]
    if lines:
        lines.insert(1, f"|{' --- |' * len(rows[0])}")
    return "\n".join(lines)
