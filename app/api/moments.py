"""Times as callers write them: an instant, or words such as ``today`` and ``last week``."""

from app.core.clock import parse_instant
from app.core.time_rules.timespans import parse_span
from app.errors import InputError
from app.sentence import Sentence

_EXAMPLES = "2026-03-01, 2026-03-01T10:00, today, yesterday, last week, 3 days ago"


def begin_of(text: str, now_ms: int, field: str) -> int:
    """Return the moment at which what ``text`` means begins, milliseconds UTC.

    Raises:
        InputError: It is no time.
    """
    return _span(text, now_ms, field)[0]


def end_of(text: str, now_ms: int, field: str) -> int:
    """Return the last moment of what ``text`` means, milliseconds UTC.

    Raises:
        InputError: It is no time.
    """
    return _span(text, now_ms, field)[1]


def _span(text: str, now_ms: int, field: str) -> tuple[int, int]:
    clean = text.strip()
    if (span := parse_span(clean, now_ms)) is not None:
        return span[0], span[1] - 1
    exact = parse_instant(clean)
    if exact is None:
        raise InputError(
            Sentence("'{field}' is no time. Write it like one of these: {examples}.", field=field, examples=_EXAMPLES),
            field=field,
        )
    return exact, exact
