"""Values of conversations: a session, its messages, and what is asked of them."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from app.core.text import excerpt, without_markup

Role = Literal["user", "assistant", "tool", "system"]
SessionOrder = Literal["recent", "oldest", "title", "messages", "agent"]

LABEL_CHARACTERS = 60
IMPORTANCE: dict[str, float] = {"user": 0.5, "assistant": 0.5, "tool": 0.3, "system": 0.1}


@dataclass(frozen=True, slots=True)
class NewMessage:
    """A message to append.

    Args:
        role: Who speaks, as a model sees it.
        content: The text; Markdown is rendered.
        author: The speaker's name, ``""`` for the role alone.
        created_at: When it was said; now when ``None``.
        seq: Its number in the session; the next one when ``None``. Must be greater than every number before it.
        importance: 0 to 1; the role's default when ``None``.
        tool_call_id: On a tool's answer, the call it answers.
        tool_name: On a tool's answer, the tool.
        tool_calls: On an assistant's message, the calls it made, as given.
        payload: The foreign record it came from, for what has no column here.
    """

    role: Role
    content: str
    author: str = ""
    created_at: datetime | None = None
    seq: int | None = None
    importance: float | None = None
    tool_call_id: str | None = None
    tool_name: str | None = None
    tool_calls: list[dict[str, Any]] | None = None
    payload: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Message:
    """A stored message; ``(session_id, seq)`` names it, ``tokens`` is an estimate."""

    session_id: str
    seq: int
    role: Role
    author: str
    content: str
    created_at: datetime
    importance: float
    tokens: int
    tool_call_id: str | None = None
    tool_name: str | None = None
    tool_calls: list[dict[str, Any]] | None = None
    payload: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Session:
    """A conversation as a list shows it.

    Args:
        channel: ``channel:chat:thread`` of the program it came from, ``""`` for none.
        preview: The first words of the first message a person would recognise it by.
        consolidated_at: When facts were last drawn from it, ``None`` while pending.
    """

    id: str
    title: str
    agent: str
    channel: str
    created_at: datetime
    updated_at: datetime
    message_count: int
    preview: str = ""
    consolidated_at: datetime | None = None
    attributes: dict[str, Any] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """The title, else the first words; ``""`` when nothing was said."""
        return label_of(self.title, self.preview)


def label_of(title: str, preview: str) -> str:
    """Return what a conversation is called: its title, else the first words of its preview."""
    return title or excerpt(without_markup(preview), LABEL_CHARACTERS)


@dataclass(frozen=True, slots=True)
class Appended:
    """Result of an append: the session and the numbers of its new messages."""

    session_id: str
    seqs: tuple[int, ...]
    created: bool


@dataclass(frozen=True, slots=True)
class SessionFilter:
    """Filter of sessions; empty fields do not filter.

    Args:
        text: Words that the title or agent contain (substring, case-insensitive).
        agent: The agent's exact name.
        pending: True for not yet consolidated ones, False for the others.
        since: Updated at or after.
        until: Updated before.
    """

    text: str = ""
    agent: str = ""
    pending: bool | None = None
    since: datetime | None = None
    until: datetime | None = None
