"""Recognition of transcripts by their content."""

from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from app.exchange.formats.known_formats import of_kind
from app.exchange.formats.transcripts import cursor, gemini
from app.exchange.importing.source_files import utf8_stream
from app.exchange.parsing.json_items import decode
from app.exchange.parsing.lenient import table

_HEAD = 1 << 20
_FIRST_LINES = 20
_LARGEST = 256 << 20
_SUFFIXES = {".jsonl", ".json", ".vscdb"}
_LOOKED_AT = 50


def of_file(path: Path) -> str:
    """Return the format of a transcript, ``""`` for any other file."""
    if cursor.is_database(path):
        return cursor.FORMAT
    with path.open("rb") as file:
        stream, prefix = utf8_stream(file)
        head = prefix + stream.read(_HEAD)
    # The first line may be broken; that of a note is none of a transcript whatever follows.
    if head.lstrip()[:1] not in (b"{", b"[") and path.suffix.lower() != ".jsonl":
        return ""
    return _by_lines(head) or _by_document(path, head)


def of_folder(path: Path, count_notes: Callable[[], int]) -> str:
    """Return the format of the transcripts in a folder, ``""`` for none.

    Where there are more notes than transcripts, it is a folder of notes.

    Args:
        path: The folder.
        count_notes: Counts the notes in it; called where there are transcripts.
    """
    name = next(filter(None, map(_quiet, islice(files(path), _LOOKED_AT))), "")
    return name if name and sum(1 for _ in files(path)) > count_notes() else ""


def files(path: Path) -> Iterator[Path]:
    """Yield the files in a folder and below that may be transcripts."""
    return (file for file in sorted(path.rglob("*")) if file.suffix in _SUFFIXES and file.is_file())


def _quiet(file: Path) -> str:
    try:
        return of_file(file)
    except OSError:
        return ""


def _by_lines(head: bytes) -> str:
    for line in head.split(b"\n")[:_FIRST_LINES]:
        value = _object(line)
        for spec in of_kind("transcript"):
            if value and spec.is_line and spec.is_line(value):
                return spec.name
    return ""


def _by_document(path: Path, head: bytes) -> str:
    """Return the format of one JSON document over several lines."""
    if not any(name in head for name in (b'"sessionId"', b'"composerId"')) or path.stat().st_size > _LARGEST:
        return ""
    try:
        value, _ = decode(path.read_bytes())
    except ValueError:
        return ""
    if cursor.is_composer(value):
        return cursor.FORMAT
    return gemini.FORMAT if gemini.is_line(table(value)) and "messages" in value else ""


def _object(line: bytes) -> dict[str, Any]:
    if not line.lstrip().startswith(b"{"):
        return {}
    try:
        return table(decode(line)[0])
    except ValueError:
        return {}
