"""Cadences as a person fills them in, and back."""

from datetime import UTC, datetime

import pytest

from app.schedule.model import Cadence
from ui.panes.schedule.cadence_fields import CadenceFields, cadence_of, fields_of

ZONE = "Europe/Zurich"


@pytest.mark.parametrize(
    ("fields", "expression"),
    [
        (CadenceFields("daily", 8, 5, zone=ZONE), "5 8 * * *"),
        (CadenceFields("weekly", 18, 0, frozenset({5, 1}), zone=ZONE), "0 18 * * mon,fri"),
        (CadenceFields("weekly", 18, 0, frozenset(), zone=ZONE), "0 18 * * *"),
        (CadenceFields("monthly", 0, 30, day=31, zone=ZONE), "30 0 31 * *"),
        (CadenceFields("cron", expression="  */5 * * * * ", zone=ZONE), "*/5 * * * *"),
    ],
)
def test_times_of_day_become_cron_expressions(fields: CadenceFields, expression: str) -> None:
    assert cadence_of(fields) == Cadence(kind="cron", expression=expression, zone=ZONE)


@pytest.mark.parametrize(
    "cadence",
    [
        Cadence(kind="cron", expression="5 8 * * *", zone=ZONE),
        Cadence(kind="cron", expression="0 18 * * mon,fri", zone=ZONE),
        Cadence(kind="cron", expression="30 0 31 * *", zone=ZONE),
        Cadence(kind="cron", expression="*/5 9-17 * * mon-fri", zone=ZONE),
        Cadence(kind="cron", expression="0 0 1 1 *", zone=ZONE),
        Cadence(kind="interval", seconds=21_600.0),
        Cadence(kind="interval", seconds=86_400.0),
        Cadence(kind="once", at=datetime(2026, 3, 1, 10, tzinfo=UTC)),
    ],
)
def test_a_cadence_comes_back_from_its_fields(cadence: Cadence) -> None:
    assert cadence_of(fields_of(cadence, ZONE)) == cadence


@pytest.mark.parametrize(
    ("expression", "mode"),
    [
        ("0 8 * * 1,3", "weekly"),
        ("0 8 * * 7", "weekly"),
        ("0 8 * * SUN", "weekly"),
        ("0 8 1 * mon", "cron"),
        ("0 8 * 3 *", "cron"),
        ("0 8 * * mon#1", "cron"),
        ("@daily", "cron"),
        ("", "cron"),
        ("0 8 * * 9", "cron"),
    ],
)
def test_only_what_the_simple_form_can_say_is_shown_in_it(expression: str, mode: str) -> None:
    assert fields_of(Cadence(kind="cron", expression=expression), ZONE).mode == mode


def test_an_interval_that_is_no_number_of_minutes_is_shown_as_one_minute() -> None:
    fields = fields_of(Cadence(kind="interval", seconds=61.5), ZONE)
    assert (fields.mode, fields.number, fields.unit) == ("interval", 1, "minutes")
