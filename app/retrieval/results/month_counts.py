"""Counts by month of all texts that match a search, not only of those shown."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import numpy as np

from app.core.clock import to_datetime, to_ms
from app.retrieval.candidates.filter_only import filter_only
from app.retrieval.candidates.filters import build_filter
from app.retrieval.model import MonthCount, Query
from app.retrieval.query.match_expression import Mode, excluded_expression, match_expression
from app.retrieval.snapshot import SearchSnapshot

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ids = NDArray[np.integer[Any]]

_MODES: tuple[Mode, ...] = ("all", "any")
_DAYS_INTO_NEXT = 32
"""From the first of a month, so many days later it is the next month."""
_LAST_MONTH = datetime(9999, 12, 1)  # noqa: DTZ001  (local time, as the months are)


def count_months(snapshot: SearchSnapshot, query: Query, stores: Sequence[str]) -> list[MonthCount]:
    """Return the months with matching texts, in the time zone of this machine, oldest first.

    A text matches when it has all words of the query, or any of them where no text has all, and satisfies the
    operators. Dates of the query are left out, so that the other months remain to be chosen.

    Args:
        snapshot: The index.
        query: The parsed query.
        stores: Stores that the caller may read.
    """
    undated = replace(query, since=None, until=None)
    where = build_filter(undated, stores)
    allowed = filter_only(snapshot, where, excluded_expression(query))
    ids = allowed.ids
    for mode in _MODES:
        expression = match_expression(query, mode, need_phrases=True)
        if expression is None:
            break
        matching = snapshot.index_cache.ids(snapshot.connection, expression, snapshot.last_chunk)
        ids = allowed.ids[np.isin(allowed.ids, matching)]
        if len(ids):
            break
    return _by_month(allowed.columns.created[ids])


def _by_month(created: "Ids") -> list[MonthCount]:
    """Return the counts of moments in milliseconds UTC by local month."""
    if not len(created):
        return []
    names, starts = _months(int(created.min()), int(created.max()))
    places = np.searchsorted(np.array(starts), created, side="right") - 1
    counts = Counter(places.tolist())
    return [MonthCount(name, counts[place]) for place, name in enumerate(names) if counts[place]]


def _months(first_ms: int, last_ms: int) -> tuple[list[str], list[int]]:
    """Return the months from one moment to another, and when each begins."""
    names, starts = list[str](), list[int]()
    day = to_datetime(first_ms).astimezone().replace(day=1, hour=0, minute=0, second=0, microsecond=0, tzinfo=None)
    while True:
        start = to_ms(day.astimezone(UTC))
        if start > last_ms:
            return names, starts
        names.append(f"{day.year:04}-{day.month:02}")
        starts.append(start)
        if day >= _LAST_MONTH:
            return names, starts
        day = (day + timedelta(days=_DAYS_INTO_NEXT)).replace(day=1)
