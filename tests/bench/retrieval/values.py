"""Values of a data set: messages, notes, and questions with their evidence."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Turn:
    """One message; ``id`` is the data set's own name for it."""

    id: str
    session: str
    seq: int
    author: str
    role: str
    text: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Note:
    """One document, stored as a note."""

    id: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Question:
    """One question.

    Args:
        text: As asked.
        evidence: Ids of the turns or notes that answer it; empty where only sessions are known.
        category: Of the data set's own kinds.
        sessions: The sessions that answer it; those of the evidence when empty.
        until: It is asked of what was said before this moment.
    """

    text: str
    evidence: frozenset[str]
    category: str
    sessions: frozenset[str] = frozenset()
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class Haystack:
    """Content of one vault, and its questions."""

    name: str
    turns: tuple[Turn, ...]
    questions: tuple[Question, ...]
    notes: tuple[Note, ...] = ()


class DataError(Exception):
    """The folder does not hold the data set in its published shape."""
