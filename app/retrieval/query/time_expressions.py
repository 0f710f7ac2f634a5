"""Time expressions in questions: yesterday, last week, four months ago. Pure functions."""

import re
from collections.abc import Iterator
from datetime import tzinfo
from typing import Final

from app.core.time_rules.timespans import MONTHS, WEEKDAYS, parse_span

TimeSpan = tuple[int, int]
"""A span of milliseconds UTC, half-open."""

MAX_SPANS: Final = 4
"""Maximum number of time spans; a text that names more is about none of them."""
_COUNT: Final = r"\d{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
_ABOUT: Final = {"couple of": "2", "a couple of": "2", "few": "3", "a few": "3", "several": "3"}
_UNITS: Final = "days?|weeks?|months?|years?"
_NAMED: Final = "|".join((*WEEKDAYS, *MONTHS))
_SAID: Final = re.compile(
    rf"\b(?:(?P<day>today|yesterday)|(?P<night>last night|tonight)|(?P<weekend>(?:last|past) weekend)"
    rf"|(?P<count>{_COUNT}|{'|'.join(_ABOUT)}) (?P<unit>{_UNITS}) ago"
    rf"|(?:last|past) (?P<many>\d{{1,3}}|two|three|four|five|six|seven|eight|nine|ten|{'|'.join(_ABOUT)})"
    rf" (?P<units>{_UNITS})|(?P<which>(?:last|past|this) (?:week|month|year|{_NAMED}))"
    rf"|(?:on|since) (?P<weekday>{'|'.join(WEEKDAYS)}))\b"
)


def find_time_spans(text: str, now_ms: int, zone: tzinfo | None = None) -> tuple[TimeSpan, ...]:
    """Return the past time spans that ``text`` names, none where it names more than ``MAX_SPANS``.

    Args:
        text: As it was written.
        now_ms: The current time, milliseconds UTC.
        zone: Time zone of the days; the machine's when ``None``.
    """
    named = dict.fromkeys(_spelled(re.sub(r"\s+", " ", text.lower())))
    if len(named) > MAX_SPANS:
        return ()
    spans = (parse_span(text, now_ms, zone) for text in named)
    return tuple(span for span in spans if span is not None and span[0] <= now_ms)


def _spelled(text: str) -> Iterator[str]:
    """Yield the time expressions of ``text`` in the form that ``parse_span`` reads."""
    for match in _SAID.finditer(text):
        if match["night"]:
            yield "today" if match["night"] == "tonight" else "yesterday"
        elif match["weekend"]:
            yield "last saturday..last sunday"
        elif match["count"]:
            yield f"{_ABOUT.get(match['count'], match['count'])} {match['unit']} ago"
        elif match["many"]:
            yield f"last {_ABOUT.get(match['many'], match['many'])} {match['units']}"
        else:
            yield match["day"] or match["which"] or match["weekday"]
