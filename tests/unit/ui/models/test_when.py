"""Times in words."""

from datetime import UTC, date, datetime, timedelta

from ui.models.when import heading, short

NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)


def test_the_nearer_the_finer() -> None:
    assert ":" in short(NOW - timedelta(minutes=5), NOW)
    assert short(NOW - timedelta(days=1), NOW) == "Yesterday"
    assert "2026" not in short(NOW - timedelta(days=60), NOW)
    assert "2024" in short(NOW - timedelta(days=800), NOW)


def test_what_lies_ahead_has_a_date() -> None:
    assert short(NOW + timedelta(days=3), NOW) == "23 Nov"


def test_day_headings() -> None:
    today = date(2026, 11, 20)
    assert heading(today, today) == "Today"
    assert heading(date(2026, 11, 19), today) == "Yesterday"
    assert "2024" in heading(date(2024, 1, 2), today)
