"""Values of the trace."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class CrashReport:
    """Stacks of all threads of a process that died.

    Args:
        program: Which of Keepsake's programs it was, such as ``window``.
        at: When it died.
        stacks: Files, lines and functions, never content.
    """

    program: str
    at: datetime
    stacks: str


@dataclass(frozen=True, slots=True)
class TraceLine:
    """One line of the trace.

    Args:
        at: When it was written.
        event: What happened, such as ``search``.
        ms: How long it took; ``None`` where nothing was timed.
        error: The code of the failure it ended with; empty where it did not fail.
        facts: Counts and names, in one line; never content.
    """

    at: datetime
    event: str
    ms: float | None
    error: str
    facts: str
