"""Undo of undo of decisions, in any order and with texts that go: all is as the history says."""

import json
import random

import apsw
import pytest

from app.entities import entity_state
from app.errors import KeepsakeError
from tests.helpers.access import EVERYTHING
from tests.unit.app.entities.conftest import EntityHarness
from tests.unit.app.entities.test_service import NAMES, attempt

DECISIONS = ("merge", "merge", "split names", "split owners", "rename", "relate", "protect")


def newest_states(connection: apsw.Connection) -> list[tuple[object, object]]:
    """Return, for each entity of the history, its state by the last entry and its state."""
    rows = connection.execute(
        "SELECT target, after FROM memory_history h WHERE target_kind = 'entity' AND after IS NOT NULL"
        " AND id = (SELECT max(id) FROM memory_history o WHERE o.target = h.target)"
    ).fetchall()
    return [(json.loads(str(after)), entity_state.read(connection, str(target))) for target, after in rows]


@pytest.mark.parametrize("seed", range(4))
def test_a_chain_of_undos_leaves_what_the_history_says(harness: EntityHarness, seed: int) -> None:
    chance = random.Random(seed)
    for session in ("s", "t"):
        harness.say("I met Bob in Berlin.", "Robert Smith called.", "Bob and Alice Jones in Paris.", session=session)
    notes = [harness.note(text).id for text in ("Alice Jones works at Acme GmbH.", "Bob and Robert Smith in Berlin.")]
    harness.read_all()
    ids = {name: harness.id(name) for name in NAMES}
    for number in range(12):
        choice = chance.choice(("decide", "decide", "undo", "undo", "undo", "delete", "forget"))
        try:
            if choice == "decide":
                attempt(harness, ids, (chance.choice(DECISIONS), *chance.choices(range(len(NAMES)), k=2)), number)
            elif choice == "delete":
                harness.do(harness.memories.delete(EVERYTHING, chance.choice(notes)))
            elif choice == "forget":
                harness.do(harness.sessions.forget("t", "person"))
            else:
                rows = harness.rows("SELECT id FROM memory_history WHERE undone_by IS NULL ORDER BY id DESC LIMIT 6")
                harness.read_all()
                before = harness.picture()
                undone = harness.do(harness.undoing.undo(EVERYTHING, [chance.choice(rows)[0]])).changes
                if chance.random() < 0.5:
                    harness.undo(undone)
                    harness.read_all()
                    assert harness.picture() == before
        except KeepsakeError:
            continue  # a later decision is in the way, or what it is about is not there
        for expected, state in harness.do(harness.store.read(newest_states)):
            assert expected == state
    harness.read_all()
    before = harness.picture()
    harness.do(harness.sync.start_over())
    harness.read_all()
    assert harness.picture() == before
