"""Values of schedules: cadence, definition, run."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

import msgspec

CadenceKind = Literal["cron", "once", "interval"]
Policy = Literal["always", "on_failure", "never"]
Status = Literal["active", "paused", "completed"]
RunStatus = Literal["running", "succeeded", "failed", "skipped", "missed", "waiting"]


class Cadence(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """Times at which something runs; in JSON only with the fields of its kind.

    Args:
        kind: ``cron``, ``once`` or ``interval``.
        expression: Five fields of cron: minute, hour, day of month, month, day of week.
        at: The time of ``once``.
        seconds: The seconds between two runs of ``interval``.
        zone: The IANA zone in which ``expression`` is meant, such as ``Europe/Berlin``; UTC when empty.
    """

    kind: CadenceKind
    expression: str | None = None
    at: datetime | None = None
    seconds: float | None = None
    zone: str = ""


@dataclass(frozen=True, slots=True)
class Preview:
    """The next runs of a cadence, and the cadence in words."""

    words: str
    zone: str
    runs: tuple[str, ...]
