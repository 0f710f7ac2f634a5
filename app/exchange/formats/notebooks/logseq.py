"""Graphs of Logseq: page properties, journals, namespaces and references to blocks.

Texts stay as they are; names and links that only Logseq understands are added beside them.
"""

import re
from collections.abc import Iterable
from dataclasses import replace
from datetime import date
from pathlib import PurePosixPath
from typing import Final
from urllib.parse import unquote

from app.exchange.formats.notebooks.archive_files import read_file
from app.exchange.importing.source_files import SourceEntry
from app.memories.foreign_record import MemoryRecord

CONFIG: Final = "logseq/config.edn"
MAX_BYTES: Final = 64 << 20
_ID: Final = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_BLOCK: Final = re.compile(rf"^\s*(?:(?:[-*]\s+)?id:: *({_ID})|:id: *({_ID}))\s*$", re.MULTILINE | re.IGNORECASE)
_REFERENCE: Final = re.compile(rf"\(\(({_ID})\)\)")
_JOURNAL: Final = re.compile(r"(\d{4})[_-](\d\d)[_-](\d\d)")
_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


class LogseqGraph:
    """Names and blocks of a graph.

    Args:
        files: Its pages; each is searched for the ids of blocks.
    """

    def __init__(self, files: Iterable[SourceEntry]) -> None:
        self._pages: dict[str, str] = {}
        for file in files:
            data = read_file(file, MAX_BYTES)
            if isinstance(data, str):
                continue  # the reader of the note says so
            for match in _BLOCK.finditer(data.decode(errors="replace")):
                self._pages.setdefault(match[1] or match[2], PurePosixPath(file.name).stem)

    def enriched(self, record: MemoryRecord, place: str) -> MemoryRecord:
        """Return a page with its other names and with links for block references."""
        stem = PurePosixPath(place).stem
        known = record.attributes.get("aliases")
        aliases = [*(known if isinstance(known, list) else ()), *page_names(stem)]
        referred = (self._pages.get(key, "") for key in _REFERENCE.findall(record.content))
        blocks = [f"[[{page}]]" for page in dict.fromkeys(referred) if page and page != stem]
        added = {"aliases": list(dict.fromkeys(aliases)), "block_references": blocks}
        return replace(record, attributes=record.attributes | {name: value for name, value in added.items() if value})


def page_names(stem: str) -> list[str]:
    """Return the other names of a page: a journal's date, or its namespace."""
    if match := _JOURNAL.fullmatch(stem):
        try:
            day = date(int(match[1]), int(match[2]), int(match[3]))
        except ValueError:
            return []
        return [f"{_MONTHS[day.month - 1]} {day.day}{_ordinal(day.day)}, {day.year}", day.isoformat()]
    name = unquote(stem.replace("___", "/"))
    return [name] if name != stem else []


def _ordinal(day: int) -> str:
    return "th" if day in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
