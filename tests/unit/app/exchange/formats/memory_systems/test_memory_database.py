"""SQLite databases of agents' memories: rows in are items in."""

import json
import threading
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from app.errors import FormatError
from app.exchange.formats.detect import detect
from app.exchange.formats.memory_systems import memory_database
from app.exchange.model import MessageRecord, Record, SessionRecord, VaultDetail
from app.host import Host
from app.memories.foreign_record import MemoryRecord
from app.store.store import DATABASE
from tests.unit.app.exchange.reading import only, problems, records

EVENTS = """
CREATE TABLE sessions (session_id TEXT PRIMARY KEY, agent_identity TEXT, created_at TIMESTAMP, updated_at TIMESTAMP);
CREATE TABLE conversation_events (session_id TEXT NOT NULL, sequence INTEGER NOT NULL, payload_json TEXT NOT NULL,
    created_at TIMESTAMP, PRIMARY KEY (session_id, sequence));
CREATE TABLE session_state (session_id TEXT PRIMARY KEY, state_json TEXT, updated_at TIMESTAMP);
INSERT INTO sessions VALUES ('a', 'Guide', '2024-01-01 10:00:00', '2024-01-01 11:00:00');
INSERT INTO session_state VALUES ('a', '{"summary_state": {"summary": "Of herons."}}', NULL);
INSERT INTO conversation_events VALUES ('a', 2, '{"role": "assistant", "content": "A bird."}', '2024-01-01 10:01:00');
INSERT INTO conversation_events VALUES ('a', 1, '{"role": "user", "content": "A heron?"}', '2024-01-01 10:00:00');
INSERT INTO conversation_events VALUES ('a', 3, 'broken', NULL);
"""
MEMORIES = """
CREATE TABLE memories (id TEXT PRIMARY KEY, kind TEXT NOT NULL, content TEXT NOT NULL, session_id TEXT, embedding BLOB,
    event_time INTEGER NOT NULL, created_at INTEGER NOT NULL, valid_until INTEGER, confidence REAL DEFAULT 1.0,
    source_role TEXT, tags TEXT DEFAULT '[]', attributes TEXT DEFAULT '{}');
CREATE TABLE entities (id TEXT PRIMARY KEY, canonical_name TEXT, type TEXT, aliases TEXT, summary TEXT);
INSERT INTO memories VALUES ('ep_1', 'episode', 'I moved to Ulm.', 's', x'00', 1700000000, 1700000000, NULL, 1, 'user',
    '[]', '{}');
INSERT INTO memories VALUES ('ep_2', 'episode', 'How nice.', 's', NULL, 1700000001, 1700000001, NULL, 1, 'Guide', '[]',
    '{}');
INSERT INTO memories VALUES ('fact_1', 'fact', 'Lives in Ulm.', 's', NULL, 1700000002, 1700000002, NULL, 0.7, NULL,
    '["home"]', '{"by": "rule"}');
INSERT INTO memories VALUES ('ref_1', 'reflection', 'A week of moving.', NULL, NULL, 1700000003, 1700000003, NULL, 1,
    NULL, '[]', '{}');
INSERT INTO memories VALUES ('fact_2', 'fact', '', NULL, NULL, 1, 1, NULL, 1, NULL, '[]', '{}');
INSERT INTO entities VALUES ('ent_1', 'Anna Weber', 'person', '["Anna"]', 'A friend.');
"""
KEYED = """
CREATE TABLE messages (id TEXT PRIMARY KEY, session_id TEXT, role TEXT, content TEXT, tool_call_id TEXT, tool_name TEXT,
    tool_calls_json TEXT, created_at TEXT, importance REAL, embedding BLOB, embedding_error TEXT, consolidated_at TEXT);
CREATE TABLE facts (id INTEGER PRIMARY KEY, category TEXT, key TEXT, value TEXT, source TEXT, created_at TEXT,
    updated_at TEXT);
INSERT INTO messages VALUES ('1', 's', 'user', 'Hello', NULL, NULL, NULL, '2024-01-01T00:00:00Z', 0.9, NULL, NULL,
    NULL);
INSERT INTO messages VALUES ('2', 's', 'assistant', NULL, NULL, NULL, '[{"name": "look", "arguments": "{}"}]',
    '2024-01-01T00:00:01Z', 0.5, NULL, NULL, NULL);
INSERT INTO messages VALUES ('3', 's', 'tool', 'nothing', 'c1', 'look', NULL, '2024-01-01T00:00:02Z', 0.3, NULL, NULL,
    NULL);
INSERT INTO messages VALUES ('4', 't', 'user', 'Other', NULL, NULL, NULL, '2024-01-02T00:00:00Z', 0.5, NULL, NULL,
    NULL);
INSERT INTO facts VALUES (1, 'people', 'anna', 'Likes tea', 'agent', '2024-01-01T00:00:00Z', '2024-01-01T00:00:00Z');
"""
SENTENCES = """
CREATE TABLE messages (session_id TEXT, seq INTEGER, role TEXT, content TEXT, tool_calls TEXT, metadata TEXT,
    created_at DATETIME, PRIMARY KEY (session_id, seq));
CREATE TABLE summaries (session_id TEXT PRIMARY KEY, summary TEXT);
CREATE TABLE facts (id TEXT PRIMARY KEY, content TEXT, source TEXT, tags TEXT, metadata TEXT, created_at DATETIME);
INSERT INTO messages VALUES ('telegram:1:', 1, 'user', 'I use dark mode.', NULL, '{}', '2024-01-01 00:00:00');
INSERT INTO messages VALUES ('telegram:1:', 2, 'assistant', 'Noted.', NULL, '{}', '2024-01-01 00:00:01');
INSERT INTO facts VALUES ('1-0-1', 'Prefers dark mode', 'telegram:1:', '["ui"]', '{"topic": "ui"}',
    '2024-01-01 00:00:02');
"""
OBSERVATIONS = """
CREATE TABLE observations (id INTEGER PRIMARY KEY, store TEXT, type TEXT, title TEXT, narrative TEXT, facts TEXT,
    tags TEXT, source TEXT, related_files TEXT, related_people TEXT, mention_count INTEGER, created_at TEXT,
    updated_at TEXT, expires_at TEXT);
CREATE TABLE observation_archive (id INTEGER PRIMARY KEY, original_observation_id INTEGER, store TEXT, type TEXT,
    title TEXT, narrative TEXT, facts TEXT, tags TEXT, archived_at TEXT, archive_reason TEXT, created_at TEXT);
CREATE TABLE session_summaries (agent_id TEXT, session_key TEXT, summary TEXT, created_at TEXT);
CREATE TABLE people (name TEXT, store TEXT);
INSERT INTO observations VALUES (1, 'shared', 'decision', 'Database', 'We chose SQLite.', '["It is one file."]',
    '["db"]', 'agent', '["app/store.py"]', '["Anna"]', 3, '2024-01-01T00:00:00Z', '2024-01-02T00:00:00Z', NULL);
INSERT INTO observations VALUES (2, 'private', 'discovery', 'Slow', '', '["Joins are slow."]', '[]', 'agent', '[]',
    '[]', 1, '2024-01-01T00:00:00Z', NULL, NULL);
INSERT INTO observation_archive VALUES (1, 9, 'private', 'task', 'Old', 'An old task.', '[]', '[]',
    '2024-03-01T00:00:00Z', 'retention', '2023-01-01T00:00:00Z');
INSERT INTO session_summaries VALUES ('g', 's', 'We chose a database.', '2024-01-01T00:00:00Z');
INSERT INTO people VALUES ('Anna Weber', 'private');
"""
SERVICE = """
CREATE TABLE memories (id INTEGER PRIMARY KEY, content_hash TEXT UNIQUE, content TEXT, tags TEXT, memory_type TEXT,
    metadata TEXT, created_at REAL, updated_at REAL, created_at_iso TEXT, updated_at_iso TEXT);
INSERT INTO memories VALUES (1, 'c1', 'Port 8000.', 'api,ports', 'note', '{"source": "desk"}', 1700000000.5, NULL, NULL,
    NULL);
"""
COUNTS = {  # messages, memories, entities, problems
    "events": (EVENTS, (2, 0, 0, 1)),
    "memories": (MEMORIES, (2, 2, 1, 1)),
    "keyed": (KEYED, (4, 1, 0, 0)),
    "sentences": (SENTENCES, (2, 1, 0, 0)),
    "observations": (OBSERVATIONS, (0, 4, 1, 0)),
    "service": (SERVICE, (0, 1, 0, 0)),
}
Make = Callable[[str, str], Path]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    def made(name: str, sql: str) -> Path:
        path = tmp_path / f"{name}.db"
        connection = apsw.Connection(str(path))
        connection.execute(sql)
        connection.close()
        return path

    return made


def read(path: Path) -> list[Record]:
    return records(memory_database.read, path)


@pytest.mark.parametrize("name", COUNTS)
def test_every_row_is_read(make: Make, name: str) -> None:
    sql, expected = COUNTS[name]
    path = make(name, sql)
    assert detect(path) == memory_database.NAME
    found = read(path)
    counts = [len(only(found, kind)) for kind in (MessageRecord, MemoryRecord, VaultDetail)]
    assert (*counts, len(problems(found))) == expected


@pytest.mark.parametrize("name", COUNTS)
def test_a_second_import_adds_nothing(host: Host, make: Make, name: str) -> None:
    sql, (messages, memories, *_) = COUNTS[name]
    path = make(name, sql)
    report = host.ask("exchange.import", path=str(path))
    assert (report.messages, report.memories) == (messages, memories)
    again = host.ask("exchange.import", path=str(path))
    assert (again.messages, again.memories, again.sessions) == (0, 0, 0)


def test_messages_come_in_their_order_with_what_is_known_of_them(make: Make) -> None:
    found = read(make("events", EVENTS))
    [head] = only(found, SessionRecord)
    assert (head.agent, head.attributes) == ("Guide", {"summary": "Of herons."})
    assert [record.message.content for record in only(found, MessageRecord)] == ["A heron?", "A bird."]
    calling, answering = [one.message for one in only(read(make("keyed", KEYED)), MessageRecord)][1:3]
    assert calling.tool_calls == [{"name": "look", "arguments": "{}"}]
    assert (answering.role, answering.tool_name, answering.tool_call_id) == ("tool", "look", "c1")


def test_memories_keep_their_fields(make: Make) -> None:
    fact, reflection = only(read(make("memories", MEMORIES)), MemoryRecord)
    assert (fact.kind, fact.confidence, fact.tags, fact.session_key) == ("fact", 0.7, ("home",), "memories/s")
    assert (fact.created_ms, fact.attributes) == (1_700_000_002_000, {"by": "rule"})
    assert reflection.kind == "reflection"
    first, second, archived, _ = only(read(make("observations", OBSERVATIONS)), MemoryRecord)
    assert (first.store, first.type, first.mention_count, first.people) == ("shared", "decision", 3, ("Anna",))
    assert (second.facts, archived.archive_reason) == (("Joins are slow.",), "retention")
    [keyed] = only(read(make("keyed", KEYED)), MemoryRecord)
    assert (keyed.category, keyed.fact_key, keyed.content) == ("people", "anna", "Likes tea")


def test_the_log_of_a_program_that_still_runs_is_read(tmp_path: Path) -> None:
    path = tmp_path / "live.db"
    writer = apsw.Connection(str(path))
    writer.pragma("journal_mode", "WAL")
    writer.execute(KEYED)
    try:
        assert len(only(read(path), MessageRecord)) == 4
    finally:
        writer.close()


def test_a_vault_is_refused(host: Host, vault: Path) -> None:
    with pytest.raises(FormatError, match="Keepsake vault"):
        detect(vault / DATABASE)


def test_damage_and_databases_of_others_are_refused(make: Make) -> None:
    with pytest.raises(FormatError, match="tables that are known"):
        detect(make("other", "CREATE TABLE bookmarks (url TEXT); INSERT INTO bookmarks VALUES ('x')"))
    path = make("damaged", KEYED)
    with path.open("r+b") as file:
        file.seek(100)
        file.write(b"\xa5" * 4000)
    with pytest.raises(FormatError, match="damaged"):
        detect(path)


def test_a_damaged_table_costs_only_itself(make: Make) -> None:
    rows = "".join(f"INSERT INTO messages VALUES ('m{n}', 's', 'user', '{'x' * 900}', 1);" for n in range(60))
    path = make(
        "half",
        f"CREATE TABLE messages (id TEXT, session_id TEXT, role TEXT, content TEXT, created_at INT); {rows}"
        "CREATE TABLE facts (id TEXT, content TEXT); INSERT INTO facts VALUES ('f', 'Kept.')",
    )
    with path.open("r+b") as file:
        file.seek(4096 * 6)
        file.write(b"\xa5" * 4096)
    found = read(path)
    assert [record.content for record in only(found, MemoryRecord)] == ["Kept."]
    assert any("cannot be read" in problem.what for problem in problems(found))


def test_reading_can_be_stopped(make: Make) -> None:
    stopped = threading.Event()
    stopped.set()
    assert only(list(memory_database.read(make("keyed", KEYED), stopped.is_set)), MessageRecord) == []


def test_hostile_values_do_no_harm(make: Make, host: Host) -> None:
    payload = json.dumps({"role": ["user"], "content": {"a": 1}, "tool_calls": "x"}).replace("'", "''")
    path = make(
        "hostile",
        f"{EVENTS} INSERT INTO conversation_events VALUES ('b''--', 1, '{payload}', 'never');"
        "INSERT INTO conversation_events VALUES ('', 1, '[]', NULL);"
        "CREATE TABLE memories (content TEXT, kind BLOB, tags TEXT, created_at TEXT);"
        "INSERT INTO memories VALUES ('kept', x'ff', '{{', 'x');"
        "CREATE VIEW facts AS SELECT * FROM memories;",
    )
    report = host.ask("exchange.import", path=str(path))
    assert (report.messages, report.memories) == (2, 1)
