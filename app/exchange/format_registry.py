"""Formats by name: the reader and the exporter of each."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from app.errors import InputError
from app.exchange.accounting import Account
from app.exchange.encrypted_exporter import EncryptedExporter
from app.exchange.exporters import Exporter, JsonlExporter, MarkdownExporter
from app.exchange.folder_exporter import FolderExporter
from app.exchange.formats import (
    capsule,
    chatgpt,
    claude,
    docx,
    encrypted_export,
    enex,
    keepsake,
    markdown,
    memory_file,
    web_page,
)
from app.exchange.formats.chats import chat_detection
from app.exchange.formats.memory_systems import letta, memory_database, memory_list, memory_system_detection
from app.exchange.formats.notebooks import apple_notes, documents, joplin, notion, pdf
from app.exchange.formats.transcripts import agent_session, claude_code, codex, cursor, gemini
from app.exchange.graph_exporter import GraphExporter
from app.exchange.model import Record
from app.exchange.parsing.source_words import Noise
from app.exchange.source_files import is_zip
from app.memories.foreign_record import MemoryRecord

Reader = Callable[[Path, Callable[[], bool]], Iterator[Record]]

READERS: dict[str, Reader] = {
    "chatgpt": chatgpt.read,
    chatgpt.WITH_BRANCHES: partial(chatgpt.read, all_branches=True),
    "claude": claude.read,
    "markdown": markdown.read,
    "keepsake": keepsake.read,
    capsule.NAME: capsule.read,
    "claude-code": claude_code.read,
    "codex": codex.read,
    "gemini": gemini.read,
    "cursor": cursor.read,
    agent_session.FORMAT: agent_session.read,
    memory_file.NAME: memory_file.read,
    enex.NAME: enex.read,
    docx.NAME: docx.read,
    web_page.NAME: web_page.read,
    joplin.NAME: joplin.read,
    notion.NAME: notion.read,
    apple_notes.NAME: apple_notes.read,
    pdf.NAME: pdf.read,
    documents.NAME: documents.read,
    **chat_detection.READERS,
    **memory_system_detection.READERS,
}
EXPORTERS: dict[str, Callable[[Path], Exporter]] = {
    "jsonl": JsonlExporter,
    "markdown": MarkdownExporter,
    "folder": FolderExporter,
    memory_file.NAME: GraphExporter,
}

# Their keys name a file in its folder, or a record in its file; another one's may be the same.
_KEYED_BY_PATH = frozenset({"markdown", docx.NAME, web_page.NAME, pdf.NAME, documents.NAME})
_KEYED_IN_FILE = frozenset({"keepsake", apple_notes.NAME, letta.NAME, memory_list.MEM0, memory_database.NAME})
_UNIQUE = re.compile(r"[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)


NOISE: dict[str, tuple[str, ...]] = {
    "chatgpt": chatgpt.NOISE,
    chatgpt.WITH_BRANCHES: chatgpt.NOISE,
    **dict.fromkeys(("keepsake", capsule.NAME, encrypted_export.NAME), keepsake.NOISE),
    "claude": claude.NOISE,
    "claude-code": claude_code.NOISE,
    "codex": codex.NOISE,
    "gemini": gemini.NOISE,
    "cursor": cursor.NOISE,
    agent_session.FORMAT: agent_session.NOISE,
    **chat_detection.NOISE,
    **memory_system_detection.NOISE,
}
"""Fields and objects without words of a person or agent, by format; see ``source_words.Noise``."""


def noise_of(name: str) -> Noise:
    """Return the fields of a format that hold no words of a person or agent."""
    return Noise(NOISE.get(name, ()), chat_detection.STAND_INS.get(name, frozenset()))


def account_of(name: str) -> Account:
    """Return an account of what a source in a format holds."""
    return Account(noise_of(name), has_other_products=name in chat_detection.WITH_OTHER_PRODUCTS)


def reader_of(name: str, passphrase: str) -> Reader:
    """Return the reader of a format, with the passphrase that an encrypted export needs."""
    if name == encrypted_export.NAME:
        return partial(encrypted_export.read, passphrase=passphrase)
    is_keyed = name in _KEYED_BY_PATH | _KEYED_IN_FILE
    return partial(_with_places, READERS[name], name in _KEYED_BY_PATH) if is_keyed else READERS[name]


def _with_places(read: Reader, by_path: bool, path: Path, cancelled: Callable[[], bool]) -> Iterator[Record]:
    """Read records, and say of each memory in which folder or file its key counts."""
    is_alone = by_path and path.is_file() and not is_zip(path)
    place = str(path.resolve().parent if is_alone else path.resolve())
    for record in read(path, cancelled):
        if isinstance(record, MemoryRecord) and (by_path or not (record.keeps_id or _UNIQUE.search(record.key))):
            yield replace(record, place=place)
        else:
            yield record


def exporter_of(path: Path, format_name: str, passphrase: str, cancelled: Callable[[], bool]) -> Callable[[], Exporter]:
    """Return what makes an exporter.

    Args:
        path: Where to.
        format_name: A key of ``EXPORTERS``, or ``encrypted``.
        passphrase: What will open an encrypted export.
        cancelled: Asked while an encrypted export is made.

    Raises:
        InputError: There is no such format, or a passphrase too much or too few.
    """
    if format_name == encrypted_export.NAME:
        if not passphrase:
            raise InputError("An encrypted export needs a passphrase.", field="passphrase")
        return partial(EncryptedExporter, path, passphrase, cancelled)
    if format_name not in EXPORTERS:
        known = " or ".join((*EXPORTERS, encrypted_export.NAME))
        raise InputError(f"There is no export format {format_name!r}; use {known}.")
    if passphrase:
        raise InputError(
            f"Only the format 'encrypted' takes a passphrase; a {format_name} export is not encrypted.",
            field="passphrase",
        )
    return partial(EXPORTERS[format_name], path)
