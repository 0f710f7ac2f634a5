"""Date proximity of messages to the dates that a question names. Pure functions."""

from collections.abc import Collection, Iterable, Iterator
from datetime import MAXYEAR, MINYEAR, UTC, datetime, timedelta
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from app.core.clock import DAY_MS

if TYPE_CHECKING:
    from numpy.typing import NDArray

_AFTER_MS: Final = 8 * DAY_MS
"""Messages about a day are written on that day or in the following week."""
_BEFORE_MS: Final = DAY_MS
_DECEMBER: Final = 12
_MOST_SPANS: Final = 256


def proximity(
    created_ms: "NDArray[np.integer[Any]]", years: Collection[int], months: Collection[int], days: Collection[int]
) -> "NDArray[np.float64]":
    """Return the proximity of each moment to the nearest date; see ``proximity_to_spans``.

    Args:
        created_ms: Moments, milliseconds UTC.
        years: Named years; any when empty.
        months: Named months from 1; whole years when empty.
        days: Named days from 1; whole months when empty.
    """
    return proximity_to_spans(created_ms, spans(created_ms, years, months, days))


def spans(
    created_ms: "NDArray[np.integer[Any]]", years: Collection[int], months: Collection[int], days: Collection[int]
) -> list[tuple[int, int]]:
    """Return the half-open millisecond spans of the dates, latest years first; see ``proximity``."""
    if not len(created_ms) or not (years or months):
        return []
    named = sorted(years, reverse=True) or _years(created_ms)
    return list(islice(_spans(named, months, days), _MOST_SPANS))


def proximity_to_spans(
    created_ms: "NDArray[np.integer[Any]]", spans: Iterable[tuple[int, int]]
) -> "NDArray[np.float64]":
    """Return the proximity of each moment to the nearest span: 1 inside, decaying outside."""
    near = np.zeros(len(created_ms))
    for begin, end in spans:
        late = np.maximum(created_ms - end, 0) / _AFTER_MS
        early = np.maximum(begin - created_ms, 0) / _BEFORE_MS
        near = np.maximum(near, np.exp(-late - early))
    return near


def _years(created_ms: "NDArray[np.integer[Any]]") -> range:
    """Return the years of the moments and the year before, latest first.

    The year before counts because December is often told of in January.
    """
    first, last = (_year(int(moment)) for moment in (created_ms.min(), created_ms.max()))
    # datetime has no years beyond these.
    return range(min(last, MAXYEAR - 1), max(first - 1, MINYEAR) - 1, -1)


def _year(moment_ms: int) -> int:
    # An average year is accurate enough, also for moments outside the range of datetime.
    return 1970 + int(moment_ms / DAY_MS / 365.2425)


def _spans(years: Collection[int], months: Collection[int], days: Collection[int]) -> Iterator[tuple[int, int]]:
    for year in years:
        if not months:
            yield from _span(year, 1, 1, year + 1, 1)
        for month in months:
            for day in days if days else ():
                yield from _span(year, month, day, None, None)
            if not days:
                yield from _span(year, month, 1, year + month // _DECEMBER, month % _DECEMBER + 1)


def _span(year: int, month: int, day: int, end_year: int | None, end_month: int | None) -> Iterator[tuple[int, int]]:
    """Yield the milliseconds of a day, or up to the first of another month.

    A day that does not exist yields nothing.
    """
    try:
        begin = datetime(year, month, day, tzinfo=UTC)
        end = begin + timedelta(days=1) if end_year is None else datetime(end_year, end_month or 1, 1, tzinfo=UTC)
    except (ValueError, OverflowError):
        return
    yield round(begin.timestamp() * 1000), round(end.timestamp() * 1000)
