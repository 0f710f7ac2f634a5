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
