"""Names from a text that is forgotten for ever are left on no machine and in no segment."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.sync.machines import Machine, machines_in, meet, share

CANARY = "Quellenbrink"
TEXTS = (
    f"Kenji {CANARY} came to dinner, and Kenji brought tea.",
    f"Kenji said it was good. Kenji {CANARY} laughed.",
)


@pytest.fixture
def machines(tmp_path: Path) -> Iterator[list[Machine]]:
    """Return two machines that share, and a third one that will."""
    with machines_in(tmp_path, "desktop", "laptop", "server") as machines:
        share(*machines[:2])
        yield machines


def save(machine: Machine, *texts: str) -> list[str]:
    made = [machine.ask("note.save", content=text).id for text in texts]
    machine.ask("vault.settle", names=True)
    return made


def join_names(machine: Machine) -> None:
    """Have a first name joined to the full name by itself."""
    assert "Joined 1" in machine.ask("upkeep.run", job="enrichment").output
    assert machine.rows("SELECT 1 FROM memory_history WHERE target_kind = 'entity'")


def said(machine: Machine, word: str) -> list[str]:
    """Return which files of a machine, and segments that it reads, say a word."""
    wanted = word.casefold().encode()
    files = [path for path in machine.vault.rglob("*") if path.is_file() and wanted in path.read_bytes().lower()]
    segments = sum(wanted in text.lower() for text in machine.shared_texts())
    return [str(path.relative_to(machine.vault)) for path in files] + ["segment"] * segments


def is_said_by_all(machine: Machine) -> bool:
    return "All your machines have forgotten it." in machine.ask("memory.receipts", limit=1)[0].notes


def test_names_that_were_joined_are_forgotten_everywhere(machines: list[Machine]) -> None:
    one, other, third = machines
    notes = save(one, *TEXTS)
    join_names(one)
    meet(one, other)
    other.ask("vault.settle", names=True)
    assert "segment" in said(other, CANARY)
    other.ask("memory.forget_forever", ids=notes, confirm=True)
    meet(one, other)
    assert is_said_by_all(one)
    assert is_said_by_all(other)
    assert [said(one, CANARY), said(other, CANARY)] == [[], []]
    third.join(one)
    meet(one, other, third)
    assert said(third, CANARY) == []


def test_forgetting_wins_over_a_decision_made_meanwhile(machines: list[Machine]) -> None:
    one, other, third = machines
    notes = save(one, *TEXTS)
    join_names(one)
    [(joined,)] = one.rows("SELECT DISTINCT target FROM memory_history WHERE target_kind = 'entity'")
    meet(one, other)
    other.ask("vault.settle", names=True)
    [full] = [entity for entity in other.ask("entity.list") if CANARY in entity.name]
    other.ask("entity.split", id=full.id, aliases=["Kenji"])
    assert other.rows("SELECT touched FROM entities WHERE id = ?", joined) == [(1,)]
    one.ask("memory.forget_forever", ids=notes, confirm=True)
    meet(one, other)
    third.join(other)
    meet(one, other, third)
    assert one.agreed() == other.agreed() == third.agreed()
    for machine in machines:
        assert machine.rows("SELECT 1 FROM entities WHERE id = ? AND touched", joined) == []
        assert machine.rows("SELECT 1 FROM memory_history WHERE target = ?", joined) == []
    # What the person decided about the full name stays, and is told of where it was decided.
    [receipt] = other.ask("memory.receipts", limit=1)
    assert (full.id, "has a name from it") in {(item.id, item.why) for item in receipt.left}


def test_a_machine_that_was_away_forgets_names_when_it_comes_back(machines: list[Machine]) -> None:
    one, other, third = machines
    third.join(one)
    notes = save(one, *TEXTS)
    join_names(one)
    meet(one, other, third)
    other.ask("vault.settle", names=True)
    third.stop()
    other.ask("memory.forget_forever", ids=notes, confirm=True)
    meet(one, other)
    assert not is_said_by_all(one)
    assert "segment" not in said(one, CANARY)
    third.start()
    assert [path for path in said(third, CANARY) if path.startswith("memory.db")]
    meet(third, one, other)
    assert [said(machine, CANARY) for machine in machines] == [[], [], []]
    assert [is_said_by_all(machine) for machine in machines] == [True] * 3


def test_what_is_recorded_of_a_name_later_stays(machines: list[Machine]) -> None:
    one, other, third = machines
    save(one, "Kenji Tanaka smiled, and Kenji left.")
    notes = save(one, *(text.replace(CANARY, "Tanaka") for text in TEXTS))
    join_names(one)
    meet(one, other)
    one.ask("memory.forget_forever", ids=notes, confirm=True)
    meet(one, other)
    entries = "SELECT lane, n FROM memory_history WHERE target_kind = 'entity'"
    assert [one.rows(entries), other.rows(entries)] == [[], []]
    one.ask("vault.settle", names=True)
    [kenji] = [entity for entity in one.ask("entity.list") if entity.name == "Kenji"]
    one.ask("entity.rename", id=kenji.id, name="Kenji of the sea", summary="A sailor")
    meet(one, other)
    third.join(other)
    meet(one, other, third)
    for machine in machines:
        assert machine.rows("SELECT canonical_name, summary FROM entities WHERE touched") == [
            ("Kenji of the sea", "A sailor")
        ]
    assert one.agreed() == other.agreed() == third.agreed()
