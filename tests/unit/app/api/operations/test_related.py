"""Related memories, this day of earlier years, and clashes, over a real vault."""

from datetime import UTC, date, datetime

import pytest

from app.errors import InputError, NotFoundError
from app.host import Host


@pytest.mark.parametrize("text", ["", "   ", "the and of", "one", "\ud800 \x00 (", 'tag:"'])
def test_too_few_words_give_nothing(host: Host, text: str) -> None:
    host.ask("note.save", content="Marta grows tomatoes on the balcony in summer")
    assert host.ask("memory.related", text=text) == []


def test_what_is_known_of_a_matter_is_found_without_what_is_being_written(host: Host) -> None:
    known = host.ask("note.save", content="Marta grows tomatoes on the balcony in summer", title="Balcony")
    own = host.ask("note.save", content="Tomatoes for the balcony: ask Marta which ones she grows")
    host.ask("note.save", content="The invoice of the plumber is paid")
    host.ask("vault.settle")
    related = host.ask("memory.related", text=own.content, without=[own.id])
    assert [hit.id for hit in related] == [known.id]
    assert related[0].title == "Balcony"
    assert host.ask("memory.related", text="Quantum chromodynamics lattice simulation", without=[]) == []


@pytest.mark.parametrize(
    "text",
    [
        "Trip to Lisbon. Flight on Friday morning, back on Tuesday. Pack a light jacket and the good shoes",
        "My tax return must be done by July, ask the adviser about the home office",
        "Write the pull request for the parser and fix the failing test of the date",
    ],
)
def test_a_text_with_nothing_near_gives_no_hint(host: Host, text: str) -> None:
    for content in (
        "# Death\n\nBooks on time, and how to live a good life before it ends. Home is where one asks.",
        "# Rails\n\nRuby on Rails: routes, controllers and migrations. A week to learn it, from Tuesday to Friday.",
        "# Lunch\n\nTwenty at one table in the sun, back by six, muddy shoes in the hall.",
        "# Books\n\nBooks I want to read this year, with the date of each.",
    ):
        host.ask("note.save", content=content)
    host.ask("vault.settle")
    assert host.ask("memory.related", text=text) == []


def test_addresses_and_numbers_tell_of_nothing(host: Host) -> None:
    shot = "![Shot 2022-09-22 at 17.03.28](../assets/screen_shot_2022-09-22_at_17.03.28_marta_balcony_tomatoes.png)"
    host.ask("note.save", content=shot, title="Changes")
    host.ask("vault.settle")
    assert host.ask("memory.related", text=shot) == []


def test_operators_in_the_text_are_words(host: Host) -> None:
    known = host.ask("note.save", content="Marta grows tomatoes on the balcony in summer")
    host.ask("vault.settle")
    found = host.ask("memory.related", text='-Marta "grows tomatoes kind:fact balcony summer')
    assert [hit.id for hit in found] == [known.id]


def test_this_day_of_earlier_years_and_months(host: Host) -> None:
    for when, words in (
        ("2024-03-05T12:00:00Z", "Two years before"),
        ("2025-03-05T12:00:00Z", "A year before"),
        ("2026-02-05T12:00:00Z", "A month before"),
        ("2025-03-06T14:00:00Z", "Another day"),
    ):
        host.ask("session.append", messages=[{"role": "user", "content": words, "created_at": when}])
    found = host.ask("memory.on_this_day", day="2026-03-05")
    assert [(one.kind, one.months) for one in found] == [("session", 12), ("session", 24), ("session", 1)]
    assert [one.title for one in found] == ["A year before", "Two years before", "A month before"]
    assert len(host.ask("memory.on_this_day", day="2026-03-05", limit=1)) == 1
    assert host.ask("memory.on_this_day", day="2030-03-09") == []


def test_a_note_of_a_month_ago_is_there(host: Host) -> None:
    note = host.ask("note.save", content="# Roses\n\nThey bloom")
    today = datetime.now(UTC).astimezone().date()
    for months, year in ((12, today.year + 1), (24, today.year + 2)):
        try:
            later = date(year, today.month, today.day)
        except ValueError:
            continue  # the 29th of February
        (found,) = host.ask("memory.on_this_day", day=later.isoformat())
        assert (found.id, found.kind, found.months) == (note.id, "note", months)
    host.ask("note.delete", id=note.id)
    assert host.ask("memory.on_this_day", day=date(today.year + 1, today.month, 28).isoformat()) == []


@pytest.mark.parametrize("day", ["", "soon", "2026-02-30", 5])
def test_a_day_is_a_day(host: Host, day: object) -> None:
    with pytest.raises(InputError):
        host.ask("memory.on_this_day", day=day)


def test_days_that_some_months_lack(host: Host) -> None:
    assert host.ask("memory.on_this_day", day="2028-02-29") == []
    assert host.ask("memory.on_this_day", day="0001-01-01") == []


def test_a_note_that_contradicts_a_fact_is_told_with_both_sides(host: Host) -> None:
    fact = host.ask("fact.remember", content="The deadline of the kite project is 12 October").memory
    note = host.ask("note.save", content="Meeting today.\n\nThe deadline of the kite project is 19 October. Fine.")
    host.ask("vault.settle")
    (clash,) = host.ask("fact.clashes", id=note.id)
    assert clash.sentence == "The deadline of the kite project is 19 October."
    assert clash.fact.id == fact.id
    assert host.ask("fact.clashes", id=fact.id) == []
    same = host.ask("note.save", content="The deadline of the kite project is 12 October.")
    assert host.ask("fact.clashes", id=same.id) == []
    host.ask("fact.forget", id=fact.id)
    assert host.ask("fact.clashes", id=note.id) == []


def test_clashes_of_nothing(host: Host) -> None:
    with pytest.raises(NotFoundError):
        host.ask("fact.clashes", id="note-gone")
