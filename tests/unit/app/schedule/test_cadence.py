"""Cadences run at the instants that the calendar and the clock of their zone give."""

import json
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.errors import InputError
from app.schedule.cadence import check_cadence, expression_of, next_run, upcoming, zone_of
from app.schedule.model import Cadence
from tests.helpers.sample_data import ROOT

CASES = ROOT.parent / "shared/data/cron/cron_cases_dev.json"
# Projects disagree: rows that assume another rule for repeated, skipped or doubly restricted days do not hold here.
OTHER_RULES = {
    "overlap:run-twice",
    "gap:skip",
    "gap:skip-to-next-day",
    "dom-dow:intersection-if-star",
    "dom-dow:intersection",
}
NOW = datetime(2026, 3, 1, tzinfo=UTC)


def cron(expression: str, zone: str = "") -> Cadence:
    return Cadence(kind="cron", expression=expression, zone=zone)


def local(text: str, zone: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone))


def public_cases() -> list[Any]:
    if not CASES.exists():
        return []
    rows = json.loads(CASES.read_text(encoding="utf-8"))["cases"]
    usable = [row for row in rows if row.get("policy") not in OTHER_RULES and "LW" not in row["expr"]]
    return [pytest.param(row, id=row["id"]) for row in usable if row["fields"] in (1, 3, 4, 5, "macro")]


@pytest.mark.skipif(not CASES.exists(), reason="the shared cron vectors are not here")
@pytest.mark.parametrize("row", public_cases())
def test_vectors_of_public_projects(row: dict[str, Any]) -> None:
    zone = (row["tz"] or "").split(" ")[0]
    cadence = cron(row["expr"], zone)
    if row["kind"] == "invalid":
        with pytest.raises(InputError):
            expression_of(cadence)
        return
    base = instant(row["base"])
    if row["kind"] == "next":
        assert next_run(cadence, base) == instant(row["expected"])
    elif row["kind"] == "sequence":
        assert upcoming(cadence, base, len(row["expected"])) == [instant(one) for one in row["expected"]]
    elif row["kind"] == "match":
        minute = base.replace(second=0)
        assert (next_run(cadence, minute - timedelta(seconds=1)) == minute) == row["expected"]


def instant(text: str) -> datetime:
    found = datetime.fromisoformat(text)
    return found if found.tzinfo else found.replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("expression", "zone", "after", "expected"),
    [
        # The clock goes forward from 02:00 to 03:00: what was meant for 02:30 runs at 03:00, once.
        ("30 2 * * *", "Europe/Berlin", "2026-03-28T12:00", ["2026-03-29T03:00", "2026-03-30T02:30"]),
        # The clock goes back from 03:00 to 02:00: 02:30 comes twice and runs once.
        ("30 2 * * *", "Europe/Berlin", "2026-10-24T12:00", ["2026-10-25T02:30", "2026-10-26T02:30"]),
        # Midnight does not exist on the day on which summer time began in Hebron.
        ("0 0 * * *", "Asia/Hebron", "2022-03-26T12:00", ["2022-03-27T01:00", "2022-03-28T00:00"]),
        # Samoa left out a whole day.
        ("0 9 * * *", "Pacific/Apia", "2011-12-29T12:00", ["2011-12-31T00:00", "2011-12-31T09:00"]),
        ("0 8 29 2 *", "UTC", "2026-01-01T00:00", ["2028-02-29T08:00", "2032-02-29T08:00"]),
        ("0 8 31 * *", "UTC", "2026-01-31T09:00", ["2026-03-31T08:00", "2026-05-31T08:00"]),
        ("0 0 1 1 *", "UTC", "2037-06-01T00:00", ["2038-01-01T00:00", "2039-01-01T00:00"]),
        ("0 0 19 1 *", "America/New_York", "2038-01-01T00:00", ["2038-01-19T00:00", "2039-01-19T00:00"]),
        ("0 12 13 * fri", "UTC", "2026-03-01T00:00", ["2026-03-06T12:00", "2026-03-13T12:00", "2026-03-20T12:00"]),
    ],
)
def test_calendars_and_clocks(expression: str, zone: str, after: str, expected: list[str]) -> None:
    found = upcoming(cron(expression, zone), local(after, zone), len(expected))
    assert found == [local(one, zone).astimezone(UTC) for one in expected]


def test_a_run_every_hour_goes_on_through_both_changes_of_the_clock() -> None:
    for day in ("2026-03-28T12:00", "2026-10-24T12:00"):
        found = upcoming(cron("15 * * * *", "Europe/Berlin"), local(day, "Europe/Berlin"), 40)
        assert {later - earlier for earlier, later in pairwise(found)} == {timedelta(hours=1)}


ZONES = ("UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "America/Sao_Paulo", "Asia/Kathmandu")


@settings(max_examples=150, deadline=None)
@given(
    minute=st.sampled_from(["0", "30", "*/15", "7", "5,35"]),
    hour=st.sampled_from(["*", "*/2", "0", "2", "1-3", "23"]),
    zone=st.sampled_from(ZONES),
    after=st.datetimes(datetime(2015, 1, 1), datetime(2037, 1, 1)),  # noqa: DTZ001
)
def test_runs_are_those_of_a_search_minute_by_minute(minute: str, hour: str, zone: str, after: datetime) -> None:
    cadence, start = cron(f"{minute} {hour} * * *", zone), after.replace(tzinfo=UTC)
    assert next_run(cadence, start) == brute_force(minute, hour, zone, start)


def brute_force(minute: str, hour: str, zone: str, after: datetime) -> datetime:
    """Walk through the minutes.

    A fixed hour runs late where it is skipped, and once where it is repeated.
    """
    minutes, hours, place = values(minute, 60), values(hour, 24), ZoneInfo(zone)
    is_elapsed = hour.startswith("*")
    now = after.replace(second=0, microsecond=0) + timedelta(minutes=1)
    while True:
        here = now.astimezone(place)
        matches = here.minute in minutes and here.hour in hours
        if is_elapsed:
            if matches:
                return now
        elif matches and here.fold == 0:
            return now
        elif skipped := (
            here.replace(tzinfo=None) - (now - timedelta(minutes=1)).astimezone(place).replace(tzinfo=None)
        ):
            wall = here.replace(tzinfo=None)
            gap = [wall - timedelta(minutes=back) for back in range(1, int(skipped.total_seconds() // 60))]
            if any(one.minute in minutes and one.hour in hours for one in gap):
                return now
        now += timedelta(minutes=1)


def values(field: str, limit: int) -> set[int]:
    if field.startswith("*"):
        return set(range(0, limit, int(field[2:] or 1)))
    if "-" in field:
        first, last = map(int, field.split("-"))
        return set(range(first, last + 1))
    return {int(part) for part in field.split(",")}


@pytest.mark.parametrize(
    ("cadence", "field"),
    [
        (cron("* * * *"), "expression"),
        (cron("0 0 30 2 *"), "expression"),
        (cron("60 * * * *"), "expression"),
        (cron("* * * * * *"), "expression"),
        (cron("@reboot"), "expression"),
        (cron("; rm -rf /"), "expression"),
        (cron("1 " * 500), "expression"),
        (cron("\x00 * * * *"), "expression"),
        (cron(""), "expression"),
        (Cadence(kind="cron"), "expression"),
        (cron("0 8 * * *", "Mars/Olympus"), "zone"),
        (cron("0 8 * * *", "../../etc/passwd"), "zone"),
        (cron("0 8 * * *", "/etc/localtime"), "zone"),
        (Cadence(kind="once"), "at"),
        (Cadence(kind="once", at=NOW), "at"),
        (Cadence(kind="interval"), "seconds"),
        (Cadence(kind="interval", seconds=0), "seconds"),
        (Cadence(kind="interval", seconds=-5), "seconds"),
        (Cadence(kind="interval", seconds=float("nan")), "seconds"),
        (Cadence(kind="interval", seconds=float("inf")), "seconds"),
        (Cadence(kind="interval", seconds=10), "seconds"),
    ],
)
def test_what_cannot_be_scheduled_names_its_field(cadence: Cadence, field: str) -> None:
    with pytest.raises(InputError) as caught:
        check_cadence(cadence, NOW, 60)
    assert caught.value.data["field"] == field


def test_a_shortest_distance_holds_for_expressions() -> None:
    check_cadence(cron("* * * * *"), NOW, 60)
    with pytest.raises(InputError, match="more often"):
        check_cadence(cron("*/5 * * * *"), NOW, 600)
    with pytest.raises(InputError, match="more often"):
        check_cadence(cron("0,1 8 * * *"), NOW, 600)


def test_once_runs_once() -> None:
    cadence = Cadence(kind="once", at=datetime.fromisoformat("2026-03-01T10:00"), zone="Europe/Berlin")
    assert next_run(cadence, NOW) == datetime(2026, 3, 1, 9, tzinfo=UTC)
    assert next_run(cadence, datetime(2026, 3, 1, 9, tzinfo=UTC)) is None
    assert len(upcoming(cadence, NOW, 5)) == 1


def test_zones_may_be_fixed_offsets_and_names_may_be_whole_words() -> None:
    assert zone_of(cron("", "+05:30")).utcoffset(NOW) == timedelta(hours=5, minutes=30)
    assert expression_of(cron("@daily")) == "0 0 * * *"
    assert expression_of(cron("0 8 * January Monday-friday")) == "0 8 * Jan Mon-fri"
