"""Detection of formats by the content of a file or folder.

It gives a format to import, or names a known one that is not supported.
"""

import os
import re
from collections.abc import Callable, Iterable, Iterator
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import IO, cast

import ijson.common

from app.core.process import open_databases
from app.encryption.encrypted_file import is_encrypted_file
from app.errors import CancelledByPersonError, FormatError, NotFoundError
from app.exchange.formats import docx, enex, memory_file, web_page
from app.exchange.formats.chats import chat_detection, chat_records
from app.exchange.formats.known_formats import SPECS, SUPPORTED, by_fields
from app.exchange.formats.markdown import NOTE_SUFFIXES, OF_THE_SYSTEM, SUFFIXES
from app.exchange.formats.memory_systems import letta, memory_database
from app.exchange.formats.notebooks import apple_notes, documents, joplin, notion, pdf
from app.exchange.formats.notebooks.archive_files import open_files
from app.exchange.formats.own import capsule, encrypted_export
from app.exchange.formats.own.keepsake import LINE_TYPES
from app.exchange.formats.own.keepsake_details import FIELDS, detail_type
from app.exchange.formats.transcripts import recognition
from app.exchange.importing.source_files import DAMAGE, SourceEntry, entries, is_zip, open_zip, readable, utf8_stream
from app.exchange.model import ImportPreview
from app.exchange.parsing import encoding
from app.exchange.parsing.json_items import decode
from app.exchange.parsing.json_stream import RepairedJson
from app.exchange.parsing.lines import GZIP, read_lines
from app.sentence import Sentence, counted_sentence

HEAD = 1 << 20
_PDF_WITHIN = 1024  # readers of PDF take some bytes before the mark
_ENEX = re.compile(rb"\s*(?:<\?xml[^>]*>\s*)?(?:<!DOCTYPE\s+en-export\b|<en-export\b)")
_ESCAPED = re.compile(rb'(?:\\n|\\r|\\t)|\\(["\\/])')
_GEMINI = re.compile(r"(?:.*/)?(?:My Activity|Meine Aktivitäten|Gemini)/.*")
_MAX_WRAPPED = 3
MAX_EVENTS = 200_000
MAX_DEPTH = 5
FIRST_LINES = 20
MAX_NAMES = 20_000
# Other programs write lines of these types too; ours are known by their fields.
_SHARED_TYPES = frozenset({"entity", "relation"})
# Fields of sessions in lines of other programs.
_FOREIGN_SESSION = frozenset({"timestamp", "cwd", "version", "parentId", "sessionId"})
_OWN_LINE = re.compile(rb'\s*\{\s*"type"\s*:\s*"(?:%s)"' % "|".join(sorted({*LINE_TYPES} - _SHARED_TYPES)).encode())


def detect(path: Path, cancelled: Callable[[], bool] = lambda: False) -> str:
    """Return the format of what lies at ``path``: a key of ``SPECS``.

    Args:
        path: A file or a folder.
        cancelled: Asked before every folder that is searched.

    Raises:
        NotFoundError: There is nothing.
        FormatError: It is none of them; the message says what it seems to be and what is supported.
        MachineError: It cannot be read.
        CancelledByPersonError: It was stopped.
    """
    if not path.exists():
        raise NotFoundError(Sentence("There is no file or folder at {path}.", path=path), path=str(path))
    with readable(path):
        if path.is_dir():
            return _folder(path, cancelled)
        if not path.is_file():
            raise FormatError(
                Sentence("{path} is neither a file nor a folder. Choose one of these.", path=path), path=str(path)
            )
        if open_databases.is_open(path):
            raise FormatError(
                Sentence("{name} belongs to a Keepsake vault that is open here, and is not imported.", name=path.name),
                path=str(path),
            )
        if not path.stat().st_size:
            raise FormatError(Sentence("{name} is empty; there is nothing to import.", name=path.name), path=str(path))
        return _zip(path) if is_zip(path) else _file(path)


def preview(path: Path) -> ImportPreview:
    """Return what an import of ``path`` would read, without reading all of it.

    Raises:
        NotFoundError: There is nothing.
        FormatError: It is in no supported format.
        MachineError: It cannot be read.
    """
    format_name = detect(path)
    with readable(path):
        if format_name == "markdown" and path.is_dir():
            sizes = [file.stat().st_size for file in _notes(path)]
            return ImportPreview(
                format_name, sum(sizes), counted_sentence(len(sizes), "1 Markdown file", "{count} Markdown files")
            )
        kind = SPECS[format_name].kind
        if kind == "transcript" and path.is_dir():
            sizes = [file.stat().st_size for file in recognition.files(path)]
            return ImportPreview(
                format_name, sum(sizes), counted_sentence(len(sizes), "1 transcript", "{count} transcripts")
            )
        if path.is_dir() and kind in ("notebook", "document"):
            sizes = [Path(path, name).stat().st_size for name in chat_records.names(path)]
            return ImportPreview(format_name, sum(sizes), counted_sentence(len(sizes), "1 file", "{count} files"))
        if kind == "chat":
            return chat_detection.preview(path, format_name)
        if format_name in ("chatgpt", "claude"):
            with entries(path) as parts:
                return ImportPreview(
                    format_name, sum(part.size for part in parts), ", ".join(p.name for p in parts[:3])
                )
        detail = f"{path.name}, {capsule.describe(path)}" if format_name == capsule.NAME else path.name
        return ImportPreview(format_name, path.stat().st_size, detail)


def _folder(path: Path, cancelled: Callable[[], bool]) -> str:
    if memory_database.is_vault(path):
        raise FormatError(
            Sentence("{name} is a Keepsake vault. {advice}", name=path.name, advice=memory_database.VAULT_ADVICE),
            path=str(path),
        )
    with entries(path) as members:
        if members:
            return _entry(path, members[0])
    if found_format := recognition.of_folder(path, lambda: sum(1 for _ in _notes(path, cancelled))):
        return found_format
    listed = list(islice(chat_records.names(path), MAX_NAMES))
    if name := notion.NAME if notion.is_export(listed) else _chats(path):
        return name
    names = [child.name for child in path.iterdir()]
    _refuse_unsupported(path, names)
    if name := _notes_format(path, listed, cancelled):
        return name
    raise _refusal(path, Sentence("holds no Markdown notes, no documents and no conversations.json"), unknown=True)


def _notes_format(path: Path, names: list[str], cancelled: Callable[[], bool]) -> str:
    """Return the format of the notes or documents in a folder, ``""`` for none."""
    if next(_notes(path, cancelled), None) is not None:
        return "markdown"
    if apple_notes.is_export(names, path.resolve().name):
        return apple_notes.NAME
    if enex.is_export(names):
        return enex.NAME
    return documents.NAME if next(documents.files(path, cancelled), None) is not None else ""


def _chats(path: Path) -> str:
    """Return the format of chats in a folder, ``""`` for none.

    It is known by the names of the files, else by the fields of the first one.
    """
    names = list(islice(chat_records.names(path), MAX_NAMES))
    if name := chat_detection.by_names(names):
        return name
    if any(Path(name).suffix.lower() in SUFFIXES for name in names):
        return ""
    first = next((name for name in names if name.endswith(".json")), "")
    if not first:
        return ""
    with Path(path, first).open("rb") as stream:
        return chat_detection.by_fields(_names(_head(stream)))


def _notes(path: Path, cancelled: Callable[[], bool] = lambda: False) -> Iterator[Path]:
    """Yield Markdown files to import, without hidden and system folders."""
    for folder, folders, files in os.walk(path):
        if cancelled():
            raise CancelledByPersonError("The search for notes was stopped; nothing was imported.")
        folders[:] = [
            name for name in folders if not name.startswith(".") and str(Path(folder, name)) not in OF_THE_SYSTEM
        ]
        yield from (Path(folder, name) for name in files if Path(name).suffix.lower() in NOTE_SUFFIXES)


def _zip(path: Path) -> str:
    with entries(path) as members:
        if members:
            try:
                return _entry(path, members[0])
            except DAMAGE as error:
                raise _refusal(path, Sentence("is a damaged zip file ({reason})", reason=error)) from error
    with open_zip(path) as archive:
        names = archive.namelist()
    if docx.DOCUMENT in names:
        return docx.NAME
    if notion.is_export(names):
        return notion.NAME
    if name := chat_detection.by_names(names):
        return name
    _refuse_unsupported(path, names)
    if name := _zipped_notes(names):
        return name
    if any(name.lower().endswith(".zip") for name in names):
        with open_files(path) as inside:
            if notion.is_export(inside.files):
                return notion.NAME
        raise _refusal(path, Sentence("holds other zip files; unpack it, and import the folder"))
    raise _refusal(path, Sentence("is a zip without a conversations.json in it"), unknown=True)


def _zipped_notes(names: list[str]) -> str:
    """Return the format of the notes in a zip, ``""`` for none."""
    if apple_notes.is_export(names, ""):
        return apple_notes.NAME
    if any(Path(name).suffix.lower() in NOTE_SUFFIXES for name in names):
        return "markdown"
    return enex.NAME if enex.is_export(names) else ""


def _entry(path: Path, entry: SourceEntry) -> str:
    with entry.open() as stream:
        head = _head(stream)
    if name := _json(path, head):
        return name
    raise _refusal(path, Sentence("holds a {file} that is neither ChatGPT's nor Claude's", file=Path(entry.name).name))


def _file(path: Path) -> str:
    with path.open("rb") as stream:
        packed = stream.read(2) == GZIP
        stream.seek(0)
        head = b"" if packed else _head(stream)
    if name := _by_head(path, head):
        return name
    begins = head.lstrip()[:1]
    if name := _lines(path) if packed or begins == b"{" else "":
        return name
    if packed:
        raise _refusal(path, Sentence("is compressed, and not Keepsake's JSONL"), unknown=True)
    if name := _json(path, head) if begins in (b"{", b"[") else _wrapped(path, head) if begins == b'"' else "":
        return name
    return _text(path)


def _wrapped(path: Path, head: bytes) -> str:
    """Return the format of JSON within a JSON string, such as Letta's."""
    for _ in range(_MAX_WRAPPED):
        if head.lstrip()[:1] == b'"':
            head = _ESCAPED.sub(rb"\1", head.strip()[1:])
    name = _json(path, head)
    return name if name == letta.NAME else ""


def _by_head(path: Path, head: bytes) -> str:
    """Return the format that the beginning of a file gives away, ``""`` for none."""
    if name := _by_beginning(head):
        return name
    if pdf.BEGINNING in head[:_PDF_WITHIN]:
        return pdf.NAME
    if joplin.is_tar(head):
        if joplin.is_export(path):
            return joplin.NAME
        raise _refusal(path, Sentence("is a tar archive, and not an export of Joplin; unpack it and import the folder"))
    if web_page.BEGINNING.match(head) and path.suffix.lower() not in SUFFIXES:
        if web_page.CHATGPT_PAGE in head:
            raise _refusal(
                path,
                Sentence("only shows a ChatGPT export in a browser; import its conversations.json or its zip"),
                unknown=True,
            )
        return web_page.NAME
    return recognition.of_file(path) or _database(path, head)


def _database(path: Path, head: bytes) -> str:
    if not head.startswith(memory_database.BEGINNING):
        return ""
    if memory_database.is_readable(path):
        return memory_database.NAME
    raise _refusal(path, Sentence("is a SQLite database without memories in tables that are known"), unknown=True)


def _by_beginning(head: bytes) -> str:
    if is_encrypted_file(head):
        return encrypted_export.NAME
    if head.startswith(capsule.BEGINNING):
        return capsule.NAME
    return enex.NAME if _ENEX.match(head) else ""


def _text(path: Path) -> str:
    with path.open("rb") as stream:
        decoded = encoding.decode(stream.read(HEAD))
    if decoded is None:
        raise _refusal(path, Sentence("is not text"), unknown=True)
    if name := chat_detection.by_text(decoded.text, path.name):
        return name
    if path.suffix.lower() in {*NOTE_SUFFIXES, ".txt"}:
        return "markdown"
    raise _refusal(path, Sentence("is in no format that is known"), unknown=True)


def _head(stream: IO[bytes]) -> bytes:
    text, head = utf8_stream(stream)
    return head + text.read(HEAD)


def _lines(path: Path) -> str:
    """Return ``keepsake`` when one of the first lines is in its format.

    A first line without a type counts when it is a message.
    """
    is_first = True
    for line in read_lines(path):
        if line.data is None or line.number > FIRST_LINES:
            return ""
        if (value := _decoded(line.data)) is None:
            if _OWN_LINE.match(line.data):
                return "keepsake"
        elif _is_own(value, is_first=is_first):
            return "keepsake"
        elif memory_file.is_graph_line(value):
            return memory_file.NAME
        is_first = is_first and not line.data.strip()
    return ""


def _decoded(line: bytes) -> object:
    """Return the JSON value of a line, ``None`` for none."""
    try:
        return decode(line)[0]
    except ValueError:
        return None


def _is_own(value: object, *, is_first: bool) -> bool:
    """Return whether a value is a line of ours, and no other program's."""
    if not isinstance(value, dict):
        return False
    kind = detail_type(str(value.get("type")))
    if kind in _SHARED_TYPES and kind is not None:
        return FIELDS[kind].keys() <= value.keys()
    if value.get("type") == "session":
        return not value.keys() & _FOREIGN_SESSION
    if value.get("type") in ("message", "memory") or (is_first and "type" not in value):
        return isinstance(value.get("content"), str) and ("type" in value or "role" in value)
    return kind is not None


def _json(path: Path, head: bytes) -> str:
    """Return the format of JSON text, ``""`` when it is none that is known."""
    if name := by_fields(_names(head)):
        return name
    # An export may be too broken to be parsed up to the field that tells it apart.
    return next((spec.name for spec in SPECS.values() if spec.broken and spec.broken.search(head)), "")


def _names(head: bytes) -> set[str]:
    """Return the field names in the outer levels of JSON text, with their place: ``item.mapping``."""
    names: set[str] = set()
    way: list[str] = []
    try:
        source = cast("IO[bytes]", RepairedJson(BytesIO(head)))
        for number, (event, value) in enumerate(ijson.basic_parse(source)):
            if event == "map_key":
                way[-1] = value
                if len(way) <= MAX_DEPTH:
                    names.add(".".join(way))
            elif event in ("start_map", "start_array"):
                way.append("item")
            elif event in ("end_map", "end_array"):
                way.pop()
            if number > MAX_EVENTS:
                break
    except (ijson.common.JSONError, ValueError):
        return names
    return names


def _refuse_unsupported(path: Path, names: Iterable[str]) -> None:
    """Refuse an export that is known by the names of its files and not supported."""
    if any(_GEMINI.fullmatch(name) for name in names):
        raise _refusal(
            path, Sentence("looks like an export of {program}, which is not supported yet", program="Gemini")
        )


def _refusal(path: Path, what: Sentence, *, unknown: bool = False) -> FormatError:
    return FormatError(
        Sentence("{name} {what}. {supported}", name=path.name or path, what=what, supported=SUPPORTED),
        path=str(path),
        unknown=unknown,
    )
