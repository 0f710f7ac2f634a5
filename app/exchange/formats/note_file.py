"""Markdown files of memories.

A memory that was imported and not changed gives the same file again; others get new front matter.
"""

import unicodedata
from typing import Any

from app.core.text_rules.tag_names import normalise_tags
from app.errors import FormatError
from app.exchange.formats.markdown import ParsedNote, parse, title_of
from app.exchange.parsing.frontmatter import FrontMatter, dump, split
from app.memories.model import Memory

_NEWLINES = {"crlf": "\r\n", "cr": "\r"}
_MARK = "\ufeff"


def render_note(memory: Memory, stem: str) -> str:
    """Return the text of the file that holds ``memory`` under the name ``stem``.

    A note that came from a Markdown file, and whose title and tags still are what that file says, gives the same
    text again; ``parse`` of the result gives the memory's content, title and tags in any case.
    """
    raw = _raw_front_matter(memory)
    source = raw + memory.content
    if not _is_said_by(source, memory, stem):
        source = dump(_fields(memory, raw)) + memory.content
    newline = _NEWLINES.get(str(memory.attributes.get("newline")))
    if newline and "\r" not in source:
        source = source.replace("\n", newline)
    return f"{_MARK}{source}" if memory.attributes.get("bom") else source


def _raw_front_matter(memory: Memory) -> str:
    raw = memory.attributes.get("front_matter")
    return raw if isinstance(raw, str) else ""


def _is_said_by(source: str, memory: Memory, stem: str) -> bool:
    """Return whether the file as it was would be read as this memory."""
    if "path" not in memory.attributes or memory.kind != "note" or memory.pinned:
        return False
    try:
        parsed = parse(source)
    except FormatError:
        parsed = ParsedNote(FrontMatter(), source, memory.tags)
    same_title = unicodedata.normalize("NFC", title_of(parsed, stem)) == unicodedata.normalize("NFC", memory.title)
    return parsed.body == memory.content and same_title and parsed.tags == normalise_tags(memory.tags)


def _fields(memory: Memory, raw: str) -> dict[str, Any]:
    fields: dict[str, Any] = {"title": memory.title}
    try:
        front_matter = split(raw)[0].fields
    except FormatError:
        front_matter = {}
    known = {
        "id": memory.id,
        "kind": "" if memory.kind == "note" else memory.kind,
        "type": memory.type,
        "category": memory.category,
        "key": memory.key,
        "store": "" if memory.store == "private" else memory.store,
        "source": memory.source,
        "pinned": "true" if memory.pinned else "",
        "facts": list(memory.facts),
        "said_by": memory.said_by,
        "said_at": "" if (at := memory.said_at) is None else at.isoformat(),
        "created": memory.created_at.isoformat(timespec="milliseconds"),
        "updated": memory.updated_at.isoformat(timespec="milliseconds"),
    }
    fields.update({name: value for name, value in known.items() if value})
    fields.update(
        {name: value for name, value in front_matter.items() if name not in ("title", "tags", "tag", "updated")}
    )
    if memory.tags:
        fields["tags"] = list(memory.tags)
    return fields
