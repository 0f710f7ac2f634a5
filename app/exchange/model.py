"""What readers of foreign formats yield, and what an import or export reports."""

from dataclasses import dataclass, field
from typing import Any, Literal

from app.memories.model import Kind, Source, StoreName
from app.sessions.model import NewMessage

ExportFormat = Literal["jsonl", "markdown"]


@dataclass(frozen=True, slots=True)
class SessionRecord:
    """The head of a conversation, yielded before its messages.

    Args:
        key: Its id in the foreign file, stable over exports; becomes part of our session id.
        created_ms: Milliseconds since 1970 UTC, ``None`` when the file does not say.
        consolidated_ms: When facts were last drawn from it; only our own format says so.
        attributes: What has no column here.
    """

    key: str
    title: str = ""
    agent: str = ""
    channel: str = ""
    created_ms: int | None = None
    updated_ms: int | None = None
    consolidated_ms: int | None = None
    attributes: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class MessageRecord:
    """One turn of the conversation ``session_key``; ``message.seq`` is given when the file numbers its turns."""

    session_key: str
    message: NewMessage


@dataclass(frozen=True, slots=True)
class MemoryRecord:
    """One durable item; the fields from ``facts`` on are only given by our own format.

    Args:
        key: Identifies it over imports (a path, a foreign id).
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


@dataclass(frozen=True, slots=True)
class Problem:
    """Something in a file that could not go in, or not unchanged; the rest went in.

    Args:
        place: Where: ``conversations.json, conversation 3 ("Trip"), message 7`` or ``notes/a.md, line 2``.
        what: What is wrong, in a sentence.
        lost: True when something was left out; False when it went in with a repair, or is none of what is imported.
        foreign: True for what no import takes, such as pictures beside notes.
    """

    place: str
    what: str
    lost: bool = True
    foreign: bool = False


@dataclass(frozen=True, slots=True)
class Position:
    """How far a reader has come in its source: ``done`` of ``total`` bytes, and the file at hand."""

    done: int
    total: int | None
    detail: str = ""


Record = SessionRecord | MessageRecord | MemoryRecord | Problem | Position


@dataclass(frozen=True, slots=True)
class ImportPreview:
    """What an import would read: the format found, how many bytes, and one line for a person."""

    format: str
    bytes: int
    detail: str = ""


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What an import did.

    Args:
        format: ``chatgpt``, ``claude``, ``markdown`` or ``keepsake``.
        unchanged: Messages and memories that were there already.
        problems: The first 1,000 problems; ``problem_count`` counts all.
        cancelled: True when it was stopped; what was committed stays and a second import continues.
        run_id: What it did to memories, for ``memory.undo``; ``""`` where it did nothing.
    """

    source: str
    format: str
    sessions: int = 0
    messages: int = 0
    memories: int = 0
    unchanged: int = 0
    updated: int = 0
    problems: tuple[Problem, ...] = ()
    problem_count: int = 0
    cancelled: bool = False
    seconds: float = 0.0
    run_id: str = ""


@dataclass(frozen=True, slots=True)
class ExportReport:
    """What an export wrote: files, sessions, messages, memories and bytes, at ``path``."""

    path: str
    format: str
    sessions: int
    messages: int
    memories: int
    files: int
    bytes: int
