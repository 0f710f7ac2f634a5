"""Files of an export that its notes show, as attachments."""

import posixpath
from collections.abc import Iterator, Mapping
from urllib.parse import unquote

from app.attachments.model import MAX_BYTES
from app.errors import InputError
from app.exchange.formats.notebooks.archive_files import read_file
from app.exchange.importing.source_files import SourceEntry
from app.exchange.model import AttachmentRecord
from app.exchange.parsing.attachment_links import attachment, attachment_link, file_problem
from app.exchange.parsing.item_places import part
from app.memories.foreign_record import Problem


class AttachedEntries:
    """Attachments from the files that links of notes lead to, each once.

    Args:
        files: The files of the export by path; links lead nowhere else.
    """

    def __init__(self, files: Mapping[str, SourceEntry]) -> None:
        self._files = files
        self._names: dict[str, str] = {}

    @property
    def used(self) -> set[str]:
        """The paths of the files that were asked for."""
        return set(self._names)

    def take(self, written: str, folder: str, place: str) -> Iterator[AttachmentRecord | Problem]:
        """Yield the file that a link leads to, when it was not yielded before.

        Args:
            written: The link's target as written.
            folder: The folder of the note.
            place: The note, for problems.
        """
        path = self.path_of(written, folder)
        if not path or path in self._names:
            return
        self._names[path] = ""
        data = read_file(self._files[path], MAX_BYTES)
        if isinstance(data, str):
            yield file_problem(part(place, path), data)
            return
        try:
            record = attachment(posixpath.basename(path), data)
        except InputError as error:
            yield file_problem(part(place, path), error.sentence)
            return
        self._names[path] = record.name
        yield record

    def link(self, written: str, folder: str, shown: str, *, embeds: bool = True) -> str:
        """Return Markdown that leads to the attachment, ``""`` when there is none."""
        name = self._names.get(self.path_of(written, folder), "")
        shown = shown or posixpath.basename(unquote(written))
        return attachment_link(name, shown, embeds=embeds) if name else ""

    def path_of(self, written: str, folder: str) -> str:
        """Return the path of the file that a link means, ``""`` for none."""
        target = unquote(written.partition("#")[0])
        path = posixpath.normpath(posixpath.join(folder, target))
        return path if path in self._files else ""
