"""Reader of JEX, the export of Joplin, a tar archive."""

import re
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from app.attachments.model import MAX_BYTES
from app.core.text import storable
from app.core.text_rules.tag_names import normalise_tags
from app.errors import FormatError, InputError
from app.exchange.formats.format_spec import FormatSpec
from app.exchange.formats.notebooks.joplin_items import (
    ITEM,
    JoplinIndex,
    JoplinItem,
    read_index,
    read_item,
    read_member,
)
from app.exchange.formats.notebooks.note_references import NoteNames
from app.exchange.model import AttachmentRecord, Position, Record
from app.exchange.parsing.attachment_links import attachment, attachment_link, file_problem
from app.exchange.parsing.html_text import markdown_of
from app.exchange.parsing.item_places import part
from app.memories.foreign_record import MemoryRecord, Problem
from app.sentence import Sentence, counted_sentence

NAME: Final = "joplin"
_TAR: Final = b"ustar"
_TAR_AT: Final = 257
_FIRST_MEMBERS: Final = 20
_LINK: Final = re.compile(r"(!?)\[([^\]\n]*)\]\(:/([0-9a-f]{32})(#[^)\s]*)?(?:\s+[\"'][^)\n]*)?\)")
_IMAGE: Final = re.compile(r"<img\b[^>]*?\bsrc=[\"']:/([0-9a-f]{32})[\"'][^>]*>", re.IGNORECASE)
_HTML: Final = "2"


def is_tar(head: bytes) -> bool:
    """Return whether a file begins like a tar archive."""
    return head[_TAR_AT : _TAR_AT + len(_TAR)] == _TAR


def is_export(path: Path) -> bool:
    """Return whether one of a tar archive's first files is named by an id."""
    try:
        with tarfile.open(path, "r:") as archive:
            for number, member in enumerate(archive):
                if ITEM.fullmatch(member.name):
                    return True
                if number >= _FIRST_MEMBERS:
                    break
    except (tarfile.TarError, EOFError, ValueError):
        return False
    return False


def read(path: Path, cancelled: Callable[[], bool]) -> Iterator[Record]:
    """Read the notes of a JEX file; notebooks become tags, attached files attachments.

    Args:
        path: The file.
        cancelled: Asked before every item; reading stops when it says so.

    Raises:
        FormatError: It is no tar archive.
    """
    try:
        archive = tarfile.open(path, "r:")  # noqa: SIM115 - closed below
    except (tarfile.TarError, EOFError, ValueError) as error:
        raise FormatError(
            Sentence("{name} is no complete JEX file; export it again.", name=path.name), path=str(path)
        ) from error
    with archive:
        index, total = JoplinIndex(), path.stat().st_size
        for item in read_index(archive, path, index):
            if cancelled():
                return
            yield Position(0, total, "looking for notes") if isinstance(item, int) else item
        if index.others:
            what = counted_sentence(
                index.others,
                "1 file of the archive is none of Joplin's and was left out.",
                "{count} files of the archive are none of Joplin's and were left out.",
            )
            yield Problem(path.name, what, lost=False, foreign=True)
        reader = _NoteReader(archive, path, index)
        for member in index.notes.values():
            if cancelled():
                return
            yield from reader.records(member)
            yield Position(member.offset, total, path.name)
        unused = len(index.files.keys() - reader.used)
        if unused:
            what = counted_sentence(
                unused,
                "1 attached file that no note shows was left out.",
                "{count} attached files that no note shows were left out.",
            )
            yield Problem(path.name, what, lost=False, foreign=True)
        yield Position(total, total, path.name)


class _NoteReader:
    """Turns the notes of an archive into records."""

    def __init__(self, archive: tarfile.TarFile, path: Path, index: JoplinIndex) -> None:
        self._archive = archive
        self._path = path
        self._index = index
        self._names = NoteNames(index.titles)
        self._kept: dict[str, str] = {}
        self.used: set[str] = set()

    def records(self, member: tarfile.TarInfo) -> Iterator[Record]:
        """Yield a note's attachments that were not yielded before, then the note."""
        item = read_item(self._archive, member)
        place = part(self._path.name, member.name)
        if isinstance(item, str):
            yield Problem(place, item)
            return
        is_html = item.fields.get("markup_language") == _HTML
        text = _IMAGE.sub(r"![](:/\1)", item.body)
        text = markdown_of(text)[0] if is_html else text
        if not text and not item.title:
            yield Problem(place, Sentence("It has neither a title nor a text and was left out."))
            return
        for key in dict.fromkeys(link_match[3] for link_match in _LINK.finditer(text)):
            if key not in self._kept and key not in self._index.notes:
                yield from self._attachment(key, place)
        text = _LINK.sub(self._linked, text)
        yield self._note(item, text or item.title)

    def _attachment(self, key: str, place: str) -> Iterator[AttachmentRecord | Problem]:
        self._kept[key] = ""
        self.used.add(key)
        member = self._index.files.get(key)
        if member is None:
            yield file_problem(
                place,
                Sentence(
                    "A file that it shows ({name}) is not in the archive.", name=self._index.resources.get(key, key)
                ),
            )
            return
        name = self._index.resources.get(key, member.name)
        if member.size > MAX_BYTES:
            yield file_problem(
                part(place, name), Sentence("It is larger than {most} MB and was left out.", most=MAX_BYTES >> 20)
            )
            return
        data = read_member(self._archive, member)
        try:
            if isinstance(data, str):
                yield file_problem(part(place, name), data)
                return
            record = attachment(name, data)
        except InputError as error:
            yield file_problem(part(place, name), error.sentence)
            return
        self._kept[key] = record.name
        yield record

    def _linked(self, match: re.Match[str]) -> str:
        mark, shown, key, heading = match.groups()
        if key in self._index.notes:
            return self._names.link(key, shown, (heading or "").removeprefix("#"))
        name = self._kept.get(key, "")
        return (
            attachment_link(name, shown, embeds=bool(mark))
            if name
            else f"[{shown or self._index.resources.get(key, 'file')}]"
        )

    def _note(self, item: JoplinItem, text: str) -> MemoryRecord:
        key = item.fields["id"]
        notebook = self._index.notebook_of(item.fields.get("parent_id", ""))
        tags = [self._index.tags.get(tag, "") for tag in self._index.tagged.get(key, ())]
        fields = item.fields
        todo = "" if fields.get("is_todo") != "1" else "open" if fields.get("todo_completed", "0") == "0" else "done"
        attributes = {
            "notebook": notebook,
            "source_url": fields.get("source_url", ""),
            "author": storable(fields.get("author", ""))[0],
            "todo": todo,
            "aliases": self._names.aliases(key),
        }
        return MemoryRecord(
            key,
            text,
            title=item.title,
            tags=normalise_tags([*sorted(tags), notebook]),
            created_ms=item.moment("user_created_time", "created_time"),
            updated_ms=item.moment("user_updated_time", "updated_time"),
            attributes={name: value for name, value in attributes.items() if value},
        )


SPEC = FormatSpec(name=NAME, title="Joplin export", read=read, kind="notebook", help="Joplin (JEX)", suffixes=(".jex",))
