"""Growth is counted in a person's days and weeks, over daylight saving too."""

from datetime import UTC, datetime
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.clock import midnight_ms, to_ms
from app.core.stores import STORES
from app.memories.queries import statistics
from app.memories.queries.statistics import MAX_STEPS, StatisticsPeriod
from tests.unit.app.memories.conftest import MemoryHarness

ZURICH = ZoneInfo("Europe/Zurich")


def counts(harness: MemoryHarness, wanted: StatisticsPeriod) -> dict[str, int]:
    return {
        f"{one.day}": one.memories for one in harness.read(lambda conn: statistics.stats(conn, wanted, STORES)).growth
    }


def test_days_are_those_of_the_zone(harness: MemoryHarness) -> None:
    for when in ("2026-03-28T22:59", "2026-03-28T23:00", "2026-03-29T21:59", "2026-03-29T22:00"):
        harness.save(when, created_at=datetime.fromisoformat(when).replace(tzinfo=UTC))
    now = to_ms(datetime(2026, 3, 30, 12, tzinfo=ZURICH))
    assert counts(harness, StatisticsPeriod(now, 3, "day", ZURICH)) == {
        "2026-03-28": 1,
        "2026-03-29": 2,
        "2026-03-30": 1,
    }
    assert counts(harness, StatisticsPeriod(now, 2, "week", ZURICH)) == {"2026-03-23": 3, "2026-03-30": 1}


@pytest.mark.parametrize("steps", [0, 1, 10 * MAX_STEPS])
def test_a_window_has_bounds(harness: MemoryHarness, steps: int) -> None:
    found = counts(harness, StatisticsPeriod(to_ms(datetime(2026, 3, 30, tzinfo=UTC)), steps, "day", UTC))
    assert len(found) == min(max(steps, 1), MAX_STEPS)


@given(st.integers(0, 4_000_000_000_000), st.sampled_from(["day", "week"]), st.sampled_from([ZURICH, UTC]))
def test_steps_follow_each_other_up_to_now(now: int, step: statistics.Step, zone: ZoneInfo) -> None:
    days = statistics._days(StatisticsPeriod(now, 5, step, zone))
    assert len(days) == 6
    assert {(later - day).days for day, later in pairwise(days)} == {7 if step == "week" else 1}
    assert midnight_ms(days[-2], zone) <= now < midnight_ms(days[-1], zone)
