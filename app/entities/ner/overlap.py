"""Overlapping names: the surer one wins, then the longer, then the earlier."""

import bisect
from collections.abc import Iterable

from app.entities.ner.provider import NameSpan


def resolve_overlaps(spans: Iterable[NameSpan]) -> list[NameSpan]:
    """Return spans without overlaps, in the order of the text."""
    chosen: list[NameSpan] = []
    starts: list[int] = []
    for span in sorted(spans, key=_rank):
        at = bisect.bisect_left(starts, span.start)
        free_before = at == 0 or chosen[at - 1].end <= span.start
        free_after = at == len(chosen) or span.end <= chosen[at].start
        if span.start < span.end and free_before and free_after:
            chosen.insert(at, span)
            starts.insert(at, span.start)
    return chosen


def _rank(span: NameSpan) -> tuple[float, int, int, str, str]:
    return -span.confidence, span.start - span.end, span.start, span.type, span.provider
