"""Values of transcript capture."""

from dataclasses import dataclass, field
from typing import Any, Literal

TranscriptFormat = Literal["claude-code", "codex", "gemini", "cursor"]


@dataclass(frozen=True, slots=True)
class CapturePosition:
    """Position up to which a transcript was taken in.

    Args:
        offset: Bytes of the file that need not be sent again; -1 where another agent sends it.
        tail: A digest of the bytes before, see ``app.core.whole_lines``.
    """

    offset: int
    tail: str = ""


@dataclass(frozen=True, slots=True)
class CaptureCounts:
    """Counts of one intake of a transcript.

    Args:
        messages: New messages.
        unchanged: Messages that were there already, or may not be stored.
        secrets: Secrets that were not stored.
        recalled: Messages that Keepsake's own text was taken out of.
        problems: Lines that could not be read.
        offset: Where the next part begins.
        tail: The digest to go with it.
    """

    messages: int = 0
    unchanged: int = 0
    secrets: int = 0
    recalled: int = 0
    problems: int = 0
    offset: int = 0
    tail: str = ""


@dataclass(frozen=True, slots=True)
class TranscriptFile:
    """A transcript as it was when it was last read.

    Args:
        path: Where it is.
        format: Its format.
        agent: The agent that sends it, ``""`` where the file itself is read.
        offset: Bytes that were read.
        tail: A digest of the last of them.
        size: Its size then.
        changed_ns: Its own time then.
        state: What its parser must know to go on.
    """

    path: str
    format: str
    agent: str = ""
    offset: int = 0
    tail: str = ""
    size: int = 0
    changed_ns: int = 0
    state: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CaptureStatus:
    """State of the watch over transcripts since Keepsake was started.

    Args:
        watching: Whether transcripts on disk are followed.
        files: Transcripts that were taken in so far, ever.
        messages: Messages taken in since the start.
        secrets: Secrets that were not stored.
        recalled: Messages that Keepsake's own text was taken out of.
        failures: A sentence about each transcript that could not be read.
    """

    watching: bool
    files: int
    messages: int
    secrets: int
    recalled: int
    failures: tuple[str, ...] = ()
