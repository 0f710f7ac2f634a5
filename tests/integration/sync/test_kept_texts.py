"""Of two texts of the same lines one stands, and the other is offered until a person takes or dismisses it."""

import pytest

from app.errors import NotFoundError
from tests.integration.sync.machines import Machine, settle


def offered(machine: Machine, note: str) -> list[str]:
    return [one.content for one in machine.ask("note.kept_texts", id=note)]


def newest(machine: Machine, note: str) -> int:
    [(entry,)] = machine.rows("SELECT id FROM memory_history WHERE target = ? ORDER BY hlc DESC LIMIT 1", note)
    return int(entry)


def rewrite(machine: Machine, note: str, content: str) -> None:
    [found] = machine.ask("memory.get", ids=[note]).memories
    machine.ask("note.update", id=note, version=found.version, content=content)


def written_twice(pair: tuple[Machine, Machine]) -> tuple[str, str, str]:
    """Let both write the same line; return the note, its text, and the other one."""
    one, other = pair
    note = one.ask("note.save", content="begun").id
    settle(one, other)
    assert offered(one, note) == []
    rewrite(one, note, "of one")
    rewrite(other, note, "of other")
    settle(one, other)
    [text] = one.contents()
    left = "of one" if text == "of other" else "of other"
    assert offered(one, note) == offered(other, note) == [left]
    return note, text, left


def test_taking_the_other_text_settles_it_everywhere_and_can_be_undone(joined: tuple[Machine, Machine]) -> None:
    one, other = joined
    note, text, left = written_twice(joined)
    [kept] = one.ask("note.kept_texts", id=note)
    one.ask("note.take_text", id=note, text=kept.id)
    settle(one, other)
    assert one.contents() == other.contents() == [left]
    assert offered(one, note) == offered(other, note) == []
    other.ask("memory.undo", history_ids=[newest(other, note)])
    settle(one, other)
    assert one.contents() == [text]
    assert offered(one, note) == offered(other, note) == [left]


def test_a_dismissed_text_does_not_come_back_by_writing_on(joined: tuple[Machine, Machine]) -> None:
    one, other = joined
    note, text, left = written_twice(joined)
    other.ask("note.dismiss_texts", id=note)
    settle(one, other)
    assert one.contents() == [text]
    rewrite(one, note, "written on")
    settle(one, other)
    assert offered(one, note) == offered(other, note) == []
    with pytest.raises(NotFoundError, match="No other text"):
        one.ask("note.take_text", id=note, text="0" * 16)
    assert left not in one.contents()


def test_the_undo_of_a_dismissal_offers_the_text_again(joined: tuple[Machine, Machine]) -> None:
    one, other = joined
    note, text, left = written_twice(joined)
    one.ask("note.dismiss_texts", id=note)
    settle(one, other)
    other.ask("memory.undo", history_ids=[newest(other, note)])
    settle(one, other)
    assert offered(one, note) == offered(other, note) == [left]
    assert other.contents() == [text]


def test_a_text_that_another_machine_writes_after_a_dismissal_is_offered(joined: tuple[Machine, Machine]) -> None:
    one, other = joined
    note, _, _ = written_twice(joined)
    one.ask("note.dismiss_texts", id=note)
    settle(one, other)
    rewrite(one, note, "again of one")
    rewrite(other, note, "again of other")
    settle(one, other)
    assert len(offered(one, note)) == 1
    assert offered(one, note)[0].startswith("again")


def deleted_and_edited(pair: tuple[Machine, Machine]) -> str:
    """Delete a note on one machine and edit it on the other."""
    one, other = pair
    note = str(one.ask("note.save", content="begun").id)
    settle(one, other)
    one.ask("note.delete", id=note)
    rewrite(other, note, "edited")
    settle(one, other)
    assert one.contents() == other.contents() == ["edited"]
    for machine in pair:
        [kept] = machine.ask("note.kept_texts", id=note)
        assert kept.is_deletion
    return note


def test_a_note_says_that_it_was_deleted_while_it_was_edited(joined: tuple[Machine, Machine]) -> None:
    one, other = joined
    note = deleted_and_edited(joined)
    [kept] = one.ask("note.kept_texts", id=note)
    with pytest.raises(NotFoundError):
        one.ask("note.take_text", id=note, text=kept.id)
    one.ask("note.dismiss_texts", id=note)
    settle(one, other)
    assert offered(one, note) == offered(other, note) == []
    assert one.contents() == ["edited"]


def test_who_writes_on_has_seen_that_the_note_was_deleted(joined: tuple[Machine, Machine]) -> None:
    one, other = joined
    note = deleted_and_edited(joined)
    rewrite(one, note, "edited again")
    settle(one, other)
    assert offered(one, note) == offered(other, note) == []
