"""Similar memories leave out what is unrelated, also in a vault with few memories."""

from pathlib import Path

import pytest

from app.host import Host

FACTS = (
    "Rosa lives in Berlin",
    "The sky is blue",
    "Vitamin D is good for bones",
    "The dentist appointment is on Tuesday",
    "The car needs new tyres",
    "My brother works at Siemens",
    "The wifi password is on the fridge",
)


@pytest.fixture
def filled(host: Host) -> Host:
    for fact in FACTS:
        host.ask("fact.remember", content=fact)
    host.ask("vault.settle")
    return host


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("Rosa lives in Rome", ["Rosa lives in Berlin"]),
        ("The sky is grey", ["The sky is blue"]),
        ("My brother works at Bosch", ["My brother works at Siemens"]),
        ("The dentist appointment was moved to Friday", ["The dentist appointment is on Tuesday"]),
        ("Quantum computers need cooling", []),
        ("Yesterday it rained for hours", []),
    ],
)
def test_conflicts_are_on_the_same_matter(filled: Host, sentence: str, expected: list[str]) -> None:
    assert [fact.content for fact in filled.ask("fact.conflicts", content=sentence)] == expected


def test_vectors_without_meaning_decide_nothing(vault: Path) -> None:
    host = Host(vault, serve=False, overrides={"embedding.model": "hashed"})
    host.start()
    try:
        owned = host.ask("fact.remember", content="The person owns a boat.").memory.id
        before = host.ask("fact.conflicts", content="The person owns a small boat.")
        host.ask("vault.settle")
        after = host.ask("fact.conflicts", content="The person owns a small boat.")
    finally:
        host.stop()
    assert [fact.id for fact in before] == [fact.id for fact in after] == [owned]
