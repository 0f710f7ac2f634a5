"""Upgrade of a vault of the first schema: no loss, and indexing resumes."""

from pathlib import Path

import apsw
import pytest

from app.core.paths import migrations
from app.host import Host
from app.store.connection import APPLICATION_ID, create_file, open_writer
from app.store.store import prepare_folder

TURNS = ("The boiler was mended by Marta", "She lives in Graz now", "And the roses are in the garden")


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    """Return a vault of the first schema, with one chunk without its vector."""
    folder = tmp_path / "vault"
    prepare_folder(folder)
    create_file(folder / "memory.db")
    connection = open_writer(folder / "memory.db")
    connection.execute("BEGIN")
    connection.execute((migrations() / "0001_first.sql").read_text(encoding="utf-8"))
    connection.execute(
        "INSERT INTO sessions (id, message_count, created_at, updated_at, first_seen) VALUES ('talk', 3, 1, 3, 1);"
        "INSERT INTO session_state (session_id, last_seq, updated_at) VALUES ('talk', 3, 3);"
        "INSERT INTO memories (id, kind, content, category, key, content_hash, created_at, updated_at)"
        " VALUES ('fact-1', 'fact', 'Marta drinks tea', 'people', 'marta', 'x', 1, 1);"
        "INSERT INTO chunks (kind, memory_id, role, text, content_hash, created_at)"
        " VALUES ('memory', 'fact-1', 'fact', 'Marta drinks tea', 'x', 1)"
    )
    for seq, text in enumerate(TURNS, 1):
        row = {"seq": seq, "text": text}
        connection.execute(
            "INSERT INTO messages (session_id, seq, role, content, created_at)"
            " VALUES ('talk', :seq, 'user', :text, :seq)",
            row,
        )
        connection.execute(
            "INSERT INTO chunks (kind, session_id, seq_start, seq_end, role, text, content_hash, created_at)"
            " VALUES ('message', 'talk', :seq, :seq, 'user', :text, :text, :seq)",
            row,
        )
    connection.execute("UPDATE pending_vectors SET attempts = 2 WHERE chunk_id = 3")
    connection.execute("DELETE FROM pending_vectors WHERE chunk_id <> 3")
    connection.pragma("application_id", APPLICATION_ID)
    connection.pragma("user_version", 1)
    connection.execute("COMMIT")
    connection.close()
    return folder


def test_an_older_vault_is_backed_up_and_goes_on(vault: Path) -> None:
    host = Host(vault, serve=False, overrides={"index.vectors": False})
    host.start()
    try:
        assert [backup.reason for backup in host.ask("backup.list")] == ["before-migration"]
        assert [message.content for message in host.ask("session.recent", session="talk")] == list(TURNS)
        assert host.ask("fact.get", category="people", key="marta").content == "Marta drinks tea"
        assert host.ask("memory.search", query="roses garden").hits[0].id == "talk#3"
        host.ask("session.append", session="talk", messages=[{"role": "user", "content": "Newer words"}])
        assert host.ask("memory.search", query="newer").hits[0].id == "talk#4"
    finally:
        host.stop()


def test_what_waited_for_its_vector_still_waits(vault: Path) -> None:
    host = Host(vault, serve=False, overrides={"index.vectors": False})
    host.start()
    host.stop()
    connection = apsw.Connection(str(vault / "memory.db"), flags=apsw.SQLITE_OPEN_READONLY)
    assert connection.execute("SELECT chunk_id, attempts FROM pending_vectors").fetchall() == [(3, 2)]
    assert connection.execute("SELECT id FROM chunks").fetchall() == [(1,), (2,), (3,), (4,)]
    assert connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'chunks'").get == 4
    connection.close()
