"""Items of a Joplin export: notes, notebooks, tags and resources.

Each is a text with fields at its end.

See https://joplinapp.org/help/dev/spec/jex/ and the serialisation in Joplin's ``BaseItem``.
"""

import re
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from app.core.clock import parse_instant
from app.core.text import storable
from app.exchange.parsing.item_places import part
from app.memories.foreign_record import Problem
from app.sentence import Sentence

ITEM: Final = re.compile(r"(?:\./)?([0-9a-f]{32})\.md")
RESOURCE: Final = re.compile(r"(?:\./)?resources/([0-9a-f]{32})(?:\.[^/]{1,20})?")
MAX_ITEM_BYTES: Final = 64 << 20
MAX_DEPTH: Final = 20
_FIELD: Final = re.compile(r"([a-z_]+): ?(.*)")

NOTE, FOLDER, RESOURCE_TYPE, TAG, NOTE_TAG = "1", "2", "4", "5", "6"
_PASSED_OVER: Final = frozenset(("3", *map(str, range(7, 17))))  # settings, searches, keys, revisions and the like


@dataclass(frozen=True, slots=True)
class JoplinItem:
    """One item: its fields, and of a note the title and text."""

    title: str
    body: str
    fields: dict[str, str]

    def moment(self, *names: str) -> int | None:
        """Return the first of the named times, in milliseconds since 1970 UTC."""
        return next((moment for name in names if (moment := parse_instant(self.fields.get(name))) is not None), None)


@dataclass(slots=True)
class JoplinIndex:
    """Index of an export: which items there are, and where they lie in the archive.

    Args:
        notes: The archive members of notes, by id, in order.
        titles: The titles of notes.
        notebooks: Title and parent of each notebook.
        resources: The title and ending of each resource.
        files: The archive members of resources.
        tags: The names of tags.
        tagged: The ids of the tags of each note.
        others: The number of archive members that are none of these.
    """

    notes: dict[str, tarfile.TarInfo] = field(default_factory=dict)
    titles: dict[str, str] = field(default_factory=dict)
    notebooks: dict[str, tuple[str, str]] = field(default_factory=dict)
    resources: dict[str, str] = field(default_factory=dict)
    files: dict[str, tarfile.TarInfo] = field(default_factory=dict)
    tags: dict[str, str] = field(default_factory=dict)
    tagged: dict[str, list[str]] = field(default_factory=dict)
    others: int = 0

    def notebook_of(self, folder: str) -> str:
        """Return the path of a notebook, such as ``Work/Plans``."""
        names: list[str] = []
        while folder in self.notebooks and len(names) < MAX_DEPTH:
            title, folder = self.notebooks[folder]
            names.append(title.replace("/", "-"))
        return "/".join(reversed(names))

    def take(self, item: JoplinItem, member: tarfile.TarInfo) -> bool:
        """Note an item, and return whether its kind is known.

        Revisions and settings are passed over.
        """
        key, kind = item.fields.get("id", ""), item.fields.get("type_", "")
        if kind == NOTE:
            self.notes[key] = member
            self.titles[key] = item.title
        elif kind == FOLDER:
            self.notebooks[key] = (item.title, item.fields.get("parent_id", ""))
        elif kind == RESOURCE_TYPE:
            self.resources[key] = _file_name(item)
        elif kind == TAG:
            self.tags[key] = item.title
        elif kind == NOTE_TAG:
            self.tagged.setdefault(item.fields.get("note_id", ""), []).append(item.fields.get("tag_id", ""))
        else:
            return kind in _PASSED_OVER or not (item.title or item.body)
        return True


def parse_item(text: str) -> JoplinItem | None:
    """Take an item apart, ``None`` when it is none.

    The fields stand last, after an empty line.
    """
    lines = text.replace("\r\n", "\n").rstrip("\n").split("\n")
    fields: dict[str, str] = {}
    while lines and (match := _FIELD.fullmatch(lines[-1])):
        fields[match[1]] = match[2].strip()
        lines.pop()
    if "type_" not in fields or "id" not in fields or (lines and lines[-1].strip()):
        return None
    title, body = (lines[0], "\n".join(lines[1:-1])) if lines else ("", "")
    return JoplinItem(storable(title.strip())[0], storable(body.strip("\n"))[0], fields)


def read_item(archive: tarfile.TarFile, member: tarfile.TarInfo) -> JoplinItem | str:
    """Return the item in an archive member, or its problem in a sentence."""
    if member.size > MAX_ITEM_BYTES:
        return Sentence("It is larger than {most} MB and was left out.", most=MAX_ITEM_BYTES >> 20)
    data = read_member(archive, member)
    if isinstance(data, str):
        return data
    item = parse_item(data.decode("utf-8-sig", "replace"))
    if item is None:
        return Sentence("It is no item of Joplin: the fields at its end are missing or damaged. It was left out.")
    if item.fields.get("encryption_applied") == "1":
        return Sentence("It is encrypted and was left out. Export it from a Joplin that can decrypt it.")
    return item


def read_member(archive: tarfile.TarFile, member: tarfile.TarInfo) -> bytes | str:
    """Return the bytes of an archive member, or its problem in a sentence."""
    try:
        stream = archive.extractfile(member)
        data = b"" if stream is None else stream.read()
    except (tarfile.TarError, OSError, EOFError):
        return Sentence("The archive is cut short or damaged there, so it was left out.")
    return (
        data if len(data) == member.size else Sentence("The archive is cut short or damaged there, so it was left out.")
    )


def read_index(archive: tarfile.TarFile, path: Path, index: JoplinIndex) -> Iterator[Problem | int]:
    """Fill ``index`` from the archive, up to any damage.

    Yields:
        What is wrong, and how far it has come in bytes.
    """
    try:
        for member in archive:
            yield member.offset
            if not member.isreg():
                index.others += not member.isdir()
            elif ITEM.fullmatch(member.name):
                item = read_item(archive, member)
                if isinstance(item, str):
                    yield Problem(part(path.name, member.name), item)
                elif not index.take(item, member):
                    sentence = Sentence("It is an item of a kind that this version does not know, and was left out.")
                    yield Problem(part(path.name, member.name), sentence)
            elif match := RESOURCE.fullmatch(member.name):
                index.files[match[1]] = member
            else:
                index.others += 1
        is_whole = _ends_as_archives_do(path)
    except (tarfile.TarError, OSError, EOFError, ValueError):
        is_whole = False
    if not is_whole:
        yield Problem(
            path.name, Sentence("The archive is cut short or damaged, so only the notes before that place were read.")
        )


def _ends_as_archives_do(path: Path) -> bool:
    """Return whether an archive ends with an empty block.

    The library takes a cut header for the end.
    """
    with path.open("rb") as stream:
        stream.seek(-min(tarfile.BLOCKSIZE, path.stat().st_size), 2)
        return not stream.read().strip(b"\0")


def _file_name(item: JoplinItem) -> str:
    name = item.title or item.fields.get("filename", "") or item.fields.get("id", "")
    ending = item.fields.get("file_extension", "")
    return f"{name}.{ending}" if ending and not name.lower().endswith(f".{ending.lower()}") else name
