"""Values of fact extraction: messages, and the facts drawn from them."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

Family = Literal["statement", "preference", "plan", "decision", "relation", "commitment"]


@dataclass(frozen=True, slots=True)
class SpokenLine:
    """A message of a conversation.

    Args:
        seq: Its number within the conversation.
        role: ``user``, ``assistant``, ``tool`` or ``system``.
        speaker: The speaker's name, ``""`` where nobody is named.
        text: Its text.
        at: When it was said, aware.
    """

    seq: int
    role: str
    speaker: str
    text: str
    at: datetime


@dataclass(frozen=True, slots=True)
class ExtractedFact:
    """A fact that a message states.

    Args:
        content: A sentence in the third person, with its relative dates resolved.
        category: What it is about where only one such fact can be true at a time, such as ``home``; else ``""``.
        key: Whose fact that is, so that a newer fact of the same category and key contradicts it; else ``""``.
        confidence: 0 to 1.
        event_time: When what it tells of happened or will happen, where it says so; aware.
        source_seqs: The messages it was drawn from.
        family: What sort of statement it is.
        subject: Whom it is about.
    """

    content: str
    category: str
    key: str
    confidence: float
    event_time: datetime | None
    source_seqs: tuple[int, ...]
    family: Family
    subject: str
