"""Letters of their own and what is written in their place find each other."""

import pytest

from app.core.text_rules.spellings import plain, spellings
from app.host import Host

PAIRS = [
    ("Straße", "strasse"),
    ("Ærø", "aero"),
    ("Łódź", "lodz"),
    ("Tromsø", "tromso"),
    ("Bolesław", "boleslaw"),
    ("œuvre", "oeuvre"),
    ("Þingvellir", "thingvellir"),
    ("Đakovo", "dakovo"),
    ("Ragnarð", "ragnard"),
    ("ışık", "isik"),
    ("Søren", "Soeren"),
]


@pytest.mark.parametrize(("written", "other"), PAIRS)
def test_each_finds_the_other(host: Host, written: str, other: str) -> None:
    first = host.ask("note.save", content=f"the {written} of today").id
    second = host.ask("note.save", content=f"{other} in the evening").id
    for query in (written, other, written.upper(), f'"{written}"', f'"{other}"'):
        hits = host.ask("memory.search", query=query).hits
        assert {first, second} <= {hit.id for hit in hits if hit.why.terms}, query


def test_other_words_are_not_found(host: Host) -> None:
    host.ask("note.save", content="the masse of it")
    assert not [hit for hit in host.ask("memory.search", query="maße -masse").hits if hit.why.terms]


@pytest.mark.parametrize(
    ("text", "expected"), [("straße", "strasse"), ("ærø", "aero"), ("abc", "abc"), ("日本", "日本")]
)
def test_plain_letters(text: str, expected: str) -> None:
    assert plain(text) == expected


def test_spellings_are_few() -> None:
    assert spellings("hello") == ("hellø", "hełlo", "helło", "hełło")
    assert len(spellings("lolloldolidollo")) <= 12
    assert spellings("abc") == ()
