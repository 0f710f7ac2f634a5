"""Pictures, sound and documents of a chat export, as attachments that its messages show."""

import posixpath
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from app.attachments.model import MAX_BYTES, kind_of
from app.errors import InputError
from app.exchange.formats.notebooks.archive_files import read_file
from app.exchange.importing.source_files import SourceEntry
from app.exchange.model import AttachmentRecord
from app.exchange.parsing.attachment_links import attachment, attachment_link, file_problem
from app.exchange.parsing.item_places import part
from app.exchange.parsing.lenient import first_text, row, table, text
from app.memories.foreign_record import Problem

_ID: Final = re.compile(r"file[-_][0-9A-Za-z]+")
_LABELS: Final = {".wav": "audio", ".mp3": "audio", ".m4a": "audio", ".mp4": "video", ".webm": "video"}


class ConversationFiles:
    """Files of an export by the id that messages give them, each read once.

    An export names its files ``file-<id>-<name>``, ``file-<id>.<ending>`` or ``file_<id>...``, in any folder.

    Args:
        files: The files of the export by path.
    """

    def __init__(self, files: Mapping[str, SourceEntry]) -> None:
        self._files: dict[str, SourceEntry] = {}
        for path, entry in files.items():
            if match := _ID.match(posixpath.basename(path)):
                self._files.setdefault(match[0], entry)
        self._links: dict[str, str] = {}

    def take(self, key: str, name: str, place: str) -> Iterator[AttachmentRecord | Problem]:
        """Yield the file with an id, unless it was yielded before or is missing.

        Args:
            key: The id, or an address such as ``file-service://file-abc`` or ``sediment://file_abc``.
            name: What the person called it, ``""`` for the name in the export.
            place: The message, for problems.
        """
        key = _key(key)
        entry = self._files.get(key)
        if entry is None or key in self._links:
            return
        self._links[key] = ""
        data = read_file(entry, MAX_BYTES)
        problem = data if isinstance(data, str) else ""
        if isinstance(data, bytes):
            try:
                record = attachment(name or posixpath.basename(entry.name), data)
            except InputError as error:
                problem = error.sentence
            else:
                self._links[key] = attachment_link(record.name, _label(record.name, name))
                yield record
        if problem:
            yield file_problem(part(place, entry.name), problem)

    def link(self, key: str) -> str:
        """Return Markdown that shows the file, ``""`` when it was not taken."""
        return self._links.get(_key(key), "")


def pointers(part: object) -> Iterator[str]:
    """Yield the addresses of files in one part of a message of ChatGPT."""
    fields = table(part)
    for holder in (
        fields,
        table(fields.get("audio_asset_pointer")),
        table(fields.get("video_container_asset_pointer")),
    ):
        if address := first_text(holder, "asset_pointer"):
            yield address


def attached_files(message: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield id and name of each file that a person attached to a message."""
    for item in map(table, row(table(message.get("metadata")).get("attachments"))):
        if key := text(item.get("id")):
            yield key, first_text(item, "name")


def _key(address: str) -> str:
    match = _ID.match(address.rpartition("//")[2])
    return match[0] if match else ""


def _label(name: str, given: str) -> str:
    if kind_of(name) == "picture":
        return "image"
    return given or _LABELS.get(posixpath.splitext(name)[1], "file")
