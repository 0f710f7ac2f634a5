"""Notes that were deleted before they were archived come back from the archive into the trash, on all machines."""

import pytest

from tests.integration.sync.machines import Machine, settle

TRASH = "SELECT id, valid_until FROM memories WHERE valid_until IS NOT NULL"
LIVE = "SELECT content FROM memories WHERE valid_until IS NULL"


def were_deleted(machine: Machine) -> list[bool]:
    return [memory.was_deleted for memory in machine.ask("archive.list")]


@pytest.mark.parametrize("which", [0, 1])
def test_a_deleted_note_stays_deleted_in_the_archive(joined: tuple[Machine, Machine], which: int) -> None:
    one, other = joined
    note = one.ask("note.save", content="first").id
    one.ask("note.delete", id=note)
    settle(one, other)
    one.ask("archive.put", ids=[note])
    settle(one, other)
    assert [were_deleted(machine) for machine in joined] == [[True], [True]]
    joined[which].ask("archive.restore", id=note)
    settle(one, other)
    assert one.rows(TRASH) == other.rows(TRASH) != []
    assert [machine.rows(LIVE) for machine in joined] == [[], []]
    other.ask("note.restore", id=note)
    settle(one, other)
    assert [machine.rows(LIVE) for machine in joined] == [[("first",)], [("first",)]]


def test_a_note_that_was_deleted_elsewhere_while_it_was_archived(joined: tuple[Machine, Machine]) -> None:
    one, other = joined
    note = one.ask("note.save", content="first").id
    settle(one, other)
    one.ask("note.delete", id=note)
    other.ask("archive.put", ids=[note])
    settle(one, other)
    assert [were_deleted(machine) for machine in joined] in ([[True], [True]], [[], []])
    assert [machine.rows(LIVE) for machine in joined] == [[], []]


def test_a_note_that_came_back_before_it_was_archived_is_live_again(joined: tuple[Machine, Machine]) -> None:
    one, other = joined
    note = one.ask("note.save", content="first").id
    one.ask("note.delete", id=note)
    settle(one, other)
    other.ask("note.restore", id=note)
    other.ask("archive.put", ids=[note])
    settle(one, other)
    assert [were_deleted(machine) for machine in joined] == [[False], [False]]
    one.ask("archive.restore", id=note)
    settle(one, other)
    assert [machine.rows(LIVE) for machine in joined] == [[("first",)], [("first",)]]
