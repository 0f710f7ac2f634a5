"""The date facet: spans and single days."""

from datetime import date, datetime

import pytest

from ui.panes.notes.date_facet import SPANS, bounds, day_named, span_label

TODAY = date(2026, 3, 15)


@pytest.mark.parametrize("name", ["", "never", "2026-02-30", "2026-13-01", "20x6-01-01"])
def test_what_is_no_span_bounds_nothing(name: str) -> None:
    assert bounds(name, TODAY) == (None, None)
    assert day_named(name) is None
    assert span_label(name) == name


@pytest.mark.parametrize(
    ("name", "since", "until"),
    [
        ("today", (2026, 3, 15), None),
        ("week", (2026, 3, 9), None),
        ("month", (2026, 2, 14), None),
        ("year", (2026, 1, 1), None),
        ("older", None, (2026, 1, 1)),
        ("2026-03-31", (2026, 3, 31), (2026, 4, 1)),
    ],
)
def test_spans_begin_and_end_at_midnight(
    name: str, since: tuple[int, int, int] | None, until: tuple[int, int, int] | None
) -> None:
    expected = tuple(None if day is None else datetime(*day).astimezone() for day in (since, until))
    assert bounds(name, TODAY) == expected
    assert span_label(name) != name
    assert (name in SPANS) == (day_named(name) is None)
