"""Spans of time: ISO and English, in zones where clocks change."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.time_rules.timespans import EXAMPLES, MONTHS, WEEKDAYS, parse_span

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 10, 14, 15, 30, tzinfo=BERLIN)  # a Wednesday
HOUR = 3_600_000


def ms(when: datetime) -> int:
    return round(when.timestamp() * 1000)


def span(text: str, now: datetime = NOW) -> tuple[str, str] | None:
    zone = now.tzinfo
    found = parse_span(text, ms(now), zone)
    if found is None:
        return None
    start, end = (datetime.fromtimestamp(at / 1000, zone).replace(tzinfo=None) for at in found)
    if start.time() == end.time() == datetime.min.time():
        return start.date().isoformat(), end.date().isoformat()
    return start.isoformat(), end.isoformat()


@pytest.mark.parametrize(
    ("text", "since", "until"),
    [
        ("2026", "2026-01-01", "2027-01-01"),
        ("2026-10", "2026-10-01", "2026-11-01"),
        ("2026/2", "2026-02-01", "2026-03-01"),
        ("2026-10-12", "2026-10-12", "2026-10-13"),
        ("2026-1-2", "2026-01-02", "2026-01-03"),
        ("20261012", "2026-10-12", "2026-10-13"),
        ("2026-W41", "2026-10-05", "2026-10-12"),
        ("2026-w41-3", "2026-10-07", "2026-10-08"),
        ("2026-W53", "2026-12-28", "2027-01-04"),
        ("today", "2026-10-14", "2026-10-15"),
        (" Yesterday ", "2026-10-13", "2026-10-14"),
        ("tomorrow", "2026-10-15", "2026-10-16"),
        ("this week", "2026-10-12", "2026-10-19"),
        ("last week", "2026-10-05", "2026-10-12"),
        ("next week", "2026-10-19", "2026-10-26"),
        ("this month", "2026-10-01", "2026-11-01"),
        ("last month", "2026-09-01", "2026-10-01"),
        ("next month", "2026-11-01", "2026-12-01"),
        ("last year", "2025-01-01", "2026-01-01"),
        ("3 days ago", "2026-10-11", "2026-10-12"),
        ("a week ago", "2026-10-05", "2026-10-12"),
        ("two months ago", "2026-08-01", "2026-09-01"),
        ("in 3 days", "2026-10-17", "2026-10-18"),
        ("2 weeks from now", "2026-10-26", "2026-11-02"),
        ("last 7 days", "2026-10-08", "2026-10-15"),
        ("the last 2 weeks", "2026-10-01", "2026-10-15"),
        ("past 3 months", "2026-07-15", "2026-10-15"),
        ("next 2 days", "2026-10-14", "2026-10-16"),
        ("monday", "2026-10-12", "2026-10-13"),
        ("wednesday", "2026-10-14", "2026-10-15"),
        ("thu", "2026-10-08", "2026-10-09"),
        ("last wednesday", "2026-10-07", "2026-10-08"),
        ("last monday", "2026-10-12", "2026-10-13"),
        ("this friday", "2026-10-16", "2026-10-17"),
        ("next wednesday", "2026-10-21", "2026-10-22"),
        ("next friday", "2026-10-16", "2026-10-17"),
        ("october", "2026-10-01", "2026-11-01"),
        ("Nov", "2025-11-01", "2025-12-01"),
        ("last october", "2025-10-01", "2025-11-01"),
        ("next october", "2027-10-01", "2027-11-01"),
        ("this december", "2026-12-01", "2027-01-01"),
        ("october 2025", "2025-10-01", "2025-11-01"),
        ("Sept. 2025", "2025-09-01", "2025-10-01"),
        ("Oct 12, 2025", "2025-10-12", "2025-10-13"),
        ("12th of october", "2026-10-12", "2026-10-13"),
        ("october 31", "2025-10-31", "2025-11-01"),
        ("29 feb", "2024-02-29", "2024-03-01"),
        ("yesterday..today", "2026-10-13", "2026-10-15"),
        ("2026-01 .. 2026-03", "2026-01-01", "2026-04-01"),
        ("2026-10-12T14:30", "2026-10-12T14:30:00", "2026-10-12T14:31:00"),
        ("2026-10-12 14", "2026-10-12T14:00:00", "2026-10-12T15:00:00"),
        ("2026-10-12t14:30:05z", "2026-10-12T16:30:05", "2026-10-12T16:30:06"),
        ("2026-10-12T14:30:05.25+05:30", "2026-10-12T11:00:05.250000", "2026-10-12T11:00:05.251000"),
        ("3 hours ago", "2026-10-14T12:00:00", "2026-10-14T13:00:00"),
        ("last 24 hours", "2026-10-13T15:30:00", "2026-10-14T15:30:00.001000"),
        ("now", "2026-10-14T15:30:00", "2026-10-14T15:30:00.001000"),
    ],
)
def test_spans(text: str, since: str, until: str) -> None:
    assert span(text) == (since, until)


@pytest.mark.parametrize(
    "text",
    [
        "", " ", "spring", "soon", "yesterday evening", "2026-13", "2026-02-30", "2026-W54", "2026-10-12T25:00", "0000",
        "31 february", "february 29 2025", "10/12/2026", "12345", "last 0 days", "10000 years ago", "today..yesterday",
        "..", "today..", "7 days", "x" * 10_000, "٢٠٢٦", "last mon day", "1e5", "-5 days ago", "99999 years from now",
    ],
)  # fmt: skip
def test_no_times(text: str) -> None:
    assert span(text) is None


@pytest.mark.parametrize(("day", "hours"), [("2026-03-29", 23), ("2026-10-25", 25), ("2026-10-26", 24)])
def test_days_on_which_clocks_change(day: str, hours: int) -> None:
    found = parse_span(day, ms(NOW), BERLIN)
    assert found is not None
    assert found[1] - found[0] == hours * HOUR


def test_a_day_that_begins_after_midnight() -> None:
    """In São Paulo, clocks went from midnight to one o'clock on that day."""
    zone = ZoneInfo("America/Sao_Paulo")
    found = parse_span("2017-10-15", ms(NOW), zone)
    assert found is not None
    assert datetime.fromtimestamp(found[0] / 1000, zone).hour == 1
    assert found[1] - found[0] == 23 * HOUR


def test_a_week_over_a_change_of_clocks_is_seven_days() -> None:
    now = datetime(2026, 10, 26, 9, tzinfo=BERLIN)
    found = parse_span("last week", ms(now), BERLIN)
    assert found is not None
    assert found[1] - found[0] == (7 * 24 + 1) * HOUR


def test_today_depends_on_the_zone() -> None:
    late = datetime(2026, 10, 14, 23, 30, tzinfo=UTC)
    assert span("today", late) == ("2026-10-14", "2026-10-15")
    assert span("today", late.astimezone(ZoneInfo("Asia/Tokyo"))) == ("2026-10-15", "2026-10-16")


def test_hours_of_zones_between_hours() -> None:
    now = datetime(2026, 10, 14, 15, 10, tzinfo=ZoneInfo("Asia/Kolkata"))
    assert span("1 hour ago", now) == ("2026-10-14T14:00:00", "2026-10-14T15:00:00")


def test_without_a_zone_it_is_the_machines() -> None:
    found = parse_span("today", ms(NOW))
    local = NOW.astimezone().replace(hour=0, minute=0, second=0, microsecond=0)
    assert found is not None
    assert found[0] == ms(local)


@pytest.mark.parametrize("text", EXAMPLES)
def test_the_examples_are_times(text: str) -> None:
    assert span(text.strip('"')) is not None


MOMENTS = st.integers(315_532_800_000, 3_786_912_000_000)
ZONES = st.sampled_from(["UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Pacific/Auckland", "Asia/Tehran"])


@given(MOMENTS, ZONES)
def test_named_spans_follow_each_other(now: int, name: str) -> None:
    zone = ZoneInfo(name)
    for first, second, third in (
        ("yesterday", "today", "tomorrow"),
        ("last week", "this week", "next week"),
        ("last month", "this month", "next month"),
        ("last year", "this year", "next year"),
    ):
        a, b, c = (parse_span(text, now, zone) for text in (first, second, third))
        assert a is not None
        assert b is not None
        assert c is not None
        assert a[1] == b[0]
        assert b[1] == c[0]
        assert b[0] <= now < b[1]


@given(MOMENTS, ZONES)
def test_bare_names_have_begun_and_last_ones_are_over(now: int, name: str) -> None:
    zone = ZoneInfo(name)
    for word in (*WEEKDAYS, *MONTHS):
        bare, last, following = (parse_span(f"{which}{word}", now, zone) for which in ("", "last ", "next "))
        assert bare is not None
        assert last is not None
        assert following is not None
        assert bare[0] <= now
        assert last[1] <= now
        assert following[0] > now
        assert last[0] <= bare[0]


@given(st.dates(date(1980, 1, 1), date(2090, 1, 1)), ZONES)
def test_iso_days_weeks_and_months_contain_their_noon(day: date, name: str) -> None:
    zone = ZoneInfo(name)
    noon = ms(datetime(day.year, day.month, day.day, 12, tzinfo=zone))
    year, week, weekday = day.isocalendar()
    for text in (
        f"{day}",
        f"{day:%Y-%m}",
        f"{day.year:04}",
        f"{year:04}-W{week:02}",
        f"{year:04}-W{week:02}-{weekday}",
    ):
        found = parse_span(text, 0, zone)
        assert found is not None
        assert found[0] <= noon < found[1]


WORDS = [
    *WEEKDAYS,
    *MONTHS,
    "last",
    "next",
    "this",
    "ago",
    "in",
    "day",
    "days",
    "week",
    "2026",
    "31",
    "0",
    "-",
    "..",
    "a",
]


@given(
    st.text(max_size=30) | st.lists(st.sampled_from(WORDS), max_size=4).map(" ".join), st.integers(0, 4_000_000_000_000)
)
def test_any_text_is_a_span_or_none(text: str, now: int) -> None:
    found = parse_span(text, now, BERLIN)
    assert found is None or found[0] < found[1]


def test_the_furthest_days() -> None:
    assert parse_span("9999-12-30", ms(NOW), UTC) is not None
    assert parse_span("9999-12-31", ms(NOW), UTC) is None
    assert parse_span("0001", ms(NOW), UTC) is not None
    assert parse_span("1 day ago", 0, UTC) == (-int(timedelta(days=1).total_seconds() * 1000), 0)
