"""Days of the calendar."""

from datetime import date, datetime, timedelta

import pytest

from app.api.caller import Caller
from app.errors import InputError
from app.host import Host

MARCH = {"first": "2026-03-01", "last": "2026-03-31"}


def _say(host: Host, when: str) -> str:
    message = {"role": "user", "content": "Hello", "created_at": when}
    return str(host.ask("session.append", messages=[message]).session_id)


@pytest.mark.parametrize("wrong", ["", "March", "2026-02-30"])
def test_what_is_no_day_is_refused(host: Host, wrong: str) -> None:
    with pytest.raises(InputError):
        host.ask("note.days", first=wrong, last="2026-03-31")


def test_a_span_that_ends_before_it_begins_is_empty(host: Host) -> None:
    assert host.ask("note.days", first="2026-03-31", last="2026-03-01") == []


def test_days_have_their_notes_conversations_and_daily_note(host: Host) -> None:
    noon = datetime(2026, 3, 7, 12).astimezone()
    _say(host, noon.isoformat())
    _say(host, (noon + timedelta(hours=2)).isoformat())
    daily = host.ask("note.save", content="A quiet day", title="2026-03-09").id
    days = {day.day: day for day in host.ask("note.days", **MARCH)}
    assert days.keys() == {date(2026, 3, 7), date(2026, 3, 9)}
    assert days[date(2026, 3, 7)].sessions == 2
    assert days[date(2026, 3, 9)].daily_note == daily
    today = datetime.now().astimezone().date()
    (now,) = [d for d in host.ask("note.days", first=today, last=today) if d.day == today]
    assert now.notes == 1


def test_conversations_are_not_told_to_those_who_may_not_see_them(host: Host) -> None:
    _say(host, datetime(2026, 3, 7, 12).astimezone().isoformat())
    assert host.call("note.days", MARCH, Caller("helper", "inner")).result().value == []


def test_notes_can_be_narrowed_to_the_day_they_were_made(host: Host) -> None:
    note = host.ask("note.save", content="Today").id
    now = datetime.now().astimezone()
    assert host.ask("note.ids", filter={"created_since": now - timedelta(hours=1)}) == [note]
    assert host.ask("note.ids", filter={"created_until": now - timedelta(hours=1)}) == []
