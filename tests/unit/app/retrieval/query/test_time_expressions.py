"""Moments: the times a question names, seen from when it is asked."""

from datetime import UTC, datetime

import pytest

from app.retrieval.query.time_expressions import find_time_spans

NOW = datetime(2026, 10, 14, 15, tzinfo=UTC)  # a Wednesday


def days(text: str) -> list[tuple[str, str]]:
    return [(day(since), day(until)) for since, until in find_time_spans(text, round(NOW.timestamp() * 1000), UTC)]


def day(moment_ms: int) -> str:
    return datetime.fromtimestamp(moment_ms / 1000, UTC).strftime("%m-%d")


@pytest.mark.parametrize(
    ("text", "since", "until"),
    [
        ("What did we decide yesterday?", "10-13", "10-14"),
        ("what was said LAST\nnight", "10-13", "10-14"),
        ("Who called today", "10-14", "10-15"),
        ("I mentioned an investment four weeks ago?", "09-14", "09-21"),
        ("a couple of days ago", "10-12", "10-13"),
        ("the plan of last week", "10-05", "10-12"),
        ("in the past 3 days", "10-12", "10-15"),
        ("over the last few days", "10-12", "10-15"),
        ("on Tuesday", "10-13", "10-14"),
        ("last Wednesday", "10-07", "10-08"),
        ("What did I do last weekend?", "10-10", "10-12"),
        ("last march", "03-01", "04-01"),
    ],
)
def test_a_moment_is_seen_from_now(text: str, since: str, until: str) -> None:
    assert days(text) == [(since, until)]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "How many days ago did I run?",
        "next week",
        "the plans for the weekend",
        "the last two",
        "Tuesday's child",
        "in 9999999 days",
        "monday blues",
    ],
)
def test_no_moment(text: str) -> None:
    assert days(text) == []


def test_what_has_not_begun_is_none() -> None:
    assert days("this friday or this december") == []


def test_what_names_many_is_about_none() -> None:
    assert len(days("yesterday, last week, last month, last year")) == 4
    assert days("today, yesterday, last week, last month, last year") == []
