"""Records of foreign files that become memories, and problems met on the way."""

from dataclasses import dataclass, field
from typing import Any

from app.core.stores import StoreName
from app.memories.model import Kind, Source


@dataclass(frozen=True, slots=True)
class MemoryRecord:
    """One durable item; the fields from ``facts`` on are only given by our own format.

    Args:
        key: Identifies it over imports (a path, a foreign id).
        place: The folder or file in which alone ``key`` identifies it, ``""`` where it does everywhere.
        collection: The notebook it lies in, which becomes a tag, where ``key`` is no more than its title and time and
            others may share it; ``None`` where ``key`` identifies it.
        store: Who may see it, ``None`` when the file does not say.
        fact_key: With ``category``, names a fact.
        facts: Single statements of an observation.
        type: An observation's type.
        source: Who stored it, ``""`` for the import itself.
        session_key: The session it came from.
        confidence: 0 to 1, ``None`` for the default; ``decay_rate`` likewise.
        deleted_ms: When it was deleted, ``None`` while active.
        attributes: What has no field here.
        files: Related files; ``people`` related people, ``sources`` what it was drawn from.
        access_count: How often it was read, ``accessed_ms`` when last.
        archived_ms: When it was put into the archive, ``None`` when it is not there; ``archive_reason`` says why.
        version: How often the memory was stored when it was exported.
        keeps_id: True when ``key`` is the id of a memory and an export of ours wrote it.
    """

    key: str
    content: str
    kind: Kind = "note"
    title: str = ""
    tags: tuple[str, ...] = ()
    store: StoreName | None = None
    category: str = ""
    fact_key: str = ""
    created_ms: int | None = None
    updated_ms: int | None = None
    facts: tuple[str, ...] = ()
    type: str = ""
    source: str = ""
    session_key: str | None = None
    confidence: float | None = None
    decay_rate: float | None = None
    mention_count: int = 1
    pinned: bool = False
    event_ms: int | None = None
    expires_ms: int | None = None
    deleted_ms: int | None = None
    superseded_by: str | None = None
    attributes: dict[str, Any] = field(default_factory=dict)
    files: tuple[str, ...] = ()
    people: tuple[str, ...] = ()
    sources: tuple[Source, ...] = ()
    access_count: int = 0
    accessed_ms: int | None = None
    archived_ms: int | None = None
    archive_reason: str = ""
    keeps_id: bool = False
    version: int = 1
    place: str = ""
    collection: str | None = None


@dataclass(frozen=True, slots=True)
class Problem:
    """Part of a file that was not imported, or not unchanged; the rest was imported.

    Args:
        place: Where: ``conversations.json, conversation 3 ("Trip"), message 7`` or ``notes/a.md, line 2``.
        what: What is wrong, in a sentence.
        lost: True when something was left out; False when it went in with a repair, or is none of what is imported.
        foreign: True for a remark about what is no fault: what no import takes, such as pictures beside notes, or what
            a file lacks.
        is_file: True for a picture or another file that was left out while the text that shows it went in.
        count: How many conversations, messages or notes it is about.
    """

    place: str
    what: str
    lost: bool = True
    foreign: bool = False
    is_file: bool = False
    count: int = 1
