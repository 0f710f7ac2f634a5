"""Projects and memories in Claude's data export: ``projects.json``, ``projects/*.json`` and ``memories.json``."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from app.core.clock import parse_instant
from app.core.text import content_hash, storable
from app.exchange.formats.chats.chat_records import files
from app.exchange.model import Record
from app.exchange.parsing.item_places import numbered
from app.exchange.parsing.json_items import JsonItem, entry_items
from app.exchange.parsing.lenient import first_text, row, table, text
from app.memories.foreign_record import MemoryRecord, Problem
from app.sentence import Sentence

_FILES: Final = re.compile(r"(?:[^/]*/)?(?:projects(?:/[^/]+)?|memories)\.json", re.IGNORECASE)
_MEMORIES: Final = "memories.json"
TAG: Final = "claude"

Foreign = dict[str, Any]


def read(path: Path, cancelled: Callable[[], bool]) -> Iterator[Record]:
    """Read projects and memories as notes.

    A project's instructions are a note, each of its documents is one, and so is what Claude remembers of the person
    and of each project.

    Args:
        path: The zip or the unpacked folder; a single file has neither.
        cancelled: Asked now and then; reading stops when it says so.
    """
    names: dict[str, str] = {}
    with files(path, _FILES) as exported:
        if path.is_file() and all(entry.name == path.name for entry in exported):
            return
        for entry in sorted(exported, key=lambda entry: entry.name.endswith(_MEMORIES)):
            is_memory = entry.name.lower().endswith(_MEMORIES)
            for thing in entry_items(entry, cancelled, "memory" if is_memory else "project"):
                if isinstance(thing, JsonItem):
                    yield from _memories(table(thing.value), names) if is_memory else _project(thing, names)
                elif isinstance(thing, Problem):
                    yield thing
            if cancelled():
                return


def _project(item: JsonItem, names: dict[str, str]) -> Iterator[Record]:
    project = table(item.value)
    key = text(project.get("uuid")) or content_hash(text(project.get("name")), text(project.get("created_at")))
    title = storable(first_text(project, "name"))[0] or "Claude"
    names[key] = title
    created, changed = parse_instant(project.get("created_at")), parse_instant(project.get("updated_at"))
    parts = (first_text(project, "description"), first_text(project, "prompt_template"))
    if about := "\n\n".join(part.strip() for part in parts if part):
        yield _note(f"project/{key}", title, about, created, changed)
    if not isinstance(project.get("docs", []), list):
        yield Problem(item.place, Sentence("Its documents ('docs') are no list and were left out."))
    for number, document in enumerate(map(table, row(project.get("docs"))), 1):
        words = first_text(document, "content")
        if not words:
            yield Problem(
                numbered(item.place, "document", number), Sentence("It has no text and was left out."), lost=False
            )
            continue
        name = storable(first_text(document, "filename"))[0] or f"{title} {number}"
        written = parse_instant(document.get("created_at")) or created
        foreign = text(document.get("uuid")) or content_hash(name, words)
        yield _note(f"project/{key}/{foreign}", f"{name} ({title})", words, written, written)


def _memories(given: Foreign, names: dict[str, str]) -> Iterator[Record]:
    account = text(given.get("account_uuid"))
    if memory := first_text(given, "conversations_memory"):
        yield _note(f"memory/{account}", "What Claude remembers", memory, None, None)
    for key, memory in table(given.get("project_memories")).items():
        if text(memory).strip():
            yield _note(f"memory/{key}", f"What Claude remembers of {names.get(key, 'a project')}", memory, None, None)


def _note(key: str, title: str, text: str, created: int | None, changed: int | None) -> MemoryRecord:
    return MemoryRecord(
        storable(key)[0],
        storable(text)[0],
        title=storable(title)[0],
        tags=(TAG,),
        created_ms=created,
        updated_ms=changed or created,
    )
