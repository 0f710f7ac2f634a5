"""Times in words."""

from datetime import UTC, date, datetime, timedelta

from ui.models.dates import day_heading, full_date, full_span, short_date, short_span

NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)


def test_the_nearer_the_finer() -> None:
    assert ":" in short_date(NOW - timedelta(minutes=5), NOW)
    assert short_date(NOW - timedelta(days=1), NOW) == "Yesterday"
    assert "2026" not in short_date(NOW - timedelta(days=60), NOW)
    assert "2024" in short_date(NOW - timedelta(days=800), NOW)


def test_what_lies_ahead_has_a_date() -> None:
    assert short_date(NOW + timedelta(days=3), NOW) == "23 Nov"


def test_day_headings() -> None:
    today = date(2026, 11, 20)
    assert day_heading(today, today) == "Today"
    assert day_heading(date(2026, 11, 19), today) == "Yesterday"
    assert "2024" in day_heading(date(2024, 1, 2), today)


def test_a_span_of_days_names_both_ends() -> None:
    begin, end = datetime(2026, 10, 21, 12, tzinfo=UTC), datetime(2026, 10, 24, 12, tzinfo=UTC)
    assert short_span(begin, end, NOW) == "21 – 24 Oct"
    assert short_span(begin - timedelta(days=30), end, NOW) == "21 Sep – 24 Oct"
    assert short_span(begin - timedelta(days=365), end, NOW) == "21 Oct 2025 – 24 Oct"
    assert short_span(NOW, NOW, NOW) == short_date(NOW, NOW)
    assert full_span(begin, end) == "21 October 2026 – 24 October 2026"
    assert full_span(begin, begin) == full_date(begin)
