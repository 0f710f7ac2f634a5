"""Text of a mirrored note, compared with its file and written into it."""

import codecs
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final

from app.attachments.model import name_of
from app.core.text_rules.tag_names import normalise_tag, normalise_tags
from app.errors import InputError
from app.exchange.exporting.filenames import safe_name
from app.exchange.formats.markdown import parse, title_of
from app.exchange.mirror.mirrored_files import place_of
from app.exchange.parsing import encoding
from app.exchange.parsing.frontmatter import FrontMatter, split
from app.exchange.parsing.inline_tags import inline_tags
from app.exchange.parsing.markdown_edit import line_end_of, merged_body, with_field
from app.memories.foreign_record import MemoryRecord
from app.memories.model import Memory

_WORDS: Final = 60
_ATTACHED: Final = re.compile(r"\]\((attachments/[^()\s]+)\)")
_MARKS: Final = {
    "utf-8": codecs.BOM_UTF8,
    "utf-16-le": codecs.BOM_UTF16_LE,
    "utf-16-be": codecs.BOM_UTF16_BE,
    "utf-32-le": codecs.BOM_UTF32_LE,
    "utf-32-be": codecs.BOM_UTF32_BE,
}


@dataclass(frozen=True, slots=True)
class EditedFile:
    """Bytes of a file with a note's edits, and its place."""

    data: bytes
    place: str


def says(memory: Memory, record: MemoryRecord) -> bool:
    """Return whether a file says what its note says: text, title and tags."""
    same_tags = set(normalise_tags(record.tags)) == set(memory.tags)
    return record.content == memory.content and " ".join(record.title.split()) == memory.title and same_tags


def first_words(content: str) -> str:
    """Return the beginning of a text as a name for a note without a title."""
    line = next((line.strip("#*->[] \t") for line in content.splitlines() if line.strip("#*->[] \t")), "")
    return line[:_WORDS].strip()


def attachments_in(content: str) -> list[str]:
    """Return the names of the attachments that a text links to."""
    return sorted({name for link_match in _ATTACHED.finditer(content) if (name := name_of(link_match[1]))})


def edited(
    data: bytes | None, record: MemoryRecord | None, memory: Memory, place: str, free: Callable[[str], str]
) -> EditedFile:
    """Return a file with its note's text; everything else stays byte for byte.

    Args:
        data: The file's bytes, ``None`` where there is none yet.
        record: The file as it is read, ``None`` where there is none yet.
        memory: The note.
        place: The file's place in the folder.
        free: Returns a place like the wanted one at which nothing else lies.

    Raises:
        InputError: The file has bytes that are no text, which writing would change.
    """
    decoded = encoding.Decoded("") if data is None else encoding.decode(data)
    if decoded is None or decoded.repair:
        raise InputError("it has bytes that are no text, which writing it would change; it is only read.")
    front, body = _split(decoded.text)
    end = line_end_of(decoded.text)
    body = merged_body(body, "" if record is None else record.content, memory.content)
    place = _place(front, body, memory, place, free)
    raw = _titled(front, body, memory, place, end)
    raw = _tagged(raw, body, memory, end)
    written = (raw + body).encode(decoded.encoding)
    return EditedFile(_MARKS[decoded.encoding] + written if decoded.bom else written, place)


def _split(text: str) -> tuple[str, str]:
    front, body = split(text)
    return front.raw, body


def _place(raw: str, body: str, memory: Memory, place: str, free: Callable[[str], str]) -> str:
    """Return the place of a file, whose name follows its note's title."""
    path, parsed = PurePosixPath(place), parse(raw + body)
    if not memory.title or parsed.front.title or title_of(parsed, path.stem) == memory.title:
        return place
    if path.stem == safe_name(memory.title):
        return place
    return free(place_of(memory.title, "" if str(path.parent) == "." else str(path.parent), path.suffix))


def _titled(raw: str, body: str, memory: Memory, place: str, end: str) -> str:
    """Return the front matter that makes a file's title that of its note."""
    if not memory.title or title_of(parse(raw + body), PurePosixPath(place).stem) == memory.title:
        return raw
    return with_field(raw, "title", memory.title, end)


def _tagged(raw: str, body: str, memory: Memory, end: str) -> str:
    """Return the front matter that gives a file the tags of its note."""
    front: FrontMatter = split(raw + body)[0]
    in_text = set(normalise_tags(inline_tags(body)))
    written = [tag for tag in front.tags if normalise_tag(tag)]
    there = set(normalise_tags(written))
    if there | in_text == set(memory.tags):
        return raw
    tags = [tag for tag in written if normalise_tag(tag) in memory.tags]
    missing = [tag for tag in memory.tags if tag not in there | in_text]
    name = "tags" if "tags" in front.fields or "tag" not in front.fields else "tag"
    return with_field(raw, name, [*tags, *missing], end)
