"""Formats by name: the reader and the exporter of each."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from app.errors import InputError
from app.exchange.exporting.encrypted_exporter import EncryptedExporter
from app.exchange.exporting.exporters import Exporter, JsonlExporter, MarkdownExporter
from app.exchange.exporting.folder_exporter import FolderExporter
from app.exchange.exporting.graph_exporter import GraphExporter
from app.exchange.formats import memory_file
from app.exchange.formats.format_spec import Reader
from app.exchange.formats.known_formats import SPECS
from app.exchange.formats.own import encrypted_export
from app.exchange.importing.accounting import Account
from app.exchange.importing.source_files import is_zip
from app.exchange.model import Record
from app.exchange.parsing.source_words import Noise
from app.memories.foreign_record import MemoryRecord
from app.sentence import Sentence

EXPORTERS: dict[str, Callable[[Path], Exporter]] = {
    "jsonl": JsonlExporter,
    "markdown": MarkdownExporter,
    "folder": FolderExporter,
    memory_file.NAME: GraphExporter,
}

_UNIQUE = re.compile(r"[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)


def noise_of(name: str) -> Noise:
    """Return the fields of a format that hold no words of a person or agent."""
    return Noise(SPECS[name].noise, SPECS[name].stand_ins)


def account_of(name: str) -> Account:
    """Return an account of what a source in a format holds."""
    return Account(noise_of(name), has_other_products=SPECS[name].has_other_products)


def reader_of(name: str, passphrase: str) -> Reader:
    """Return the reader of a format, with the passphrase that an encrypted export needs."""
    if name == encrypted_export.NAME:
        return partial(encrypted_export.read, passphrase=passphrase)
    spec = SPECS[name]
    return spec.read if spec.keys == "everywhere" else partial(_with_places, spec.read, spec.keys == "folder")


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
        raise InputError(
            Sentence("There is no export format {format}; use {known}.", format=repr(format_name), known=known)
        )
    if passphrase:
        raise InputError(
            Sentence(
                "Only the format 'encrypted' takes a passphrase; a {format_name} export is not encrypted.",
                format_name=format_name,
            ),
            field="passphrase",
        )
    return partial(EXPORTERS[format_name], path)
