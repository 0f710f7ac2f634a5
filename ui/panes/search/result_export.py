"""Export of all results of a search to a file that the person chooses."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QFileDialog

from app.errors import InputError, KeepsakeError
from app.sentence import Sentence
from ui import operations
from ui.engine_texts import error_text
from ui.models.dates import format_number
from ui.notice import Notice
from ui.panes.search.result_files import FORMATS, write_results
from ui.work import Work

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from app.retrieval.model import Found, Hit
    from ui.bridge import Bridge

MOST_RESULTS = 5_000
PAGE = 500
NAME = 40
"""Letters of the search in the name of its file."""


class ResultExport(QObject):
    """Writes all results of a search to a file that the person chooses.

    Writing goes on in another thread.

    Args:
        bridge: The connection to the engine.
        parent: The pane.
    """

    noticed = Signal(object)
    """A ``Notice`` about what was written, or why not."""

    def __init__(self, bridge: "Bridge", parent: "QWidget") -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._work = Work(self, bridge)
        self._pane = parent

    def ask_for_file(self, query: str, recipe: str | None) -> None:
        """Ask where to write the results of a search, and write them there."""
        box = QFileDialog(self._pane, self.tr("Export the results"))
        box.setObjectName("exportDialog")
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        box.setNameFilters([
            self.tr("Markdown, to read (*.md)"), self.tr("Web page (*.html)"), self.tr("PDF, to print (*.pdf)"),
            self.tr("CSV, for spreadsheets (*.csv)"),
            self.tr("JSON Lines, for programs (*.jsonl)"),
        ])  # fmt: skip
        box.setProperty("query", query)
        box.setProperty("recipe", recipe or "")
        box.selectFile(_file_name(query))
        box.setDefaultSuffix("md")
        box.filterSelected.connect(self._on_filter_selected)
        box.fileSelected.connect(self._on_file_selected)
        box.open()

    def _on_filter_selected(self, name: str) -> None:
        box = self.sender()
        if isinstance(box, QFileDialog):
            box.setDefaultSuffix(name.rpartition("*.")[2].rstrip(")"))

    def _on_file_selected(self, name: str) -> None:
        box = self.sender()
        if name and box is not None:
            self._work.start(self.export(str(box.property("query")), str(box.property("recipe")) or None, Path(name)))

    async def export(self, query: str, recipe: str | None, path: Path) -> None:
        """Write the results of a search, at most ``MOST_RESULTS``, and tell how it went."""
        try:
            hits, total = await self._all(query, recipe)
            await asyncio.to_thread(_write, path, query, hits, self.tr("Untitled"))
        except KeepsakeError as error:
            self._tell(Notice(error_text(error), kind="error"))
            return
        words = self.tr("Exported 1 result to {file}")
        if len(hits) < total:
            words = self.tr("Exported the first {count} of {all} results to {file}")
        elif len(hits) != 1:
            words = self.tr("Exported {count} results to {file}")
        count, everything = format_number(len(hits)), format_number(total)
        self._tell(Notice(words.format(count=count, all=everything, file=path.name)))

    async def _all(self, query: str, recipe: str | None) -> "tuple[list[Hit], int]":
        """Return the results page by page, each once, and how many there are."""
        hits: dict[str, Hit] = {}
        offset = total = 0
        while offset < MOST_RESULTS:
            asking: dict[str, Any] = {"query": query, "recipe": recipe, "limit": PAGE, "offset": offset}
            result: Found = await self._bridge.call(operations.memory.search(**asking))
            hits |= {hit.id: hit for hit in result.hits if hit.id not in hits}
            total, offset = max(total, result.candidates), offset + PAGE
            if len(result.hits) < PAGE:
                return list(hits.values()), len(hits)
        return list(hits.values()), max(total, len(hits))

    def _tell(self, notice: Notice) -> None:
        self.noticed.emit(notice)


def _write(path: Path, query: str, hits: "list[Hit]", untitled: str) -> None:
    """Write results to a file.

    Raises:
        InputError: The name of the file has another ending.
        KeepsakeError: It cannot be written.
    """
    if path.suffix.lower() not in FORMATS:
        raise InputError(Sentence("Give the file a name that ends in {names}.", names=", ".join(FORMATS)), field="path")
    write_results(path, query, hits, untitled)


def _file_name(query: str) -> str:
    """Return a name for the file of a search, without signs that file systems refuse."""
    words = "".join(sign if sign.isalnum() else " " for sign in query)
    return " ".join(words.split())[:NAME].strip() or "search"
