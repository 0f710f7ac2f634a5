"""Times between the database, Python and foreign files."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.clock import MAX_MS, SystemClock, optional_datetime, parse_instant, to_datetime, to_ms

NOON = datetime(2026, 10, 12, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    "written",
    [
        "2026-10-12T12:00:00Z",
        "2026-10-12T14:00:00+02:00",
        "2026-10-12 12:00:00",
        NOON.timestamp(),
        NOON.timestamp() * 1000,
        str(int(NOON.timestamp())),
        NOON.astimezone(timezone(timedelta(hours=9))),
    ],
)
def test_the_same_instant_however_it_is_written(written: object) -> None:
    assert parse_instant(written) == to_ms(NOON)


@pytest.mark.parametrize("written", [None, True, "", "soon", -5, float("nan"), float("inf"), 1e300, [], "9" * 400])
def test_what_is_no_time(written: object) -> None:
    assert parse_instant(written) is None


@given(st.integers(0, MAX_MS))
def test_there_and_back(ms: int) -> None:
    assert to_ms(to_datetime(ms)) == ms


def test_nothing_stays_nothing() -> None:
    assert optional_datetime(None) is None
    assert SystemClock().now_ms() > to_ms(datetime(2026, 1, 1, tzinfo=UTC))
