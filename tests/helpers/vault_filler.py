"""Fills the vault of a test: conversations and notes whose first is the latest, as lists show them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.host import Host
    from app.memories.model import Memory
    from app.sessions.model import Session

NOW = datetime(2025, 11, 20, 15, 30, tzinfo=UTC)
BATCH = 1_000


@dataclass(frozen=True, slots=True)
class NoteText:
    """A note to write."""

    title: str
    content: str = ""
    tags: tuple[str, ...] = ()
    pinned: bool = False


class VaultFiller:
    """Fills the vault of a host through its operations.

    Args:
        host: A started host.
    """

    def __init__(self, host: "Host") -> None:
        self.host = host
        self._sessions = 0

    def add_session(
        self,
        title: str,
        turns: Iterable[tuple[str, str]],
        *,
        identity: str = "",
        agent: str = "",
        at: datetime | None = None,
        step: timedelta = timedelta(minutes=3),
    ) -> str:
        """Add a conversation; each is seven hours older than the one before.

        Args:
            title: Its title.
            turns: Role and text of each message.
            identity: Its id; ``ses-000000`` for the first, and so on.
            agent: The agent it is with.
            at: The time of its first message.
            step: The time from one message to the next.
        """
        identity = identity or f"ses-{self._sessions:06}"
        began = at or NOW - timedelta(hours=7 * self._sessions)
        self._sessions += 1
        messages = [
            {"role": role, "content": text, "created_at": (began + step * number).isoformat()}
            for number, (role, text) in enumerate(turns)
        ]
        for start in range(0, len(messages), BATCH):
            self.host.ask(
                "session.append", messages=messages[start : start + BATCH], session=identity, title=title, agent=agent
            )
        return identity

    def add_notes(self, *notes: NoteText) -> list[str]:
        """Write notes, the last first, and return their ids: ``note-000000`` for the first, and so on."""
        ids = [f"note-{number:06}" for number in range(len(notes))]
        for identity, note in reversed(list(zip(ids, notes, strict=True))):
            self.host.ask("note.save", id=identity, title=note.title, content=note.content, tags=list(note.tags))
            if note.pinned:
                self.host.ask("note.pin", id=identity)
        return ids

    def add_note(self, title: str, content: str = "", tags: Sequence[str] = ()) -> str:
        """Write a note, the latest of all, and return its id."""
        return str(self.host.ask("note.save", title=title, content=content, tags=list(tags)).id)

    def note(self, identity: str) -> "Memory":
        """Return a note as the vault has it."""
        note: Memory = self.host.ask("note.get", id=identity)
        return note

    def session(self, identity: str) -> "Session":
        """Return a conversation as the vault has it."""
        session: Session = self.host.ask("session.get", session=identity)
        return session

    def sessions(self) -> "list[Session]":
        """Return the conversations, the latest first."""
        sessions: list[Session] = self.host.ask("session.list", limit=500)
        return sessions
