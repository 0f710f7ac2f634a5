"""Values of fact extraction: messages, and the sentences of them that are worth remembering."""

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
    """A sentence that states something worth remembering.

    Args:
        content: The sentence, word for word as it stands in the message.
        event_time: The day that it names by its distance from when it was said, such as ``tomorrow``; aware.
        seq: The message that says it.
        family: What sort of statement it is.
        said_by: Who says it: the speaker's name, else the role.
    """

    content: str
    event_time: datetime | None
    seq: int
    family: Family
    said_by: str
