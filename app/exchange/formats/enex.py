"""Reader of ENEX, the notes of Evernote and of programs that write its format."""

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Final

from app.attachments.model import MAX_BYTES as MAX_ATTACHED
from app.core.text import content_hash, excerpt, storable
from app.core.text_rules.tag_names import normalise_tags
from app.errors import InputError
from app.exchange.formats.format_spec import FormatSpec
from app.exchange.formats.notebooks.archive_files import open_files
from app.exchange.formats.notebooks.enex_notes import Gap, Note, NoteReader, Resource
from app.exchange.importing.accounting import read_item
from app.exchange.importing.source_files import DAMAGE, SourceEntry, is_zip
from app.exchange.model import AttachmentRecord, Position, Record
from app.exchange.parsing.attachment_links import attachment, attachment_link, file_problem
from app.exchange.parsing.html_text import MAX_CHARACTERS, markdown_of
from app.exchange.parsing.item_places import after, part
from app.memories.foreign_record import MemoryRecord, Problem
from app.sentence import Sentence, counted_sentence, joined

NAME: Final = "enex"
SUFFIX: Final = ".enex"
_DECLARED: Final = re.compile(r"<\?.*?\?>|<!DOCTYPE[^>]*>", re.DOTALL)
_TAGS_ALONE: Final = re.compile(r"(?:<[^<>]*>|\s)*")
_ENCRYPTED: Final = re.compile(r"<en-crypt\b([^>]*)>[A-Za-z0-9+/=\s]*(?:</en-crypt\s*>)?", re.IGNORECASE)
_HINT: Final = re.compile(r"\bhint\s*=\s*(?:\"([^\"]*)\"|'([^']*)')", re.IGNORECASE)
_COPY: Final = re.compile(r"\s*\(\d{1,3}\)$")  # as browsers name a file that is there already


def is_export(names: Iterable[str]) -> bool:
    """Return whether one of the files with these names is ENEX."""
    return any(name.lower().endswith(SUFFIX) for name in names)


def read(path: Path, cancelled: Callable[[], bool]) -> Iterator[Record]:
    """Read the notes of ENEX files.

    The name of a file, which is its notebook's, becomes a tag.

    Args:
        path: The file, such as ``My notes.enex``, or a folder or zip of such files.
        cancelled: Asked at every part of a file; reading stops when it says so.

    Raises:
        FormatError: The zip is damaged, encrypted, or would swell beyond reason.
    """
    with open_files(path) as exported:
        yield from exported.problems
        is_one = not path.is_dir() and not is_zip(path)
        entries = [entry for name, entry in exported.files.items() if is_one or is_export([name])]
        total, done = sum(entry.size for entry in entries), 0
        for entry in sorted(entries, key=lambda candidate: candidate.name):
            yield from _notes(entry, done, total, cancelled)
            done += entry.size
        if others := len(exported.files) - len(entries):
            yield Problem(
                path.name,
                counted_sentence(
                    others, "1 file that is no ENEX was left out.", "{count} files that are no ENEX were left out."
                ),
                lost=False,
                foreign=True,
            )


def _notes(entry: SourceEntry, done: int, total: int, cancelled: Callable[[], bool]) -> Iterator[Record]:
    number, notebook = 0, storable(_COPY.sub("", PurePosixPath(entry.name).stem))[0].strip()
    try:
        with entry.open() as stream:
            reader = NoteReader(stream, cancelled)
            for part in reader.parts():
                for note in part:
                    if isinstance(note, Gap):
                        yield Problem(after(entry.name, "note", number), note.what)
                        continue
                    number += 1
                    _account(note, f"{entry.name}, note {number}")
                    yield from _records(note, f"{entry.name}, note {number}", notebook)
                yield Position(done + min(reader.done, entry.size), total, entry.name)
    except DAMAGE as error:
        yield Problem(
            after(entry.name, "note", number), Sentence("The zip file is damaged here ({error}).", error=error)
        )


def _account(note: Note, place: str) -> None:
    content = _DECLARED.sub("", _without_cipher(note.fields.get("content", ""))[0])
    content = "" if _TAGS_ALONE.fullmatch(content) else content
    title = note.fields.get("title", "")
    read_item(place, {"title": title, "content": content, "tasks": note.tasks, **note.others}, "note")


def _without_cipher(content: str) -> tuple[str, int]:
    """Return a text with marks for its encrypted passages, and their number."""
    return _ENCRYPTED.subn(_mark, content)


def _mark(match: re.Match[str]) -> str:
    hint = _HINT.search(match[1])
    mark = (hint[1] or hint[2] or "") if hint else ""
    return f"[encrypted text, hint: {mark}]" if mark.strip() else "[encrypted text]"


def _attached(resource: Resource, place: str) -> AttachmentRecord | Problem:
    """Return an attached file, or why it is left out."""
    name = resource.name or "file"
    if resource.is_cut or len(resource.data) > MAX_ATTACHED:
        return file_problem(
            part(place, name),
            Sentence("It is damaged, or larger than {most} MB, and was left out.", most=MAX_ATTACHED >> 20),
        )
    try:
        return attachment(name, resource.data, resource.mime)
    except InputError as error:
        return file_problem(part(place, name), error.sentence)


def _records(note: Note, place: str, notebook: str) -> Iterator[Record]:
    title = " ".join(storable(note.fields.get("title", ""))[0].split())
    if note.is_cut:
        yield Problem(
            place, Sentence("It is larger than {most} million characters and was left out.", most=MAX_CHARACTERS >> 20)
        )
        return
    if note.damage:
        place = f'{place} ("{excerpt(title, 60)}")' if title else place
        is_read = bool(markdown_of(note.fields.get("content", ""))[0])
        end = Sentence("Its text was read as far as it goes.") if is_read else Sentence("It was left out.")
        yield Problem(place, joined((note.damage, end)), lost=not (is_read and note.is_whole))
        if not is_read:
            return
    links: dict[str, str] = {}
    for resource in note.resources:
        attached = _attached(resource, place)
        yield attached
        if isinstance(attached, AttachmentRecord):
            digest = hashlib.md5(resource.data, usedforsecurity=False).hexdigest()  # the format names files so
            links[digest] = attachment_link(attached.name, resource.name or attached.name)
    content, encrypted = _without_cipher(note.fields.get("content", ""))
    if encrypted:
        yield Problem(
            place,
            counted_sentence(
                encrypted,
                "1 encrypted passage was left out. Decrypt the text in Evernote, and export the note again.",
                "{count} encrypted passages were left out. Decrypt the text in Evernote, and export the note again.",
            ),
        )
    text, _, _ = markdown_of(content, links)
    unplaced = [link for digest, link in links.items() if digest not in content]
    text = "\n\n".join(filter(None, (text, "\n".join(note.tasks), *unplaced)))
    if not text and not title:
        yield Problem(place, Sentence("It has neither a title nor a text and was left out."))
        return
    created = note.fields.get("created", "")
    attributes = {"source_url": note.fields.get("source-url", ""), "author": note.fields.get("author", "")}
    yield MemoryRecord(
        # ENEX has no ids; a note keeps its title and its time of making from one export to the next.
        content_hash(f"{created}\n{title}"),
        storable(text)[0] or title,
        title=title,
        tags=normalise_tags(note.tags),
        created_ms=_time_ms(created),
        updated_ms=_time_ms(note.fields.get("updated", "")),
        attributes={name: storable(value)[0] for name, value in attributes.items() if value},
        collection=notebook,
    )


def _time_ms(text: str) -> int | None:
    try:
        return int(datetime.strptime(text.strip(), "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC).timestamp() * 1000)
    except (ValueError, OverflowError):
        return None


SPEC = FormatSpec(
    name=NAME,
    title="Evernote notes",
    read=read,
    kind="notebook",
    help="Evernote (ENEX)",
    suffixes=(".enex",),
    names_others=True,
)
