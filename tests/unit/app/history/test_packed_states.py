"""Long states of memories: packed in the history, and read wherever it is read."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import apsw
import pytest

from app.errors import VaultDamagedError
from app.host import Host
from app.store.connection import open_writer
from app.store.store import DATABASE
from tests.helpers.engine import engine_of

LONG = "Herons stand in the reeds. " * 200


@pytest.fixture
def host(vault: Path) -> Iterator[Host]:
    running = Host(vault, serve=False, overrides={"embedding.model": "hashed"})
    running.start()
    yield running
    running.stop()


def rows(vault: Path, sql: str) -> list[Any]:
    with closing(open_writer(vault / DATABASE)) as connection:
        return connection.execute(sql).fetchall()


def test_long_states_of_memories_are_packed_and_others_are_not(host: Host) -> None:
    host.ask("note.save", content=LONG)
    host.ask("note.save", content="A heron")
    host.ask("session.append", session="s", messages=[{"role": "user", "content": LONG}])
    host.ask("session.rename", session="s", title=LONG[:200])
    kinds = rows(host.vault, "SELECT target_kind, typeof(after), length(state_json(after)) > 4000 FROM memory_history")
    assert sorted(kinds) == [("memory", "blob", 1), ("memory", "text", 0), ("session", "text", 0)]
    [(packed, whole)] = rows(
        host.vault,
        "SELECT length(after), length(state_json(after)) FROM memory_history WHERE typeof(after) = 'blob'",
    )
    assert packed * 4 < whole


def test_what_does_not_become_shorter_stays_text(vault: Path) -> None:
    with closing(open_writer(vault / DATABASE)) as connection:
        states = ["", "{}", "{" + " " * 1100 + "}", "".join(chr(0x4E00 + n * 37 % 20_000) for n in range(1100))]
        for state in states:
            stored = connection.execute("SELECT stored_state('memory', ?)", (state,)).get
            assert connection.execute("SELECT state_json(?)", (stored,)).get == state
        assert connection.execute("SELECT typeof(stored_state('memory', ?))", (states[2],)).get == "blob"
        assert connection.execute("SELECT stored_state('entity', ?)", (states[2],)).get == states[2]
        assert connection.execute("SELECT stored_state('memory', NULL) IS NULL AND state_json(NULL) IS NULL").get == 1


def test_a_change_of_a_long_memory_is_shown_and_undone(host: Host) -> None:
    note = host.ask("note.save", content=LONG, title="Birds")
    host.ask("note.update", id=note.id, version=1, content=LONG + "They fly.")
    entries = host.ask("memory.history", target=note.id)
    assert [(entry.before or {}).get("content") for entry in entries] == [LONG, None]
    host.ask("memory.undo", history_ids=[entries[0].id])
    assert host.ask("note.get", id=note.id).content == LONG


def test_exported_long_states_come_back_once(host: Host, tmp_path: Path) -> None:
    note = host.ask("note.save", content=LONG)
    host.ask("note.update", id=note.id, version=1, content=LONG + "They fly.")
    host.ask("exchange.export", path=str(tmp_path / "all.jsonl"), history=True)
    said = (
        "SELECT event, length(state_json(before) ->> 'content'), length(state_json(after) ->> 'content')"
        " FROM memory_history ORDER BY id"
    )
    before = rows(host.vault, said)
    other = Host(tmp_path / "other", serve=False, overrides={"embedding.model": "hashed"})
    other.start()
    try:
        other.ask("exchange.import", path=str(tmp_path / "all.jsonl"))
        imported = rows(other.vault, said)
        assert set(before) <= set(imported)
        other.ask("exchange.import", path=str(tmp_path / "all.jsonl"))
        assert rows(other.vault, said) == imported
        assert rows(other.vault, "SELECT DISTINCT typeof(after) FROM memory_history") == [("blob",)]
    finally:
        other.stop()


def test_a_packed_state_that_is_damaged_is_called_so(host: Host) -> None:
    def damage(connection: apsw.Connection) -> None:
        connection.execute("UPDATE memory_history SET after = substr(after, 1, length(after) - 9)")

    note = host.ask("note.save", content=LONG)
    host.submit(engine_of(host).store.write(damage)).result()
    with pytest.raises(VaultDamagedError):
        host.ask("memory.history", target=note.id)
