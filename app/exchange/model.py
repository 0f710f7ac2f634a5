"""Values of imports and exports: records, positions and reports."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, Literal

from app.memories.foreign_record import MemoryRecord, Problem
from app.sessions.model import NewMessage, Session

ExportFormat = Literal["jsonl", "markdown", "folder", "encrypted", "mcp-memory"]
DetailType = Literal[
    "session_state", "session_alias", "session_summary", "entity", "relation", "claim", "import_source", "history"
]
MIXED: Final = "mixed"
"""Format of a folder in which exports of several kinds lie."""


@dataclass(frozen=True, slots=True)
class SessionRecord:
    """The head of a conversation, yielded before its messages.

    Args:
        key: Its id in the foreign file, stable over exports; becomes part of our session id.
        created_ms: Milliseconds since 1970 UTC, ``None`` when the file does not say.
        consolidated_ms: When facts were last drawn from it; only our own format says so.
        forgotten_ms: When the person forgot it, ``None`` while it stands; only our own format says so.
        attributes: What has no column here.
    """

    key: str
    title: str = ""
    agent: str = ""
    channel: str = ""
    created_ms: int | None = None
    updated_ms: int | None = None
    consolidated_ms: int | None = None
    forgotten_ms: int | None = None
    attributes: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class MessageRecord:
    """One message of the conversation ``session_key``; ``message.seq`` is given when the file numbers its messages."""

    session_key: str
    message: NewMessage


@dataclass(frozen=True, slots=True)
class Position:
    """Progress of a reader: ``done`` of ``total`` bytes, and the current file."""

    done: int
    total: int | None
    detail: str = ""


@dataclass(frozen=True, slots=True)
class VaultDetail:
    """A line of our own format that is no session, message or memory.

    Args:
        type: What it is; says which fields there are.
        fields: Times as milliseconds since 1970 UTC, objects and lists as they are.
    """

    type: DetailType
    fields: dict[str, Any]


@dataclass(frozen=True, slots=True)
class ForgottenSession:
    """A session that the person forgot and may still bring back."""

    session: Session
    forgotten_at: datetime


@dataclass(frozen=True, slots=True)
class AttachmentRecord:
    """A file that notes show or lead to, yielded before the first note that does.

    Args:
        name: Its name in the attachments folder, which depends on nothing but the file.
        data: Its bytes.
    """

    name: str
    data: bytes


Record = SessionRecord | MessageRecord | MemoryRecord | VaultDetail | AttachmentRecord | Problem | Position


@dataclass(frozen=True, slots=True)
class NotesFolderStatus:
    """Folder of Markdown notes that is followed.

    Args:
        folder: Its path, ``""`` for none.
        writes: Whether edits of notes are written to their files.
        files: Notes in it.
        read: Notes taken from files since the start.
        written: Files written since the start.
        conflicts: Notes that were edited on both sides since the start; each is kept twice, one with the tag
            ``conflict``.
        problems: Sentences about what cannot be followed.
    """

    folder: str
    writes: bool
    files: int
    read: int
    written: int
    conflicts: int
    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class UnfinishedImport:
    """An import that was cut off, such as by a power cut.

    Args:
        path: What was imported.
        format: Its format.
        begun_at: When it began.
        run_id: What it did, for ``memory.undo``; importing it again goes on with the same.
    """

    path: str
    format: str
    begun_at: datetime
    run_id: str


@dataclass(frozen=True, slots=True)
class Capsule:
    """A capsule that was written.

    Args:
        path: The file.
        memories: How many are in it.
        expires_at: Until when it can be imported.
        fingerprint: The key it is signed with, in short, for the receiver to compare.
    """

    path: str
    memories: int
    expires_at: datetime
    fingerprint: str


@dataclass(frozen=True, slots=True)
class CapsuleOrigin:
    """Origin of a capsule: what it says of its sender, and their key.

    Args:
        sender: Their name, in their own words.
        fingerprint: Their key in short.
        expires_at: Until when it can be imported.
        recipient: For whom it is, in the sender's words.
        known_since: When a capsule with this key was first imported, ``None`` where none was.
        known_as: The sender's name in that one.
        is_own: True when it was made with this vault's own key.
    """

    sender: str
    fingerprint: str
    expires_at: datetime
    recipient: str = ""
    known_since: datetime | None = None
    known_as: str = ""
    is_own: bool = False


@dataclass(frozen=True, slots=True)
class ItemCounts:
    """Account of what a source holds: ``read`` is the sum of the others.

    Args:
        read: Items in it, such as lines, messages or files.
        stored: Items that something was made of.
        left_out: Items that problems name.
        wordless: Items without words, such as receipts.
        noun: What an item is called, in English and in the singular.
    """

    read: int = 0
    stored: int = 0
    left_out: int = 0
    wordless: int = 0
    noun: str = ""

    def __add__(self, other: "ItemCounts") -> "ItemCounts":
        """Return the account of two sources together."""
        noun = self.noun if other.noun in ("", self.noun) else other.noun if not self.noun else "item"
        stored, left_out = self.stored + other.stored, self.left_out + other.left_out
        return ItemCounts(self.read + other.read, stored, left_out, self.wordless + other.wordless, noun)


@dataclass(frozen=True, slots=True)
class ImportPart:
    """Part of an import of a folder in which exports of several kinds lie.

    Args:
        name: Its place in the folder, by which it can be left out.
        format: Its format.
        files: How many files or folders are read; 1 for a folder that is one export.
        conversations: How many there are in it, or were new; likewise the others.
    """

    name: str
    format: str
    files: int = 1
    conversations: int = 0
    messages: int = 0
    notes: int = 0


@dataclass(frozen=True, slots=True)
class ImportPreview:
    """Preview of an import: format, size in bytes, and a line for a person.

    Args:
        known: Notes that an earlier import brought in unchanged, and conversations that are there.
        problems: The first problems; ``problem_count`` counts all.
        remarks: The first remarks about what is no fault, such as what no import takes; ``remark_count`` counts all.
        secrets: Texts that look as if they held a key or a password.
        is_complete: False when the counts are those of the beginning, because the rest takes too long to count.
        capsule: Who made it where it is a capsule, else ``None``.
        is_locked: It is encrypted, and its passphrase was not given: nothing was counted.
        items: The account of what it holds; zeros where the counts are those of the beginning.
        parts: What lies in a folder with exports of several kinds, none for a single export.
    """

    format: str
    bytes: int
    detail: str = ""
    notes: int = 0
    conversations: int = 0
    messages: int = 0
    attachments: int = 0
    known: int = 0
    problems: tuple[Problem, ...] = ()
    problem_count: int = 0
    remarks: tuple[Problem, ...] = ()
    remark_count: int = 0
    secrets: int = 0
    is_complete: bool = True
    capsule: CapsuleOrigin | None = None
    is_locked: bool = False
    items: ItemCounts = ItemCounts()
    parts: tuple[ImportPart, ...] = ()


@dataclass(frozen=True, slots=True)
class ImportReport:
    """Report of an import.

    Args:
        format: The format that was read, such as ``chatgpt`` or ``claude-code``.
        unchanged: Messages and memories that were there already.
        problems: The first 1,000 problems; ``problem_count`` counts all.
        remarks: The first 1,000 remarks about what is no fault; ``remark_count`` counts all.
        cancelled: True when it was stopped; what was committed stays and a second import continues.
        run_id: What it did to memories, for ``memory.undo``; ``""`` where it did nothing.
        secrets: Secrets in transcripts that were not stored.
        recalled: Messages of transcripts that Keepsake's own text was taken out of.
        attachments: Files that came along with notes.
        skipped: Texts left out on request, because they look as if they held a key or a password.
        lost: Conversations, messages and notes that were left out, or parts of them.
        lost_files: Pictures and other files that were left out while their texts went in.
        items: The account of what the source holds.
        parts: What was read of a folder with exports of several kinds, none for a single export.
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
    remarks: tuple[Problem, ...] = ()
    remark_count: int = 0
    cancelled: bool = False
    seconds: float = 0.0
    run_id: str = ""
    secrets: int = 0
    recalled: int = 0
    attachments: int = 0
    skipped: int = 0
    lost: int = 0
    lost_files: int = 0
    items: ItemCounts = ItemCounts()
    parts: tuple[ImportPart, ...] = ()


@dataclass(frozen=True, slots=True)
class ExportReport:
    """Report of an export: what was written at ``path``, and how much.

    ``skipped`` names attachments that could not be read; every text is there all the same.
    """

    path: str
    format: str
    sessions: int
    messages: int
    memories: int
    files: int
    bytes: int
    skipped: tuple[str, ...] = ()
